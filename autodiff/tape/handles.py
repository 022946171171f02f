"""Which class the handle on a line of a tape has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class _Classes(dict[tuple[type, bool], type]):
    """(type of a value, whether it carries a derivative) → the class of its handle."""

    def __missing__(self, key: tuple[type, bool]) -> type:
        self[key] = answer = _class_of(*key)
        return answer


CLASS = _Classes()
_class_of: Callable[[type, bool], type]


def fill(class_of: Callable[[type, bool], type]) -> None:
    """Take over what finds the class for a type of value: the classes stand above."""
    global _class_of
    _class_of = class_of


def is_index(z: Any) -> bool:
    """Return whether NumPy takes a value for another index than a handle on it; then it is handed out as it is.

    True is a mask; a handle on it NumPy asks for ``__index__``, and takes the place 1. An empty array of bools is a
    mask, too; whatever is empty and no array, as a handle on it, NumPy takes for an empty list of places.
    """
    return type(z) is bool or (type(z) is np.ndarray and not z.size)


def handle(tape: Any, line: int, active: bool = True) -> Any:
    """Make a handle on a line, of the class that its value asks for."""
    made: Any = object.__new__(getattr(tape, "classes", CLASS)[type(tape.values[line]), active])
    made.tape, made.line = tape, line
    return made
