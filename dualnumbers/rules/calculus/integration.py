"""Integrals of sampled functions."""

import numpy as np

from ...table import composition
from ..axes import rank
from ..reductions import sum
from ..shaping import arrays, reshape
from .differences import diff, part_along


@composition(np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral by the trapezoidal rule."""
    y, x = arrays((y, x))
    axis = np.lib.array_utils.normalize_axis_index(axis, rank(y))
    if x is None:
        widths = dx
    elif rank(x) == 1:
        widths = reshape(diff(x), (-1,) + (1,) * (rank(y) - axis - 1), "C")
    else:
        widths = diff(x, axis=axis)
    return sum(widths * (part_along(y, axis, 1, None) + part_along(y, axis, None, -1)) / 2.0, axis, False)
