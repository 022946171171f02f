"""Fast paths: how rows of numbers and arrays made by hand are recorded where that is simple, as in a loop or a network.

It is simple where the operands are real numbers on one tape of this thread, or plain ones; or arrays on one, leaves
and plain arrays beside them. The general way is in result.py. It is the same line that is appended, of numbers in a
sixth of the time, of arrays in a third.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from dualnumbers.table.parameters import as_now
from dualnumbers.table.row import Face

from ..tape.program import UNARY
from .no_grad import is_recording
from .shared_tape import OF_PLAIN, SharedTape

new, ndarray = object.__new__, np.ndarray

SCALARS: set[type] = set()
Result: Any = None
ArrayResult: Any = None
ArrayLeaf: Any = None
results: Callable[[SharedTape, int], Any]


def fill(scalar: type, array: type, several: Callable[[SharedTape, int], Any]) -> None:
    """Take the classes of results that are numbers and arrays, and what makes those on a line, which may be several."""
    global Result, ArrayResult, results
    Result, ArrayResult, results = scalar, array, several
    SCALARS.add(scalar)


def fill_leaves(scalar: type, array: type) -> None:
    """Take the classes of leaves that are numbers and arrays."""
    global ArrayLeaf
    ArrayLeaf = array
    SCALARS.add(scalar)


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


def of_arrays(face: Face, general: Callable[..., Any]) -> Callable[..., Any]:
    """Record a row of arrays that are no numbers of another kind, one of them a result at least."""
    row, evaluate, plainly, statics, unreal = face.row, face.evaluate, face.plain, face.row.statics, face.unreal
    with_pull = getattr(row.arguments[0], "with_pull", None) if row.arity == 1 else None

    def recorded(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics] if statics else arguments
        tape = _simple(operands) if is_recording() else None
        if tape is None or (unreal and (tape.complex or any(map(_is_complex, operands)))):
            return general(*arguments)
        lines = [x.place[1] if type(x) is ArrayResult else x.on(tape) if type(x) is ArrayLeaf else tape.constant(x)
                 for x in operands]  # fmt: skip
        xs, static = list(map(tape.value, lines)), as_now(arguments[len(operands) :])
        are_arrays = set(map(type, xs)) == {ndarray}
        if with_pull and are_arrays:
            z, tape.pulls[len(tape.values)] = with_pull(*xs, *static)
        else:
            z = (plainly if plainly and are_arrays else evaluate)(*xs, *static)
        place = len(tape.values)
        if static:
            tape.static[place] = static
        return results(tape, tape.add(row, lines, (), z, place))

    return recorded


def _simple(operands: Any) -> SharedTape | None:
    """Return the tape of operands that all are results on it, leaves, arrays or floats; None where that is not so."""
    tape: Any = None
    for x in operands:
        kind = type(x)
        if kind is ArrayResult:
            own = x.place[0]
            if tape is None:
                tape = own
            elif own is not tape:
                return None
        elif kind is ndarray:
            if x.dtype.char == "O":
                return None
        elif kind is ArrayLeaf:
            if type(x.primal) is not ndarray:
                return None
        elif kind is not float:
            return None
    return tape if tape is not None and tape.level is OF_PLAIN and tape.is_open() else None


def _is_complex(x: Any) -> bool:
    return type(x) is not float and x.dtype.kind == "c"


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
