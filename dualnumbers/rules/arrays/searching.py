"""Searching, counting, truth of all elements, the order of a sort: locally constant, as are the places they give."""

import numpy as np

from ...foreign import along, by_default, is_foreign, of_one_library, one_of
from ...levels import is_lazy, is_noted, read
from ...table import BY_NUMPY, locally_constant_of_arrays
from ...table.batching import by_axis
from ...table.blocks import Block, over_axes
from ..comparisons import not_equal
from ..shaping import array
from .computed_places import elements
from .inspecting import READING


def _by_one_axis(apply, xs, members, axis, keepdims):
    """Take the axis as it lies behind that of the members; without one the kept axes would be another number."""
    return None if axis is None and keepdims else by_axis(0, flattens=True)(apply, xs, members, axis, keepdims)


def _of_array(numpy_function):
    return locally_constant_of_arrays(
        of=numpy_function, call=lambda a, axis=None, *, keepdims=False: (a, axis, keepdims), batched=_by_one_axis
    )(lambda x, axis, keepdims: numpy_function(x, axis=axis, **by_default(type(x), keepdims=keepdims)))


def _of_chosen(numpy_function):
    return lambda function: locally_constant_of_arrays(
        of=numpy_function,
        call=lambda a, axis=None, *, keepdims=False, where=True: (a, axis, keepdims, read(where)),
        batched=by_axis(0),
    )(function)


@_of_chosen(np.any)
def any(x, axis, keepdims, where):
    """Return whether any of the chosen elements holds."""
    if is_foreign(type(x)) and where is not True:  # neither Dask's nor CuPy's chooses
        x, where = (x != 0) & where, True
    return np.any(x, axis=axis, **by_default(type(x), keepdims=keepdims, where=where))


@_of_chosen(np.all)
def all(x, axis, keepdims, where):
    """Return whether all of the chosen elements hold."""
    if is_foreign(type(x)) and where is not True:
        x, where = (x != 0) | ~where, True
    return np.all(x, axis=axis, **by_default(type(x), keepdims=keepdims, where=where))


argmax = _of_array(np.argmax)
argmin = _of_array(np.argmin)
nanargmax = _of_array(np.nanargmax)
nanargmin = _of_array(np.nanargmin)


@locally_constant_of_arrays(
    of=np.count_nonzero, call=lambda a, axis=None, *, keepdims=False: (a, axis, keepdims), batched=by_axis(0)
)
def count_nonzero(x, axis, keepdims):
    if is_foreign(type(x)) and keepdims:  # neither Dask's nor CuPy's keeps axes
        return np.sum(x != 0, axis=axis, keepdims=True)
    return np.count_nonzero(x, axis=axis, **by_default(type(x), keepdims=keepdims))


@locally_constant_of_arrays(
    of=np.argsort,
    call=lambda a, axis=-1, kind=None, order=None, *, stable=None: (a, axis, "stable" if stable else kind),
    batched=by_axis(0, flattens=True),
    needs=None,
)
def argsort(x, axis, kind):
    return _order(np.argsort, x, axis, kind=kind)


@locally_constant_of_arrays(
    of=np.argpartition, call=lambda a, kth=0, axis=-1, kind="introselect": (a, read(kth), axis), needs=None
)
def argpartition(x, kth, axis):
    return _order(np.argpartition, x, axis, kth=kth)


def _order(function, x, axis, **keywords):
    """Return the places of elements in an order along an axis, or of all."""
    if not is_lazy(type(x)):
        return function(x, axis=axis, **keywords)
    x, axis = (np.ravel(x), 0) if axis is None else (x, axis)
    return along(function, x, axis, np.intp, **keywords)


@locally_constant_of_arrays(of=np.lexsort, needs=None, call=lambda keys, axis=-1: (array(keys), axis))
def lexsort(keys, axis):
    if is_lazy(type(keys)):
        if keys.ndim < 2:  # one element of each key
            return np.zeros((), dtype=np.intp, like=keys)
        axis %= keys.ndim - 1
        keys = np.moveaxis(np.moveaxis(keys, axis + 1, -1), 0, -2)
        return np.moveaxis(over_axes("(m,i)->(i)", Block("lexsort", _lexsort), keys), -1, axis)
    return np.lexsort(keys, **by_default(type(keys), axis=axis))


def _lexsort(keys):
    return np.lexsort(np.moveaxis(keys, -2, 0))


@locally_constant_of_arrays(
    2,
    of=np.searchsorted,
    call=lambda a, v, side="left", sorter=None: (a if sorter is None else elements(array(a), sorter), v, side),
)
def searchsorted(a, v, side="left"):
    a, v = of_one_library(a, v) if is_foreign(type(one_of((a, v)))) else (a, v)
    if is_lazy(type(a)) and not v.shape:  # of which Dask's fails when it is computed
        return np.searchsorted(a, v[np.newaxis], side)[0]
    return np.searchsorted(a, v, side)


@locally_constant_of_arrays(2, of=np.digitize, needs=None, core="(),(i)->()")
def digitize(x, bins, right=False):
    return np.digitize(x, bins, right)


@locally_constant_of_arrays(2, of=np.isin)
def isin(element, test_elements, assume_unique=False, invert=False, kind=None):
    library = type(one_of((element, test_elements)))
    given = {} if is_lazy(library) else by_default(library, kind=kind)  # how it searches, which Dask decides itself
    return np.isin(element, test_elements, assume_unique, invert, **given)


def _of_places(numpy_function):
    """Register a function that gives the places where a mask holds: as many as there are, so that it is read."""

    def places(a):
        return numpy_function(read(not_equal(a, 0) if is_noted(a) else a))

    BY_NUMPY[numpy_function] = places
    READING.add(places)


for _function in (np.nonzero, np.flatnonzero, np.argwhere):
    _of_places(_function)
