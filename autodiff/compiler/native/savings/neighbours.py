"""What the rounds of a loop have computed of grids by a few operations is computed again for what reads it elsewhere.

A sweep reads what each step of a simulation had, and the adjoint of a stencil reads of each element what its neighbours
give to it: differences and multiples of an array that is still there. Then it is read in their place: they need not be
written to memory, which takes as long as many operations.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from math import prod
from typing import NamedTuple

from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import CALLS, CHEAP, Block, Group, Instruction, Repeat, Scan, lines_of, read_by
from ..instructions.uses import Access, Span, distances, span_of
from .overlaps import FEW

LARGE = 1 << 14
"""From how many bytes in a round on a value is better computed again than written and read."""

Loops = list[tuple[int, int]]
"""The steps and the rounds of the loops that an address goes along, that around them first."""


class _Line(NamedTuple):
    """A line, the number of its group, its own in that, and in how many rounds it runs."""

    of: Instruction
    group: int
    at: int
    rounds: int

    def loops(self, x: Address) -> Loops:
        return [(x.round, self.rounds), *zip(x.strides, self.of.shape, strict=True)]


class _Along(NamedTuple):
    """How a reader goes through a loop of what is written: from a round on, by a loop of its own, or none; backward."""

    first: int
    loop: int = -1
    sign: int = 1


class _Source(NamedTuple):
    """A line that has computed what is read, and how the reader goes through its loops."""

    line: _Line
    along: list[_Along]

    def moved(self, y: Address, count: int) -> Address:
        """Return where an operand of it is, along so many loops of the reader."""
        steps, offset = [0] * count, y.offset
        for (step, _), (first, loop, sign) in zip(self.line.loops(y), self.along, strict=True):
            offset += step * first
            if loop >= 0:
                steps[loop] = step * sign
        return y._replace(offset=offset, round=steps[0], strides=tuple(steps[1:]))


def computed_again(block: Block, groups: Sequence[Group], kept: set[int]) -> list[Group]:
    """Return groups that do the same, and compute again what loops have computed of what is still there."""
    if not any(isinstance(group, Repeat) for group in groups):
        return list(groups)
    return _Recomputation(block, groups, kept).groups


class _Recomputation:
    def __init__(self, block: Block, groups: Sequence[Group], kept: set[int]) -> None:
        self.block, self.kept = block, kept
        self.lines = [
            _Line(line, at, k, group.rounds if isinstance(group, Repeat) else 1)
            for at, group in enumerate(groups)
            for k, line in enumerate(lines_of(group))
        ]
        self.writers: dict[int, list[_Line]] = {}
        for line in self.lines:
            self.writers.setdefault(line.of.out.space, []).append(line)
        self.groups: list[Group] = []
        for group, lines in zip(groups, groupby(self.lines, lambda line: line.group), strict=True):
            found = [one for line in lines[1] for one in self._with_needed(line)]
            if isinstance(group, Instruction):
                self.groups += found
            else:
                self.groups.append(group if isinstance(group, Scan) else group._replace(lines=tuple(found)))

    def _with_needed(self, line: _Line) -> Iterator[Instruction]:
        """Yield a line, and before it what it computes again."""
        operands: list[Address | float] = []
        for x in line.of.operands:
            if isinstance(x, Address) and self._pays(x, line):
                x = yield from self._again(x, line)
            operands.append(x)
        yield line.of._replace(operands=tuple(operands))

    def _again(self, x: Address, line: _Line) -> Generator[Instruction, None, Address]:
        """Yield what finds again what a line reads at an address; return where that is."""
        source = self._source(x, line)
        if source is None:
            return x
        operands: list[Address | float] = []
        for y in source.line.of.operands:
            if isinstance(y, Address):
                y = yield from self._again(source.moved(y, 1 + len(x.strides)), line)
            operands.append(y)
        shape = line.of.shape
        out = self.block.space(shape, DTYPES[x.kind]).along(shape)
        yield source.line.of._replace(operands=tuple(operands), out=out, shape=shape)
        return out

    def _pays(self, x: Address, line: _Line) -> bool:
        """Return whether a line is to find again what it reads: by a few operations of one large array, or of less."""
        if line.of.form in CALLS:
            return False  # a library reads its operands where they are
        source = self._source(x, line)
        if source is None or _bytes(x.kind, source.line.of.shape) < LARGE or self._cost(x, line) > FEW:
            return False
        is_at_hand = source.line.group == line.group and source.line.of.shape == line.of.shape
        return not (is_at_hand and x == source.line.of.out) and len(self._large(x, line)) <= 1

    def _cost(self, x: Address, line: _Line, left: int = FEW) -> int:
        """Return how many operations find again what is read; 0 where it is to be loaded."""
        source = self._source(x, line)
        if source is None:
            return 0
        cost = 1
        for y in source.line.of.operands:
            if isinstance(y, Address) and cost <= left:
                cost += self._cost(source.moved(y, 1 + len(x.strides)), line, left - cost)
        return cost

    def _large(self, x: Address, line: _Line) -> set[int]:
        """Return the spaces of large arrays that are loaded where a value is found again."""
        source = self._source(x, line)
        if source is None:
            size = prod(n for step, n in zip(x.strides, line.of.shape, strict=True) if step)
            return {x.space} if 4 * size > prod(line.of.shape) else set()
        moved = [source.moved(y, 1 + len(x.strides)) for y in source.line.of.operands if isinstance(y, Address)]
        return {space for y in moved for space in self._large(y, line)}

    def _source(self, x: Address, line: _Line) -> _Source | None:
        """Return the line of a loop that has computed what another one reads, of what is there still."""
        writers = self.writers.get(x.space, ())
        if len(writers) != 1 or x.space in self.kept or x.places is not None:
            return None
        (writer,) = writers
        of = writer.of
        if writer.rounds == 1 or of.form not in CHEAP or of.fold or of.raises or of.ordered or of.out.kind != of.of:
            return None
        if (writer.group, writer.at) >= (line.group, line.at) or any(y.places for y in (of.out, *read_by(of))):
            return None
        along = _along(writer.loops(of.out), line.loops(x), x.offset - of.out.offset)
        if along is None or (writer.group == line.group and along[0] != _Along(0, 0)):
            return None
        source = _Source(writer, along)
        is_there = all(self._is_there(y, source, line) for y in read_by(of))
        return source if is_there else None

    def _is_there(self, y: Address, source: _Source, line: _Line) -> bool:
        """Return whether an operand of a source is still what it was, where a line reads it again."""
        first, now = source.line, source.moved(y, 1 + len(line.of.shape))
        for other in self.writers.get(y.space, ()):
            out = other.of.out
            if not first.group <= other.group <= line.group:
                continue
            if first.group == line.group:  # it is of the same round
                is_between = first.at < other.at < line.at
                if is_between and (out.round != now.round or _span(now, line).meets(_span(out, other))):
                    return False
            elif other.group > first.group or out.places is not None:
                return False
            else:  # of the source's loop, which has run to its end
                soonest, latest = distances(_access(y, first, False), _access(out, other, True), first.rounds)
                if soonest <= latest and (latest > 0 or (latest == 0 and other.at > first.at)):
                    return False
        return True


def _bytes(kind: str, shape: tuple[int, ...]) -> int:
    return prod(shape) * DTYPES[kind].itemsize


def _span(x: Address, line: _Line) -> Span:
    return span_of(x, line.of.shape, frozenset())


def _access(x: Address, line: _Line, writes: bool) -> Access:
    span = _span(x, line)
    return Access(line.at, x.space, int(span.low), int(span.high), x.round, writes)


def _along(written: Loops, read: Loops, ahead: int) -> list[_Along] | None:
    """Return how a reader, so many elements ahead, goes through the loops of what is written; None where it does not.

    Each element is written once: loops of smaller steps stay within one step of the larger ones.
    """
    found = [_Along(0)] * len(written)
    ahead -= sum(min(step, 0) * (n - 1) for step, n in written)
    loops = sorted((abs(step), k) for k, (step, n) in enumerate(written) if n > 1)
    span = 0
    for step, k in loops:
        if step <= span:
            return None
        span += step * (written[k][1] - 1)
    for size, k in reversed(loops):
        step, n = written[k]
        first, ahead = divmod(ahead, size)
        own = [at for at, (other, count) in enumerate(read) if count > 1 and abs(other) == size]
        sign = 1 if not own or read[own[0]][0] == step else -1
        first = first if step > 0 else n - 1 - first
        last = first + sign * (read[own[0]][1] - 1) if own else first
        if len(own) > 1 or not (0 <= first < n and 0 <= last < n):
            return None
        found[k] = _Along(first, own[0] if own else -1, sign)
    used = {along.loop for along in found}
    return None if ahead or any(step and n > 1 and at not in used for at, (step, n) in enumerate(read)) else found
