"""The gamma function and its relatives. Source: NIST DLMF §5.2, §5.12, §5.15. The partials need SciPy."""

import math
from functools import cache

import numpy as np
from numpy.polynomial import Polynomial

from ..elementary import elementwise
from .domains import both_positive, positive
from .from_scipy import elementwise_of_scipy, scipy_function


def _reflected(order, x):
    """ψ⁽ⁿ⁾(x) = (−1)ⁿ ψ⁽ⁿ⁾(1 − x) − π dⁿ/dxⁿ cot πx, at x < 0 (DLMF 5.15.6)."""
    cotangent = Polynomial([0.0, 1.0])
    for _ in range(order):
        cotangent = -math.pi * Polynomial([1.0, 0.0, 1.0]) * cotangent.deriv()
    return (-1) ** order * scipy_function("special.polygamma")(order, 1.0 - x) - math.pi * cotangent(
        1.0 / np.tan(math.pi * (x - np.rint(x)))
    )


@cache
def polygamma(order):
    """The row of ψ⁽ⁿ⁾, n = ``order``, the n-th derivative of the digamma function."""
    psi, higher = scipy_function("special.psi"), scipy_function("special.polygamma")

    def ufunc(x):
        if not order:
            return psi(x)
        with np.errstate(all="ignore"):  # SciPy's takes |x| steps where x is negative
            z = np.where(x < 0, _reflected(order, np.minimum(x, 0.0)), higher(order, np.maximum(x, 0.0)))[()]
        return z.astype(np.result_type(x))  # and it is float64 for float32

    return elementwise(None, ufunc, lambda x, z: polygamma(order + 1)(x), name=f"polygamma_{order}", domain=positive)


gamma = elementwise_of_scipy("gamma", lambda x, z: z * polygamma(0)(x), python=math.gamma, domain=positive,
                             singular=True)  # fmt: skip
lgamma = elementwise_of_scipy("gammaln", lambda x, z: polygamma(0)(x), python=math.lgamma, domain=positive)
psi = elementwise_of_scipy("psi", lambda x, z: polygamma(1)(x), domain=positive)
loggamma = elementwise_of_scipy("loggamma", lambda x, z: polygamma(0)(x), domain=positive)
# −z ψ(x) would cancel near 0, and be 0 · ∞ there: by 1/Γ(x) = x / Γ(x + 1)
rgamma = elementwise_of_scipy("rgamma", lambda x, z: rgamma(x + 1.0) * (1.0 - x * polygamma(0)(x + 1.0)),
                              domain=positive)  # fmt: skip
beta = elementwise_of_scipy("beta", lambda a, b, z: z * (polygamma(0)(a) - polygamma(0)(a + b)),
                            lambda a, b, z: z * (polygamma(0)(b) - polygamma(0)(a + b)), domain=both_positive,
                            singular=True)  # fmt: skip
betaln = elementwise_of_scipy("betaln", lambda a, b, z: polygamma(0)(a) - polygamma(0)(a + b),
                              lambda a, b, z: polygamma(0)(b) - polygamma(0)(a + b), domain=both_positive)  # fmt: skip
