"""The tape of what is computed from Variables made by hand: it grows by other tapes.

A Variable made by hand belongs to no differentiation: nobody says when to begin a tape, nor which one it is for. So a
leaf holds no tape. The first operation on leaves opens one, whose input lines refer to them. An operation across two
tapes appends the shorter to the longer, and the absorbed one says where its lines went:

>>> from autodiff import Variable
>>> x, y = Variable(2.0, name="x"), Variable(3.0, name="y")
>>> a = x * x          # opens a tape
>>> b = y * y          # opens another one
>>> c = a * b          # joins them
>>> a.tape is b.tape is c.tape
True
>>> print(c.tape)
line  variable  expression  value
----  --------  ----------  -----
   0  x         input           2
   1  v1        x * x           4
   2  y         input           3
   3  v3        y * y           9
   4  v4        v1 * v3        36

Here ``b`` was line 1 of its own tape. That tape notes ``absorbed = (c.tape, 2)``, and ``b``, when it is next asked for
its place, follows the note: line 1 + 2. So there is no graph to set, to hold or to reset. Only results refer to a tape,
and with the last of them everything is freed.

In a loop that would join a tape at every step. So a leaf goes on with the tape on which it was last an operand, if any
result still refers to that, until it is swept, or has an array. What is computed beside each other from one leaf, the
losses of many samples say, then stands on one tape; a sweep from one of them takes its own lines out first (`alone`).

Two things would go wrong with this alone. Two threads must not append to one list, so a tape belongs to the thread that
opened it; another one that goes on with its results copies it. And a result that a loop uses at every step would hold
the lines of all steps. So a tape that has grown to twice what its results need is written anew without the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import get_ident
from typing import Any
from weakref import ref

from dualnumbers.forms import is_array
from dualnumbers.levels import GROUND, Level, is_number
from dualnumbers.table import Row

from ..calls.captured import Captured
from ..tape.program import UNARY
from ..tape.recorder import Recorder

OF_PLAIN = GROUND.of_leaves
"""The level of leaves whose values are plain."""

FEWEST = 250
"""A tape of at most so many lines is left as it is."""

NONE = 1 << 62
"""Instead of a line, where there is none."""


class SharedTape(Recorder):
    """The tape of results that were computed from leaves. All its leaves are of one level, which never ends.

    It has no operand that is a line without derivative: what has none is a plain value there.
    """

    __slots__ = ("__weakref__", "absorbed", "copies", "handles", "has_arrays", "is_swept", "leaves", "limit",
                 "lines", "lowest", "retained", "thread")  # fmt: skip

    def __init__(self, level: Level) -> None:
        super().__init__()
        self.level = level
        self.leaves: list[Any] = []
        """The leaf of each input line."""
        self.lines: dict[int, int] = {}
        """The last input line of each leaf, by the id of the leaf."""
        self.handles: list[ref[Any]] = []
        """The results that were made on it, if they are still there."""
        self.retained: list[ref[Any]] = []
        """The results of which a sweep keeps the adjoint."""
        self.limit = FEWEST
        """The length from which on `common` looks whether most lines are still needed."""
        self.thread = get_ident()
        """The thread that appends to it; the others only read it."""
        self.copies: dict[int, tuple[SharedTape, int, int]] = {}
        """By the id of another thread's tape: that, how many of its lines were copied here, and to which line on."""
        self.lowest: list[int] = []
        """The lowest line that each line was computed from, of those that are computed; `NONE` of an input."""
        self.has_arrays = False
        """Whether any value is an array: then leaves begin another tape, for what is not swept takes much memory."""
        self.is_swept = False
        """Whether it was swept: then what is next computed from leaves alone begins another tape."""
        self.absorbed: tuple[SharedTape, int] | None = None
        """The tape that this one was appended to, and how many lines that had; None as long as it is on its own."""

    def append(self, row: Row | None, first: int, second: int, value: Any, place: int | None = None) -> int:
        line, lowest = super().append(row, first, second, value, place), self.lowest
        if not self.has_arrays and is_array(value):
            self.has_arrays = True
        if row is None:
            lowest.append(NONE)
        elif line in self.more:
            lowest.append(min([line, *(lowest[operand] for operand in self.more[line] if operand >= 0)]))
        else:
            low = lowest[first] if first >= 0 and lowest[first] < line else line
            lowest.append(lowest[second] if second >= 0 and lowest[second] < low else low)
        return line

    def input(self, leaf: Any, value: Any) -> int:
        """Return the line of a leaf: the one that it has as long as it holds the same value, else a new one."""
        line = self.lines.get(id(leaf))
        if line is None or self.values[line] is not value:
            line = self.lines[id(leaf)] = self.add_input(value)
            self.leaves.append(leaf)
        leaf.last = ref(self)
        return line

    def is_open(self) -> bool:
        """Return whether lines may be appended here and now: it is not absorbed, nor another thread's, nor long."""
        return self.absorbed is None and self.thread == get_ident() and len(self.values) < self.limit

    def input_names(self) -> Sequence[str | None]:
        return [leaf.name for leaf in self.leaves]

    def absorb(self, other: SharedTape) -> None:
        """Append the lines of another tape, which forwards its handles from now on."""
        lines = len(self.values)
        self._take(other, len(other.values))
        self.copies |= {key: (tape, count, lines + start) for key, (tape, count, start) in other.copies.items()}
        self.handles += other.handles
        self.retained += other.retained
        other.absorbed = self, lines

    def copied(self, other: SharedTape, line: int) -> int:
        """Return the line here for one of another thread's tape, copied with all lines before it."""
        _, count, start = self.copies.get(id(other), (other, 0, 0))
        if line >= count:
            start = len(self.values)
            self.copies[id(other)] = other, line + 1, start
            self._take(other, line + 1)
        return start + line

    def _take(self, other: SharedTape, count: int) -> None:
        """Append the first ``count`` lines of another tape, to which another thread may append."""
        if other.captured is not None:
            captured = self.captured or Captured()
            captured.join(other.captured)
            self.captured = captured
        lines, constants = len(self.values), len(self.constants)
        inputs: dict[int, int] = {}
        for line, leaf in zip(other.inputs, other.leaves, strict=False):
            if line < count:
                self.inputs.append(line + lines)
                self.leaves.append(leaf)
                known = self.lines.setdefault(id(leaf), line + lines)
                if known < lines and self.values[known] is other.values[line]:
                    inputs[line] = known  # what read the one reads the other

        def moved(operand: int) -> int:
            if operand >= 0:
                return inputs.get(operand, operand + lines)
            return operand if operand == UNARY else operand - constants

        self.rows += other.rows[:count]
        self.first += map(moved, other.first[:count])
        self.second += map(moved, other.second[:count])
        self.values += other.values[:count]
        self.lowest += [line if line == NONE else line + lines for line in other.lowest[:count]]
        self.constants += other.constants
        self.more |= {
            line + lines: list(map(moved, operands)) for line, operands in other.more.copy().items() if line < count
        }
        self.static |= {line + lines: static for line, static in other.static.copy().items() if line < count}
        self.pinned |= {line + lines for line in other.pinned.copy() if line < count}
        self.unkept |= {line + lines for line in other.unkept.copy() if line < count}
        self.complex |= other.complex
        self.mixed |= other.mixed
        self.has_arrays |= other.has_arrays

    def compacted(self) -> SharedTape:
        """Return a new tape of the lines that a result still needs; this one if those are most of them.

        The results move to the new tape, and input lines of leaves that no result needs are gone.
        """
        self.handles = [handle for handle in self.handles if handle() is not None]
        here = [
            (result, result.place[1])
            for result in (handle() for handle in self.handles)
            if result is not None and result.tape is self
        ]
        wanted = self._behind({line for _, line in here}, 0)
        self.limit = 2 * max(len(self.values), FEWEST)
        if 2 * len(wanted) > len(self.values):
            return self
        fresh, needed = self._with_only(wanted)
        fresh.handles, fresh.retained, fresh.is_swept = self.handles, self.retained, self.is_swept
        fresh.limit = 2 * max(len(fresh.values), FEWEST)
        for result, line in here:
            result.place = fresh, needed[line]
        for leaf in fresh.leaves:
            leaf.last = ref(fresh)
        return fresh

    def alone(self, line: int) -> tuple[SharedTape, int]:
        """Return a tape of what a line was computed from, and its number there: this tape, if that is half of it.

        So of many results that were computed beside each other a sweep from one does not pass the lines of the others.
        """
        if self.lowest[line] == NONE or 2 * (line - self.lowest[line]) > len(self.values) - FEWEST:
            return self, line
        fresh, needed = self._with_only(self._behind({line}, self.lowest[line]))
        return fresh, needed[line]

    def _behind(self, wanted: set[int], lowest: int) -> set[int]:
        """Return lines and those that they were computed from, of which none but inputs is below ``lowest``."""
        for line in range(max(wanted, default=-1), lowest - 1, -1):
            if line in wanted:
                wanted.update(operand for operand in self.operands(line) if operand >= 0)
        return wanted

    def _with_only(self, wanted: set[int]) -> tuple[SharedTape, dict[int, int]]:
        """Return a new tape of the lines that are wanted, and the number of each there."""
        fresh = SharedTape(self.level)
        needed: dict[int, int] = {}
        for line in sorted(wanted):
            needed[line] = fresh._take_over(self, line, needed)
        fresh.captured, fresh.complex = self.captured, self.complex
        fresh.pinned = {needed[line] for line in self.pinned if line in needed}
        fresh.unkept = {needed[line] for line in self.unkept if line in needed}
        for line, leaf in zip(self.inputs, self.leaves, strict=True):
            if line in needed:
                fresh.inputs.append(needed[line])
                fresh.leaves.append(leaf)
                fresh.lines[id(leaf)] = needed[line]
        return fresh, needed

    def _take_over(self, other: SharedTape, line: int, needed: dict[int, int]) -> int:
        """Append a line of another tape, whose operands have the lines ``needed`` here; return its number."""

        def moved(operand: int) -> int:
            if operand >= 0:
                return needed[operand]
            if operand == UNARY:
                return UNARY
            self.constants.append(other.constants[~operand])
            return -len(self.constants)

        row, operands = other.rows[line], list(map(moved, other.operands(line)))
        first, second = (*operands[:2], UNARY, UNARY)[:2]
        new_line = self.append(row, first, second if len(operands) == 2 else UNARY, other.values[line])
        if line in other.more:
            self.more[new_line] = operands
        if line in other.static:
            self.static[new_line] = other.static[line]
        return new_line


def common(operands: Iterable[Any], level: Level) -> SharedTape:
    """Return one tape for all operands of a level: the longest of theirs, to which the others are appended.

    Only tapes of this thread count. Where there is none, it is a new one; a long one is written anew (`compacted`).
    """
    longest: SharedTape | None = None
    thread = get_ident()
    for x in operands:
        tape = x.going_on() if is_number(type(x)) and x.level is level else None
        if tape is None or tape is longest or tape.thread != thread:
            continue
        if longest is None:
            longest = tape
        else:
            shorter, longest = sorted((tape, longest), key=len)
            longest.absorb(shorter)
    if longest is None:
        return SharedTape(level)
    return longest.compacted() if len(longest) > longest.limit else longest
