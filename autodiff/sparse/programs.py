"""When two tapes are one program, as far as their sparsity goes: then they have one pattern.

What a function does may depend on values: an ``if``, the order of a sort, the length of a loop. The pattern that was
found is that of one tape. So before it is used for another one, the two are compared: rows, operands, fixed parameters
such as index arrays, shapes, and of the constants those that the pattern rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal, shape
from dualnumbers.levels import plain
from dualnumbers.several import each

from ..tape.wengert import Tape
from .pattern import Reason


class Outline:
    """What the sparsity of a tape depends on: all of it, but for the values of what varies."""

    def __init__(self, tape: Tape, outputs: Sequence[Any], reasons: Iterable[Reason]) -> None:
        self.columns, self.static = _columns(tape, outputs), tape.static
        self.reasons = [(reason, np.array(_reason(tape, reason))) for reason in dict.fromkeys(reasons)]

    def fits(self, tape: Tape, outputs: Sequence[Any]) -> bool:
        """Return whether another tape has this outline."""
        return (
            self.columns == _columns(tape, outputs)
            and self.static.keys() == tape.static.keys()
            and all(_is_same(x, tape.static[line]) for line, x in self.static.items())
            and all(_is_same(x, np.array(_reason(tape, reason))) for reason, x in self.reasons)
        )


def _columns(tape: Tape, outputs: Sequence[Any]) -> tuple[Any, ...]:
    """Return what is compared at once: rows, operands, shapes, and which lines are inputs and outputs."""
    unreal = tape.complex and [each(is_unreal, z) for z in tape.values]
    shapes = [z.shape if type(z) is np.ndarray else each(shape, z) for z in tape.values]
    return (tape.rows, tape.first, tape.second, tape.more, tape.inputs, list(outputs), shapes, unreal)


def _reason(tape: Tape, reason: Reason) -> Any:
    x = plain(tape.value(tape.operands(reason.line)[reason.place]))
    return x if reason.is_whole else np.not_equal(x, 0)


def _is_same(x: Any, y: Any) -> bool:
    """Return whether two fixed parameters are the same to the bit; what cannot be compared is not, but for one object.

    >>> _is_same((slice(0, 2), np.array([1, 2])), (slice(0, 2), np.array([1, 2])))
    True
    """
    if type(x) is not type(y):
        return False
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(_is_same, x, y))
    if x is y and not isinstance(x, np.ndarray):
        return True
    if isinstance(x, np.ndarray):
        same = x.dtype == y.dtype and x.shape == y.shape and x.dtype != object
        return same and np.array_equal(np.ascontiguousarray(x).view(np.uint8), np.ascontiguousarray(y).view(np.uint8))
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(_is_same(x[name], y[name]) for name in x)
    if hasattr(x, "is_alike"):
        return bool(x.is_alike(y))
    return isinstance(x, (int, float, complex, str, slice, np.generic, np.dtype)) and bool(x == y)
