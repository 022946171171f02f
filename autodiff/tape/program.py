"""A program: what was computed, line by line, without the values that came out (Wengert 1964).

It is columns. Line k applies the row ``rows[k]`` to the operands ``operands(k)``, with the fixed parameters
``static[k]``. Every algorithm on a program is a ``for`` over line numbers; nothing refers back, so it is freed with its
last owner.

An operand is one integer, and its sign says whether a derivative passes:

======================= ==================================================================
k ≥ 0                   line k
INERT + k, far below 0  line k, by which no derivative passes: a mask, the result of argsort
~k, from −2 on          the constant ``constants[k]``
−1, which is `UNARY`    none
======================= ==================================================================

>>> import numpy as np
>>> from autodiff import record
>>> tape, out = record(lambda x: np.where(x > 1.0, 2.0 * x, x), [np.array([0.5, 3.0])])
>>> print(tape)
line  variable  expression        value
----  --------  ----------------  -------------
   0  x         input             [0.5, 3]
   1  v1        x > 1             [False, True]
   2  v2        2 * x             [1, 6]
   3  v3        where(v1, v2, x)  [0.5, 6]
>>> tape.operands(2), tape.operands(3) == [INERT + 1, 2, 0]
([-3, 0], True)
>>> tape.reads(3)
[(0, 1, False), (1, 2, True), (2, 0, True)]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dualnumbers.table import Row

from ..calls.captured import Captured

if TYPE_CHECKING:
    from .sources import Source

UNARY = -1
"""The operand number that stands where there is no second operand; ``constants[0]`` is kept free for it."""

INERT = -(1 << 60)
"""What is added to the number of a line that is read without its derivative."""

FAR = 1 - (1 << 30)
"""Below it are the operands that are lines without derivative, above it and below 0 the constants.

It is the least integer that Python 3.11 compares quickly. A tape of as many constants would fail with an IndexError.
"""


class Line(int):
    """The number of a line, to be told from the whole numbers among which it stands, as in what a function returned."""


def line_of(operand: int) -> int | None:
    """Return the line that an operand is, whether a derivative passes or not; None for a constant."""
    return operand if operand >= 0 else operand - INERT if operand < FAR else None


class Program:
    """The columns of a program. Several runs may share them (`Tape.at`)."""

    __slots__ = ("captured", "constants", "first", "inputs", "more", "names", "outputs", "rows", "second", "sources",
                 "static")  # fmt: skip

    rows: list[Row | None]
    """What each line applies; None of a line without operands: an input, or an array to be filled."""
    first: list[int]
    second: list[int]
    """The first and the second operand of each line, `UNARY` where there is none.

    What appends lines, and what goes over all of them where each counts, as a sweep, reads these two columns and
    ``more``; everything else asks `operands`. One column of tuples would take 50 ns a line more to record, of 250, and
    47 MB of a million lines.
    """
    more: dict[int, list[int]]
    """All the operands of each line that has more than two."""
    static: dict[int, tuple[Any, ...]]
    """The fixed parameters of each line that has any."""
    constants: list[Any]
    """None, and behind it the constants: their operands are -2, -3, …"""
    captured: Captured | None
    """The caller's arrays among the constants, which must not change; None where there is none."""
    inputs: list[int]
    """The lines of the inputs, in their order."""
    outputs: list[int]
    """The lines of what the recorded function returned; none of a program that is no function's."""
    names: list[str]
    """The names of the inputs, as far as they are known."""
    sources: list[Source | None] | None
    """The user's code that each line comes from, where that is known; None where it was not noted."""

    def operands(self, line: int) -> list[int]:
        """Return the operands of a line."""
        if line in self.more:
            return self.more[line]
        if self.rows[line] is None:
            return []
        return [self.first[line]] if self.second[line] == UNARY else [self.first[line], self.second[line]]

    def reads(self, line: int) -> list[tuple[int, int, bool]]:
        """Return (place, line, whether a derivative passes) of the operands that are lines."""
        found = ((place, line_of(operand), operand >= 0) for place, operand in enumerate(self.operands(line)))
        return [(place, read, passes) for place, read, passes in found if read is not None]

    def ancestors(self, line: int) -> list[int]:
        """Return the lines that a line was computed from, and itself."""
        wanted = {line}
        for k in range(line, -1, -1):
            if k in wanted:
                wanted.update(read for _, read, _ in self.reads(k))
        return sorted(wanted)

    def input_names(self) -> Sequence[str | None]:
        """Return what the inputs are called, where that is known, in their order."""
        return self.names

    def check_captured(self) -> None:
        """Raise RuntimeError where a captured array no longer holds what was recorded."""
        if self.captured is not None:
            self.captured.check()
