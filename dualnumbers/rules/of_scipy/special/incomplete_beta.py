"""The incomplete beta function, differentiated in x and, to any order, in its parameters a and b.

In v = log t/(1 − t) (NIST DLMF §8.17) it is a tail of the log-concave weight tᵃ(1 − t)ᵇ dv. Derivatives in a and b
bring log t and log(1 − t), less their means, under the integral (Boik & Robison-Cox 1998). The shorter tail is taken,
with the term a → a + 1 (DLMF 8.17.20) taken out of it; Gauss–Legendre nodes reach full accuracy at once.
"""

import math
from functools import cache

import numpy as np

from ....foreign import of_one_library
from ....table import elementwise, family
from ...branches import either
from ...comparisons import less
from ...domains import Domain
from ...elementwise.exponential import log, log1p
from ...elementwise.gamma import polygamma, polygamma_difference, psi
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...gauss_legendre import gauss, in_blocks, newton
from ...where import where
from .incomplete_gamma import END, stirling_error, surplus

parameters_and_share = Domain("a > 0, b > 0, 0 < x < 1", ((0.2, 8.0), (0.2, 8.0), (0.03, 0.97)))


def _bell(slope, j, k):
    """Return what j derivatives in a, k in b make of exp f, divided by exp f; ``slope(p, q)`` are derivatives of f."""
    if not j + k:
        return 1.0
    first = (1, 0) if j else (0, 1)
    j, k = j - first[0], k - first[1]
    return sum(
        math.comb(j, p) * math.comb(k, q) * slope(p + first[0], q + first[1]) * _bell(slope, j - p, k - q)
        for p in range(j + 1) for q in range(k + 1))  # fmt: skip


def _slope(a, b, in_a, in_b):
    """The derivatives of the logarithm of tᵃ(1 − t)ᵇ / B(a, b), t of the logarithm ``in_a``, 1 − t of ``in_b``."""

    @cache
    def slope(p, q):
        if p and q:
            return polygamma(p + q - 1)(a + b)
        found = polygamma_difference(p - 1)(a, b) if p else polygamma_difference(q - 1)(b, a)
        return found + (in_a if (p, q) == (1, 0) else in_b if (p, q) == (0, 1) else 0.0)

    return slope


def _weight(a, b, x, rest):
    """xᵃ(1 − x)ᵇ / B(a, b), ``rest`` = 1 − x; of large a or b by the distance from its peak (Loader 2000)."""

    def direct():
        return x ** np.minimum(a, 50.0) * rest ** np.minimum(b, 50.0) / scipy_function("special.beta")(a, b)

    def far():
        n = a + b
        peak = np.sqrt(a * b / (2.0 * math.pi * n))
        error = stirling_error(n) - stirling_error(a) - stirling_error(b)
        return peak * np.exp(error - a * surplus(a, n * x) - b * surplus(b, n * rest))

    return either((a < 50.0) & (b < 50.0), direct, far)


def _lower(j, k, a, b, x, rest):
    """∂ʲ⁺ᵏI/∂aʲ∂bᵏ where x, which is 1 − ``rest``, is below the peak of the weight."""
    log_x, log_rest = (np.where(s < t, np.log(s), np.log1p(-t)) for s, t in ((x, rest), (rest, x)))
    length = -log_rest
    reach = newton(lambda s: (a + 1.0) * s + (a + b + 1.0) * np.log1p(x * np.expm1(-s)) - END,
                   lambda s: a + 1.0 - (a + b + 1.0) * x * np.exp(-s) / (1.0 + x * np.expm1(-s)),
                   (END + b * length) / (a + 1.0) + length)  # fmt: skip
    nodes, weights = gauss(x)
    s = reach * nodes
    bend = np.log1p(x * np.expm1(-s))
    fall = np.where((x < rest) | (s > 1.0), s + bend, np.log1p(rest * np.expm1(np.minimum(s, 1.0))))  # of log t
    weight = np.exp(-(a + 1.0) * fall - b * bend)
    powers = _bell(_slope(a + 1.0, b, log_x - fall, log_rest - bend), j, k)
    integral = reach * np.sum(weights * weight * powers, axis=-1, keepdims=True) * x * (a + b) / a
    slope = _slope(a, b, log_x, log_rest)
    taken_out = _bell(lambda p, q: slope(p, q) - (0.0 if q else -((-1.0) ** p) * math.factorial(p - 1) / a**p), j, k)
    return _weight(a, b, x, rest) * (integral + taken_out / a)


def _in_parameters(j, k, a, b, x):
    """∂ʲ⁺ᵏI/∂aʲ∂bᵏ, for a > 0, b > 0 and 0 ≤ x ≤ 1."""
    a, b, x = np.broadcast_arrays(*of_one_library(a, b, x, dtype=float))
    found = np.where((a > 0) & (b > 0) & ((x == 0) | (x == 1)), 0.0, np.nan)
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & np.isfinite(a + b)
    with np.errstate(all="ignore"):
        lower = inside & (np.log(x) - np.log1p(-x) <= psi(a + 1.0) - psi(b + 1.0))
        upper = inside & ~lower
        found[lower] = in_blocks(lambda *c: _lower(j, k, *c, 1.0 - c[2]), a[lower], b[lower], x[lower])
        found[upper] = in_blocks(lambda *c: -_lower(k, j, c[1], c[0], 1.0 - c[2], c[2]), a[upper], b[upper], x[upper])
    return found[()]


@family
def in_parameters(j, k):
    """The row of ∂ʲ⁺ᵏI/∂aʲ∂bᵏ, j + k ≥ 1."""

    def by_share(a, b, x, z):
        return beta_density(a, b, x) * _bell(_slope(a, b, log(x), log1p(-x)), j, k)

    return elementwise(
        lambda a, b, x, z: in_parameters(j + 1, k)(a, b, x),
        lambda a, b, x, z: in_parameters(j, k + 1)(a, b, x),
        by_share,
        name=f"betainc_{j}_{k}",
        domain=parameters_and_share,
    )(None, lambda a, b, x: _in_parameters(j, k, a, b, x))


def _density(a, b, x):
    """xᵃ⁻¹(1 − x)ᵇ⁻¹ / B(a, b)."""
    a, b, x = of_one_library(a, b, x)  # of Python's numbers a power may be complex
    with np.errstate(all="ignore"):
        inside = (x > 0) & (x < 1)
        t = np.where(inside, x, 0.5)
        ends = x ** (a - 1.0) * (1.0 - x) ** (b - 1.0) / scipy_function("special.beta")(a, b)
        return np.where(inside, _weight(a, b, t, 1.0 - t) / (t * (1.0 - t)), ends)[()]


beta_density = elementwise(
    lambda a, b, x, z: z * (log(x) + polygamma_difference(0)(a, b)),
    lambda a, b, x, z: z * (log1p(-x) + polygamma_difference(0)(b, a)),
    lambda a, b, x, z: z * ((a - 1.0) / x - (b - 1.0) / (1.0 - x)),
    name="beta_density",
    domain=parameters_and_share,
    singular=True,
)(None, _density)


betainc = elementwise_of_scipy("betainc", lambda a, b, x, z: in_parameters(1, 0)(a, b, x),
                               lambda a, b, x, z: in_parameters(0, 1)(a, b, x),
                               lambda a, b, x, z: beta_density(a, b, x), domain=parameters_and_share,
                               singular=True)  # fmt: skip
betaincc = elementwise_of_scipy("betaincc", lambda a, b, x, z: -in_parameters(1, 0)(a, b, x),
                                lambda a, b, x, z: -in_parameters(0, 1)(a, b, x),
                                lambda a, b, x, z: -beta_density(a, b, x), domain=parameters_and_share,
                                singular=True)  # fmt: skip
# the quantile, by the implicit function theorem


def _of_inverse(here, there):
    """A partial of z, I_z(a, b) = y: ``here(a, b, z)``; beyond ½, where z tells little of 1 − z, ``there`` at that."""

    def partial(a, b, y, z):
        low = less(z, 0.5)
        rest = where(low, 0.5, betaincinv(b, a, 1.0 - y))
        return where(low, here(a, b, where(low, z, 0.5)), there(b, a, rest))

    return partial


def _slope_in(j, k):
    return lambda a, b, x: in_parameters(j, k)(a, b, x) / beta_density(a, b, x)


def _growth(a, b, x):
    return 1.0 / beta_density(a, b, x)


betaincinv = elementwise_of_scipy("betaincinv",
                                  _of_inverse(lambda *xs: -_slope_in(1, 0)(*xs), _slope_in(0, 1)),
                                  _of_inverse(lambda *xs: -_slope_in(0, 1)(*xs), _slope_in(1, 0)),
                                  _of_inverse(_growth, _growth), domain=parameters_and_share,
                                  singular=True)  # fmt: skip
