"""Hypergeometric functions and Wright's Bessel function. Source: NIST DLMF §13.3, §15.5, §16.3, §10.46."""

import numpy as np

from ....foreign import as_like, largest, of_one_library
from ....table import Refused, elementwise
from ...comparisons import greater
from ...domains import Domain
from ...elementwise.exponential import exp
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...gauss_legendre import in_blocks
from ...where import where

PARAMETER = Refused("a hypergeometric function has no derivative by its parameters here")

hyp0f1 = elementwise_of_scipy("hyp0f1", PARAMETER, lambda b, x, z: hyp0f1(b + 1, x) / b,
                              domain=Domain("", ((0.5, 4.0), (-5.0, 5.0))), singular=True)  # fmt: skip
hyp1f1 = elementwise_of_scipy("hyp1f1", PARAMETER, PARAMETER, lambda a, b, x, z: a / b * hyp1f1(a + 1, b + 1, x),
                              domain=Domain("", ((-3.0, 3.0), (0.5, 4.0), (-5.0, 5.0))), singular=True)  # fmt: skip
hyp2f1 = elementwise_of_scipy("hyp2f1", PARAMETER, PARAMETER, PARAMETER,
                              lambda a, b, c, x, z: a * b / c * hyp2f1(a + 1, b + 1, c + 1, x),
                              domain=Domain("x < 1", ((-3.0, 3.0), (-3.0, 3.0), (0.5, 4.0), (-0.8, 0.8))),
                              singular=True)  # fmt: skip


def _tricomi(a, b, x):
    """x⁻ᵃ / Γ(a) ∫ sᵃ⁻¹ (1 + s/x)^(b − a − 1) e⁻ˢ ds over s > 0; DLMF 13.4.4."""
    a, b, x = np.broadcast_arrays(*of_one_library(a, b, x))
    with np.errstate(all="ignore"):
        lowest = float(-largest(-np.log(np.where(np.abs(x) > 0, np.abs(x), 1.0)), 0.0))
        s = as_like(np.exp(0.2 * np.arange(5.0 * lowest - 200.0, 26)), x)
        columns = (np.ravel(y) * 1.0 for y in (a, b, x))
        z = in_blocks(lambda *columns: _by_trapezoids(s, *columns), *columns, nodes=len(s))
    return z.reshape(x.shape).astype(np.result_type(x, np.float32))[()]


def _by_trapezoids(s, a, b, x):
    """By the trapezoidal rule in log s.

    Where a < 1 that would take 1/a times as many nodes: then by parts, s + x − b + a + 1 in the place of a; or, where
    that is not of one sign, with the integral of sᵃ⁻¹ e⁻ˢ apart. No terms cancel.
    """
    rgamma, power = scipy_function("special.rgamma"), b - a - 1.0
    rest, fall = (1.0 + s / x) ** power, np.exp(-s)
    by_parts = rgamma(a + 1.0) * s ** (a + 1.0) * (1.0 - power / (x + s)) * rest
    apart = rgamma(a) * s**a * np.expm1(power * np.log1p(s / x))
    terms = np.where(a >= 1, rgamma(a) * s**a * rest, np.where(power <= 0, by_parts, apart)) * fall
    return x**-a * (0.2 * np.sum(terms, -1, keepdims=True) + np.where((a < 1) & (power > 0), 1.0, 0.0))


# SciPy's hyperu has 8 digits at (0, 0, 5): its derivatives are better taken of the integral, which is closed under them
tricomi = elementwise(
    PARAMETER,
    PARAMETER,
    lambda a, b, x, z: -a * tricomi(a + 1, b + 1, x),
    domain=Domain("a > 0, x > 0", ((0.2, 3.0), (-3.0, 3.0), (0.5, 8.0))),
    singular=True,
)(None, _tricomi)
hyperu = elementwise_of_scipy("hyperu", PARAMETER, PARAMETER,
                              lambda a, b, x, z: -a * where(greater(a, -0.9), tricomi(a + 1, b + 1, x),
                                                            hyperu(a + 1, b + 1, x)),
                              domain=Domain("x > 0", ((0.2, 3.0), (-3.0, 3.0), (0.5, 8.0))), singular=True)  # fmt: skip
wright_bessel = elementwise_of_scipy("wright_bessel", PARAMETER, PARAMETER,
                                     lambda a, b, x, z: wright_bessel(a, a + b, x),
                                     domain=Domain("x > 0", ((0.1, 3.0), (0.1, 4.0), (0.1, 10.0))),
                                     singular=True)  # fmt: skip
log_wright_bessel = elementwise_of_scipy("log_wright_bessel", PARAMETER, PARAMETER,
                                         lambda a, b, x, z: exp(log_wright_bessel(a, a + b, x) - z),
                                         domain=wright_bessel.row.domain, singular=True)  # fmt: skip
