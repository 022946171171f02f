"""Probability distributions for numbers, each by the functions of its standard form.

Source: N. L. Johnson, S. Kotz, N. Balakrishnan, *Continuous Univariate Distributions*, 1994-95; NIST DLMF §7-8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as special
import scipy.stats

from dualnumbers.rules.elementwise.hyperbolic import sech
from dualnumbers.rules.elementwise.normal import ROOT2, normal_density
from dualnumbers.rules.elementwise.powers import cosine
from dualnumbers.rules.of_scipy.special.distributions import gumbel, gumbel_complement, half_step, log_gumbel, log_sech
from dualnumbers.rules.where import where

from .._counterpart import missing
from ._distribution import Continuous, Discrete, Named
from ._multivariate import dirichlet, multivariate_normal

__all__ = ["bernoulli", "beta", "binom", "cauchy", "chi2", "dirichlet", "expon", "f", "gamma", "geom", "gumbel_r",
           "halfnorm", "invgamma", "laplace", "logistic", "lognorm", "multivariate_normal", "nbinom", "norm", "pareto",
           "poisson", "t", "uniform", "weibull_min"]  # fmt: skip
__getattr__ = missing(__name__)

POSITIVE, UNIT = (0.0, np.inf), (0.0, 1.0)
LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


def _log_share(logarithm: Any, u: Any) -> Any:
    """log(1 − e⁻ᵘ) by u and its logarithm, which is nearly all of it where u is small."""
    small = u < 1
    near = logarithm + np.log(special.exprel(-where(small, u, 0.5)))
    return where(small, near, np.log1p(-np.exp(-where(small, 1.0, u))))


# ------------------------------------------------------------------------------------------- without shape

norm = Named(Continuous(
    name="norm",
    log_density=lambda x: -0.5 * x * x - LOG_ROOT_2PI,
    density=normal_density,
    cdf=lambda x: special.ndtr(x), sf=lambda x: special.ndtr(-x),
    logcdf=lambda x: special.log_ndtr(x), logsf=lambda x: special.log_ndtr(-x),
    ppf=lambda q: special.ndtri(q), isf=lambda q: -special.ndtri(q)))  # fmt: skip

halfnorm = Named(Continuous(
    name="halfnorm", support=POSITIVE,
    log_density=lambda x: 0.5 * math.log(2.0 / math.pi) - 0.5 * x * x,
    density=lambda x: 2.0 * normal_density(x),
    cdf=lambda x: special.erf(x / ROOT2), sf=lambda x: special.erfc(x / ROOT2),
    logsf=lambda x: math.log(2.0) + special.log_ndtr(-x),
    ppf=lambda q: special.ndtri(0.5 * (1.0 + q)), isf=lambda q: -special.ndtri(0.5 * q)))  # fmt: skip

expon = Named(Continuous(
    name="expon", support=POSITIVE,
    log_density=lambda x: -x,
    cdf=lambda x: -np.expm1(-x), sf=lambda x: np.exp(-x), logsf=lambda x: -x, logcdf=lambda x: _log_share(np.log(x), x),
    ppf=lambda q: -np.log1p(-q), isf=lambda q: -np.log(q)))  # fmt: skip

uniform = Named(Continuous(
    name="uniform", support=UNIT,
    log_density=lambda x: 0.0 * x,
    cdf=lambda x: 1.0 * x, sf=lambda x: 1.0 - x,
    ppf=lambda q: 1.0 * q, isf=lambda q: 1.0 - q))  # fmt: skip


def _falling(x: Any) -> Any:
    """exp(−|x|), at 0 with the derivative of exp(x)."""
    return np.exp(where(x > 0, -x, x))


laplace = Named(
    Continuous(
        name="laplace",
        log_density=lambda x: math.log(0.5) - np.abs(x),
        cdf=lambda x: where(x > 0, 1.0 - 0.5 * _falling(x), 0.5 * _falling(x)),
        sf=lambda x: where(x > 0, 0.5 * _falling(x), 1.0 - 0.5 * _falling(x)),
        logcdf=lambda x: where(x > 0, np.log1p(-0.5 * _falling(x)), math.log(0.5) + where(x > 0, 0.0, x)),
        logsf=lambda x: where(x > 0, math.log(0.5) - where(x > 0, x, 0.0), np.log1p(-0.5 * _falling(x))),
        ppf=lambda q: where(q > 0.5, -np.log(2.0 - 2.0 * q), np.log(2.0 * q)),
        isf=lambda q: where(q > 0.5, np.log(2.0 - 2.0 * q), -np.log(2.0 * q)),
    )
)

logistic = Named(Continuous(
    name="logistic",
    log_density=lambda x: 2.0 * (log_sech(0.5 * x) - math.log(2.0)),
    density=lambda x: np.square(0.5 * sech(0.5 * x)),
    cdf=lambda x: special.expit(x), sf=lambda x: special.expit(-x),
    logcdf=lambda x: special.log_expit(x), logsf=lambda x: special.log_expit(-x),
    ppf=lambda q: special.logit(q), isf=lambda q: -special.logit(q)))  # fmt: skip


def _upper_cauchy(q: Any) -> Any:
    """cot(π q), from the nearer end of [0, 1]: there it is accurate."""
    near = where(q > 0.5, 1.0 - q, q)
    return where(q > 0.5, -1.0, 1.0) / np.tan(math.pi * near)


cauchy = Named(Continuous(
    name="cauchy", of_scale=True,  # of y, what is nearly linear in the scale far out would cancel: at 1e8 all digits
    log_density=lambda x, scale: np.log(scale) - 2.0 * np.log(np.hypot(scale, x)) - math.log(math.pi),
    density=lambda x, scale: cosine(scale, x) / (math.pi * np.hypot(scale, x)),
    cdf=lambda x, scale: np.arctan2(scale, -x) / math.pi, sf=lambda x, scale: np.arctan2(scale, x) / math.pi,
    ppf=lambda q: -_upper_cauchy(q), isf=_upper_cauchy))  # fmt: skip

gumbel_r = Named(Continuous(
    name="gumbel_r",
    log_density=lambda x: log_gumbel(x),
    cdf=lambda x: gumbel(x), sf=lambda x: gumbel_complement(x), logcdf=lambda x: -np.exp(-x),
    logsf=lambda x: _log_share(-x, np.exp(-x)),
    ppf=lambda q: -np.log(-np.log(q)), isf=lambda q: -np.log(-np.log1p(-q))))  # fmt: skip

# ------------------------------------------------------------------------------------------- by powers and logarithms

lognorm = Named(Continuous(
    name="lognorm", shapes=("s",), support=POSITIVE, open=True,
    log_density=lambda x, s: -0.5 * (np.log(x) / s) ** 2 - np.log(s * x) - LOG_ROOT_2PI,
    cdf=lambda x, s: special.ndtr(np.log(x) / s), sf=lambda x, s: special.ndtr(-np.log(x) / s),
    logcdf=lambda x, s: special.log_ndtr(np.log(x) / s), logsf=lambda x, s: special.log_ndtr(-np.log(x) / s),
    ppf=lambda q, s: np.exp(s * special.ndtri(q)), isf=lambda q, s: np.exp(-s * special.ndtri(q))))  # fmt: skip

weibull_min = Named(Continuous(
    name="weibull_min", shapes=("c",), support=POSITIVE,
    log_density=lambda x, c: np.log(c) + special.xlogy(c - 1.0, x) - x**c,
    edge=lambda x, c: c * x ** (c - 1.0) * np.exp(-(x**c)),
    cdf=lambda x, c: -np.expm1(-(x**c)), sf=lambda x, c: np.exp(-(x**c)), logsf=lambda x, c: -(x**c),
    logcdf=lambda x, c: _log_share(c * np.log(x), x**c),
    ppf=lambda q, c: (-np.log1p(-q)) ** (1.0 / c), isf=lambda q, c: (-np.log(q)) ** (1.0 / c)))  # fmt: skip

pareto = Named(Continuous(
    name="pareto", shapes=("b",), support=(1.0, np.inf),
    log_density=lambda x, b: np.log(b) - (b + 1.0) * np.log(x),
    cdf=lambda x, b: -np.expm1(-b * np.log(x)), sf=lambda x, b: x**-b, logsf=lambda x, b: -b * np.log(x),
    ppf=lambda q, b: np.exp(-np.log1p(-q) / b), isf=lambda q, b: q ** (-1.0 / b)))  # fmt: skip

# ------------------------------------------------------------------------------------------- by the gamma function

gamma = Named(Continuous(
    name="gamma", shapes=("a",), support=POSITIVE,
    log_density=lambda x, a: special.xlogy(a - 1.0, x) - x - special.gammaln(a),
    edge=lambda x, a: x ** (a - 1.0) * np.exp(-x - special.gammaln(a)),
    cdf=lambda x, a: special.gammainc(a, x), sf=lambda x, a: special.gammaincc(a, x)))  # fmt: skip

chi2 = Named(Continuous(
    name="chi2", shapes=("df",), support=POSITIVE,
    log_density=lambda x, df: (special.xlogy(0.5 * df - 1.0, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * df)
                               - math.log(2.0)),
    edge=lambda x, df: 0.5 * (0.5 * x) ** (0.5 * df - 1.0) * np.exp(-0.5 * x - special.gammaln(0.5 * df)),
    cdf=lambda x, df: special.gammainc(0.5 * df, 0.5 * x),
    sf=lambda x, df: special.gammaincc(0.5 * df, 0.5 * x)))  # fmt: skip

invgamma = Named(Continuous(
    name="invgamma", shapes=("a",), support=POSITIVE, open=True,
    log_density=lambda x, a: -(a + 1.0) * np.log(x) - special.gammaln(a) - 1.0 / x,
    cdf=lambda x, a: special.gammaincc(a, 1.0 / x), sf=lambda x, a: special.gammainc(a, 1.0 / x)))  # fmt: skip

# ------------------------------------------------------------------------------------------- by the beta function

beta = Named(Continuous(
    name="beta", shapes=("a", "b"), support=UNIT,
    log_density=lambda x, a, b: special.xlog1py(b - 1.0, -x) + special.xlogy(a - 1.0, x) - special.betaln(a, b),
    edge=lambda x, a, b: x ** (a - 1.0) * (1.0 - x) ** (b - 1.0) * np.exp(-special.betaln(a, b)),
    cdf=lambda x, a, b: special.betainc(a, b, x), sf=lambda x, a, b: special.betaincc(a, b, x)))  # fmt: skip


t = Named(Continuous(
    name="t", shapes=("df",),
    log_density=lambda x, df: half_step(0)(0.5 * df) - LOG_ROOT_2PI - 0.5 * (df + 1.0) * np.log1p(x * x / df),
    cdf=lambda x, df: special.stdtr(df, x), sf=lambda x, df: special.stdtr(df, -x)))  # fmt: skip


def _log_ratio_density(x: Any, m: Any, n: Any) -> Any:
    """Use r = m x / n where it is below 1, else 1/r: in the other direction logarithms of m or n would cancel."""
    near = (m * x) < n
    r = where(near, m * x, n) / where(near, n, where(near, 1.0, m * x))
    power = where(near, 0.5 * m - 1.0, 0.5 * n + 1.0)
    return special.xlogy(power, r) + np.log(m / n) - 0.5 * (m + n) * np.log1p(r) - special.betaln(0.5 * m, 0.5 * n)


def _by_smaller_share(x: Any, m: Any, n: Any, below: Any, above: Any) -> Any:
    """Use a function of beta by the share m x / (n + m x) or the other one, ``above``: that not next to 1."""
    near = (m * x) < n
    inner = below(0.5 * m, 0.5 * n, where(near, m * x, 1.0) / where(near, n + m * x, 2.0))
    return where(near, inner, above(0.5 * n, 0.5 * m, where(near, 1.0, n) / where(near, 2.0, n + m * x)))


f = Named(Continuous(
    name="f", shapes=("dfn", "dfd"), support=POSITIVE, log_density=_log_ratio_density,
    cdf=lambda x, m, n: _by_smaller_share(x, m, n, special.betainc, special.betaincc),
    sf=lambda x, m, n: _by_smaller_share(x, m, n, special.betaincc, special.betainc)))  # fmt: skip

# ------------------------------------------------------------------------------------------- whole numbers


def _probability(p: Any) -> Any:
    return (p >= 0) & (p <= 1)


def _log_binomial(n: Any, k: Any) -> Any:
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)


binom = Named(Discrete(
    name="binom", shapes=("n", "p"), whole=("n",), quantile=scipy.stats.binom,
    support=lambda n, p: (0.0, n),
    allowed=lambda n, p: (n >= 0) & (n == np.floor(n)) & _probability(p),
    log_mass=lambda k, n, p: _log_binomial(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p),
    cdf=lambda k, n, p: special.betaincc(k + 1.0, n - k, p),
    sf=lambda k, n, p: special.betainc(k + 1.0, n - k, p)))  # fmt: skip

bernoulli = Named(Discrete(
    name="bernoulli", shapes=("p",), quantile=scipy.stats.bernoulli,
    support=lambda p: (0.0, 1.0), allowed=_probability,
    log_mass=lambda k, p: special.xlogy(k, p) + special.xlog1py(1.0 - k, -p),
    cdf=lambda k, p: 1.0 - p + 0.0 * k, sf=lambda k, p: p + 0.0 * k))  # fmt: skip

poisson = Named(Discrete(
    name="poisson", shapes=("mu",), quantile=scipy.stats.poisson,
    allowed=lambda mu: mu >= 0,
    log_mass=lambda k, mu: special.xlogy(k, mu) - special.gammaln(k + 1.0) - mu,
    cdf=lambda k, mu: special.gammaincc(k + 1.0, mu), sf=lambda k, mu: special.gammainc(k + 1.0, mu)))  # fmt: skip

nbinom = Named(Discrete(
    name="nbinom", shapes=("n", "p"), quantile=scipy.stats.nbinom,
    allowed=lambda n, p: (n > 0) & (p > 0) & (p <= 1),
    log_mass=lambda k, n, p: (special.gammaln(n + k) - special.gammaln(k + 1.0) - special.gammaln(n) + n * np.log(p)
                              + special.xlog1py(k, -p)),
    cdf=lambda k, n, p: special.betainc(n, k + 1.0, p),
    sf=lambda k, n, p: special.betaincc(n, k + 1.0, p)))  # fmt: skip

geom = Named(Discrete(
    name="geom", shapes=("p",), quantile=scipy.stats.geom,
    support=lambda p: (1.0, np.inf), allowed=lambda p: (p > 0) & (p <= 1),
    log_mass=lambda k, p: special.xlog1py(k - 1.0, -p) + np.log(p),
    cdf=lambda k, p: -np.expm1(k * np.log1p(-p)), sf=lambda k, p: np.exp(k * np.log1p(-p)),
    logsf=lambda k, p: k * np.log1p(-p)))  # fmt: skip
