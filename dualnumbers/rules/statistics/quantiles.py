"""Quantiles and medians: linear between two of the sorted elements. Ties share."""

import math
from functools import lru_cache

import numpy as np

from ...foreign import as_array, as_like, is_foreign
from ...forms import dtype_of, shape, size, type_of
from ...levels import is_lazy, is_number, known, read
from ...messages.errors import user_line
from ...table import composition, locally_constant_of_arrays, smooth
from ...table.batching import by_axis
from ...table.blocks import Block, over_axes
from ...table.kinds import Smooth
from ..arrays.computed_places import take_along_axis
from ..axes import moveaxis, rank
from ..comparisons import isnan
from ..indexing import fixed, scatter
from ..reductions import axes_of
from ..reductions import sum as total
from ..shaping import array, astype, ravel, reshape, stack, transpose
from ..strong import strong
from ..where import nowhere, where
from .sorting import ordered_as, ordered_back, sort


@lru_cache
def _places(n, fractions, method):
    """Return where among ``n`` sorted elements the quantiles at these fractions lie, by NumPy's of 0, 1, 2, …"""
    return np.quantile(np.arange(max(n, 1.0)), fractions, method=method)


def _positions(x, function, q, method):
    """Return where among the sorted elements of the last axis the quantiles lie, ``(…, size of q)``.

    The place below, the one above, and how far a quantile is on the way from the one to the other.
    """
    fractions = tuple(map(float, np.ravel(np.true_divide(q, 100.0 if "percentile" in function else 1.0))))
    if function.startswith("nan"):
        counts = np.sum(~read(isnan(known(x))), -1)
        found = [_places(n, fractions, method) for n in map(int, counts.ravel())]
        at = np.reshape(np.stack(found) if found else np.zeros(0), (*counts.shape, len(fractions)))
    else:
        at = np.broadcast_to(_places(shape(x)[-1], fractions, method), (*shape(x)[:-1], len(fractions)))
    low = np.floor(at).astype(int)
    return low, np.minimum(low + 1, shape(x)[-1] - 1), (at - low).astype(dtype_of(x))


def _axes(v, axis):
    """Return the axes that stay, and those that are reduced."""
    axes = axes_of(rank(v), axis)
    return tuple(i for i in range(rank(v)) if i not in axes), axes


def _flat(v, axis):
    """Return the reduced axes as one, the last."""
    kept, axes = _axes(v, axis)
    lengths = [shape(v)[i] for i in kept], [shape(v)[i] for i in axes]
    return reshape(transpose(v, kept + axes), (*lengths[0], math.prod(lengths[1])), "C")


def _unflattened(flat, v, axis):
    """Return an array of the shape of ``v``, given what `_flat` makes of it."""
    order = sum(_axes(v, axis), ())
    return transpose(reshape(flat, tuple(shape(v)[i] for i in order), "C"), tuple(np.argsort(order).tolist()))


def _neighbours(x, low):
    """Return the elements at a place in order and at the next place, along the last axis.

    One partition takes a third of the time of a sort, for two places twice that of one.
    """
    places = set(low.ravel().tolist())
    if len(places) != 1 or is_foreign(type(x)):
        ordered, low = sort(x), as_like(low, x)
        return tuple(take_along_axis(ordered, k, -1) for k in (low, np.minimum(low + 1, x.shape[-1] - 1)))
    (place,) = places
    ordered = np.partition(x, place, -1)
    below, above = ordered[..., place : place + 1], ordered[..., place + 1 :]
    return below, np.fmin.reduce(above, -1, keepdims=True) if above.shape[-1] else below


def _parts(x, chosen, whole):
    """Return equal parts of a whole for the elements that are equal to the chosen one; 0 where that is NaN."""
    same = x == chosen
    return same * (whole / np.maximum(np.sum(same, -1, keepdims=True), 1).astype(x.dtype))


@locally_constant_of_arrays(core="(i)->(i)")
def quantile_parts(x, function=None, q=None, method=None):
    """The part that each element along the last axis has in the one quantile."""
    low, _, rest = _positions(x, function, q, method)
    below, above = _neighbours(x, low)
    parts = _parts(x, below, as_like(1 - rest, x))
    return parts + _parts(x, above, as_like(rest, x)) if np.any(rest) else parts


def _parts_of_each(x, function, q, method):
    """Return the parts that the elements have in each quantile, along a first axis."""
    return stack(*(quantile_parts(known(x), function, float(one), method) for one in np.ravel(q)), 0)


def _quantile_push(dx, z, x, function, q, axis, keepdims, method):
    """Linear interpolation between two of the sorted elements."""
    x, dx = _flat(x, axis), _flat(dx, axis)
    if not shape(x)[-1]:
        return np.zeros(shape(z), dtype_of(z))[()]  # of no elements
    if size(q) == 1 or is_lazy(type_of(x)):
        dz = total(dx * _parts_of_each(x, function, q, method), -1, False)
        return _lost_are_nan(reshape(dz, shape(z), "C"), z, dx, size(q))
    low, high, rest = (as_like(part, x) for part in _positions(x, function, q, method))
    ordered = ordered_as(dx, x)
    dz = take_along_axis(ordered, low, -1) * (1 - rest) + take_along_axis(ordered, high, -1) * rest
    dz = astype(reshape(moveaxis(dz, -1, 0), shape(z), "C"), dtype_of(z))
    return _lost_are_nan(dz, z, dx, size(q))


def _lost_are_nan(dz, z, dx, n):
    """Return the tangents of n quantiles z, NaN of one that is NaN, if an element that it is taken of moves."""
    lost = np.isnan(z)
    if nowhere(lost):
        return dz
    of_any = total(strong(np.nan, dx), -1, False)
    return where(lost, reshape(stack(*n * [of_any], 0), shape(z), "C"), dz)


def _quantile_pull(g, z, x, function, q, axis, keepdims, method):
    """Each adjoint goes to the two sorted elements that its quantile lies between; that of NaN makes all NaN."""
    flat, lost = _flat(x, axis), np.isnan(z)
    if not shape(flat)[-1]:
        return np.zeros(shape(x), dtype_of(x))
    back = _to_neighbours(where(lost, 0.0, g), flat, function, q, method)
    if not nowhere(lost):
        of_nan = reshape(where(lost, strong(np.nan, g), 0.0), (size(q), *shape(flat)[:-1], 1), "C")
        back = back + total(of_nan, 0, False)
    return _unflattened(back, x, axis)


def _to_neighbours(g, x, function, q, method):
    """Return the adjoint of x, of which quantiles along the last axis have the adjoints g."""
    if size(q) == 1 or is_lazy(type_of(x)):
        g = reshape(g, (size(q), *shape(x)[:-1], 1), "C")
        return total(g * _parts_of_each(x, function, q, method), 0, False)
    low, high, rest = (as_like(part, x) for part in _positions(x, function, q, method))
    g = moveaxis(reshape(g, (low.shape[-1], *low.shape[:-1]), "C"), 0, -1)
    rows = [as_like(part, low) for part in np.indices(low.shape, sparse=True)[:-1]]
    back = scatter(g * (1 - rest), shape(x), (*rows, low)) + scatter(g * rest, shape(x), (*rows, high))
    return ordered_back(back, x, sort(known(x)))


ALPHA_AND_BETA = {"interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
                  "linear": (1.0, 1.0), "median_unbiased": (1 / 3, 1 / 3),
                  "normal_unbiased": (3 / 8, 3 / 8)}  # fmt: skip
"""The methods that interpolate: q is at the place n q + α + q (1 − α − β) − 1 among n sorted elements, from 0 on
(Hyndman & Fan 1996). The others are locally constant in q."""


def _quantile_of_all(apply, xs, members, function, q, axis, keepdims, method):
    """Take the quantiles of every member; the axes of the fractions, which NumPy puts in front, go behind."""
    z = by_axis(2)(apply, xs, members, function, q, axis, keepdims, method)
    return z if z is None or not np.ndim(q) else moveaxis(z, np.ndim(q), 0)


def _of_lazy(x, function, q, axis, keepdims, method):
    """Return the quantiles of an array of Dask, whose own functions know less of axes and methods."""
    flat = _flat(x, axis)
    ways = [Block(function, _along_last, (function, float(one), method)) for one in np.ravel(q)]
    found = np.stack([over_axes("(i)->()", way, flat) for way in ways])
    _, axes = _axes(x, axis)
    dims = tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if keepdims else flat.shape[:-1]
    return np.reshape(found, (*np.shape(q), *dims))


def _along_last(x, function, q, method):
    return getattr(np, function)(x, q, axis=-1, method=method)


@smooth(Smooth(_quantile_push, _quantile_pull), selects=True, batched=_quantile_of_all)
def _quantile(x, function, q, axis, keepdims, method):
    if is_lazy(type(x)):
        return _of_lazy(x, function, q, axis, keepdims, method)
    q = as_like(as_array(q), x) if np.ndim(q) else q
    return getattr(np, function)(x, q, axis=axis, keepdims=keepdims, method=method)


def _at_fractions(x, function, q, axis, keepdims, method):
    """Return the quantiles at fractions that carry a derivative, linear between the places of two sorted elements."""
    z = getattr(np, function)(read(x), read(q), axis=axis, keepdims=keepdims, method=method)
    (alpha, beta), x = ALPHA_AND_BETA[method], _flat(x, axis)
    count = np.sum(~np.isnan(x), -1, keepdims=True) if function.startswith("nan") else shape(x)[-1]
    fraction = ravel(q) / (100.0 if "percentile" in function else 1.0)
    place = (count + (1.0 - alpha - beta)) * fraction + (alpha - 1.0)
    low = np.clip(np.floor(read(place)), 0, np.fmax(np.subtract(count, 2), 0)).astype(int)
    low = np.broadcast_to(low, (*shape(x)[:-1], low.shape[-1]))
    rest = where(place < 0, 0.0, where(place > np.subtract(count, 1), 1.0, place - low))
    ordered = sort(x)
    below, above = (take_along_axis(ordered, k, -1) for k in (low, np.minimum(low + 1, shape(x)[-1] - 1)))
    between = reshape(moveaxis(below + (above - below) * rest, -1, 0), np.shape(z), "C")
    found, lost = _lost_are_nan(between, z, x, size(q)), np.isnan(z)
    return astype(found if nowhere(lost) else where(lost, found + strong(np.nan, between), found), z.dtype)


def _quantiles(numpy_function):
    name = numpy_function.__name__

    def function(a, q, axis=None, *, overwrite_input=False, method="linear", keepdims=False, weights=None):
        """Return the quantiles of the elements along the axes; of the ``nan…`` functions, of those that are not NaN."""
        if weights is not None:
            raise TypeError(f"np.{name} with weights= has no derivative here: sort the elements and their weights")
        a, q = array(a), array(q)
        if name.startswith("nan") and rank(q) > 1 and len(_axes(a, axis)[1]) > 1 and axis is not None:
            raise TypeError(f"np.{name} of fractions in {rank(q)} axes along several axes has no derivative here: give "
                            f"it np.ravel(q), and reshape the result{user_line()}")  # fmt: skip
        if is_number(type(q)) and method in ALPHA_AND_BETA:
            return _at_fractions(a, name, q, axis, keepdims, method)
        return _quantile(a, name, fixed(q), axis, keepdims, method)

    function.__name__ = name
    return composition(numpy_function, by_values=("q",))(function)


quantile, nanquantile = _quantiles(np.quantile), _quantiles(np.nanquantile)
percentile, nanpercentile = _quantiles(np.percentile), _quantiles(np.nanpercentile)


def _medians(numpy_function):
    name = numpy_function.__name__

    def function(a, axis=None, *, overwrite_input=False, keepdims=False):
        """Return the middle of the sorted elements, or the mean of the two in the middle."""
        return _median(a, name, 0.5, axis, keepdims, "linear")

    function.__name__ = name
    return composition(numpy_function)(function)


@smooth(Smooth(_quantile_push, _quantile_pull), selects=True, batched=_quantile_of_all)
def _median(x, function, q, axis, keepdims, method):
    if is_lazy(type(x)):
        return _of_lazy(x, function.replace("median", "quantile"), q, axis, keepdims, method)
    return getattr(np, function)(x, axis, keepdims=keepdims)


median, nanmedian = _medians(np.median), _medians(np.nanmedian)
