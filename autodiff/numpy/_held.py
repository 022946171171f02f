"""What holders hold, which arrays show elements of it, and windows, by which it is known that one does."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import PYTHON
from dualnumbers.levels import is_number
from dualnumbers.memory import detached
from dualnumbers.messages.errors import user_line
from dualnumbers.messages.refusals import note
from dualnumbers.numbers.array import ArrayNumber

HOLDERS: set[type] = set()
"""The types of holders and of their views."""


def nested(function: Callable[[Any], Any], x: Any) -> Any:
    """Apply a function to what nested lists, tuples and dicts hold."""
    kind = type(x)
    if kind is list or kind is tuple:
        return kind([nested(function, part) for part in x])
    return {name: nested(function, value) for name, value in x.items()} if kind is dict else function(x)


def held(x: Any) -> Any:
    """Return what a holder holds, a plain array or one with derivatives; anything else as it is."""
    return x.primal if type(x) in HOLDERS else x


def all_held(x: Any) -> Any:
    """Replace every holder in nested lists, tuples and dicts by what it holds."""
    return nested(held, x)


def holds_number(x: Any) -> bool:
    """Return whether nested lists, tuples, dicts and arrays of objects hold a number with a derivative."""
    kind = type(x)
    if kind is list or kind is tuple:
        return any(map(holds_number, x))
    if kind is dict:
        return any(map(holds_number, x.values()))
    if kind is np.ndarray and x.dtype.char == "O":
        return any(is_number(type(part)) for part in x.flat)
    return is_number(type(held(x)))


def leaves(x: Any) -> list[Any]:
    """Return the arrays and numbers that nested lists, tuples and dicts hold."""
    found: list[Any] = []
    _gather(x, found)
    return found


def _gather(x: Any, found: list[Any]) -> None:
    if isinstance(x, (list, tuple, dict)):
        for part in x.values() if isinstance(x, dict) else x:
            if type(part) not in PYTHON:
                _gather(part, found)
    elif isinstance(x, np.ndarray) or is_number(type(x)):
        found.append(x)


def shows(z: Any, value: Any) -> bool:
    """Return whether an array shows elements of another, each plain or of numbers."""
    if is_number(type(value)):
        return z is value or (isinstance(z, ArrayNumber) and z.owner is getattr(value, "owner", None))
    return isinstance(z, np.ndarray) and isinstance(value, np.ndarray) and np.may_share_memory(z, value)


def untied(result: Any, holders: list[Any]) -> bool:
    """Return whether a result, or a part of one, shows elements of holders without being tied to them."""
    parts = [part for part in leaves(result) if type(part) not in HOLDERS]
    return any(shows(part, x.primal) for part in parts for x in holders)


def apart(z: Any) -> Any:
    """Copy an array so that the copy lies in memory as it does and may be written to if it may."""
    if is_number(type(z)):
        return z.snapshot()
    copy = detached(z)
    copy.flags.writeable = z.flags.writeable
    return copy


class Window:
    """An array that plain arrays look through to a holder's elements: it lives as long as one of them does."""

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def __array_interface__(self) -> Any:
        return self.array.__array_interface__


def check_unseen(windows: Any, number: Any) -> None:
    """Raise TypeError where an array still looks through one of the windows, which would not see this number."""
    if any(known() for known in windows):
        gc.collect()  # of what a cycle kept
    if not any(known() for known in windows):
        return
    text = (
        "an array of NumPy's own, such as numpy.asarray(y), shows y and would not see a number stored into y: copy "
        f"it, or take autodiff.numpy{user_line()}"
    )
    note(number, text)
    raise TypeError(text)
