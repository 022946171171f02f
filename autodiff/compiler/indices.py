"""Indices that go on evenly from round to round of a loop, as those of ``x[i]``, ``x[n - 1 - i]``, ``x[i:i + 3]``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .keys import key_of


class Along(NamedTuple):
    """What indices are besides their whole numbers; these in the first round, and by how much they grow in each."""

    form: Any
    first: tuple[int, ...]
    step: tuple[int, ...]

    def at(self, round_: int) -> tuple[int, ...]:
        """Return the numbers in a round."""
        return tuple([x + round_ * by for x, by in zip(self.first, self.step, strict=True)])


def apart(index: Any) -> tuple[Any, tuple[int, ...]]:
    """Return what an index is besides its whole numbers, and these."""
    if type(index) is tuple and len(index) == 1 and type(index[0]) is int:
        return int, index
    numbers: list[int] = []

    def form(x: Any) -> Any:
        if type(x) is int:
            numbers.append(x)
            return int
        if type(x) is tuple:
            return tuple, *map(form, x)
        if type(x) is slice:
            return slice, form(x.start), form(x.stop), key_of(x.step)
        return key_of(x)

    found = form(index)
    return found, tuple(numbers)


def with_numbers(index: Any, numbers: Sequence[int]) -> Any:
    """Return an index with other whole numbers in it."""
    left = iter(numbers)
    return _with(index, left)


def _with(x: Any, left: Iterator[int]) -> Any:
    if type(x) is int:
        return next(left)
    if type(x) is tuple:
        return tuple([_with(part, left) for part in x])
    if type(x) is slice:
        return slice(_with(x.start, left), _with(x.stop, left), x.step)
    return x


def along(indices: Sequence[Any], first: int) -> Along | None:
    """Return how the indices of rounds, from one on, go on; None where they do not, or some count from the end."""
    forms, numbers = zip(*map(apart, indices), strict=True)
    if any(form != forms[0] for form in forms):
        return None
    table = np.array(numbers, np.int64).reshape(len(indices), -1)
    steps = np.diff(table, axis=0)
    step = steps[0]
    moved = table[:, step != 0] < 0
    if (steps != step).any() or (moved != moved[0]).any():
        return None
    return Along(forms[0], tuple((table[0] - first * step).tolist()), tuple(step.tolist()))
