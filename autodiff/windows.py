"""Which arrays show elements of which: those among arguments and results, and windows, whose views are known of."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dualnumbers.arraynumber import ArrayNumber
from dualnumbers.errors import user_line
from dualnumbers.levels import is_number
from dualnumbers.memory import detached
from dualnumbers.refusals import note


def nested(function: Callable[[Any], Any], x: Any) -> Any:
    """A function applied to what nested lists, tuples and dicts hold."""
    kind = type(x)
    if kind is list or kind is tuple:
        return kind([nested(function, part) for part in x])
    return {name: nested(function, value) for name, value in x.items()} if kind is dict else function(x)


def leaves(x: Any) -> Iterator[Any]:
    """What nested lists, tuples and dicts hold, of arrays those that may show elements of another."""
    if isinstance(x, (list, tuple, dict)):
        for part in x.values() if isinstance(x, dict) else x:
            yield from leaves(part)
    elif isinstance(x, np.ndarray) or is_number(type(x)):
        yield x


def shows(z: Any, value: Any) -> bool:
    """Whether an array shows elements of another, each plain or of numbers."""
    if is_number(type(value)):
        return z is value or (isinstance(z, ArrayNumber) and z.owner is getattr(value, "owner", None))
    return isinstance(z, np.ndarray) and isinstance(value, np.ndarray) and np.may_share_memory(z, value)


def apart(z: Any) -> Any:
    """A copy of an array, which lies in memory as it does and may be written to if it may."""
    if is_number(type(z)):
        return z.snapshot()
    copy = detached(z)
    copy.flags.writeable = z.flags.writeable
    return copy


class Window:
    """What plain arrays look through that show a holder's elements: it lives as long as one of them does."""

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def __array_interface__(self) -> Any:
        return self.array.__array_interface__


def check_unseen(windows: Any, number: Any) -> None:
    """Raises TypeError where an array still looks through one of the windows, which would not see this number."""
    if any(known() for known in windows):
        gc.collect()  # of what a cycle kept
    if not any(known() for known in windows):
        return
    text = ("an array of NumPy's own, such as numpy.asarray(y), shows y and would not see a number stored into y: copy "
            f"it, or take autodiff.numpy{user_line()}")  # fmt: skip
    note(number, text)
    raise TypeError(text)
