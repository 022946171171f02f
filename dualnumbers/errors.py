"""What an error says: the call, the line of the user's file, and the remedy. Runs on the error path only."""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

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
        module = frame.f_globals.get("__name__", "")
        if module.startswith("scipy."):
            public = ".".join(part for part in module.split(".") if not part.startswith("_"))
            name = f"{public}.{frame.f_code.co_name}"
        frame = frame.f_back  # type: ignore[assignment]
    return name


def no_plain_value(call: str, number: Any, error: type[Exception] = TypeError) -> Exception:
    """The error for every road by which a number would become a plain value and lose its derivative."""
    caller = _scipy_function()
    kind = type(number).__name__
    if caller:
        remedy = f"{caller} converts its arguments to plain arrays, so it cannot be differentiated from here"
    elif call in ("float", "int", "complex"):
        remedy = (
            f"where a function of Python's math asked for the {call}, call the one in dualnumbers.dmath or NumPy; "
            "where an array was written to, use np.stack or fill np.zeros(..., like=x)"
        )
    elif call == "np.asarray":
        remedy = "keep the number as it is, join numbers with np.stack or autodiff.array, or fill np.zeros(..., like=x)"
    elif "out=" in call:
        remedy = "leave out= away, or give it an array made by np.zeros(..., like=x)"
    else:
        remedy = "the derivative is what the call around f returns"
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


def no_rule(function: Any, variant: str = "") -> TypeError:
    """The error for a NumPy or SciPy function that is not in the table."""
    module = getattr(function, "__module__", None) or ("numpy" if hasattr(np, function.__name__) else "scipy.special")
    name = f"{module}.{function.__name__}".replace("numpy", "np", 1)
    return TypeError(
        f"{name}{variant} has no derivative here: write it with functions that have one, or apply it to "
        f"autodiff.value_of(x) if its derivative is not wanted{user_line()}"
    )


def raise_if_unbound(function: Any, entry: Any, arguments: Any, keywords: dict[str, Any]) -> None:
    """Raises where a NumPy function was called in a way that the table has no derivative for."""
    bound = inspect.signature(entry.function.row.signature if hasattr(entry, "function") else entry)
    try:
        bound.bind(*arguments, **keywords)
    except TypeError as error:
        unknown = [name for name in keywords if name not in bound.parameters]
        raise no_rule(function, f" with {', '.join(unknown)}=" if unknown else f" so called ({error})") from None
