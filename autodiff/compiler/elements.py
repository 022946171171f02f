"""Elements that rounds of loops read of an array, when rounds are left out: those behind read the ones beside.

So the loop goes through the array by a stride, as it does when it goes on over all rounds (`native.loops.elements`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .cuts import NEAR, Cut
from .indices import apart, with_numbers
from .program import Program

Numbers = tuple[int, ...]


def moved(program: Program, cuts: Sequence[Cut]) -> tuple[dict[int, tuple[Any, ...]], np.ndarray]:
    """Return the parameters of steps that read other elements when rounds are left out, and the kinds of all steps.

    Those that read the same element are of one kind as long as they do so when no round is left out: where two indices
    are equal only now, the elements are not one.
    """
    statics, kinds = dict[int, tuple[Any, ...]](), program.kinds.copy()
    bases, known = _bases(cuts), dict[Any, int]()
    for k, cut in enumerate(cuts):
        for place, moving in cut.moving.items():
            for now, once in enumerate(cut.once(np.arange(cut.kept)).tolist()):
                at = cut.run.start + once * cut.run.period + place
                static, numbers = program.statics[at], moving.at(now)
                if apart(static) != (moving.form, moving.at(once)):
                    continue  # a round at an end that is different
                if now != once:
                    statics[at] = with_numbers(static, numbers)
                key = cut.gap, cut.at, bases[k, place], moving.form, moving.step, numbers
                kinds[at] = known.setdefault(key, len(program) + len(known))
    return statics, kinds


def _bases(cuts: Sequence[Cut]) -> dict[tuple[int, int], Numbers]:
    """Return for each cut and place what is equal for steps that read what others read in the same or the next rounds.

    One that reads what another one reads many rounds later would be before what was left out, and that one behind.
    """
    alike: dict[Any, list[tuple[Numbers, tuple[int, int]]]] = {}
    for k, cut in enumerate(cuts):
        for place, moving in cut.moving.items():
            alike.setdefault((cut.gap, cut.at, moving.form, moving.step), []).append((moving.first, (k, place)))
    found: dict[tuple[int, int], Numbers] = {}
    for (_, _, _, step), those in alike.items():
        near = set[Numbers]()
        start: Numbers = ()
        for first, where in sorted(those):
            if first not in near:
                start = first
                near = {tuple([x + n * by for x, by in zip(start, step, strict=True)]) for n in range(-NEAR, NEAR + 1)}
            found[where] = start
    return found
