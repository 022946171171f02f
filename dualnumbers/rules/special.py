"""The gamma function and its relatives. Source: NIST DLMF §5.2, §5.12, §5.15. The partials need SciPy."""

import math
from functools import cache

import numpy as np

from ..elementary import elementwise
from .domains import both_positive, positive
from .from_scipy import elementwise_of_scipy, scipy_function


@cache
def polygamma(order):
    """The row of ψ⁽ⁿ⁾, n = ``order``, the n-th derivative of the digamma function."""
    psi, higher = scipy_function("special.psi"), scipy_function("special.polygamma")

    def ufunc(x):
        z = higher(order, x) if order else psi(x)
        return z.astype(np.result_type(x))  # SciPy's polygamma is float64 for float32

    return elementwise(None, ufunc, lambda x, z: polygamma(order + 1)(x), name=f"polygamma_{order}", domain=positive)


gamma = elementwise_of_scipy("gamma", lambda x, z: z * polygamma(0)(x), python=math.gamma, domain=positive,
                             singular=True)  # fmt: skip
lgamma = elementwise_of_scipy("gammaln", lambda x, z: polygamma(0)(x), python=math.lgamma, domain=positive)
psi = elementwise_of_scipy("psi", lambda x, z: polygamma(1)(x), domain=positive)
loggamma = elementwise_of_scipy("loggamma", lambda x, z: polygamma(0)(x), domain=positive)
rgamma = elementwise_of_scipy("rgamma", lambda x, z: -z * polygamma(0)(x), domain=positive)
beta = elementwise_of_scipy("beta", lambda a, b, z: z * (polygamma(0)(a) - polygamma(0)(a + b)),
                            lambda a, b, z: z * (polygamma(0)(b) - polygamma(0)(a + b)), domain=both_positive,
                            singular=True)  # fmt: skip
betaln = elementwise_of_scipy("betaln", lambda a, b, z: polygamma(0)(a) - polygamma(0)(a + b),
                              lambda a, b, z: polygamma(0)(b) - polygamma(0)(a + b), domain=both_positive)  # fmt: skip
