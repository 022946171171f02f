"""The gamma function and its relatives. Source: NIST DLMF §5.2, §5.12, §5.15. The partials need SciPy."""

import math
from functools import cache

import numpy as np

from ...foreign import as_array, of_one_library, one_of
from ...table import elementwise, family
from ..branches import either
from ..comparisons import less
from ..complexes import real
from ..domains import Domain, both_positive, positive
from ..from_scipy import elementwise_of_scipy, scipy_function
from ..gauss_legendre import gauss, in_blocks
from ..where import where
from .trigonometric import cos_pi, sin_pi

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""B₂, B₄, …: of the Euler–Maclaurin formula."""

TERMS = 12
"""So many of Σ (z + k)⁻ˢ are added one by one; the rest is an integral with its corrections."""


def _of_complex(order, z):
    """ψ⁽ⁿ⁾(z) = (−1)ⁿ⁺¹ n! Σ (z + k)⁻ⁿ⁻¹, Re z ≥ 0, by the Euler–Maclaurin formula: SciPy's is for real arguments."""
    b = z + TERMS
    rest = b**-order / order + 0.5 * b ** -(order + 1)
    for j, number in enumerate(BERNOULLI, 1):
        rest = rest + number * math.comb(order + 2 * j - 1, order) / (2 * j) * b ** -(order + 2 * j)
    return (-1) ** (order + 1) * math.factorial(order) * (sum((z + k) ** -(order + 1.0) for k in range(TERMS)) + rest)


def higher(order, x):
    """Return ψ⁽ⁿ⁾ of plain numbers, n = ``order`` ≥ 1; of real ones by zeta, in double precision."""
    if np.iscomplexobj(x):
        return _of_complex(order, x)
    zeta, factorial = scipy_function("special.zeta"), scipy_function("special.gamma")(order + 1.0)
    return (-1) ** (order + 1) * factorial * zeta(np.float64(order + 1), x)


@cache
def _of_cotangent(order):
    """dⁿ/dxⁿ cot πx, a polynomial of it."""
    cotangent = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(order):
        cotangent = -math.pi * np.polynomial.Polynomial([1.0, 0.0, 1.0]) * cotangent.deriv()
    return cotangent


def _reflected(order, x):
    """ψ⁽ⁿ⁾(x) = (−1)ⁿ ψ⁽ⁿ⁾(1 − x) − π dⁿ/dxⁿ cot πx, at x < 0 (DLMF 5.15.6)."""
    turn = np.tan(math.pi * (x - np.rint(np.real(x))))
    return (-1) ** order * higher(order, 1.0 - x) - math.pi * np.polynomial.polynomial.polyval(
        1.0 / turn, _of_cotangent(order).coef
    )


@family
def polygamma(order):
    """The row of ψ⁽ⁿ⁾, n = ``order``, the n-th derivative of the digamma function."""
    psi = scipy_function("special.psi")

    def ufunc(x):
        if not order:
            return psi(x)
        with np.errstate(all="ignore"):
            left = np.real(x) < 0  # where SciPy's takes |x| steps
            z = either(
                left,
                lambda: _reflected(order, np.where(left, x, 0.0)),
                lambda: higher(order, np.where(left, 0.0, x)),
            )
        return z.astype(np.result_type(x))[()]  # and it is float64 for float32

    return elementwise(lambda x, z: polygamma(order + 1)(x), name=f"polygamma_{order}", domain=positive, singular=True)(
        None, ufunc
    )


def _difference(order, x, h):
    """h times the mean of ψ⁽ⁿ⁺¹⁾ between x and x + h, unless the larger is beyond 5 times the smaller."""
    nodes, weights = gauss(one_of((x, h)), 24)
    kind = np.result_type(np.result_type(x, h), np.float32)
    x, h = np.broadcast_arrays(*of_one_library(x, h, dtype=float))
    with np.errstate(all="ignore"):
        found = as_array(polygamma(order)(x + h) - polygamma(order)(x))
        near = (-0.8 * x < h) & (h < 4.0 * x)
        mean = in_blocks(lambda x, h: (polygamma(order + 1)(x + h * nodes) @ weights)[:, np.newaxis], x[near], h[near])
    found[near] = h[near] * mean
    return found.astype(kind)[()]


@family
def polygamma_difference(order):
    """The row of ψ⁽ⁿ⁾(x + h) − ψ⁽ⁿ⁾(x), n = ``order``, which does not cancel."""
    return elementwise(
        lambda x, h, z: polygamma_difference(order + 1)(x, h),
        lambda x, h, z: polygamma(order + 1)(x + h),
        name=f"polygamma_difference_{order}",
        domain=Domain("x > 0, x + h > 0", ((2.0, 20.0), (-1.9, 20.0))),
        singular=True,
    )(None, lambda x, h: _difference(order, x, h))


gamma = elementwise_of_scipy(
    "gamma", lambda x, z: z * polygamma(0)(x), python=math.gamma, domain=positive, singular=True
)
lgamma = elementwise_of_scipy(
    "gammaln", lambda x, z: polygamma(0)(x), python=math.lgamma, domain=positive, singular=True
)
psi = elementwise_of_scipy("psi", lambda x, z: polygamma(1)(x), domain=positive, singular=True)
loggamma = elementwise_of_scipy("loggamma", lambda x, z: polygamma(0)(x), domain=positive, singular=True)


def _rgamma_slope(x, z):
    """−z ψ(x); at the left, where that is 0 · ∞ at whole numbers, of 1/Γ(x) = Γ(1 − x) sin πx / π (DLMF 5.5.3)."""
    left = less(real(x), 0.5)
    t = where(left, x, 0.0)
    reflected = gamma(1.0 - t) * (cos_pi(t) - sin_pi(t) * polygamma(0)(1.0 - t) / math.pi)
    return where(left, reflected, -z * polygamma(0)(where(left, 1.0, x)))


rgamma = elementwise_of_scipy("rgamma", _rgamma_slope, domain=positive)
beta = elementwise_of_scipy("beta", lambda a, b, z: -z * polygamma_difference(0)(a, b),
                            lambda a, b, z: -z * polygamma_difference(0)(b, a), domain=both_positive,
                            singular=True)  # fmt: skip
betaln = elementwise_of_scipy("betaln", lambda a, b, z: -polygamma_difference(0)(a, b),
                              lambda a, b, z: -polygamma_difference(0)(b, a), domain=both_positive,
                              singular=True)  # fmt: skip
