"""A program without most rounds of its loops, which does what a shorter loop would do: to compile it takes as long.

A round of a loop reads what is of the same round or of the one before, what stands before the loop, or, as the rounds
of a sweep do, what the rounds of another loop gave, forward or backward. Where that is so in all rounds, and all have
the same constants or each its own, rounds in the middle may be left out: those behind them read what the ones before
them gave. Machine code is made of what is left, and then its loops are stretched again (`stretching`).

Rounds at both ends may be different: they are kept.
"""

from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np

from dualnumbers.table.row import is_of_table

from .cuts import EDGE, NEAR, Cut, Short, Stride
from .elements import moved
from .indices import Along, along
from .native.loops.periods import Run
from .operands import Operands
from .parts import shortened_sum
from .program import Program, Varied
from .rounds import loops_of

KEPT, STEP = 16, 12
"""How many rounds are kept at least, and of what the number of those left out is a multiple: of two, three, four or six
rounds at once a loop may be made."""

TOGETHER = (1, 2, 3)
"""How many rounds of all loops are tried as one: what looks the same may read in turns what is of several kinds."""

MANY = 64
"""From how many rounds on some are left out."""


def shortened(program: Program) -> Short | None:
    """Return a program without most rounds of its loops; None where it has no loop of enough rounds that are alike."""
    loops = [run for run in loops_of(program) if run.rounds >= MANY]
    while loops:
        tried, unfit = list[list[Run]](), set(range(len(loops)))
        for times in TOGETHER:
            now = [_several(run, times) for run in loops]
            if now not in tried:
                plan = _Plan(program, now)
                if not plan.unfit:
                    return plan.made(loops)
                unfit = unfit & plan.unfit or plan.unfit
                tried.append(now)
        loops = [run for k, run in enumerate(loops) if k not in unfit]
    return None


def _several(run: Run, times: int) -> Run:
    """Return a loop of so many rounds at once, without the last ones that are too few, if enough are left."""
    rounds = run.rounds // times
    return Run(run.start, run.period * times, rounds) if rounds >= MANY else run


class _Plan:
    """What is left out of a program, as long as no loop turns out to be ``unfit``."""

    def __init__(self, program: Program, loops: list[Run]) -> None:
        self.program, self.loops, self.unfit = program, loops, set[int]()
        self.count = len(program.inputs)
        self.of = np.full(self.count + len(program), -1)
        """For each input and step the loop that it is part of."""
        for k, run in enumerate(loops):
            self.of[self.count + run.start : self.count + run.end] = k
        self.varied: list[tuple[int, int]] = []
        """The loops and columns of operands that are another constant in each round."""
        self.strides: list[list[Stride]] = []
        self.matrices: list[np.ndarray] = []
        self.moving: list[dict[int, Along]] = []
        """For each loop the steps of a round that read elements of an array, and in each round those beside."""
        self.groups = list(range(len(loops)))
        for k in range(len(loops)):
            self._look_at(k)
        if not self.unfit:
            self._cut()
        if not self.unfit:
            self._renumber()

    # ---------------------------------------------------------------------------------------------- what is alike

    def _look_at(self, k: int) -> None:
        """Find out how the operands of a loop go on from round to round."""
        run, operands = self.loops[k], self.program.operands
        matrix = operands.flat[operands.starts[run.start] : operands.starts[run.end]].reshape(run.rounds, -1)
        self.matrices.append(matrix)
        middle = matrix[EDGE:-EDGE]
        first, is_constant = middle[0], middle < 0
        same, steps = (middle == first).all(0), np.diff(middle[:2], axis=0)[0]
        even = (np.diff(middle, axis=0) == steps).all(0) & ~is_constant.any(0)
        found: list[Stride] = []
        for column in np.flatnonzero(~same).tolist():
            if is_constant[:, column].all() and self._are_alike(set(matrix[matrix[:, column] < 0, column].tolist())):
                self.varied.append((k, column))
                continue
            stride = self.stride(column, middle[:, column], int(steps[column])) if even[column] else None
            if stride is None or (stride.loop == k and stride.sign < 0):
                self.unfit.add(k)
                return
            self._join(k, stride.loop)
            found.append(stride)
        self.strides.append(found)
        is_own = same & ~is_constant[0] & (self.of[np.maximum(first, 0)] == k)
        moving = self._moving(run, same)
        if is_own.any() or moving is None or not self._has_same_guards(run):
            self.unfit.add(k)
        self.moving.append(moving or {})

    def _are_alike(self, numbers: set[int]) -> bool:
        """Return whether constants are numbers, or arrays of one form."""
        values = [self.program.constants[~x] for x in numbers]
        if len(set(map(type, values))) == 1 and type(values[0]) in (float, np.float64, np.float32):
            return True
        forms = {(x.shape, x.dtype.char, x.flags.c_contiguous) for x in values if type(x) is np.ndarray}
        return len(forms) == 1 and all(type(x) is np.ndarray for x in values) and forms.pop()[1:] in _FLOATS

    def stride(self, column: int, numbers: np.ndarray, step: int) -> Stride | None:
        """Return how operands go on, by numbers that do so evenly; None where they are of no loop, or skip rounds."""
        loop = int(self.of[numbers[0]])
        if loop < 0 or self.of[numbers[-1]] != loop or abs(step) != self.loops[loop].period:
            return None
        start, place = divmod(int(numbers[0]) - self.count - self.loops[loop].start, self.loops[loop].period)
        return Stride(column, loop, place, start, 1 if step > 0 else -1)

    def _join(self, k: int, other: int) -> None:
        """Note that two loops go together: as many rounds are left out of both."""
        mine, its = self.groups[k], self.groups[other]
        self.groups = [mine if group == its else group for group in self.groups]

    def _moving(self, run: Run, same: np.ndarray) -> dict[int, Along] | None:
        """Return how the indices of elements go on that rounds read; None where other parameters are not the same."""
        program, found = self.program, dict[int, Along]()
        kinds = program.kinds[run.start : run.end].reshape(run.rounds, run.period)[EDGE:-EDGE]
        columns = np.cumsum(program.operands.counts[run.start : run.start + run.period])
        for place in np.flatnonzero((kinds != kinds[0]).any(0)).tolist():
            row = program.rows[run.start + place]
            if row.name != "getitem" or not is_of_table(row) or not same[columns[place] - 1]:
                return None
            at = range(run.start + EDGE * run.period + place, run.end - EDGE * run.period, run.period)
            moving = along([program.statics[x] for x in at], EDGE)
            if moving is None:
                return None
            found[place] = moving
        return found

    def _has_same_guards(self, run: Run) -> bool:
        guarded, first = self.program.guarded, run.start + EDGE * run.period
        last = run.end - EDGE * run.period
        for place in {(k - first) % run.period for k in guarded if first <= k < last}:
            places = range(first + place, last, run.period)
            found = {tuple([(x.question, x.static, repr(x.answer)) for x in guarded.get(k, ())]) for k in places}
            if len(found) > 1:
                return False
        return True

    # ---------------------------------------------------------------------------------------------- what is left out

    def _cut(self) -> None:
        """Choose how many rounds are left out of each loop."""
        least = {group: min(run.rounds for run, own in zip(self.loops, self.groups, strict=True) if own == group)
                 for group in self.groups}  # fmt: skip
        self.cuts: list[Cut] = []
        dropped = 0
        self.is_kept = np.ones(len(self.program), bool)
        for run, group, matrix, moving in zip(self.loops, self.groups, self.matrices, self.moving, strict=True):
            gap = (least[group] - KEPT) // STEP * STEP
            cut = Cut(run, run.start - dropped, gap, matrix, moving)
            self.cuts.append(cut)
            self.is_kept[run.start + cut.at * run.period : run.start + (cut.at + gap) * run.period] = False
            dropped += gap * run.period
        self.now = np.concatenate((np.arange(self.count), self.count + np.cumsum(self.is_kept) - 1))
        self.is_near = np.zeros(len(self.now), bool)
        for cut in self.cuts:
            rounds = np.repeat(np.arange(cut.run.rounds), cut.run.period)
            self.is_near[self.count + cut.run.start : self.count + cut.run.end] = cut.is_near(rounds)

    def moved(self, numbers: np.ndarray) -> np.ndarray:
        """Return what operands are now, each by itself."""
        lines = numbers[numbers >= 0]
        self.unfit.update(self.of[lines[self.is_near[lines]]].tolist())
        return np.where(numbers < 0, numbers, self.now[np.maximum(numbers, 0)])

    def along(self, stride: Stride, count: int) -> np.ndarray:
        """Return what so many operands are now that go on by a stride."""
        cut = self.cuts[stride.loop]
        is_before = stride.start < cut.at - NEAR
        start = stride.start if is_before else stride.start - cut.gap
        rounds = start + stride.sign * np.arange(count)
        if is_before != (stride.sign > 0) or cut.is_near(np.array(stride.start)) or rounds[-1] not in range(cut.kept):
            self.unfit.add(stride.loop)
        return self.count + cut.start + rounds * cut.run.period + stride.place

    def _renumber(self) -> None:
        """Give all steps that are left their operands."""
        operands, of_loops = self.program.operands, np.zeros(len(self.program), bool)
        self.counts = operands.counts.copy()
        self.constants, self.of_varied = [*self.program.constants], dict[int, Varied]()
        self.parts: dict[int, dict[int, Any]] = {}
        found: list[np.ndarray] = []
        for cut, strides in zip(self.cuts, self.strides, strict=True):
            of_loops[cut.run.start : cut.run.end] = True
            rounds = cut.once(np.arange(cut.kept))
            taken = cut.operands[rounds]
            for stride in strides:
                taken[EDGE:-EDGE, stride.column] = -1  # which is for no operand by itself
            now = self.moved(taken)
            for stride in strides:
                now[EDGE:-EDGE, stride.column] = self.along(stride, cut.kept - 2 * EDGE)
            found.append(now)
        for k, column in self.varied:
            cut = self.cuts[k]
            for at, was in enumerate(cut.once(np.arange(cut.kept)).tolist()):
                if cut.operands[was, column] < 0:
                    self.constants.append(self.program.value(int(cut.operands[was, column])))
                    found[k][at, column] = -len(self.constants)
                    self.of_varied[-len(self.constants)] = Varied(k, column, was)
        statics, self.kinds = moved(self.program, self.cuts)
        whole = {cut.run.start: now.ravel() for cut, now in zip(self.cuts, found, strict=True)}
        for k in np.flatnonzero(~of_loops & (operands.counts >= MANY)).tolist():
            row = self.program.rows[k]
            if row.name == "scatter_all" and is_of_table(row):
                whole[k], statics[k], self.parts[k] = shortened_sum(self, k, KEPT // 2)
                self.counts[k] = len(whole[k])
        self.statics = statics
        self.flat = self._joined(whole)
        self.returned = self.moved(np.array(self.program.returned, np.int64))

    def _joined(self, found: dict[int, np.ndarray]) -> np.ndarray:
        """Return the operands of all steps that are left, some of which are found, by the places of their steps."""
        operands, parts, at = self.program.operands, list[np.ndarray](), 0
        ends = {cut.run.start: cut.run.end for cut in self.cuts}
        for start in sorted(found):
            parts.append(self.moved(operands.flat[operands.starts[at] : operands.starts[start]]))
            parts.append(found[start])
            at = ends.get(start, start + 1)
        return np.concatenate((*parts, self.moved(operands.flat[operands.starts[at] :])))

    # ---------------------------------------------------------------------------------------------- what is left

    def made(self, loops: list[Run]) -> Short:
        """Return the program that is left, of loops that are given as they were found."""
        whole = self.program
        made = Program(whole.inputs, whole.of_inputs, self.constants, whole.rebuild)
        kept = self.is_kept.tolist()
        made.rows, made.values = list(compress(whole.rows, kept)), list(compress(whole.values, kept))
        statics = [*whole.statics]
        for k, static in self.statics.items():
            statics[k] = static
        made.statics = list(compress(statics, kept))
        made.operands = Operands(self.flat, self.counts[self.is_kept])
        made.guarded = {int(self.now[self.count + k]) - self.count: x for k, x in whole.guarded.items() if kept[k]}
        made.returned, made.varied, made.origins = self.returned.tolist(), self.of_varied, np.arange(len(made))
        made._kinds = self.kinds[self.is_kept]
        parts = {int(self.now[self.count + k]) - self.count: places for k, places in self.parts.items()}
        return Short(made, whole, self.cuts, parts, loops)


_FLOATS = (("d", True), ("f", True))
"""Of what arrays are, and whether in C's order, that may be others in each round."""
