"""What is computed from Variables made by hand (leaf.py): how a row extends to it, and the sweep back to the leaves.

This is the way of PyTorch: operations on a Variable are recorded as they happen, and ``backward`` adds to its ``grad``.

>>> from autodiff import Variable, no_grad
>>> w = Variable(1.0)
>>> for _ in range(2):
...     loss = (w - 3.0) ** 2
...     loss.backward()
...     with no_grad():
...         w.data = w.data - 0.25 * w.grad
...     w.zero_grad()
...     print(w.data)
2.0
2.5

There are two sorts of `ByHand`. A leaf holds a value; a `Result` holds the place (tape, line) of a value. A row that
is applied to them puts all operands on one tape, `shared_tape.common`, each by its ``on``: a leaf as an input line, a
result as the line that it is, anything else as a constant. It appends a line and returns the `Result` for that. The
sweep back, ``backward``, is in backward.py.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any
from weakref import ref

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import dtype_of, is_unreal
from dualnumbers.levels import Level, is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.number import Number
from dualnumbers.numbers.operators import lifted_operators
from dualnumbers.numbers.views import ArrayView
from dualnumbers.rules.indexing import item
from dualnumbers.table.dispatch import lead, leading
from dualnumbers.table.row import Face

from ..calls.values import living, read_only
from ..tape.variable import Variable
from . import fast_paths
from .backward import Sweeps
from .no_grad import is_recording, recording
from .shared_tape import SharedTape, common

new = object.__new__


def _recorded(face: Face) -> Callable[..., Any]:
    """Extend a row to operands of which one made by hand leads: record it on their common tape."""
    row, evaluate = face.row, face.evaluate
    statics, fixed = row.statics, row.is_constant

    def recorded(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics] if statics else arguments
        static = arguments[len(operands) :]
        level = _leading_level(operands)
        if level is None:
            return lead(face, *arguments)
        if not is_recording():
            return evaluate(*(x.data if _is_of(level, x) else x for x in operands), *static)
        if face.unreal and any(map(is_unreal, operands)):
            return face.unreal(*operands)
        if fixed:
            return evaluate(*(x.primal if _is_of(level, x) else x for x in operands), *static)
        tape = common(operands, level)
        numbers = [x.on(tape) if _is_of(level, x) else tape.constant(x) for x in operands]
        if max(numbers) < 0:  # nothing but constants
            return evaluate(*map(tape.value, numbers), *static)
        return results(tape, tape.apply(face, numbers, static))

    return recorded


def _leading_level(operands: tuple[Any, ...]) -> Level | None:
    """Return the level of the operands made by hand; None where another number leads."""
    level = None
    for x in operands:
        if is_number(type(x)):
            if level is None:
                level = x.level
            elif x.level is not level:
                leader = leading(operands)
                return leader.level if isinstance(leader, ByHand) else None
    return level


def _is_of(level: Level, x: Any) -> bool:
    """Return whether an operand is made by hand and of this level; at a level of leaves, also one to be taken in."""
    return isinstance(x, ByHand) and (x.level is level or level.takes_in(x.level))


class ByHand(Sweeps, Variable, operators=True):
    """A Variable made by hand, a leaf, or one that was computed from such, a result."""

    __slots__ = ()
    reading, note_answer = Number.reading, Number.note_answer  # its tape is not to be run again
    is_noted, has_nan = Number.is_noted, Number.has_nan

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        row, general = face.row, _recorded(face)
        if row.is_constant:
            return general
        general = fast_paths.of_arrays(face, general)
        if not row.inline or face.unreal:
            return general
        return fast_paths.of_one(face, general) if row.arity == 1 else fast_paths.of_two(face, general)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        operator, reflected = lifted_operators(face, cls)
        if not face.row.inline or face.row.is_constant or face.unreal:
            return operator, reflected
        return fast_paths.of_two(face, operator), fast_paths.reflected(face, reflected)

    def on(self, tape: SharedTape) -> int:
        """Return its operand number on a tape, which is its own where it has one."""
        raise NotImplementedError(f"{type(self).__name__}.on")

    def constant(self, value: Any) -> Any:
        tape = self.tape if isinstance(self, Result) else SharedTape(self.level)
        return result(tape, tape.add_value(value))

    def __hash__(self) -> int:
        """Hash the object, so that Variables may be keys; an ``lru_cache`` would give what it found at an older one."""
        return id(self)


def result(tape: SharedTape, line: int) -> Any:
    """Make the handle on a line, of the class for its value, and note it on the tape."""
    of_array = isinstance(value := tape.values[line], (np.ndarray, ArrayNumber)) or is_foreign(type(value))
    handle: Any = new(ArrayResult if of_array else Result)
    handle.place, handle.gradient = (tape, line), None
    tape.handles.append(ref(handle))
    return handle


def results(tape: SharedTape, line: int) -> Any:
    """Make `result`; where its value is a tuple, one on each item of it, plain where that is a count."""
    value = tape.values[line]
    if type(value) is not tuple:
        return result(tape, line)
    return tuple(
        result(tape, tape.add(item.row, [line], (k,), x, len(tape))) if dtype_of(x).kind in "fc" else x
        for k, x in enumerate(value)
    )


class Result(ByHand):
    """A value that was computed from leaves: a line of their common tape, ``place`` = (tape, line).

    When that tape is absorbed by another one, the place is found anew the next time that it is asked for.
    """

    __slots__ = ("__weakref__", "_grad", "gradient", "place")
    place: tuple[SharedTape, int]
    gradient: Any
    _grad: Any

    def _place(self) -> tuple[SharedTape, int]:
        tape, line = self.place
        while tape.absorbed is not None:
            longer, lines = tape.absorbed
            self.place = tape, line = longer, line + lines
        return self.place

    def going_on(self) -> SharedTape:
        """Return the tape for the next operation, its own."""
        return self._place()[0]

    def spot(self) -> tuple[SharedTape, int] | None:
        """Return its place, where a line may be appended to its tape here and now."""
        return self.place if self.place[0].is_open() else None

    def line_on(self, tape: SharedTape) -> int | None:
        """Return its line on a tape, None where that is not its own."""
        own, line = self.place
        return line if own is tape else None

    tape = property(lambda self: self._place()[0])
    line = property(lambda self: self._place()[1])
    level = property(lambda self: self.place[0].level)

    def on(self, tape: SharedTape) -> int:
        own, line = self._place()
        return line if own is tape else tape.copied(own, line)

    def recorded(self) -> Result:
        if self.tape.thread == get_ident():
            return self
        tape = SharedTape(self.level)
        line: Result = result(tape, self.on(tape))
        return line

    @property
    def data(self) -> Any:
        """The value; an array read-only, for the sweep needs it."""
        value = living(self.primal)
        return value.snapshot() if isinstance(value, ArrayNumber) else read_only(value)

    def retain_grad(self) -> None:
        """Let `backward` of what is computed from this keep the adjoint of this too, as ``grad``.

        >>> from autodiff import Variable
        >>> x = Variable(3.0)
        >>> y = x * x
        >>> y.retain_grad()
        >>> (2.0 * y).backward()
        >>> y.grad, x.grad
        (2.0, 12.0)
        """
        if not hasattr(self, "_grad"):
            self._grad = None
            self.tape.retained.append(ref(self))

    @property
    def grad(self) -> Any:
        if not hasattr(self, "_grad"):
            raise AttributeError(
                "a result has a .grad only if told before backward() to keep it: y.retain_grad()"
                f"; Variables made by hand have one{user_line()}"
            )
        return self._grad

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self.retain_grad()
        self._grad = gradient

    def __copy__(self) -> Any:
        tape, line = self._place()
        tape.pinned.add(line)
        return result(tape, line)

    def snapshot(self) -> Any:
        return self if is_recording() else self.data


class ArrayResult(Result, ArrayNumber):
    """An array that was computed from leaves."""

    __slots__ = ()

    def snapshot(self) -> Any:
        return self.__copy__() if is_recording() else self.data

    def assign(self, value: Any, index: Any) -> None:
        level: Level = self.level
        if is_recording() and _leading_level((self, value)) is level:
            tape = common((self, value), level)
            line, other = self.on(tape), value.on(tape) if _is_of(level, value) else tape.constant(value)
            written = tape.write(line, other, index, len(tape))
            if written is not None:
                self.place = tape, written
                return
        super().assign(value, index)

    def become(self, value: Any) -> None:
        self.place = value._place()

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        view: Any = new(ResultView)
        view.gradient = None
        return ArrayView.tie(view, self, base, function, static)


fast_paths.fill(Result, ArrayResult, results)


class ResultView(ArrayView, ArrayResult):
    """A view of such an array: writing through it writes its base."""

    __slots__ = ("path", "root", "seen", "source")
    place = property(lambda self: self.current()._place())

    def current(self) -> Any:
        if not isinstance(self.root, Result):  # of a leaf: what it was when this was computed
            return self.seen
        with recording(True):
            return super().current()
