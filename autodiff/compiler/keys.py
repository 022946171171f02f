"""A key of values that are the same to the bit: by it equal constants are found, and equal parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

FEW = 1 << 12
"""Up to how many bytes arrays are compared by what they hold; larger ones by whether they are one."""


def key_of(x: Any) -> Any:
    """Return what is equal for values that are the same to the bit, and their types."""
    if type(x) is float and x and x == x:  # no zero, which has a sign, nor NaN
        return float, x
    if type(x) in (float, complex, np.float64):
        return type(x), repr(x)
    if type(x) is np.ndarray and x.dtype.char != "O":
        return np.ndarray, x.shape, x.strides, x.dtype.str, x.tobytes() if x.nbytes <= FEW else id(x)
    if type(x) is slice:
        return slice, *map(key_of, (x.start, x.stop, x.step))
    if type(x) in (tuple, list):
        return type(x), *map(key_of, x)
    if type(x) in (int, bool, str, type(None), type(...)):
        return type(x), x
    return type(x), id(x)
