"""Differences of neighbours along an axis, and what is built of them."""

import numpy as np

from ...forms import dtype_of, shape
from ...levels import read
from ...table import composition, smooth
from ..axes import moveaxis, rank
from ..comparisons import not_equal
from ..indexing import getitem
from ..shaping import array, arrays, astype, broadcast_to, concatenate, lying_as, ravel, reshape


def part_along(x, axis, start, stop):
    """Return the elements from ``start`` up to ``stop`` along an axis, as a view."""
    return getitem(x, (slice(None),) * axis + (slice(start, stop),))


@composition(np.diff)
def diff(a, n=1, axis=-1, prepend=np._NoValue, append=np._NoValue):
    """The ``n``-th difference of neighbours, after more elements are put before and after."""
    if n < 0:
        raise ValueError(f"diff: the order must be non-negative, not {n}")
    if not rank(a):
        raise ValueError("diff: an array of no axes has no neighbours")
    if n == 0:
        return a
    axis = np.lib.array_utils.normalize_axis_index(axis, rank(a))
    one = tuple(1 if i == axis else k for i, k in enumerate(shape(a)))
    ends = [x if x is np._NoValue or rank(x) else broadcast_to(x, one) for x in arrays((prepend, append))]
    parts = [x for x in (ends[0], a, ends[1]) if x is not np._NoValue]
    a = concatenate(*parts, axis) if len(parts) > 1 else a
    for _ in range(n):
        later, earlier = part_along(a, axis, 1, None), part_along(a, axis, None, -1)
        a = not_equal(later, earlier) if dtype_of(a).kind == "b" else later - earlier
    return a


@composition(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of all neighbours, with more elements put after and before."""
    ary = array(ary)
    parts = [ravel(x) for x in arrays((to_begin, diff(ravel(ary)), to_end)) if x is not None]
    parts = [astype(x, dtype_of(ary)) for x in parts]
    return concatenate(*parts, 0) if len(parts) > 1 else parts[0]


@smooth(
    lambda dp, z, p, period, discont, axis: dp,
    lambda dt, z, p, period, discont, axis: np.rint((read(z) - read(p)) / read(period)) * dt,
    of=np.unwrap,
    call=lambda p, discont=None, axis=-1, *, period=2 * np.pi: (p, period, read(discont), axis),
)
def unwrap(p, period, discont, axis):
    """The number of periods that are added is locally constant."""
    return np.unwrap(p, discont, axis, period=period)


# ---------------------------------------------------------------------------------------------- np.gradient


def _slopes(f, h, edge_order):
    """Return the derivative along the first axis, at the spacing ``h``: a number, or one for each pair of neighbours.

    Source: B. Fornberg, *Generation of finite difference formulas on arbitrarily spaced grids*, 1988.
    """
    at = lambda start, stop: getitem(f, slice(start, stop))
    if not shape(h):
        inner = (at(2, None) - at(None, -2)) / (2.0 * h)
        if edge_order == 1:
            return concatenate((at(1, 2) - at(0, 1)) / h, inner, (at(-1, None) - at(-2, -1)) / h, 0)
        first = -1.5 / h * at(0, 1) + 2.0 / h * at(1, 2) + -0.5 / h * at(2, 3)
        last = 0.5 / h * at(-3, -2) + -2.0 / h * at(-2, -1) + 1.5 / h * at(-1, None)
        return concatenate(first, inner, last, 0)
    h = reshape(h, (-1,) + (1,) * (rank(f) - 1), "C")
    left, right = getitem(h, slice(0, -1)), getitem(h, slice(1, None))
    inner = (-right / (left * (left + right)) * at(None, -2) + (right - left) / (left * right) * at(1, -1)
             + left / (right * (left + right)) * at(2, None))  # fmt: skip
    p, q = getitem(h, slice(0, 1)), getitem(h, slice(-1, None))
    if edge_order == 1:
        return concatenate((at(1, 2) - at(0, 1)) / p, inner, (at(-1, None) - at(-2, -1)) / q, 0)
    r, s = getitem(h, slice(1, 2)), getitem(h, slice(-2, -1))
    first = -(2.0 * p + r) / (p * (p + r)) * at(0, 1) + (p + r) / (p * r) * at(1, 2) - p / (r * (p + r)) * at(2, 3)
    last = (q / (s * (s + q)) * at(-3, -2) - (q + s) / (s * q) * at(-2, -1)
            + (2.0 * q + s) / (q * (s + q)) * at(-1, None))  # fmt: skip
    return concatenate(first, inner, last, 0)


@composition(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    """The derivative along the axes by second-order differences; the spacings may be numbers or coordinates."""
    f = array(f)
    np.gradient(np.zeros(shape(f)), *map(read, varargs), axis=axis, edge_order=edge_order)  # for its errors
    axes = range(rank(f)) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, rank(f))
    spacings = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    found = []
    for i, h in zip(axes, arrays(spacings), strict=True):
        h = diff(h) if rank(h) else h
        if rank(h) and np.all(h == h[0]) and h is read(h):
            h = h[0]  # as NumPy does
        slopes = moveaxis(_slopes(moveaxis(f, i, 0), h, edge_order), 0, i)
        slopes = lying_as(slopes, f)
        found.append(astype(slopes, dtype_of(f)) if dtype_of(f).kind in "fc" else slopes)
    return found[0] if len(found) == 1 else tuple(found)
