"""Loops are found again in straight instructions: a loop of Python's leaves its body behind, once for each round.

A run is a stretch of instructions that repeats itself with a period. What each line of the period writes is laid out
in memory one round after the other, and then every operand is a number, or goes through memory by a stride: so the
rounds of one line are one instruction over an array. A line that reads what it, or a later line, wrote in the round
before, cannot be done for all rounds at once: it is a sum, or part of a `Scan`, which goes round by round.

For ``for x in v: s = s + x * x`` the lines ``multiply(v[k], v[k])`` and ``add(s, …)`` repeat: the first is an
instruction over all of v, the second a sum of its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ...cuts import Short
from ..instructions.areas import ONE, Address, Area
from ..instructions.instruction import Block, Group, Instruction, Scan
from .beside import beside
from .columns import Columns
from .layout import Loop, Unfit
from .periods import LEAST, Run, runs
from .stretching import stretched

TOGETHER = (1, 2, 3, 4, 6, 8)
"""How many rounds of a run are tried as one: what looks the same may read in turns what is of several kinds."""

FEW = 12
"""In how many rounds at most the operands of a run may be others than go on as before, for it to be several loops."""


def roll(block: Block, short: Short | None = None) -> list[Group]:
    """Return a block's instructions with loops over arrays in the place of runs.

    Where rounds of its program's loops were left out, the loops go on over these; `Unfit` where they cannot.
    """
    roller = _Roller(block)
    groups = roller.rolled()
    return groups if short is None else stretched(groups, roller, roller.loops, short)


class _Roller:
    def __init__(self, block: Block) -> None:
        self.block = block
        self.lines = beside(block.instructions)
        self.columns = Columns(block, self.lines)
        self.kept = np.zeros(len(block.spaces), bool)
        self.kept[[space.number for space in block.given.values()]] = True
        self.kept[[area.space.number for area in block.results.values()]] = True
        self.loops: list[Loop] = []

    def rolled(self) -> list[Group]:
        """Return the instructions, rolled."""
        found: list[Group] = []
        at = 0
        for run in runs(signatures(self.lines)):
            found += map(self._moved, self.lines[at : run.start])
            at = run.start + run.period * run.rounds
            found += self._rolled(run)
        found += map(self._moved, self.lines[at:])
        self.block.guards = [(self._area(area), answer, guard) for area, answer, guard in self.block.guards]
        return found

    def _moved(self, line: Instruction) -> Group:
        """Return a line that reads values where they are now."""
        operands = tuple(self.columns.now(x) if isinstance(x, Address) else x for x in line.operands)
        line = line._replace(operands=operands)
        return Scan((line,)) if line.ordered else line

    def _area(self, area: Area) -> Area:
        now = self.columns.now(Address(area.space.number, area.kind, 0, ()))
        if now.space == area.space.number:
            return area
        made = self.block.spaces[now.space]
        return Area(made, ONE[made.kind], now.offset)

    def _rolled(self, run: Run) -> list[Group]:
        """Return a run as a loop, or as it stands where it can be none.

        It may be one of several of its rounds at once, or without the first or the last rounds, which begin or end
        with other operands; or two loops, one after the other.
        """
        end = run.start + run.period * run.rounds
        for anywhere, times in product((False, True), TOGETHER):
            period, rounds = run.period * times, run.rounds // times
            shift = self._shift(Run(run.start, period, rounds))
            for first, last in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 1)):
                part = Run(run.start + shift + first * period, period, rounds - first - last - (shift > 0))
                loop = self._loop(part, anywhere) if part.rounds >= LEAST else None
                if loop is not None:
                    before = [self._moved(line) for line in self.lines[run.start : part.start]]
                    self.columns.space, self.columns.offset = loop.space, loop.offset
                    self.loops.append(loop)
                    after = self.lines[part.start + period * part.rounds : end]
                    return [*before, *loop.before, *loop.loops, *map(self._moved, after)]
        seam = self._seam(run)
        if seam:
            start, period, rounds = run
            two = Run(start, period, seam), Run(start + seam * period, period, rounds - seam)
            return [group for part in two for group in self._rolled(part)]
        return [self._moved(line) for line in self.lines[run.start : end]]

    def _seam(self, run: Run) -> int:
        """Return after how many rounds of a run those of another loop begin, which goes on elsewhere; 0 of one loop."""
        at = np.arange(run.start, run.end).reshape(run.rounds, run.period)
        spaces = self.columns.spaces[at]
        places = np.stack((self.columns.space[spaces], self.columns.offsets[at] + self.columns.offset[spaces]))
        changes = np.flatnonzero((np.diff(places, 2, axis=1) != 0).any((0, 2, 3)))
        found = [k + 2 for k in changes.tolist() if LEAST <= k + 2 <= run.rounds - LEAST]
        return found[0] if found and len(changes) <= FEW else 0

    def _shift(self, run: Run) -> int:
        """Return how much later the rounds are to begin, so that none begins while an array is being written."""
        count = run.period * run.rounds
        at = np.arange(run.start, run.start + count)
        spaces = self.columns.spaces[at, 0]
        first, last = self.columns.first[spaces], self.columns.last[spaces]
        begins = (first == at) & (last > at) & (last - at < run.period)
        depth = np.zeros(count + run.period, int)
        np.add.at(depth, at[begins] + 1 - run.start, 1)
        np.add.at(depth, last[begins] + 1 - run.start, -1)
        within = (np.cumsum(depth) > 0).reshape(-1, run.period).any(0)
        return int(np.argmin(within)) if not within.all() else 0

    def _loop(self, run: Run, anywhere: bool) -> Loop | None:
        try:
            return Loop(self, run, anywhere)
        except Unfit:
            return None


def signatures(lines: Sequence[Instruction]) -> np.ndarray:
    """Return numbers that are equal for lines which may be the same line in different rounds."""
    known: dict[tuple[object, ...], int] = {}

    def kind(x: Address | float) -> object:
        if x.__class__ is not Address:
            return ()
        if not (x.strides or x.places):  # a single number, as mostly
            return x.kind
        return (x.kind, x.strides, x.places and x.places.strides)

    def number(line: Instruction) -> int:
        form, operands, out, shape, of, fold, raises, ordered, _ = line
        if ordered:
            return known.setdefault((len(known),), len(known))  # which is in no loop
        return known.setdefault((form, of, fold, raises, shape, kind(out), *map(kind, operands)), len(known))

    return np.fromiter(map(number, lines), np.int64, len(lines))
