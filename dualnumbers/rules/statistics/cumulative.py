"""Sums and products of the elements up to each one."""

import numpy as np

from ...forms import dtype_of, shape
from ...table import composition, linear, smooth
from ..indexing import getitem
from ..shaping import array, astype, concatenate, reshape
from .reductions_where import inexact


def _along(rank, axis, part):
    """Return the index that takes a part of one axis."""
    return (slice(None),) * (axis % rank) + (part,)


def _reversed(x, axis):
    return getitem(x, _along(len(shape(x)), axis, slice(None, None, -1)))


def _in_line(x, axis):
    """Return an array and the axis to go along: all elements in one where ``axis`` is None, as of a number."""
    if axis is None or not shape(x):
        return reshape(x, -1, "C"), 0
    return x, axis


def _sum_pull(g, x, axis, dtype):
    """Each element is in the sums from its own place on."""
    g, axis = (g, 0) if axis is None or not shape(x) else (g, axis)
    return reshape(_reversed(cumsum(_reversed(g, axis), axis, None), axis), shape(x), "C")


@linear(_sum_pull, of=np.cumsum, call=lambda a, axis=None, dtype=None: (a, axis, inexact(dtype, "cumsum")))
def cumsum(x, axis, dtype):
    return np.cumsum(x, axis=axis, dtype=dtype)


def _product_push(dx, z, x, axis, dtype):
    """The product rule on ever longer runs of elements (Hillis & Steele 1986): no division, so zeros do not matter."""
    (x, along), (dx, _) = _in_line(x, axis), _in_line(dx, axis)
    rank, n, step = len(shape(x)), shape(x)[along], 1
    while step < n:
        head, early, late = (_along(rank, along, part) for part in (
            slice(0, step), slice(0, n - step), slice(step, n)))  # fmt: skip
        before, after = getitem(x, early), getitem(x, late)
        longer = getitem(dx, early) * after + before * getitem(dx, late)
        dx = concatenate(getitem(dx, head), longer, along)
        x = concatenate(getitem(x, head), before * after, along)
        step *= 2
    return astype(dx, dtype_of(z))


@smooth(_product_push, of=np.cumprod, call=lambda a, axis=None, dtype=None: (a, axis, inexact(dtype, "cumprod")))
def cumprod(x, axis, dtype):
    return np.cumprod(x, axis=axis, dtype=dtype)


def _cumulative(numpy_function, row, identity):
    """np.cumulative_sum or np.cumulative_prod; ``include_initial`` begins with the value of nothing."""

    @composition(numpy_function)
    def cumulative(x, /, *, axis=None, dtype=None, include_initial=False):
        x = array(x)
        x = x if shape(x) else reshape(x, -1, "C")
        if axis is None and len(shape(x)) > 1:
            raise ValueError(f"{numpy_function.__name__} of an array of shape {shape(x)} needs axis=")
        axis = 0 if axis is None else axis
        z = row(x, axis, inexact(dtype, numpy_function.__name__))
        if not include_initial:
            return z
        lengths = list(shape(z))
        lengths[axis] = 1
        return concatenate(np.full(lengths, identity, dtype_of(z)), z, axis)

    return cumulative


cumulative_sum = _cumulative(np.cumulative_sum, cumsum, 0)
cumulative_prod = _cumulative(np.cumulative_prod, cumprod, 1)
