"""Kelvin functions. Source: NIST DLMF §10.61: ber x + i bei x = J₀(c x), ker x + i kei x = K₀(x/c̄), c = e^(3πi/4).

Derivatives are taken of these Bessel functions: in real terms the second ones are quotients by x, and SciPy's ker′ and
kei′ have 10 digits at x = 8.
"""

import math

from ..complexes import imag, real
from ..domains import positive
from ..from_scipy import elementwise_of_scipy
from .bessel import jv, kv
from .outputs import register

TURN, HALF_TURN = complex(-math.sqrt(0.5), math.sqrt(0.5)), complex(math.sqrt(0.5), math.sqrt(0.5))


def _first_of_j(x):
    """The derivative of J₀(c x)."""
    return -TURN * jv(1, TURN * x)


def _first_of_k(x):
    """The derivative of K₀(x e^(πi/4))."""
    return -HALF_TURN * kv(1, HALF_TURN * x)


def _second_of_j(x):
    """The second derivative of J₀(c x), c² = −i."""
    return -0.5j * (jv(2, TURN * x) - jv(0, TURN * x))


def _second_of_k(x):
    """The second derivative of K₀(x e^(πi/4))."""
    return 0.5j * (kv(2, HALF_TURN * x) + kv(0, HALF_TURN * x))


ber = elementwise_of_scipy("ber", lambda x, z: real(_first_of_j(x)), singular=True)
bei = elementwise_of_scipy("bei", lambda x, z: imag(_first_of_j(x)), singular=True)
ker = elementwise_of_scipy("ker", lambda x, z: real(_first_of_k(x)), domain=positive, singular=True)
kei = elementwise_of_scipy("kei", lambda x, z: imag(_first_of_k(x)), domain=positive, singular=True)
berp = elementwise_of_scipy("berp", lambda x, z: real(_second_of_j(x)), singular=True)
beip = elementwise_of_scipy("beip", lambda x, z: imag(_second_of_j(x)), singular=True)
kerp = elementwise_of_scipy("kerp", lambda x, z: real(_second_of_k(x)), domain=positive, singular=True)
keip = elementwise_of_scipy("keip", lambda x, z: imag(_second_of_k(x)), domain=positive, singular=True)
register("kelvin", lambda x: (ber(x) + 1j * bei(x), ker(x) + 1j * kei(x), berp(x) + 1j * beip(x),
                              kerp(x) + 1j * keip(x)))  # fmt: skip
