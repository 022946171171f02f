"""Axes: exchange, add, remove, reverse them. Written in views, so that NumPy's views are views here."""

from functools import lru_cache

import numpy as np

from ..foreign import has_no_strides
from ..forms import is_array, shape
from ..table import composition
from ..table.dispatch import refuse
from .indexing import getitem
from .shaping import arrays, broadcast_whole, copied, reshape, transpose, view

_normalised = np.lib.array_utils.normalize_axis_tuple


def rank(x):
    """Return the number of axes of a value of any kind."""
    return len(shape(x))


def _probe(x):
    """Return an array of the shape of ``x`` that takes no memory, to ask NumPy for shapes and errors."""
    return np.broadcast_to(np.False_, shape(x))


# ---------------------------------------------------------------------------------------------- order of axes


def _order(numpy_function, count, *arguments, **keywords):
    """Return the order in which NumPy's function puts so many axes."""
    return numpy_function(np.empty(tuple(range(count))), *arguments, **keywords).shape


_known_order = lru_cache(_order)


def _exchange(numpy_function):
    def function(a, *arguments, **keywords):
        """Return the axes in the order that NumPy's function gives to those of an empty array of shape (0, 1, 2, …)."""
        numbers = not keywords and all(type(axis) is int for axis in arguments)
        order = (_known_order if numbers else _order)(numpy_function, rank(a), *arguments, **keywords)
        return view(transpose, a, order)

    function.__name__ = numpy_function.__name__
    return composition(numpy_function, weak=True)(function)


swapaxes = _exchange(np.swapaxes)
moveaxis = _exchange(np.moveaxis)
rollaxis = _exchange(np.rollaxis)


def to_end(x, axis):
    """Return the array with an axis moved to the end."""
    return x if axis in (-1, rank(x) - 1) else moveaxis(x, axis, -1)


def from_end(x, axis):
    """Return the array with the last axis moved to the place ``axis``."""
    return x if axis in (-1, rank(x) - 1) else moveaxis(x, -1, axis)


# ---------------------------------------------------------------------------------------------- axes of length 1


@composition(np.squeeze, weak=True)
def squeeze(a, axis=None):
    """Remove axes of length 1."""
    return view(reshape, a, np.squeeze(_probe(a), axis).shape, "C")


def _at_least(numpy_function):
    def function(*arys):
        """Return each array with axes of length 1 added until it has enough."""
        joined = [view(reshape, x, numpy_function(_probe(x)).shape, "C") for x in arrays(arys)]
        return joined[0] if len(joined) == 1 else tuple(joined)

    function.__name__ = numpy_function.__name__
    return composition(numpy_function)(function)


atleast_1d = _at_least(np.atleast_1d)
atleast_2d = _at_least(np.atleast_2d)
atleast_3d = _at_least(np.atleast_3d)


@composition(np.broadcast_arrays)
def broadcast_arrays(*args):
    """All arrays at their common shape."""
    common = np.broadcast_shapes(*map(shape, args))
    args = [x if is_array(x) else copied(x, "C") for x in arrays(args)]
    return tuple(x if shape(x) == common else view(broadcast_whole, x, common) for x in args)


@composition(np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays of a grid, from the coordinates along each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("meshgrid: indexing is 'xy' or 'ij'")
    if not copy:
        refuse(has_no_strides, "np.meshgrid(…, copy=False)", "views; leave the keyword out", xi)
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = [1, 0]
    grid = [
        view(reshape, copied(x, "C") if copy else x, tuple(-1 if i == place else 1 for i in range(len(xi))), "C")
        for x, place in zip(xi, order, strict=True)
    ]
    if sparse:
        return tuple(grid)
    grid = broadcast_arrays(*grid)
    return tuple(copied(x, "C") for x in grid) if copy else grid


# ---------------------------------------------------------------------------------------------- direction


@composition(np.flip)
def flip(m, axis=None):
    """The elements in reverse order along the axes."""
    axes = range(rank(m)) if axis is None else _normalised(axis, rank(m))
    return view(getitem, m, tuple(slice(None, None, -1 if i in axes else None) for i in range(rank(m))))


@composition(np.fliplr)
def fliplr(m):
    """The elements in reverse order along the second axis."""
    np.fliplr(_probe(m))
    return flip(m, 1)


@composition(np.flipud)
def flipud(m):
    """The elements in reverse order along the first axis."""
    np.flipud(_probe(m))
    return flip(m, 0)


@composition(np.rot90)
def rot90(m, k=1, axes=(0, 1)):
    """The plane of two axes turned by ``k`` right angles, from the first towards the second."""
    np.rot90(_probe(m), k, axes)
    first, second = _normalised(axes, rank(m))
    if k % 4 == 0:
        return view(getitem, m, ...)
    if k % 4 == 2:
        return flip(m, (first, second))
    return swapaxes(flip(m, second), first, second) if k % 4 == 1 else flip(swapaxes(m, first, second), second)


# ---------------------------------------------------------------------------------------------- parts


def _parts(ary, sections, axis):
    """Views of consecutive parts along an axis."""
    axis = np.lib.array_utils.normalize_axis_index(axis, rank(ary))
    before = (slice(None),) * axis
    bounds = [(part[0], part[-1] + 1) if len(part) else (0, 0) for part in sections(np.arange(shape(ary)[axis]))]
    return [view(getitem, ary, (*before, slice(start, stop))) for start, stop in bounds]


@composition(np.array_split)
def array_split(ary, indices_or_sections, axis=0):
    """Parts along an axis, as equal as they can be or cut at the indices."""
    return _parts(ary, lambda places: np.array_split(places, indices_or_sections), axis)


@composition(np.split)
def split(ary, indices_or_sections, axis=0):
    """Equal parts along an axis, or parts cut at the indices. Raises ValueError where equal parts do not exist."""
    return _parts(ary, lambda places: np.split(places, indices_or_sections), axis)


@composition(np.hsplit)
def hsplit(ary, indices_or_sections):
    """Parts along the second axis; along the only one of a vector."""
    if not rank(ary):
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if rank(ary) > 1 else 0)


@composition(np.vsplit)
def vsplit(ary, indices_or_sections):
    """Parts along the first axis."""
    if rank(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@composition(np.dsplit)
def dsplit(ary, indices_or_sections):
    """Parts along the third axis."""
    if rank(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


@composition(np.unstack)
def unstack(x, /, *, axis=0):
    """The layers along an axis."""
    if not rank(x):
        raise ValueError("unstack: an array of no axes has no layers")
    moved = moveaxis(x, axis, 0)
    return tuple(view(getitem, moved, i) for i in range(shape(moved)[0]))
