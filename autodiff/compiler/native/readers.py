"""Who reads the values of a program's steps, and so which of them may be written over by a later step.

``y[i] = v`` is a step that gives a new array, which is ``y`` but for one element. Where nothing reads the old array any
more, the new one takes its memory, and one element is written; else all others would be copied, round by round of a
loop that fills an array. An element that was read of it, and is needed later, is copied when it is read.
"""

from __future__ import annotations

from dualnumbers.forms import shape

from ..program import Program, Step
from .rows.steps import may_share
from .rows.writing import OVERWRITING


class Readers:
    """The steps that read each value of a program, which is taken apart into blocks meanwhile."""

    def __init__(self, program: Program, native: set[int], level: list[int], shown: set[int]) -> None:
        """Take note of all readers. The other arguments grow: the steps in blocks, in which, what Python reads."""
        self._program, self._native, self._level, self._shown = program, native, level, shown
        self._copied: set[int] = set()
        """Elements that are copied when they are read."""
        self._of: dict[int, list[int]] = {}
        for number, step in program.numbered():
            for x in step.operands:
                self._of.setdefault(x, []).append(number)

    def of(self, x: int) -> list[int]:
        """Return the steps that read a value, in their order."""
        return self._of.get(x, [])

    def may_write_over(self, number: int, level: int, few: bool) -> bool:
        """Return whether a step of a block may write over its first operand, which nothing else reads later.

        What has views is written over only where ``few`` elements are: to copy the others takes longer than to write
        those. Else the loops that read the views and write the new array are one, as long as it is a new one.
        """
        operands = self._step(number).operands
        x = operands[0]
        if x < len(self._program.inputs) or may_share(self._step(x)) or operands.count(x) > 1:
            return False
        others = [reader for reader in self.of(x) if reader != number]
        return (few or not any(map(self._shares, others))) and self._are_before(x, others, number, level)

    def copies(self, number: int) -> bool:
        """Return whether a step takes a single element that may have been written over when it is read; note it."""
        step, others = self._step(number), self.of(number)
        if step.row.name != "getitem" or shape(step.value) or not others:
            return False
        x = step.operands[0]
        if x < len(self._program.inputs):
            return False
        writers = (k for k in self.of(x) if number < k <= others[-1] and self._step(k).row.name in OVERWRITING)
        if not any(self._step(k).operands[0] == x for k in writers):
            return False
        self._copied.add(number)
        return True

    def _are_before(self, x: int, readers: list[int], number: int, level: int) -> bool:
        """Return whether a block alone has a value, and its readers and those of its views come before a step."""
        if x not in self._native or self._level[x] != level or x in self._shown or self._step(x).guards:
            return False
        for reader in readers:
            if reader >= number or reader not in self._native or self._level[reader] != level:
                return False
            if self._shares(reader) and not self._are_before(reader, self.of(reader), number, level):
                return False
        return True

    def _shares(self, number: int) -> bool:
        """Return whether the value of a step may be where its operand is."""
        return may_share(self._step(number)) and number not in self._copied

    def _step(self, number: int) -> Step:
        return self._program.steps[number - len(self._program.inputs)]
