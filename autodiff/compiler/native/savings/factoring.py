"""Sums of products with one number, Σ tᵢ s, where Σ tᵢ is there: it is s Σ tᵢ, without a pass over the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..instructions.areas import Address
from ..instructions.instruction import Group, Instruction, lines_of


class _Sum(NamedTuple):
    """A sum over some loops that is written at once, behind what it begins with."""

    start: int
    at: int
    line: Instruction

    @property
    def kept(self) -> tuple[int, ...]:
        """The loops that it does not sum over."""
        return tuple(k for k, stride in enumerate(self.line.out.strides) if stride)

    def along(self, x: Address) -> Address:
        """Return an address along the loops that it does not sum over."""
        return x._replace(strides=tuple(x.strides[k] for k in self.kept))


def factored(groups: Sequence[Group]) -> list[Group]:
    """Return groups that give the same, with a product in the place of each sum of products with one number."""
    writers: dict[int, list[int]] = {}
    for at, group in enumerate(groups):
        for line in lines_of(group):
            writers.setdefault(line.out.space, []).append(at)
    known: dict[tuple[object, ...], _Sum] = {}
    found: dict[int, list[Group]] = {}
    for at, group in enumerate(groups):
        one = _sum(groups, at, group, writers)
        if one is None:
            continue
        (x,) = one.line.operands
        assert isinstance(x, Address)
        known.setdefault((x, one.line.shape, one.kept), one)
        scaled = _scaled(groups, one, x, writers, known)
        if scaled is not None:
            found |= {one.start: [], at: [scaled]}
    return [one for at, group in enumerate(groups) for one in found.get(at, (group,))]


def _sum(groups: Sequence[Group], at: int, group: Group, writers: dict[int, list[int]]) -> _Sum | None:
    """Return a group as a sum of elements, if it is one."""
    if not isinstance(group, Instruction) or group.form != "same" or group.fold != "add" or group.out.places:
        return None
    (x,), places = group.operands, writers[group.out.space]
    if not isinstance(x, Address) or x.places or x.kind != group.out.kind or x.kind == "b1":
        return None
    start = groups[places[0]]
    is_zero = isinstance(start, Instruction) and start.form == "same" and start.operands == (0.0,) and not start.fold
    return _Sum(places[0], at, group) if len(places) == 2 and places[1] == at and is_zero else None


def _scaled(
    groups: Sequence[Group], one: _Sum, x: Address, writers: dict[int, list[int]], known: dict[tuple[object, ...], _Sum]
) -> Instruction | None:
    """Return the product that a sum is, where what it sums are products with one number, whose own sum is known."""
    source = groups[writers[x.space][0]] if len(writers.get(x.space, ())) == 1 else None
    if not isinstance(source, Instruction) or source.form != "multiply" or source.fold or source.out != x:
        return None
    if source.shape != one.line.shape or source.of != x.kind or writers[x.space][0] > one.at:
        return None
    for t, s in (source.operands, source.operands[::-1]):
        other = known.get((t, source.shape, one.kept))
        if other is None or (isinstance(s, Address) and not _is_one(s, one)):
            continue
        assert isinstance(t, Address)
        if len(writers.get(t.space, ())) > 1:
            return None
        factor = one.along(s) if isinstance(s, Address) else s
        shape = tuple(one.line.shape[k] for k in one.kept)
        total, out = other.along(other.line.out), one.along(one.line.out)
        return Instruction("scaled", (total, factor), out, shape, x.kind, raises=True)
    return None


def _is_one(s: Address, one: _Sum) -> bool:
    """Return whether a number is the same for all that is summed together."""
    return not s.places and not any(stride for k, stride in enumerate(s.strides) if k not in one.kept)
