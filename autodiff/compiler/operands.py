"""What the steps of a program are applied to, as one column of numbers, of which a pass changes all at once."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np


class Operands:
    """The operands of steps: ``flat[starts[k]:starts[k + 1]]`` are those of step k, one at least."""

    def __init__(self, flat: np.ndarray, counts: np.ndarray) -> None:
        self.flat, self.counts = flat, counts
        self.starts = np.concatenate(([0], np.cumsum(counts)))

    @cached_property
    def lists(self) -> list[tuple[int, ...]]:
        """The same, step by step."""
        flat = self.flat.tolist()
        return [tuple(flat[start:end]) for start, end in pairwise(self.starts.tolist())]

    def chosen(self, kept: np.ndarray, now: np.ndarray) -> Operands:
        """Return those of the steps that are kept, each as what it is now."""
        if kept.all():
            return Operands(now[self.flat], self.counts)
        return Operands(now[self.flat[np.repeat(kept, self.counts)]], self.counts[kept])

    def joined(self, join: np.ufunc, of: np.ndarray) -> np.ndarray:
        """Return for each step what joins values, one ``of`` each operand."""
        return np.asarray(join.reduceat(of, self.starts[:-1])) if len(self.counts) else of[:0]
