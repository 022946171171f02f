"""Fast paths: how rows of one or two operands, as most lines of a tape have, are recorded.

They append to the columns of the tape themselves, and make the handle without a call of its class; the general way is
`variable.record_line`. They are methods of the classes of handles, which cannot be imported here: `variable` gives them
to `fill`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal
from dualnumbers.levels import is_number
from dualnumbers.numbers.operators import as_operand, beside
from dualnumbers.operands import is_operand
from dualnumbers.rules.short_axes import of_rows
from dualnumbers.table.parameters import UNCHANGING, as_now
from dualnumbers.table.row import Face

from .captured_rows import by_rows
from .handles import handle
from .program import UNARY

new, ndarray, numpy_float = object.__new__, np.ndarray, np.float64

ARITHMETIC = frozenset((np.add, np.subtract, np.multiply, np.divide))
"""What may be carried out of arrays that repeat short rows as `short_axes.of_rows` does."""

Variable: Any = None
ArrayVariable: Any = None
VariableView: Any = None
ACTIVE: set[type] = set()
blank: Callable[[], Any]
record_line: Callable[[Face, tuple[Any, ...], tuple[Any, ...]], Any]
items: Callable[[Any, int], Any]


def fill(scalar: type, array: type, view: type, general: Callable[..., Any], several: Callable[..., Any]) -> None:
    """Take the classes of handles that carry a derivative, the general way, and what gives those on several results."""
    global Variable, ArrayVariable, VariableView, blank, record_line, items
    Variable, ArrayVariable, VariableView, record_line, items = scalar, array, view, general, several
    ACTIVE.update((scalar, array, view))
    blank = partial(object.__new__, scalar)  # 6 ns less than to call ``new``


def inputs(tape: Any, xs: list[Any], general: Callable[[Any, Any], Any]) -> list[Any]:
    """Append an input of a new tape for each value; return the handles on them. Most are plain arrays."""
    rows, first, second, values, handles = tape.rows, tape.first, tape.second, tape.values, []
    for x in xs:
        if type(x) is not ndarray or x.dtype.kind != "f":
            handles.append(general(tape, x.snapshot() if is_number(type(x)) else x))
            continue
        made = new(ArrayVariable)
        made.tape, made.line = tape, len(values)
        tape.inputs.append(made.line)
        rows.append(None)
        first.append(UNARY)
        second.append(UNARY)
        values.append(x)
        tape.mixed = True
        handles.append(made)
    return handles


def unary(face: Face) -> Callable[..., Any]:
    """Record an elementwise row of one operand."""
    row, evaluate, of_float, of_array, unreal = face.row, face.evaluate, face.scalar, face.plain, face.unreal

    def recorded(x: Any) -> Any:
        tape, line = x.tape, x.line
        if unreal and tape.complex:
            return record_line(face, (x,), ())
        values = tape.values
        value = values[line]
        kind = type(value)
        z = of_float(value) if kind is float else of_array(value) if kind is ndarray else evaluate(value)
        place = len(values)
        if type(z) is float:
            result = blank()
            result.tape, result.line = tape, place
        else:
            result = tape.handle_on(z, place)
        tape.rows.append(row)
        tape.first.append(line)
        tape.second.append(UNARY)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result

    return recorded


def in_one(face: Face) -> Callable[..., Any]:
    """Record a row of one array operand and static parameters."""
    row, evaluate = face.row, face.evaluate
    plainly, several = face.plain or evaluate, row.several
    with_pull = getattr(row.arguments[0], "with_pull", None)

    def recorded(x: Any, *static: Any) -> Any:
        tape, line = x.tape, x.line
        values = tape.values
        value = values[line]
        place = len(values)
        for parameter in static:
            if type(parameter) not in UNCHANGING:
                static = as_now(static)  # before a pull-back that comes with the value takes them
                break
        if with_pull and tape.is_lean and type(value) is ndarray:
            z, tape.pulls[place] = with_pull(value, *static)
        else:
            z = plainly(value, *static) if type(value) is ndarray else evaluate(value, *static)
        if static:
            tape.static[place] = static
        if type(z) is numpy_float:
            result = blank()
            result.tape, result.line = tape, place
        elif several and type(z) is tuple:
            return items(tape, tape.append(row, line, UNARY, z, place))
        else:
            result = tape.handle_on(z, place)
        tape.rows.append(row)
        tape.first.append(line)
        tape.second.append(UNARY)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result

    return recorded


def two(face: Face) -> Callable[..., Any]:
    """Record an elementwise row of two operands, at least one a Variable."""
    operator, reflected = operators(face)

    def recorded(x: Any, y: Any) -> Any:
        kind, other = type(x), type(y)
        if (kind is Variable or kind is ArrayVariable or kind is VariableView) and is_operand(other):
            return operator(x, y)
        if (
            (other is Variable or other is ArrayVariable or other is VariableView)
            and not is_number(kind)
            and is_operand(kind)
        ):
            return reflected(y, x)
        return record_line(face, (x, y), ())

    def of_real(x: Any, y: Any) -> Any:
        if type(y) is float and type(x) in ACTIVE and not x.tape.complex:
            return operator(x, y)
        return record_line(face, (x, y), ()) if is_unreal(x) or is_unreal(y) else recorded(x, y)

    return of_real if face.unreal else recorded


def compared(face: Face) -> Callable[..., Any]:
    """Record a comparison of a Variable with a Python number."""
    row, evaluate = face.row, face.evaluate

    def recorded(x: Any, y: Any) -> Any:
        if type(x) in ACTIVE and (type(y) is float or type(y) is int):
            tape, line = x.tape, x.line
            z, place = evaluate(tape.values[line], y), len(tape.values)
            if type(z) is bool and tape.guards is None:
                return z
            if type(z) is ndarray and z.size:
                return handle(tape, tape.append(row, line, tape.add_constant(y), z, place), False)
        return record_line(face, (x, y), ())

    return recorded


def in_two(face: Face) -> Callable[..., Any]:
    """Record any other row of two operands, at least one a Variable, and static parameters."""
    row, evaluate = face.row, face.evaluate
    plainly, several, is_product = face.plain or evaluate, row.several, row.name == "matmul"

    def recorded(x: Any, y: Any, *static: Any) -> Any:
        kind, other = type(x), type(y)
        if kind in ACTIVE and other in ACTIVE and x.tape is y.tape:
            tape, first, second = x.tape, x.line, y.line
            v, w = tape.values[first], tape.values[second]
            z = (plainly if type(v) is ndarray is type(w) else evaluate)(v, w, *static)
            place = len(tape.values)
        elif kind in ACTIVE and other is ndarray:
            tape, first = x.tape, x.line
            v = tape.values[first]
            z, place = (plainly if type(v) is ndarray else evaluate)(v, y, *static), len(tape.values)
            second = tape.constant(y)
        elif other in ACTIVE and kind is ndarray:
            tape, second = y.tape, y.line
            w, place = tape.values[second], len(tape.values)
            if is_product and (found := by_rows(tape, plainly, x, w)):
                z, first = found
            else:
                z = (plainly if type(w) is ndarray else evaluate)(x, w, *static)
                place, first = len(tape.values), tape.constant(x)
        else:
            return record_line(face, (x, y), static)
        if static:
            tape.static[place] = as_now(static)
        if several and type(z) is tuple:
            return items(tape, tape.append(row, first, second, z, place))
        result = tape.handle_on(z, place)
        tape.rows.append(row)
        tape.first.append(first)
        tape.second.append(second)
        tape.values.append(z)
        if tape.values[place] is not z:
            raise tape.torn()
        return result

    return recorded


def in_many(face: Face) -> Callable[..., Any]:
    """Record a row of any number of operands, arrays on one tape or plain ones as mostly, and static parameters."""
    row, statics, plainly = face.row, face.row.statics, face.plain

    def recorded(*arguments: Any) -> Any:
        count = len(arguments) - statics
        operands, static = arguments[:count], arguments[count:]
        tape: Any = None
        for x in operands:
            kind = type(x)
            if kind is ArrayVariable or kind is VariableView:
                if tape is None:
                    tape = x.tape
                elif x.tape is not tape:
                    return record_line(face, operands, static)
            elif kind is not ndarray:
                return record_line(face, operands, static)
        if tape is None:
            return record_line(face, operands, static)
        xs = [x if type(x) is ndarray else tape.values[x.line] for x in operands]
        if any(type(x) is not ndarray for x in xs):
            return record_line(face, operands, static)
        z, place = plainly(*xs, *static), len(tape.values)
        lines = [tape.constant(x) if type(x) is ndarray else x.line for x in operands]
        return tape.handle_on(z, tape.add(row, lines, static, z, place))

    return recorded


def operators(face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Make an operator of Variables and its reflected twin: the usual operands at once, others by the general way."""
    row, evaluate = face.row, face.evaluate
    of_arrays = partial(of_rows, evaluate, face.plain) if face.plain in ARITHMETIC else evaluate

    def operator(x: Any, y: Any) -> Any:
        kind = type(y)
        tape, line = x.tape, x.line
        values = tape.values
        if kind is float or kind is int:
            z = evaluate(values[line], y)
            place, constants = len(values), tape.constants
            constants.append(y)
            other = -len(constants)
        elif (kind is Variable or kind is ArrayVariable or kind is VariableView) and y.tape is tape:
            other = y.line
            v, w = values[line], values[other]
            z = of_arrays(v, w) if kind is not Variable and type(w) is ndarray and w.ndim > 1 else evaluate(v, w)
            place = len(values)
        elif kind is ndarray and y.dtype.char != "O":
            z = (evaluate if y.ndim < 2 else of_arrays)(values[line], y)
            place, other = len(values), tape.constant(y)
        else:
            operand = as_operand(x, y, row)
            return beside(row, x, y) if operand is NotImplemented else record_line(face, (x, operand), ())
        if type(z) is float:
            result = blank()
            result.tape, result.line = tape, place
        else:
            result = tape.handle_on(z, place)
        tape.rows.append(row)
        tape.first.append(line)
        tape.second.append(other)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result

    def reflected(x: Any, y: Any) -> Any:
        kind, tape, line = type(y), x.tape, x.line
        values = tape.values
        if kind is not float and kind is not int:
            if kind is Variable:  # Python asks the array first, whose class is derived from that of the number
                return operator(y, x)
            if kind is ndarray and y.dtype.char != "O":
                z, place = (evaluate if y.ndim < 2 else of_arrays)(y, values[line]), len(values)
                tape.append(row, tape.constant(y), line, z, place)
                return tape.handle_on(z, place)
            operand = as_operand(x, y, row)
            return beside(row, y, x) if operand is NotImplemented else record_line(face, (operand, x), ())
        z = evaluate(y, values[line])
        place, constants = len(values), tape.constants
        constants.append(y)
        other = -len(constants)
        if type(z) is float:
            result = blank()
            result.tape, result.line = tape, place
        else:
            result = tape.handle_on(z, place)
        tape.rows.append(row)
        tape.first.append(other)
        tape.second.append(line)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result

    return operator, reflected
