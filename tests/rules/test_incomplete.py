"""The incomplete gamma and beta functions in their parameters, in both tails, against differences in 50 digits."""

import pytest
from mpmath import diff, mp
from scipy import special
from table import nestings

GAMMA = [(1e-3, 1e-4), (0.3, 0.01), (0.5, 2.0), (1.5, 1.2), (8.0, 30.0), (120.0, 100.0), (1000.0, 1040.0)]
BETA = [(0.01, 0.02, 0.3), (0.5, 0.5, 0.1), (2.0, 3.0, 0.9), (8.0, 0.3, 0.999), (100.0, 50.0, 0.7), (1e-3, 5.0, 0.2)]


def lower_gamma(a, x):
    """P, by the smaller tail, whose differences keep their digits."""
    return mp.gammainc(a, 0, x, regularized=True) if x < a else -mp.gammainc(a, x, regularized=True)


def lower_beta(a, b, x):
    if x * (a + b) < a:
        return mp.betainc(a, b, 0, x, regularized=True)
    return -mp.betainc(b, a, 0, 1 - x, regularized=True)


def assert_partials(function, exact, point, wrts):
    with mp.workdps(50):
        for wrt in wrts:
            orders = tuple(wrt.count(k) for k in range(len(point)))
            expected = diff(exact, tuple(map(mp.mpf, point)), orders, h=mp.mpf(10) ** -16)
            for name, partial in nestings(function, wrt):
                assert abs(partial(*point) - expected) <= 1e-13 * abs(expected), (name, wrt)


@pytest.mark.parametrize("point", GAMMA)
def test_gamma(point):
    assert_partials(special.gammainc, lower_gamma, point, [(0,), (1,), (0, 0), (0, 1)])


@pytest.mark.parametrize("point", BETA)
def test_beta(point):
    assert_partials(special.betainc, lower_beta, point, [(0,), (1,), (2,), (0, 0), (0, 1), (1, 1), (0, 2)])
