"""Machine code computes once what several values need: reductions of angles, reciprocals, sums, memory."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("llvmlite")
pytest.importorskip("scipy")

from scipy.special import erf

from autodiff import derivative, grad, jit, value_and_grad
from autodiff.compiler.native.elementary import error_functions, exponentials
from autodiff.compiler.native.elementary.code import Code, Value

EXTENTS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 100]


def loops_of(compiled, *args):
    """The loops of its machine code, each as a text."""
    return re.split(r"^    (?=for |\d+ times |once)", compiled.program(*args), flags=re.MULTILINE)[1:]


def angles(x):
    return np.sum(np.sin(x) * np.cos(2.0 * x) + np.tan(x) * np.sin(2.0 * x))


def decays(x):
    return np.sum(np.tanh(x) * x + 1.0 / np.cosh(x))


def bells(x):
    return np.sum(erf(x) * x - erf(0.1 * x))


def divided(x):
    return np.sum((x + 1.0) / (x * x + 2.0) + np.log(x * x + 2.0) / 3.0 + np.sqrt(x * x + 2.0))


def shares(x):
    weights = np.exp(x - np.max(x))
    return np.sum((weights / np.sum(weights)) ** 2)


@pytest.mark.parametrize("n", EXTENTS)
@pytest.mark.parametrize("f", [angles, decays, bells, divided, shares])
def test_every_extent(f, n):
    compiled = jit(value_and_grad(f))
    for point in (np.linspace(-1.0, 2.0, n), np.linspace(3.0, -40.0, n)):
        for found, expected in zip(compiled(point), value_and_grad(f)(point), strict=True):
            assert_allclose(found, expected, rtol=1e-13, atol=1e-13 * np.max(np.abs(expected)))


def test_the_cosine_of_a_gradient_is_computed_beside_the_sine():
    """In a loop over steps, too, where only the sine has to wait for the round before."""

    def steps(x):
        for _ in range(12):
            x = x + 0.1 * np.sin(x)
        return np.sum(x * x)

    compiled, x = jit(grad(steps)), np.linspace(0.0, 3.0, 50)
    beside = [loop for loop in loops_of(compiled, x) if "sin(" in loop]
    assert beside
    assert all("cos(" in loop for loop in beside)
    assert_allclose(compiled(-x), grad(steps)(-x), rtol=1e-13)


def test_an_error_function_and_its_slope_share_their_exponential():
    c, x = Code(8), Value("%x", "f8")
    error_functions.erf(c, x)
    written = len(c.lines)
    exponentials.gaussian(c, x)
    assert len(c.lines) == written
    compiled, x = jit(value_and_grad(lambda x: np.sum(erf(x) * x))), np.linspace(-3.0, 3.0, 50)
    (loop,) = [loop for loop in loops_of(compiled, x) if "erf(" in loop]
    assert "gaussian(" in loop


def test_a_sine_is_not_moved_before_what_it_reads_is_written():
    def f(x):
        y = x * 1.0
        a = np.sin(y)
        y[2:5] = a[:3] * 2.0
        return a * np.cos(y)

    compiled = jit(f)
    for x in (np.linspace(0.0, 1.0, 9), np.linspace(2.0, -1.0, 9)):
        assert_allclose(compiled(x), f(x), rtol=1e-14)


@pytest.mark.parametrize(
    "start", [0.0, 0.3, 0.7853981633974483, -0.8, 1.5707963267948966, 2.4, -3.2, 17.0, 1e5, -1e9, 1e12]
)
def test_chains_of_single_numbers(start):
    """Of one lane the quarter of an angle is guessed: it must not matter which it is."""

    def chain(x):
        for k in range(9):
            x = np.sin(x) * (1.0 + 0.3 * k) + np.cos(x) * 0.1
        return x

    compiled = jit(lambda x: derivative(chain, 0, [x]))
    for x in (start, -start, start + 1.0):
        assert_allclose(compiled(x), derivative(chain, 0, [x]), rtol=1e-12)


SPECIAL = np.array([0.0, -0.0, 1.0, -3.0, 49.0, 1e-300, 2.3e-308, 1e308, -1.7e308, np.inf, -np.inf, np.nan])


def test_quotients_by_one_divisor_have_the_bits_of_divisions():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(2, 20_000)) * 10.0 ** rng.integers(-30, 30, (2, 20_000))
    x, y = (np.append(part, more) for part, more in zip(np.meshgrid(SPECIAL, SPECIAL), wide, strict=True))

    def quotients(x, y):
        return x / y, 1.0 / y, (x + 1.0) / y, x / 49.0, x / -3.0

    compiled = jit(quotients)
    compiled(np.ones_like(x), np.ones_like(y))
    with np.errstate(all="ignore"):
        expected = quotients(x, y)
    for found, true in zip(compiled(x, y), expected, strict=True):
        assert_array_equal(found.view(np.int64)[~np.isnan(true)], true.view(np.int64)[~np.isnan(true)])
        assert np.all(np.isnan(found[np.isnan(true)]))


def test_a_divisor_without_a_reciprocal():
    """Of 1e-310 it would be infinite: the function is called as it stands."""
    quotients = lambda x, y: (x / y, (x + 1e-309) / y)
    compiled, x, y = jit(quotients), np.full(20, 3e-310), np.linspace(1.0, 2.0, 20)
    compiled(x, y)
    y[7] = 1e-310
    for found, true in zip(compiled(x, y), quotients(x, y), strict=True):
        assert_array_equal(found, true)


def test_a_sum_that_a_number_divides_is_no_further_loop():
    """Of the shares of exponentials: the maximum, the exponentials and their sum, the gradient."""
    compiled, x = jit(grad(np.logsumexp if hasattr(np, "logsumexp") else log_sum_exp)), np.linspace(-3.0, 5.0, 1000)
    over = [loop for loop in loops_of(compiled, x) if loop.startswith("for i in 1000")]
    assert len(over) == 3
    assert compiled.stats()[0]["paths"][0]["bytes"] < 1000


def log_sum_exp(x):
    peak = np.max(x)
    return peak + np.log(np.sum(np.exp(x - peak)))


def test_a_sum_that_overflows_though_its_products_do_not():
    def f(x, by):
        return np.sum(x), np.sum(x * by)

    compiled = jit(f)
    for x in (np.linspace(1.0, 2.0, 30), np.full(30, 1e308)):
        with np.errstate(over="ignore"):
            assert_allclose(compiled(x, 1e-9), f(x, 1e-9), rtol=1e-14)


@pytest.mark.parametrize("n", [1, 3, 8, 9, 40])
def test_what_is_in_between_takes_the_place_of_a_result(n):
    """But not of one that is written before it is read."""

    def f(x):
        t = np.sin(x)
        total = np.sum(t)
        return x * total, t * total, t[::-1] * total

    compiled = jit(f)
    for x in (np.linspace(0.0, 1.0, n), np.linspace(2.0, -1.0, n)):
        for found, expected in zip(compiled(x), f(x), strict=True):
            assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


def test_elements_inside_and_walls_are_told_apart():
    """A step on a grid writes inside straight away, from elements of the step before."""

    def steps(u, by):
        u = u * 1.0
        for _ in range(8):
            u[1:-1, 1:-1] += by * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        return u

    compiled, u = jit(steps), np.random.default_rng(0).normal(size=(11, 13))
    (loop,) = [loop for loop in loops_of(compiled, u, 0.1) if "times" in loop and "i, j" in loop and "*" in loop]
    assert loop.count("] =") == 1
    for start in (u, u.T.copy().T - 1.0):
        assert_allclose(compiled(start, 0.2), steps(start, 0.2), rtol=1e-12, atol=1e-14)


def test_memory_of_a_round_is_used_again_in_the_next():
    """Of each step of a gradient one array is kept, that the step before reads."""

    def loss(count):
        def steps(u):
            for _ in range(count):
                u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
            return np.sum(u * u)

        return lambda u: steps(u * 1.0)

    def size(count, u):
        compiled = jit(grad(loss(count)))
        for start in (u, -u):
            assert_allclose(compiled(start), grad(loss(count))(start), rtol=1e-12)
        return compiled.stats()[0]["paths"][0]["bytes"]

    u = np.random.default_rng(0).normal(size=(20, 30))
    assert size(24, u) - size(12, u) <= 1.1 * 12 * u.nbytes


@pytest.mark.parametrize("n", [1, 7, 9, 33])
def test_powers_of_one_base_share_its_logarithm(n):
    slopes = value_and_grad(lambda x, y: np.sum(x**y), (0, 1))
    compiled = jit(slopes)
    for x in (np.linspace(0.1, 4.0, n), np.linspace(300.0, 1e-3, n)):
        for found, expected in zip(compiled(x, 3.0 - x / 99.0)[1], slopes(x, 3.0 - x / 99.0)[1], strict=True):
            assert_allclose(found, expected, rtol=1e-13)


def test_parts_of_rows_and_strides_of_an_array():
    def f(x):
        y = x * 1.0
        y[::2] = y[1::2] * 2.0
        y[1::2] = y[::2] + 1.0
        return y

    compiled = jit(f)
    for x in (np.linspace(0.0, 1.0, 10), np.linspace(2.0, -1.0, 10)):
        assert_allclose(compiled(x), f(x), rtol=1e-15)


@pytest.mark.parametrize(
    ("a", "b"),
    [((25, 100, 10), (25, 10, 10)), ((100, 2), (2, 25)), ((10, 1000), (1000, 10)), ((5, 1000, 2), (2, 2)),
     ((3, 16, 17), (17, 32)), ((200, 16), (16, 33)), ((300, 9), (9, 8)), ((300, 1), (1, 15))],
)  # fmt: skip
def test_products_of_few_columns(a, b):
    """Of as many as are written out, and of one more; by columns in another order as well."""
    rng = np.random.default_rng(0)

    def f(x, y):
        return x @ y, np.matmul(x, np.swapaxes(np.swapaxes(y, -1, -2) * 2.0, -1, -2)), np.sum((x @ y) ** 2)

    both = jit(grad(lambda x, y: f(x, y)[2], (0, 1)))
    compiled = jit(f)
    for _ in range(2):
        x, y = rng.normal(size=a), rng.normal(size=b)
        for found, expected in zip(
            [*compiled(x, y), *both(x, y)], [*f(x, y), *grad(lambda x, y: f(x, y)[2], (0, 1))(x, y)], strict=True
        ):
            assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * np.max(np.abs(expected)))
