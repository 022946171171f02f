"""Loops of a program of which most rounds are left out: which, and what they are among those that are left."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .indices import Along
from .native.loops.periods import Run
from .program import Program

EDGE = 3
"""How many rounds at both ends of a loop may differ from those between them."""

NEAR = 2
"""How many rounds before and behind what was left out may be read by nothing but the rounds of loops."""


class Stride(NamedTuple):
    """Operands that go on by a round of another loop, or of the same one, from round to round, forward or backward."""

    column: int
    loop: int
    place: int
    """Which step of that loop's rounds they are."""
    start: int
    """Of which round the first one is."""
    sign: int


class Cut(NamedTuple):
    """A loop of which rounds were left out, and the operands of all its rounds, a row for each."""

    run: Run
    start: int
    """The place of its first step among those that are left."""
    gap: int
    """How many rounds were left out."""
    operands: np.ndarray
    moving: dict[int, Along]
    """By their places in a round the steps that read elements of an array, other ones in each round: their indices."""
    fine: int = 1
    """How many rounds of it are taken together as one when rounds are left out."""

    @property
    def kept(self) -> int:
        """How many rounds are left."""
        return self.run.rounds - self.gap

    @property
    def at(self) -> int:
        """How many rounds are left in front of those that were left out."""
        return self.kept // self.fine // 2 * self.fine

    def now(self, rounds: np.ndarray) -> np.ndarray:
        """Return which rounds of those that are left some are."""
        return np.where(rounds < self.at, rounds, rounds - self.gap)

    def once(self, rounds: np.ndarray) -> np.ndarray:
        """Return which rounds some of those that are left were."""
        return np.where(rounds < self.at, rounds, rounds + self.gap)

    def is_near(self, rounds: np.ndarray) -> np.ndarray:
        """Return which rounds were left out, or are next to those."""
        return (rounds >= self.at - NEAR) & (rounds < self.at + self.gap + NEAR)

    def finer(self, period: int) -> Cut:
        """Return the same of shorter rounds, so many steps of which are one."""
        fine, (start, _, rounds) = self.run.period // period, self.run
        return self._replace(run=Run(start, period, rounds * fine), gap=self.gap * fine, fine=self.fine * fine)

    def line(self, now: int, place: int) -> int:
        """Return which step of the whole program is at a place of one of the rounds that are left."""
        return self.run.start + int(self.once(np.array(now))) * self.run.period + place


class Short(NamedTuple):
    """A program without most rounds of its loops."""

    program: Program
    whole: Program
    cuts: list[Cut]
    parts: dict[int, dict[int, Any]]
    """The steps that sum parts at places, by their origins: for those of their operands that are of rounds of loops the
    indices of their places when no round is left out; None next to what was left out."""

    loops: list[Run]
    """The loops as they were found, of which several rounds may be one of a cut."""

    @property
    def rounds(self) -> list[tuple[int, int]]:
        """Return how many rounds each loop has, and how many of these are left."""
        return [
            (loop.rounds, loop.rounds - cut.gap * cut.run.period // loop.period)
            for loop, cut in zip(self.loops, self.cuts, strict=True)
        ]

    def place(self, step: int) -> tuple[int, int, int]:
        """Return of which cut a step is part, in which of the rounds that are left, and at which place there.

        The cut is -1 where there is none.
        """
        at = step - len(self.program.inputs)
        if at >= 0 and self.program.origins is not None:
            origin = int(self.program.origins[at])
            for which, cut in enumerate(self.cuts):
                if cut.start <= origin < cut.start + cut.kept * cut.run.period:
                    return which, *divmod(origin - cut.start, cut.run.period)
        return -1, 0, 0
