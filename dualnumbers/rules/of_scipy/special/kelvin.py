"""Kelvin functions. Source: NIST DLMF §10.61: ber x + i bei x = J₀(c x), ker x + i kei x = K₀(x/c̄), c = e^(3πi/4).

Derivatives are taken of these Bessel functions: in real terms the second ones are quotients by x, and SciPy's ker′ and
kei′ have 10 digits at x = 8. Near 0 they are taken of the power series (DLMF §10.65), term by term: there one of the
real and imaginary parts is nothing beside the other.
"""

import math

import numpy as np

from ....foreign import as_array
from ....table import elementwise, family
from ...branches import either
from ...domains import positive
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...gauss_legendre import in_blocks

TURN, HALF_TURN = complex(-math.sqrt(0.5), math.sqrt(0.5)), complex(math.sqrt(0.5), math.sqrt(0.5))
TERMS = 24
EULER = 0.5772156649015329


def _power(n, m, x):
    """Return the n-th derivative of xᵐ, and what multiplies 1 in that of xᵐ log x, where the first multiplies log x."""
    falling, rest = 1.0, 0.0
    for j in range(n):
        falling, rest = falling * (m - j), rest * (m - j) + falling
    scale = x ** float(m - n)
    return falling * scale if falling else 0.0 * x, rest * scale if rest else 0.0 * x


def _near_of_j(n, x):
    """Σ iᵏ (x/2)²ᵏ / k!², of which bei has the odd terms."""
    return sum((1j**k * 0.25**k / math.factorial(k) ** 2) * _power(n, 2 * k, x)[0] for k in range(TERMS))


def _near_of_k(n, x):
    """Σ iᵏ (x/2)²ᵏ / k!² (ψ(k + 1) − log(x/2) − iπ/4)."""
    total, harmonic = 0.0, -EULER + math.log(2.0)
    for k in range(TERMS):
        straight, beside = _power(n, 2 * k, x)
        total = total + 1j**k * 0.25**k / math.factorial(k) ** 2 * (
            straight * (harmonic - np.log(x)) - beside - 0.25j * math.pi * straight
        )
        harmonic += 1.0 / (k + 1)
    return total


def _bessel(name, turn, sign, n, x):
    """The n-th derivative of J₀(``turn`` x), with ``sign`` −1, or K₀(``turn`` x), with 1; DLMF 10.6.7, 10.29.5."""
    f = scipy_function(f"special.{name}")
    terms = sum(math.comb(n, k) * sign**k * f(2 * k - n, turn * x) for k in range(n + 1))
    return (turn * (0.5 if sign < 0 else -0.5)) ** n * terms


def _derivatives(near, far, reach, names):
    """Make the functions n → row of the n-th derivative of the real and of the imaginary part, of these ``names``."""

    def values(n, x):
        def column(x):
            inside = np.abs(x) < reach
            return either(inside, lambda: near(n, np.where(inside, x, 1.0)), lambda: far(n, np.where(inside, reach, x)))

        with np.errstate(all="ignore"):
            z = in_blocks(column, np.ravel(as_array(x, float)), nodes=TERMS)
        return z.reshape(np.shape(x))

    def of_part(name, part):
        @family
        def row(n):
            return elementwise(lambda x, z: row(n + 1)(x), name=f"{name}_{n}", domain=positive, singular=True)(
                None, lambda x: part(values(n, x)).astype(np.result_type(as_array(x), np.float32))[()]
            )

        return row

    return [of_part(name, part) for name, part in zip(names, (np.real, np.imag), strict=True)]


ber_derivative, bei_derivative = _derivatives(
    _near_of_j, lambda n, x: _bessel("jv", TURN, -1, n, x), 5.0, ("ber", "bei")
)
ker_derivative, kei_derivative = _derivatives(
    _near_of_k, lambda n, x: _bessel("kv", HALF_TURN, 1, n, x), 2.0, ("ker", "kei")
)
ber = elementwise_of_scipy("ber", lambda x, z: ber_derivative(1)(x), singular=True)
bei = elementwise_of_scipy("bei", lambda x, z: bei_derivative(1)(x), singular=True)
ker = elementwise_of_scipy("ker", lambda x, z: ker_derivative(1)(x), domain=positive, singular=True)
kei = elementwise_of_scipy("kei", lambda x, z: kei_derivative(1)(x), domain=positive, singular=True)
berp = elementwise_of_scipy("berp", lambda x, z: ber_derivative(2)(x), singular=True)
beip = elementwise_of_scipy("beip", lambda x, z: bei_derivative(2)(x), singular=True)
kerp = elementwise_of_scipy("kerp", lambda x, z: ker_derivative(2)(x), domain=positive, singular=True)
keip = elementwise_of_scipy("keip", lambda x, z: kei_derivative(2)(x), domain=positive, singular=True)
kelvin = elementwise_of_scipy(
    "kelvin", (lambda x, z: ber_derivative(1)(x) + 1j * bei_derivative(1)(x),
               lambda x, z: ker_derivative(1)(x) + 1j * kei_derivative(1)(x),
               lambda x, z: ber_derivative(2)(x) + 1j * bei_derivative(2)(x),
               lambda x, z: ker_derivative(2)(x) + 1j * kei_derivative(2)(x)),
    domain=positive, singular=True)  # fmt: skip
