"""Sorting and distinct values. Ties share: where elements are equal, each takes the mean of their tangents."""

import numpy as np

from ...foreign import along, as_like, new_like
from ...forms import asked, is_unreal, shape
from ...levels import is_lazy, known, read
from ...table import composition, linear, locally_constant_of_arrays, smooth
from ...table.batching import by_axis, by_stacks, for_all
from ...table.kinds import Smooth
from ..arrays.computed_places import take_along_axis
from ..arrays.rearranging import take
from ..arrays.searching import argsort
from ..axes import from_end, moveaxis, to_end
from ..shaping import astype, in_order, ravel


def _tied_mean_of_all(apply, xs, members):
    return apply(*for_all(xs, members))


@linear(lambda g, d, ordered: tied_mean(g, ordered), None, shown="mean_of_ties", batched=_tied_mean_of_all,
        core="(i),(i)->(i)")  # fmt: skip
def tied_mean(d, ordered):
    """Take, along the last axis, the mean of ``d`` over every run of equal elements of ``ordered``; its own adjoint."""
    new = ordered[..., 1:] != ordered[..., :-1]
    if np.all(new):
        return d
    first = np.ones_like(ordered[..., :1], bool)
    runs = np.cumsum(np.concatenate([first, new], -1).ravel()).reshape(d.shape) - 1
    total, count = new_like(d, (2, int(runs.max()) + 1), d.dtype)
    np.add.at(total, runs, d)
    np.add.at(count, runs, 1)
    return (total / count)[runs]


def ordered_as(d, x):
    """``d`` in the order in which ``x`` is sorted along its last axis, ties shared."""
    x = known(x)
    order = argsort(x, -1, None)
    return tied_mean(take_along_axis(d, order, -1), take_along_axis(x, order, -1))


def ordered_back(g, x, ordered):
    """The adjoint of `ordered_as`: ``g`` in the order of ``x``, whose elements in order are ``ordered``."""
    return take_along_axis(tied_mean(g, known(ordered)), ranks(known(x)), -1)


@locally_constant_of_arrays(batched=by_stacks(1), core="(i)->(i)")
def ranks(x):
    """The place of each element when the last axis is sorted: the inverse permutation of `argsort`."""
    order = argsort(x, -1, None)
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.broadcast_to(as_like(np.arange(order.shape[-1]), order), order.shape), -1)
    return places


# ---------------------------------------------------------------------------------------------- sorting


def _sort_push(dx, z, x, axis):
    return from_end(ordered_as(to_end(dx, axis), to_end(x, axis)), axis)


def _sort_pull(g, z, x, axis):
    return from_end(ordered_back(*(to_end(v, axis) for v in (g, x, z))), axis)


@smooth(Smooth(_sort_push, _sort_pull), selects=True, batched=by_axis(0))
def _sort(x, axis):
    return along(np.sort, x, axis) if is_lazy(type(x)) else np.sort(x, axis)


@composition(np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The elements in increasing order along an axis; all of them if that is None."""
    return _sort(ravel(a), 0) if axis is None else _sort(a, axis)


@composition(np.sort_complex)
def sort_complex(a):
    """The elements as complex numbers, sorted along the last axis."""
    z = sort(a)
    return z if is_unreal(z) else astype(z, asked(np.result_type, z, np.complex128))


@composition(np.partition)
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """The elements with those numbered ``kth`` where sorting puts them, the smaller before, the larger after."""
    np.partition(np.zeros(shape(a)), kth, axis)  # raises where kth is out of bounds
    return sort(a, axis)  # sorted is one of the orders that a partition may have


@composition(np.unique, by_values=True)
def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    """The distinct elements, sorted: of equal ones the first carries the derivative."""
    _, places, *more = np.unique(read(ar), True, return_inverse, return_counts, axis, equal_nan=equal_nan)
    if axis is None:
        distinct = take(ravel(ar), places, 0, "raise")
    else:
        distinct = moveaxis(in_order(take(moveaxis(ar, axis, 0), places, 0, "raise"), "C"), 0, axis)
    others = ([places] if return_index else []) + more
    return (distinct, *others) if others else distinct


def _distinct(numpy_function, *parts):
    """Find distinct elements as the array API does: NaNs are distinct from one another."""

    @composition(numpy_function, by_values=True)
    def distinct(x, sorted=True):
        found = numpy_function(read(x))
        keywords = {f"return_{part}": True for part in parts}
        whole = unique(x, equal_nan=False, **keywords)
        return type(found)(*whole) if parts else whole

    return distinct


unique_values, unique_counts = _distinct(np.unique_values), _distinct(np.unique_counts, "counts")
unique_inverse = _distinct(np.unique_inverse, "inverse")
unique_all = _distinct(np.unique_all, "index", "inverse", "counts")
