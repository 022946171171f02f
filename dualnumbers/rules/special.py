"""Gamma and error functions. Source: NIST DLMF §5.2, §5.15, §7.2. The partials of the gamma family need SciPy."""

import math
from functools import cache

import numpy as np

from ..elementary import BY_NUMPY, elementwise
from .domains import positive
from .exponential import exp


def _special(name):
    """The ufunc of that name in scipy.special, looked up at its first call."""

    def ufunc(*xs):
        try:
            import scipy.special
        except ImportError as error:
            raise ImportError(
                f"scipy.special.{name} is needed here; install it with: pip install 'dualautodiff[scipy]'"
            ) from error
        return getattr(scipy.special, name)(*xs)

    return ufunc


def _elementwise_special(python, name, *partials, **fields):
    """A row that ``math`` and ``scipy.special`` share; SciPy's ufunc finds it by its name."""
    ufunc = _special(name)
    function = elementwise(python, ufunc, *partials, **fields)
    BY_NUMPY[name] = BY_NUMPY[ufunc]
    return function


@cache
def polygamma(order):
    """The row of ψ⁽ⁿ⁾, n = ``order``, the n-th derivative of the digamma function."""

    def ufunc(x):
        z = _special("polygamma")(order, x) if order else _special("psi")(x)
        return z.astype(np.result_type(x))  # SciPy's polygamma is float64 for float32

    return elementwise(None, ufunc, lambda x, z: polygamma(order + 1)(x), name=f"polygamma_{order}", domain=positive)


gamma = _elementwise_special(math.gamma, "gamma", lambda x, z: z * polygamma(0)(x), domain=positive,
                            singular=True)  # fmt: skip
lgamma = _elementwise_special(math.lgamma, "gammaln", lambda x, z: polygamma(0)(x), domain=positive)
erf = _elementwise_special(math.erf, "erf", lambda x, z: 2.0 / math.sqrt(math.pi) * exp(-x * x))
erfc = _elementwise_special(math.erfc, "erfc", lambda x, z: -2.0 / math.sqrt(math.pi) * exp(-x * x))
