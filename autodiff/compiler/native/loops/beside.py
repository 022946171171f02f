"""Instructions whose forms share work stand beside each other: the sine and the cosine of one angle.

A gradient takes the cosine when the sine has long been computed, and in another loop. Beside it, it costs little.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ..instructions.areas import Address
from ..instructions.instruction import Group, Instruction
from . import dependence

SHARING = {"sin": "angle", "cos": "angle", "tanh": "decay", "sech": "decay", "erf": "bell", "gaussian": "bell"}
"""Forms, and what they have in common with others, of the same operand."""

Key = tuple[str, Address, tuple[int, ...], str]


def key_of(group: Group) -> Key | None:
    """Return what is the same for instructions that share work; None of others."""
    if not isinstance(group, Instruction) or group.form not in SHARING or group.fold or group.ordered:
        return None
    (x,) = group.operands
    return (SHARING[group.form], x, group.shape, group.of) if isinstance(x, Address) and not x.places else None


def beside(lines: Sequence[Instruction]) -> list[Instruction]:
    """Return instructions with each behind the first one that it shares work with, if what they read stays as it is."""
    if sum(line.form in SHARING for line in lines) < 2:
        return list(lines)
    writes: dict[int, list[int]] = {}
    uses: dict[int, int] = {}
    for at, line in enumerate(lines):
        writes.setdefault(line.out.space, []).append(at)
        for x in (line.out, *line.operands):
            if isinstance(x, Address):
                uses.setdefault(x.space, at)
    first: dict[Key, int] = {}
    place = list(range(len(lines)))
    for at, line in enumerate(lines):
        key = key_of(line)
        if key is None:
            continue
        before = first.setdefault(key, at)
        written = writes.get(key[1].space, [])
        is_same = bisect_left(written, before) == bisect_left(written, at)
        if before < at and is_same and uses[line.out.space] == at:
            place[at] = before
        else:
            first[key] = at
    return [lines[at] for at in sorted(range(len(lines)), key=place.__getitem__)]


def together(groups: Sequence[dependence.Group], lines: Sequence[Instruction]) -> list[dependence.Group]:
    """Return groups of lines of a loop with lines that need not go round by round in the group they share work with."""
    found: list[dependence.Group] = []
    known: dict[Key, dependence.Group] = {}
    touched: dict[int, int] = {}
    for k, line in enumerate(lines):
        for x in (line.out, *line.operands):
            if isinstance(x, Address):
                touched.setdefault(x.space, k)
    for group in groups:
        if group.cyclic:
            known |= {key: group for k in group.members if (key := key_of(lines[k])) is not None}
        else:
            (k,) = group.members
            key = key_of(lines[k])
            if key in known and touched[lines[k].out.space] == k:
                known[key].members.append(k)
                known[key].members.sort()
                continue
        found.append(group)
    return found
