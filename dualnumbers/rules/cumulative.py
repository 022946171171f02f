"""Cumulative sums and products along an axis."""

import numpy as np

from ..elementary import composition, linear, smooth
from .axes import flip, moveaxis
from .indexing import getitem
from .shaping import concatenate, ravel, shape

_cumsum = linear(None, None, lambda g, x, axis: flip(_cumsum(flip(g, axis), axis), axis), name="cumsum", statics=1,
                 evaluate=lambda x, axis: np.cumsum(x, axis))  # fmt: skip


def _cumprod_push(dx, z, x, axis):
    """The products of ever longer runs and their tangents, run length doubling: no division, so zeros do not matter."""
    run, d_run = moveaxis(x, axis, -1), moveaxis(dx, axis, -1)
    length, n = 1, shape(run)[-1]
    while length < n:
        head, tail = (..., slice(0, length)), (..., slice(length, n))
        before = (..., slice(0, n - length))
        d_longer = getitem(d_run, before) * getitem(run, tail) + getitem(run, before) * getitem(d_run, tail)
        d_run = concatenate(getitem(d_run, head), d_longer, -1)
        run = concatenate(getitem(run, head), getitem(run, before) * getitem(run, tail), -1)
        length *= 2
    return moveaxis(d_run, -1, axis)


_cumprod = smooth(None, None, _cumprod_push, name="cumprod", statics=1, evaluate=lambda x, axis: np.cumprod(x, axis))


def _along(row, neutral, numpy_function, standard_function):
    @composition(numpy_function)
    def cumulative(a, axis=None, dtype=None):
        """Of every element with all before it."""
        a = a if dtype is None else a.astype(dtype)
        return row(ravel(a), 0) if axis is None else row(a, axis)

    @composition(standard_function)
    def of_array_standard(x, /, *, axis=None, dtype=None, include_initial=False):
        """The same, with the value of nothing before it if that is asked for."""
        if axis is None and len(shape(x)) != 1:
            raise ValueError("an array of several axes, or of none, needs axis=")
        z = cumulative(x, 0 if axis is None else axis, dtype)
        if not include_initial:
            return z
        axis = 0 if axis is None else np.lib.array_utils.normalize_axis_index(axis, len(shape(z)))
        first = np.full(tuple(1 if i == axis else n for i, n in enumerate(shape(z))), neutral, z.dtype)
        return concatenate(first, z, axis)

    return cumulative


cumsum = _along(_cumsum, 0, np.cumsum, np.cumulative_sum)
cumprod = _along(_cumprod, 1, np.cumprod, np.cumulative_prod)
