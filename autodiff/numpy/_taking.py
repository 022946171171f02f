"""How a function of NumPy takes lists of numbers and gives arrays that take numbers, inside a differentiation."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import ModuleType
from typing import Any

import numpy as np

from dualnumbers.levels import LIVING, RUNNING
from dualnumbers.rules import ENTRIES
from dualnumbers.rules.shaping import array as joined

from ..calls.running import is_inside
from ._held import holds_number
from ._holder import keeping

SEQUENCES = {"broadcast_arrays", "choose", "column_stack", "concat", "concatenate", "dstack", "einsum",
             "hstack", "lexsort", "linalg.multi_dot", "meshgrid", "select", "stack", "vstack"}  # fmt: skip
"""Functions that take a list of arrays: its members are joined, the list is not."""

OURS: dict[Any, Any] = {}
"""A function of NumPy, by its identity → the one that stands for it here."""


def as_array(x: Any) -> Any:
    """Join a list that holds a number to one array; return anything else as it is."""
    return joined(x) if type(x) in (list, tuple, np.ndarray) and holds_number(x) else x


def members(x: Any) -> Any:
    """Apply `as_array` to each member of a list of arrays."""
    return type(x)(map(as_array, x)) if type(x) in (list, tuple) else x


def stands_for(function: Any) -> Callable[[Any], Any]:
    """Let what is defined here stand for a function or class of NumPy, in every one of its modules."""

    def register(ours: Any) -> Any:
        OURS[function] = ours
        return update_wrapper(ours, function) if not isinstance(ours, type) else ours

    return register


def within(function: Any) -> Callable[[Any], Any]:
    """Let what is defined here stand for a function of NumPy in a differentiation; outside that is called.

    That costs 0.1 µs, with keywords 0.2 µs.
    """

    def register(inside: Any) -> Any:
        def called(*arguments: Any, **keywords: Any) -> Any:
            if (RUNNING or LIVING) and is_inside():
                return inside(*arguments, **keywords)
            return function(*arguments, **keywords) if keywords else function(*arguments)

        return stands_for(function)(called)

    return register


def taking_lists(function: Any, name: str) -> Any:
    """Let a function of NumPy take lists of numbers as arrays, and inside a differentiation give holders."""
    taken = members if name in SEQUENCES else (lambda x: x) if name == "block" else as_array

    def inside(*arguments: Any, **keywords: Any) -> Any:
        arguments = tuple(map(taken, arguments))
        keywords = {key: value if key == "out" else as_array(value) for key, value in keywords.items()}
        return keeping(function(*arguments, **keywords), arguments, keywords)

    return within(function)(inside)


def fill(names: dict[str, Any], original: ModuleType) -> None:
    """Give a module here all public names of NumPy's: the objects themselves, or those that stand for them."""
    prefix = original.__name__.removeprefix("numpy").lstrip(".")
    for name in public_names(original):
        value = getattr(original, name)
        names.setdefault(name, standing_for(value, f"{prefix}.{name}".lstrip(".")))
    names["__all__"] = sorted(name for name in names if not name.startswith("_"))


def public_names(original: ModuleType) -> list[str]:
    """Return the public names of a NumPy module that are there already: no submodule is loaded for it."""
    return [name for name in dir(original) if not name.startswith("_") and name in vars(original)]


def standing_for(value: Any, name: str) -> Any:
    """Return what stands for an object of NumPy: itself, but for the few that the protocols do not reach."""
    try:
        ours = OURS.get(value)
    except TypeError:  # no hash
        return value
    if ours is not None:
        return ours
    if callable(value) and not isinstance(value, (np.ufunc, type)) and ENTRIES[value]:
        return taking_lists(value, name)
    return value
