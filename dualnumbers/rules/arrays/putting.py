"""Functions of NumPy that write into their first argument, which must be an array of numbers. Written in assignment.

And what the methods ``at`` and ``reduceat`` of ufuncs give where they add, as rows.
"""

import numpy as np

from ...foreign import added_at as added
from ...foreign import as_array, as_like, in_index, of_one_library, one_of
from ...forms import PYTHON, dtype_of, is_array, numbered, shape, size, type_of
from ...levels import is_lazy, is_number, read
from ...messages.errors import no_plain_value, user_line
from ...table import composition, linear
from ..indexing import fixed, getitem, scatter
from ..shaping import array, ravel, reshape
from ..where import where as either


def _written(target, value, name):
    """Return the target, if numbers can be written into it."""
    if not is_number(type(target)):
        raise no_plain_value(f"{name} into a plain array", value)
    if not is_array(target):
        raise TypeError(f"{name} writes into an array, and this is a number: build another one by np.where, or write "
                        f"to x = np.reshape(x, 1){user_line()}")  # fmt: skip
    return target


def _cycled(v, count):
    """Return the first ``count`` values of ``v`` repeated without end."""
    v = ravel(array(v) if isinstance(v, (list, tuple)) else v)
    return getitem(v, np.arange(count) % size(v)) if count else np.zeros(0)


def _empty(v):
    return not size(v)


def _mask(mask, target, function, values):
    """Return a mask of the target's shape; TypeError where NumPy's function does not cast the values to its type."""
    name = f"np.{function.__name__}"
    if is_array(values) and size(values):  # of a scalar and a list NumPy casts any number
        like = np.zeros(1 if shape(values) else (), dtype_of(values))
        function(np.zeros(1, target.dtype), [True], like)
    if size(mask) != target.size:
        raise ValueError(f"{name}: mask and data must be the same size, not {shape(mask)} and {target.shape}")
    return as_array(read(mask), bool).reshape(shape(target))


def _through_a_copy(target, chosen, values):
    """Write values as NumPy does into what does not lie in one piece: to a copy that is written back whole."""
    if target.overlaps:
        copy = target.copy()
        copy[chosen] = values
        chosen, values = ..., copy
    target[chosen] = values


@composition(np.put_along_axis)
def put_along_axis(arr, indices, values, axis=-1):
    """Write ``values`` where ``take_along_axis`` with the same indices reads."""
    target = _written(arr, values, "np.put_along_axis")
    places = np.take_along_axis(np.arange(target.size).reshape(shape(target)), fixed(indices), axis)
    target[np.unravel_index(places, shape(target))] = values


@composition(np.put)
def put(a, ind, v, mode="raise"):
    """Write the values, in turn, at flat places."""
    target = _written(a, v, "np.put")
    ind = fixed(ind)
    values, numbers = _cycled(v, np.size(ind) and size(v)), as_like(numbered(target), in_index(ind))
    try:
        np.put(numbers, ind, target.size + np.arange(size(values)), mode)
    finally:  # what stands before an index out of bounds is written
        chosen = numbers >= target.size
        if np.any(chosen):
            _through_a_copy(target, chosen, getitem(values, numbers[chosen] - target.size))


@composition(np.place, by_values=("mask",))
def place(arr, mask, vals):
    """Write the values, in turn, at the places where the mask holds."""
    target = _written(arr, vals, "np.place")
    chosen = _mask(mask, target, np.place, vals)
    if _empty(vals) and np.any(chosen):
        raise ValueError("np.place: no values to write where the mask holds")
    if not target.take_in(lambda numbers, source: np.place(numbers, chosen, source), vals):
        target[chosen] = _cycled(vals, int(np.sum(chosen)))


@composition(np.putmask)
def putmask(a, mask, values):
    """Write, where the mask holds, the value that has the same place among the repeated values."""
    target = _written(a, values, "np.putmask")
    chosen = _mask(mask, target, np.putmask, values)
    if not _empty(values) and is_lazy(type(chosen)):
        target[...] = either(chosen, reshape(_cycled(values, target.size), shape(target), "C"), target)
    elif not _empty(values):
        target[chosen] = getitem(_cycled(values, target.size), np.flatnonzero(chosen))


@composition(np.copyto)
def copyto(dst, src, casting="same_kind", where=True):
    """Write ``src`` into ``dst``, at the places where ``where`` holds."""
    target, source = _written(dst, src, "np.copyto"), read(src)
    like = source if type(source) in PYTHON else np.zeros(0, np.result_type(source))
    np.copyto(np.zeros(0, target.dtype), like, casting)  # raises where that does not allow it
    if where is True:
        target[...] = src
    else:
        chosen = np.broadcast_to(as_array(read(where), bool), shape(target))
        dims = shape(src)
        while len(dims) > len(shape(target)) and dims[0] == 1:  # as an assignment leaves them out
            dims = dims[1:]
        source = reshape(src, dims, "C") if shape(src) else src
        if is_lazy(type(chosen)) or is_lazy(type_of(target)):  # nobody knows how many a mask of Dask chooses
            target[...] = either(chosen, source, target)
            return
        target[chosen] = np.broadcast_to(source, shape(target))[chosen] if dims else source


@composition(np.fill_diagonal)
def fill_diagonal(a, val, wrap=False):
    """Write the values, in turn, along the main diagonal."""
    target = _written(a, val, "np.fill_diagonal")
    places = np.zeros(shape(target), bool)
    np.fill_diagonal(places, True, wrap)
    if not _empty(val) and not target.take_in(lambda numbers, source: np.fill_diagonal(numbers, source, wrap), val):
        target[places] = _cycled(val, int(np.sum(places)))


# ------------------------------------------------------------------------------------------------- of ufuncs


def _counts(x, starts):
    """Return how many elements each sum has."""
    ends = [*starts[1:], shape(x)[0]]
    return [max(end - start, 1) for start, end in zip(starts, ends, strict=True)]


def _spread_between(g, x, starts):
    """Return the adjoint of the sums from every start to the next: it is equal along each."""
    counts = _counts(x, starts)
    places = np.concatenate([np.arange(start, start + n) for start, n in zip(starts, counts, strict=True)])
    return scatter(getitem(g, np.repeat(np.arange(len(starts)), counts)), shape(x), places)


@linear(_spread_between, name="add_reduceat", shown="add.reduceat")
def added_between(x, starts):
    if is_lazy(type(x)):  # Dask has no methods of ufuncs
        parts = zip(starts, _counts(x, starts), strict=True)
        return np.stack([np.sum(x[start : start + count], axis=0) for start, count in parts])
    return np.add.reduceat(x, starts, 0)


def _at(ufunc):
    def applied(x, v, places):
        if is_lazy(type(one_of((x, v)))):
            x, v = of_one_library(x, v)
            z = np.ravel(x).astype(np.result_type(x, v))
            added(z, places, ufunc(0, v))
            return np.reshape(z, x.shape)
        z = x.astype(np.result_type(x, v), order="C")
        z = np.array(z) if isinstance(z, np.generic) else z  # of a scalar, reshape makes a copy
        ufunc.at(z.reshape(-1), places, v)
        return z

    return applied


added_at = linear(
    lambda g, x, v, places: g, lambda g, x, v, places: getitem(ravel(g), places), name="add_at", shown="add.at"
)(_at(np.add))
subtracted_at = linear(
    lambda g, x, v, places: g,
    lambda g, x, v, places: -getitem(ravel(g), places),
    name="subtract_at",
    shown="subtract.at",
)(_at(np.subtract))
