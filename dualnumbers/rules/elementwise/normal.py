"""The normal distribution and the error functions, on one family: the continued fraction of Mills’ ratio.

With Q the upper tail of the normal distribution and φ its density, φ(t) / Q(t) = t + K₁(t), where
Kₙ = n / (t + Kₙ₊₁) and Kₙ′ = Kₙ (Kₙ − Kₙ₊₁): no derivative cancels, in either tail.
Source: NIST DLMF §7.2, §7.9, §7.18.
"""

import math

import numpy as np

from ...foreign import as_array
from ...table import elementwise, family
from ..comparisons import greater, less
from ..constants import two_by_root_pi
from ..domains import Domain
from ..from_scipy import elementwise_of_scipy, scipy_function
from ..gauss_legendre import gauss, in_blocks
from ..where import where
from .exponential import gaussian, gaussian_growth, square_exponential
from .kinks import absolute

ROOT2, ROOT_PI = math.sqrt(2.0), math.sqrt(math.pi)
ROOT_2PI = ROOT2 * ROOT_PI
inside_zero_one = Domain("0 < x < 1", ((0.01, 0.99),))


_half_square = square_exponential(0.5, np.exp, np.abs, np.minimum, np.rint)


def _density(x):
    """exp(−x²/2) / √2π."""
    return _half_square(x) / ROOT_2PI


normal_density = elementwise(lambda x, z: -x * z, name="normal_density")(None, _density)


def _hazard(t):
    """φ(t) / Q(t): by the density on the left, where erfcx overflows, else by erfcx, where both vanish."""
    erfcx, tail = scipy_function("special.erfcx"), scipy_function("special.ndtr")
    left, right = np.minimum(t, 0.0), np.maximum(t, 0.0)
    return np.where(t < 0, _density(left) / tail(-left), math.sqrt(2.0 / math.pi) / erfcx(right / ROOT2))[()]


def _hazard_slope(t, z):
    """z K₁ on the left, 1 + K₁′ on the right, where the derivatives of z K₁ cancel: at t = 1000 five digits."""
    right = greater(t, 0.0)
    s = where(right, t, 0.0)
    first = mills(1)(s)
    return where(right, 1.0 + first * (first - mills(2)(s)), z * mills(1)(where(right, 0.0, t)))


hazard = elementwise(_hazard_slope)(None, _hazard)


def _mills(n, t):
    """Kₙ(t) as the mean of s under sⁿ⁻¹ exp(−t s − s²/2) ds over s > 0: all terms positive, unlike in a recurrence."""
    nodes, weights = gauss(t)
    low = np.maximum(-t - 10.0, 0.0)
    high = np.where(t < 0, 10.0 - t, 96.0 / (np.abs(t) + np.sqrt(t * t + 96.0)))
    s = low + (high - low) * nodes
    weight = s ** (n - 1) * np.exp(-0.5 * s * (s + 2.0 * t) + np.where(t < 0, -0.5 * t * t, 0.0)) * weights
    return np.sum(s * weight, axis=-1, keepdims=True) / np.sum(weight, axis=-1, keepdims=True)


@family
def mills(n):
    """The row of Kₙ, n ≥ 1."""

    def mean(t):
        inner = np.clip(np.ravel(as_array(t, float)), -1e150, 1e150)
        with np.errstate(all="ignore"):
            return in_blocks(lambda column: _mills(n, column), inner).reshape(np.shape(t))[()]

    return elementwise(lambda t, z: z * (z - mills(n + 1)(t)), name=f"mills_{n}")(None, mean)


def _reciprocal_density(low, below, above, z):
    """1/φ(z), where |z| > 1 by the tail beyond z: ``below`` where z is ``low``, else ``above``, the one that is exact.

    Near 0 the derivatives of that would cancel.
    """
    central = less(absolute(z), 1.0)
    tail = where(central, 0.5, where(low, below, above)) * hazard(where(central, 0.0, where(low, -z, z)))
    return where(central, ROOT_2PI * gaussian_growth(where(central, z, 0.0) / ROOT2), 1.0 / tail)


ndtr = elementwise_of_scipy("ndtr", lambda x, z: normal_density(x))
log_ndtr = elementwise_of_scipy("log_ndtr", lambda x, z: hazard(-x))
ndtri = elementwise_of_scipy(
    "ndtri", lambda x, z: _reciprocal_density(less(x, 0.5), x, 1.0 - x, z), domain=inside_zero_one, singular=True
)
# Tested from 0.6 on: at ½, where the quantile is 0, SciPy's mean is off by 7e-17 σ, which differences feel.
nrdtrimn = elementwise_of_scipy(
    "nrdtrimn", lambda p, s, x, z: -s * _reciprocal_density(less(p, 0.5), p, 1.0 - p, ndtri(p)),
    lambda p, s, x, z: -ndtri(p), 1.0,
    domain=Domain("0 < p < 1, σ > 0", ((0.6, 0.95), (0.5, 3.0), (-2.0, 2.0))), singular=True)  # fmt: skip
nrdtrisd = elementwise_of_scipy(
    "nrdtrisd", lambda m, p, x, z: -1.0 / ndtri(p),
    lambda m, p, x, z: -z / ndtri(p) * _reciprocal_density(less(p, 0.5), p, 1.0 - p, ndtri(p)),
    lambda m, p, x, z: 1.0 / ndtri(p),
    domain=Domain("0 < p < 1, p ≠ ½", ((-2.0, 0.0), (0.6, 0.95), (0.5, 3.0))), singular=True)  # fmt: skip
ndtri_exp = elementwise_of_scipy(
    "ndtri_exp", lambda x, z: 1.0 / hazard(-z), singular=True, domain=Domain("x < 0", ((-20.0, -0.05),))
)
erfinv = elementwise_of_scipy(
    "erfinv", lambda x, z: ROOT2 / 4.0 * _reciprocal_density(less(x, 0.0), 0.5 * (1.0 + x), 0.5 * (1.0 - x), ROOT2 * z),
    domain=Domain("|x| < 1", ((-0.99, 0.99),)), singular=True)  # fmt: skip
erfcinv = elementwise_of_scipy(
    "erfcinv", lambda x, z: -ROOT2 / 4.0 * _reciprocal_density(less(x, 1.0), 0.5 * x, 0.5 * (2.0 - x), -ROOT2 * z),
    domain=Domain("0 < x < 2", ((0.01, 1.99),)), singular=True)  # fmt: skip
erf = elementwise_of_scipy("erf", lambda x, z: two_by_root_pi(x) * gaussian(x), python=math.erf)
erfc = elementwise_of_scipy("erfc", lambda x, z: -two_by_root_pi(x) * gaussian(x), python=math.erfc)
# 2 x z − 2/√π would cancel: at x = 1000 six digits
erfcx = elementwise_of_scipy("erfcx", lambda x, z: -ROOT2 * z * mills(1)(ROOT2 * x), singular=True)
erfi = elementwise_of_scipy("erfi", lambda x, z: two_by_root_pi(x) * gaussian_growth(x), singular=True)
