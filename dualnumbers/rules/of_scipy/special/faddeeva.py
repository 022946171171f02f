"""Faddeeva's function, Dawson's integral, Voigt's profile: one family. Source: NIST DLMF §7.2, §7.7, §7.19.

w⁽ⁿ⁾(z) = iⁿ/√π ∫ sⁿ exp(−s²/4 + i z s) ds over s > 0 where Im z ≥ 0 (DLMF 7.7.2): turned in the complex plane so that
the integrand decays as |z| s, no derivative cancels in the tails, as −2 z w + 2i/√π would.
"""

import math

import numpy as np
from numpy.polynomial.hermite import hermval

from ....foreign import as_array
from ....table import elementwise, family
from ...domains import Domain
from ...from_scipy import elementwise_of_scipy
from ...gauss_legendre import gauss, in_blocks

ROOT_PI, ROOT2 = math.sqrt(math.pi), math.sqrt(2.0)
_widths = Domain("σ > 0, γ > 0", ((-3.0, 3.0), (0.5, 3.0), (0.1, 3.0)))


def _gaussian(n, z):
    """Return the n-th derivative of exp(−z²)."""
    return (-1) ** n * hermval(z, [0] * n + [1]) * np.exp(-z * z)


def _in_first_quadrant(n, z):
    """w⁽ⁿ⁾(z) where Re z ≥ 0 and Im z ≥ 0, along s = t exp(iφ): any φ from 0 to below π/4 gives the same."""
    size = np.abs(z)
    turn = np.clip(0.5 * np.pi - np.angle(z), 0.0, 0.6) * size / (1.0 + size)
    bend, decay = 0.25 * np.cos(2.0 * turn), size * np.sin(np.angle(z) + turn)
    nodes, weights = gauss(z)
    t = 88.0 / (decay + np.sqrt(decay * decay + 176.0 * bend)) * nodes
    s = t * np.exp(1j * turn)
    terms = (1j * s) ** n * np.exp(s * (1j * z - 0.25 * s)) * weights
    return np.sum(terms, axis=-1, keepdims=True) * s[:, :1] / nodes[0] / ROOT_PI


def _far(n, z):
    """Return the same where |z| > 7, by the asymptotic series (DLMF 7.12.1), and exp(−z²) beside the real axis.

    By the integral the real part has the error of the imaginary one, which is |z| / Im z times as large.
    """
    inverse, total = 1.0 / z, 0.0
    for k in range(40, -1, -1):
        rising = math.factorial(2 * k + n) // math.factorial(2 * k)
        total = total * inverse * inverse + math.gamma(k + 0.5) / ROOT_PI * rising
    beside = (z.imag < 1e-3) & (np.abs(z) < 27.0)
    gaussian = np.where(beside, _gaussian(n, np.where(beside, z, 0.0)), 0.0)
    return (-1) ** n * 1j / ROOT_PI * inverse ** (n + 1) * total + gaussian


def _derivative(n, z):
    """w⁽ⁿ⁾(z) by w(−z̄) = w̄(z) and w(z) = 2 exp(−z²) − w(−z); DLMF 7.4.3."""
    below = z.imag < 0
    above = np.where(below, -z, z)
    first = np.abs(above.real) + 1j * above.imag
    far = np.abs(first) > 7.0
    found = np.where(far, _far(n, np.where(far, first, 7.0)), _in_first_quadrant(n, np.where(far, 7.0, first)))
    found = np.where(above.real < 0, (-1) ** n * np.conj(found), found)
    inside = np.where(below, z, 0.0)
    return np.where(below, 2.0 * _gaussian(n, inside) - (-1) ** n * found, found)


@family
def faddeeva(n):
    """The row of w⁽ⁿ⁾, n ≥ 1."""

    def evaluate(z):
        with np.errstate(all="ignore"):
            found = in_blocks(lambda column: _derivative(n, column), np.ravel(as_array(z, complex)))
        return found.reshape(np.shape(z)).astype(np.result_type(as_array(z), np.complex64))[()]

    return elementwise(lambda z, w: faddeeva(n + 1)(z), name=f"faddeeva_{n}", singular=True)(None, evaluate)


@family
def dawson(n):
    """The row of Dawson's integral derived n ≥ 1 times: D(z) = i√π/2 (exp(−z²) − w(z)), on reals √π/2 Im w."""

    def evaluate(x):
        if not np.iscomplexobj(x):
            return as_array(0.5 * ROOT_PI * faddeeva(n)(x).imag, np.result_type(x))[()]
        sign = np.where(x.imag < 0, -1.0, 1.0)  # it is odd
        return -0.5j * ROOT_PI * sign ** (n + 1) * (faddeeva(n)(sign * x) - _gaussian(n, sign * x))

    return elementwise(lambda x, z: dawson(n + 1)(x), name=f"dawson_{n}", singular=True)(None, evaluate)


@family
def voigt(n, part):
    """The row of the n-th derivative in x of a ``part`` of w(z) / (σ√2π), z = (x + iγ) / (σ√2), whose real part is it.

    By σ it is σ times the second derivative by x, as of every convolution with a normal density: −(w + z w′) would
    cancel.
    """
    take, by_gamma, sign = (np.real, "imag", -1.0) if part == "real" else (np.imag, "real", 1.0)

    def evaluate(x, sigma, gamma):
        slope = faddeeva(n)((x + 1j * gamma) / (ROOT2 * sigma)) / (ROOT2 * sigma) ** (n + 1) / ROOT_PI
        return as_array(take(slope)).astype(np.result_type(as_array(x), np.float32))[()]

    return elementwise(
        lambda x, s, g, z: voigt(n + 1, part)(x, s, g),
        lambda x, s, g, z: s * voigt(n + 2, part)(x, s, g),
        lambda x, s, g, z: sign * voigt(n + 1, by_gamma)(x, s, g),
        name=f"voigt_{n}_{part}",
        domain=_widths,
        singular=True,
    )(None, evaluate)


wofz = elementwise_of_scipy("wofz", lambda x, z: faddeeva(1)(x), singular=True)
dawsn = elementwise_of_scipy("dawsn", lambda x, z: dawson(1)(x), singular=True)
voigt_profile = elementwise_of_scipy(
    "voigt_profile", lambda x, s, g, z: voigt(1, "real")(x, s, g), lambda x, s, g, z: s * voigt(2, "real")(x, s, g),
    lambda x, s, g, z: -voigt(1, "imag")(x, s, g), domain=_widths, singular=True)  # fmt: skip
