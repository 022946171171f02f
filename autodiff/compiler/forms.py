"""The form of a call's arguments: what must be the same for a program to be that of the call."""

from __future__ import annotations

from typing import Any

import numpy as np


def forms_of_arrays(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the forms of arguments that are floats and arrays of floats, each as `form_of` says; else None."""
    forms: list[Any] = []
    for x in args:
        if type(x) is float:
            forms.append(OF_A_FLOAT)
        elif type(x) is np.ndarray and x.dtype.kind == "f":
            flags = x.flags
            forms.append((True, x.shape, x.dtype, flags.c_contiguous, flags.f_contiguous))
        else:
            return None
    return tuple(forms)


OF_A_FLOAT = True, float


def form_of(x: Any) -> tuple[Any, ...] | None:
    """Return the form of a leaf: whether it is an input, and what must be the same; None of what has no form."""
    kind = type(x)
    if kind is float:
        return OF_A_FLOAT
    if kind is np.ndarray and x.dtype.kind in "fc":
        return True, x.shape, x.dtype, x.flags.c_contiguous, x.flags.f_contiguous
    if kind in (np.float64, np.float32, complex, np.complex128, np.complex64):
        return True, kind
    if kind is np.ndarray and x.dtype.kind in "iub" and x.nbytes <= 1 << 12:
        return False, x.shape, x.dtype, x.tobytes()
    if kind in (int, bool, str, type(None)) or isinstance(x, (np.integer, np.bool_)):
        return False, kind, x
    return None
