"""How a block looks at what a function decided by: at truth values, and at whether any part of a value is NaN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from dualnumbers.levels import has_nan

from ...program import Guard
from ..instructions.areas import DTYPES, Area
from ..instructions.instruction import Block
from .complexes import copied


def takes_guard(block: Block, number: int, value: Any, guard: Guard) -> bool:
    """Let a block look at a guard of a step, which gave a value when it was recorded; return whether it can."""
    area = block.areas.get(number)
    if number in block.parts and guard.question is has_nan:
        area = copied(block, block.parts[number], np.shape(value))
    if not isinstance(area, Area):
        return False
    if guard.question is None and type(guard.answer) in (bool, np.bool_) and area.kind == "b1" and not area.shape:
        block.guards.append((block.copy(area, block.space((), DTYPES["b1"])), bool(guard.answer), guard))
        return True
    if guard.question is has_nan and area.kind != "b1":
        flag = block.fill(0.0, block.space((), DTYPES["b1"]))
        spread = flag.viewed(np.broadcast_to, area.shape)
        assert spread is not None
        block.add("isnan", (area,), spread, area.kind, fold="or" if area.shape else "")
        block.guards.append((flag, bool(guard.answer), guard))
        return True
    return False


def side_by_side(guards: Sequence[tuple[Area, bool, Guard]]) -> Iterator[tuple[int, int, Area, bool]]:
    """Yield guards with one answer whose truth values stand one after the other, as those of all rounds of a loop.

    Of each such row the number of the first one, how many they are, where the first value is, and the answer.
    """

    def side(numbered: tuple[int, tuple[Area, bool, Guard]]) -> tuple[int, bool, int]:
        number, (area, answer, _) = numbered
        return area.space.number, answer, area.offset - number

    for _, alike in groupby(enumerate(guards), side):
        (first, (area, answer, _)), *others = alike
        yield first, 1 + len(others), area, answer
