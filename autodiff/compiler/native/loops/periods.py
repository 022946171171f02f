"""Where a sequence of numbers repeats itself: runs of some rounds of a period, found in about linear time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAST = 4
"""How many rounds a run has at least."""

WINDOWS = (4, 16, 64, 256, 1024)
"""By the distances between equal windows of these widths the periods are found that are tried."""

TRIED = 12
"""How many of the most frequent distances are tried for each width."""


class Run(NamedTuple):
    """A stretch that repeats itself: where it starts, how long a round is, and how many there are."""

    start: int
    period: int
    rounds: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.rounds

    @property
    def saved(self) -> int:
        """How many numbers fewer one round has."""
        return self.period * (self.rounds - 1)


def runs(numbers: np.ndarray) -> list[Run]:
    """Return runs that do not overlap, in their order: the longest first, of these the shortest period.

    Of a loop in a loop the inner one is found, as often as the outer one goes round, where that leaves fewer numbers.
    """
    found = [run for period in _periods(numbers) for run in _of_period(numbers, period)]
    found.sort(key=lambda run: (-run.period * run.rounds, run.period))
    columns = np.array(found, int).reshape(-1, 3).T
    taken = np.zeros(len(numbers), bool)
    chosen: list[Run] = []
    for whole in found:
        run = _without_ends(whole, taken)
        if run is not None and run.saved >= _saved_within(run, found, columns):
            taken[run.start : run.end] = True
            chosen.append(run)
    return sorted(chosen)


def _without_ends(run: Run, taken: np.ndarray) -> Run | None:
    """Return a run without what is part of the ones beside it, less than a round at each end; None where more is."""
    start, period, rounds = run
    here = taken[start : run.end]
    if not here.any():
        return run
    head, tail = int(np.argmin(here[:period])), int(np.argmin(here[::-1][:period]))
    if here[head : len(here) - tail].any():
        return None
    rounds = (len(here) - head - tail) // period
    return Run(start + head, period, rounds) if rounds >= LEAST else None


def _saved_within(run: Run, found: list[Run], columns: np.ndarray) -> int:
    """Return how many numbers fewer are left of a run by runs of more rounds that are part of it."""
    start, period, rounds = columns
    within = np.flatnonzero((rounds > run.rounds) & (start >= run.start) & (start + period * rounds <= run.end))
    if (period * (rounds - 1))[within].sum() <= run.saved:
        return 0
    taken, saved = np.zeros(run.end - run.start, bool), 0
    for inner in map(found.__getitem__, within.tolist()):
        at = slice(inner.start - run.start, inner.end - run.start)
        if not taken[at].any():
            taken[at] = True
            saved += inner.saved
    return saved


def _periods(numbers: np.ndarray) -> list[int]:
    """Return the distances at which windows most often repeat themselves."""
    found: set[int] = set()
    for width in WINDOWS:
        if len(numbers) < 2 * width:
            break
        hashes = _hashes(numbers, width)
        order = np.argsort(hashes, kind="stable")
        steps = np.diff(order)[hashes[order[1:]] == hashes[order[:-1]]]
        if steps.size:
            distances, counts = np.unique(steps, return_counts=True)
            found.update(distances[np.argsort(-counts * distances)][:TRIED].tolist())
            found.update(distances[np.argsort(-counts)][:TRIED].tolist())
    return sorted(found)


def _hashes(numbers: np.ndarray, width: int) -> np.ndarray:
    """Return a number for each window of a width, by doubling; equal for equal windows, and seldom else."""
    with np.errstate(over="ignore"):
        now = (numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
        reach = 1
        while reach < width:
            now = (now[:-reach] * np.uint64(0x94D049BB133111EB) + (now[reach:] ^ (now[reach:] >> np.uint64(29)))) * (
                np.uint64(0xD6E8FEB86659FD93)
            )
            reach *= 2
    return now


def _of_period(numbers: np.ndarray, period: int) -> list[Run]:
    """Return the runs of one period."""
    same = numbers[:-period] == numbers[period:]
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False]))))
    starts, rounds = edges[::2], (edges[1::2] - edges[::2]) // period + 1
    found = rounds >= LEAST
    return [Run(start, period, n) for start, n in zip(starts[found].tolist(), rounds[found].tolist(), strict=True)]
