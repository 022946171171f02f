"""Functions of the user's, applied along axes."""

import math

import numpy as np

from ...forms import shape
from ...table import composition
from ..axes import moveaxis, rank
from ..indexing import getitem
from ..shaping import arrays, expand_dims, reshape, stack


@composition(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of vectors, applied to every vector along an axis; its results lie along that axis."""
    vectors = moveaxis(arr, axis, -1)
    outer = shape(vectors)[:-1]
    if not math.prod(outer):
        raise ValueError("apply_along_axis: no vector to apply the function to")
    results = [func1d(getitem(vectors, place), *args, **kwargs) for place in np.ndindex(outer)]
    joined = stack(*arrays(results), 0)
    inner = shape(joined)[1:]
    axis = np.lib.array_utils.normalize_axis_index(axis, rank(arr))
    places = tuple(range(len(outer), len(outer) + len(inner)))
    return moveaxis(reshape(joined, outer + inner, "C"), places, tuple(range(axis, axis + len(inner))))


@composition(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    """A reduction applied along one axis after the other, which stay with length 1."""
    for axis in np.atleast_1d(axes):
        axis = np.lib.array_utils.normalize_axis_index(int(axis), rank(a))
        reduced = func(a, axis)
        a = reduced if rank(reduced) == rank(a) else expand_dims(reduced, axis)
        if rank(reduced) not in (rank(a), rank(a) - 1):
            raise ValueError("apply_over_axes: the function must take away one axis or none")
    return a
