"""The tape of what is computed from Variables made by hand: it grows by other tapes.

The first operation on leaves opens one, whose input lines refer to them; leaves hold no tape. An operation across two
tapes appends the shorter to the longer, and the absorbed one forwards its handles. So there is no graph to set, to hold
or to reset: with the last result everything is freed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dualnumbers.levels import Level, is_number

from .tape import UNARY, Tape


class SharedTape(Tape):
    """The tape of results that were computed from leaves; of one level, which never ends."""

    __slots__ = ("absorbed", "leaves", "lines")

    def __init__(self, level: Level) -> None:
        super().__init__()
        self.level = level
        self.leaves: list[Any] = []
        """That of each input line."""
        self.lines: dict[int, int] = {}
        """id of a leaf → its last input line."""
        self.absorbed: tuple[SharedTape, int] | None = None
        """The tape that this one was appended to, after how many lines."""

    def input(self, leaf: Any, value: Any) -> int:
        """The line of a leaf: the one that it has, as long as it holds the same value."""
        line = self.lines.get(id(leaf))
        if line is None or self.values[line] is not value:
            line = self.lines[id(leaf)] = self.append(None, UNARY, UNARY, value)
            self.inputs.append(line)
            self.leaves.append(leaf)
        return line

    def input_names(self) -> Sequence[str | None]:
        return [leaf.name for leaf in self.leaves]

    def absorb(self, other: SharedTape) -> None:
        """Append the lines of another tape, which forwards its handles from now on."""
        lines, constants = len(self.values), len(self.constants)

        def moved(operand: int) -> int:
            return operand + lines if operand >= 0 else operand if operand == UNARY else operand - constants

        self.rows += other.rows
        self.first += map(moved, other.first)
        self.second += map(moved, other.second)
        self.values += other.values
        self.constants += other.constants
        self.inputs += map(moved, other.inputs)
        self.leaves += other.leaves
        self.lines = {key: moved(line) for key, line in other.lines.items()} | self.lines
        self.more |= {moved(line): list(map(moved, operands)) for line, operands in other.more.items()}
        self.static |= {moved(line): static for line, static in other.static.items()}
        self.links |= {place + constants: moved(line) for place, line in other.links.items()}
        self.pinned |= set(map(moved, other.pinned))
        self.complex |= other.complex
        if self.captured is not None and other.captured is not None:
            self.captured.join(other.captured)
        self.captured = self.captured or other.captured
        other.absorbed = self, lines


def common(operands: Iterable[Any], level: Level) -> SharedTape:
    """One tape for all operands of a level that have one: the longest, with the others appended; else a new one."""
    tape = None
    for x in operands:
        if is_number(type(x)) and x.level is level:
            other = x.tape
            if other is not None and other is not tape:
                tape, other = (other, tape) if tape is None or len(other) > len(tape) else (tape, other)
                if other is not None:
                    tape.absorb(other)
    return SharedTape(level) if tape is None else tape
