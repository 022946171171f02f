"""np.pad. The modes that copy elements are rearrangements; the others are written in the reductions, axis by axis."""

import numpy as np

from ...foreign import as_like, zero_padded
from ...forms import dtype_of, flags, shape
from ...levels import is_lazy, is_number
from ...table import composition, linear
from ..axes import moveaxis, rank
from ..indexing import getitem, scatter
from ..reductions import max as maximum
from ..reductions import mean, sum
from ..reductions import min as minimum
from ..shaping import broadcast_to, concatenate, in_order
from ..where import where

COPYING = ("constant", "empty", "edge", "wrap", "reflect", "symmetric")
STATISTICS = {"maximum": maximum, "minimum": minimum, "mean": mean}


def _copies_adjoint(g, x, pairs, mode):
    """Each copy that lies around goes, axis by axis, to the element that it was made of."""
    for axis, (before, after) in enumerate(pairs):
        n, along = shape(x)[axis], (slice(None),) * axis
        inner = getitem(g, (*along, slice(before, before + n)))
        if (before or after) and mode not in ("constant", "empty"):
            around = [*range(before), *range(before + n, before + n + after)]
            sources = np.pad(np.arange(n), (before, after), mode)[around]
            inner = inner + scatter(getitem(g, (*along, np.array(around))), shape(inner), (*along, sources))
        g = inner
    return g


def _pad_all(apply, xs, members, pairs, mode):
    """Pad every member."""
    return apply(xs[0], ((0, 0), *pairs), mode)


@linear(_copies_adjoint, name="padded", shown="pad", batched=_pad_all)
def _by_copies(array, pairs, mode):
    if is_lazy(type(array)):
        if mode in ("constant", "empty"):
            return zero_padded(array, pairs) if pairs else array.copy()
        for axis, pair in enumerate(pairs):  # of few elements Dask's makes others than NumPy's
            array = array[(*(slice(None),) * axis, np.pad(np.arange(array.shape[axis]), pair, mode))]
        return array
    return np.pad(array, pairs, mode) if pairs else array.copy()


def _reflections(n, pair, mode):
    """Return source, s, α, β of every place along an axis: it is s·x[source] + α·x[0] + β·x[−1], s = ±1 or 0.

    What NumPy makes of the numbers 0, 1, … and of their squares tells them apart.
    """
    places, end = np.arange(n), max(n - 1, 1)
    odd, odd_squares = (np.pad(v, pair, mode, reflect_type="odd") for v in (places, places**2))
    source = np.pad(places, pair, mode)
    inner = source * (source - end)  # 0 at the two ends, whose elements α and β count
    sign = np.where(inner, (odd_squares - end * odd) // np.where(inner, inner, 1), 0)
    last = (odd - sign * source) // end
    return source, sign, 1 - sign - last, last


def _odd_adjoint(g, x, pairs, mode):
    for axis, pair in enumerate(pairs):
        if not np.any(pair):
            continue
        source, *factors = _reflections(shape(x)[axis], pair, mode)
        sign, first, last = (as_like(factor.astype(dtype_of(g)), g) for factor in factors)
        g = moveaxis(g, axis, -1)
        to = shape(g)[:-1] + shape(x)[axis : axis + 1]
        ends = scatter(sum(g * first, -1, False), to, (..., 0)) + scatter(sum(g * last, -1, False), to, (..., -1))
        g = moveaxis(scatter(g * sign, to, (..., source)) + ends, -1, axis)
    return g


@linear(_odd_adjoint, name="padded_oddly", shown="pad", batched=_pad_all)
def _odd(x, pairs, mode):
    """Reflections at the outermost elements: 2 · edge − element."""
    if is_lazy(type(x)):
        for axis, pair in enumerate(pairs):
            x = _reflected(np.swapaxes(x, axis, -1), pair, mode).swapaxes(axis, -1)
        return x
    return np.pad(x, pairs, mode, reflect_type="odd")


def _reflected(x, pair, mode):
    """Return a lazy array with reflections along its last axis."""
    source, *factors = _reflections(x.shape[-1], pair, mode)
    sign, first, last = (factor.astype(x.dtype) for factor in factors)
    return x[..., source] * sign + x[..., :1] * first + x[..., -1:] * last


def _along(x, axis, before, after, strip):
    """``strip(x, at_end, width)`` put before and after along one axis."""
    parts = [strip(x, False, before), x, strip(x, True, after)]
    return concatenate(*(part for part, width in zip(parts, (before, 1, after), strict=True) if width), axis)


def _end(x, axis, at_end, length):
    """Return the outermost elements along an axis, at one end."""
    n = shape(x)[axis]
    index = slice(n - length, n) if at_end else slice(0, length)
    return getitem(x, (slice(None),) * axis + (index,))


def _widened(x, axis, width):
    return broadcast_to(x, tuple(width if i == axis else n for i, n in enumerate(shape(x))))


def _statistic(mode, axis, lengths):
    def strip(x, at_end, width):
        n = shape(x)[axis]
        length = n if lengths is None else int(np.minimum(lengths[axis][int(at_end)], n))
        return _widened(STATISTICS[mode](_end(x, axis, at_end, length), axis, True), axis, width)

    return strip


def _ramp(axis, ends):
    def strip(x, at_end, width):
        weights = np.linspace(0.0, 1.0, width, endpoint=False)  # 0 at the far end
        weights = (weights[::-1] if at_end else weights).reshape((-1,) + (1,) * (rank(x) - axis - 1))
        weights = as_like(weights.astype(dtype_of(x)), x)
        return ends[axis][int(at_end)] * (1 - weights) + _end(x, axis, at_end, 1) * weights

    return strip


def _pairs(given, axes):
    """(before, after) of every axis."""
    if isinstance(given, dict):
        given = [given.get(i, given.get(i - axes, 0)) for i in range(axes)]
        given = [pair if np.ndim(pair) else (pair, pair) for pair in given]
    return np.broadcast_to(np.asarray(given), (axes, 2)).tolist()


@composition(np.pad)
def pad(array, pad_width, mode="constant", **keywords):
    """The array with more elements around it. Raises TypeError for ``median`` and for a function as the mode."""
    return in_order(_padded(array, pad_width, mode, keywords), "F" if flags(array).fnc else "C")


def _padded(array, pad_width, mode, keywords):
    if any(is_number(type(value)) for value in keywords.values()):
        raise TypeError("np.pad has no derivative in its constants: join the parts with np.concatenate")
    if callable(mode) or mode == "median":
        raise TypeError(f"np.pad with mode={mode!r} has no derivative here: join the parts with np.concatenate")
    np.pad(np.zeros(shape(array)), pad_width, mode, **keywords)  # for its errors
    axes = rank(array)
    pairs = _pairs(pad_width, axes)
    if keywords.get("reflect_type", "even") == "odd":
        return _odd(array, pairs, mode)
    if mode in COPYING:
        constants = keywords.pop("constant_values", 0)
        z = _by_copies(array, pairs, mode)
        if not np.any(constants):
            return z
        around = np.pad(np.zeros(shape(array), dtype_of(array)), pad_width, constant_values=constants)
        return where(as_like(np.pad(np.ones(shape(array), bool), pad_width), z), z, as_like(around, z))
    lengths = keywords.get("stat_length")
    lengths = None if lengths is None else _pairs(lengths, axes)
    ends = _pairs(keywords.get("end_values", 0), axes)
    for axis, (before, after) in enumerate(pairs):
        strip = _ramp(axis, ends) if mode == "linear_ramp" else _statistic(mode, axis, lengths)
        array = _along(array, axis, before, after, strip)
    return array
