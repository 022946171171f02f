"""Sums of parts that overlap, as the adjoints of ``x[1:] - x[:-1]``, without a pass over memory for each of them.

Each element gets its sum at once, in as many stretches as there are sets of parts. What a part is there, of a value in
between that was computed for another element, is computed again, where that takes a few operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import CALLS, CHEAP, Block, Group, Instruction, lines_of, read_by

FEW = 12
"""Up to how many operations are done again to find a value that was found for another element."""

STRETCHES = 9
"""In how many stretches at most elements are summed up."""


class Part(NamedTuple):
    """What is written to elements of a space from a start to an end, or added to what is there."""

    start: int
    end: int
    line: Instruction
    adds: bool


Stretch = tuple[int, int, list[Part]]
"""A start, an end, and what is written to all elements in between: one part, and others that add to it."""


def gathered(block: Block, groups: Sequence[Group], kept: set[int]) -> list[Group]:
    """Return groups that do the same, where overlapping parts are summed element by element; spaces to be kept are."""
    found, in_stretches = _summed(block, list(groups))
    if not in_stretches:
        return found
    found = [one for group in found for one in _in_stretches(group, in_stretches)]
    return _Again(block, found, kept).groups


# ------------------------------------------------------------------------------------------------------------ stretches


def _summed(block: Block, groups: list[Group]) -> tuple[list[Group], dict[int, list[Stretch]]]:
    """Sum up element by element what is added in parts; return in which stretches the spaces are written."""
    writers, readers = dict[int, list[int]](), dict[int, list[int]]()
    for at, group in enumerate(groups):
        for line in lines_of(group):
            writers.setdefault(line.out.space, []).append(at)
            for x in read_by(line):
                readers.setdefault(x.space, []).append(at)
    sums: dict[int, list[Instruction]] = {}
    dropped: set[int] = set()
    found: dict[int, list[Stretch]] = {}
    for space, places in writers.items():
        parts = [part for k in places if (part := _part(groups[k]))] if len(places) > 1 else []
        if not any(part.adds for part in parts) or len(parts) < len(places):
            continue
        others = {x.space for part in parts for x in read_by(part.line)} - {space}
        touched = [*readers.get(space, ()), *(k for other in others for k in writers.get(other, ()))]
        stretches = _stretches(parts)
        if stretches and not any(places[0] < k < places[-1] and k not in places for k in touched):
            sums[places[-1]] = [line for stretch in stretches for line in _sum(block, *stretch)]
            found[space] = stretches
            dropped.update(places)
    return [one for k, group in enumerate(groups) for one in sums.get(k, () if k in dropped else (group,))], found


def _part(group: Group) -> Part | None:
    """Return what an instruction writes to neighbours in memory, or to one element; None of others."""
    if not isinstance(group, Instruction) or group.fold or group.raises or group.form in CALLS or group.out.places:
        return None
    if any(x.places for x in read_by(group)):
        return None
    sizes = [n for n in group.shape if n > 1]
    if len(sizes) > 1:
        return None
    line = flat(group)
    if line.shape and line.out.strides[0] == -1:
        line = _stretch(line, line.shape[0] - 1, line.shape[0], -1)
    if line.shape and line.out.strides[0] != 1:
        return None
    adds = line.form == "add" and line.out in line.operands
    if not adds and any(x.space == line.out.space for x in read_by(line)):
        return None
    if adds and sum(isinstance(x, Address) and x.space == line.out.space for x in line.operands) > 1:
        return None
    return Part(line.out.offset, line.out.offset + (line.shape[0] if line.shape else 1), line, adds)


def flat(line: Instruction) -> Instruction:
    """Return an instruction over its loops of several rounds."""
    kept = [k for k, n in enumerate(line.shape) if n > 1]

    def along(x: Address) -> Address:
        return x._replace(strides=tuple(x.strides[k] for k in kept))

    operands = tuple(along(x) if isinstance(x, Address) else x for x in line.operands)
    return line._replace(operands=operands, out=along(line.out), shape=tuple(line.shape[k] for k in kept))


def _stretch(line: Instruction, first: int, count: int, step: int = 1) -> Instruction:
    """Return some rounds of an instruction: from a first one on, a count of them, by a step; one is no loop."""

    return _along(line, first, step, (count,) if count > 1 else ())


def _along(line: Instruction, first: int, step: int, shape: tuple[int, ...]) -> Instruction:
    """Return an instruction over a shape, of no loop or one: in rounds from a first one on, by a step."""

    def moved(x: Address) -> Address:
        stride = x.strides[0] if x.strides else 0
        return x._replace(offset=x.offset + first * stride, strides=tuple(stride * step for _ in shape))

    operands = tuple(moved(x) if isinstance(x, Address) else x for x in line.operands)
    return line._replace(operands=operands, out=moved(line.out), shape=shape)


def _stretches(parts: list[Part]) -> list[Stretch] | None:
    """Return the stretches of a space whose elements have the same parts; None where that is not known."""
    ends = sorted({end for part in parts for end in (part.start, part.end)})
    if len(ends) > STRETCHES + 1:
        return None
    found: list[Stretch] = []
    for start, end in pairwise(ends):
        here: list[Part] = []
        for part in parts:
            if part.start <= start and end <= part.end:
                here = [*here, part] if part.adds else [part]
        if not here:
            continue
        if here[0].adds:
            return None
        found.append((start, end, here))
    return found


def _sum(block: Block, start: int, end: int, parts: list[Part]) -> Iterator[Instruction]:
    """Yield what gives the elements of a stretch: sums of its parts, the last one in its place."""
    return joined(block, [_stretch(part.line, start - part.start, end - start) for part in parts])


def joined(block: Block, lines: Sequence[Instruction]) -> Iterator[Instruction]:
    """Yield what the first line writes and each further one adds to: sums, the last one in its place."""
    total: Address | float | None = None
    for k, line in enumerate(lines):
        out = line.out if k == len(lines) - 1 else _temporary(block, line)
        if total is not None:
            line = line._replace(operands=tuple(total if x == line.out else x for x in line.operands))
        if k == 0 and len(lines) > 1 and line.form == "same" and _keeps(line):
            (total,) = line.operands
            continue
        yield line._replace(out=out)
        total = out


def _keeps(line: Instruction) -> bool:
    """Return whether a copy has the kind of what is copied."""
    return all(x.kind == line.out.kind == line.of if isinstance(x, Address) else True for x in line.operands)


def _temporary(block: Block, line: Instruction) -> Address:
    return block.space(line.shape, DTYPES[line.out.kind]).along(line.shape)


def _in_stretches(group: Group, written: dict[int, list[Stretch]]) -> Iterator[Group]:
    """Yield what folds a whole space as folds of the stretches in which it is written, the longest first."""
    if isinstance(group, Instruction) and group.fold and group.out.is_fixed and len(group.shape) == 1:
        count = group.shape[0]
        for x in group.operands:
            if isinstance(x, Address) and x.space in written and x.strides == (1,) and not x.places:
                ends = [(max(start - x.offset, 0), min(end - x.offset, count)) for start, end, _ in written[x.space]]
                ends = sorted(((start, end) for start, end in ends if end > start), key=lambda ends: ends[0] - ends[1])
                if sum(end - start for start, end in ends) == count:
                    yield from (_stretch(group, start, end - start) for start, end in ends)
                    return
    yield group


# ---------------------------------------------------------------------------------------------------------------- again


class _Again:
    """Values in between that are computed again for what reads them at other elements than they are written at."""

    def __init__(self, block: Block, groups: list[Group], kept: set[int]) -> None:
        self.block, self.kept = block, kept
        self.writers: dict[int, list[tuple[int, Instruction]]] = {}
        """For each space where it is written, and by what."""
        self.barred = set(kept)
        """Spaces that are written by what is no instruction over elements of one loop."""
        for at, group in enumerate(groups):
            for line in lines_of(group):
                self.writers.setdefault(line.out.space, []).append((at, line))
                plain = isinstance(group, Instruction) and line.form in CHEAP and not (line.fold or line.raises)
                if not plain or line.out.places or len(line.shape) > 1 or any(x.places for x in read_by(line)):
                    self.barred.add(line.out.space)
        self.groups: list[Group] = []
        for self.at, group in enumerate(groups):
            self.groups.append(self._group(group))

    def _group(self, group: Group) -> Group:
        if not isinstance(group, Instruction) or group.form in CALLS or len(group.shape) > 1:
            return group
        operands = []
        for x in group.operands:
            if isinstance(x, Address) and self._cost(x, group.shape) <= FEW:
                x = self._again(x, group.shape)
            operands.append(x)
        return group._replace(operands=tuple(operands))

    def _source(self, x: Address, shape: tuple[int, ...]) -> Instruction | None:
        """Return what writes all that is read at an address, over a shape, but in other rounds of its own."""
        if x.places or x.space in self.barred or x.space not in self.writers:
            return None
        count, stride = (shape[0], x.strides[0]) if shape else (1, 0)
        low, high = sorted((x.offset, x.offset + (count - 1) * stride))
        found = None
        for at, line in self.writers[x.space]:
            rounds, step = (line.shape[0], line.out.strides[0]) if line.shape else (1, 0)
            begin, end = sorted((line.out.offset, line.out.offset + (rounds - 1) * step))
            if begin > high or end < low:
                continue
            if found or at >= self.at or begin > low or end < high or (abs(step) != 1 and rounds > 1):
                return None
            if stride not in (1, -1) and count > 1:
                return None
            if any(at < other < self.at for y in read_by(line) for other, _ in self.writers.get(y.space, ())):
                return None
            found = line
        return None if found is None or (found.shape == shape and found.out == x) else found

    def _moved(self, line: Instruction, x: Address, shape: tuple[int, ...]) -> Instruction:
        """Return the rounds of an instruction that write what is read at an address."""
        step = line.out.strides[0] if line.shape else 1
        first = (x.offset - line.out.offset) * step
        return _along(line, first, x.strides[0] * step if shape else 1, shape)

    def _cost(self, x: Address, shape: tuple[int, ...], left: int = FEW) -> int:
        """Return how many operations find again what is read at an address; 0 where it is to be loaded."""
        line = self._source(x, shape)
        if line is None:
            return 0
        cost = 1
        for y in self._moved(line, x, shape).operands:
            if isinstance(y, Address) and cost <= left:
                cost += self._cost(y, shape, left - cost)
        return cost

    def _again(self, x: Address, shape: tuple[int, ...]) -> Address:
        """Append what finds again what is read at an address; return where that is."""
        line = self._source(x, shape)
        if line is None:
            return x
        moved = self._moved(line, x, shape)
        operands = tuple(self._again(y, shape) if isinstance(y, Address) else y for y in moved.operands)
        out = _temporary(self.block, moved)
        self.groups.append(moved._replace(operands=operands, out=out))
        return out
