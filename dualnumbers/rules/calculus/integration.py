"""Integrals of sampled functions."""

import numpy as np

from ...table import composition
from ..axes import rank
from ..indexing import getitem
from ..reductions import sum
from ..shaping import arrays, reshape
from .differences import diff


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
    lead = (slice(None),) * axis
    later, earlier = getitem(y, (*lead, slice(1, None))), getitem(y, (*lead, slice(None, -1)))
    return sum(widths * (later + earlier) / 2.0, axis, False)
