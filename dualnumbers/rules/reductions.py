"""Sums, means, products, extrema along axes."""

import math
from functools import lru_cache

import numpy as np

from ..foreign import is_foreign, is_unsized, new_like, ones_like
from ..forms import dtype_of, shape, size
from ..levels import has_nan, is_lazy
from ..table import entry_of, linear, smooth
from ..table.batching import by_axis
from ..table.kinds import Smooth
from .comparisons import equal
from .complexes import conj
from .indexing import getitem, rows_at
from .shaping import astype, broadcast_to, concatenate, reshape, transpose
from .short_axes import added, extreme
from .strong import strong
from .where import where

MANY = 1 << 14
"""Of fewer elements an array of zeros is made at once."""

SPARSE = 8
"""So is it if not so many elements come to each extremum."""

PLAIN = (np.ndarray, float, np.float64, np.float32)
"""The types of most adjoints that are no numbers of a kind of ours."""


def axes_of(rank, axis):
    """Return the reduced axes as non-negative numbers. NumPy lets a number without axes have the axis 0 or −1."""
    if axis is None or (rank == 0 and axis in (0, -1)):
        return tuple(range(rank))
    return np.lib.array_utils.normalize_axis_tuple(axis, rank)


def kept(z, x, axis):
    """Return a reduction's result with the reduced axes back, of length 1."""
    dims = _with_ones(shape(x), axis)
    return z.reshape(dims) if type(z) is np.ndarray else reshape(z, dims, "C")


@lru_cache
def _with_ones(dims, axis):
    """Return a shape with reduced axes of length 1."""
    axes = axes_of(len(dims), axis)
    return tuple(1 if i in axes else n for i, n in enumerate(dims))


def spread(g, x, axis, keepdims=False):
    """Return a reduction's adjoint, equal along the reduced axes."""
    if type(g) is np.ndarray and g.size and g.dtype.char == "d" and not any(g.strides):  # one number, spread before
        g = g[(0,) * g.ndim]
    if type(g) is np.float64 or type(g) is float:  # NumPy's function takes eight times as long
        dims = x.shape if type(x) is np.ndarray else shape(x)
        return np.ndarray(dims, float, np.float64(g), 0, (0,) * len(dims))
    if type(x) is np.ndarray and type(g) is np.ndarray and g.flags.c_contiguous:
        steps = _steps(x.shape, axis, g.shape, g.strides)
        if steps is not None:
            z = np.ndarray(x.shape, g.dtype, g, 0, steps)
            z.flags.writeable = False
            return z
    g = g if axis is None else kept(g, x, axis)
    return where(ones_like(x), g, 0.0) if is_unsized(x) else broadcast_to(g, shape(x))


@lru_cache
def _steps(dims, axis, given, strides):
    """Return the strides that repeat the elements of a result along the reduced axes; None where it is no result's."""
    axes = axes_of(len(dims), axis)
    if given == _with_ones(dims, axis):
        return tuple([0 if i in axes else step for i, step in enumerate(strides)])
    if given != tuple([n for i, n in enumerate(dims) if i not in axes]):
        return None
    rest = iter(strides)
    return tuple([0 if i in axes else next(rest) for i in range(len(dims))])


def count_of(x, axis):
    """Return how many elements are reduced to one."""
    if axis is None and type(x) is np.ndarray:
        return x.size
    return math.prod([shape(x)[i] for i in axes_of(len(shape(x)), axis)])


def signature(a, axis=None, *, keepdims=False):
    """Return the arguments of a call of NumPy's as the rows of reductions have them: operand, axis, keepdims."""
    return a, axis, keepdims


def along(numpy_function):
    """Return a reduction that takes its row's parameters by place, for plain arrays."""
    return lambda x, axis, keepdims: numpy_function(x, axis=axis, keepdims=keepdims)


@linear(spread, call=signature, batched=by_axis(0))
def sum(x, axis, keepdims):
    """np.sum without its wrapper of 1 µs."""
    if is_foreign(type(x)):
        return np.sum(x, axis=axis, keepdims=keepdims)
    return added(x, axis, keepdims) if type(axis) is int else np.add.reduce(x, axis, None, None, keepdims)


def _mean_adjoint(g, x, axis, keepdims):
    """Return an equal part of g for each element."""
    if type(x) is not np.ndarray and is_unsized(x):
        return spread(g / np.maximum(np.sum(ones_like(x), axis=axis, keepdims=keepdims), 1), x, axis)
    return spread(g / (count_of(x, axis) or 1), x, axis)


@linear(_mean_adjoint, call=signature, batched=by_axis(0))
def mean(x, axis, keepdims):
    """np.mean; in double and single precision without its wrappers, which do the same."""
    if type(x) is np.ndarray and x.dtype.char in "df" and x.size:
        return added(x, axis, keepdims) / count_of(x, axis)
    return np.mean(x, axis=axis, keepdims=keepdims)


@linear(lambda g, place, terms: g, any_number=True)
def fsum(terms):
    if any(is_lazy(type(x)) for x in terms):
        raise TypeError("math.fsum would compute it")
    return math.fsum(terms)


def _others(x):
    """Return, along the last axis, the product of all elements but each one, by halves, their halves, and so on.

    There is no division, so zeros do not matter.
    """
    n = shape(x)[-1]
    if n < 2:
        return new_like(x, shape(x), dtype_of(x)) + 1.0
    half = n // 2
    left, right = (getitem(x, (..., part)) for part in (slice(0, half), slice(half, 2 * half)))
    if n % 2 == 0:
        above = _others(left * right)
        return concatenate(above * right, above * left, -1)
    above = _others(concatenate(left * right, getitem(x, (..., slice(n - 1, n))), -1))
    pairs, last = getitem(above, (..., slice(0, half))), getitem(above, (..., slice(half, None)))
    return concatenate(pairs * right, pairs * left, last, -1)


def product_of_others(x, axis):
    """Return the product of all elements along axes but each one: the partials of the product."""
    rank = len(shape(x))
    axes = axes_of(rank, axis)
    if axes == (rank - 1,):
        return _others(x)
    order = tuple(i for i in range(rank) if i not in axes) + axes
    lengths = tuple(shape(x)[i] for i in order)
    others = _others(reshape(transpose(x, order), (*lengths[: rank - len(axes)], count_of(x, axis)), "C"))
    return transpose(reshape(others, lengths, "C"), tuple(np.argsort(order).tolist()))


def product_push(dx, z, x, axis, keepdims):
    """Σ ẋᵢ Πₖ xₖ, k ≠ i."""
    return sum(strong(product_of_others(x, axis), dx), axis, keepdims)


def is_normal(z):
    """Return whether plain numbers are finite, and so far from 0 that none of their digits is lost."""
    size = np.abs(z)
    return np.all((size > np.finfo(size.dtype).smallest_normal / np.finfo(size.dtype).eps) & np.isfinite(size))


def _stay_normal(x, axis):
    """Return whether all products of some of the elements are finite, and so far from 0 that no digit is lost."""
    kind = np.finfo(x.dtype)
    with np.errstate(all="ignore"):
        return np.all(np.sum(np.abs(np.log2(np.abs(x))), axis=axis) < -kind.minexp - kind.nmant)


def product_pull(g, z, x, axis, keepdims):
    """x̄ᵢ = z̄ Πₖ xₖ, k ≠ i; of plain numbers z̄ z / xᵢ, a tenth of the time, which a second derivative has to avoid.

    For it would have rounding errors where the partial does not depend on xᵢ.
    """
    quotient = type(x) is np.ndarray and _stay_normal(x, axis)
    others = kept(z, x, axis) / x if quotient else product_of_others(x, axis)
    return strong(conj(others), kept(g, x, axis))


prod = smooth(Smooth(product_push, product_pull), name="prod", call=signature, batched=by_axis(0))(along(np.prod))


def equal_part(ones, axis, others=0):
    """The equal part of 1 for each of the ``ones`` and the ``others``; NaN where there is none: then NaN came in."""
    count = sum(ones, axis, True) + others
    if type(count) is np.ndarray and np.logical_and.reduce(count, axis=None):
        return 1.0 / count
    return 1.0 / where(equal(count, 0), math.nan, count)


def real_type(x):
    """Return the real dtype of the precision of ``x``."""
    dtype = dtype_of(x)
    return dtype if dtype.kind == "f" else np.finfo(dtype).dtype


def extremal(z, x, axis):
    """1 where an element is equal to the extremum of its own, else 0."""
    return astype(equal(x, kept(z, x, axis)), real_type(x))


def extremum_push(dx, z, x, axis, keepdims):
    """Return the tangent of an extremum. Ties share equally; one that is NaN is NaN if an element of its own moves."""
    ones = extremal(z, x, axis)
    return sum(strong(ones * equal_part(ones, axis), dx), axis, keepdims)


def _alone(z, x, axis):
    """Return where plain real elements are the extremum of their own; None where two of them are, or one is NaN."""
    if type(x) is not np.ndarray or x.dtype.kind != "f" or has_nan(z):
        return None
    ones = x == (z if axis is None else kept(z, x, axis))
    return ones if np.count_nonzero(ones) == size(z) else None


def extremum_pull(g, z, x, axis, keepdims):
    """Return the adjoint of an extremum's operand."""
    ones = _alone(z, x, axis) if type(g) in PLAIN else None
    if ones is not None:
        return ones * (g if axis is None else kept(g, x, axis))
    ones = extremal(z, x, axis)
    return ones * strong(equal_part(ones, axis), kept(g, x, axis))


def extremum_places(g, z, x, axis, keepdims):
    """Return the places of extrema that are few among their elements, in the order C, and what is passed to them."""
    if x.size < MANY or x.size < SPARSE * size(z):
        return None
    ones = _alone(z, x, axis)
    if ones is None:
        return None
    places = np.flatnonzero(ones)
    return places, rows_at(reshape(g, (-1,), "C"), places_in(_with_ones(x.shape, axis), places, x.shape))


def places_in(dims, places, of):
    """Return where in an array of axes ``dims`` the elements are that it has at places of what it is broadcast to.

    That is an array of as many axes ``of``; the places are counted in the order C.
    """
    found = np.zeros_like(places)
    if math.prod(dims) > 1:
        for at, n in zip(np.unravel_index(places, of), dims, strict=True):
            if n > 1:
                found = found * n + at
    return found


extremum = Smooth(extremum_push, extremum_pull, extremum_places)


def _extremum(numpy_function, reduce):
    """Make a reduction by np.max or np.min; of plain arrays without their wrapper."""
    return lambda x, axis, keepdims: (
        extreme(reduce, x, axis, keepdims) if type(x) is np.ndarray
        else numpy_function(x, axis=axis, keepdims=keepdims))  # fmt: skip


_options = {"call": signature, "selects": True, "batched": by_axis(0)}
max = smooth(extremum, name="max", **_options)(_extremum(np.max, np.maximum.reduce))
min = smooth(extremum, name="min", **_options)(_extremum(np.min, np.minimum.reduce))


# ------------------------------------------------------------------------------------- what a user's call becomes


def _with_keywords(name):
    """Return the reduction that takes further keywords; its family is read when one is first given."""
    from .statistics import reductions_where

    return getattr(reductions_where, name)


@entry_of(sum, np.sum)
def sum_of(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    """np.sum; ``initial`` may carry a derivative."""
    if dtype is None and initial is None and where is True:
        return sum(a, axis, keepdims)
    return _with_keywords("sum_where")(a, axis, dtype, keepdims=keepdims, initial=initial, where=where)


@entry_of(mean, np.mean)
def mean_of(a, axis=None, dtype=None, *, keepdims=False, where=True):
    """np.mean."""
    if dtype is None and where is True:
        return mean(a, axis, keepdims)
    return _with_keywords("mean_where")(a, axis, dtype, keepdims=keepdims, where=where)


@entry_of(prod, np.prod)
def prod_of(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    """np.prod; ``initial`` may carry a derivative."""
    if dtype is None and initial is None and where is True:
        return prod(a, axis, keepdims)
    return _with_keywords("prod_where")(a, axis, dtype, keepdims=keepdims, initial=initial, where=where)


def _extremum_of(row, name, *numpy_functions):
    """Make what a call of np.max or np.min becomes; ``initial`` may carry a derivative."""

    @entry_of(row, *numpy_functions)
    def called(a, axis=None, *, keepdims=False, initial=None, where=True):
        if initial is None and where is True:
            return row(a, axis, keepdims)
        return _with_keywords(name)(a, axis, keepdims=keepdims, initial=initial, where=where)

    return called


max_of = _extremum_of(max, "max_where", np.max, np.amax)
min_of = _extremum_of(min, "min_where", np.min, np.amin)
