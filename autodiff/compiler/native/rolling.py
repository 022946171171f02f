"""Loops are found again in straight instructions: a loop of Python's leaves its body behind, once for each round.

A run is a stretch of instructions that repeats itself with a period. What each line of the period writes is laid out
in memory one round after the other, and then every operand is a number, or goes through memory by a stride: so the
rounds of one line are one instruction over an array. A line that reads what it, or a later line, wrote in the round
before, cannot be done for all rounds at once: it is a sum, or part of a `Scan`, which goes round by round.

For ``for x in v: s = s + x * x`` the lines ``multiply(v[k], v[k])`` and ``add(s, …)`` repeat: the first is an
instruction over all of v, the second a sum of its results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .areas import DTYPES, Address, Area
from .dependence import Access, components
from .instructions import Block, Instruction, Scan
from .periods import LEAST, Run, runs

TOGETHER = (1, 2, 3, 4, 6, 8)
"""How many rounds of a run are tried as one: what looks the same may read in turns what is of several kinds."""


class _Place(NamedTuple):
    """Where the value of a line is laid out: which line of the period, and in which round."""

    column: int
    round: int


class _Unfit(Exception):  # noqa: N818
    """A run cannot be a loop: an operand goes through memory by no stride."""


def roll(block: Block) -> list[Instruction | Scan]:
    """Return a block's instructions with loops over arrays in the place of runs."""
    return _Roller(block).rolled()


class _Roller:
    def __init__(self, block: Block) -> None:
        self.block = block
        self.lines = block.instructions
        self.moved: dict[int, tuple[int, int]] = {}
        """A space whose value has been laid out elsewhere → the space where that is, and the offset."""
        self.writers: dict[int, list[int]] = {}
        for at, line in enumerate(self.lines):
            self.writers.setdefault(line.out.space, []).append(at)
        self.reads = Counter(x.space for line in self.lines for x in line.operands if isinstance(x, Address))
        self.kept = {space.number for space in block.given.values()}
        self.kept |= {area.space.number for area in block.results.values()}

    def rolled(self) -> list[Instruction | Scan]:
        """Return the instructions, rolled."""
        found: list[Instruction | Scan] = []
        at = 0
        for run in runs(signatures(self.lines)):
            found += map(self._moved, self.lines[at : run.start])
            at = run.start + run.period * run.rounds
            found += self._rolled(run)
        found += map(self._moved, self.lines[at:])
        self.block.guards = [(self._area(area), answer, guard) for area, answer, guard in self.block.guards]
        return found

    def _moved(self, line: Instruction) -> Instruction:
        """Return a line that reads values where they are now."""
        operands = tuple(self._now(x) if isinstance(x, Address) else x for x in line.operands)
        return line._replace(operands=operands)

    def _now(self, x: Address) -> Address:
        if x.space not in self.moved:
            return x
        space, offset = self.moved[x.space]
        return x._replace(space=space, offset=offset + x.offset)

    def _area(self, area: Area) -> Area:
        if area.space.number not in self.moved:
            return area
        space, offset = self.moved[area.space.number]
        made = self.block.spaces[space]
        return Area(made, made.array.reshape(-1)[offset : offset + 1].reshape(()))

    def _rolled(self, run: Run) -> list[Instruction | Scan]:
        """Return a run as a loop, or as it stands where it can be none.

        It may be one of several of its rounds at once, or without the first or the last rounds, which begin or end
        with other operands.
        """
        end = run.start + run.period * run.rounds
        for times in TOGETHER:
            period, rounds = run.period * times, run.rounds // times
            for first, last in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 1)):
                part = Run(run.start + first * period, period, rounds - first - last)
                loop = self._loop(part) if part.rounds >= LEAST else None
                if loop is not None:
                    before = [self._moved(line) for line in self.lines[run.start : part.start]]
                    self.moved.update(loop.moved)
                    after = self.lines[part.start + period * part.rounds : end]
                    return [*before, *loop.found, *map(self._moved, after)]
        return [self._moved(line) for line in self.lines[run.start : end]]

    def _loop(self, run: Run) -> _Loop | None:
        try:
            return _Loop(self, run)
        except _Unfit:
            return None


def signatures(lines: Sequence[Instruction]) -> np.ndarray:
    """Return numbers that are equal for lines which may be the same line in different rounds."""
    known: dict[tuple[object, ...], int] = {}

    def kind(x: Address | float) -> tuple[object, ...]:
        return (x.kind, x.strides) if isinstance(x, Address) else ()

    def number(line: Instruction) -> int:
        key = (line.form, line.of, line.fold, line.raises, line.shape, kind(line.out), *map(kind, line.operands))
        return known.setdefault(key, len(known))

    return np.fromiter(map(number, lines), np.int64, len(lines))


class _Loop:
    """A run, laid out."""

    def __init__(self, roller: _Roller, run: Run) -> None:
        self.roller, self.run, self.block = roller, run, roller.block
        lines = roller.lines[run.start : run.start + run.period * run.rounds]
        self.columns = [lines[k :: run.period] for k in range(run.period)]
        self.places: dict[int, _Place] = {}
        """The spaces that are laid out anew."""
        self.sizes: list[int] = []
        for k, column in enumerate(self.columns):
            sizes = {self.block.spaces[line.out.space].array.size for line in column}
            self.sizes.append(min(sizes))
            if len(sizes) == 1 and all(self._is_own(k, t, line) for t, line in enumerate(column)):
                self.places.update({line.out.space: _Place(k, t) for t, line in enumerate(column)})
        self.starts: dict[int, Address] = {}
        """What is to be in front of the first round of a column."""
        self.rolled = [self._line(k) for k in range(run.period)]
        self.moved: dict[int, tuple[int, int]] = {}
        self.found = self._instructions()
        """The loops, in an order in which each finds what it reads."""

    def _is_own(self, k: int, t: int, line: Instruction) -> bool:
        """Return whether a line is the first to write to a space to which only lines of its round write."""
        roller, (start, period, _) = self.roller, self.run
        writers = roller.writers[line.out.space]
        begin = start + t * period
        return line.out.space not in roller.kept and writers[0] == begin + k and writers[-1] < begin + period

    def _address(self, x: Address) -> Address:
        """Return an address with the new place of what is laid out; its space is ``~column``."""
        if x.space in self.places:
            column, round_ = self.places[x.space]
            return x._replace(space=~column, offset=(round_ + 1) * self.sizes[column] + x.offset)
        return self.roller._now(x)

    def _line(self, k: int) -> Instruction:
        """Return a line as one over all rounds."""
        column = self.columns[k]
        out = self._through([self._address(line.out) for line in column])
        operands: list[Address | float] = []
        for q, first in enumerate(column[0].operands):
            values = [line.operands[q] for line in column]
            if isinstance(first, Address):
                operands.append(self._through([self._address(x) for x in values if isinstance(x, Address)]))
            else:
                operands.append(self._numbers([x for x in values if isinstance(x, float)], column[0]))
        return column[0]._replace(operands=tuple(operands), out=out, shape=(len(column), *column[0].shape))

    def _through(self, places: list[Address]) -> Address:
        """Return where a line reads or writes in all rounds; what the first reads may be put where it is expected."""
        offsets = np.array([x.offset for x in places])
        spaces = {x.space for x in places}
        step = int(offsets[2] - offsets[1])
        first = places[0]
        if len(spaces) == 1 and (np.diff(offsets) == step).all():
            return first._replace(strides=(step, *first.strides))
        second = places[1]
        goes_on = {x.space for x in places[1:]} == {second.space} and (np.diff(offsets[1:]) == step).all()
        if not goes_on or second.space >= 0 or self.sizes[~second.space] != 1 or second.offset != step or step != 1:
            raise _Unfit
        if first.space < 0 or self.starts.setdefault(~second.space, first) != first:
            raise _Unfit
        return second._replace(offset=0, strides=(step, *second.strides))

    def _numbers(self, values: list[float], line: Instruction) -> Address | float:
        """Return the numbers of all rounds: one, or a table of them."""
        bits = np.array(values).view(np.int64)
        if (bits == bits[0]).all():
            return values[0]
        table = self.block.table(np.array(values))
        return Address(table.space.number, table.kind, 0, (1, *(0 for _ in line.shape)))

    # ------------------------------------------------------------------------------------------------- instructions

    def _instructions(self) -> list[Instruction | Scan]:
        spaces = {}
        for k in sorted({place.column for place in self.places.values()}):
            dtype = DTYPES[self.columns[k][0].out.kind]
            spaces[k] = self.block.space(((self.run.rounds + 1) * self.sizes[k],), dtype).space.number
        self.moved = {space: (spaces[column], (t + 1) * self.sizes[column])
                      for space, (column, t) in self.places.items()}  # fmt: skip

        def laid(x: Address | float) -> Address | float:
            return x._replace(space=spaces[~x.space]) if isinstance(x, Address) and x.space < 0 else x

        def laid_out(x: Address) -> Address:
            return x._replace(space=spaces[~x.space]) if x.space < 0 else x

        found: list[Instruction | Scan] = []
        for k, start in self.starts.items():
            found.append(Instruction("same", (start,), Address(spaces[k], start.kind, 0, ()), (), start.kind))
        lines = [line._replace(operands=tuple(map(laid, line.operands)), out=laid_out(line.out))
                 for line in self.rolled]  # fmt: skip
        return found + list(self._in_order(lines))

    def _in_order(self, lines: list[Instruction]) -> Iterable[Instruction | Scan]:
        accesses = [_accesses(k, line) for k, line in enumerate(lines)]
        for group in components(len(lines), [one for each in accesses for one in each], self.run.rounds):
            if len(group) == 1 and not group.cyclic:
                yield lines[group.members[0]]
                continue
            joined = self._joined(group.members, lines)
            if joined is not None:
                yield from joined
            elif all(len(lines[k].shape) == 1 and not lines[k].fold for k in group.members):
                yield Scan(tuple(lines[k] for k in group.members))
            else:
                raise _Unfit

    def _joined(self, members: list[int], lines: list[Instruction]) -> list[Instruction] | None:
        """Return a line that adds to what it gave in the round before as a sum; None if it is none."""
        if len(members) > 1 or lines[members[0]].form not in ("add", "maximum", "minimum") or lines[members[0]].fold:
            return None
        (k,) = members
        line = lines[k]
        step = line.out.strides[0]
        before = line.out._replace(offset=line.out.offset - step)
        if len(line.shape) > 1 or before not in line.operands:
            return None
        others = [x for x in line.operands if x != before]
        if len(others) != 1 or (isinstance(others[0], Address) and others[0].space == line.out.space):
            return None
        last = line.out._replace(offset=line.out.offset + step * (self.run.rounds - 1), strides=())
        if step:
            if any(self.roller.reads[one.out.space] != 1 for one in self.columns[k][:-1]):
                return None
            start = Instruction("same", (before._replace(strides=()),), last, (), line.of)
        else:
            start = None
        total = Instruction("same", tuple(others), last._replace(strides=(0,)), line.shape, line.of, line.form)
        return [total] if start is None else [start, total]


def _accesses(k: int, line: Instruction) -> list[Access]:
    """Return what a line reads and writes, along the rounds."""
    found = []
    for x, writes in [(line.out, True), *((x, False) for x in line.operands if isinstance(x, Address))]:
        step, *inner = x.strides
        ends = [(n - 1) * s for n, s in zip(line.shape[1:], inner, strict=True)]
        low, high = sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends)
        adds = line.form == "add" and x == line.out and line.out in line.operands
        found.append(Access(k, x.space, x.offset + low, x.offset + high, step, writes, adds))
    if line.fold:
        found.append(found[0]._replace(writes=False))
    return found
