"""The modified Bessel function that NumPy has, and those of other orders, its derivatives."""

import numpy as np

from ...table import BY_NUMPY, elementwise, family
from ..from_scipy import scipy_function


@family
def bessel_i(order):
    """The row of Iₙ, n = ``order``, the modified Bessel function. It needs SciPy. Source: NIST DLMF §10.29."""
    iv, i1 = scipy_function("special.iv"), scipy_function("special.i1")
    return elementwise(
        lambda x, z: 0.5 * (bessel_i(order - 1)(x) + bessel_i(order + 1)(x)), name=f"bessel_i_{order}", singular=True
    )(None, i1 if order == 1 else lambda x: iv(order, x))


i0 = elementwise(lambda x, z: bessel_i(1)(x), name="np_i0", singular=True)(None, lambda x: np.i0(x)[()])
BY_NUMPY[np.i0] = i0
