"""Circular functions and their inverses, in radians. Source: NIST DLMF §4.20, §4.24."""

import math

import numpy as np

from ..elementary import elementwise
from .complexes import is_unreal
from .domains import inside_one, off_half_turns, right_half_plane
from .powers import hypot, one_minus_square, sqrt, square

sin = elementwise(math.sin, np.sin, lambda x, z: cos(x))
cos = elementwise(math.cos, np.cos, lambda x, z: -sin(x))
tan = elementwise(math.tan, np.tan, lambda x, z: 1.0 + z * z, domain=off_half_turns)
asin = elementwise(math.asin, np.arcsin, lambda x, z: 1.0 / sqrt(one_minus_square(x)), domain=inside_one,
                   singular=True)  # fmt: skip
acos = elementwise(math.acos, np.arccos, lambda x, z: -1.0 / sqrt(one_minus_square(x)), domain=inside_one,
                   singular=True)  # fmt: skip
# of 1 / (1 + x²) the derivative would underflow at 1e100; hypot takes no complex argument
atan = elementwise(math.atan, np.arctan,
                   lambda x, z: 1.0 / (1.0 + x * x) if is_unreal(x) else square(1.0 / hypot(1.0, x)))  # fmt: skip
# x / (x² + y²) would overflow at 1e200
atan2 = elementwise(math.atan2, np.arctan2, lambda y, x, z: x / hypot(y, x) / hypot(y, x),
                    lambda y, x, z: -(y / hypot(y, x)) / hypot(y, x), domain=right_half_plane,
                    singular=True)  # fmt: skip
