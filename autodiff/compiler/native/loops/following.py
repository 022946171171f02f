"""What goes over large arrays that a loop has given, one a round, is done in the loop, while each is in the cache.

The sweep of a simulation goes round by round, and each round's adjoints times a state are summed up: that could be
done for all rounds at once, when they have all been written to memory, and have left the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import CHEAP, Instruction, read_by
from .dependence import Group

LARGE = 1 << 14
"""From how many bytes in a round on an array is better read when it has just been written."""


def following(groups: Sequence[Group], lines: Sequence[Instruction]) -> list[Group]:
    """Return groups of lines of a loop with lines that need not go round by round in the group that they follow."""
    found: list[Group] = []
    for group in _with_fills_first(groups, lines):
        host = -1 if group.cyclic else _host(found, lines, lines[group.members[0]])
        if host < 0:
            found.append(group)
        else:
            members = sorted([*found[host].members, *group.members])
            found[host] = Group(members, True)
    return found


def _with_fills_first(groups: Sequence[Group], lines: Sequence[Instruction]) -> list[Group]:
    """Return groups with what fills new arrays with a number in front of the others."""
    fills, others, touched = list[Group](), list[Group](), set[int]()
    for group in groups:
        spaces = {x.space for k in group.members for x in (lines[k].out, *read_by(lines[k]))}
        is_fill = not group.cyclic and not read_by(lines[group.members[0]]) and not spaces & touched
        (fills if is_fill else others).append(group)
        touched |= spaces
    return [*fills, *others]


def _host(groups: Sequence[Group], lines: Sequence[Instruction], line: Instruction) -> int:
    """Return the place of the group that a line is to be part of, which writes large arrays that it reads; or -1."""
    read = {x.space for x in read_by(line) if _size(x, line) >= LARGE}
    touched = {x.space for x in (line.out, *read_by(line))}
    for at in range(len(groups) - 1, -1, -1) if read and line.form in CHEAP else ():
        members = [lines[k] for k in groups[at].members]
        written = {one.out.space for one in members}
        if groups[at].cyclic and read & written:
            return at if any(len(one.shape) > 1 for one in members) else -1
        if touched & written or line.out.space in {x.space for one in members for x in read_by(one)}:
            return -1
    return -1


def _size(x: Address, line: Instruction) -> int:
    """Return how many bytes are read at an address in a round."""
    return prod(n for n, s in zip(line.shape[1:], x.strides[1:], strict=True) if s) * DTYPES[x.kind].itemsize
