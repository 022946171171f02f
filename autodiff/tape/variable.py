"""Variable: a line of a tape. What is computed from one appends a line; nothing is evaluated twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import SCALARS, is_unreal
from dualnumbers.levels import NOTING, Level, has_nan, plain
from dualnumbers.memory import detached
from dualnumbers.messages.errors import unpicklable
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.number import Number
from dualnumbers.numbers.operators import lifted_operators
from dualnumbers.numbers.views import ArrayView
from dualnumbers.rules.elementwise.arithmetic import multiply
from dualnumbers.rules.indexing import fixed, getitem, item, setitem
from dualnumbers.table.dispatch import lead, leading
from dualnumbers.table.parameters import as_now
from dualnumbers.table.row import Face

from .. import upward
from . import fast_paths
from .handles import CLASS, handle, is_index
from .keeping import Lease
from .program import INERT, UNARY
from .recorder import Recorder

if TYPE_CHECKING:
    from ..objects.leaf import Leaf

new = object.__new__
GETITEM, ITEM, MULTIPLY, SETITEM = getitem.row, item.row, multiply.row, setitem.row

MOST_COPIED = 0.75
"""Views of up to this part of an array that is written to are copied. Larger ones, as of all inner elements and their
neighbours, are not: the array is copied, once for them all, when it is written to."""


def variable(tape: Recorder, value: Any) -> Any:
    """Append an input; return the handle on it."""
    made: Any = new(tape.classes[type(value), True])
    made.tape, made.line = tape, tape.add_input(value)
    return made


def record_line(face: Face, operands: tuple[Any, ...], static: tuple[Any, ...]) -> Any:
    """Apply a row to operands, at least one a Variable: evaluate it, append a line; return a handle on it."""
    leader, row = leading(operands), face.row
    if not isinstance(leader, Variable) or leader.level.is_of_leaves:
        return lead(face, *operands, *static)
    tape = leader.tape
    if face.unreal and any(map(is_unreal, operands)):
        return face.unreal(*operands)
    lines: list[int | None] = []
    xs = []
    for x in operands:
        own = isinstance(x, Variable) and x.tape is tape
        lines.append(x.operand if own else None)
        xs.append(x.primal if own else x if type(x) in SCALARS else tape.kept(x))
    z, place = tape.computed(face, lines, xs, static), len(tape.values)
    if type(z) is bool and tape.guards is None:
        return z
    numbers = [tape.add_constant(x) if line is None else line for x, line in zip(xs, lines, strict=True)]
    tape.add(row, numbers, static, z, place)
    active = not row.is_constant and max(numbers) >= 0
    if active and type(z) is np.ndarray:
        return tape.handle_on(z, place)
    if type(z) is tuple:
        return items(tape, place, active)
    if active or not is_index(z):
        return handle(tape, place, active)
    tape.guard(place)
    return tape.values[place]


def items(tape: Recorder, line: int, active: bool = True) -> Any:
    """Make handles on the results on a line, each a line of its own; some of them may carry no derivative."""
    results, row, found = tape.values[line], tape.rows[line], []
    assert row is not None
    for which, (z, carried) in enumerate(zip(results, row.carried(results), strict=True)):
        passes, place = active and carried, len(tape.values)
        tape.static[place] = (which,)
        tape.append(ITEM, line if passes else line + INERT, UNARY, z, place)
        found.append(handle(tape, place, passes))
    return tuple(found)


def record_row(face: Face) -> Callable[..., Any]:
    """Make the recording of a row of any operands."""
    statics = face.row.statics

    def recorded(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics] if statics else arguments
        return record_line(face, operands, arguments[len(operands) :])

    return recorded


class Variable(Number, operators=True):
    """A line of a tape. What is computed from it appends a line.

    >>> x = Variable(3.0)
    >>> (x**2).backward()
    >>> x.grad
    6.0
    """

    __slots__ = ("line", "tape")
    active: ClassVar[bool] = True
    is_lazy: ClassVar[bool] = False
    """Whether its value may be promised only (`lazy`)."""
    tape: Recorder
    line: int

    @property
    def operand(self) -> int:
        """Its operand number on its tape."""
        return self.line if self.active else self.line + INERT

    @property
    def primal(self) -> Any:
        return self.tape.values[self.line]

    def reading(self) -> Any:
        tape = self.tape
        if tape.guards is not None:
            tape.guard(self.line)
        return tape.values[self.line]

    def is_noted(self) -> bool:
        return self.tape.guards is not None or super().is_noted()

    def has_nan(self) -> bool:
        answer = self.tape.has_nan(self.line)
        self.note_answer(has_nan, (), answer)
        return answer

    def note_answer(self, question: Any, static: tuple[Any, ...], answer: Any) -> None:
        if self.tape.guards is not None:
            self.tape.note_answer(self.line, question, static, answer)

    @property
    def level(self) -> Level:  # type: ignore[override]
        return self.tape.level

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the recording of a row."""
        row = face.row
        if row.is_constant and row.arity == 2 and not row.statics:
            return fast_paths.compared(face)
        if row.any_number and not row.is_constant and face.plain:
            return fast_paths.in_many(face)
        if row.is_constant or row.arity not in (1, 2) or (face.unreal and not row.inline):
            return record_row(face)
        if row.arity == 2:
            return fast_paths.two(face) if row.inline else fast_paths.in_two(face)
        return fast_paths.unary(face) if row.inline else fast_paths.in_one(face)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        return fast_paths.operators(face) if face.row.inline else lifted_operators(face, cls)

    def constant(self, value: Any) -> Any:
        return handle(self.tape, self.tape.add_value(as_like(value, self)))

    def leads(self, other: Any) -> bool:
        return self.active and not getattr(other, "active", False)

    def __repr__(self) -> str:
        return f"Variable({plain(self)!r})"

    def __new__(cls, data: Any, name: str | None = None) -> Leaf:
        """Make a leaf by hand."""
        leaf: Leaf = upward.Leaf(data, name)
        return leaf

    @classmethod
    def multi_variables(cls, *data: Any) -> list[Any]:
        """Make leaves that belong together: ``compute_gradients`` gives a Jacobian by each, in this order."""
        return upward.together([cls(x) for x in data])

    def __copy__(self) -> Any:
        self.tape.pinned.add(self.line)
        return handle(self.tape, self.line, self.active)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> Any:
        raise unpicklable(self)


class ArrayVariable(Variable, ArrayNumber, operators=True):
    """A line of a tape whose value is an array."""

    __slots__ = ("lease",)
    lease: Lease | None
    snapshot = Variable.__copy__

    def __getitem__(self, index: Any) -> Any:
        tape, line = self.tape, self.line
        value = (values := tape.values)[line]
        if type(index) is not int and type(index) is not slice:
            if NOTING:
                return super().__getitem__(index)
            (index,) = as_now((fixed(index),))
        if type(value) is not np.ndarray:
            return self.viewed(getitem, index)
        z = value[index]
        base = z.base if type(z) is np.ndarray else None
        shown = base is not None and (base is value or base is value.base or np.may_share_memory(z, value))
        if shown and tape.rows[line] is SETITEM and z.size <= MOST_COPIED * value.size:
            z = detached(z)  # then the array can be written in place as soon as nobody has this view of it
        place = len(values)
        result: Any = fast_paths.blank() if type(z) is np.float64 else new(CLASS[type(z), True])
        result.tape, result.line = tape, place
        tape.static[place] = (index,)
        tape.rows.append(GETITEM)
        tape.first.append(line)
        tape.second.append(UNARY)
        values.append(z)
        if values[place] is not z:
            raise tape.torn()
        return result.tied(self, getitem, (index,)) if shown else result

    def assign(self, value: Any, index: Any) -> None:
        if leading((self, value)) is self:
            tape, base = self.tape, self.operand
            other = value.operand if isinstance(value, Variable) and value.tape is tape else None
            place = len(tape)  # after the lines of views
            written = tape.write(base, tape.constant(value) if other is None else other, index, place)
            if written is not None:
                self.line = written
                return
        super().assign(value, index)

    def become(self, value: Any) -> None:
        if value.is_lazy and not self.is_lazy:
            value.tape.compute()
        self.line = value.line
        self.lease = getattr(value, "lease", None)

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(VariableView), self, base, function, static)


class VariableView(ArrayView, ArrayVariable):
    """A view of an array on a tape: writing through it writes its base."""

    __slots__ = ("path", "root", "seen", "source")
    line = property(lambda self: self.current().line)
    tape = property(lambda self: self.root.tape)


fast_paths.fill(Variable, ArrayVariable, VariableView, record_line, items)
