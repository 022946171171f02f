"""Hyperbolic functions and their inverses. Source: NIST DLMF §4.34, §4.40."""

import math

import numpy as np

from ...forms import is_unreal
from ...table import elementwise
from ..constants import ln2
from ..domains import above_one, inside_one
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
sech = elementwise(lambda x, z: -z * tanh(x), name="sech")(_sech(math.exp, math.fabs), _sech(np.exp, _rightward))
sech2 = elementwise(lambda x, z: -ln2(x) * z * tanh(ln2(x) * x), name="sech2")(
    _sech(math.exp2, math.fabs), _sech(np.exp2, _rightward)
)
sinh = elementwise(lambda x, z: cosh(x), singular=True)(math.sinh, np.sinh)
cosh = elementwise(lambda x, z: sinh(x), singular=True)(math.cosh, np.cosh)
# 1 − z² would lose the tail to cancellation: at x = 20 no digit is left
tanh = elementwise(lambda x, z: square(sech(x)))(math.tanh, np.tanh)
# hypot does not overflow at 1e200, but takes no complex argument
asinh = elementwise(lambda x, z: 1.0 / (sqrt(1.0 + x * x) if is_unreal(x) else hypot(1.0, x)))(math.asinh, np.arcsinh)
acosh = elementwise(lambda x, z: 1.0 / (sqrt(x - 1.0) * sqrt(x + 1.0)), domain=above_one, singular=True)(
    math.acosh, np.arccosh
)
atanh = elementwise(lambda x, z: 1.0 / one_minus_square(x), domain=inside_one, singular=True)(math.atanh, np.arctanh)
