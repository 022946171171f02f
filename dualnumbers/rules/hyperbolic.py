"""Hyperbolic functions and their inverses. Source: NIST DLMF §4.34, §4.40."""

import math

import numpy as np

from ..elementary import elementwise
from ..forms import is_unreal
from .constants import ln2
from .domains import above_one, inside_one
from .powers import hypot, one_minus_square, sqrt, square


def _sech(exponential, size):
    """2 / (bˣ + b⁻ˣ), which does not overflow."""

    def function(x):
        e = exponential(-size(x))
        return 2.0 * e / (1.0 + e * e)

    return function


def _rightward(x):
    """x or −x, whichever is not left of 0."""
    return np.where(np.real(x) < 0, -x, x)[()] if is_unreal(x) else np.abs(x)


# fabs refuses complex numbers
sech = elementwise(_sech(math.exp, math.fabs), _sech(np.exp, _rightward), lambda x, z: -z * tanh(x), name="sech")
sech2 = elementwise(_sech(math.exp2, math.fabs), _sech(np.exp2, _rightward),
                    lambda x, z: -ln2(x) * z * tanh(ln2(x) * x), name="sech2")  # fmt: skip
sinh = elementwise(math.sinh, np.sinh, lambda x, z: cosh(x), singular=True)
cosh = elementwise(math.cosh, np.cosh, lambda x, z: sinh(x), singular=True)
# 1 − z² would lose the tail to cancellation: at x = 20 no digit is left
tanh = elementwise(math.tanh, np.tanh, lambda x, z: square(sech(x)))
# hypot does not overflow at 1e200, but takes no complex argument
asinh = elementwise(math.asinh, np.arcsinh,
                    lambda x, z: 1.0 / (sqrt(1.0 + x * x) if is_unreal(x) else hypot(1.0, x)))  # fmt: skip
acosh = elementwise(math.acosh, np.arccosh, lambda x, z: 1.0 / (sqrt(x - 1.0) * sqrt(x + 1.0)), domain=above_one,
                    singular=True)  # fmt: skip
atanh = elementwise(math.atanh, np.arctanh, lambda x, z: 1.0 / one_minus_square(x), domain=inside_one,
                    singular=True)  # fmt: skip
