"""Sums of which some terms are not finite and meet structural zeros: those have no share, whatever adds them up."""

import warnings

import numpy as np
import pytest

from autodiff import grad, hessian, jacfwd, jacrev, jit, jvp, vjp
from autodiff import scipy as autoscipy

W = np.array([1.0, 2.0, 3.0])
TABLE = np.random.default_rng(0).uniform(1.0, 2.0, (4, 3))
THERE = np.array([True, False, True, True])

ROWS = {
    "matmul": lambda a, w: a @ w,
    "from the left": lambda a, w: w @ a.T,
    "dot": np.dot,
    "inner": np.inner,
    "tensordot": lambda a, w: np.tensordot(a, w, 1),
    "vecdot": lambda a, w: np.vecdot(a, w[None]),
    "einsum": lambda a, w: np.einsum("ij,j->i", a, w),
    "einsum of three": lambda a, w: np.einsum("ij,j,ik->i", a, w, a),
    "convolve": lambda a, w: np.convolve(np.ravel(a), w, "valid")[::3],
    "sum": lambda a, w: np.sum(a * w, axis=1),
    "mean": lambda a, w: np.mean(a * w, axis=1),
    "average": lambda a, w: np.average(a, axis=1, weights=w),
    "var": lambda a, w: np.var(a * w, axis=1),
    "std": lambda a, w: np.std(a * w, axis=1),
    "norm": lambda a, w: np.linalg.norm(a * w, axis=1),
    "distance": lambda a, w: np.sqrt(np.sum((a - w) ** 2, axis=1)),
    "prod": lambda a, w: np.prod(a * w, axis=1),
    "cumsum": lambda a, w: np.cumsum(a * w, axis=1)[:, 1],
    "fft": lambda a, w: np.abs(np.fft.fft(a * w, axis=1)[:, 1]),
    "logsumexp": lambda a, w: autoscipy.special.logsumexp(a * w, axis=1),
    "softmax": lambda a, w: autoscipy.special.softmax(a * w, axis=1)[:, 1],
    "the largest": lambda a, w: np.max(a * w, axis=1),
    "peak to peak": lambda a, w: np.ptp(a * w, axis=1),
    "median": lambda a, w: np.median(a * w, axis=1),
    "sort": lambda a, w: np.sort(a * w, axis=1)[:, 1],
    "a likelihood": lambda a, w: np.log1p(np.exp(-(a @ w))),
}
"""A number of each row of a table, by the weights of its columns."""

DERIVATIVES = {
    "grad": grad,
    "jacfwd": jacfwd,
    "hessian": hessian,
    "forward twice": lambda f: jacfwd(jacfwd(f)),
    "reverse twice": lambda f: jacrev(jacrev(f)),
    "reverse over forward": lambda f: jacrev(jacfwd(f)),
}


@pytest.mark.parametrize("missing", [np.nan, np.inf], ids=str)
@pytest.mark.parametrize("how", DERIVATIVES)
@pytest.mark.parametrize("name", ROWS)
def test_rows_that_are_left_out_have_no_share(name, how, missing):
    """Whatever stands in them."""
    of_rows, derivative = ROWS[name], DERIVATIVES[how]
    table = np.where(THERE[:, None], TABLE, missing)
    for chosen in (lambda x: np.where(THERE, x, 0.0), lambda x: x[THERE]):
        loss = lambda a, chosen=chosen: lambda w: np.sum(chosen(of_rows(a, w)) ** 2)
        with np.errstate(all="ignore"):
            found = derivative(loss(table))(W)
        np.testing.assert_allclose(found, derivative(loss(TABLE))(W), rtol=1e-12)


def test_what_is_missing_in_a_row_that_is_chosen_is_missing():
    table = np.where(THERE[:, None], TABLE, np.nan)
    for name, of_rows in ROWS.items():
        with np.errstate(all="ignore"):
            for mode in (grad, jacfwd):
                assert np.isnan(mode(lambda w: np.sum(of_rows(table, w)))(W)[int(name == "sort")])  # noqa: B023


def _added_up(a, x):
    """A matrix times a vector of which much is not finite, by Python's sums; a 0 of the matrix is structural."""
    return np.array([sum(p * t for p, t in zip(row, x, strict=True) if p) for row in a.tolist()])


def test_products_with_any_number_of_infinite_terms():
    n = 300
    a = np.random.default_rng(1).choice([0.0] * 400 + [1.0, 2.0, -1.0], (50, 2 * n))
    x = np.r_[np.zeros(n), np.ones(n)]
    slopes = np.r_[np.full(n, np.inf), np.full(n, 0.5)]
    with np.errstate(all="ignore"):
        expected = _added_up(a, slopes)
        assert len({np.isnan(t) + 2 * np.isinf(t) for t in expected.tolist()}) == 3
        np.testing.assert_allclose(jvp(lambda x: a @ np.sqrt(x), [x], [np.ones(2 * n)])[1], expected, rtol=1e-14)
        back = vjp(lambda y: np.sqrt(y @ np.abs(a)), np.zeros(50))[1](np.ones(2 * n))[0]
    np.testing.assert_array_equal(back, _added_up(np.abs(a), np.full(2 * n, np.inf)))


def test_signs_of_infinite_terms():
    """Of each factor an element is above, below or at 0, infinite, or missing."""
    some = [np.inf, -np.inf, np.nan, 2.0, -3.0, 0.0]
    for p in some:
        for t in some:
            with np.errstate(all="ignore"):
                a = np.array([[1.0, p, 0.0], [0.0, 0.0, 5.0]])
                found = jvp(lambda x, a=a: a @ x, [np.ones(3)], [np.array([7.0, t, 1.0])])[1]
                expected = 7.0 if p == 0.0 or t == 0.0 else 7.0 + p * t  # both are constants: their 0 is structural
            np.testing.assert_array_equal(found, [expected, 5.0], err_msg=f"{p} times {t}")


def test_an_infinite_factor_of_a_second_derivative():
    """Of x · arcsin(x) at 1: along one coordinate and then another, x · p' has the infinite p' times the tangent 0."""
    f, x = lambda x: np.dot(x, np.arcsin(x)), np.array([1.0, 0.0])
    with np.errstate(all="ignore"):
        for first in (jacfwd, jacrev):
            for second in (jacfwd, jacrev):
                np.testing.assert_array_equal(second(first(f))(x), [[np.inf, 0.0], [0.0, 2.0]])


def test_a_sum_of_complex_terms():
    a = np.array([[1.0 + 1.0j, 0.0, 2.0], [0.0, np.nan, 0.0]])
    with np.errstate(all="ignore"):
        found = grad(lambda w: np.sum(np.abs(np.where([True, False], a @ w, 0.0)) ** 2))(W)
        expected = grad(lambda w: np.sum(np.abs(a[:1] @ w) ** 2))(W)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("axis", [0, 1, (0, 1)], ids=str)
@pytest.mark.parametrize("fractions", [0.5, 0.3, [0.2, 0.6]], ids=str)
def test_a_quantile_that_is_missing_depends_on_its_own_elements_only(axis, fractions):
    table = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0], [7.0, 8.0, 10.0]])
    quantiles = lambda a: np.quantile(a, fractions, axis=axis)
    forward = jacfwd(quantiles)(table)
    its_own = (axis == (0, 1)) | (np.indices(table.shape)[1 - np.ravel(axis)[0]] == 1)
    missing = np.isnan(quantiles(table))
    assert np.all(np.isnan(forward[missing]) == its_own)
    assert not np.any(np.isnan(forward[~missing]))
    np.testing.assert_array_equal(jacrev(quantiles)(table), forward)


def test_several_quantiles_that_are_missing():
    """Each asks for its own elements, and one that nobody asks for gives nothing back."""
    table = np.array([[1.0, np.nan, 2.0], [np.nan, 3.0, 4.0], [5.0, 6.0, 7.0]])
    medians = lambda a: np.median(a, axis=1)
    np.testing.assert_array_equal(jacrev(medians)(table), jacfwd(medians)(table))
    np.testing.assert_array_equal(np.isnan(grad(lambda a: medians(a)[0])(table)), np.indices((3, 3))[0] == 0)


@pytest.mark.parametrize("mode", [jacfwd, jacrev, lambda f, wrt: jit(jacrev(f, wrt))])
@pytest.mark.parametrize("function", [np.quantile, np.nanquantile])
def test_a_quantile_that_is_missing_is_so_where_its_fraction_varies_too(function, mode):
    table = np.array([[1.0, 2.0, 4.0], [3.0, np.nan, 5.0] if function is np.quantile else [np.nan] * 3])
    quantiles = lambda a, q: function(a, q, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of nothing but NaN
        by_elements, by_fraction = mode(quantiles, (0, 1))(table, 0.25)
        np.testing.assert_array_equal(by_elements, jacfwd(lambda a: quantiles(a, 0.25))(table))
    np.testing.assert_array_equal(by_fraction, [2.0, np.nan if function is np.quantile else 0.0])  # of none it is none
