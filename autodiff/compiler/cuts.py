"""Loops of a program of which most rounds are left out: which, and what they are among those that are left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .native.loops.periods import Run
from .program import Program

EDGE = 3
"""How many rounds at both ends of a loop may differ from those between them."""

NEAR = 2
"""How many rounds before and behind what was left out may be read by nothing but the rounds of loops."""


class Cut(NamedTuple):
    """A loop of which rounds were left out, and the operands of all its rounds, a row for each."""

    run: Run
    start: int
    """The place of its first step among those that are left."""
    gap: int
    """How many rounds were left out."""
    operands: np.ndarray

    @property
    def kept(self) -> int:
        """How many rounds are left."""
        return self.run.rounds - self.gap

    @property
    def at(self) -> int:
        """How many rounds are left in front of those that were left out."""
        return self.kept // 2

    def now(self, rounds: np.ndarray) -> np.ndarray:
        """Return which rounds of those that are left some are."""
        return np.where(rounds < self.at, rounds, rounds - self.gap)

    def once(self, rounds: np.ndarray) -> np.ndarray:
        """Return which rounds some of those that are left were."""
        return np.where(rounds < self.at, rounds, rounds + self.gap)

    def is_near(self, rounds: np.ndarray) -> np.ndarray:
        """Return which rounds were left out, or are next to those."""
        return (rounds >= self.at - NEAR) & (rounds < self.at + self.gap + NEAR)


class Short(NamedTuple):
    """A program without most rounds of its loops."""

    program: Program
    whole: Program
    cuts: list[Cut]
    parts: list[tuple[int, list[int]]]
    """The steps that sum parts at places, by their origins, and which of their operands are of rounds of loops."""

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

    def numbers_of_parts(self) -> list[int]:
        """Return the operands of sums of parts that are of rounds of loops."""
        origins = self.program.origins
        assert origins is not None
        found: list[int] = []
        for origin, places in self.parts:
            for at in np.flatnonzero(origins == origin).tolist():
                operands = self.program.operands.lists[at]
                found += [operands[place] for place in places]
        return found
