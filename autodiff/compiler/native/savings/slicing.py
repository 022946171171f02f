"""Large arrays gone through slice by slice: what is in between stays in the cache, and needs room for one slice.

Instructions over shapes of the same first extent become a loop over it, if none needs what another one does in another
round. What has to be whole before it is read, as a maximum along the first axis, ends the loop, and another one begins.
What such a loop has computed by a few operations from little, as differences of rows and rows, the next one computes
again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import CALLS, CHEAP, SYSTEMS, Block, Group, Instruction, Repeat, lines_of, read_by
from ..instructions.uses import span_of
from .overlaps import FEW

CACHED = 1 << 21
"""From how many bytes on a value in between is gone through in slices."""

LEAST, MOST = 512, 1 << 22
"""From how many elements on a slice is worth a round, and up to how many bytes of a value it stays in the cache."""

SMALLER = 4
"""What is computed again is of values that have fewer elements by such a factor."""

Touch = tuple[Address, tuple[int, ...]]


def sliced(block: Block, groups: Sequence[Group], kept: set[int]) -> list[Group]:
    """Return groups that do the same, with loops over slices; spaces that are to be kept stay whole."""
    if not any(len(line.shape) > 1 and _size(line) >= CACHED for group in groups for line in lines_of(group)):
        return list(groups)
    plan = _Plan()
    for group in groups:
        plan.add(group)
    plan.end()
    pays = [_pays(loop) for loop in plan.loops]
    if not any(pays):
        return list(groups)
    again = _Again(block, groups, kept)
    found: list[Group] = []
    for before, loop, is_loop in zip(plan.before, [*plan.loops, None], [*pays, False], strict=True):
        found += before
        if loop is not None and is_loop:
            found.append(Repeat(tuple(_of_a_round(line) for line in again.lines(loop)), loop.extent))
        elif loop is not None:
            found += loop.lines
    return found


def _size(line: Instruction) -> int:
    """Return how many bytes are written, if none is written twice."""
    return prod(line.shape) * DTYPES[line.out.kind].itemsize


def _touched(line: Instruction) -> list[Address]:
    found = [line.out, *read_by(line)]
    return [*found, *(x.places for x in found if x.places is not None)]


class _Loop:
    """Instructions that may run round by round of the first loop of each."""

    def __init__(self, extent: int) -> None:
        self.extent = extent
        self.lines: list[Instruction] = []
        self.touched: dict[int, list[Touch]] = {}
        self.written: set[int] = set()

    def takes(self, line: Instruction) -> bool:
        """Return whether an instruction needs of the others only what they do in its own round, and they of it."""
        for space in {x.space for x in _touched(line)} & self.touched.keys():
            if space in self.written or space == line.out.space:
                here = [(x, line.shape) for x in _touched(line) if x.space == space]
                if not _is_of_a_round([*self.touched[space], *here]):
                    return False
        return True

    def add(self, line: Instruction) -> None:
        self.lines.append(line)
        self.written.add(line.out.space)
        for x in _touched(line):
            self.touched.setdefault(x.space, []).append((x, line.shape))


def _is_of_a_round(touched: Sequence[Touch]) -> bool:
    """Return whether each round touches elements of its own."""
    steps = {x.strides[0] for x, _ in touched}
    if len(steps) > 1 or any(x.places is not None for x, _ in touched):
        return False
    spans = [span_of(_first(x), shape[1:], frozenset()) for x, shape in touched]
    return max(x.high for x in spans) - min(x.low for x in spans) < abs(steps.pop())


def _first(x: Address) -> Address:
    """Return where an address leads in the first round."""
    return x._replace(strides=x.strides[1:])


class _Plan:
    """Loops, and what runs before each and after the last; each instruction as early as what it needs is there.

    Places count both: an even one is before a loop, the odd one behind it that loop.
    """

    def __init__(self) -> None:
        self.loops: list[_Loop] = []
        self.before: list[list[Group]] = [[]]
        self.written: dict[int, int] = {}
        self.touched: dict[int, int] = {}
        """For each space the last place where it is written, and where it is written or read."""
        self.fills: dict[int, Instruction] = {}
        """Numbers that spaces are filled with which nothing has touched yet."""

    def add(self, group: Group) -> None:
        """Append a group; a number that a fresh space is filled with comes just before what touches that first."""
        lines = lines_of(group)
        if isinstance(group, Instruction) and _is_fill(group) and group.out.space not in self.touched:
            self.touched[group.out.space] = 0
            self.fills[group.out.space] = group
            return
        place = self._place(group, max(map(self._after, lines), default=0))
        for space in dict.fromkeys(x.space for line in lines for x in _touched(line)):
            if space in self.fills:
                fill = self.fills.pop(space)
                self._put(fill, place if place % 2 and self._is_part(fill, lines, place) else place - place % 2)
        self._put(group, place)

    def end(self) -> None:
        """Append the fills of what nothing touches."""
        for fill in self.fills.values():
            self._put(fill, 2 * len(self.loops))
        self.fills = {}

    def _is_part(self, fill: Instruction, lines: Sequence[Instruction], place: int) -> bool:
        """Return whether a loop may fill in each round what an instruction that is to be part of it touches then."""
        loop, space = self.loops[place // 2], fill.out.space
        if not _may_be_sliced(fill) or fill.shape[0] != loop.extent:
            return False
        touched = [(x, line.shape) for line in lines for x in _touched(line) if x.space == space]
        return _is_of_a_round([(fill.out, fill.shape), *touched])

    def _put(self, group: Group, place: int) -> None:
        if place % 2:
            assert isinstance(group, Instruction)
            self.loops[place // 2].add(group)
        else:
            self.before[place // 2].append(group)
        for line in lines_of(group):
            self.written[line.out.space] = max(place, self.written.get(line.out.space, 0))
            for x in _touched(line):
                self.touched[x.space] = max(place, self.touched.get(x.space, 0))

    def _after(self, line: Instruction) -> int:
        """Return the last place where something is done that an instruction has to come after."""
        return max(self.touched.get(line.out.space, 0), *(self.written.get(x.space, 0) for x in _touched(line)))

    def _place(self, group: Group, after: int) -> int:
        if isinstance(group, Instruction) and _may_be_sliced(group):
            is_large = prod(group.shape[1:]) >= LEAST
            for place in range(after | 1, 2 * len(self.loops), 2):
                loop = self.loops[place // 2]
                if loop.extent == group.shape[0] and (is_large or place == after) and loop.takes(group):
                    return place
            if is_large:
                self.loops.append(_Loop(group.shape[0]))
                self.before.append([])
                return 2 * len(self.loops) - 1
        is_small = all(_size(line) < CACHED for line in lines_of(group))
        return after + after % 2 if is_small else 2 * len(self.loops)


def _is_fill(line: Instruction) -> bool:
    return line.form == "same" and not (line.fold or line.out.places or isinstance(line.operands[0], Address))


def _may_be_sliced(line: Instruction) -> bool:
    """Return whether the rounds of an instruction's first loop may be run with others in between."""
    if not line.shape or line.shape[0] < 2 or line.ordered or line.raises or line.form in SYSTEMS:
        return False
    if line.form in CALLS and (len(line.shape) < 4 or not line.out.strides[0]):
        return False
    own = [(x, line.shape) for x in _touched(line) if x.space == line.out.space]
    if line.fold and not any(line.out.strides):
        return False  # all elements are joined to one number by parts, which has more digits than round by round
    is_total = line.fold and not line.out.strides[0] and line.out.places is None and len(set(own)) == 1
    return bool(is_total) or _is_of_a_round(own)


def _pays(loop: _Loop) -> bool:
    """Return whether large values in between are read where they cannot be at hand: in a later kernel."""
    sizes = {
        space: max(reach(x, shape) * DTYPES[x.kind].itemsize for x, shape in touched)
        for space, touched in loop.touched.items()
        if space in loop.written and _is_of_a_round(touched)
    }
    made: dict[int, tuple[int, Instruction]] = {}
    """For each space what writes it, and the kernel that this is part of at the earliest."""
    later: set[int] = set()
    for line in loop.lines:
        first = 0
        for space in (x.space for x in line.operands if isinstance(x, Address) and x.space in made):
            kernel, source = made[space]
            first = max(first, kernel + (bool(source.fold) or source.shape != line.shape or line.form in CALLS))
        later.update(x.space for x in read_by(line) if x.space in made and made[x.space][0] < first)
        made[line.out.space] = first, line
    found = [sizes[space] for space in later & sizes.keys()]
    return sum(found) >= CACHED and max(found) <= MOST * loop.extent


def _of_a_round(line: Instruction) -> Instruction:
    """Return what an instruction does in a round."""

    def within(x: Address) -> Address:
        return x._replace(strides=x.strides[1:], round=x.strides[0])

    operands = tuple(x.along_with(within) if isinstance(x, Address) else x for x in line.operands)
    return line._replace(operands=operands, out=line.out.along_with(within), shape=line.shape[1:])


class _Again:
    """Large values that an earlier loop has computed of small ones, computed again in the loop that reads them."""

    def __init__(self, block: Block, groups: Sequence[Group], kept: set[int]) -> None:
        self.block, self.kept = block, kept
        self.writers: dict[int, list[tuple[int, Group]]] = {}
        for at, group in enumerate(groups):
            for space in {line.out.space for line in lines_of(group)}:
                self.writers.setdefault(space, []).append((at, group))

    def lines(self, loop: _Loop) -> Iterator[Instruction]:
        """Yield the instructions of a loop, and before them what they need again."""
        made: dict[int, int] = {}
        """For each space that is computed again the one that has it then."""

        def with_needed(line: Instruction) -> Iterator[Instruction]:
            operands = []
            for x in line.operands:
                if isinstance(x, Address) and 0 < self._cost(x, line.shape, loop) <= FEW:
                    if x.space not in made:
                        own = self.block.spaces[x.space].array
                        made[x.space] = self.block.space(own.shape, own.dtype).space.number
                        ((_, source),) = self.writers[x.space]
                        assert isinstance(source, Instruction)
                        yield from with_needed(source)
                    x = x._replace(space=made[x.space])
                operands.append(x)
            out = line.out._replace(space=made.get(line.out.space, line.out.space))
            yield line._replace(operands=tuple(operands), out=out)

        for line in loop.lines:
            yield from with_needed(line)

    def _cost(self, x: Address, shape: tuple[int, ...], loop: _Loop, left: int = FEW) -> int:
        """Return how many operations find again what is read at an address; 0 where it is to be loaded."""
        writers = self.writers.get(x.space, ())
        if len(writers) != 1 or x.space in self.kept or x.space in loop.written:
            return 0
        ((at, line),) = writers
        if not isinstance(line, Instruction) or _size(line) < CACHED or any(y.places for y in _touched(line)):
            return 0
        if line.form not in CHEAP or line.fold or line.raises or line.ordered or line.shape[:1] != (loop.extent,):
            return 0
        if any(other >= at for y in read_by(line) for other, _ in self.writers.get(y.space, ())):
            return 0  # what it was computed of is another value by now
        if not _is_of_a_round([(line.out, line.shape), (x, shape), *loop.touched.get(x.space, ())]):
            return 0
        cost = 1
        for y in line.operands:
            if isinstance(y, Address) and SMALLER * reach(y, line.shape) > prod(line.shape) and cost <= left:
                more = self._cost(y, line.shape, loop, left - cost)
                if not more:
                    return 0
                cost += more
        return cost


def reach(x: Address, shape: tuple[int, ...]) -> int:
    """Return how many elements are read at an address."""
    return prod(n for n, stride in zip(shape, x.strides, strict=True) if stride)
