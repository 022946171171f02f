"""The incomplete gamma functions, differentiated in the argument x and, to any order, in the parameter a.

With u = eˢ for the variable of integration over x (NIST DLMF §8.2(i)) both are tails of one positive weight,

    P(a, x) = D ∫ exp((a + 1) s − x (eˢ − 1)) x ds over s < 0, plus D,
    Q(a, x) = D ∫ exp(a s − x (eˢ − 1)) a ds over s > 0,         D = xᵃ e⁻ˣ / Γ(a + 1),

and n derivatives in a bring powers of s + ∂ log D / ∂a under the integral. The shorter tail is taken, where these are
of one sign: nothing cancels. P has its term a → a + 1 taken out (DLMF 8.8.5), so that small a is no slower.
Gauss–Legendre nodes then reach full accuracy at once for all a and x.
"""

import math

import numpy as np
from numpy.polynomial.polynomial import polyval

from ....foreign import of_one_library
from ....table import elementwise, family
from ...branches import either
from ...comparisons import less
from ...domains import Domain
from ...elementwise.gamma import higher, polygamma
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...gauss_legendre import gauss, in_blocks, newton
from ...where import where

END = 48.0
"""The tail beyond exp(−48) is left out."""

STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156]
"""The coefficients of log Γ(a), for a ≥ 10 (DLMF 5.11.1)."""

DIGAMMA = [-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760, -1 / 12]
"""The coefficients of ψ(a + 1) − log a − 1 / 2a, for a ≥ 10 (DLMF 5.11.2)."""

parameter_and_share = Domain("a > 0, 0 < y < 1", ((1.0, 8.0), (0.05, 0.95)))
"""Tested from 1 on: below, SciPy's gammainccinv has 14 digits, which differences feel."""
parameter_and_argument = Domain("a > 0, x > 0", ((0.1, 10.0), (0.1, 15.0)))


def stirling_error(a):
    """log a! − log(√2πa aᵃ e⁻ᵃ)."""

    def direct():
        low = np.minimum(a, 10.0)
        factorial = scipy_function("special.gammaln")(low + 1.0)
        return factorial - (low + 0.5) * np.log(low) + low - 0.5 * math.log(2.0 * math.pi)

    def series():
        high = np.maximum(a, 10.0)
        return polyval(1.0 / (high * high), STIRLING) / high

    return either(a < 10.0, direct, series)


def surplus(a, x):
    """x/a − 1 − log(x/a) ≥ 0, without cancellation at x near a."""
    u = (x - a) / a
    near = np.abs(u) < 0.5
    v = np.where(near, u, 0.0)
    r = v / (2.0 + v)
    series = v * r - 2.0 * r**3 * polyval(r * r, 1.0 / np.arange(3.0, 41.0, 2.0))
    return np.where(near, series, u - np.log(np.where(near, 1.0, x / a)))


def poisson(a, x):
    """D(a, x): for large a by its distance from the peak (Loader 2000), as a log x − x would lose a's digits."""

    def low():
        return x ** np.minimum(a, 10.0) * np.exp(-x) * scipy_function("special.rgamma")(np.minimum(a, 10.0) + 1.0)

    def peaked():
        high = np.maximum(a, 10.0)
        return np.exp(-stirling_error(high) - high * surplus(high, x)) / np.sqrt(2.0 * math.pi * high)

    with np.errstate(all="ignore"):
        return either(a < 10.0, low, peaked)


def _log_less_digamma(a, x, shift=0):
    """log x − ψ(a + ``shift``), ``shift`` 0 or 1: for large a by log x/a, as the difference would lose a's digits."""
    high = np.maximum(a, 10.0)
    u, inverse = (x - high) / high, 1.0 / high
    logarithm = np.where(np.abs(u) < 0.5, np.log1p(np.maximum(u, -0.5)), np.log(x / high))
    excess = inverse * (shift - 0.5 + inverse * polyval(inverse * inverse, DIGAMMA))
    return np.where(a < 10.0, np.log(x) - scipy_function("special.psi")(a + shift), logarithm - excess)[()]


log_less_digamma = elementwise(
    lambda a, x, z: -polygamma(1)(a),
    lambda a, x, z: 1.0 / x,
    domain=parameter_and_argument,
    singular=True,
)(None, _log_less_digamma)


def _slopes(a, x, order):
    """Return the derivatives of log D in a, first to ``order``-th: log x − ψ(a + 1), −ψ′(a + 1), …"""
    return [_log_less_digamma(a, x, 1), *(-higher(n, a + 1.0) for n in range(1, order))]


def bell(slopes, shift=0.0):
    """Return what n derivatives make of exp f, for n = 0 … len(slopes), divided by exp f: complete Bell polynomials.

    ``slopes`` are f′, f″, … with ``shift`` to be added to the first (Comtet, *Advanced Combinatorics*, 1974, §3.3).
    """
    first, *others = slopes
    slopes = [first + shift, *others]
    found = [1.0]
    for n in range(len(slopes)):
        found.append(sum(math.comb(n, k) * slopes[k] * found[n - k] for k in range(n + 1)))
    return found


def _lower(order, a, x):
    reach = newton(
        lambda s: (a + 1.0) * s + x * np.expm1(-s) - END, lambda s: a + 1.0 - x * np.exp(-s), (END + x) / (a + 1.0)
    )
    nodes, weights = gauss(x)
    slopes, s = _slopes(a, x, order), nodes * reach
    weight = x * np.exp(-(a + 1.0) * s - x * np.expm1(-s))
    integral = reach * ((weight * bell(slopes, -s)[order]) @ weights)[:, np.newaxis]
    return poisson(a, x) * (integral + bell(slopes, np.zeros_like(a))[order])


def _upper(order, a, x):
    reach = newton(lambda s: x * np.expm1(s) - a * s - END, lambda s: x * np.exp(s) - a,
                    np.minimum(np.sqrt(2.0 * END / x), END / np.maximum(x - a, 1e-300)))  # fmt: skip
    nodes, weights = gauss(x)
    s = nodes * reach
    weight, powers = np.exp(a * s - x * np.expm1(s)), bell(_slopes(a, x, order), s)
    integral = (weight * (a * powers[order] + order * powers[order - 1])) @ weights
    return -poisson(a, x) * reach * integral[:, np.newaxis]


def _in_parameter(order, a, x):
    """∂ⁿP/∂aⁿ, n = ``order`` ≥ 1, for a > 0 and x ≥ 0."""
    a, x = np.broadcast_arrays(*of_one_library(a, x, dtype=float))
    constant = ((x == 0) | (x == np.inf)) & (a > 0) | (a == np.inf) & (x >= 0)
    found = np.where(constant, 0.0, np.nan)
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    with np.errstate(all="ignore"):
        lower = inside & (_slopes(a, x, 1)[0] <= 0.0)
        for side, part in ((_lower, lower), (_upper, inside & ~lower)):
            found[part] = in_blocks(lambda *columns, side=side: side(order, *columns), a[part], x[part])
    return found[()]


@family
def in_parameter(order):
    """The row of ∂ⁿP/∂aⁿ, n = ``order`` ≥ 1."""

    def by_argument(a, x, z):
        return differentiated_density(order)(a, x)

    return elementwise(
        lambda a, x, z: in_parameter(order + 1)(a, x),
        by_argument,
        name=f"gammainc_{order}",
        domain=parameter_and_argument,
    )(None, lambda a, x: _in_parameter(order, a, x))


def _density(a, x):
    """xᵃ⁻¹ e⁻ˣ / Γ(a)."""
    with np.errstate(all="ignore"):
        a, x = of_one_library(a, x)
        small = x == 0
        inner = poisson(a, x) * a / np.where(small, 1.0, x)
        return np.where(small, np.where(a == 1, 1.0, np.where(a < 1, np.inf, 0.0)), inner)[()]


def differentiated_density(order):
    """Return the n-th derivative of the density in a, as a function written in table functions, n = ``order``.

    Near a = 0 of a x^(a − 1) e⁻ˣ / Γ(a + 1), since ψ² − ψ′ cancels at the pole.
    """

    def density(a, x):
        near = less(a, 0.5)
        b = where(near, a + 1.0, a)
        found = bell([log_less_digamma(b, x), *(-polygamma(n)(b) for n in range(1, order))])
        regular = gamma_density(b, x) * where(near, 1.0 / x, 1.0)
        return regular * where(near, a * found[order] + order * found[order - 1], found[order])

    return density


gamma_density = elementwise(
    lambda a, x, z: differentiated_density(1)(a, x),
    lambda a, x, z: z * ((a - 1.0) / x - 1.0),
    name="gamma_density",
    domain=parameter_and_argument,
    singular=True,
)(None, _density)


gammainc = elementwise_of_scipy("gammainc", lambda a, x, z: in_parameter(1)(a, x), lambda a, x, z: gamma_density(a, x),
                                domain=parameter_and_argument, singular=True)  # fmt: skip
gammaincc = elementwise_of_scipy("gammaincc", lambda a, x, z: -in_parameter(1)(a, x),
                                 lambda a, x, z: -gamma_density(a, x), domain=parameter_and_argument,
                                 singular=True)  # fmt: skip
gammaincinv = elementwise_of_scipy("gammaincinv", lambda a, y, z: -in_parameter(1)(a, z) / gamma_density(a, z),
                                   lambda a, y, z: 1.0 / gamma_density(a, z), domain=parameter_and_share,
                                   singular=True)  # fmt: skip
gammainccinv = elementwise_of_scipy("gammainccinv", lambda a, y, z: -in_parameter(1)(a, z) / gamma_density(a, z),
                                    lambda a, y, z: -1.0 / gamma_density(a, z), domain=parameter_and_share,
                                    singular=True)  # fmt: skip
