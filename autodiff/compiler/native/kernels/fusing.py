"""Instructions are joined to kernels: one loop over elements for as many instructions as may share it.

An instruction may stand in the kernel of what it reads where it reads each element in the round in which that was made;
what reads other elements, or a sum, comes in a later kernel.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..instructions.areas import Address
from ..instructions.instruction import CALLS, SYSTEMS, Group, Instruction, Repeat, Scan, lines_of
from ..instructions.uses import Uses, first_of, moving_in, note

LONGEST = 400
"""About how many nodes a kernel has at most."""


class Node(NamedTuple):
    """A value of each round of a kernel: a form of other nodes and numbers, or what is loaded from an address."""

    form: str
    operands: tuple[int | float, ...]
    kind: str
    """The kind of the operands; of a load, that of the value."""
    address: Address | None = None
    raises: bool = False
    step: int = -1
    """The number of the program's step that it is part of."""


class Store(NamedTuple):
    """Where the values of a node go, and how they are joined with what is there."""

    node: int
    address: Address
    fold: str


class Kernel:
    """Loops over a shape with a straight body."""

    def __init__(self, shape: tuple[int, ...], sequential: bool = False) -> None:
        self.shape, self.sequential = shape, sequential
        self.rounds, self.loop = 1, -1
        """How often it runs, with the neighbours of the same loop."""
        self.is_shared = False
        """Whether rounds of its outermost loop may be run at a time, by several threads."""
        self.nodes: list[Node] = []
        self.stores: list[Store] = []
        self.known: dict[Address, int] = {}
        """The nodes whose values are now at addresses."""

    def load(self, address: Address, step: int = -1) -> int:
        """Return the node of the values at an address."""
        if address not in self.known:
            self.nodes.append(Node("load", (), address.kind, address, False, step))
            self.known[address] = len(self.nodes) - 1
        return self.known[address]

    def add(self, one: Instruction) -> None:
        """Append an instruction."""
        operands = tuple(self.load(x, one.step) if isinstance(x, Address) else x for x in one.operands)
        self.nodes.append(Node(one.form, operands, one.of, None, one.raises, one.step))
        self.stores.append(Store(len(self.nodes) - 1, one.out, one.fold))
        if self.sequential:  # what is read by another step may be what was written now
            known = self.known.items()
            self.known = {x: k for x, k in known if x.space != one.out.space or _are_apart(x, one.out)}
        if not one.fold:
            self.known[one.out] = len(self.nodes) - 1

    @property
    def is_call(self) -> bool:
        """Return whether a library computes it: its last node, of what the others load."""
        return bool(self.nodes) and self.nodes[-1].form in CALLS

    def spaces(self) -> set[int]:
        """Return the numbers of the spaces that it loads from or stores to."""
        return self.reads() | {store.address.space for store in self.stores}

    def reads(self) -> set[int]:
        """Return the numbers of the spaces that it loads from."""
        loaded = {address.space for address in self.addresses() if address.kind == "i8"}
        loaded |= {node.address.space for node in self.nodes if node.address is not None}
        return loaded | {store.address.space for store in self.stores if store.fold}

    def addresses(self) -> list[Address]:
        """Return where it loads and stores, and where the places of these are."""
        found = [node.address for node in self.nodes if node.address is not None]
        found += [store.address for store in self.stores]
        return [*(x.places for x in found if x.places is not None), *found]


def elements(x: Address, shape: tuple[int, ...]) -> tuple[object, ...] | None:
    """Return which elements an address leads to along loops, each once; None where that is not known."""
    loops: list[list[int]] = []
    for stride, n in sorted((stride, n) for stride, n in zip(x.strides, shape, strict=True) if n > 1):
        before = loops[-1] if loops else [1, 1]
        if stride < before[0] * before[1]:
            return None
        if stride == before[0] * before[1] and loops:
            before[1] *= n
        else:
            loops.append([stride, n])
    return None if x.places is not None else (x.space, x.offset, x.round, *map(tuple, loops))


def _are_apart(one: Address, other: Address) -> bool:
    """Return whether two addresses in one space are of different elements in each round, or of the same in all."""
    return one.strides == other.strides and one.places is None and other.places is None


def fuse(instructions: Sequence[Group], moving: frozenset[int] = frozenset()) -> list[Kernel]:
    """Return the kernels of instructions, in the order in which they run; ``moving`` are as of `moving_in`."""
    kernels: list[Kernel] = []
    of_shape: dict[tuple[int, ...], list[int]] = {}
    uses: dict[int, Uses] = {}
    for group in _with_starts_first(instructions):
        lines = lines_of(group)
        if isinstance(group, Repeat):
            inner = fuse(lines, moving_in(lines))
            for kernel in inner:
                kernel.rounds, kernel.loop = group.rounds, len(kernels)
            kernels += inner
            note(lines, len(kernels) - 1, uses, moving, whole=True)
            continue
        first = max(first_of(one, uses, moving) for one in lines)
        shape, place = lines[0].shape, -1
        places = of_shape.setdefault(shape, [])
        is_open = isinstance(group, Instruction) and group.form not in CALLS
        if is_open:
            place = next((k for k in places[bisect_left(places, first) :] if len(kernels[k].nodes) < LONGEST), -1)
        if place < 0:
            place = len(kernels)
            kernels.append(Kernel(shape, isinstance(group, Scan)))
            if is_open:
                places.append(place)
        for one in lines:
            kernels[place].add(one)
        note(lines, place, uses, moving)
    return kernels


def _with_starts_first(instructions: Sequence[Group]) -> list[Group]:
    """Return instructions with what folds begin with in front, so that a fold may join the kernel of what it reads."""
    touching: dict[int, list[int]] = {}
    for at, group in enumerate(instructions):
        for line in lines_of(group):
            for x in (line.out, *line.operands):
                if isinstance(x, Address) and touching.setdefault(x.space, [at])[-1] != at:
                    touching[x.space].append(at)

    def is_start(at: int) -> bool:
        one = instructions[at]
        if not isinstance(one, Instruction) or one.form != "same" or one.fold or isinstance(one.operands[0], Address):
            return False
        first, *others = touching[one.out.space]
        then = instructions[others[0]] if others else one
        return first == at and isinstance(then, Instruction) and bool(then.fold) and then.form not in CALLS

    starts = set(filter(is_start, range(len(instructions))))
    return [
        *(instructions[at] for at in sorted(starts)),
        *(group for at, group in enumerate(instructions) if at not in starts),
    ]


def without_unread(kernels: list[Kernel], kept: set[int]) -> list[Kernel]:
    """Leave out stores that nothing reads, of spaces that are not kept, and the nodes that no store needs then."""
    while True:
        read = set().union(kept, *(kernel.reads() for kernel in kernels))
        count = sum(len(kernel.nodes) + len(kernel.stores) for kernel in kernels)
        for kernel in kernels:
            _leave_out(kernel, read)
        kernels = [kernel for kernel in kernels if kernel.stores or any(node.raises for node in kernel.nodes)]
        if count == sum(len(kernel.nodes) + len(kernel.stores) for kernel in kernels):
            return kernels


def _leave_out(kernel: Kernel, read: set[int]) -> None:
    last = {store.address: k for k, store in enumerate(kernel.stores)}
    stores = [
        store
        for k, store in enumerate(kernel.stores)
        if store.address.space in read and (store.fold or kernel.sequential or last[store.address] == k)
    ]
    needed = {store.node for store in stores}
    for k, node in reversed(list(enumerate(kernel.nodes))):
        if k in needed or node.raises:
            needed.update((k, *(x for x in node.operands if isinstance(x, int))))
    now = {k: number for number, k in enumerate(sorted(needed))}
    kernel.nodes = [
        node._replace(operands=tuple(now[x] if isinstance(x, int) else x for x in node.operands))
        for k, node in enumerate(kernel.nodes)
        if k in needed
    ]
    kernel.stores = [store._replace(node=now[store.node]) for store in stores]


def collapsed(kernel: Kernel) -> None:
    """Make one loop of two where every address goes on from the end of a row to the beginning of the next.

    The loops of systems have their meaning by their order, and stay.
    """
    if kernel.is_call and kernel.nodes[-1].form in SYSTEMS:
        return
    addresses = kernel.addresses()
    loops = [k for k, n in enumerate(kernel.shape) if n > 1]
    groups: list[list[int]] = []
    for k in loops:
        goes_on = groups and all(a.strides[groups[-1][-1]] == a.strides[k] * kernel.shape[k] for a in addresses)
        if goes_on:
            groups[-1].append(k)
        else:
            groups.append([k])

    def moved(a: Address) -> Address:
        return a._replace(strides=tuple(a.strides[group[-1]] for group in groups))

    shape = kernel.shape
    kernel.shape = tuple(int(np.prod([shape[k] for k in group])) for group in groups)
    kernel.nodes = [
        node._replace(address=node.address.along_with(moved)) if node.address else node for node in kernel.nodes
    ]
    kernel.stores = [store._replace(address=store.address.along_with(moved)) for store in kernel.stores]
