"""What an error says: the call, the line of the user's file, and the remedy. Runs on the error path alone."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any

COUNTERPARTS: list[Callable[[str], list[str]]] = []
"""Each finds, for the name of a SciPy function, the names of functions that do the same for numbers."""

_OURS = tuple(str(Path(__file__).resolve().parent.parent / name) + os.sep for name in ("dualnumbers", "autodiff"))


def stack() -> Iterator[FrameType]:
    """The frames that run now, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OURS)


def is_users(frame: FrameType) -> bool:
    """Whether a frame runs code outside these packages, NumPy and SciPy."""
    return not _is_ours(frame) and _module(frame).partition(".")[0] not in ("numpy", "scipy")


def user_line() -> str:
    """`` (at file:line)`` of the innermost frame that is the user's."""
    frame = next(filter(is_users, stack()), None)
    return "" if frame is None else f" (at {frame.f_code.co_filename}:{frame.f_lineno})"


def _scipy_function(frames: Iterable[FrameType]) -> str:
    """The outermost SciPy function among the frames, as ``scipy.module.name``; empty if there is none."""
    name = ""
    for frame in frames:
        module, method = _module(frame), frame.f_code.co_name
        if not module.startswith("scipy."):
            continue  # to look at the locals of a frame that holds the error would make a cycle
        wrapped: Any = frame.f_locals.get("f")
        if method == "wrapper" and module == "scipy._lib._util" and hasattr(wrapped, "__name__"):  # over a stack
            module, method = wrapped.__module__, wrapped.__name__
        if not module.startswith("scipy._lib"):
            self = frame.f_locals.get("self")
            distribution = getattr(getattr(self, "dist", self), "name", None)  # also of a frozen one
            owner = [distribution] if isinstance(distribution, str) else []
            if method == "__ua_function__":  # scipy.fft
                method = frame.f_locals["method"].__name__
            elif method in ("__init__", "__call__"):
                method = getattr(self, "__name__", type(self).__name__).removesuffix("_gen").removesuffix("_frozen")
            path = [_public_module(module, method), *owner, method]
            nameless = method.startswith("__") or method == "axis_nan_policy_wrapper"  # an operator, a decorator
            name = ".".join(path[:-1] if nameless else path)
    return name


def _public_module(module: str, name: str) -> str:
    """Where SciPy shows what one of its modules defines: ``scipy.integrate`` of ``scipy.integrate._ivp.ivp``."""
    parts = [part for part in module.split(".") if not part.startswith("_")]
    above = [".".join(parts[:k]) for k in range(len(parts), 1, -1)]
    return next((path for path in above if hasattr(sys.modules.get(path), name)), above[0])


_CALL_ANOTHER = ("where a function of Python's math asked for it, call the one in dualnumbers.dmath or NumPy; where an "
                 "array was written to, or NumPy was given a list of numbers, use np.stack, autodiff.array or fill "
                 "np.zeros(..., like=x)")  # fmt: skip
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
    "numpy.ma": "masked arrays have an arithmetic of their own: call np.where, or give where= to the reduction",
    "numpy.polynomial": "numpy.polynomial makes plain arrays of arrays: give it coefficients in a list, list(c), and "
    "evaluate a polynomial p by np.polynomial.polynomial.polyval(x, p.convert().coef)",
}
"""A class, function or module of NumPy that converts to plain arrays → what to do instead."""


def _numpy_remedy() -> str:
    """What to do instead of the class or function of NumPy that is on the stack; empty if there is none."""
    for frame in stack():
        module = _module(frame).split(".")
        owners = [frame.f_code.co_qualname.partition(".")[0], ".".join(module[:2])] if module[0] == "numpy" else []
        for owner in owners:
            if owner in NUMPY_REMEDIES:
                return NUMPY_REMEDIES[owner]
    return ""


def _scipy_remedy(caller: str) -> str:
    """What to do instead of a function of SciPy."""
    counterparts = [name for find in COUNTERPARTS for name in find(caller)]
    if counterparts:
        return f"{caller} converts its arguments to plain arrays; call {counterparts[0]}, which takes numbers"
    return f"{caller} converts its arguments to plain arrays, so it cannot be differentiated from here"


def explain(error: Exception) -> None:
    """Note on an error of NumPy's or SciPy's in a function that is differentiated what to do if numbers are why."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)][::-1]
    if _is_ours(frames[0]) or hasattr(error, "__notes__"):
        return  # its own text says it
    caller, text, where = _scipy_function(frames), str(error), _module(frames[0]).partition(".")[0]
    if caller and isinstance(error, (TypeError, ValueError, AttributeError, NotImplementedError)):
        error.add_note(f"If numbers of the differentiation came to it: {_scipy_remedy(caller)}.")
    elif where == "statistics":
        error.add_note("Python's statistics take plain numbers: call np.mean, np.std and their like.")
    elif "Iterator operand" in text:
        error.add_note("np.nditer reads memory: loop over x.flat, or read x[place] for place in np.ndindex(x.shape).")
    elif "ufunc" in text or (where == "numpy" and isinstance(error, (TypeError, AttributeError))):
        error.add_note("If numbers of the differentiation came to it in a list or an array of objects: join them "
                       "first, by autodiff.array([...]).")  # fmt: skip


def no_plain_value(call: str, number: Any, error: type[Exception] = TypeError, remedy: str = "") -> Exception:
    """The error for every road by which a number would become a plain value and lose its derivative."""
    kind = _public_kind(number)
    caller = _scipy_function(stack())
    if caller:
        remedy = _scipy_remedy(caller)
    elif call in ("np.asarray", "np.array"):
        remedy = _numpy_remedy() or REMEDIES[call]
    elif "out=" in call or "into" in call:
        remedy = _numpy_remedy() or "give it an array made by np.zeros(..., like=x)"
    level = getattr(number, "level", None)  # an array of the caller's may stand for what would be stored in it
    of_leaves = "backward() leaves the derivative in x.grad"
    by_leaves = bool(level and level.is_of_leaves)
    found = of_leaves if by_leaves else "the derivative is what the call around f returns"
    remedy = remedy or REMEDIES.get(call, found)
    plainly = ", or all of it within no_grad()," if by_leaves else ""
    return error(
        f"{call} of {'an' if kind[0] in 'AEIOU' else 'a'} {kind} would lose its derivative: {remedy}. "
        f"autodiff.value_of(x){plainly} gives the plain value{user_line()}"
    )


def _public_kind(number: Any) -> str:
    """The name by which a user knows the kind of a number."""
    names = [kind.__name__ for kind in type(number).__mro__]
    return next((name for name in names if name in ("Constant", "DualNumber", "Variable")), names[0])


def unpicklable(number: Any) -> TypeError:
    """The error for pickling a number that belongs to a running differentiation."""
    return TypeError(
        f"a {_public_kind(number)} inside a differentiation cannot be pickled: it ends with the call; pickle "
        f"autodiff.value_of(x){user_line()}"
    )


def public_name(function: Any) -> str:
    """What a user calls a function of NumPy or SciPy: ``np.linalg.inv``, ``scipy.special.erf``."""
    module, name = getattr(function, "__module__", None), function.__name__.lstrip("_")
    if name.endswith(" (vectorized)"):
        return f"np.frompyfunc of {name.removesuffix(' (vectorized)')}"
    if not module:  # a ufunc
        module = next((m for m in ("numpy", "scipy.special") if hasattr(sys.modules.get(m), name)), "")
    return f"{module}.{name}".replace("numpy", "np", 1) if module else f"the ufunc {name}"


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
