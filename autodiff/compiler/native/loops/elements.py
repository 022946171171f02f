"""Where elements of arrays are, when no round is left out, that the rounds of loops read, or add parts to.

In a program without most rounds those behind what was left out read the elements next to those that the rounds before
read: so a loop goes through them by a stride. When it goes on over all rounds, it goes on through the array. What goes
backward from one of the last rounds, or reads one of their elements by itself, finds it further on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...cuts import Short
from ...program import Step
from ..instructions.areas import Address, Area
from ..instructions.instruction import Instruction, Operand
from .layout import Roller, Unfit

Steps = Callable[[Address], int]
"""How far an address goes on from round to round."""

NEAR = None
"""In the place of how much further on an element is: it is next to what was left out, and may be that of a round before
or behind."""


class Elements:
    """How much further on elements are, by who reads them, and where."""

    def __init__(self, roller: Roller, short: Short) -> None:
        self.block, self.short, self.roller = roller.block, short, roller
        self.moving: dict[int, int | None] = {}
        """The steps whose values are such elements, or views of them: by how much further on these are."""
        self._read: dict[tuple[int, int, int], set[int | None]] = defaultdict(set)
        """The same by the step that reads them, the space and the offset there."""
        self._readers: set[tuple[int, int]] = set()
        """Which steps read such elements of which spaces."""
        self._added: dict[tuple[int, tuple[int, int], int], set[int | None]] = defaultdict(set)
        """By the step that adds parts, where a part is and where its place: how much further on the place is."""
        self._sums: dict[int, int] = {}
        """The spaces that parts are added to, by the steps that do."""
        self.chosen: set[int] = set()
        """The spaces of parts next to what was left out that are added at several places that are the same in all."""
        if any(cut.moving for cut in short.cuts):
            self._look_at_elements()
        for origin, places in short.parts.items():
            self._look_at_parts(origin, places)

    def _area(self, number: int) -> Area:
        area = self.block.areas.get(number)
        if not isinstance(area, Area):
            raise Unfit
        return area

    def _look_at_elements(self) -> None:
        program, areas = self.short.program, self.block.areas
        for number, step in program.numbered():
            self._look_at(number, step)
        spaces = {self._area(number).space.number for number in self.moving}
        for number, step in program.numbered():
            for x in (number, *step.operands):
                area = areas.get(x)
                if isinstance(area, Area) and area.space.number in spaces:
                    found = {self.moving.get(x, 0)}
                    for reader in (number, -1):  # what is in front of the first round is of no step
                        self._read[reader, area.space.number, area.offset] |= found
                        if x in self.moving:
                            self._readers.add((reader, area.space.number))

    def _look_at(self, number: int, step: Step) -> None:
        """Note how much further on a step's value is, if it is an element of a round, or a view of one."""
        area, (which, now, place) = self.block.areas.get(number), self.short.place(number)
        if which >= 0 and place in self.short.cuts[which].moving:
            if number in self.block.parts:
                raise Unfit
            if isinstance(area, Area):
                cut, base = self.short.cuts[which], self.block.areas[step.operands[0]]
                static = self.short.whole.statics[cut.line(now, place)]
                once = base.at(static[0]) if isinstance(base, Area) else None
                if once is None or once.space is not area.space:
                    raise Unfit
                is_near = bool(cut.is_near(cut.once(np.array(now))))
                self.moving[number] = NEAR if is_near else once.offset - area.offset
            return
        if isinstance(area, Area):
            taken = [x for x in step.operands if x in self.moving and self._area(x).space is area.space]
            found = {self.moving[x] for x in taken}
            if len(found) > 1:
                raise Unfit
            self.moving |= dict.fromkeys([number], found.pop()) if found else {}

    def _look_at_parts(self, origin: int, places: dict[int, Any]) -> None:
        """Note where a sum puts its parts."""
        program = self.short.program
        assert program.origins is not None
        for at in np.flatnonzero(program.origins == origin).tolist():
            number, step = at + len(program.inputs), program.steps[at]
            out = self._area(number)
            self._sums[number] = out.space.number
            for k, (part, index) in enumerate(zip(step.operands, step.static[1], strict=True)):
                once, of = places.get(k, index), self._now(self.block.areas.get(part))
                place, further = out.at(index), None if once is NEAR else out.at(once)
                if place is not None:
                    self._added[number, of, place.offset].add(further.offset - place.offset if further else NEAR)
                elif once is NEAR:
                    self.chosen.add(of[0])

    def _now(self, x: Operand | None) -> tuple[int, int]:
        """Return the space and the offset of a part, when loops are laid out."""
        if not isinstance(x, Area):
            return -1, 0
        now = self.roller.columns.now(Address(x.space.number, x.kind, x.offset, ()))
        return now.space, now.offset

    # ------------------------------------------------------------------------------------------------ how much further

    def further(self, line: Instruction, x: Address, steps: Sequence[int], gap: int, step_of: Steps) -> int | None:
        """Return how much further on elements are that a line goes through in the rounds of some steps, and a gap more.

        It is None of what is no such element, and Unfit where that cannot be told.
        """
        found = self._found(line, x, steps, step_of)
        if not found:
            return None
        if not gap and any(NEAR in one for one in found):
            raise Unfit
        ahead = gap * step_of(x) if len(steps) > 1 else 0
        taken = [
            by
            for by in found[0]
            if by is not NEAR
            and by + ahead in found[-1]
            and all(NEAR in one or by in one or by + ahead in one for one in found)
        ]
        if len(taken) != 1:
            raise Unfit
        return taken[0]

    def gap(self, line: Instruction, x: Address, steps: Sequence[int], step_of: Steps) -> int:
        """Return how many rounds more a loop has by the elements that a line goes through; 0 where there are none."""
        found = self._found(line, x, steps, step_of)
        if not found or len(found[0]) != 1 or len(found[-1]) != 1:
            return 0
        (first,), (last,) = found[0], found[-1]
        return 0 if first is NEAR or last is NEAR else (last - first) // step_of(x)

    def _found(self, line: Instruction, x: Address, steps: Sequence[int], step_of: Steps) -> list[set[int | None]]:
        """Return for the steps of each round how much further on the elements may be; nothing of no such elements."""
        stride = step_of(x) if len(steps) > 1 else 0
        if self._sums.get(line.step) == x.space == line.out.space and x.places is None:
            parts = [y for y in line.operands if isinstance(y, Address) and y.space != x.space]
            if line.form == "same" and not line.fold:
                is_zero = not parts
                first = self._added.get((line.step, (parts[0].space, parts[0].offset), x.offset)) if parts else {0}
                return [{0}] if is_zero or first == {0} else [set()]
            if len(parts) > 1:
                raise Unfit
            part = parts[0] if parts else Address(-1, x.kind, 0, (0, 0))
            on = step_of(part) if len(steps) > 1 and parts else 0
            return [
                self._added.get((step, (part.space, part.offset + k * on), x.offset + k * stride), set())
                for k, step in enumerate(steps)
            ]
        found, is_reader = list[set[int | None]](), False
        for k, step in enumerate(steps):
            knows = (step, x.space) in self._readers
            is_reader = is_reader or knows
            found.append(self._read.get((step, x.space, x.offset + k * stride), set()) if knows else {0})
        return found if is_reader else []
