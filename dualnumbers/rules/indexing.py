"""Reading and writing elements. getitem and scatter are each other's adjoints."""

import math
import operator

import numpy as np

from ..foreign import as_array, as_like, copy_of, in_index, is_foreign, new_like, one_of
from ..forms import PYTHON, asked, is_array, shape
from ..levels import is_number, read
from ..memory import detached
from ..table import linear

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
    if hasattr(kind, "__index__"):
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
    parts = index if isinstance(index, tuple) else (index,)
    arrays = (part for part in parts if isinstance(part, (list, tuple, np.ndarray)) or is_foreign(type(part)))
    return any(as_array(part).dtype.kind in "iu" for part in arrays)


def refuse_writing(x, v, *static):
    """Refuse to write through a view that NumPy makes read-only."""
    raise ValueError("assignment destination is read-only")


def overlapping(x, v, *static):
    """Writing through a view that shows elements more than once depends on the order: the view itself does it."""
    raise NotImplementedError("overlapping")


def add_at(total, part, index):
    """Add to elements of a plain array, to one that is chosen twice both."""
    if not has_integer_arrays(index):
        total[index] += part
        return
    arrays = index if isinstance(index, tuple) else (index,)
    as_it_is = type(total) is not np.ndarray or total.ndim < 2 or not total.flags.c_contiguous
    if as_it_is or not all(map(_is_array_of_places, arrays)):
        np.add.at(total, index, part)
        return
    # as vectors, for which np.add.at takes a third of the time
    lengths, rest = total.shape[: len(arrays)], total.shape[len(arrays) :]
    arrays = tuple(part.astype(np.intp, copy=False) for part in arrays)  # what has no room in the type of few bytes
    places = np.ravel_multi_index(arrays, lengths, "wrap") if len(arrays) > 1 else arrays[0] % max(lengths[0], 1)
    if rest:
        places = np.add.outer(places * math.prod(rest), np.arange(math.prod(rest)).reshape(rest))
    np.add.at(total.reshape(-1), places.ravel(), np.broadcast_to(part, places.shape).ravel())


def _is_array_of_places(part):
    return type(part) is np.ndarray and part.dtype.kind in "iu"


def element(x):
    """Return the number in an array of no axes, as most of NumPy's functions give it; any other value as it is."""
    return getitem(x, ()) if is_array(x) and not shape(x) else x


@linear(lambda g, x, index: scatter(g, shape(x), index), put=lambda x, v, index: setitem(x, v, index))
def getitem(x, index):
    return np.asarray(x)[index] if isinstance(x, PYTHON) else x[index]


@linear(lambda g, z, which: tuple(g if k == which else None for k in range(len(z))))
def item(z, which):
    """One of several results, of a row whose value is their tuple."""
    return z[which]


@linear(lambda g, v, shape, index: getitem(g, index))
def scatter(v, shape, index):
    total = new_like(v, shape, np.result_type(v))
    add_at(total, v, index)
    return total


@linear(lambda g, place, parts, shape, indices: getitem(g, indices[place]), any_number=True)
def scatter_all(parts, shape, indices):
    """Zeros, to which each of several values is added at an index of its own."""
    total = new_like(one_of(parts), shape, np.result_type(*parts))
    for part, index in zip(parts, indices, strict=True):
        add_at(total, part, index)
    return total


def _last_written(shape, index):
    """Return which of the elements assigned through integer arrays were the last to be written at their place."""
    order = new_like(in_index(index), shape, np.intp)
    places = as_like(np.arange(order[index].size).reshape(order[index].shape), order)
    order[index] = places
    return order[index] == places


def _assigned(g, x, v, index):
    part = getitem(g, index)
    return part * _last_written(shape(x), index) if has_integer_arrays(index) else part


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
    if np.any(written):
        with np.errstate(all="ignore"):
            source = setitem(probes[0], value, index) if is_number(type(value)) else probes[0]
            x.assign(getitem(source, written), written)


@linear(lambda g, x, v, index: setitem(g, 0.0, index), _assigned)
def setitem(x, v, index):
    writeable = type(x) is np.ndarray and x.flags.writeable
    z = detached(x) if writeable else copy_of(x) if is_foreign(type(x)) else np.array(x)
    # of a complex number NumPy warns even where nothing is written; the tangent of an array without axes is a number
    z[index] = np.asarray(v) if isinstance(v, np.complexfloating) else v
    return z
