"""Functions that move, repeat or leave out elements. Each is linear; the adjoint puts every element back.

Where no formula says where the elements came from, it is asked of NumPy's function itself: applied to the numbers 1, 2,
… of the elements of its operands, it gives the number of the element that is at each place of the result, and 0 where a
zero was filled in.
"""

from functools import lru_cache

import numpy as np

from ...foreign import (
    added_at,
    as_array,
    as_like,
    by_default,
    elements_of,
    in_index,
    is_foreign,
    new_like,
    of_one_library,
    one_of,
)
from ...forms import dtype_of, shape, size, zeros_like
from ...levels import is_lazy, read
from ...table import composition, linear
from ...table.batching import by_axis, by_places, flat, with_ones
from ..indexing import fixed, getitem, refuse_writing, scatter, setitem
from ..linalg.products import matmul
from ..reductions import sum
from ..shaping import broadcast_to, concatenate, reshape, view


def _gather_of_all(apply, xs, members, sources):
    elements = flat(xs[0])
    nothing = np.zeros((shape(elements)[0], 1), dtype_of(elements))
    return getitem(concatenate(elements, nothing, 1), (slice(None), sources - 1))


def _spread_of_all(apply, xs, members, sources, to):
    count, elements = shape(xs[0])[0], int(np.prod(to))
    total = scatter(xs[0], (count, elements + 1), (slice(None), sources))
    return reshape(getitem(total, (slice(None), slice(1, None))), (count, *to), "C")


@linear(lambda g, x, sources: spread(g, sources, shape(x)), shown="gather", batched=_gather_of_all)
def gathered(g, sources):
    nothing = new_like(g, 1, np.result_type(g))
    return elements_of(np.append(np.ravel(g), nothing), sources - 1)  # source 0: the zero at the end


@linear(lambda g, z, sources, to: gathered(g, sources), shown="scatter", batched=_spread_of_all)
def spread(g, sources, to):
    total = new_like(g, int(np.prod(to)) + 1, np.result_type(g))
    added_at(total, sources, g)
    return total[1:].reshape(to)


def rearrangement(operands=1, **options):
    """Make the word for a function that moves elements of its operands; options as `linear`'s."""

    def word(function):
        def adjoint(g, place, xs, static):
            sizes = [int(np.prod(shape(x))) for x in xs]
            starts = np.cumsum([1, *sizes])
            numbers = [start + np.arange(size(x)).reshape(shape(x)) for start, x in zip(starts, xs)]  # noqa: B905
            numbers = [as_like(x, in_index(static)) for x in numbers]  # whom places of a library choose
            sources = as_array(function(*numbers, *static)) - (starts[place] - 1)
            return spread(g, np.where((sources > 0) & (sources <= sizes[place]), sources, 0), shape(xs[place]))

        def adjoint_of(place):
            return lambda g, *arguments: adjoint(g, place, arguments[:operands], arguments[operands:])

        return linear(*map(adjoint_of, range(operands)), **{"batched": by_places, **options})(function)

    return word


def put_back(evaluate):
    """Writing through a view: each element goes to where ``evaluate`` took it from."""

    def put(x, v, *static):
        places = evaluate(np.arange(size(x)).reshape(shape(x)), *static)
        return setitem(x, v, np.unravel_index(places, shape(x)))

    return put


# ---------------------------------------------------------------------------------------------- the same, elsewhere


_roll_by_axis = by_axis(1)


def _roll_of_all(apply, xs, members, shift, axis):
    if axis is not None:
        return _roll_by_axis(apply, xs, members, shift, axis)
    return reshape(apply(flat(xs[0]), shift, 1), shape(xs[0]), "C")


def _rolled_back(g, a, shift, axis):
    return roll(g, -shift if type(shift) is int else (-np.asarray(shift, int)).tolist(), axis)


@linear(_rolled_back, batched=_roll_of_all, of=np.roll, call=lambda a, shift, axis=None: (a, fixed(shift), axis))
def roll(a, shift, axis):
    if axis is None and type(a) is np.ndarray and a.ndim == 1:
        axis = 0
    if type(shift) is not int or type(axis) is not int or type(a) is not np.ndarray or not -a.ndim <= axis < a.ndim:
        return np.roll(a, shift, axis)
    z, (first, last, onto_first, onto_last) = np.empty_like(a), _in_turn(axis % a.ndim, a.shape[axis], shift)
    z[onto_last], z[onto_first] = a[first], a[last]  # a third of the time of NumPy's on few
    return z


@lru_cache
def _in_turn(axis, length, shift):
    """Return the indices of the parts that change places when an array is rolled, first and last, before and after."""
    before, moved = (slice(None),) * axis, shift % (length or 1)
    ends = (slice(length - moved), slice(length - moved, None), slice(moved), slice(moved, None))
    return [(*before, end) for end in ends]


def _tile_adjoint(g, x, reps):
    """The sum of the tiles."""
    reps = tuple(np.atleast_1d(as_array(reps, int)).tolist())
    rank = max(len(reps), len(shape(x)))
    counts, lengths = (1,) * (rank - len(reps)) + reps, (1,) * (rank - len(shape(x))) + shape(x)
    pairs = tuple(n for pair in zip(counts, lengths, strict=True) for n in pair)
    return reshape(sum(reshape(g, pairs, "C"), tuple(range(0, 2 * rank, 2)), False), shape(x), "C")


def _tile_of_all(apply, xs, members, reps):
    reps, rank = tuple(np.atleast_1d(as_array(reps, int)).tolist()), len(shape(xs[0])) - 1
    return apply(with_ones(xs[0], len(reps) - rank), (1,) * (1 + max(rank - len(reps), 0)) + reps)


@linear(_tile_adjoint, of=np.tile, call=lambda A, reps: (A, fixed(reps)), batched=_tile_of_all)
def tile(a, reps):
    return np.tile(a, reps)


def _repeat_adjoint(g, x, repeats, axis):
    """The sum over the copies of each element, which are neighbours."""
    if axis is None or not shape(x):
        return reshape(_of_repeated(g, (size(x),), repeats, 0), shape(x), "C")
    return _of_repeated(g, shape(x), repeats, axis % len(shape(x)))


def _of_repeated(g, to, repeats, axis):
    n, after = to[axis], to[axis + 1 :]
    if size(repeats) != 1:
        places = np.repeat(as_like(np.arange(n), in_index(repeats)), repeats)
        return scatter(g, to, (slice(None),) * axis + (places,))
    count = int(np.ravel(repeats)[0])
    copies = reshape(g, (*to[: axis + 1], count, *after), "C")
    if after:
        return sum(copies, axis + 1, False)
    return matmul(copies, as_like(np.ones(count, dtype_of(g)), g))  # of two copies a twentieth of the time of a sum


@linear(_repeat_adjoint, of=np.repeat, call=lambda a, repeats, axis=None: (a, fixed(repeats), axis),
        batched=by_axis(1, flattens=True))  # fmt: skip
def repeat(a, repeats, axis):
    a, axis = _along_one_axis(a, axis)
    if is_lazy(type(a)) and size(repeats) != 1:  # Dask's takes one number
        return np.take(a, np.repeat(as_like(np.arange(a.shape[axis]), in_index(repeats)), repeats), axis)
    return np.repeat(a, repeats, axis)


@rearrangement(of=np.resize, needs=None)
def resize(a, new_shape):
    if not is_lazy(type(a)):
        return np.resize(a, new_shape)
    if not a.size:
        return new_like(a, new_shape, a.dtype)
    places = np.resize(np.arange(a.size), new_shape)  # Dask has no such function
    return np.reshape(np.ravel(a)[np.ravel(places)], places.shape)


@rearrangement(of=np.delete, needs=None, call=lambda arr, obj, axis=None: (arr, fixed(obj), axis))
def delete(arr, obj, axis):
    if not is_lazy(type(arr)):
        return np.delete(arr, obj, axis)
    arr, axis = _along_one_axis(arr, axis)  # of a mask Dask's function takes the elements 0 and 1 away
    return elements_of(arr, (slice(None),) * (axis % arr.ndim) + (np.delete(np.arange(arr.shape[axis]), obj),))


@rearrangement(2, of=np.insert, call=lambda arr, obj, values, axis=None: (arr, values, fixed(obj), axis))
def insert(arr, values, obj, axis):
    arr, values = of_one_library(arr, values) if is_foreign(type(one_of((arr, values)))) else (arr, values)
    return np.insert(*_along_one_axis(arr, axis, obj, values))


def _along_one_axis(x, axis, *others):
    """Return a foreign array in one axis where none is chosen, for a library that has to have one; and the axis."""
    x, axis = (np.ravel(x), 0) if axis is None and is_foreign(type(one_of((x, *others)))) else (x, axis)
    return x, *others, axis


@composition(np.trim_zeros, by_values=True)
def trim_zeros(filt, trim="fb", axis=None):
    """Without the zeros before the first and after the last element that is not 0; a view."""
    value = read(filt)
    trimmed = np.trim_zeros(value, trim, *(() if axis is None else (axis,)))  # older versions take vectors only
    axes = range(value.ndim) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, value.ndim)
    places = [np.flatnonzero(np.any(value != 0, axis=tuple(k for k in range(value.ndim) if k != i))) for i in axes]
    index = [slice(None)] * value.ndim
    for i, place in zip(axes, places, strict=True):
        if trimmed.shape[i] == value.shape[i]:
            continue
        first, last = (place[0], place[-1] + 1) if len(place) else (0, 0)
        index[i] = slice(first if "f" in trim.lower() else None, last if "b" in trim.lower() else None)
    return view(getitem, filt, tuple(index)) if axes else filt


@rearrangement(
    of=np.lib.stride_tricks.sliding_window_view,
    call=lambda x, window_shape, axis=None: (x, fixed(window_shape), axis),
    put=refuse_writing,
    batched=by_axis(1),
)
def sliding_window_view(x, window_shape, axis):
    return np.lib.stride_tricks.sliding_window_view(x, window_shape, axis)


# ---------------------------------------------------------------------------------------------- chosen elements


def _take_adjoint(g, x, indices, axis, mode):
    """Each element back to where it was taken from, of one taken twice both."""
    if not size(g):  # of nothing NumPy takes any indices
        return zeros_like(x)
    axis = axis if shape(x) else None  # of a single number NumPy takes axis 0, too
    n = size(x) if axis is None else shape(x)[axis]
    known = type(indices) is np.ndarray and indices.dtype.kind == "i"
    if mode != "raise" or not (known or is_foreign(type(indices))):
        indices = take(as_like(np.arange(n), indices), indices, None, mode)
    if axis is None:
        return reshape(scatter(g, (n,), indices), shape(x), "C")
    return scatter(g, shape(x), (slice(None),) * (axis % len(shape(x))) + (indices,))


@linear(_take_adjoint, of=np.take, batched=by_axis(1, flattens=True),
        call=lambda a, indices, axis=None, *, mode="raise": (a, fixed(indices), axis, mode))  # fmt: skip
def take(a, indices, axis, mode):
    if not is_lazy(type(a)):
        return np.take(a, indices, axis, **by_default(type(a), mode=mode))
    a, axis = _along_one_axis(a, axis if a.ndim else None)
    if mode != "raise":  # Dask's knows no other
        indices = np.take(as_like(np.arange(a.shape[axis]), indices), indices, mode=mode)
    return elements_of(a, (slice(None),) * (axis % a.ndim) + (indices,))


@rearrangement(of=np.compress, call=lambda condition, a, axis=None: (a, fixed(condition), axis))
def compress(a, condition, axis):
    return np.compress(condition, a, axis)


@rearrangement(of=np.extract, call=lambda condition, arr: (arr, fixed(condition)))
def extract(arr, condition):
    return np.extract(condition, arr)


# ---------------------------------------------------------------------------------------------- triangles


def _triangle_of_all(apply, xs, members, k):
    count, *dims = shape(xs[0])
    if len(dims) > 1:
        return apply(xs[0], k)
    return apply(broadcast_to(with_ones(xs[0], 1), (count, *dims, *dims)), k)  # of a vector, that as every row


@linear(lambda g, x, k: tril(g, k), of=np.tril, batched=_triangle_of_all)
def tril(m, k=0):
    return np.tril(_as_matrix(m), k)


@linear(lambda g, x, k: triu(g, k), of=np.triu, batched=_triangle_of_all)
def triu(m, k=0):
    return np.triu(_as_matrix(m), k)


def _as_matrix(x):
    """Return a foreign vector as every row of a matrix, as NumPy's function takes it; any other array as it is."""
    return np.broadcast_to(x, 2 * x.shape) if is_foreign(type(x)) and x.ndim == 1 else x
