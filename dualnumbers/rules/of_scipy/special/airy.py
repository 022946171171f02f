"""Airy functions, scaled ones, their integrals. Source: NIST DLMF §9.2, §9.6, §9.10."""

import math

import numpy as np

from ....table import BY_NUMPY
from ...comparisons import greater
from ...complexes import real
from ...domains import positive
from ...elementwise.exponential import exp
from ...elementwise.extrema import absolute, maximum
from ...selection import where
from .bessel_scaled import ive, kve, lowering, raising
from .outputs import outputs_of_scipy

sqrt = BY_NUMPY[np.sqrt]  # of complex arguments too

airy_ai, airy_aip, airy_bi, airy_bip = outputs_of_scipy("airy", {
    "airy_ai": [lambda x, z: airy_aip(x)],
    "airy_aip": [lambda x, z: x * airy_ai(x)],
    "airy_bi": [lambda x, z: airy_bip(x)],
    "airy_bip": [lambda x, z: x * airy_bi(x)],
}, singular=True)  # fmt: skip

outputs_of_scipy("itairy", {
    "itairy_ai": [lambda x, z: airy_ai(x)],
    "itairy_bi": [lambda x, z: airy_bi(x)],
    "itairy_ai_reflected": [lambda x, z: airy_ai(-x)],
    "itairy_bi_reflected": [lambda x, z: airy_bi(-x)],
}, singular=True)  # fmt: skip


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
    tail = z / (2.0 * x) + sqrt(x / 3.0) * _slope_of_k(1.0 / 3.0, x)
    return where(greater(real(x), 3.0), tail, airye_aip(x) + sqrt(x) * z)


def _aip(x, z):
    tail = z / x - x / math.sqrt(3.0) * _slope_of_k(2.0 / 3.0, x)
    return where(greater(real(x), 3.0), tail, x * airye_ai(x) + sqrt(x) * z)


def _bi(x, z):
    tail = z / (2.0 * x) + sqrt(x / 3.0) * _slope_of_i(1.0 / 3.0, x)
    return where(greater(x, 3.0), tail, airye_bip(x) - sqrt(maximum(x, 0.0)) * z)


def _bip(x, z):
    tail = z / x + x / math.sqrt(3.0) * _slope_of_i(2.0 / 3.0, x)
    return where(greater(x, 3.0), tail, x * airye_bi(x) - sqrt(maximum(x, 0.0)) * z)


def _over_growth(f):
    """Return the function of a complex argument that is not holomorphic: f(x) e^(−|Re ζ|)."""
    return lambda x: f(x) * exp(-absolute(real(_zeta(x))))


airye_ai, airye_aip, airye_bi, airye_bip = outputs_of_scipy("airye", {
    "airye_ai": [_ai],
    "airye_aip": [_aip],
    "airye_bi": [_bi],
    "airye_bip": [_bip],
}, unreal={"airye_bi": _over_growth(airy_bi), "airye_bip": _over_growth(airy_bip)}, domain=positive,
    singular=True)  # fmt: skip
