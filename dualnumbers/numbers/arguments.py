"""The arguments of a call of NumPy's: lists and object arrays of numbers joined, and ``out`` by its name."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np

from ..forms import SCALARS
from ..levels import is_number
from ..operands import is_labelled
from ..rules import shaping
from ..rules.elementwise.arithmetic import as_numpy

BUILTINS = {np.concatenate: ["arrays", "axis", "out"], np.dot: ["a", "b", "out"]}
"""The builtins whose ``out`` has a place; before NumPy 2.4 they do not tell their parameters."""

WRITERS = {np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask}
"""Functions that write into their first argument, which is never another array in its place."""

RAISED_LATE = (FloatingPointError, RuntimeWarning)
"""What NumPy raises when a result is computed and written: ``np.errstate(all="raise")``, warnings that are errors."""


def joined(argument: Any) -> Any:
    """Join an argument of a NumPy function that is an object array of numbers, or a list of such, to arrays."""
    kind = type(argument)
    if is_number(kind) or kind in SCALARS:
        return argument
    if isinstance(argument, (list, tuple)):
        return kind(map(joined, argument)) if not hasattr(argument, "_fields") else argument
    if isinstance(argument, np.ndarray) or shaping.is_nested(kind) or is_labelled(kind):
        return shaping.array(argument)
    return argument


def as_numpy_joined(argument: Any) -> Any:
    """Join an argument of a function written in table functions; a number of Python's becomes one of NumPy's."""
    kind = type(argument)
    if is_number(kind):
        return as_numpy(argument)
    if isinstance(argument, (list, tuple)) and not hasattr(argument, "_fields"):
        return kind(map(as_numpy_joined, argument))
    return joined(argument)


def with_out_named(function: Any, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the positional arguments before the place of ``out`` in a NumPy function, and those from there by name."""
    names = _by_place(function)
    before = names.index("out") if "out" in names else len(arguments)
    return arguments[:before], dict(zip(names[before:], arguments[before:], strict=False))


def _by_place(function: Any) -> list[str]:
    """Return the parameters of a NumPy function that may be given by their place."""
    try:
        parameters = signature(function).parameters.values()
    except ValueError:  # a builtin, before NumPy 2.4
        return BUILTINS.get(function, [])
    return [p.name for p in parameters if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
