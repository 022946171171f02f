"""Elements at places that are computed: places that a recording keeps as lines, where others are fixed parameters.

A recording that is to be run at other inputs must not keep the order of a sort or the places of a mask as constants.
There the places are an operand, which carries no derivative, of two rows that are each other's adjoints.
"""

import math

import numpy as np

from ...foreign import added_at, as_like, elements_of, new_like
from ...forms import shape, size
from ...levels import is_lazy, is_noted
from ...table import entry_of, linear, locally_constant_of_arrays
from ...table.batching import behind, flat, for_all
from ..indexing import fixed, getitem, scatter, setitem
from ..shaping import reshape, view


class _Here:
    def __repr__(self):
        return "here"

    def __reduce__(self):
        return "HERE"  # pickled, it is the same object again


HERE = _Here()
"""What stands in an index for the part that is computed."""


def _numbered_apart(places, count, size):
    """Return places of every member as they are where the elements of all lie one after the other."""
    return places + size * np.arange(count).reshape((count,) + (1,) * (len(shape(places)) - 1))


def _taken_of_all(apply, xs, members):
    if members == (False, True):
        return apply(*xs)
    x, places = for_all(xs, members)
    count, *dims = shape(x)
    return apply(x, _numbered_apart(places, count, math.prod(dims)))


def _given_back_of_all(apply, xs, members, of):
    v, places = for_all(xs, members)
    return apply(v, _numbered_apart(places, shape(v)[0], math.prod(of)), (shape(v)[0], *of))


def _put_at(x, v, places):
    return reshape(setitem(reshape(x, -1, "C"), v, fixed(places)), shape(x), "C")


@linear(lambda g, x, places: given_back(g, places, shape(x)), None, shown="take", batched=_taken_of_all, put=_put_at)
def taken(x, places):
    """The elements at places among all, counted in the order C."""
    return elements_of(np.reshape(x, (-1,)), places)


@linear(lambda g, v, places, of: taken(g, places), None, shown="scatter", batched=_given_back_of_all)
def given_back(v, places, of):
    """Zeros, to which elements are added at places."""
    total = new_like(v, int(np.prod(of)), np.result_type(v))
    added_at(total, places, v)
    return total.reshape(of)


def _numbers(of):
    return np.arange(int(np.prod(of))).reshape(of)


@locally_constant_of_arrays(shown="indices")
def places(part, of=None, index=None):
    """The places that an index chooses of an array of a shape; ``part`` stands in the index where `HERE` is."""
    return as_like(_numbers(of), part)[tuple(part if x is HERE else x for x in index)]


@locally_constant_of_arrays(shown="indices_along")
def places_along(order, of=None, axis=None):
    """The places that ``np.take_along_axis`` reads."""
    return np.take_along_axis(_numbers(of), order, axis)


def elements(x, index):
    """``x[index]``; a part of the index of which a recording would keep note is an operand.

    At one place along an axis NumPy gives a view. Who writes through it reads the place.
    """
    parts = index if isinstance(index, tuple) else (index,)
    computed = [k for k, part in enumerate(parts) if is_noted(part)]
    if len(computed) != 1:
        return view(getitem, x, fixed(index))
    (here,) = computed
    template = tuple(HERE if k == here else fixed(part) for k, part in enumerate(parts))
    at = places(parts[here], shape(x), template)
    z = taken(x, at)
    is_view = not shape(parts[here]) and shape(z) and hasattr(z, "tied") and hasattr(x, "tied")
    return z.tied(x, taken, (at,)) if is_view else z


def _put_back(g, arr, indices, axis):
    """Each element back to where it was taken from, of one taken twice both."""
    if axis is None:
        return reshape(scatter(g, (size(arr),), indices), shape(arr), "C")
    return scatter(g, shape(arr), _along(arr, indices, axis))


def _along(arr, indices, axis):
    """Return the index of the elements that places along an axis choose."""
    of = shape(arr)
    index = [as_like(np.arange(n).reshape(n, *(1,) * (len(of) - k - 1)), indices) for k, n in enumerate(of)]
    index[axis] = indices
    return tuple(index)


def _take_along_axis_of_all(apply, xs, members, indices, axis):
    if axis is None:
        return apply(flat(xs[0]), np.reshape(indices, (1, -1)), 1)
    return apply(xs[0], as_like(indices, indices)[None], behind(axis, 0))


@linear(_put_back, of=np.take_along_axis, needs=None, batched=_take_along_axis_of_all)
def _take_along_axis(arr, indices, axis=-1):
    if not is_lazy(type(arr)):
        return np.take_along_axis(arr, indices, axis)
    return elements_of(np.ravel(arr), indices) if axis is None else elements_of(arr, _along(arr, indices, axis))


@entry_of(_take_along_axis, np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    """The elements that an array of places chooses along an axis, as one of ``np.argsort``."""
    if is_noted(indices):
        return taken(arr, places_along(indices, shape(arr), axis))
    return _take_along_axis(arr, fixed(indices), axis)
