"""Which elements of a value are NaN or infinite, whatever kind of number it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of
from dualnumbers.levels import plain
from dualnumbers.numbers.batch import BatchNumber


def faults(x: Any) -> Any:
    """Return a mask of the elements that are NaN or infinite: of any member of a batch, of any of several results."""
    if x is None:
        return np.False_
    if type(x) is tuple:
        return np.any([np.any(faults(part)) for part in x])
    if isinstance(x, BatchNumber):
        return np.any(faults(x.data), axis=0)
    value = plain(x)
    return ~np.isfinite(value) if dtype_of(value).kind in "fc" else np.False_


def is_faulty(x: Any) -> bool:
    """Return whether any element is NaN or infinite."""
    return bool(np.any(faults(x)))


def mended(x: Any) -> Any:
    """Return a plain value with ones in place of what is NaN or infinite."""
    if type(x) is tuple:
        return tuple(map(mended, x))
    value = plain(x)
    return np.where(faults(value), 1.0, value).astype(value.dtype)[()] if is_faulty(value) else value


def at_fault(x: Any) -> tuple[Any, tuple[int, ...]]:
    """Return the first element that is NaN or infinite, and its place: () in what has no axes."""
    if type(x) is tuple:
        return at_fault(next(part for part in x if is_faulty(part)))
    if isinstance(x, BatchNumber):
        data = plain(x.data)
        return at_fault(data[int(np.argmax(np.any(faults(data).reshape(len(data), -1), axis=1)))])
    value = np.asarray(plain(x))
    place = tuple(map(int, np.argwhere(~np.isfinite(value))[0]))
    return value[place], place
