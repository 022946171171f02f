"""A sweep with many adjoints at a time, the members of a batch: where they need different ways, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dualnumbers.forms import shape
from dualnumbers.levels import level_of
from dualnumbers.numbers.batch import BatchNumber, batch
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.shaping import stack
from dualnumbers.several import each
from dualnumbers.table.dispatch import leading

from .wengert import Tape


def are_batches(seeds: dict[int, Any]) -> bool:
    """Return whether many adjoints are swept at a time."""
    return any(isinstance(seed, BatchNumber) for seed in seeds.values())


def one_after_the_other(swept: Callable[..., Any], tape: Tape, seeds: dict[int, Any], keep: bool) -> list[Any]:
    """Sweep, as the function ``swept`` does, with one member of a batch after the other: each has zeros of its own."""
    leader = leading(seeds.values())
    level, runs = leader.level, []
    for place in range(shape(leader.data)[0]):
        member = {line: getitem(g.data, place) if level_of(g) is level else g for line, g in seeds.items()}
        runs.append(swept(tape, member, keep)[0])
    return [
        None if found[0] is None else each(lambda *members: batch(stack(*members, 0), level), *found)
        for found in zip(*runs, strict=True)
    ]
