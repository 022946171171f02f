"""Which elements of which spaces kernels have written and read so far: so, where an instruction may stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .areas import Address
from .instruction import Instruction

At = tuple[tuple[int, ...], Address | None]
"""Loops, and an address along them; None of a sum, whose value is there when the loops are done, or of elements at
places, of which some may be the same."""


class Span(NamedTuple):
    """The first and the last element of a space that an address may lead to; and of its rows of so many elements."""

    low: float
    high: float
    row: int = 0
    first: int = 0
    last: int = 0

    def meets(self, other: Span) -> bool:
        """Return whether two spans may have an element in common."""
        if self.high < other.low or other.high < self.low:
            return False
        return self.row != other.row or not self.row or (self.first <= other.last and other.first <= self.last)


EVERYWHERE = Span(-np.inf, np.inf)

MOST = 16
"""How many stretches of a space are told apart."""


class Access(NamedTuple):
    """What a line touches of a space in the first round, from the lowest to the highest element, and by which step."""

    line: int
    space: int
    low: int
    high: int
    step: int
    writes: bool
    adds: bool = False
    """Whether the line adds to what is there: such lines may come in any order."""


class _Marks:
    """In which kernels elements of a space have been touched so far, the last ones, and at which addresses."""

    __slots__ = ("before", "marks")

    def __init__(self) -> None:
        self.before = -1
        """The last kernel that touched whatever element, of those that are not told apart any more."""
        self.marks: dict[At, tuple[int, Span]] = {}

    def after(self, at: At, span: Span) -> int:
        """Return the first kernel in which what was touched may be touched, at an address by other rounds."""
        found = self.before + 1
        for other, (kernel, known) in self.marks.items():
            if span.meets(known):
                found = max(found, kernel + (other != at or at[1] is None))
        return found

    def note(self, kernel: int, at: At, span: Span) -> None:
        last = max(kernel, self.marks[at][0]) if at in self.marks else kernel
        self.marks[at] = last, (span if at[1] is not None else EVERYWHERE)
        if len(self.marks) > MOST:
            self.before = max(self.before, *(kernel for kernel, _ in self.marks.values()))
            self.marks.clear()


class Uses:
    """Where a space has been written and read so far."""

    __slots__ = ("read", "written")

    def __init__(self) -> None:
        self.written, self.read = _Marks(), _Marks()


def span_of(x: Address, shape: tuple[int, ...], moving: frozenset[int]) -> Span:
    """Return where an address leads along loops."""
    if x.places is not None or x.space in moving:
        return EVERYWHERE
    loops = ((stride, (n - 1) * stride) for stride, n in zip(x.strides, shape, strict=True) if stride and n > 1)
    steps = sorted((abs(stride), min(end, 0), max(end, 0)) for stride, end in loops)
    low = high = row = first = last = 0
    for k, (step, down, up) in enumerate(steps):
        if not row and step > max(1, high - low) and all(other % step == 0 for other, *_ in steps[k:]):
            row, first = step, (x.offset + low) % step
            last = first + high - low
        low, high = low + down, high + up
    return Span(x.offset + low, x.offset + high, row if last < row else 0, first, last)


def note(
    lines: Sequence[Instruction], kernel: int, uses: dict[int, Uses], moving: frozenset[int], whole: bool = False
) -> None:
    """Note what instructions in a kernel read and write; ``whole``: in rounds, of which nothing else may be part."""
    for one in lines:
        for x in one.operands:
            if isinstance(x, Address):
                at = (one.shape, None if whole else x)
                span = EVERYWHERE if whole else span_of(x, one.shape, moving)
                uses.setdefault(x.space, Uses()).read.note(kernel, at, span)
        at = (one.shape, None if whole or one.fold or one.out.places else one.out)
        span = EVERYWHERE if whole else span_of(one.out, one.shape, moving)
        uses.setdefault(one.out.space, Uses()).written.note(kernel, at, span)


def first_of(one: Instruction, uses: dict[int, Uses], moving: frozenset[int]) -> int:
    """Return the first kernel in which an instruction may stand."""
    out, span = uses.setdefault(one.out.space, Uses()), span_of(one.out, one.shape, moving)
    at = (one.shape, None if one.out.places or one.fold else one.out)
    first = max(out.written.after(at, span), out.read.after(at, span))
    for x in one.operands:
        if isinstance(x, Address):
            use = uses.setdefault(x.space, Uses())
            first = max(first, use.written.after((one.shape, x), span_of(x, one.shape, moving)))
    return first


def moving_in(lines: Sequence[Instruction]) -> frozenset[int]:
    """Return the spaces whose addresses do not all go on alike from round to round."""
    steps: dict[int, set[int]] = {}
    for line in lines:
        for x in (line.out, *line.operands):
            if isinstance(x, Address):
                steps.setdefault(x.space, set()).add(x.round)
    return frozenset(space for space, found in steps.items() if len(found) > 1)


def distances(one: Access, other: Access, rounds: int) -> tuple[int, int]:
    """Return how many rounds later, at least and at most, the other touches what the one has touched."""
    most = rounds - 1
    if one.step == other.step and one.step:
        low, high = one.low - other.high, one.high - other.low
        low, high = (low, high) if one.step > 0 else (-high, -low)
        step = abs(one.step)
        return max(-(-low // step), -most), min(high // step, most)
    (low, high), (other_low, other_high) = (
        (x.low + min(x.step * most, 0), x.high + max(x.step * most, 0)) for x in (one, other)
    )
    return (-most, most) if low <= other_high and other_low <= high else (1, 0)
