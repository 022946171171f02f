"""What an error says: the call, the line of the user's file, and the remedy. Runs on the error path only."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COUNTERPARTS: list[Callable[[str], list[str]]] = []
"""Each finds, for the name of a SciPy function, the names of functions that do the same for numbers."""

_OURS = tuple(str(Path(__file__).resolve().parent.parent / name) + os.sep for name in ("dualnumbers", "autodiff"))


def user_line() -> str:
    """`` (at file:line)`` of the innermost frame outside these packages, NumPy and SciPy."""
    frame = sys._getframe(1)
    while frame is not None:
        path, module = frame.f_code.co_filename, frame.f_globals.get("__name__", "")
        if not path.startswith(_OURS) and module.partition(".")[0] not in ("numpy", "scipy"):
            return f" (at {path}:{frame.f_lineno})"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def _scipy_function() -> str:
    """The outermost SciPy function on the stack, as ``scipy.module.name``; empty if there is none."""
    name, frame = "", sys._getframe(1)
    while frame is not None:
        module, method = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        wrapped: Any = frame.f_locals.get("f")
        if method == "wrapper" and module == "scipy._lib._util" and hasattr(wrapped, "__name__"):  # over a stack
            module, method = wrapped.__module__, wrapped.__name__
        if module.startswith("scipy.") and not module.startswith("scipy._lib"):
            public = [part for part in module.split(".") if not part.startswith("_")]
            distribution = getattr(frame.f_locals.get("self"), "name", None)
            owner = [distribution] if isinstance(distribution, str) else []
            if method in ("__init__", "__call__"):
                method = type(frame.f_locals.get("self")).__name__
            name = ".".join([*public, *owner, method])
        frame = frame.f_back  # type: ignore[assignment]
    return name


_CALL_ANOTHER = ("where a function of Python's math asked for it, call the one in dualnumbers.dmath or NumPy; where an "
                 "array was written to, use np.stack or fill np.zeros(..., like=x)")  # fmt: skip
_JOIN = "join numbers with np.stack or autodiff.array, or fill np.zeros(..., like=x)"
REMEDIES = {
    "float": _CALL_ANOTHER,
    "int": _CALL_ANOTHER,
    "complex": _CALL_ANOTHER,
    "np.asarray": f"keep the number as it is, {_JOIN}",
    "np.array": f"copy it with x.copy(), {_JOIN}",
}
"""A road on which a number would become plain → what to do instead."""

NUMPY_REMEDIES = {
    "vectorize": "np.vectorize calls Python on plain elements: write the function in NumPy's, or "
    "np.stack([f(t) for t in x])",
    "AxisConcatenator": "np.r_ and np.c_ make plain arrays: call np.concatenate or np.column_stack",
    "as_strided": "as_strided reads memory: call np.lib.stride_tricks.sliding_window_view, or index with integers",
    "full_like": "np.full_like makes an array like its plain prototype: call np.full(shape, value, like=value)",
    "ndenumerate": "np.ndenumerate makes a plain array: read x[place] for place in np.ndindex(x.shape)",
    "numpy.polynomial": "numpy.polynomial makes plain arrays of arrays: give it coefficients in a list, list(c), and "
    "evaluate a polynomial p by np.polynomial.polynomial.polyval(x, p.convert().coef)",
}
"""A class, function or module of NumPy that converts to plain arrays → what to do instead."""


def _numpy_remedy() -> str:
    """What to do instead of the class or function of NumPy that is on the stack; empty if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "").split(".")
        owners = [frame.f_code.co_qualname.partition(".")[0], ".".join(module[:2])] if module[0] == "numpy" else []
        for owner in owners:
            if owner in NUMPY_REMEDIES:
                return NUMPY_REMEDIES[owner]
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def no_plain_value(call: str, number: Any, error: type[Exception] = TypeError, remedy: str = "") -> Exception:
    """The error for every road by which a number would become a plain value and lose its derivative."""
    kind = type(number).__name__
    caller = _scipy_function()
    if caller:
        counterparts = [name for find in COUNTERPARTS for name in find(caller)]
        remedy = f"{caller} converts its arguments to plain arrays, so it cannot be differentiated from here"
        if counterparts:
            remedy = f"{caller} converts its arguments to plain arrays; call {counterparts[0]}, which takes numbers"
    elif call in ("np.asarray", "np.array"):
        remedy = _numpy_remedy() or REMEDIES[call]
    elif "out=" in call or "into" in call:
        remedy = _numpy_remedy() or "give it an array made by np.zeros(..., like=x)"
    remedy = remedy or REMEDIES.get(call, "the derivative is what the call around f returns")
    return error(
        f"{call} of {'an' if kind[0] in 'AEIOU' else 'a'} {kind} would lose its derivative: {remedy}. "
        f"autodiff.value_of(x) gives the plain value{user_line()}"
    )


def unpicklable(number: Any) -> TypeError:
    """The error for pickling a number that belongs to a running differentiation."""
    return TypeError(
        f"a {type(number).__name__} inside a differentiation cannot be pickled: it ends with the call; pickle "
        f"autodiff.value_of(x){user_line()}"
    )


def public_name(function: Any) -> str:
    """What a user calls a function of NumPy or SciPy: ``np.linalg.inv``, ``scipy.special.erf``."""
    module = getattr(function, "__module__", None) or ("numpy" if hasattr(np, function.__name__) else "scipy.special")
    return f"{module}.{function.__name__.lstrip('_')}".replace("numpy", "np", 1)


def no_rule(function: Any, variant: str = "") -> TypeError:
    """The error for a NumPy or SciPy function that is not in the table."""
    return TypeError(
        f"{public_name(function)}{variant} has no derivative here: write it with functions that have one, or apply it "
        f"to autodiff.value_of(x) if its derivative is not wanted{user_line()}"
    )


def raise_if_unbound(function: Any, entry: Any, arguments: Any, keywords: dict[str, Any]) -> None:
    """Raises where a NumPy function was called in a way that the table has no derivative for."""
    bound = inspect.signature(entry)
    try:
        bound.bind(*arguments, **keywords)
    except TypeError as error:
        unknown = [name for name in keywords if name not in bound.parameters]
        raise no_rule(function, f" with {', '.join(unknown)}=" if unknown else f" so called ({error})") from None
