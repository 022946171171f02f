"""The sine cardinal: sin πx / πx and its derivatives. Source: NIST DLMF §6.2, §10.49, §10.51."""

import math

import numpy as np

from ...table import elementwise, family

_QUARTERS = (np.sin, np.cos, lambda t: -np.sin(t), lambda t: -np.cos(t))
"""sin(t + nπ/2) without rounding nπ/2."""


def _series(n, t, terms=16):
    """Return the n-th derivative of sin t / t, by Σ (−1)ᵏ t²ᵏ⁻ⁿ / ((2k − n)! (2k + 1)): full accuracy for small |t|."""
    first = (n + 1) // 2
    total = np.zeros_like(t)
    for k in range(first + terms, first - 1, -1):
        total = total * t * t + (-1.0) ** k / (math.factorial(2 * k - n) * (2 * k + 1))
    return total * t if n % 2 else total


def _recurrence(n, t):
    """Return the same by t fₙ = sin(t + nπ/2) − n fₙ₋₁: full accuracy unless |t| is small beside n."""
    f = np.sin(t) / t
    for m in range(1, n + 1):
        f = (_QUARTERS[m % 4](t) - m * f) / t
    return f


@family
def sinc_derivative(n):
    """The row of the n-th derivative of the sine cardinal, n ≥ 1."""

    def derivative(x):
        t = np.pi * x
        small = np.abs(t) < max(3.0, 0.6 * n)
        inner, outer = np.where(small, t, np.zeros_like(t)), np.where(small, np.full_like(t, 3.0), t)
        return np.pi**n * np.where(small, _series(n, inner), _recurrence(n, outer))[()]

    return elementwise(lambda x, z: sinc_derivative(n + 1)(x), name=f"sinc_{n}")(None, derivative)


# as a quotient the derivatives at 0 would be lost to cancellation
sinc = elementwise(lambda x, z: sinc_derivative(1)(x))(None, np.sinc)
