"""Struve functions and their integrals. Source: NIST DLMF §11.4."""

import math

from ....table import Refused, elementwise
from ...comparisons import equal, less
from ...domains import Domain, positive
from ...elementwise.kinks import absolute
from ...elementwise.powers import math_pow
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...where import where
from .quotient import quotient

ORDER = Refused("a Struve function has no derivative by its order here")
of_order = Domain("x > 0", ((0.0, 4.0), (0.1, 20.0)))
# 1 / (√π Γ(v + 3/2)), of the first term of the power series
struve_first = elementwise(ORDER, name="struve_first")(
    None, lambda v: scipy_function("special.rgamma")(v + 1.5) / math.sqrt(math.pi)
)


def _slope(v, x, z):
    """½ (Hᵥ₋₁ − Hᵥ₊₁ + first term) at small x, Hᵥ₋₁ − (v/x) Hᵥ elsewhere: each cancels where the other does not."""
    small, first = less(absolute(x), 1.0), math_pow(0.5 * x, v) * struve_first(v)
    near = where(equal(v, 0), first - struve(v + 1, x), 0.5 * (struve(v - 1, x) - struve(v + 1, x) + first))
    return where(small, near, struve(v - 1, x) - v / where(small, 1.0, x) * z)


def _modified_slope(v, x, z):
    return 0.5 * (modstruve(v - 1, x) + modstruve(v + 1, x) + math_pow(0.5 * x, v) * struve_first(v))


struve = elementwise_of_scipy("struve", ORDER, _slope, domain=of_order, singular=True)
modstruve = elementwise_of_scipy("modstruve", ORDER, _modified_slope, domain=of_order, singular=True)
itstruve0 = elementwise_of_scipy("itstruve0", lambda x, z: struve(0, x), domain=positive, singular=True)
itmodstruve0 = elementwise_of_scipy("itmodstruve0", lambda x, z: modstruve(0, x), domain=positive, singular=True)
it2struve0 = elementwise_of_scipy(
    "it2struve0", lambda x, z: -quotient(lambda y: struve(0, y), lambda y: 2.0 / math.pi - struve(1, y), x),
    domain=positive, singular=True)  # fmt: skip
