"""Large adjoints take ways of their own through the sweep, in place and at few places: reverse mode against forward."""

import numpy as np
import pytest
from scipy import special

from autodiff import grad, jvp

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
    "factors of columns": lambda x: np.sum(np.sin(y := x.reshape(300, 60, 10)) * y[:, :1]),
    "factors of columns, first": lambda x: np.sum(np.exp((y := x.reshape(300, 60, 10))[:, :1] * np.sin(y))),
    "factors of all rows": lambda x: np.sum((y := x.reshape(300, 60, 10)) * np.cos(y[0, 0]) * np.exp(y)),
    "factors of rows": lambda x: np.sum(np.sin(y := x.reshape(300, 600)) * y[:, :1]),
    "factors of narrow columns": lambda x: np.sum(np.sin(x) * x[:, :1]),
    "factors of both": lambda x: np.sum(np.sin(x[:50, None, :60, 0]) * x[7, :60, 0][:, None]),
    "a number as factor": lambda x: np.sum(np.cos(x) * x[0, 0, 0]) + np.sum(x[1, 1, 1] / (3.0 + x[:9, :, 1] ** 2)),
    "squares of long rows": lambda x: np.sum(np.exp(np.sum((y := x.reshape(300, 600)) * y, 1) / 600.0)),
    "squares of rows of ten": lambda x: np.sum(np.exp(np.sum((y := x.reshape(6000, 30)) * y, 1) / 30.0)),
    "a product, added to an adjoint": lambda x: np.sum((x * (y := np.sin(x)) + np.exp(x) * x) * y),
    "a product by few, added": lambda x: np.sum((x * x[:1] + x * x[7, :, 1][:, None] + np.exp(x)) ** 2),
    "a product of turned ones, added": lambda x: np.sum((y := x[::-1].swapaxes(0, 1) + 1.0) * np.exp(y) + y * y[::-1]),
    "an adjoint of two, and products": lambda x: np.sum((y := x * 1.5) * np.cos(x) + (y + x) + y * x),
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
}


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


def test_a_square_whose_adjoint_cannot_be_doubled_has_its_product():
    """1.7e308 is a float, twice that is none; twice its product with 1e-300 is."""
    x = np.full((5000, 4), 1e-300)
    found = grad(lambda x: np.sum(np.sum(x * x, 1) * 1.7e308))(x)
    np.testing.assert_allclose(found, 2.0 * (x * 1.7e308), rtol=1e-15)
    found = grad(lambda x: np.sum(x * x) * 1.7e308)(x)
    np.testing.assert_allclose(found, 2.0 * (x * 1.7e308), rtol=1e-15)


STRETCHED = [
    ((), (10**6,)),
    ((10, 1), (10, 10**5)),
    ((10,), (10**5, 10)),
    ((4, 1, 1), (4, 300, 900)),
    ((1, 1, 4), (900, 300, 4)),
]
"""Shapes, and those that they are broadcast to."""


@pytest.mark.parametrize(("by", "of"), STRETCHED, ids=str)
def test_sums_of_many_equal_products_keep_their_digits(by, of):
    """Of what was broadcast; equal terms have equal rounding errors, which add up."""
    x, y = np.full(by, 2.0), np.full(of, 0.1)
    found = grad(lambda x: np.sum(np.sin(x * y) * 1.0))(float(x) if by == () else x)
    each = np.prod(of) / max(1, np.prod(by))
    np.testing.assert_allclose(found, np.full(by, each * np.cos(2.0 * 0.1) * 0.1), rtol=3e-14)


def test_products_of_more_axes_than_einsum_has_names_for():
    x, y = np.ones((1,) * 54 + (2, 1)), np.full((1,) * 54 + (2, 5000), 0.5)
    found = grad(lambda x: np.sum(np.sin(x * y) * y))(x)
    np.testing.assert_allclose(found, np.full_like(x, 5000 * np.cos(0.5) * 0.25), rtol=1e-13)
