"""What the loops over samples cannot know of reductions: singular points, digits, refusals."""

import itertools
import tracemalloc
import warnings

import mpmath
import numpy as np
import pytest
from table import JACOBIANS, nestings

from autodiff import grad, jacfwd, jacrev, jit, jvp, taylor, vjp


@pytest.mark.parametrize("x", [np.full(3, 0.1), np.zeros(4), np.array([2.5]), np.full((2, 3), 0.7)], ids=np.shape)
@pytest.mark.parametrize("function", [np.std, np.nanstd, lambda x: np.std(x, mean=x.ravel()[0])])
def test_the_standard_deviation_of_equal_data_has_slope_0(function, x):
    """Also where their mean is rounded, so that NumPy's value is not exactly 0: that of 0.1, 0.1, 0.1 is 1.4e-17."""
    for mode in (jacfwd, jacrev):
        np.testing.assert_array_equal(mode(function)(x), np.zeros(x.shape))
    for name, second in nestings(function, (0, 0), JACOBIANS):
        np.testing.assert_array_equal(second(x), np.zeros(x.shape * 2), err_msg=name)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8, 1e12])
def test_moments_keep_their_digits_far_from_0(offset):
    """The slope of std is divided by NumPy's value, so it is as exact as that: 5e-10 at 1e12."""
    x = offset + np.array([0.0, 1.0, 3.0, 3.5, -2.25])
    with mpmath.workdps(50):
        exact = [mpmath.mpf(float(v)) for v in x]
        mean = mpmath.fsum(exact) / 5
        deviation = mpmath.sqrt(mpmath.fsum((v - mean) ** 2 for v in exact) / 5)
        of_var = [float(2 * (v - mean) / 5) for v in exact]
        of_std = [float((v - mean) / (5 * deviation)) for v in exact]
        lost = float(abs(mpmath.mpf(float(np.std(x))) / deviation - 1))
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(np.var)(x), of_var, rtol=1e-14)
        np.testing.assert_allclose(mode(np.std)(x), of_std, rtol=1e-14 + lost)


def differences_of_each(f, x, order):
    """All partials of an order of a function that is linear in every element, by steps of 1: exact."""
    tensor = np.zeros(f(x).shape + x.shape * order)
    for positions in itertools.permutations(range(x.size), order):
        signed = (
            (np.isin(np.arange(x.size), chosen), (-1) ** (order - len(chosen)))
            for n in range(order + 1)
            for chosen in itertools.combinations(positions, n)
        )
        tensor[(..., *positions)] = sum(sign * f(x + step) for step, sign in signed)
    return tensor


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("x", [[2.0, 3.0, 5.0, 7.0], [2.0, 0.0, 5.0, 7.0], [0.0, 3.0, 0.0, 7.0], [0.0, 0.0, 0.0, 2.0]])
def test_cumulative_product_with_zeros(x, order):
    expected = differences_of_each(np.cumprod, np.array(x), order)
    for name, partial in nestings(np.cumprod, (0,) * order, JACOBIANS):
        np.testing.assert_array_equal(partial(np.array(x)), expected, err_msg=name)


@pytest.mark.parametrize("function", [np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanprod, np.nanmax, np.nanmin])
def test_what_is_not_a_number_has_slope_0(function):
    x = np.array([[1.0, np.nan, 4.0, 2.5], [np.nan, 3.0, np.nan, 5.5]])
    for mode in (jacfwd, jacrev):
        slopes = mode(lambda x: function(x, axis=1))(x)
        assert np.all(np.isfinite(slopes))
        assert not np.any(slopes[:, np.isnan(x)])


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("function", [np.max, np.var, np.std, np.mean])
def test_nan_comes_out_where_it_came_in_without_warnings(function, mode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slopes = mode(function)(np.array([1.0, np.nan, 2.0]))
    assert function is np.mean or np.all(np.isnan(slopes))


CUMULATIVE = {
    "cumprod": np.cumprod,
    "along an axis": lambda x: np.cumprod(np.stack([x, np.ones_like(x)], 1), axis=0)[:, 0],
    "cumulative_prod": np.cumulative_prod,
    "accumulate": np.multiply.accumulate,
}


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("unreal", [1.0, 1.0 + 0.5j])
@pytest.mark.parametrize("x", [[2.0, 3.0, np.nan, 4.0], [np.inf, 3.0, -2.0, 0.5], [2.0, 0.0, -np.inf, 4.0]], ids=str)
@pytest.mark.parametrize("function", CUMULATIVE.values(), ids=CUMULATIVE)
def test_products_up_to_elements_that_are_not_finite(function, x, unreal, mode):
    """Each has the slopes of a product of its own factors, and none by those behind them."""
    x = np.array(x) * unreal
    with np.errstate(all="ignore"):
        slopes = mode(function)(x)
        for k, own in enumerate(slopes):
            np.testing.assert_array_equal(own[: k + 1], mode(np.prod)(x[: k + 1]))
            assert not np.any(own[k + 1 :])
        assert np.all(np.isfinite(grad(lambda x: np.sum(np.abs(function(x)[:1])))(np.append([1.0], x))))


@pytest.mark.parametrize("shape", [(300, 30), (30, 300), (2000,)])
def test_a_missing_element_of_many_takes_no_square_of_memory(shape):
    x = np.full(shape, 1.01)
    x[-2] = np.nan
    tracemalloc.start()
    jvp(lambda x: np.cumprod(x, axis=0), [x], [x])
    grad(lambda x: np.sum(np.cumprod(x, axis=0)))(x)
    assert tracemalloc.get_traced_memory()[1] < 50 * x.nbytes
    tracemalloc.stop()


EXTREMA = {
    "max": np.max,
    "min": np.min,
    "ptp": np.ptp,
    "maximum.reduce": np.maximum.reduce,
    "nanmax": np.nanmax,
    "nanmin": np.nanmin,
    "max of some": lambda x, **where: np.max(x, where=[[True, False, True]], initial=-9.0, **where),
    "nanmin of some": lambda x, **where: np.nanmin(x, where=[[True, False, True]], initial=9.0, **where),
    "norm": lambda x, **where: np.linalg.norm(x, np.inf, **where),
    "norm of rows": lambda x, **where: np.max(np.abs(x), **where),
}


@pytest.mark.parametrize("mode", [jacfwd, jacrev, lambda f: jit(jacfwd(f)), lambda f: jit(jacrev(f))])
@pytest.mark.parametrize("axis", [{"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": (1,)}], ids=str)
@pytest.mark.parametrize("function", EXTREMA.values(), ids=EXTREMA)
def test_an_extremum_that_is_nan_depends_on_its_own_elements_only(function, axis, mode):
    """The first row has one NaN, the second nothing else, the third two that are equal; the others have none."""
    x = np.array([[1.0, 2.0, np.nan], [np.nan] * 3, [5.0, 5.0, 4.0], [6.0, 8.0, 7.0]])
    f = lambda x: function(x, **axis)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of a row of nothing but NaN
        slopes, values = mode(f)(x).reshape(4, 4, 3), np.ravel(f(x))
    assert not np.any(slopes[~np.eye(4, dtype=bool)])
    for row, z, own in zip(x, values, np.diagonal(slopes).T, strict=True):
        if np.isnan(z):  # and of elements that were not chosen 0
            assert np.all(np.isnan(own[[0, 2]]))
            assert np.isnan(own[1]) or own[1] == 0
        else:
            np.testing.assert_array_equal(own, jacrev(f)(row[None]).ravel())


SOME = np.array([[False] * 3, [True, False, True], [True] * 3])

MOMENTS = {
    "nanmean": lambda x: np.nanmean(np.where(SOME, x, np.nan), axis=1),
    "nanvar": lambda x: np.nanvar(np.where(SOME, x, np.nan), axis=1),
    "nanstd": lambda x: np.nanstd(np.where(SOME, x, np.nan), axis=1),
    "var": lambda x: np.var(x, axis=1, where=SOME),
    "std": lambda x: np.std(x, axis=1, where=SOME, ddof=1),
}


@pytest.mark.parametrize("mode", [jacfwd, jacrev, lambda f: jit(jacfwd(f)), lambda f: jit(jacrev(f))])
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_a_moment_of_no_elements_takes_nothing_from_others(moment, mode):
    """That of the first row is NaN; the others are functions of their own rows, as if it were not there."""
    x = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0], [5.0, 0.5, 2.0]])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy's, of no elements
        slopes = mode(moment)(x)
        step = 1e-6 * np.eye(9).reshape(9, 3, 3)
        expected = np.stack([(moment(x + d) - moment(x - d)) / 2e-6 for d in step], -1).reshape(3, 3, 3)
    np.testing.assert_allclose(slopes[1:], expected[1:], rtol=1e-8, atol=1e-9)
    assert not np.any(slopes[0, 1:])


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_the_mean_of_nothing_but_nan_has_slope_nan(mode):
    x = np.array([[np.nan, np.nan], [1.0, np.nan], [2.0, 4.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slopes = mode(lambda x: np.nanmean(x, axis=1))(x)
    own = np.diagonal(slopes, axis1=0, axis2=1).T
    np.testing.assert_array_equal(own, [[np.nan, np.nan], [1.0, 0.0], [0.5, 0.5]])
    assert not np.any(slopes[~np.eye(3, dtype=bool)])


def test_an_initial_value_of_an_extremum_that_is_nan():
    """A result that is NaN is NaN with respect to its initial value, too, if that is asked for."""
    x = np.array([[1.0, np.nan], [1.0, 2.0]])
    f = lambda i: np.max(x + 0.0 * i, axis=1, initial=i)
    for mode in (jacfwd, jacrev):
        np.testing.assert_array_equal(mode(f)(3.0), [np.nan, 1.0])
    assert vjp(f, 3.0)[1](np.array([0.0, 2.0])) == (2.0,)


def test_extrema_that_are_nan_at_higher_orders():
    x = np.array([[1.0, np.nan], [1.5, 2.0]])
    f = lambda x: np.max(x**3, axis=1)
    expected = np.zeros((2, 2, 2, 2, 2))
    expected[0, 0, :, 0] = np.nan
    expected[1, 1, 1, 1, 1] = 12.0
    for first, second in itertools.product((jacfwd, jacrev), repeat=2):
        np.testing.assert_array_equal(first(second(f))(x)[1], expected[1])
    terms = taylor(f, x, 3, np.array([[0.0, 0.0], [0.0, 1.0]]))
    np.testing.assert_allclose([term[1] for term in terms], [8.0, 12.0, 6.0, 1.0])


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: np.cumsum(x, dtype=int), TypeError, "cumsum with dtype=int64 would lose.*value_of"),
        (lambda x: np.nanmean(x, dtype=int), TypeError, "nanmean with dtype=int64 would lose.*value_of"),
        (lambda x: np.max(x, where=x > 0), ValueError, "max with where= needs initial="),
        (lambda x: np.var(x, ddof=1, correction=1), ValueError, "ddof and correction"),
        (lambda x: np.average(x, weights=[1.0, 2.0]), TypeError, r"weights have shape \(2,\).*axis="),
        (lambda x: np.average(x, 1, weights=x[0, :2]), ValueError, r"along axis=1 the array has \(3,\)"),
        (lambda x: np.average(x, weights=0.0 * x), ZeroDivisionError, "weights sum to 0"),
        (lambda x: np.cov(x, aweights=[-1.0, 1.0, 1.0]), ValueError, "negative weight"),
        (lambda x: np.cov(x, fweights=[1.5, 1.0, 1.0]), TypeError, "whole numbers"),
        (lambda x: np.cumulative_sum(x), ValueError, "needs axis="),
    ],
)
def test_a_wrong_call_says_what_to_do(call, error, message, mode):
    with pytest.raises(error, match=message):
        mode(call)(np.array([[1.0, -2.0, 3.0], [0.5, 2.0, 1.5]]))


@pytest.mark.parametrize(
    "x", [np.array([1e-160, 1e-160, 1e200]), np.array([1e-22, 1e-22, 1e22], np.float32), np.array([3.0, 0.0, 2.0])]
)
def test_products_that_lose_digits_on_the_way_have_derivatives_that_do_not(x):
    exact = [np.prod(np.delete(x.astype(np.longdouble), k)) for k in range(len(x))]
    assert np.allclose(grad(np.prod)(x), np.array(exact, x.dtype), 4 * np.finfo(x.dtype).eps, 0.0)


@pytest.mark.parametrize("axis", [(0, 2), (0, 1), (1, 2)])
def test_nan_quantiles_at_a_matrix_of_fractions_along_several_axes_are_refused(axis):
    """NumPy puts the axes of the result in another order than np.quantile does."""
    x, q = np.arange(24.0).reshape(2, 3, 4) ** 1.5, np.array([[0.2, 0.4], [0.6, 1.0]])
    for derivative_of in (jacfwd, jacrev):
        with pytest.raises(TypeError, match=r"give it np.ravel\(q\)"):
            derivative_of(lambda x: np.nanquantile(x, q, axis=axis))(x)
    by_rows = jacrev(lambda x: np.nanquantile(x, q.ravel(), axis=axis))(x)
    assert np.allclose(by_rows, jacfwd(lambda x: np.quantile(x, q.ravel(), axis=axis))(x))


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("count", range(1, 10))
def test_sums_along_a_short_axis_are_numpys_to_the_bit(count, precision):
    """Large arrays are added up in another way there, and in the same order."""
    rng = np.random.default_rng(count)
    x = (rng.normal(size=(60, 40, count)) * 10.0 ** rng.integers(-9, 9, (60, 40, count))).astype(precision)
    x[3] = -0.0
    x[4, :5] = [[np.inf], [np.nan], [-np.inf], [3e38], [0.0]]
    with np.errstate(all="ignore"):
        for axis, keepdims in itertools.product((-1, 2), (False, True)):
            for function in (np.sum, np.mean):
                plain = function(x, axis, keepdims=keepdims)
                value = vjp(lambda x, f=function, k=keepdims, a=axis: f(x, axis=a, keepdims=k), x)[0]
                assert (value.dtype, value.shape) == (plain.dtype, plain.shape)
                assert value.tobytes() == plain.tobytes()
