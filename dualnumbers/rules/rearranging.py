"""Functions that move, repeat or leave out elements. Each is linear; the adjoint puts every element back.

Where the elements came from is asked of NumPy's function itself: applied to the numbers 1, 2, … of the elements of its
operands, it gives the number of the element that is at each place of the result, and 0 where a zero was filled in.
"""

import numpy as np

from ..elementary import composition, linear, required
from ..forms import shape, size
from ..levels import read
from .indexing import fixed, getitem, refuse_writing, setitem
from .reductions import sum
from .shaping import cast, view


def _gathered(g, sources):
    return np.append(np.ravel(g), np.zeros(1, np.result_type(g)))[sources - 1]  # source 0: the zero at the end


def _spread(g, sources, to):
    total = np.zeros(int(np.prod(to)) + 1, np.result_type(g))
    np.add.at(total, sources, g)
    return total[1:].reshape(to)


gathered = linear(None, None, lambda g, x, sources: spread(g, sources, shape(x)), name="gathered", statics=1,
                  evaluate=_gathered)  # fmt: skip
spread = linear(None, None, lambda g, z, sources, to: gathered(g, sources), name="spread", statics=2, evaluate=_spread)


def rearrangement(numpy_function, signature, evaluate=None, numbered=None, operands=1, name=None, put=None):
    """The row of a function that moves elements of its first ``operands`` arguments.

    ``numbered``: the function to apply to the elements' numbers, where that is not the function itself. ``put``: how
    the view is written through that it gives.
    """
    evaluate = evaluate or numpy_function
    numbered = numbered or evaluate

    def adjoint(g, place, xs, static):
        sizes = [int(np.prod(shape(x))) for x in xs]
        starts = np.cumsum([1, *sizes])
        numbers = [np.arange(start, start + size).reshape(shape(x)) for start, size, x in zip(starts, sizes, xs)]  # noqa: B905
        sources = np.asarray(numbered(*numbers, *static)) - (starts[place] - 1)
        return spread(g, np.where((sources > 0) & (sources <= sizes[place]), sources, 0), shape(xs[place]))

    def adjoint_of(place):
        return lambda g, *arguments: adjoint(g, place, arguments[:operands], arguments[operands:])

    count = len(signature(*(None,) * required(signature))) - operands
    return linear(numpy_function, signature, *map(adjoint_of, range(operands)), evaluate=evaluate, statics=count,
                  name=name, put=put)  # fmt: skip


def put_back(evaluate):
    """Writing through a view: each element goes to where ``evaluate`` took it from."""

    def put(x, v, *static):
        places = evaluate(np.arange(size(x)).reshape(shape(x)), *static)
        return setitem(x, v, np.unravel_index(places, shape(x)))

    return put


# ---------------------------------------------------------------------------------------------- the same, elsewhere

roll = rearrangement(np.roll, lambda a, shift, axis=None: (a, fixed(shift), axis))
tile = rearrangement(np.tile, lambda A, reps: (A, fixed(reps)))
repeat = rearrangement(np.repeat, lambda a, repeats, axis=None: (a, fixed(repeats), axis))
resize = rearrangement(np.resize, lambda a, new_shape: (a, new_shape))
delete = rearrangement(np.delete, lambda arr, obj, axis=None: (arr, fixed(obj), axis))
insert = rearrangement(np.insert, lambda arr, obj, values, axis=None: (arr, values, fixed(obj), axis), operands=2,
                       evaluate=lambda x, v, at, axis: np.insert(x, at, v, axis))  # fmt: skip


@composition(np.trim_zeros)
def trim_zeros(filt, trim="fb", axis=None):
    """Without the zeros before the first and after the last element that is not 0; a view."""
    value = read(filt)
    axes = range(value.ndim) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, value.ndim)
    places = [np.flatnonzero(np.any(value != 0, axis=tuple(k for k in range(value.ndim) if k != i))) for i in axes]
    index = [slice(None)] * value.ndim
    for i, place in zip(axes, places, strict=True):
        first, last = (place[0], place[-1] + 1) if len(place) else (0, 0)
        index[i] = slice(first if "f" in trim.lower() else None, last if "b" in trim.lower() else None)
    return view(getitem, filt, tuple(index)) if axes else filt


sliding_window_view = rearrangement(
    np.lib.stride_tricks.sliding_window_view,
    lambda x, window_shape, axis=None: (x, fixed(window_shape), axis),
    lambda x, window_shape, axis: np.lib.stride_tricks.sliding_window_view(x, window_shape, axis),
    put=refuse_writing,
)

# ---------------------------------------------------------------------------------------------- chosen elements

take = rearrangement(np.take, lambda a, indices, axis=None, *, mode="raise": (a, fixed(indices), axis, mode),
                     lambda x, at, axis, mode: np.take(x, at, axis, mode=mode))  # fmt: skip
compress = rearrangement(np.compress, lambda condition, a, axis=None: (a, fixed(condition), axis),
                         lambda x, condition, axis: np.compress(condition, x, axis))  # fmt: skip
extract = rearrangement(np.extract, lambda condition, arr: (arr, fixed(condition)),
                        lambda x, condition: np.extract(condition, x))  # fmt: skip


# ---------------------------------------------------------------------------------------------- diagonals

diagonal = rearrangement(np.diagonal, lambda a, offset=0, axis1=0, axis2=1: (a, offset, axis1, axis2),
                         put=refuse_writing)  # fmt: skip
composition(np.linalg.diagonal)(lambda x, /, *, offset=0: view(diagonal, x, offset, -2, -1))
diag = rearrangement(np.diag, lambda v, k=0: (v, k), put=refuse_writing)
diagflat = rearrangement(np.diagflat, lambda v, k=0: (v, k))
tril = rearrangement(np.tril, lambda m, k=0: (m, k))
triu = rearrangement(np.triu, lambda m, k=0: (m, k))


@composition(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of a diagonal."""
    return sum(cast(diagonal(a, offset, axis1, axis2), dtype, "unsafe"), -1, False)
