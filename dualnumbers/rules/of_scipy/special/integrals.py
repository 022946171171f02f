"""Exponential, sine, Fresnel integrals, the dilogarithm, integrals of Bessel functions: NIST DLMF §6, §7.2, §8.19."""

import math

import numpy as np

from ....foreign import as_array
from ....table import Refused, elementwise, family
from ...comparisons import greater
from ...domains import Domain, nonzero, positive
from ...elementwise.exponential import exp, log
from ...elementwise.hyperbolic import cosh, sinh
from ...elementwise.trigonometric import cos, sin
from ...from_scipy import elementwise_of_scipy
from ...where import where
from .bessel import i0, i1, j0, j1, k0, y0
from .hypergeometric import tricomi
from .quotient import quotient

ORDER = Refused("the exponential integral has no derivative by its order here")
PARAMETER = Refused("an integral of a Bessel function has no derivative by its power and order here")
of_whole_order = Domain("x > 0, n whole", ((0, 6), (0.05, 10.0)))

# ------------------------------------------------------------------------------------------ exponential integrals

expi = elementwise_of_scipy("expi", lambda x, z: exp(x) / x, domain=nonzero, singular=True)
exp1 = elementwise_of_scipy("exp1", lambda x, z: -exp(-x) / x, domain=positive, singular=True)


@family
def exponential_moment(n):
    """The row of ∫ tⁿ e⁻ˣᵗ dt over t > 1, which is E₋ₙ: SciPy's has no negative orders. DLMF 8.19.2."""

    def moment(x):
        with np.errstate(all="ignore"):
            terms = sum(math.factorial(n) // math.factorial(k) * as_array(x) ** (k - n - 1.0) for k in range(n + 1))
            return (np.exp(-as_array(x)) * terms)[()]

    return elementwise(
        lambda x, z: -exponential_moment(n + 1)(x), name=f"exponential_moment_{n}", domain=positive, singular=True
    )(None, moment)


expn = elementwise_of_scipy(
    "expn", ORDER, lambda n, x, z: -where(greater(n, 0), expn(where(greater(n, 0), n - 1, 0), x),
                                          exponential_moment(1)(x)), domain=of_whole_order, singular=True)  # fmt: skip

# ------------------------------------------------------------------------------------------ sine, cosine, Fresnel


def _sinc(x):
    return quotient(sin, cos, x)


def _cosc(x):
    return quotient(cos, lambda y: -sin(y), x, 1.0)


elementwise_of_scipy("sici", (lambda x, z: _sinc(x), lambda x, z: cos(x) / x), domain=positive, singular=True)
elementwise_of_scipy(
    "shichi", (lambda x, z: quotient(sinh, cosh, x), lambda x, z: cosh(x) / x), domain=positive, singular=True
)
elementwise_of_scipy(
    "fresnel", (lambda x, z: sin(0.5 * math.pi * x * x), lambda x, z: cos(0.5 * math.pi * x * x)), singular=True
)
spence = elementwise_of_scipy(
    "spence", lambda x, z: -quotient(lambda y: log(x), lambda y: 1.0 / (1.0 + y), x - 1.0, radius=0.5),
    domain=positive, singular=True)  # fmt: skip


def _modified_fresnel(name, sign):
    """Return the row of the two modified Fresnel integrals, F and K, which are complex; DLMF §7.7.

    F′ = −e^(±ix²); K(x) = ½ e^(w²) erfc w with w = τx, τ = e^(∓iπ/4), of which 2wK − 1/√π would cancel in the tail.
    """
    turn = complex(math.sqrt(0.5), -sign * math.sqrt(0.5))
    square = complex(0.0, -sign)

    def by_k(x, z):
        near = 2.0 * square * x * z[1] - turn / math.sqrt(math.pi)
        tail = -turn / (2.0 * math.sqrt(math.pi)) * tricomi(1.0, 0.5, square * x * x)
        return where(greater(x, 1.0), tail, near)

    by_f = lambda x, z: -cos(x * x) - sign * 1j * sin(x * x)
    return elementwise_of_scipy(name, (by_f, by_k), singular=True, domain=positive)


_modified_fresnel("modfresnelp", 1.0)
_modified_fresnel("modfresnelm", -1.0)

# ------------------------------------------------------------------------------------------ of Bessel functions

elementwise_of_scipy("itj0y0", (lambda x, z: j0(x), lambda x, z: y0(x)), domain=positive, singular=True)
elementwise_of_scipy("iti0k0", (lambda x, z: i0(x), lambda x, z: k0(x)), domain=positive, singular=True)
elementwise_of_scipy("it2j0y0", (lambda x, z: -quotient(j0, lambda y: -j1(y), x, 1.0), lambda x, z: -y0(x) / x),
                     domain=positive, singular=True)  # fmt: skip
elementwise_of_scipy("it2i0k0", (lambda x, z: quotient(i0, i1, x, 1.0), lambda x, z: -k0(x) / x),
                     domain=Domain("x > 0", ((0.1, 10.0),)), singular=True)  # fmt: skip
besselpoly = elementwise_of_scipy(
    "besselpoly", lambda a, power, v, z: besselpoly(a, power + 1.0, v - 1.0) - besselpoly(a, power + 1.0, v + 1.0),
    PARAMETER, PARAMETER, domain=Domain("", ((0.1, 3.0), (0.0, 3.0), (0.0, 3.0))), singular=True)  # fmt: skip
