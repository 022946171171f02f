"""Sums of many short rows in machine code and in exported C keep their digits."""

import numpy as np
import pytest
from exported import called, compiled, needs_cc

pytest.importorskip("llvmlite")

from autodiff import grad, jit

ROWS = {
    "of a product of small matrices": (lambda x, a: np.sum((x @ a) ** 2 * 3), (3, 5)),
    "of what is broadcast": (lambda x, a: np.sum(x * a * 2), (3,)),
    "of two in each row": (lambda x, a: np.sum(x[:, :2] * a), (2,)),
    "of several for each": (lambda x, a: np.sum(np.sum(x.reshape(2, -1, 3) * a, axis=(1, 2)) ** 2), (3,)),
}


@pytest.mark.parametrize("n", [2, 1000, 300_000])
@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("name", ROWS)
def test_a_sum_over_short_rows(name, dtype, n):
    """Of equal terms, whose rounding errors are equal, too, and add up."""
    f, shape = ROWS[name]
    x, a = np.full((n, 3), 0.1, dtype), np.full(shape, 0.3, dtype)
    expected = f(x.astype(np.longdouble), a.astype(np.longdouble))
    assert abs(jit(f)(x, a) / expected - 1) <= 4 * np.finfo(dtype).eps


@pytest.mark.parametrize("name", ROWS)
def test_the_same_with_terms_that_cancel_and_their_gradient(name):
    f, shape = ROWS[name]
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=(1000, 3)) * 10.0 ** rng.integers(-8, 8, (1000, 3)), rng.normal(size=shape)
    size = f(np.abs(x), np.abs(a))
    assert abs(jit(f)(x, a) - f(x, a)) <= 1e-15 * size
    for found, expected in zip(jit(grad(f, (0, 1)))(x, a), grad(f, (0, 1))(x, a), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * np.max(np.abs(expected)))


def test_what_is_not_finite():
    f = lambda x, a: np.sum(x * a * 2)
    for odd, expected in ((np.inf, np.inf), (-np.inf, -np.inf), (np.nan, np.nan)):
        x = np.ones((100, 3))
        x[50, 1] = odd
        np.testing.assert_equal(jit(f)(x, np.ones(3)), expected)
    with np.errstate(over="ignore"):
        np.testing.assert_equal(jit(f)(np.full((100, 3), 1e307), np.ones(3)), np.inf)


def test_sums_that_threads_share():
    f = lambda x, a: np.sum(np.exp(x * a) * x)
    x, a = np.random.default_rng(1).normal(size=(200_000, 3)), np.array([0.1, 0.2, 0.3])
    one, two = jit(f)(x, a), jit(f, threads=2)(x, a)
    assert one == two
    np.testing.assert_allclose(one, f(x, a), rtol=1e-13)


@needs_cc
def test_the_same_in_c(tmp_path):
    """One long row is summed in parts there, of as many terms as there are parts."""
    given = {
        f"{dtype}{k}": (f, [np.full((10_000, 3), 0.1, dtype), np.full(shape, 0.3, dtype)])
        for k, (f, shape) in enumerate(ROWS.values())
        for dtype in "df"
    }
    library, _ = compiled(tmp_path, given)
    for name, (f, args) in given.items():
        expected = f(*(x.astype(np.longdouble) for x in args))
        code, (found,) = called(library[name], args, f(*args))
        assert code == 0
        assert abs(found / expected - 1) <= 64 * np.finfo(name[0]).eps
