"""Variable: a line of a tape. What is computed from one appends a line; nothing is evaluated twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from dualnumbers.arraynumber import ArrayNumber
from dualnumbers.dispatch import lead, leading
from dualnumbers.elementary import ELEMENTWISE, LOCALLY_CONSTANT, Row
from dualnumbers.errors import unpicklable
from dualnumbers.levels import Level, is_number, is_operand, plain
from dualnumbers.memory import detached
from dualnumbers.number import Number, as_operand, lifted_operators
from dualnumbers.parameters import as_now
from dualnumbers.rules.complexes import is_unreal
from dualnumbers.rules.indexing import fixed, getitem, setitem
from dualnumbers.views import ArrayView

from .handles import CLASS, is_index
from .tape import UNARY, Tape

new = object.__new__
GETITEM, SETITEM = getitem.row, setitem.row


def _handle(tape: Tape, line: int, active: bool = True) -> Any:
    """A handle on a line, of the class that its value asks for."""
    handle: Any = new(CLASS[type(tape.values[line]), active])
    handle.tape, handle.line = tape, line
    return handle


def variable(tape: Tape, value: Any) -> Any:
    """An input: a line without operands, what the tape differentiates with respect to."""
    tape.inputs.append(tape.append(None, UNARY, UNARY, value))
    return _handle(tape, tape.inputs[-1])


def record_line(row: Row, operands: tuple[Any, ...], static: tuple[Any, ...]) -> Any:
    """Apply a row to operands, at least one a Variable: evaluate it, append a line; a handle on it."""
    leader = leading(operands)
    if not isinstance(leader, Variable) or leader.level.is_of_leaves:
        return lead(row, *operands, *static)
    tape = leader.tape
    if row.unreal and any(map(is_unreal, operands)):
        return row.unreal(*operands)
    lines = [x.line if isinstance(x, Variable) and x.tape is tape else None for x in operands]
    xs = [tape.kept(x) if line is None else tape.values[line] for x, line in zip(operands, lines, strict=True)]
    z, place = row.evaluate(*xs, *static), len(tape.values)
    if type(z) is bool and not tape.complete:
        return z
    numbers = [line if line is not None and operands[k].active else tape.add_constant(xs[k], line)
               for k, line in enumerate(lines)]  # fmt: skip
    tape.add(row, numbers, static, z, place)
    active = row.kind != LOCALLY_CONSTANT and max(numbers) >= 0
    return _handle(tape, place, active) if active or not is_index(z) else z


def record_row(row: Row) -> Callable[..., Any]:
    """The recording of a row of any operands."""
    statics = row.statics

    def recorded(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics] if statics else arguments
        return record_line(row, operands, arguments[len(operands) :])

    return recorded


def _record_unary(row: Row) -> Callable[..., Any]:
    evaluate = row.evaluate

    def recorded(x: Any) -> Any:
        tape, line = x.tape, x.line
        values = tape.values
        z = evaluate(values[line])
        if type(z) is not float:
            return _handle(tape, tape.append(row, line, UNARY, z))
        place = len(values)
        result = blank()
        result.tape, result.line = tape, place
        tape.rows.append(row)
        tape.first.append(line)
        tape.second.append(UNARY)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result

    return recorded


def _record_in_one(row: Row) -> Callable[..., Any]:
    """A row of one array operand and static parameters."""
    evaluate, plainly = row.evaluate, row.plain

    def recorded(x: Any, *static: Any) -> Any:
        tape, line = x.tape, x.line
        values = tape.values
        value = values[line]
        z = plainly(value, *static) if type(value) is np.ndarray else evaluate(value, *static)
        place = len(values)
        if static:
            tape.static[place] = as_now(static)
        if type(z) is not np.float64:
            return _handle(tape, tape.append(row, line, UNARY, z, place))
        result = blank()
        result.tape, result.line = tape, place
        tape.rows.append(row)
        tape.first.append(line)
        tape.second.append(UNARY)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result

    return recorded


def _record_two(row: Row) -> Callable[..., Any]:
    """An elementwise row of two operands, at least one a Variable."""
    operator, reflected = _record_operators(row)

    def recorded(x: Any, y: Any) -> Any:
        kind, other = type(x), type(y)
        if (kind is Variable or kind is ArrayVariable) and is_operand(other):
            return operator(x, y)
        if (other is Variable or other is ArrayVariable) and not is_number(kind) and is_operand(kind):
            return reflected(y, x)
        return record_line(row, (x, y), ())

    return recorded


def _record_operators(row: Row) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operator of Variables and its reflected twin: the usual operands of one tape at once, others by `record`."""
    evaluate = row.evaluate

    def operator(x: Any, y: Any) -> Any:
        kind = type(y)
        tape, line = x.tape, x.line
        values = tape.values
        if kind is float or kind is int:
            z = evaluate(values[line], y)
            place, constants = len(values), tape.constants
            constants.append(y)
            other = -len(constants)
        elif (kind is Variable or kind is ArrayVariable) and y.tape is tape:
            other = y.line
            z = evaluate(values[line], values[other])
            place = len(values)
        elif kind is np.ndarray and y.dtype.char != "O":
            z = evaluate(values[line], y)
            place, other = len(values), tape.constant(y)
        else:
            y = as_operand(x, y, row)
            return y if y is NotImplemented else record_line(row, (x, y), ())
        if type(z) is not float:
            return _handle(tape, tape.append(row, line, other, z, place))
        result = blank()
        result.tape, result.line = tape, place
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
            if kind is np.ndarray and y.dtype.char != "O":
                z, place = evaluate(y, values[line]), len(values)
                return _handle(tape, tape.append(row, tape.constant(y), line, z, place))
            y = as_operand(x, y, row)
            return y if y is NotImplemented else record_line(row, (y, x), ())
        z = evaluate(y, values[line])
        place, constants = len(values), tape.constants
        constants.append(y)
        other = -len(constants)
        if type(z) is not float:
            return _handle(tape, tape.append(row, other, line, z, place))
        result = blank()
        result.tape, result.line = tape, place
        tape.rows.append(row)
        tape.first.append(other)
        tape.second.append(line)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result

    return operator, reflected


class Variable(Number, operators=True):
    """A line of a tape. What is computed from it appends a line."""

    __slots__ = ("line", "tape")
    active: ClassVar[bool] = True
    tape: Tape
    line: int

    @property
    def primal(self) -> Any:
        return self.tape.values[self.line]

    @property
    def level(self) -> Level:  # type: ignore[override]
        return self.tape.level

    @classmethod
    def lift(cls, row: Row) -> Callable[..., Any]:
        """The recording of a row."""
        if row.kind == LOCALLY_CONSTANT or row.unreal or not (row.arity == 1 or row.inline):
            return record_row(row)
        if row.arity == 2:
            return _record_two(row)
        return _record_unary(row) if row.kind == ELEMENTWISE else _record_in_one(row)

    @classmethod
    def operators(cls, row: Row) -> tuple[Callable[..., Any], Callable[..., Any]]:
        return _record_operators(row) if row.kind == ELEMENTWISE else lifted_operators(row, cls)

    def constant(self, value: Any) -> Any:
        return _handle(self.tape, self.tape.append(None, UNARY, UNARY, value))

    def leads(self, other: Any) -> bool:
        return self.active and not getattr(other, "active", False)

    def __repr__(self) -> str:
        return f"Variable({plain(self)!r})"

    def __new__(cls, data: Any, name: str | None = None) -> Any:
        """A leaf: one made by hand."""
        from .leaf import Leaf

        return Leaf(data, name)

    @classmethod
    def multi_variables(cls, *data: Any) -> list[Any]:
        """Leaves that belong together: ``compute_gradients`` gives a Jacobian for each of them, in this order."""
        from .leaf import together

        return together([cls(x) for x in data])

    def __copy__(self) -> Any:
        self.tape.pinned.add(self.line)
        return _handle(self.tape, self.line, self.active)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> Any:
        raise unpicklable(self)


blank: Callable[[], Any] = partial(new, Variable)
"""A handle on no line yet, of the class that most have; 6 ns less than to call ``new``."""


class ArrayVariable(Variable, ArrayNumber, operators=True):
    """A line of a tape whose value is an array."""

    __slots__ = ()
    snapshot = Variable.__copy__

    def __getitem__(self, index: Any) -> Any:
        tape, line = self.tape, self.line
        value = (values := tape.values)[line]
        if type(index) is not int and type(index) is not slice:
            (index,) = as_now((fixed(index),))
        if type(value) is not np.ndarray:
            return self.viewed(getitem, index)
        z = value[index]
        shown = type(z) is np.ndarray and np.may_share_memory(z, value)
        if shown and tape.rows[line] is SETITEM:
            z = detached(z)  # then the array can be written in place as soon as nobody has this view of it
        place = len(values)
        item: Any = blank() if type(z) is np.float64 else new(CLASS[type(z), True])
        item.tape, item.line = tape, place
        tape.static[place] = (index,)
        tape.rows.append(GETITEM)
        tape.first.append(line)
        tape.second.append(UNARY)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return item.tied(self, getitem, (index,)) if shown else item

    def assign(self, value: Any, index: Any) -> None:
        if leading((self, value)) is self:
            tape, line = self.tape, self.line
            other = value.line if isinstance(value, Variable) and value.tape is tape and value.active else None
            place = len(tape)  # after the lines of views
            written = tape.write(line, tape.constant(value) if other is None else other, index, place)
            if written is not None:
                self.line = written
                return
        super().assign(value, index)

    def become(self, value: Any) -> None:
        self.line = value.line

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(VariableView), self, base, function, static)


class VariableView(ArrayView, ArrayVariable):
    """A view of an array on a tape: writing through it writes its base."""

    __slots__ = ("path", "root", "seen", "source")
    line = property(lambda self: self.current().line)
    tape = property(lambda self: self.root.tape)
