"""Large adjoints take ways of their own through the sweep, in place and at few places: reverse mode against forward."""

import tracemalloc

import numpy as np
import pytest
from scipy import special

from autodiff import grad, gradient, jvp, record, vjp
from autodiff.tape.pieces import Multiple

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 200, 3))
ROWS = RNG.integers(-300, 300, 5000)
TIED = np.where(RNG.random((300, 200)) < 0.01, 4.0, RNG.normal(size=(300, 200)))


def softmax(x):
    highest = np.max(x, axis=1, keepdims=True)
    return np.exp(x - highest) / np.sum(np.exp(x - highest), axis=1, keepdims=True)


PROGRAMS = {
    "the largest": lambda x: np.max(x) ** 3,
    "the largest of others": lambda x: np.max(np.exp(x)) * np.sum(x * x),
    "the largest, used before": lambda x: np.sum(x * np.max(x)) + np.max(x, axis=(0, 1))[1],
    "the largest of rows": lambda x: np.sum(np.max(x.reshape(300, 600), axis=1) ** 2),
    "the least of columns, kept": lambda x: np.sum((x - np.min(x, axis=0, keepdims=True)) ** 2 * x),
    "softmax": lambda x: np.sum(softmax(x.reshape(300, 600)) ** 2),
    "a square": lambda x: np.sum((x * x) * (x * x)),
    "a square of differences": lambda x: np.sum((d := x[:, :, :2] - x[:150, 0, 0][:2]) * d),
    "few repeated": lambda x: np.sum(x * np.sum(x * x, axis=2, keepdims=True)),
    "few repeated, turned": lambda x: np.sum(x.swapaxes(0, 1) * np.sum(x * x, axis=2).T[:, :, None]),
    "broadcast over the first axes": lambda x: np.sum(np.sin(x) * x[0, 0]) + np.sum(x - 2.0 * x[0]),
    "broadcast, as a number": lambda x: np.sum(np.cos(x) - 3.0 * x[0, 0, 0]),
    "rows, some again": lambda x: np.sum(x[ROWS, 7] ** 3) + np.sum(np.sin(x[ROWS])[::-7]),
    "the least squared distances": lambda x: np.sum(np.min(np.sum((d := x - x[0, :, :]) * d, 2), 1)),
    "the least lengths, of a broadcast": lambda x: np.sum(
        np.min(np.sqrt(np.sum((x * x[:, :1, 1:2]) ** 2, -1)), 1) ** 3
    ),
    "the largest of quotients, used again": lambda x: (
        np.sum(np.max(q := x[:, :, 0] / (3.0 + x[7, 5, 2] ** 2), 1)) + q[9, 9]
    ),
    "the largest, and rows of it": lambda x: (
        np.sum((y := 2.0 * x[:, :, 1])[5] ** 2) + np.sum(np.max(-y, 0) * x[3, :, 0])
    ),
    "the largest twice": lambda x: np.sum(np.max(y := np.exp(x[:, :, 0]), 1)) + np.sum(np.min(y, 0)),
    "the error function": lambda x: np.sum(special.erf(x) * x),
    "numbers in a row": lambda x: np.mean(0.5 * np.sin(3.0 * x) ** 2 - 0.25 * (-x)),
    "numbers out of all range": lambda x: np.sum(1e-30 * np.cos(1e20 * (1e-20 * (1e15 * np.sin(1e-15 * x))))),
    "a number that is 0": lambda x: np.sum(np.cos(x) * 0.0 + x * x),
    "multiples that meet": lambda x: np.sum((y := np.sin(x)) * 3.0 - y * 5.0 + y * (z := np.cos(2.0 * y)) - 3.0 * z),
    "multiples that meet their like": lambda x: np.sum(np.sin(x) * x - np.cos(y := 1.0 * x) * y + y * X),
    "an array and a number": lambda x: np.sum(
        (w := x[0, 0, 0] * 3.0) * np.sin(x) * w - np.exp(x[1, 1, 1]) / (2.0 + x**2)
    ),
    "quotients": lambda x: np.sum((np.sin(x) / (2.0 + x * x)) / np.exp(0.1 * x) / 7.0),
    "a quotient by itself": lambda x: np.sum((y := 2.0 + np.sin(x)) / y * x),
    "one by a row": lambda x: np.sum(x[0, 0] / (3.0 + np.cos(x)) + np.sin(x) / (3.0 + x[0, :1] ** 2)),
    "logarithms": lambda x: np.sum(np.log(2.0 + np.sin(x)) ** 2) + np.sum(np.log(np.exp(x) * 2.0)),
    "slices of multiples": lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2),
    "a multiple, and slices before and after": lambda x: (
        np.sum(x[3:] ** 2) + np.sum(3.0 * x) + np.sum(np.exp(x)[::2]) + np.sum(x[5] * 2.0)
    ),
    "a product that writes": lambda x: np.sum(written(3.0 * x) * x),
    "a power of both": lambda x: np.sum((2.0 + np.sin(x)) ** x),
}


def written(y):
    y[2:5] *= y[0]
    return y


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_pull_back_is_the_transpose_of_the_push_forward(program, precision):
    x = X.astype(precision)
    t = RNG.normal(size=x.shape).astype(precision)
    gradient = grad(program)(x)
    assert gradient.dtype == x.dtype
    pushed = jvp(program, [x.astype(float)], [t.astype(float)])[1]
    scale = np.sum(np.abs(gradient.astype(float) * t))
    assert abs(np.sum(gradient.astype(float) * t) - pushed) <= (1e-13 if precision == "float64" else 1e-5) * scale


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_ties_of_many_elements_share(axis):
    found = grad(lambda x: np.sum(np.max(x, axis=axis)))(TIED)
    ones = np.max(TIED, axis=axis, keepdims=True) == TIED
    np.testing.assert_allclose(found, ones / np.sum(ones, axis=axis, keepdims=True), rtol=1e-15)


def test_nan_among_many_elements_is_seen():
    x = TIED.copy()
    x[3, 5] = np.nan
    with np.errstate(invalid="ignore"):
        found = grad(lambda x: np.sum(np.max(x, axis=1)))(x)
    assert np.isnan(found[3]).all()
    np.testing.assert_array_equal(
        np.delete(found, 3, 0), np.delete(grad(lambda x: np.sum(np.max(x, axis=1)))(TIED), 3, 0)
    )


def test_few_places_are_not_written_into_what_somebody_else_has():
    """The adjoint of ``y`` is that of the whole sum, which ``z`` has too."""

    def f(x):
        y = x + 0.0
        z = np.max(y)
        return np.sum(y + x) + z

    expected = 2.0 + (np.max(X) == X)
    np.testing.assert_array_equal(grad(f)(X), expected)


@pytest.mark.parametrize("function", [special.erf, special.erfi, special.ndtr])
def test_a_derivative_by_blocks_has_the_bits_of_one_at_once(function):
    x = np.linspace(-20.0, 20.0, 100_000)
    slope = grad(lambda x: np.sum(function(x)))
    parts = [slope(part) for part in np.split(x, 100)]
    np.testing.assert_array_equal(slope(x), np.concatenate(parts))


@pytest.mark.parametrize("name", ["the least squared distances", "the least lengths, of a broadcast"])
def test_the_second_derivative_goes_to_few_places_too(name):
    """Reverse mode of the slope along a direction against the slope of reverse mode."""
    f, t = PROGRAMS[name], RNG.normal(size=X.shape)
    along = grad(lambda x: jvp(f, [x], [t])[1])(X)
    np.testing.assert_allclose(jvp(grad(f), [X], [t])[1], along, rtol=1e-11, atol=1e-11 * np.abs(along).max())


# ---------------------------------------------------------------------------------- passes over memory, and who has it


@pytest.fixture
def multiplied_out(monkeypatch):
    """The factors of multiples that were multiplied out, in turn."""
    factors, joined = [], Multiple.joined

    def noted(self, own=None):
        factors.append(self.factor)
        return joined(self, own)

    monkeypatch.setattr(Multiple, "joined", noted)
    return factors


def test_numbers_wait_and_are_multiplied_with_each_other(multiplied_out):
    """A chain of them is one pass: where the gradient is handed out."""
    found = grad(lambda x: np.mean(0.5 * np.sin(3.0 * x) / -8.0))(X)
    assert multiplied_out == [pytest.approx(-0.5 * 3.0 / 8.0 / X.size)]
    np.testing.assert_allclose(found, -0.5 * 3.0 / 8.0 / X.size * np.cos(3.0 * X), rtol=1e-15)


def test_multiples_of_one_number_are_added_before_it_is_multiplied_by(multiplied_out):
    found = grad(lambda x: np.sum(0.25 * (np.sin(x) - np.exp(x))))(X)
    assert list(map(abs, multiplied_out)) == [0.25]
    np.testing.assert_allclose(found, 0.25 * (np.cos(X) - np.exp(X)), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_what_is_divided_is_not_multiplied_by_one_over_it(precision):
    """To the bit: w / y and w (1 / y) differ in the last one in a quarter of all places."""
    x, y, w = (RNG.uniform(1.0, 2.0, X.shape).astype(precision) for _ in range(3))
    pulled = vjp(lambda x, y: x / y, x, y)[1](w)
    np.testing.assert_array_equal(pulled[0], w / y)
    np.testing.assert_array_equal(pulled[1], -(x / y / y) * w)
    np.testing.assert_array_equal(vjp(np.log, x)[1](w)[0], w / x)
    assert np.any(w / y != w * (1.0 / y))


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_a_number_that_is_far_from_1_does_not_wait(scale):
    """Else the product that waits for it would overflow, or lose digits."""
    big = np.full(X.shape, 1.0 / scale)
    found = grad(lambda x: np.sum(scale * (scale * (x**3 * big) * big)))(1.0 + X**2)
    np.testing.assert_allclose(found, 3.0 * (1.0 + X**2) ** 2, rtol=1e-14)


def test_a_gradient_is_nobody_elses_array():
    """Of a sum of products it is the other factor: a copy of it."""
    data, x = X + 1.0, X.copy()
    found = gradient(lambda x, y: np.sum(x * data + x * y), [x, data])
    again = grad(lambda x: np.sum(x * data))(x)
    for array in (*found, again):
        assert not any(np.shares_memory(array, other) for other in (x, data))
        array[...] = np.nan
    np.testing.assert_array_equal(grad(lambda x: np.sum(x * data))(x), X + 1.0)
    np.testing.assert_array_equal(x, X)


def test_a_cotangent_is_read_and_not_written():
    t = RNG.normal(size=X.shape)
    kept, pull = t.copy(), vjp(lambda x: -(2.0 * x) / 3.0 + 1.0, X)[1]
    first, second = pull(t)[0], pull(t)[0]
    np.testing.assert_array_equal(t, kept)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, t * (-2.0 / 3.0), rtol=1e-15)


def test_every_adjoint_of_a_tape_is_its_own():
    """Where all are kept, a line that passes its own on may be read after it was passed on."""
    tape, out = record(lambda x: np.sum(0.5 * (3.0 * np.sin(x)) * x), [X])
    adjoints = tape.adjoints(out)
    few = record(lambda x: np.sum(0.5 * (3.0 * np.sin(x)) * x), [X[:1, :5]])
    for large, small in zip(adjoints, few[0].adjoints(few[1]), strict=True):
        np.testing.assert_allclose(large if np.shape(large) == () else large[:1, :5], small, rtol=1e-14)


def test_products_are_written_over_what_nobody_needs_any_more():
    """A chain of 20 operations takes no more memory than its values, and two arrays."""
    x = np.linspace(0.1, 1.0, 1 << 20)

    def chain(x):
        for _ in range(10):
            x = np.sin(x) * 1.5
        return np.sum(x)

    slope = grad(chain)
    slope(x)
    tracemalloc.start()
    slope(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= (10 + 2.5) * x.nbytes
