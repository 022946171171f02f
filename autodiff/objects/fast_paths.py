"""Fast paths: how rows of one or two numbers made by hand are recorded where that is simple, as in a loop.

It is simple where the operands are real numbers on one tape of this thread, or plain ones; the general way is in
result.py. It is the same line that is appended, in a sixth of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from dualnumbers.table.row import Face

from ..tape.program import UNARY
from .no_grad import is_recording
from .shared_tape import SharedTape

new = object.__new__

SCALARS: set[type] = set()
Result: Any = None


def fill(result: type) -> None:
    """Take the class of results that are numbers."""
    global Result
    Result = result
    SCALARS.add(result)


def of_one(face: Face, general: Callable[..., Any]) -> Callable[..., Any]:
    """Record an elementwise row of one operand."""
    row, evaluate = face.row, face.evaluate

    def recorded(x: Any) -> Any:
        found = x.spot() if type(x) in SCALARS and is_recording() else None
        if found is None:
            return general(x)
        tape, first = found
        return _appended(tape, row, first, UNARY, evaluate(tape.values[first]))

    return recorded


def of_two(face: Face, general: Callable[..., Any]) -> Callable[..., Any]:
    """Record an elementwise row of two operands."""
    row, evaluate = face.row, face.evaluate

    def recorded(x: Any, y: Any) -> Any:
        if type(x) not in SCALARS or not is_recording():
            return general(x, y)
        found, kind = x.spot(), type(y)
        if found is None:
            return general(x, y)
        tape, first = found
        if kind is float or kind is int:
            z = evaluate(tape.values[first], y)
            return _appended(tape, row, first, tape.add_constant(y), z)
        second = y.line_on(tape) if kind in SCALARS else None
        if second is None:
            return general(x, y)
        return _appended(tape, row, first, second, evaluate(tape.values[first], tape.values[second]))

    return recorded


def reflected(face: Face, general: Callable[..., Any]) -> Callable[..., Any]:
    """Record an elementwise row of a plain number and one made by hand, which comes first here."""
    row, evaluate = face.row, face.evaluate

    def recorded(y: Any, x: Any) -> Any:
        found = y.spot() if (type(x) is float or type(x) is int) and type(y) in SCALARS and is_recording() else None
        if found is None:
            return general(y, x)
        tape, second = found
        z = evaluate(x, tape.values[second])
        return _appended(tape, row, tape.add_constant(x), second, z)

    return recorded


def _appended(tape: SharedTape, row: Any, first: int, second: int, z: Any) -> Any:
    """Append a line; return the handle on it."""
    values, lowest = tape.values, tape.lowest
    line = low = len(values)
    if first >= 0 and lowest[first] < low:
        low = lowest[first]
    if second >= 0 and lowest[second] < low:
        low = lowest[second]
    tape.rows.append(row)
    tape.first.append(first)
    tape.second.append(second)
    values.append(z)
    lowest.append(low)
    if type(z) is not float:
        tape.note(z)
    made = new(Result)
    made.place, made.gradient = (tape, line), None
    tape.handles.append(ref(made))
    return made
