"""The logistic function and logarithms of sums of two exponentials, to base 2 as well. Source: NIST DLMF §4.2."""

import math

import numpy as np

from ...forms import is_unreal
from ...table import elementwise
from ..comparisons import equal, isinf
from ..constants import ln2
from ..where import where
from .hyperbolic import sech, sech2
from .powers import square


def _logistic(exponential):
    """1 / (1 + bˣ) at −x, in a form that does not overflow, for Python floats and for arrays."""

    def of_float(x):
        e = exponential(-math.fabs(x)).item()  # fabs refuses complex numbers
        return (e if x < 0 else 1.0) / (1.0 + e)

    def of_array(x):
        if is_unreal(x):
            return 1.0 / (1.0 + exponential(-x))
        e = exponential(-np.abs(x))
        return np.where(x < 0, e, np.ones_like(e))[()] / (1.0 + e)

    return of_float, of_array


def _gap(x, y):
    """x − y, 0 where both are the same infinity: a tie, shared equally."""
    return where(equal(x, y) & isinf(x), 0.0, x - y)


# 1 / (1 + e⁻ˣ) and its like to base 2: rows, for the derivative of the quotient would underflow before z does; and the
# derivative of z (1 − z) cancels near 0: at 1e-12 four digits are left
logistic = elementwise(lambda x, z: square(0.5 * sech(0.5 * x)), name="logistic")(*_logistic(np.exp))
logistic2 = elementwise(lambda x, z: ln2(x) * square(0.5 * sech2(0.5 * x)), name="logistic2")(*_logistic(np.exp2))
# eˣ⁻ᶻ would keep the rounding error of z: 13 digits at x = 1000
logaddexp = elementwise(lambda x, y, z: logistic(_gap(x, y)), lambda x, y, z: logistic(_gap(y, x)), singular=True)(
    None, np.logaddexp
)
logaddexp2 = elementwise(lambda x, y, z: logistic2(_gap(x, y)), lambda x, y, z: logistic2(_gap(y, x)), singular=True)(
    None, np.logaddexp2
)
