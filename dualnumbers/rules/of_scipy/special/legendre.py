"""Associated Legendre functions on the cut. Source: NIST DLMF §14.3, §14.9, §18.5."""

import numpy as np

from ....table import Refused, elementwise
from ...comparisons import equal, less
from ...domains import Domain
from ...elementwise.kinks import absolute
from ...elementwise.powers import math_pow
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...step_functions import rint
from ...where import where
from .orthogonal import below, eval_jacobi

DEGREE = Refused("a Legendre function has no derivative by its order and degree here")


def _scale(m, v):
    """s of Pᵥᵐ(x) = s (1 − x²)^(|m|/2) J(x), J of Jacobi with degree v − |m| and both parameters |m|."""
    sign = np.where(np.less(m, 0), 1.0, (-1.0) ** np.abs(m))
    return sign * 0.5 ** np.abs(m) * scipy_function("special.poch")(v + 1.0, m)


legendre_scale = elementwise(DEGREE, DEGREE, name="legendre_scale", domain=Domain("m, v whole", ((0, 3), (4, 6))))(
    None, _scale
)


def _slope(m, v, x, z):
    """No quotient by 1 − x², so that it is exact at ±1 where it is finite there."""
    k = absolute(m)
    squared, degree = (1.0 - x) * (1.0 + x), v - k
    outer = -k * x * math_pow(squared, where(equal(k, 0), 0.0, 0.5 * k - 1.0)) * eval_jacobi(degree, k, k, x)
    inner = math_pow(squared, 0.5 * k) * (0.5 * (v + k + 1.0)) * below(eval_jacobi, degree, k + 1, k + 1, x)
    vanishing = less(degree, 0) & equal(degree, rint(degree))
    return where(vanishing, 0.0, legendre_scale(m, v) * (outer + inner))


lpmv = elementwise_of_scipy(
    "lpmv", DEGREE, DEGREE, _slope, domain=Domain("|x| < 1", ((-3, 3), (3, 6), (-0.95, 0.95))), singular=True
)
