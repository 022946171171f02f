"""Exponentials and logarithms. Source: NIST DLMF §4.2, §4.10."""

import math

import numpy as np

from ..elementary import elementwise
from .complexes import is_unreal
from .constants import ln2, log2e, log10e
from .domains import above_minus_one, positive
from .selection import where
from .steps import equal, isinf

exp = elementwise(math.exp, np.exp, lambda x, z: z, singular=True)
exp2 = elementwise(getattr(math, "exp2", None), np.exp2, lambda x, z: ln2(x) * z, singular=True)
expm1 = elementwise(math.expm1, np.expm1, lambda x, z: exp(x), singular=True)  # z + 1 would round e⁻⁴⁰ away
log = elementwise(math.log, np.log, lambda x, z: 1.0 / x, domain=positive, singular=True)
log2 = elementwise(math.log2, np.log2, lambda x, z: log2e(x) / x, domain=positive, singular=True)
log10 = elementwise(math.log10, np.log10, lambda x, z: log10e(x) / x, domain=positive, singular=True)
log1p = elementwise(math.log1p, np.log1p, lambda x, z: 1.0 / (1.0 + x), domain=above_minus_one, singular=True)


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


# 1 / (1 + e⁻ˣ) and its like to base 2: rows, for the derivative of the quotient would underflow before z does
logistic = elementwise(*_logistic(np.exp), lambda x, z: z * logistic(-x), name="logistic")
logistic2 = elementwise(*_logistic(np.exp2), lambda x, z: ln2(x) * z * logistic2(-x), name="logistic2")
# eˣ⁻ᶻ would keep the rounding error of z: 13 digits at x = 1000
logaddexp = elementwise(None, np.logaddexp, lambda x, y, z: logistic(_gap(x, y)),
                        lambda x, y, z: logistic(_gap(y, x)), singular=True)  # fmt: skip
logaddexp2 = elementwise(None, np.logaddexp2, lambda x, y, z: logistic2(_gap(x, y)),
                         lambda x, y, z: logistic2(_gap(y, x)), singular=True)  # fmt: skip


def square_exponential(c, exponential, absolute, smaller, rounded):
    """exp(−c x²) as exp(−c h²) exp(−c (x − h)(x + h)), h the nearest sixteenth, c a power of 2.

    h² and x − h are exact; the rounding of x² would cost two digits at 26.
    """

    def gaussian(x):
        if is_unreal(x):
            return exponential(-c * x * x)
        x = smaller(absolute(x), 160.0)  # where it is 0 in any precision, and the square does not overflow
        high = rounded(16.0 * x) / 16.0
        return exponential(-c * high * high) * exponential(c * (high - x) * (x + high))

    return gaussian


gaussian = elementwise(square_exponential(1.0, math.exp, math.fabs, min, round),
                       square_exponential(1.0, np.exp, np.abs, np.minimum, np.rint),
                       lambda x, z: -2.0 * x * z, name="gaussian")  # fmt: skip
