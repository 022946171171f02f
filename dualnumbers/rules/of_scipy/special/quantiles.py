"""The inverses of SciPy's distribution functions, by the implicit function theorem; F and binomial distributions.

Where F(x, a) = p, the slopes of x are 1/F_x in p and −F_a/F_x in a parameter. Source: NIST DLMF §8.17(vi).
"""

from ...comparisons import equal, less
from ...domains import Domain
from ...from_scipy import elementwise_of_scipy
from ...step_functions import floor, trunc
from ...where import where
from .distributions import by_freedom, chi_square, student_by_freedom, student_density
from .incomplete_beta import beta_density, in_parameters
from .incomplete_gamma import gamma_density, in_parameter

_chances = Domain("ν > 0, 0 < p < 1", ((2.0, 16.0), (0.05, 0.95)))
"""Tested from 2 on: below, SciPy's chdtri has 14 digits, which differences feel."""

# ------------------------------------------------------------------------------------- chi-square, gamma, Poisson

chdtri = elementwise_of_scipy("chdtri", lambda v, p, z: -by_freedom(v, z) / chi_square(v, z),
                              lambda v, p, z: -1.0 / chi_square(v, z), domain=_chances, singular=True)  # fmt: skip
pdtri = elementwise_of_scipy("pdtri", 0.0, lambda k, p, z: -1.0 / gamma_density(floor(k) + 1.0, z), singular=True,
                             domain=Domain("0 < p < 1", ((0, 6), (0.05, 0.95))))  # fmt: skip
gdtria = elementwise_of_scipy(
    "gdtria", lambda p, b, x, z: 1.0 / (x * gamma_density(b, z * x)),
    lambda p, b, x, z: -in_parameter(1)(b, z * x) / (x * gamma_density(b, z * x)), lambda p, b, x, z: -z / x,
    domain=Domain("0 < p < 1, b > 0, x > 0", ((0.05, 0.95), (1.0, 8.0), (0.5, 4.0))), singular=True)  # fmt: skip
gdtrib = elementwise_of_scipy(
    "gdtrib", lambda a, p, x, z: -x * gamma_density(z, a * x) / in_parameter(1)(z, a * x),
    lambda a, p, x, z: 1.0 / in_parameter(1)(z, a * x),
    lambda a, p, x, z: -a * gamma_density(z, a * x) / in_parameter(1)(z, a * x),
    domain=Domain("a > 0, 0 < p < 1, x > 0", ((0.5, 3.0), (0.05, 0.95), (1.0, 4.0))), singular=True)  # fmt: skip
gdtrix = elementwise_of_scipy(
    "gdtrix", lambda a, b, p, z: -z / a, lambda a, b, p, z: -in_parameter(1)(b, a * z) / (a * gamma_density(b, a * z)),
    lambda a, b, p, z: 1.0 / (a * gamma_density(b, a * z)),
    domain=Domain("a > 0, b > 0, 0 < p < 1", ((0.5, 3.0), (1.0, 8.0), (0.05, 0.95))), singular=True)  # fmt: skip

# ------------------------------------------------------------------------------------- beta, Student's t

btdtria = elementwise_of_scipy(
    "btdtria", lambda p, b, x, z: 1.0 / in_parameters(1, 0)(z, b, x),
    lambda p, b, x, z: -in_parameters(0, 1)(z, b, x) / in_parameters(1, 0)(z, b, x),
    lambda p, b, x, z: -beta_density(z, b, x) / in_parameters(1, 0)(z, b, x),
    domain=Domain("0 < p < 1, b > 0, 0 < x < 1", ((0.1, 0.9), (0.5, 5.0), (0.2, 0.8))), singular=True)  # fmt: skip
btdtrib = elementwise_of_scipy(
    "btdtrib", lambda a, p, x, z: -in_parameters(1, 0)(a, z, x) / in_parameters(0, 1)(a, z, x),
    lambda a, p, x, z: 1.0 / in_parameters(0, 1)(a, z, x),
    lambda a, p, x, z: -beta_density(a, z, x) / in_parameters(0, 1)(a, z, x),
    domain=Domain("a > 0, 0 < p < 1, 0 < x < 1", ((0.5, 5.0), (0.1, 0.9), (0.2, 0.8))), singular=True)  # fmt: skip
stdtrit = elementwise_of_scipy(
    "stdtrit", lambda df, p, z: -student_by_freedom(df, z) / student_density(df, z),
    lambda df, p, z: 1.0 / student_density(df, z), singular=True,
    domain=Domain("ν > 0, 0 < p < 1, p ≠ ½", ((1.0, 10.0), (0.05, 0.95)), lambda df, p: abs(p - 0.5)))  # fmt: skip

# ------------------------------------------------------------------------------------- F


def _by_ratio(function, mirrored, m, n, x):
    """``function`` of m/2, n/2 and the share mx / (n + mx); ``mirrored`` of n/2, m/2 and the other where that is less.

    So neither share is taken from 1.
    """
    near = less(m * x, n)
    inner = function(0.5 * m, 0.5 * n, where(near, m * x / (n + m * x), 0.5))
    return where(near, inner, mirrored(0.5 * n, 0.5 * m, where(near, 0.5, n / (n + m * x))))


def _ratio_density(m, n, x):
    return _by_ratio(beta_density, beta_density, m, n, x) * (m / (n + m * x)) * (n / (n + m * x))


def _by_first(m, n, x):
    share = _by_ratio(in_parameters(1, 0), lambda *c: -in_parameters(0, 1)(*c), m, n, x)
    return 0.5 * share + x / m * _ratio_density(m, n, x)


def _by_second(m, n, x):
    share = _by_ratio(in_parameters(0, 1), lambda *c: -in_parameters(1, 0)(*c), m, n, x)
    return 0.5 * share - x / n * _ratio_density(m, n, x)


_freedoms = Domain("m > 0, n > 0, x > 0", ((0.5, 10.0), (0.5, 10.0), (0.1, 5.0)))
fdtr = elementwise_of_scipy("fdtr", lambda m, n, x, z: _by_first(m, n, x), lambda m, n, x, z: _by_second(m, n, x),
                            lambda m, n, x, z: _ratio_density(m, n, x), domain=_freedoms, singular=True)  # fmt: skip
fdtrc = elementwise_of_scipy("fdtrc", lambda m, n, x, z: -_by_first(m, n, x), lambda m, n, x, z: -_by_second(m, n, x),
                             lambda m, n, x, z: -_ratio_density(m, n, x), domain=_freedoms,
                             singular=True)  # fmt: skip
fdtri = elementwise_of_scipy(
    "fdtri", lambda m, n, p, z: -_by_first(m, n, z) / _ratio_density(m, n, z),
    lambda m, n, p, z: -_by_second(m, n, z) / _ratio_density(m, n, z),
    lambda m, n, p, z: 1.0 / _ratio_density(m, n, z),
    domain=Domain("m > 0, n > 0, 0 < p < 1", ((1.0, 10.0), (1.0, 10.0), (0.1, 0.9))), singular=True)  # fmt: skip

# ------------------------------------------------------------------------------------- binomial


def _binomial_density(k, n, p):
    """Return what the probability of at most k of n loses as p grows: 0 where k = n, which is certain."""
    k, n = floor(k), trunc(n)
    certain = equal(k, n)
    return where(certain, 0.0, beta_density(k + 1.0, where(certain, 1.0, n - k), p))


def _negative_density(k, n, p):
    return beta_density(trunc(n), trunc(k) + 1.0, p)


_successes = Domain("0 < p < 1", ((0, 4), (5, 9), (0.05, 0.95)))
bdtr = elementwise_of_scipy("bdtr", 0.0, 0.0, lambda k, n, p, z: -_binomial_density(k, n, p), domain=_successes)
bdtrc = elementwise_of_scipy("bdtrc", 0.0, 0.0, lambda k, n, p, z: _binomial_density(k, n, p), domain=_successes)
bdtri = elementwise_of_scipy(
    "bdtri", 0.0, 0.0, lambda k, n, y, z: -1.0 / _binomial_density(k, n, z), domain=_successes, singular=True
)
nbdtr = elementwise_of_scipy("nbdtr", 0.0, 0.0, lambda k, n, p, z: _negative_density(k, n, p), domain=_successes)
nbdtrc = elementwise_of_scipy("nbdtrc", 0.0, 0.0, lambda k, n, p, z: -_negative_density(k, n, p), domain=_successes)
nbdtri = elementwise_of_scipy(
    "nbdtri", 0.0, 0.0, lambda k, n, y, z: 1.0 / _negative_density(k, n, z), domain=_successes, singular=True
)
