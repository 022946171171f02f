"""Bessel functions times an exponential, and what decays like a power in the tails. Source: NIST DLMF §10.32, §13.4.

By the recurrences the derivative is a difference of neighbours, of which no digit is left at x = 1e16. For large
arguments it is here one of the integrals hₙ and gₙ, which have no cancellation and are closed under derivatives.
"""

import math

import numpy as np

from ....foreign import as_array, as_like, of_one_library
from ....table import elementwise, family
from ...comparisons import greater, greater_equal, less_equal
from ...complexes import imag, real
from ...domains import Domain, nonzero, positive
from ...elementwise.exponential import exp
from ...elementwise.kinks import absolute
from ...elementwise.trigonometric import cos, sin
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...step_functions import sign
from ...where import where
from .bessel import ORDER, iv, jv, of_order, yv

in_the_tail = Domain("x > 2 + v²/4", ((0.0, 3.0), (5.0, 50.0)))
_NODES = np.arange(0.1, 9.0, 0.2)


@family
def lowering(n):
    """The row of hₙ(v, x) = ∫ (cosh t − 1)ⁿ e⁻ˣ⁽ᶜᵒˢʰ ᵗ ⁻ ¹⁾ cosh vt dt over t > 0; DLMF 10.32.9.

    h₀ = eˣ Kᵥ(x), hₙ′ = −hₙ₊₁.
    With x (cosh t − 1) = y² it is an integral of e⁻ʸ² …, for which the midpoint rule converges faster than any power
    of its step: to rounding where |x| ≥ 2 + v²/4, x in the right half-plane.
    """

    def integral(v, x):
        v, x = (part[..., None] for part in of_one_library(v, x))
        with np.errstate(all="ignore"):
            nodes = as_like(_NODES, x)
            y = nodes / np.sqrt(x)
            terms = np.exp(-nodes * nodes) * (y * y) ** n * np.cosh(2 * v * np.arcsinh(y / math.sqrt(2.0)))
            z = 0.4 / np.sqrt(x[..., 0]) * np.sum(terms / np.sqrt(2.0 + y * y), -1)
        return z.astype(np.result_type(x, np.float32))[()]

    return elementwise(
        ORDER, lambda v, x, z: -lowering(n + 1)(v, x), name=f"lowering_{n}", domain=in_the_tail, singular=True
    )(None, integral)


def _far(n, v, x):
    """gₙ(v, x), x > 0, by its asymptotic expansion, of full accuracy where x ≥ 25 and x > 2 + v²/4; DLMF 13.7.2."""
    total = 1.0
    for k in range(40, 0, -1):
        total = 1.0 + total * (v + n + k - 0.5) * (k - 0.5 - v) / (2.0 * k * x)
    return total * scipy_function("special.poch")(v + 0.5, n) * x**-n / np.sqrt(2.0 * math.pi * x)


@family
def raising(n):
    """The row of gₙ(v, x) = σⁿ⁺ᵛ |x/2|ᵛ / (√π Γ(v + ½)) ∫ s^(v − ½ + n) (2 − s)^(v − ½) e⁻ˢ|ˣ| ds over 0 < s < 2.

    σ is the sign of x: g₀ = e⁻|ˣ| Iᵥ(x), gₙ′ = (v/x) gₙ − gₙ₊₁. DLMF 10.32.2, 13.4.1.
    """

    def integral(v, x):
        kummer, rising = scipy_function("special.hyp1f1"), scipy_function("special.poch")
        size, dtype = np.abs(x), np.result_type(as_array(x), np.float32)
        with np.errstate(all="ignore"):
            ratio = kummer(v + n + 0.5, 2 * v + n + 1, -2 * size) / kummer(v + 0.5, 2 * v + 1, -2 * size)
            near = ratio * 2.0**n * rising(v + 0.5, n) / rising(2 * v + 1, n) * scipy_function("special.ive")(v, size)
            found = np.where((size >= 25.0) & (size > 2.0 + 0.25 * v * v), _far(n, v, size), near)
            return (np.sign(x) ** (n + v) * found).astype(dtype)[()]

    return elementwise(
        ORDER,
        lambda v, x, z: (v / x) * z - raising(n + 1)(v, x),
        name=f"raising_{n}",
        domain=in_the_tail,
        singular=True,
    )(None, integral)


def _slope_of_ive(v, x, z):
    near = 0.5 * (ive(v - 1, x) + ive(v + 1, x)) - sign(x) * z
    in_tail = (less_equal(v, 20) & greater(absolute(x), 2)) | greater(absolute(x), 2 + 0.25 * v * v)
    in_tail = in_tail & greater_equal(v, 0)
    return where(in_tail, (v / x) * z - raising(1)(v, x), near)


def _slope_of_kve(v, x, z):
    near = z - 0.5 * (kve(v - 1, x) + kve(v + 1, x))
    in_tail = greater(absolute(x), 2 + 0.25 * v * v) & greater_equal(real(x), 0)
    return where(in_tail, -lowering(1)(v, x), near)


def _slope_of_hankel(scaled, turn):
    """Slope of H⁽¹⁾ e⁻ⁱˣ (``turn`` = −i) and H⁽²⁾ eⁱˣ (i), by h₁ at ∓ix; DLMF 10.27.8."""

    def slope(v, x, z):
        near = 0.5 * (scaled(v - 1, x) - scaled(v + 1, x)) + turn * z
        w = turn * x
        in_tail = greater(absolute(x), 2 + 0.25 * v * v) & greater_equal(real(w), 0) & greater_equal(real(x), 0)
        unit = cos((0.5 * math.pi) * v) + turn * sin((0.5 * math.pi) * v)
        return where(in_tail, (2 / math.pi) * unit * lowering(1)(v, w), near)

    return slope


jve = elementwise_of_scipy("jve", ORDER, lambda v, x, z: 0.5 * (jve(v - 1, x) - jve(v + 1, x)), domain=of_order,
                           singular=True, unreal=lambda v, x: jv(v, x) * exp(-absolute(imag(x))))  # fmt: skip
yve = elementwise_of_scipy("yve", ORDER, lambda v, x, z: 0.5 * (yve(v - 1, x) - yve(v + 1, x)), domain=of_order,
                           singular=True, unreal=lambda v, x: yv(v, x) * exp(-absolute(imag(x))))  # fmt: skip
ive = elementwise_of_scipy(
    "ive", ORDER, _slope_of_ive, domain=of_order, singular=True, unreal=lambda v, x: iv(v, x) * exp(-absolute(real(x)))
)
kve = elementwise_of_scipy("kve", ORDER, _slope_of_kve, domain=of_order, singular=True)
hankel1e = elementwise_of_scipy(
    "hankel1e", ORDER, lambda v, x, z: _slope_of_hankel(hankel1e, -1j)(v, x, z), domain=of_order, singular=True
)
hankel2e = elementwise_of_scipy(
    "hankel2e", ORDER, lambda v, x, z: _slope_of_hankel(hankel2e, 1j)(v, x, z), domain=of_order, singular=True
)
i0e = elementwise_of_scipy("i0e", lambda x, z: _slope_of_ive(0.0, x, z), domain=nonzero, singular=True)
i1e = elementwise_of_scipy("i1e", lambda x, z: _slope_of_ive(1.0, x, z), domain=nonzero, singular=True)
k0e = elementwise_of_scipy("k0e", lambda x, z: _slope_of_kve(0.0, x, z), domain=positive, singular=True)
k1e = elementwise_of_scipy("k1e", lambda x, z: _slope_of_kve(1.0, x, z), domain=positive, singular=True)
