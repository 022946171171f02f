"""A tape that is being recorded: how lines are appended to it, and what must be known as long as they are.

>>> from dualnumbers.rules.elementwise.arithmetic import multiply
>>> tape = Recorder()
>>> x = tape.add_input(3.0)
>>> tape.apply(multiply.face, [x, tape.constant(2.0)], ())
1
>>> print(tape)
line  variable  expression  value
----  --------  ----------  -----
   0  v0        input       3
   1  v1        v0 * 2      6
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import is_unreal
from dualnumbers.levels import has_nan, is_number
from dualnumbers.memory import detached, is_free
from dualnumbers.messages.errors import user_line
from dualnumbers.table import Row
from dualnumbers.table.parameters import as_now
from dualnumbers.table.row import Face

from ..calls.captured import TINY, Captured
from .handles import CLASS
from .keeping import LARGE, LONG, MEDIUM, Lease, stand_in
from .program import UNARY, line_of
from .wengert import Tape

if TYPE_CHECKING:
    from dualnumbers.messages.frames import Reader

    from .answers import Answer

new = object.__new__


class Recorder(Tape):
    """A tape that Variables are lines of: what is computed from them appends lines."""

    __slots__ = ("answers", "complete", "guards", "is_program", "is_torn", "pinned")

    complete: bool
    """Whether every value is kept: then no array is written to in place."""
    pinned: set[int]
    """The lines of which copies were made: arrays that are not written to in place, either."""
    guards: dict[int, Reader | None] | None
    """The lines whose plain values were read, each with the user's line of code that did; None: it is not noted."""
    answers: dict[int, list[Answer]]
    """The lines of which a rule asked something to decide by, such as whether any element is NaN, with the answers."""
    is_program: bool
    """Whether it is only to be run again, and no derivative is ever taken of it."""
    is_torn: bool
    """Whether two threads were seen to append at the same time, so that the columns do not fit together."""

    classes: dict[tuple[type, bool], type] = CLASS  # of the handles on its lines

    def __init__(self) -> None:
        super().__init__()
        self.complete = self.is_torn = self.is_program = False
        self.pinned, self.guards, self.answers = set(), None, {}

    def computed(self, face: Face, operands: Sequence[int | None], xs: list[Any], static: tuple[Any, ...]) -> Any:
        """Return what a row gives of values, those of lines or, where that is None, constants."""
        return face.evaluate(*xs, *static)

    def has_nan(self, line: int) -> bool:
        """Return whether any part of a line's value is NaN."""
        return has_nan(self.values[line])

    def apply(self, face: Face, operands: list[int], static: tuple[Any, ...]) -> int:
        """Append a line, a row applied to operands; return its number."""
        z = face.evaluate(*map(self.value, operands), *static)
        return self.add(face.row, operands, static, z, len(self.values))

    def add(self, row: Row, operands: list[int], static: tuple[Any, ...], value: Any, place: int) -> int:
        """Append a line whose value is known; return its number, ``place``."""
        if static:
            self.static[place] = as_now(static)
        if len(operands) > 2:
            self.more[place] = operands
        return self.append(row, operands[0], operands[1] if len(operands) == 2 else UNARY, value, place)

    def as_input(self, x: Any) -> Any:
        """Return an argument as the tape keeps it: an array of its own."""
        return np.array(x) if type(x) is np.ndarray else x

    def add_input(self, value: Any) -> int:
        """Append a line that the tape differentiates with respect to; return its number."""
        line = self.append(None, UNARY, UNARY, value)
        self.inputs.append(line)
        return line

    def form_of_input(self, line: int) -> Any:
        """Return a value of the form of an input, of which none is read when nothing is recorded any more."""
        return self.values[line]

    def add_value(self, value: Any) -> int:
        """Append a line without operands; return its number."""
        return self.append(None, UNARY, UNARY, value)

    def append(self, row: Row | None, first: int, second: int, value: Any, place: int | None = None) -> int:
        """Append a line of at most two operands, or whose others were noted; return its number.

        That is ``place``, the length of the tape before its operands were added, unless another thread was adding a
        line of its own at the same time: then the columns do not fit together, and RuntimeError is raised.
        """
        values = self.values
        place = len(values) if place is None else place
        self.rows.append(row)
        self.first.append(first)
        self.second.append(second)
        values.append(value)
        if len(values) != place + 1:  # for a number, ``values[place] is not z`` asks the same in half the time
            raise self.torn()
        if type(value) is not float:
            self.note(value)
        return place

    def note(self, value: Any) -> None:
        """Note of what type a line's value is that is no Python float."""
        self.mixed, kind = True, type(value)
        if kind is np.float64 or kind is tuple:  # each of several results has a line of its own
            return
        if value.dtype.kind == "c" if kind is np.ndarray else is_unreal(value):
            self.complex = True

    def handle_on(self, value: Any, line: int) -> Any:
        """Make the handle on a line that carries a derivative and is appended next; note of what type its value is."""
        self.mixed, kind = True, type(value)
        made: Any = new(CLASS[kind, True])
        made.tape, made.line = self, line
        if kind is np.ndarray:
            if value.dtype.kind == "c":
                self.complex = True
            if self.is_lean and value.nbytes >= (LARGE if line < LONG else MEDIUM):
                made.lease = lease = new(Lease)
                lease.tape, lease.line, lease.value = self, line, value
        elif kind is not np.float64 and is_unreal(value):
            self.complex = True
        return made

    def torn(self) -> RuntimeError:
        """Return the error for two threads that added a line at the same time."""
        self.is_torn = True
        return RuntimeError(
            "two threads computed with numbers of one differentiation at the same time: differentiate inside each "
            f"thread, as in pool.map(grad(g), xs), or map without threads{user_line()}"
        )

    def check_whole(self) -> None:
        """Raise RuntimeError where two threads added lines at the same time, in whatever thread that was seen."""
        if self.is_torn or not len(self.rows) == len(self.first) == len(self.second) == len(self.values):
            raise self.torn()

    def guard(self, line: int) -> None:
        """Note that the value of a line is read here: to decide by it, or for a constant."""
        if self.guards is not None and line not in self.guards:
            from dualnumbers.messages.frames import reader

            self.guards[line] = reader()

    def note_answer(self, line: int, question: Callable[..., Any], static: tuple[Any, ...], answer: Any) -> None:
        """Note what was asked of the value of a line, and the answer."""
        from dualnumbers.messages.frames import reader

        from .answers import Answer

        place = None if question is has_nan else reader()  # a sweep asks that, for no line of the user's
        self.answers.setdefault(line, []).append(Answer(question, static, answer, place))

    def constant(self, x: Any) -> int:
        """Keep a constant; return its operand number."""
        return self.add_constant(self.kept(x))

    def add_constant(self, value: Any) -> int:
        """Add a constant that is `kept` already; return its operand number."""
        self.constants.append(value)
        return -len(self.constants)

    def kept(self, x: Any) -> Any:
        """Return a constant as the tape keeps it, safe from what its owner does to it later."""
        if type(x) is np.ndarray and x.nbytes <= TINY:
            return detached(x)
        if is_number(type(x)):
            x = x.snapshot()
        return self.captures().keep(x) if isinstance(x, np.ndarray) or is_foreign(type(x)) else x

    def captures(self) -> Captured:
        """Return the arrays that it captured, of which there may be none yet."""
        if self.captured is None:
            self.captured = Captured()
        return self.captured

    def write(self, base: int, operand: int, index: Any, place: int) -> int | None:
        """Append a line that writes into the very array of the operand ``base``, whose line has no value then.

        So a loop that fills an array of n elements takes memory for n of them, not for n arrays::

            v1 = zeros(3)               has its own array
            v3 = v1 with [0] = v2       made a copy of it, and had the value [v2, 0, 0]
            v5 = v3 with [1] = v4       has that very array, now [v2, v4, 0]: v3 has no value any more

        A derivative needs no value of v3, if only elements of it were read. Returns the number of the line. None, and
        nothing is done, where v3 is no such assignment or another line or handle needs its value. ``place`` is how long
        the tape was before the operand was added.
        """
        line = line_of(base)
        assert line is not None
        row, array = self.rows[line], self.values[line]
        if row is None or row.name != "setitem" or type(array) is not np.ndarray:
            return None
        if is_number(type(self.value(operand))) or self.complete or line in self.pinned:
            return None
        if not self._is_only_indexed(base, line):
            return None
        if not is_free(array):
            array = detached(array)
        array[index] = self.value(operand)
        self.values[line] = stand_in(array)
        self.unkept.add(line)
        self.static[place] = as_now((index,))
        return self.append(row, base, operand, array, place)

    def _is_only_indexed(self, base: int, line: int) -> bool:
        """Return whether later lines only read elements of an operand's value, or write some."""
        if (
            any(base in operands for reader, operands in list(self.more.items()) if reader > line)
            or base in self.second[line + 1 :]
        ):
            return False
        reader = line
        for _ in range(self.first[line + 1 :].count(base)):
            reader = self.first.index(base, reader + 1)
            row = self.rows[reader]
            if row is None or row.name not in ("getitem", "setitem") or reader in self.let_go:
                return False
        return True
