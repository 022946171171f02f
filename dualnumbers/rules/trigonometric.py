"""Circular functions and their inverses, in radians. Source: NIST DLMF §4.20, §4.24."""

import math

import numpy as np

from ..elementary import elementwise
from .domains import inside_one, off_half_turns, right_half_plane
from .powers import hypot, sqrt

sin = elementwise(math.sin, np.sin, lambda x, z: cos(x))
cos = elementwise(math.cos, np.cos, lambda x, z: -sin(x))
tan = elementwise(math.tan, np.tan, lambda x, z: 1.0 + z * z, domain=off_half_turns)
asin = elementwise(math.asin, np.arcsin, lambda x, z: 1.0 / sqrt((1.0 - x) * (1.0 + x)), domain=inside_one,
                   singular=True)  # fmt: skip
acos = elementwise(math.acos, np.arccos, lambda x, z: -1.0 / sqrt((1.0 - x) * (1.0 + x)), domain=inside_one,
                   singular=True)  # fmt: skip
atan = elementwise(math.atan, np.arctan, lambda x, z: 1.0 / (1.0 + x * x))
# x / (x² + y²) would overflow at 1e200
atan2 = elementwise(math.atan2, np.arctan2, lambda y, x, z: x / hypot(y, x) / hypot(y, x),
                    lambda y, x, z: -(y / hypot(y, x)) / hypot(y, x), domain=right_half_plane,
                    singular=True)  # fmt: skip
