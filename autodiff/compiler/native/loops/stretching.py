"""Loops of a program of which rounds were left out (`shortening`) go on over these again.

What such a loop makes has room for all rounds, one after the other. What goes through memory forward, from round to
round, begins where it did; what goes backward, and what reads one of the last rounds, begins as much later as rounds
were left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...cuts import EDGE, Cut, Short
from ..instructions.areas import Address, Area
from ..instructions.instruction import Group, Instruction, Repeat, lines_of
from ..instructions.uses import span_of
from .elements import Elements, Steps
from .layout import Loop, Roller, Unfit, with_addresses


def stretched(groups: Sequence[Group], roller: Roller, loops: Sequence[Loop], short: Short) -> list[Group]:
    """Return groups that do what they did, and what was left out; Unfit where they cannot."""
    found = _Stretching(roller, loops, short)
    made = [found.of_group(group) for group in groups]
    found.stretch_guards()
    for space, room in found.rooms.items():
        own = roller.block.spaces[space]
        own.array = np.empty(own.array.size + room.gap * room.size, own.array.dtype)
    return made


class _Rounds(NamedTuple):
    """Of which rounds a line of a loop is, among those that are left, and at which place there."""

    cut: Cut
    place: int
    rounds: np.ndarray
    """The first and the last ones may be before and behind those of the cut."""

    @property
    def step(self) -> int:
        """How many rounds of the cut one of the loop is; less than 0 where they go backward."""
        return int(self.rounds[1] - self.rounds[0])

    @property
    def gap(self) -> int:
        """How many rounds of the loop were left out."""
        return self.cut.gap // abs(self.step)

    @property
    def is_own(self) -> np.ndarray:
        """Which rounds are of the cut."""
        return (self.rounds >= 0) & (self.rounds < self.cut.kept)


class _Room(NamedTuple):
    """A space that a loop lays out: room for each round, behind that for what is in front of the first one."""

    of: _Rounds
    size: int
    """How much room a round has."""

    @property
    def cut(self) -> int:
        """From which round on those are that come after what was left out."""
        is_before = self.of.rounds < self.of.cut.at
        return 1 + int((is_before if self.of.step > 0 else ~is_before).sum())

    @property
    def gap(self) -> int:
        """How many rounds there are more."""
        return self.of.gap

    def moved(self, low: int, high: int) -> int:
        """Return how much later elements are that are read by themselves; Unfit next to what was left out."""
        first, last = low // self.size, high // self.size
        if first != last or first in (self.cut - 1, self.cut):
            raise Unfit
        return self.gap * self.size if first >= self.cut else 0

    def rounds(self, step: int) -> int:
        """Return how many rounds more what goes through by a step takes."""
        if step % self.size or self.gap % (step // self.size):
            raise Unfit
        return abs(self.gap * self.size // step)

    def crossed(self, offset: int, step: int, rounds: int) -> int:
        """Return how much later it begins what goes through all rounds; Unfit where it does not."""
        first, last = sorted((offset // self.size, (offset + step * (rounds - 1)) // self.size))
        if not first < self.cut <= last:
            raise Unfit
        return self.gap * self.size if step < 0 else 0


class _Stretching:
    def __init__(self, roller: Roller, loops: Sequence[Loop], short: Short) -> None:
        self.roller, self.block, self.short = roller, roller.block, short
        self.loop_of = {id(group): loop for loop in loops for group in loop.loops}
        self.rooms: dict[int, _Room] = {}
        self.gaps: dict[int, set[int]] = {}
        """By the ids of loops, how many of their rounds were left out, as their lines have it; none where none were."""
        for loop in loops:
            found = [self._rounds_of(loop, k) for k in range(loop.run.period)]
            if len({of is None for of in found}) > 1:
                raise Unfit
            self.gaps[id(loop)] = {of.gap if of else 0 for of in found} - {0}
            self.rooms |= {space: _Room(of, loop.sizes[k]) for k, space in loop.laid.items() if (of := found[k])}
        self.elements = Elements(roller, short)
        if not self.elements.chosen <= self.rooms.keys():
            raise Unfit

    def _rounds_of(self, loop: Loop, k: int) -> _Rounds | None:
        """Return of which rounds a line of a loop is; None where it is of no loop that was cut."""
        found = np.array([self.short.place(self.roller.lines[at].step) for at in loop.at[:, k].tolist()])
        known = np.flatnonzero(found[:, 0] >= 0)
        if not len(known):
            return None
        which, now, place = found[known].T
        if len(known) < 2 or (which != which[0]).any():
            raise Unfit
        cut = self.short.cuts[which[0]]
        at = now * cut.run.period + place
        period = abs(int(at[1] - at[0])) // int(known[1] - known[0])
        if 0 < period < cut.run.period and cut.run.period % period == 0:
            cut = cut.finer(period)
        now, place = np.divmod(at, cut.run.period)
        if (place != place[0]).any():
            raise Unfit
        step = int(now[1] - now[0])
        of = _Rounds(cut, int(place[0]), now[0] + step * (np.arange(len(found)) - known[0]))
        is_even = step != 0 and bool((of.rounds[known] == now).all()) and of.cut.gap % step == 0
        if not is_even or of.is_own.sum() > len(known) or not now.min() < of.cut.at - 1 or not now.max() > of.cut.at:
            raise Unfit
        return of

    # ------------------------------------------------------------------------------------------------------- groups

    def of_group(self, group: Group) -> Group:
        """Return a group that does what it did, and what was left out."""
        loop = self.loop_of.get(id(group))
        if isinstance(group, Repeat):
            rounds, step_of = group.rounds, _in_rounds
        else:
            shape = lines_of(group)[0].shape
            rounds, step_of = (shape[0] if loop is not None and shape else 1), _along
        steps = partial(self._steps, loop, rounds)
        gap = self._gap(group, loop, step_of, steps) if loop is not None and rounds > 1 else 0
        if not gap or loop is None:
            lines = tuple([self._still(line, rounds, steps(line), step_of) for line in lines_of(group)])
        else:
            longer = partial(self._longer, loop, gap, rounds, step_of)
            lines = tuple([with_addresses(line, partial(longer, line, steps(line))) for line in lines_of(group)])
        if isinstance(group, Repeat):
            return Repeat(lines, rounds + gap)
        if gap:
            lines = tuple([line._replace(shape=(rounds + gap, *line.shape[1:])) for line in lines])
        return lines[0] if isinstance(group, Instruction) else group._replace(lines=lines)

    def _steps(self, loop: Loop | None, rounds: int, line: Instruction) -> list[int]:
        """Return the steps that a line is part of, in each round of a loop."""
        if loop is None or rounds == 1:
            return [line.step]
        first = [self.roller.lines[at].step for at in loop.at[0].tolist()]
        found = {tuple([self.roller.lines[at].step for at in loop.at[:, k].tolist()])
                 for k, step in enumerate(first) if step == line.step}  # fmt: skip
        if len(found) != 1:
            raise Unfit
        return list(found.pop())

    def _gap(self, group: Group, loop: Loop, step_of: Steps, steps: Callable[[Instruction], list[int]]) -> int:
        """Return how many rounds a loop has more, as its lines have, and what it goes through."""
        gaps = set(self.gaps[id(loop)])
        for line in lines_of(group):
            for x in (line.out, *line.operands):
                if isinstance(x, Address) and step_of(x):
                    room = self.rooms.get(x.space)
                    gaps.add(room.rounds(step_of(x)) if room else self.elements.gap(line, x, steps(line), step_of))
        gaps.discard(0)
        if len(gaps) > 1:
            raise Unfit
        return gaps.pop() if gaps else 0

    def _longer(
        self, loop: Loop, gap: int, rounds: int, step_of: Steps, line: Instruction, steps: list[int], x: Address
    ) -> Address:
        """Return an address of a line of a loop that has more rounds."""
        further = self.elements.further(line, x, steps, gap, step_of)
        if further is not None:
            return x._replace(offset=x.offset + further)
        room, step = self.rooms.get(x.space), step_of(x)
        if x.places is not None and (room or step or step_of(x.places) or x.places.space in self.rooms):
            raise Unfit
        if room is None:
            return self._in_table(loop, gap, rounds, x) if step else x
        if step:
            return x._replace(offset=x.offset + room.crossed(x.offset, step, rounds))
        return x._replace(offset=x.offset + room.moved(x.offset, x.offset))

    def _still(self, line: Instruction, rounds: int, steps: list[int], step_of: Steps) -> Instruction:
        """Return a line that is of no loop that has more rounds."""
        which, now, _ = self.short.place(line.step)
        if which >= 0 and now in (self.short.cuts[which].at - 1, self.short.cuts[which].at):
            raise Unfit

        def moved(x: Address) -> Address:
            room = self.rooms.get(x.space)
            if x.places is not None and (room or x.places.space in self.rooms):
                raise Unfit
            if room is None:
                further = self.elements.further(line, x, steps, 0, step_of)
                return x._replace(offset=x.offset + (further or 0))
            span, ahead = span_of(x, line.shape, frozenset()), x.round * (rounds - 1)
            further = room.moved(int(span.low) + min(ahead, 0), int(span.high) + max(ahead, 0))
            return x._replace(offset=x.offset + further)

        return with_addresses(line, moved)

    # ------------------------------------------------------------------------------------------- constants and guards

    def _in_table(self, loop: Loop, gap: int, rounds: int, x: Address) -> Address:
        """Return an address in a table of constants, one for each round."""
        if x.space in loop.tables:
            made = self.block.table(self._table(loop, x.space, gap))
        else:
            values = self.block.tables.get(self.block.spaces[x.space])
            if values is None or values.shape != (rounds,) or len(set(map(repr, values[EDGE:-EDGE].tolist()))) > 1:
                raise Unfit
            middle = len(values) // 2
            made = self.block.table(np.insert(values, middle, np.full(gap, values[middle])))
        return x._replace(space=made.space.number)

    def _table(self, loop: Loop, space: int, gap: int) -> np.ndarray:
        """Return the constants of all rounds as one array."""
        table, numbers = loop.tables[space], {space.number: number for number, space in self.block.offered.items()}
        if len({(x.offset, x.strides) for x in table.places}) > 1:
            raise Unfit
        taken = [numbers.get(x.space, 0) for x in table.places]
        if not any(taken):  # made by the rules of steps
            first, *others = [self.block.known[x.space] for x in table.places]
            if any(first.tobytes() != other.tobytes() for other in others):
                raise Unfit
            return table.of([first] * (len(table.places) + gap))
        whole = self._whole(taken)
        if len(whole) != len(taken) + gap:
            raise Unfit
        return table.of([np.ascontiguousarray(x) for x in whole])

    def _whole(self, taken: list[int]) -> list[Any]:
        """Return the constants of all rounds, by the numbers of those of the rounds that are left."""
        program, varied = self.short.program, self.short.program.varied
        own = [k for k, number in enumerate(taken) if number in varied]
        known = [varied[taken[k]] for k in own]
        if len(own) < 2 or len({(one.cut, one.column) for one in known}) > 1 or own[-1] - own[0] >= len(own):
            raise Unfit
        cut, rounds = self.short.cuts[known[0].cut], np.array([one.round for one in known])
        steps = np.diff(cut.now(rounds))
        if not steps[0] or (steps != steps[0]).any():
            raise Unfit
        every = cut.operands[np.arange(rounds[0], rounds[-1] + steps[0], steps[0]), known[0].column]
        before, behind = taken[: own[0]], taken[own[-1] + 1 :]
        if (every >= 0).any() or not all((*before, *behind)):
            raise Unfit
        return [*map(program.value, before), *map(self.short.whole.value, every.tolist()), *map(program.value, behind)]

    def stretch_guards(self) -> None:
        """Let the block look at the guards of all rounds."""
        guards: list[tuple[Area, bool, Any]] = []
        for area, answer, guard in self.block.guards:
            room = self.rooms.get(area.space.number)
            if room is None:
                guards.append((area, answer, guard))
                continue
            at = area.offset // room.size
            further = room.gap * room.size if at >= room.cut else 0
            guards.append((area._replace(offset=area.offset + further), answer, guard))
            if at != room.cut - 1:
                continue
            run, of = room.of.cut.run, room.of
            for k, left_out in enumerate(range(of.cut.at, of.cut.at + of.cut.gap), 1):
                found = self.short.whole.guarded.get(run.start + left_out * run.period + of.place, ())
                if len(found) != 1 or found[0].answer != guard.answer or room.gap != of.cut.gap or of.step < 0:
                    raise Unfit
                (other,) = found
                guards.append((area._replace(offset=area.offset + k * room.size), answer, other))
        self.block.guards = guards


def _along(x: Address) -> int:
    """Return how far it is from round to round, of a loop over arrays."""
    return x.strides[0] if x.strides else 0


def _in_rounds(x: Address) -> int:
    """Return the same of a loop that goes round by round."""
    return x.round
