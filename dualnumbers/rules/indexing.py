"""Reading and writing elements. getitem and scatter are each other's adjoints."""

import math
import operator
import sys

import numpy as np

from ..foreign import (
    added_at,
    as_array,
    as_like,
    assign,
    copy_of,
    elements_of,
    in_index,
    is_foreign,
    moved_to_front,
    new_like,
    one_of,
)
from ..forms import PYTHON, asked, is_array, is_unreal, shape
from ..levels import holds_somewhere, is_lazy, is_number, read
from ..memory import detached
from ..table import TABLE, linear
from ..table.batching import count_of, for_all, with_ones

_CONVERTED = frozenset({int, slice, np.ndarray})


def fixed(index):
    """Return an index, or an argument of many numbers, converted once as NumPy does: to plain numbers and arrays."""
    kind = type(index)
    if kind in _CONVERTED:
        return index
    if is_number(kind):
        return read(index)
    if isinstance(index, tuple):
        return tuple([part if type(part) in _CONVERTED else _part(part) for part in index])
    if index is None or index is ... or isinstance(index, (np.ndarray, np.generic, *PYTHON, str)):
        return index
    if hasattr(kind, "__index__") and not is_lazy(kind):
        try:
            return operator.index(index)
        except TypeError:  # an array of another library: only one of a single whole number is an index
            pass
    return index if is_foreign(kind) else _places(index)


def _part(index):
    """Return one of a tuple of indices: a tuple there is a sequence of places, as a list is."""
    return _places(index) if isinstance(index, tuple) else fixed(index)


def _places(sequence):
    """Return the array that NumPy makes of a sequence."""
    places = np.asarray(sequence)
    if places.dtype == object:
        return sequence  # some functions of NumPy know what to make of it
    return places if places.size else places.astype(np.intp)  # NumPy takes [] for whole numbers, np.array([]) not


def has_integer_arrays(index):
    """Return whether an index can name one element twice."""
    for part in index if isinstance(index, tuple) else (index,):
        kind = type(part)
        if kind is int or kind is slice:
            continue
        listed = isinstance(part, (list, tuple, np.ndarray)) or is_foreign(kind)
        if listed and (part if kind is np.ndarray else as_array(part)).dtype.kind in "iu":
            return True
    return False


def refuse_writing(x, v, *static):
    """Refuse to write through a view that NumPy makes read-only."""
    raise ValueError("assignment destination is read-only")


def overlapping(x, v, *static):
    """Writing through a view that shows elements more than once depends on the order: the view itself does it."""
    raise NotImplementedError("overlapping")


FEW = 8
"""Rows of up to so many elements are added column by column, by `np.bincount`, in two thirds of the time."""


def add_at(total, part, index):
    """Add to elements of a plain array, to one that is chosen twice both."""
    if not has_integer_arrays(index):
        if is_lazy(type(total)) and not (_is_of_slices(index) and total.size and 0 not in np.shape(part)):
            added_at(total, index, part)
        else:
            total[index] += part
        return
    if is_foreign(type(total)) and hasattr(total, "strides"):
        _add_at_places(total, part, index)
        return
    arrays = index if isinstance(index, tuple) else (index,)
    plain = type(total) is type(part) is np.ndarray
    as_it_is = not plain or total.ndim < 2 or not total.flags.c_contiguous
    if as_it_is or not all(map(_is_array_of_places, arrays)):
        added_at(total, index, part)
        return
    # as vectors, for which np.add.at takes a third of the time
    lengths, rest = total.shape[: len(arrays)], total.shape[len(arrays) :]
    arrays = tuple(part.astype(np.intp, copy=False) for part in arrays)  # what has no room in the type of few bytes
    places = np.ravel_multi_index(arrays, lengths, "wrap") if len(arrays) > 1 else arrays[0] % max(lengths[0], 1)
    count, columns = math.prod(lengths), math.prod(rest)
    if (
        0 < columns <= FEW
        and count <= places.size
        and total.dtype.char == "d"
        and np.result_type(part, 0.0) == total.dtype
    ):
        parts = np.broadcast_to(part, places.shape + rest).reshape(-1, columns).T
        for column, weights in zip(total.reshape(count, columns).T, parts, strict=True):
            column += np.bincount(places.ravel(), weights, count)
        return
    if rest:
        places = np.add.outer(places * columns, np.arange(columns).reshape(rest))
    part = part if np.shape(part) == places.shape else np.broadcast_to(part, places.shape)
    np.add.at(total.reshape(-1), places.ravel(), part.ravel())


def _add_at_places(total, part, index):
    """Add to elements of a foreign array by one vector of places, which is all that CuPy's ``np.add.at`` takes."""
    if total.dtype.kind == "c":  # nor does it add complex numbers
        for own, given in ((total.real, np.real(part)), (total.imag, np.imag(part))):
            _add_at_places(own, given, index)
        return
    places = np.arange(total.size, like=total).reshape(total.shape)[index]
    added = np.zeros(total.size, total.dtype, like=total)
    np.add.at(added, np.ravel(places), np.ravel(np.broadcast_to(part, places.shape)).astype(total.dtype))
    total += added.reshape(total.shape)


def _is_of_slices(index):
    """Return whether an index is one that Dask assigns to: slices, numbers and ``...``."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(isinstance(part, (int, slice)) or part is ... for part in parts)


def _is_array_of_places(part):
    return type(part) is np.ndarray and part.dtype.kind in "iu"


def rows_at(x, places):
    """Return the rows at places along the first axis, in the order C; of a plain array in a fifth of the time."""
    return x.take(places, 0) if type(x) is np.ndarray else getitem(x, places)


def element(x):
    """Return the number in an array of no axes, as most of NumPy's functions give it; any other value as it is."""
    return getitem(x, ()) if is_array(x) and not shape(x) else x


# ------------------------------------------------------------------------------------------ of all members of a batch


def _of_all(index):
    """Return the index that takes the same elements of every member."""
    return (slice(None), *(index if isinstance(index, tuple) else (index,)))


def _at(x, place):
    """Return a value with its first axis moved to a place, and all others in their order."""
    rank = len(shape(x))
    return TABLE["transpose"](x, (*range(1, place + 1), 0, *range(place + 1, rank))) if place else x


def _from(x, place):
    """Return a value with the axis at a place moved to the front."""
    rank = len(shape(x))
    return TABLE["transpose"](x, (place, *range(place), *range(place + 1, rank))) if place else x


def _getitem_of_all(apply, xs, members, index):
    return _from(apply(xs[0], _of_all(index)), moved_to_front(index))


def _scatter_of_all(apply, xs, members, to, index):
    return apply(_at(xs[0], moved_to_front(index)), (count_of(xs, members), *to), _of_all(index))


def _scatter_all_of_all(apply, xs, members, to, indices):
    parts = [_at(x, moved_to_front(index)) for x, index in zip(for_all(xs, members), indices, strict=True)]
    return apply(*parts, (count_of(xs, members), *to), tuple(map(_of_all, indices)))


def _setitem_of_all(apply, xs, members, index):
    x, v = for_all(xs, members)
    if is_unreal(v) and not is_unreal(x):
        return None  # NumPy warns of it, but of a number that is written nowhere
    rank = np.broadcast_to(0.0, shape(x)[1:])[index].ndim
    count, *dims = shape(v)
    if len(dims) > rank:  # NumPy leaves axes of length 1 in front away
        v = TABLE["reshape"](v, (count, *dims[len(dims) - rank :]), "C")
    return apply(x, _at(with_ones(v, rank - len(dims)), moved_to_front(index)), _of_all(index))


# --------------------------------------------------------------------------------------------------------- the rows


@linear(lambda g, x, index: scatter(g, shape(x), index), put=lambda x, v, index: setitem(x, v, index),
        batched=_getitem_of_all)  # fmt: skip
def getitem(x, index):
    if type(x) is np.ndarray:
        if "dask" not in sys.modules or type(index) in _CONVERTED or not is_lazy(type(places := in_index(index))):
            return x[index]
        x = as_like(x, places)  # which NumPy would have computed
    if is_foreign(type(x)):
        return elements_of(x, index)
    return np.asarray(x)[index] if isinstance(x, PYTHON) else x[index]


@linear(lambda g, z, which: tuple(g if k == which else None for k in range(len(z))))
def item(z, which):
    """One of several results, of a row whose value is their tuple."""
    return z[which]


@linear(lambda g, v, shape, index: getitem(g, index), batched=_scatter_of_all)
def scatter(v, shape, index):
    total = new_like(v, shape, np.result_type(v))
    add_at(total, v, index)
    return total


@linear(
    lambda g, place, parts, shape, indices: getitem(g, indices[place]), any_number=True, batched=_scatter_all_of_all
)
def scatter_all(parts, shape, indices):
    """Zeros, to which each of several values is added at an index of its own; the first may be whole, at ``...``."""
    total = new_like(one_of(parts), shape, np.result_type(*parts))
    if indices[0] is ...:
        assign(total, ..., parts[0])  # and −0 stays
        parts, indices = parts[1:], indices[1:]
    for part, index in zip(parts, indices, strict=True):
        add_at(total, part, index)
    return total


def _last_written(order, index):
    """Return which of the elements assigned through integer arrays were the last to be written at their place.

    ``order`` is an array of whole numbers, of the shape and library of the one that was written to.
    """
    if is_foreign(type(order)) and hasattr(order, "strides"):
        places, last = _last_of_each(order, index)
        written = np.zeros(places.size, bool, like=order)
        written[last] = True
        return written.reshape(places.shape)
    chosen = elements_of(order, index)
    places = as_like(np.arange(chosen.size).reshape(chosen.shape), order)
    assign(order, index, places)
    return elements_of(order, index) == places


def _last_of_each(x, index):
    """Return the numbers of the elements that an index chooses of a foreign array, and where each comes last.

    NumPy writes them in their order, and the last one wins; libraries that write all at once do not say who does.
    """
    places = np.arange(x.size, like=x).reshape(x.shape)[index]
    return places, places.size - 1 - np.unique(np.ravel(places)[::-1], return_index=True)[1]


def _assigned(g, x, v, index):
    part = getitem(g, index)
    return part * _last_written(new_like(x, shape(x), np.intp), index) if has_integer_arrays(index) else part


def assign_before_failure(x, value, index):
    """Assign to the array ``x`` what NumPy has written when the assignment raises.

    Of a list the elements before one that is no number; everything where errors of floating point raise.
    """
    probes = [asked(np.full_like, x, fill) for fill in (0, 1)]
    for probe in probes:
        try:
            probe[index] = read(value)
        except Exception:  # whatever it is, the caller raises it
            continue
        return
    written = (probes[0] == probes[1]) | (probes[0] != probes[0])
    if holds_somewhere(written):
        with np.errstate(all="ignore"):
            source = setitem(probes[0], value, index) if is_number(type(value)) else probes[0]
            x.assign(getitem(source, written), written)


@linear(lambda g, x, v, index: setitem(g, 0.0, index), _assigned, batched=_setitem_of_all)
def setitem(x, v, index):
    writeable = type(x) is np.ndarray and x.flags.writeable
    z = detached(x) if writeable else copy_of(x) if is_foreign(type(x)) else np.array(x)
    if is_foreign(type(x)) and hasattr(x, "strides") and has_integer_arrays(index) and type(v) is not np.ndarray:
        v = as_like(as_array(v), x)
        places, last = _last_of_each(x, index)
        z[np.unravel_index(np.ravel(places)[last], x.shape)] = np.ravel(np.broadcast_to(v, places.shape))[last]
        return z
    # of a complex number NumPy warns even where nothing is written; the tangent of an array without axes is a number
    v = np.asarray(v) if isinstance(v, np.complexfloating) else v
    if is_foreign(type(z)):
        assign(z, index, v)
    else:
        z[index] = v
    return z
