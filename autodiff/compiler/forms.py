"""The form of a call's arguments: what must be the same for a program to be that of the call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calls.structures import kind_of
from ..tape.outline import outline


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


def outline_of(tree: Any) -> Any:
    """Return what a structure is without its leaves, to be compared and looked up."""
    if type(tree) in (list, tuple):
        return type(tree), *map(outline_of, tree)
    if type(tree) is dict:
        return dict, *((name, outline_of(part)) for name, part in tree.items())
    return None if kind_of(tree) is None else _looked_up(outline(tree))


def _looked_up(x: Any) -> Any:
    """Return the parts of an outline as what can be a key: of what cannot, its identity."""
    if isinstance(x, (list, tuple)):
        return type(x), *map(_looked_up, x)
    if isinstance(x, dict):
        return dict, *((name, _looked_up(part)) for name, part in x.items())
    try:
        hash(x)
    except TypeError:
        return type(x), id(x)
    return type(x), x
