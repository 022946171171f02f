"""Joining arrays. Written in concatenate."""

import numpy as np

from ...forms import shape
from ...table import composition
from ..axes import atleast_1d, atleast_2d, atleast_3d, rank
from ..shaping import arrays, cast, concatenate, copied, ravel, reshape, transpose


@composition(np.vstack)
def vstack(tup, *, dtype=None, casting="same_kind"):
    """One below the other; vectors are rows."""
    return cast(concatenate(*map(atleast_2d, arrays(tup)), 0), dtype, casting)


if hasattr(np, "row_stack"):
    composition(np.row_stack)(vstack)  # noqa: NPY201  # its name before NumPy 2


@composition(np.hstack)
def hstack(tup, *, dtype=None, casting="same_kind"):
    """One beside the other; vectors one after the other."""
    joined = [atleast_1d(x) for x in arrays(tup)]
    return cast(concatenate(*joined, 0 if rank(joined[0]) == 1 else 1), dtype, casting)


@composition(np.dstack)
def dstack(tup):
    """One behind the other, along the third axis."""
    return concatenate(*map(atleast_3d, arrays(tup)), 2)


@composition(np.column_stack)
def column_stack(tup):
    """One beside the other; vectors are columns."""
    return concatenate(*(transpose(atleast_2d(x), None) if rank(x) < 2 else x for x in arrays(tup)), 1)


@composition(np.append)
def append(arr, values, axis=None):
    """``values`` after ``arr``; both as vectors if no axis is given."""
    arr, values = arrays((arr, values))
    return concatenate(ravel(arr), ravel(values), 0) if axis is None else concatenate(arr, values, axis)


def _depth(nested):
    """Return how deep the lists are nested; all parts equally deep."""
    if not isinstance(nested, list):
        return 0
    depths = {_depth(part) for part in nested}
    if len(depths) != 1:
        raise ValueError("block: the lists must be nested equally deep, and none empty")
    return 1 + depths.pop()


def _leaves(nested):
    return [leaf for part in nested for leaf in _leaves(part)] if isinstance(nested, list) else [nested]


@composition(np.block)
def block(nested):
    """One array of blocks: the innermost lists join along the last axis, the next along the last but one."""
    depth = _depth(nested)
    axes = max(depth, *map(rank, arrays(_leaves(nested))), 0)

    def joined(part, level):
        if level == depth:
            (x,) = arrays([part])
            return reshape(x, (1,) * (axes - rank(x)) + shape(x), "C")
        return concatenate(*(joined(x, level + 1) for x in part), axes - depth + level)

    return joined(nested, 0) if depth else copied(joined(nested, 0), "C")
