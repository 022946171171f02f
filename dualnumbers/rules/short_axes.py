"""Sums, extrema and arithmetic of plain arrays whose last axis is short: NumPy begins a loop for each row of it.

What is here gives the same to the bit. Of 100,000 rows of eight numbers the sums take a third of NumPy's time, the
extrema a third, and the differences of points and centres, which repeat rows, a third; of rows of two a tenth.
"""

import numpy as np

LONG, MANY = 1 << 12, 1 << 11
"""Of fewer elements NumPy's own sums along short axes take no longer; nor its extrema, nor results of repeated rows."""

ADDED = 15
"""Up to so many elements are added here: NumPy begins a loop for each sum. Of more, gaps between them cost more."""

SHORT = 16
"""Up to so many elements rows are repeated, and extrema are found across them: of longer ones it gains nothing."""

BLOCK = 1 << 15
"""So many elements at a time are added by columns, or turned, to find extrema across: they stay in the cache."""


def is_short(x, axis, most, least):
    """Return whether it is along few elements, which lie together, that a large array is to be reduced."""
    return (
        type(x) is np.ndarray
        and x.size >= least
        and x.ndim > 1
        and type(axis) is int
        and axis in (-1, x.ndim - 1)
        and 1 < x.shape[-1] <= most
        and x.dtype.char in "fd"
        and x.dtype.isnative
        and x.flags.c_contiguous
    )


def added(x, axis, keepdims):
    """Return the sums of a plain array; those along a short last axis all at once, to the bit what NumPy gives."""
    if not is_short(x, axis, ADDED, LONG):
        return np.add.reduce(x, axis, None, None, keepdims)
    rows = x.reshape(-1, x.shape[-1])
    z, step = np.empty(len(rows), x.dtype), BLOCK // x.shape[-1]
    for start in range(0, len(rows), step):
        _add_columns(z[start : start + step], *rows[start : start + step].T)
    return z.reshape(*x.shape[:-1], 1) if keepdims else z.reshape(x.shape[:-1])


def _add_columns(total, first, second, *others):
    """Add columns as NumPy adds rows: of eight or more first eight by pairs, and their pairs; to 0, so −0 is 0."""
    np.add(first, second, total)
    if len(others) > 5:
        c, d, e, f, g, h, *others = others
        total += c + d
        total += (e + f) + (g + h)
    for column in others:
        total += column
    total += 0.0


def extreme(reduce, x, axis, keepdims):
    """Return the extrema of a plain array, by ``np.maximum.reduce`` or that of the minimum.

    Those along a short last axis are found across rows that were turned. Of 0 and −0 either is the extremum, which
    hangs on the order: where one is 0, NumPy finds them all.
    """
    if not is_short(x, axis, SHORT, MANY):
        return reduce(x, axis, None, None, keepdims)
    rows = x.reshape(-1, x.shape[-1])
    z, step = np.empty(len(rows), x.dtype), BLOCK // x.shape[-1]
    for start in range(0, len(rows), step):
        reduce(np.ascontiguousarray(rows[start : start + step].T), 0, None, z[start : start + step])
    if not z.all():
        return reduce(x, axis, None, None, keepdims)
    return z.reshape(*x.shape[:-1], 1) if keepdims else z.reshape(x.shape[:-1])


def by_columns(function, *xs):
    """Return ``function(*xs, -1)`` of arrays of one shape, computed of their columns: ``function(*turned, 0)``.

    A function that goes on with what it reduced along the last axis begins a loop for each row at every step.
    """
    turned = [np.ascontiguousarray(x.reshape(-1, x.shape[-1]).T) for x in xs]
    return np.ascontiguousarray(function(*turned, 0).T).reshape(xs[0].shape)


def of_rows(function, ufunc, x, y):
    """Return ``function(x, y)``, an arithmetic ufunc of plain arrays; rows of few elements are repeated first.

    So of ``points[:, None] - centres`` each point is written as often as there are centres, into the result.
    """
    if type(x) is not np.ndarray or type(y) is not np.ndarray or x.shape == y.shape:
        return function(x, y)
    first = _repeats(x, y)
    if not first and not _repeats(y, x):
        return function(x, y)
    try:
        dims = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return function(x, y)  # says it of these shapes
    short, other = (x, y) if first else (y, x)
    z = np.repeat(short if short.ndim > 1 else short[None], other.shape[-2], -2)
    out = z if z.shape == dims else None
    return ufunc(z, y, out) if first else ufunc(x, z, out)


def _repeats(x, y):
    """Return whether an array is stretched to another one by repeating its short rows, of a large result."""
    return (
        y.ndim > 1
        and x.ndim > 0
        and 1 < x.shape[-1] == y.shape[-1] <= SHORT
        and (x.ndim == 1 or x.shape[-2] == 1)
        and y.shape[-2] > 1
        and max(x.size * y.shape[-2], y.size) >= MANY
        and x.dtype is y.dtype
        and x.dtype.char in "fd"
        and x.dtype.isnative
        and x.flags.c_contiguous
        and y.flags.c_contiguous
    )
