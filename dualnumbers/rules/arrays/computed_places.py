"""Elements at places that are computed: places that a recording keeps as lines, where others are fixed parameters.

A recording that is to be run at other inputs must not keep the order of a sort or the places of a mask as constants.
There the places are an operand, which carries no derivative, of two rows that are each other's adjoints.
"""

import numpy as np

from ...foreign import as_like, new_like
from ...forms import shape
from ...levels import is_noted
from ...table import entry_of, linear, locally_constant_of_arrays
from ..indexing import fixed, getitem
from ..shaping import view
from .rearranging import rearrangement


class _Here:
    def __repr__(self):
        return "here"

    def __reduce__(self):
        return "HERE"  # pickled, it is the same object again


HERE = _Here()
"""What stands in an index for the part that is computed."""


@linear(lambda g, x, places: given_back(g, places, shape(x)), None)
def taken(x, places):
    """The elements at places among all, counted in the order C."""
    return np.reshape(x, -1)[places]


@linear(lambda g, v, places, of: taken(g, places), None)
def given_back(v, places, of):
    """Zeros, to which elements are added at places."""
    total = new_like(v, int(np.prod(of)), np.result_type(v))
    np.add.at(total, places, v)
    return total.reshape(of)


def _numbers(of):
    return np.arange(int(np.prod(of))).reshape(of)


@locally_constant_of_arrays()
def places(part, of=None, index=None):
    """The places that an index chooses of an array of a shape; ``part`` stands in the index where `HERE` is."""
    return as_like(_numbers(of), part)[tuple(part if x is HERE else x for x in index)]


@locally_constant_of_arrays()
def places_along(order, of=None, axis=None):
    """The places that ``np.take_along_axis`` reads."""
    return np.take_along_axis(_numbers(of), order, axis)


def elements(x, index):
    """``x[index]``; a part of the index of which a recording would keep note is an operand."""
    parts = index if isinstance(index, tuple) else (index,)
    computed = [k for k, part in enumerate(parts) if is_noted(part)]
    if len(computed) != 1:
        return view(getitem, x, fixed(index))
    (here,) = computed
    template = tuple(HERE if k == here else fixed(part) for k, part in enumerate(parts))
    return taken(x, places(parts[here], shape(x), template))


@rearrangement(of=np.take_along_axis)
def _take_along_axis(arr, indices, axis=-1):
    return np.take_along_axis(arr, indices, axis)


@entry_of(_take_along_axis, np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    """The elements that an array of places chooses along an axis, as one of ``np.argsort``."""
    if is_noted(indices):
        return taken(arr, places_along(indices, shape(arr), axis))
    return _take_along_axis(arr, fixed(indices), axis)
