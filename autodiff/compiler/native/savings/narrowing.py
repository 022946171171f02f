"""What is read in no other round than it was written in needs room for one round, which stays in the cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..instructions.areas import Address
from ..instructions.instruction import Block, Group, Instruction, Repeat, lines_of
from ..instructions.uses import span_of

Touch = tuple[Address, tuple[int, ...]]
"""Where an instruction reads or writes, and along which loops."""


def narrowed(block: Block, groups: Sequence[Group], kept: set[int]) -> list[Group]:
    """Return groups that use less memory; spaces that are kept or given stay as they are."""
    given = {space.number for space in (*block.given.values(), *block.offered.values(), *block.tables)}
    touching: dict[int, list[int]] = {}
    for at, group in enumerate(groups):
        for x, _ in _touched(lines_of(group)):
            if touching.setdefault(x.space, [at])[-1] != at:
                touching[x.space].append(at)
    found = dict(enumerate(groups))
    for space, places in touching.items():
        group = groups[places[-1]]
        if space in kept | given or not isinstance(group, Repeat):
            continue
        fills = [groups[at] for at in places[:-1]]
        starts = [one for one in fills if isinstance(one, Instruction) and _is_fill(one, group.rounds)]
        now = found[places[-1]]
        assert isinstance(now, Repeat)
        if len(starts) == len(fills) and _is_of_a_round(group, starts, space):
            first = [one._replace(out=_first(one.out), shape=one.shape[1:]) for one in starts]
            lines = tuple(_within(line, space) for line in now.lines)
            found[places[-1]] = now._replace(lines=(*first, *lines))
            for at in places[:-1]:
                del found[at]
            own = block.spaces[space]
            size = 1 + int(
                max(span_of(x, n, frozenset()).high for x, n in _touched((*first, *lines)) if x.space == space)
            )
            own.array = np.empty(size, own.array.dtype)
    return list(found.values())


def _touched(lines: Sequence[Instruction]) -> list[Touch]:
    found = [(x, line.shape) for line in lines for x in (line.out, *line.operands) if isinstance(x, Address)]
    return [*found, *((x.places, shape) for x, shape in found if x.places is not None)]


def _is_fill(one: Instruction, rounds: int) -> bool:
    """Return whether an instruction writes a number to a space in each of some rounds."""
    plain = one.form == "same" and not isinstance(one.operands[0], Address) and not (one.fold or one.raises)
    return plain and one.out.places is None and one.shape[:1] == (rounds,)


def _is_of_a_round(group: Repeat, starts: Sequence[Instruction], space: int) -> bool:
    """Return whether a round touches elements of a space of its own, which all lie beside each other."""
    touched = [(x, shape) for x, shape in _touched(group.lines) if x.space == space]
    steps = {x.round for x, _ in touched} | {one.out.strides[0] for one in starts}
    if len(steps) > 1 or any(x.places is not None for x, _ in touched):
        return False
    (step,) = steps
    spans = [span_of(x, shape, frozenset()) for x, shape in touched]
    spans += [span_of(_first(one.out), one.shape[1:], frozenset()) for one in starts]
    return max(x.high for x in spans) - min(x.low for x in spans) < abs(step)


def _first(x: Address) -> Address:
    """Return where an address leads in the first round of its outermost loop."""
    return x._replace(strides=x.strides[1:])


def _within(line: Instruction, space: int) -> Instruction:
    """Return an instruction whose addresses in a space do not go on from round to round."""

    def still(x: Address) -> Address:
        return x._replace(round=0) if x.space == space else x

    operands = tuple(still(x) if isinstance(x, Address) else x for x in line.operands)
    return line._replace(operands=operands, out=still(line.out))
