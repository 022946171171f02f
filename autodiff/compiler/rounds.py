"""Which steps of a program are one line of a loop in different rounds: a loop leaves its body behind for each round.

Where two rounds happen to be given the same number, or one is given 1, steps could be left out that other rounds need.
They are kept: rounds that are alike are a loop again in machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from .native.loops.periods import Run, runs
from .program import Program

ROUNDS = 8
"""From how many rounds on what repeats itself is taken for a loop."""

WEIGHT = np.uint64(0x9E3779B97F4A7C15)
"""By its powers what steps are given becomes one number, seldom the same one for what differs."""

TRIED = 8
"""How often what is kept is looked at again, for what that has led to."""


def evenly(program: Program, others: Callable[[Collection[int]], np.ndarray]) -> np.ndarray:
    """Return an operand to be taken in the place of each step, as in the rounds before and after.

    ``others(kept)`` has for each step the number of the one that gives the same, its own where there is none, or where
    it is to be kept. A line of which that is so in some rounds only is kept in all, and then what follows from it.
    """
    kept: set[int] = set()
    found = others(kept)
    if np.array_equal(found, program.numbers):
        return found
    loops = loops_of(program)
    for _ in range(TRIED if loops else 0):
        lines = _by_chance(loops, found, len(program.inputs))
        if not lines:
            break
        kept |= _causes(program, lines)
        found = others(kept)
    return found


def varied(program: Program, loops: list[Run]) -> set[int]:
    """Return the constants in whose place in other rounds other ones are, if they are arrays."""
    is_array, found = np.array([np.ndim(x) > 0 for x in program.constants], bool), set[int]()
    operands = program.operands
    for start, period, rounds in loops if is_array.sum() > 1 else ():
        first, last = operands.starts[start], operands.starts[start + period * rounds]
        for taken in operands.flat[first:last].reshape(rounds, -1).T:
            constants = ~taken[taken < 0]
            arrays = np.unique(constants[is_array[constants]])
            if len(arrays) > 1:
                found.update((~arrays).tolist())
    return found


def loops_of(program: Program) -> list[Run]:
    """Return the runs of a program's steps that repeat themselves often enough, whatever they are given."""
    operands = program.operands
    places = np.arange(len(operands.flat)) - np.repeat(operands.starts[:-1], operands.counts)
    kinds = WEIGHT ** (2 * places + (operands.flat < 0)).astype(np.uint64)
    numbers = operands.joined(np.add, kinds) * WEIGHT + program.forms.astype(np.uint64)
    return [run for run in runs(numbers) if run.rounds >= ROUNDS]


def _by_chance(loops: list[Run], others: np.ndarray, first: int) -> list[list[int]]:
    """Return the lines, by their steps in all rounds, for which another step is taken in some rounds only.

    Or in all, but at no even distance. The first and the last round may differ. Where fewer steps would be left than
    two rounds have, it is no loop, but a recursion.
    """
    lines: list[list[int]] = []
    for run in loops:
        end = run.start + run.period * run.rounds
        numbers = np.arange(run.start + first, end + first).reshape(run.rounds, run.period)
        taken = others[run.start : end].reshape(run.rounds, run.period)
        is_other, distances = taken[1:-1] != numbers[1:-1], np.diff(taken[1:-1], axis=0)
        uneven = is_other.any(0) & ~(is_other.all(0) & (distances == distances[0]).all(0))
        if taken.size - is_other[:, uneven].sum() >= 2 * run.period:
            lines += numbers[:, uneven].T.tolist()
    return lines


def _causes(program: Program, lines: list[list[int]]) -> set[int]:
    """Return the steps of those lines that read no other one of them."""
    of = {number: k for k, line in enumerate(lines) for number in line}
    first = len(program.inputs)
    causes = [
        line
        for k, line in enumerate(lines)
        if all(of.get(x, k) == k for number in line for x in program.operands.lists[number - first])
    ]
    return {number for line in causes or lines for number in line}


def kinds_of(program: Program) -> list[int]:
    """Return for each operand, constants at the end, a number that is equal for values of the same form."""
    known: dict[object, int] = {}

    def kind(x: Any) -> int:
        form = type(x), len(x) if type(x) is tuple else np.shape(x), getattr(x, "dtype", None)
        return known.setdefault(form, len(known))

    _, firsts, of = np.unique(program.forms, return_index=True, return_inverse=True)
    kinds = [kind(program.values[k]) for k in firsts.tolist()]
    return [*map(kind, program.inputs), *map(kinds.__getitem__, of.tolist()), *map(kind, reversed(program.constants))]


def before(program: Program, loops: list[Run]) -> list[int]:
    """Return for each input and step the number of the same step in the round before; -1 of what is in no loop."""
    count = len(program.inputs)
    found = np.full(count + len(program), -1)
    for run in loops:
        numbers = np.arange(count + run.start + run.period, count + run.end)
        found[numbers] = numbers - run.period
    numbered: list[int] = found.tolist()
    return numbered
