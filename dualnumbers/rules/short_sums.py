"""Sums of plain arrays along a short last axis, for each of which NumPy begins a loop."""

import numpy as np

LONG = 1 << 12
"""Of fewer elements NumPy's own sums along short axes take no longer."""

EIGHT = 8
"""Up to so many elements are added here: NumPy begins a loop for each sum. Of more, gaps between them cost more."""


def _is_short(x, axis):
    """Return whether it is along few elements, which lie together, that a large array is to be summed."""
    return (
        type(x) is np.ndarray
        and x.size >= LONG
        and x.ndim > 1
        and type(axis) is int
        and axis in (-1, x.ndim - 1)
        and 1 < x.shape[-1] <= EIGHT
        and x.dtype.char in "fd"
        and x.flags.c_contiguous
    )


def added(x, axis, keepdims):
    """Return the sums of a plain array; those along a short last axis all at once, to the bit what NumPy gives.

    It adds fewer than eight one after the other, and eight by pairs, and their pairs; to 0, so that −0 is 0.
    """
    if not _is_short(x, axis):
        return np.add.reduce(x, axis, None, None, keepdims)
    if x.shape[-1] == EIGHT:
        x = x[..., 0::2] + x[..., 1::2]
        x = x[..., 0::2] + x[..., 1::2]
    total = x[..., 0] + x[..., 1]
    for k in range(2, x.shape[-1]):
        total += x[..., k]
    total += 0.0
    return total[..., None] if keepdims else total
