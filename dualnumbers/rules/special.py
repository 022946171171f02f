"""Gamma and error functions. Source: NIST DLMF §5.2, §5.15, §7.2. The partials of the gamma family need SciPy."""

import math
from functools import cache

import numpy as np

from ..elementary import elementwise
from .domains import positive
from .exponential import gaussian
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
erf = elementwise_of_scipy("erf", lambda x, z: 2.0 / math.sqrt(math.pi) * gaussian(x), python=math.erf)
erfc = elementwise_of_scipy("erfc", lambda x, z: -2.0 / math.sqrt(math.pi) * gaussian(x), python=math.erfc)
