"""A run of instructions laid out as a loop: its values in memory round after round, a line for all rounds at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import Block, Group, Instruction, Repeat, Scan
from ..instructions.uses import Access
from . import dependence
from .beside import together
from .columns import Columns
from .following import following
from .periods import Run


class Unfit(Exception):  # noqa: N818
    """A run cannot be a loop: an operand goes through memory by no stride."""


class Table(NamedTuple):
    """Which line reads a table, and what it is made of: constants, or parts of them, in loops of a shape."""

    line: int
    places: Sequence[Address]
    shape: tuple[int, ...]

    def of(self, constants: Sequence[np.ndarray]) -> np.ndarray:
        """Return the table of other constants, of which the same parts are read."""
        return np.stack([_part(x, self.places[0], self.shape) for x in constants])


class Roller(Protocol):
    """What a loop asks about the instructions that it is part of."""

    block: Block
    lines: list[Instruction]
    columns: Columns
    kept: np.ndarray
    """Whether a space is an argument or a result of the block."""


def _part(x: np.ndarray, where: Address, shape: tuple[int, ...]) -> np.ndarray:
    """Return what is read of a constant; what is broadcast is there once."""
    flat, kept = x.reshape(-1)[where.offset :], [n if s else 1 for n, s in zip(shape, where.strides, strict=True)]
    return as_strided(flat, kept, [s * flat.itemsize for s in where.strides])


def larger_of(shape: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that holds the other; Unfit where neither does."""
    for inner, outer in ((other, shape), (shape, other)):
        if all(m <= n for m, n in zip(inner, outer, strict=True)):
            return outer
    raise Unfit


class Loop:
    """A run, laid out; ``anywhere``: its lines may read and write at places that no stride leads through."""

    def __init__(self, roller: Roller, run: Run, anywhere: bool = False) -> None:
        self.roller, self.run, self.block, self.anywhere = roller, run, roller.block, anywhere
        self.at = np.arange(run.start, run.start + run.period * run.rounds).reshape(run.rounds, run.period)
        """The instructions, for each round and each line of the period."""
        columns = roller.columns
        self.outs = columns.spaces[self.at, 0]
        sizes = columns.sizes[self.outs]
        self.sizes: list[int] = sizes[0].tolist()
        """For each line of the period how much room a round has."""
        self.own = (self._is_own() & (sizes == sizes[0])).all(0)
        """Which lines of the period are laid out anew."""
        self.space, self.offset = columns.space.copy(), columns.offset.copy()
        """Where the values of all spaces are then; of those that are laid out anew the space is ``~line``."""
        ahead = np.arange(1, run.rounds + 1)[:, None] * sizes[0]
        self.space[self.outs[:, self.own]] = ~np.flatnonzero(self.own)
        self.offset[self.outs[:, self.own]] = ahead[:, self.own]
        self.starts: dict[int, dict[Address, tuple[Address, tuple[int, ...]]]] = {}
        """For each column what is to be in front of its first round: where, from where, and in which shape."""
        self.tables: dict[int, Table] = {}
        """By their spaces the tables that were made of other constants in each round."""
        self.rolled = [self._line(k) for k in range(run.period)]
        self.laid = self._laid_out()
        """The lines that are laid out anew, and the spaces of their values in all rounds."""
        self.before = self._starts()
        """What is to be done before the loops."""
        self.loops = list(self._in_order([with_addresses(line, self._now) for line in self.rolled]))
        """The loops, in an order in which each finds what it reads."""

    def _is_own(self) -> np.ndarray:
        """Return whether an instruction is the first to write to a space to which only its round writes."""
        roller, columns = self.roller, self.roller.columns
        is_first, ends = columns.first[self.outs] == self.at, self.at[:, :1] + self.run.period
        return np.asarray(is_first & (columns.last[self.outs] < ends) & ~roller.kept[self.outs])

    def _line(self, k: int) -> Instruction:
        """Return a line as one over all rounds."""
        line = self.roller.lines[self.run.start + k]
        operands = tuple(
            self._through(k, q) if isinstance(x, Address) else self._numbers(k, q, line.shape)
            for q, x in enumerate(line.operands, 1)
        )
        return line._replace(operands=operands, out=self._through(k, 0), shape=(self.run.rounds, *line.shape))

    def _through(self, k: int, q: int) -> Address:
        """Return where a line reads by an operand, or writes, in all rounds: q = 0 is the result.

        What the first round reads may be put where it is expected.
        """
        columns, at, shape = self.roller.columns, self.at[:, k], self.roller.lines[self.run.start + k].shape
        spaces = columns.spaces[at, q]
        offsets = columns.offsets[at, q] + self.offset[spaces]
        spaces = self.space[spaces]
        (first, second), step = self._addresses(at[:2], q, spaces, offsets), int(offsets[2] - offsets[1])
        is_one, goes_on = bool((spaces == spaces[0]).all()), np.diff(offsets) == step
        every = self._addresses(at, q, spaces, offsets) if columns.has_places[q] else []
        if is_one and goes_on.all():
            return first._replace(strides=(step, *first.strides), places=self._chosen(k, every, shape))
        is_plain = not any(x.places for x in every)
        if is_plain and first.space in self.block.known and set(spaces.tolist()) <= self.block.known.keys():
            return self._table(k, every or self._addresses(at, q, spaces, offsets), shape)
        if is_plain and is_one and self.anywhere and first.space >= 0:
            table = self.block.table(offsets.reshape(-1, *(1 for _ in shape)))
            return first._replace(offset=0, strides=(0, *first.strides), places=table.along((len(at), *shape)))
        if not (goes_on[1:].all() and (spaces[1:] == second.space).all() and second.space < 0):
            raise Unfit
        if step != self.sizes[~second.space] or not step <= second.offset < 2 * step:
            raise Unfit
        before = second._replace(offset=second.offset - step, places=first.places)
        self._start(before, first, shape)
        return before._replace(strides=(step, *second.strides), places=self._chosen(k, every, shape))

    def _addresses(self, at: np.ndarray, q: int, spaces: np.ndarray, offsets: np.ndarray) -> list[Address]:
        """Return where lines read by an operand, or write, when their values are laid out."""
        lines = map(self.roller.lines.__getitem__, at.tolist())
        taken: Any = [line.operands[q - 1] if q else line.out for line in lines]
        places = zip(taken, spaces.tolist(), offsets.tolist(), strict=False)
        return [x._replace(space=space, offset=offset) for x, space, offset in places]

    def _chosen(self, k: int, places: list[Address], shape: tuple[int, ...]) -> Address | None:
        """Return where the places of elements are in all rounds."""
        tables = [x.places for x in places if x.places is not None]
        if len(set(tables)) > 1:
            return self._table(k, tables, shape)
        return tables[0]._replace(strides=(0, *tables[0].strides)) if tables else None

    def _table(self, k: int, places: list[Address], shape: tuple[int, ...]) -> Address:
        """Return constants, one for each round, as one array."""
        area = self.block.table(np.stack([_part(self.block.known[x.space], x, shape) for x in places]))
        self.tables[area.space.number] = Table(k, places, shape)
        return area.along((len(places), *shape))

    def _start(self, before: Address, first: Address, shape: tuple[int, ...]) -> None:
        """Note that what the first round reads is to be in front of a column, as part of one array."""
        starts = self.starts.setdefault(~before.space, {})
        other, known = starts.get(before, (first, shape))
        if other != first:  # two operands, which differ in the first round
            raise Unfit
        starts[before] = first, larger_of(shape, known)
        if first.space < 0 or first.strides != before.strides:
            raise Unfit
        if len({(x.space, x.offset - to.offset) for to, (x, _) in starts.items()}) > 1:
            raise Unfit

    def _numbers(self, k: int, q: int, shape: tuple[int, ...]) -> Address | float:
        """Return the numbers of an operand in all rounds: one, or a table of them."""
        values = self.roller.columns.numbers[self.at[:, k], q]
        bits = values.view(np.int64)
        if (bits == bits[0]).all():
            return float(values[0])
        table = self.block.table(values)
        return Address(table.space.number, table.kind, 0, (1, *(0 for _ in shape)))

    # ------------------------------------------------------------------------------------------------- instructions

    def _laid_out(self) -> dict[int, int]:
        """Make the spaces of the lines that are laid out anew."""
        spaces = {}
        for k in np.flatnonzero(self.own).tolist():
            dtype = DTYPES[self.rolled[k].out.kind]
            spaces[k] = self.block.space(((self.run.rounds + 1) * self.sizes[k],), dtype).space.number
            self.space[self.outs[:, k]] = spaces[k]
        return spaces

    def _now(self, x: Address) -> Address:
        """Return an address in the space that was made for it."""
        return x._replace(space=self.laid[~x.space]) if x.space < 0 else x

    def _starts(self) -> list[Group]:
        """Return what puts the values that first rounds read in front of these."""
        return [
            Instruction("same", (start,), self._now(to), shape, start.kind)
            for starts in self.starts.values()
            for to, (start, shape) in starts.items()
        ]

    def _in_order(self, lines: list[Instruction]) -> Iterable[Group]:
        accesses = [_accesses(k, line, self.block.known) for k, line in enumerate(lines)]
        groups = dependence.components(len(lines), [one for each in accesses for one in each], self.run.rounds)
        groups = following(together(groups, lines), lines)
        for is_scan, beside in groupby(groups, lambda group: self._is_scan(group, lines)):
            if is_scan:  # those beside each other are one: while one line waits for its last round, another goes on
                yield Scan(tuple(lines[k] for k in sorted(k for group in beside for k in group.members)))
                continue
            for group in beside:
                joined = self._joined(group.members, lines) if group.cyclic else [lines[group.members[0]]]
                if joined is not None:
                    yield from joined
                else:
                    yield Repeat(tuple(_in_a_round(lines[k]) for k in group.members), self.run.rounds)

    def _is_scan(self, group: dependence.Group, lines: list[Instruction]) -> bool:
        """Return whether a group goes round by round over single numbers, and is no sum."""
        is_of_numbers = all(len(lines[k].shape) == 1 and not lines[k].fold for k in group.members)
        return group.cyclic and is_of_numbers and self._joined(group.members, lines) is None

    def _joined(self, members: list[int], lines: list[Instruction]) -> list[Instruction] | None:
        """Return a line that adds to what it gave in the round before as a sum; None if it is none."""
        if len(members) > 1 or lines[members[0]].form not in ("add", "maximum", "minimum") or lines[members[0]].fold:
            return None
        (k,) = members
        line = lines[k]
        if line.out.places is not None:
            return None
        step = line.out.strides[0]
        before = line.out._replace(offset=line.out.offset - step)
        if len(line.shape) > 1 or before not in line.operands:
            return None
        others = [x for x in line.operands if x != before]
        if len(others) != 1 or (isinstance(others[0], Address) and others[0].space == line.out.space):
            return None
        last = line.out._replace(offset=line.out.offset + step * (self.run.rounds - 1), strides=())
        if step:
            if (self.roller.columns.reads[self.outs[:-1, k]] != 1).any():
                return None
            start = Instruction("same", (before._replace(strides=()),), last, (), line.of, step=line.step)
        else:
            start = None
        out = last._replace(strides=(0,))
        total = Instruction("same", tuple(others), out, line.shape, line.of, line.form, step=line.step)
        return [total] if start is None else [start, total]


def with_addresses(line: Instruction, change: Callable[[Address], Address]) -> Instruction:
    """Return an instruction with other addresses."""
    operands = tuple(change(x) if isinstance(x, Address) else x for x in line.operands)
    return line._replace(operands=operands, out=change(line.out))


def _in_a_round(line: Instruction) -> Instruction:
    """Return what a line over all rounds does in one."""

    def one(x: Address) -> Address:
        return x._replace(strides=x.strides[1:], round=x.strides[0])

    return with_addresses(line, lambda x: x.along_with(one))._replace(shape=line.shape[1:])


def _accesses(k: int, line: Instruction, known: dict[int, np.ndarray]) -> list[Access]:
    """Return what a line reads and writes, along the rounds; of elements at places, what it may."""
    found = []
    for x, writes in [(line.out, True), *((x, False) for x in line.operands if isinstance(x, Address))]:
        step, *inner = x.strides
        ends = [(n - 1) * s for n, s in zip(line.shape[1:], inner, strict=True)]
        low, high = sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends)
        adds = (line.form == "add" and x == line.out and line.out in line.operands) or (writes and line.fold == "add")
        if x.places is not None:
            numbers, ahead = known[x.places.space], step * (line.shape[0] - 1)
            low, high = low + int(numbers.min()) + min(ahead, 0), high + int(numbers.max()) + max(ahead, 0)
            step = 0
        found.append(Access(k, x.space, x.offset + low, x.offset + high, step, writes, adds))
    if line.fold:
        found.append(found[0]._replace(writes=False))
    return found
