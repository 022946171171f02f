"""Sums of parts of a grid that overlap, as the adjoints of a stencil: what all parts have in common, in one loop.

The adjoints of ``u[2:, 1:-1] + u[:-2, 1:-1]`` are added to rows that overlap, part after part, each by a pass over
memory. Where all parts lie, an element gets its sum at once; the edges, where some do, are added to as before. Each
element has its terms in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from ..instructions.areas import Address
from ..instructions.instruction import CALLS, Block, Group, Instruction, Repeat, read_by
from ..instructions.uses import Span, span_of
from .overlaps import flat, joined

LEAST = 3
"""From how many different parts on; where most are the same, each is added best where it is computed."""


class Box(NamedTuple):
    """Rows and columns of a grid, from and up to."""

    top: int
    bottom: int
    left: int
    right: int

    def common(self, other: Box) -> Box:
        return Box(max(self.top, other.top), min(self.bottom, other.bottom),
                   max(self.left, other.left), min(self.right, other.right))  # fmt: skip

    def outside(self, inner: Box) -> Iterator[Box]:
        """Yield the boxes that together are this one without an inner one."""
        yield self._replace(bottom=inner.top)
        yield self._replace(top=inner.bottom)
        yield Box(inner.top, inner.bottom, self.left, inner.left)
        yield Box(inner.top, inner.bottom, inner.right, self.right)

    @property
    def is_empty(self) -> bool:
        return self.top >= self.bottom or self.left >= self.right

    @property
    def size(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)


class _Part(NamedTuple):
    """An instruction that writes to a part of a grid, or adds to what is there, by its place among others."""

    at: int
    line: Instruction
    adds: bool

    @property
    def grid(self) -> tuple[int, ...]:
        """What parts of one grid have in common: its space, the width of its rows, its step from round to round."""
        return self.line.out.space, self.line.out.strides[0], self.line.out.round

    @property
    def box(self) -> Box:
        out, (rows, columns) = self.line.out, self.line.shape
        top, left = divmod(out.offset, out.strides[0])
        return Box(top, top + rows, left, left + columns)

    def within(self, box: Box) -> Instruction:
        """Return its rounds in a part of its box."""
        down, along = box.top - self.box.top, box.left - self.box.left

        def moved(x: Address) -> Address:
            return x._replace(offset=x.offset + down * x.strides[0] + along * x.strides[1])

        operands = tuple(moved(x) if isinstance(x, Address) else x for x in self.line.operands)
        shape = box.bottom - box.top, box.right - box.left
        return self.line._replace(operands=operands, out=moved(self.line.out), shape=shape)


def summed(block: Block, groups: Sequence[Group]) -> list[Group]:
    """Return groups that do the same, with parts of grids that overlap added up in one loop where they all lie."""
    found: list[Group] = []
    together: list[Instruction] = []
    for group in groups:
        if isinstance(group, Instruction):
            together.append(group)
            continue
        found += _of_lines(block, together)
        together = []
        found.append(group._replace(lines=tuple(_of_lines(block, group.lines))) if isinstance(group, Repeat) else group)
    return [*found, *_of_lines(block, together)]


def _of_lines(block: Block, lines: Sequence[Instruction]) -> list[Instruction]:
    """Return lines with the parts of each run of them added up, where the last one of these stood."""
    runs: dict[int, list[list[_Part]]] = {}
    for at, line in enumerate(lines):
        part, known = _part(at, line), runs.setdefault(line.out.space, [[]])
        if part is None or not part.adds or (known[-1] and known[-1][-1].grid != part.grid):
            known.append([])
        if part is not None:
            known[-1].append(part)
    sums: dict[int, list[Instruction]] = {}
    dropped: set[int] = set()
    for run in (run for known in runs.values() for run in known):
        inner = _common(run)
        if inner is not None and _is_alone(lines, run):
            parts = [(part, box) for part in run for box in part.box.outside(inner) if not box.is_empty]
            whole = joined(block, [part.within(inner) for part in run])
            sums[run[-1].at] = [*whole, *(part.within(box) for part, box in parts)]
            dropped.update(part.at for part in run)
    return [one for at, line in enumerate(lines) for one in sums.get(at, () if at in dropped else (line,))]


def _part(at: int, line: Instruction) -> _Part | None:
    """Return what an instruction writes to rows and columns; None of others."""
    plain = not (line.fold or line.raises or line.ordered or line.out.places or line.form in CALLS)
    line = flat(line) if plain and sum(n > 1 for n in line.shape) == 2 else line
    if not plain or len(line.shape) != 2 or line.out.strides[1] != 1 or any(x.places for x in read_by(line)):
        return None
    width, itself = line.out.strides[0], [x for x in read_by(line) if x == line.out]
    if width <= 0 or line.out.offset % width + line.shape[1] > width:
        return None
    return _Part(at, line, line.form == "add" and len(itself) == 1)


def _common(run: Sequence[_Part]) -> Box | None:
    """Return the box that is in all parts of a run; None where few of these differ, or it is small."""
    boxes = {part.box for part in run} if len(run) >= LEAST else set()
    if len(boxes) < max(LEAST, len(run) // 2 + 1):
        return None
    inner = reduce(Box.common, boxes)
    return None if inner.is_empty or 2 * inner.size < max(box.size for box in boxes) else inner


def _is_alone(lines: Sequence[Instruction], run: Sequence[_Part]) -> bool:
    """Return whether nothing else touches what the parts of a run write, nor writes what they read, in between."""
    of_run = {part.at for part in run}
    reach = [span_of(part.line.out, part.line.shape, frozenset()) for part in run]
    span = Span(min(x.low for x in reach), max(x.high for x in reach))
    space = run[0].line.out.space
    read = [(x, part.line.shape) for part in run for x in read_by(part.line) if x != part.line.out]
    others = [lines[at] for at in range(run[0].at, run[-1].at) if at not in of_run]
    touched = [(x, line.shape) for line in others for x in (line.out, *read_by(line))]
    if any(x.space == space and span_of(x, shape, frozenset()).meets(span) for x, shape in (*read, *touched)):
        return False
    places = {x.places.space for line in others for x in (line.out, *read_by(line)) if x.places}
    return space not in places and not {x.space for x, _ in read} & {line.out.space for line in others}
