"""Circular functions and their inverses, in radians. Source: NIST DLMF §4.20, §4.24."""

import math

import numpy as np

from ...forms import is_unreal
from ...table import elementwise
from ..domains import inside_one, off_half_turns, right_half_plane
from .powers import hypot, one_minus_square, sqrt, square


def _nearest(x):
    """Return the rest of x after its nearest whole number, and the sign of sin and cos of π times that."""
    whole = np.rint(np.real(x))
    return x - whole, 1.0 - 2.0 * np.mod(whole, 2.0)


def _sin_pi(x):
    rest, sign = _nearest(x)
    return sign * np.sin(np.pi * rest)


def _cos_pi(x):
    rest, sign = _nearest(x)
    if is_unreal(x):
        return sign * np.cos(np.pi * rest)
    beside = np.abs(rest) > 0.25
    return sign * np.where(beside, np.sin(np.pi * (0.5 - np.abs(rest))), np.cos(np.pi * rest))[()]


sin = elementwise(lambda x, z: cos(x))(math.sin, np.sin)
cos = elementwise(lambda x, z: -sin(x))(math.cos, np.cos)
tan = elementwise(lambda x, z: 1.0 + z * z, domain=off_half_turns)(math.tan, np.tan)
asin = elementwise(lambda x, z: 1.0 / sqrt(one_minus_square(x)), domain=inside_one, singular=True)(math.asin, np.arcsin)
acos = elementwise(lambda x, z: -1.0 / sqrt(one_minus_square(x)), domain=inside_one, singular=True)(
    math.acos, np.arccos
)
# of 1 / (1 + x²) the derivative would underflow at 1e100; hypot takes no complex argument
atan = elementwise(lambda x, z: 1.0 / (1.0 + x * x) if is_unreal(x) else square(1.0 / hypot(1.0, x)))(
    math.atan, np.arctan
)
# x / (x² + y²) would overflow at 1e200
atan2 = elementwise(
    lambda y, x, z: x / hypot(y, x) / hypot(y, x),
    lambda y, x, z: -(y / hypot(y, x)) / hypot(y, x),
    domain=right_half_plane,
    singular=True,
)(math.atan2, np.arctan2)
# sin πx and cos πx, whose zeros the rounding of πx would lose
sin_pi = elementwise(lambda x, z: math.pi * cos_pi(x))(None, _sin_pi)
cos_pi = elementwise(lambda x, z: -math.pi * sin_pi(x))(None, _cos_pi)
