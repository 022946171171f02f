"""Airy functions, scaled ones, their integrals. Source: NIST DLMF §9.2, §9.6, §9.10."""

import math

import numpy as np

from ....table import BY_NUMPY, elementwise
from ...comparisons import greater
from ...complexes import real
from ...domains import positive
from ...elementwise.exponential import exp
from ...elementwise.kinks import absolute, maximum
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...where import where
from .bessel_scaled import ive, kve, lowering, raising

sqrt = BY_NUMPY[np.sqrt]  # of complex arguments too

airy = elementwise_of_scipy(
    "airy", (lambda x, z: z[1], lambda x, z: x * z[0], lambda x, z: z[3], lambda x, z: x * z[2]), singular=True
)
itairy = elementwise_of_scipy(
    "itairy", (lambda x, z: airy(x)[0], lambda x, z: airy(x)[2], lambda x, z: airy(-x)[0], lambda x, z: airy(-x)[2]),
    singular=True)  # fmt: skip


# ------------------------------------------------------------------------------ scaled, DLMF §9.6(i), 10.27.2
#
# Ai′ + √x Ai, of e^ζ each, cancels in the tail. There, from x = 3 on, the derivatives are taken of the scaled Bessel
# functions of ζ, which keep their digits.


def _zeta(x):
    return (2.0 / 3.0) * x * sqrt(x)


def _slope_of_k(v, x):
    """Return the derivative of e^ζ Kᵥ(ζ) / π, of which Ai and Ai′ are multiples."""
    return -sqrt(x) * lowering(1)(v, _zeta(x)) / math.pi


def _slope_of_i(v, x):
    """Return the derivative of e^(−ζ) (Iᵥ(ζ) + I₋ᵥ(ζ)), of which Bi and Bi′ are multiples."""
    zeta = _zeta(x)
    first = v / zeta * ive(v, zeta) - raising(1)(v, zeta)
    second = exp(-2.0 * zeta) * (lowering(1)(v, zeta) + 2.0 * kve(v, zeta))
    return sqrt(x) * (2.0 * first - 2.0 * math.sin(v * math.pi) / math.pi * second)


def _ai(x, z):
    tail = z[0] / (2.0 * x) + sqrt(x / 3.0) * _slope_of_k(1.0 / 3.0, x)
    return where(greater(real(x), 3.0), tail, z[1] + sqrt(x) * z[0])


def _aip(x, z):
    tail = z[1] / x - x / math.sqrt(3.0) * _slope_of_k(2.0 / 3.0, x)
    return where(greater(real(x), 3.0), tail, x * z[0] + sqrt(x) * z[1])


def _bi(x, z):
    tail = z[2] / (2.0 * x) + sqrt(x / 3.0) * _slope_of_i(1.0 / 3.0, x)
    return where(greater(x, 3.0), tail, z[3] - sqrt(maximum(x, 0.0)) * z[2])


def _bip(x, z):
    tail = z[3] / x + x / math.sqrt(3.0) * _slope_of_i(2.0 / 3.0, x)
    return where(greater(x, 3.0), tail, x * z[2] - sqrt(maximum(x, 0.0)) * z[3])


airye_first = elementwise((_ai, _aip), name="airye_first", domain=positive, singular=True)(
    None, lambda x: scipy_function("special.airye")(x)[:2]
)


def _of_complex(x):
    """The results at a complex argument, of which the last two, times e^(−|Re ζ|), are not holomorphic."""
    _, _, bi, bip = airy(x)
    scale = exp(-absolute(real(_zeta(x))))
    return (*airye_first(x), bi * scale, bip * scale)


airye = elementwise_of_scipy("airye", (_ai, _aip, _bi, _bip), unreal=_of_complex, domain=positive, singular=True)
