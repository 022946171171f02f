"""A sum of parts at places, as the adjoint of an array of which rounds of loops read elements, without most rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from .cuts import NEAR, Cut, Stride
from .indices import apart
from .native.loops.periods import Run, runs
from .program import Program


class Plan(Protocol):
    """What is left out of a program."""

    program: Program
    loops: list[Run]
    cuts: list[Cut]
    count: int
    of: np.ndarray

    def stride(self, column: int, numbers: np.ndarray, step: int) -> Stride | None:
        """Return how operands go on, by numbers that do so evenly."""

    def along(self, stride: Stride, count: int) -> np.ndarray:
        """Return what so many operands are now that go on by a stride."""

    def moved(self, numbers: np.ndarray) -> np.ndarray:
        """Return what operands are now, each by itself."""


class Sum(NamedTuple):
    """What is left of a sum: its operands, its parameters, and what is to be known of its parts."""

    operands: np.ndarray
    static: tuple[Any, ...]
    once: dict[int, Any]
    """For the parts of rounds of loops the indices of their places when no round is left out (`Short`)."""


def shortened_sum(plan: Plan, k: int, least: int) -> Sum:
    """Leave out of a sum of parts those of the rounds that are left out, where at least so many rounds stay."""
    operands = plan.program.operands
    numbers = operands.flat[operands.starts[k] : operands.starts[k + 1]]
    shape, indices = plan.program.statics[k]
    known: dict[Any, int] = {}
    sequence = np.array([known.setdefault(x, len(known)) for x in _kinds(plan, numbers, indices)])
    parts, chosen, once, at = list[np.ndarray](), list[Any](), dict[int, Any](), 0
    for run in runs(sequence):
        strides = _strides(plan, numbers[run.start : run.end].reshape(run.rounds, -1))
        gaps = {plan.cuts[stride.loop].gap for stride in strides}
        if len(gaps) != 1 or run.rounds - min(gaps) < least:
            continue
        kept = run.rounds - gaps.pop()
        rows = np.stack([plan.along(stride, kept) for stride in strides], axis=1)
        chosen += indices[at : run.start]
        for which in range(kept):
            for column, stride in enumerate(strides):
                once[len(chosen) + which * run.period + column] = _once(plan, stride, which, run, indices, column)
        parts += [plan.moved(numbers[at : run.start]), rows.ravel()]
        chosen += indices[run.start : run.start + rows.size]
        at = run.end
    left = np.concatenate((*parts, plan.moved(numbers[at:])))
    return Sum(left, (shape, (*chosen, *indices[at:])), once)


def _once(plan: Plan, stride: Stride, which: int, run: Run, indices: Sequence[Any], column: int) -> Any:
    """Return the index of a part when none is left out; None next to what was left out."""
    cut = plan.cuts[stride.loop]
    start = stride.start if stride.start < cut.at - NEAR else stride.start - cut.gap
    now = start + stride.sign * which
    if cut.at - NEAR <= now < cut.at + NEAR:
        return None
    is_behind = (now >= cut.at) == (stride.sign > 0)
    return indices[run.start + (which + cut.gap * is_behind) * run.period + column]


def _kinds(plan: Plan, numbers: np.ndarray, indices: Sequence[Any]) -> list[Any]:
    """Return what is the same for parts that are one in different rounds, whose indices go on evenly."""
    kinds: list[Any] = numbers.tolist()
    loops = np.where(numbers < 0, -1, plan.of[np.maximum(numbers, 0)])
    members: dict[Any, list[tuple[int, int, tuple[int, ...]]]] = {}
    for at in np.flatnonzero(loops >= 0).tolist():
        run, (form, found) = plan.loops[loops[at]], apart(indices[at])
        round_, place = divmod(kinds[at] - plan.count - run.start, run.period)
        members.setdefault((int(loops[at]), place, form), []).append((at, round_, found))
    for key, those in members.items():
        _, middle, first = those[len(those) // 2]
        other = len(those) // 2 + sum(round_ == middle for _, round_, _ in those)
        step = tuple(0 for _ in first)
        if other < len(those):
            _, further, second = those[other]
            step = tuple([(y - x) // (further - middle) for x, y in zip(first, second, strict=True)])
        for at, round_, found in those:
            kinds[at] = key, step, tuple([x - by * round_ for x, by in zip(found, step, strict=True)])
    return kinds


def _strides(plan: Plan, matrix: np.ndarray) -> list[Stride]:
    """Return how parts go on from round to round; none where they do not."""
    steps = np.diff(matrix[:2], axis=0)[0]
    if not (np.diff(matrix, axis=0) == steps).all() or (matrix < 0).any():
        return []
    found = [plan.stride(column, matrix[:, column], int(step)) for column, step in enumerate(steps.tolist())]
    return [stride for stride in found if stride] if all(found) else []
