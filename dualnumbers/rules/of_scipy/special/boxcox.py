"""The Box–Cox transformation (xᴸ − 1) / L and its inverse, with L = 0 the logarithm, on (eˣ − 1) / x.

The n-th derivative of (eˣ − 1) / x is the mean of tⁿ eˣᵗ over 0 < t < 1: positive terms, no quotient of zeros.
Source: Box & Cox, *J. R. Stat. Soc. B* 26 (1964).
"""

import math

import numpy as np

from ....foreign import as_array
from ....table import elementwise, family
from ...comparisons import equal, greater, less
from ...domains import Domain
from ...elementwise.exponential import exp, log, log1p
from ...elementwise.kinks import absolute
from ...elementwise.powers import math_pow
from ...from_scipy import elementwise_of_scipy
from ...gauss_legendre import gauss, in_blocks
from ...where import where


@family
def exponential_mean(n):
    """The row of ∫ tⁿ eˣᵗ dt over (0, 1), n ≥ 0; its scale is that of the larger end, so that e⁻ˣ is no zero."""

    def mean(x):
        reach = np.minimum(1.0, 48.0 / np.maximum(np.abs(x), 1.0))

        def column(x, reach):
            nodes, weights = gauss(x)
            s = reach * nodes
            t = np.where(x > 0, 1.0 - s, s)
            return reach * np.sum(weights * t**n * np.exp(x * t), axis=-1, keepdims=True)

        flat = np.ravel(as_array(x, float))
        with np.errstate(all="ignore"):
            found = in_blocks(column, flat, np.ravel(as_array(reach, float)))
            found = np.where(flat == np.inf, np.inf, np.where(flat == -np.inf, 0.0, found))
        return found.reshape(np.shape(x))[()]

    return elementwise(lambda x, z: exponential_mean(n + 1)(x), name=f"exponential_mean_{n}")(None, mean)


exprel = elementwise_of_scipy("exprel", lambda x, z: exponential_mean(1)(x), singular=True)


def _growth(logarithm, power):
    """∂/∂L of (xᴸ − 1) / L: log² x times the mean of t xᴸᵗ; at x = 0 and L > 0, that of −1 / L."""
    end = equal(logarithm, -math.inf) & greater(power, 0.0)
    inner = where(end, 0.0, logarithm)
    return where(end, 1.0 / (where(end, power, 1.0) ** 2), inner * inner * exponential_mean(1)(power * inner))


def _log_inverse(y, power):
    """log(1 + L y) / L, which is y at L = 0."""
    y, power = np.broadcast_arrays(y, power)
    with np.errstate(all="ignore"):
        return np.where(power * y == 0, y, np.log1p(power * y) / np.where(power == 0, 1.0, power))[()]


_inverted = Domain("1 + L y > 0", ((-0.6, 0.6), (-1.5, 1.5)))
log_inverse = elementwise(
    lambda y, power, z: 1.0 / (1.0 + power * y),
    lambda y, power, z: -_growth(z, power) / (1.0 + power * y),
    singular=True,
    domain=_inverted,
)(None, _log_inverse)


def _by_power(y, power):
    """∂/∂L of the logarithm of the inverse."""
    return -_growth(log_inverse(y, power), power) / (1.0 + power * y)


def _power_of_sum(x, power):
    """(1 + x)ᴸ⁻¹; near 0 by log1p, for the derivative in L would have the logarithm of a rounded 1 + x."""
    near = less(absolute(x), 0.5)
    return where(near, exp((power - 1.0) * log1p(where(near, x, 0.0))), math_pow(1.0 + x, power - 1.0))


def _one_more(z, y, power):
    """1 + z of the inverse z that is less 1; next to −1 by its logarithm."""
    low = less(z, -0.5)
    return where(low, exp(log_inverse(where(low, y, 0.0), power)), 1.0 + z)


_transformed = Domain("x > 0", ((0.1, 5.0), (-2.0, 2.0)))
boxcox = elementwise_of_scipy("boxcox", lambda x, power, z: math_pow(x, power - 1.0),
                              lambda x, power, z: _growth(log(x), power), domain=_transformed,
                              singular=True)  # fmt: skip
boxcox1p = elementwise_of_scipy("boxcox1p", lambda x, power, z: _power_of_sum(x, power),
                                lambda x, power, z: _growth(log1p(x), power),
                                domain=Domain("x > −1", ((-0.8, 5.0), (-2.0, 2.0))), singular=True)  # fmt: skip
inv_boxcox = elementwise_of_scipy("inv_boxcox", lambda y, power, z: z / (1.0 + power * y),
                                  lambda y, power, z: z * _by_power(y, power), domain=_inverted,
                                  singular=True)  # fmt: skip
inv_boxcox1p = elementwise_of_scipy(
    "inv_boxcox1p", lambda y, power, z: _one_more(z, y, power) / (1.0 + power * y),
    lambda y, power, z: _one_more(z, y, power) * _by_power(y, power), domain=_inverted, singular=True)  # fmt: skip
