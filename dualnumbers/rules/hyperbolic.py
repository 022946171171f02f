"""Hyperbolic functions and their inverses. Source: NIST DLMF §4.34, §4.40."""

import math

import numpy as np

from ..elementary import elementwise
from .complexes import is_unreal
from .domains import above_one, inside_one
from .powers import hypot, sqrt, square


def _sech(x):
    """1 / cosh x. Its square is the slope of tanh, which 1 − tanh² x loses to cancellation (no digit left at x = 20)."""
    return 1.0 / cosh(x)


sinh = elementwise(math.sinh, np.sinh, lambda x, z: cosh(x))
cosh = elementwise(math.cosh, np.cosh, lambda x, z: sinh(x))
tanh = elementwise(math.tanh, np.tanh, lambda x, z: square(_sech(x)))
# hypot does not overflow at 1e200, but takes no complex argument
asinh = elementwise(math.asinh, np.arcsinh,
                    lambda x, z: 1.0 / (sqrt(1.0 + x * x) if is_unreal(x) else hypot(1.0, x)))  # fmt: skip
acosh = elementwise(math.acosh, np.arccosh, lambda x, z: 1.0 / (sqrt(x - 1.0) * sqrt(x + 1.0)), domain=above_one,
                    singular=True)  # fmt: skip
atanh = elementwise(math.atanh, np.arctanh, lambda x, z: 1.0 / ((1.0 - x) * (1.0 + x)), domain=inside_one,
                    singular=True)  # fmt: skip
