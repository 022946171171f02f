"""What one kernel computes and only another one reads, along the same loops, computed there: it need not be stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import CHEAP, Group
from ..savings.neighbours import LARGE
from ..savings.overlaps import FEW
from ..savings.slicing import SMALLER, reach
from .fusing import LONGEST, Kernel, Node, fuse, without_unread

NEAR = 1 << 10
"""Up to how many elements apart what is loaded is in the cache when it is loaded again."""


def kernels_of(groups: Sequence[Group], kept: set[int]) -> list[Kernel]:
    """Return the kernels of instructions, which store what is read or kept."""
    kernels = without_unread(fuse(groups), kept)
    sunk(kernels, kept)
    return without_unread(kernels, kept)


def sunk(kernels: list[Kernel], kept: set[int]) -> None:
    """Move what only one later kernel reads, and takes a few operations, to where it is read."""
    stores: dict[int, list[int]] = {}
    loads: dict[int, list[int]] = {}
    for k, kernel in enumerate(kernels):
        for store in kernel.stores:
            stores.setdefault(store.address.space, []).append(k)
        for space in kernel.reads():
            loads.setdefault(space, []).append(k)
    for space, (k, *others) in stores.items():
        readers = loads.get(space, [])
        if others or space in kept or len(readers) != 1 or readers[0] <= k:
            continue
        source, target = kernels[k], kernels[readers[0]]
        if _may_move(source, target, space):
            nodes = _expression(source, space)
            written = {x for x, at in stores.items() if any(k <= j <= readers[0] for j in at)}
            if nodes and _pays(source, target, nodes, space) and not written & _loaded(source, nodes):
                _move(source, target, nodes, space)


def _may_move(source: Kernel, target: Kernel, space: int) -> bool:
    """Return whether two kernels go along the same loops, and a space is read where and when it is written."""
    if source.shape != target.shape or any(x.is_call or x.sequential for x in (source, target)):
        return False
    if (source.rounds, source.loop) != (target.rounds, target.loop):
        return False
    (store,) = (store for store in source.stores if store.address.space == space)
    read = {node.address for node in target.nodes if node.address is not None and node.address.space == space}
    places = {x.places.space for x in target.addresses() if x.places is not None}
    return not store.fold and store.address.places is None and read == {store.address} and space not in places


def _expression(kernel: Kernel, space: int) -> list[int]:
    """Return the nodes of which a value is made that is stored to a space; none where they take long."""
    (last,) = (store.node for store in kernel.stores if store.address.space == space)
    needed = {last}
    for k in range(last, -1, -1):
        if k in needed:
            node = kernel.nodes[k]
            if node.raises or (node.address is None and node.form not in CHEAP):
                return []
            needed.update(x for x in node.operands if isinstance(x, int))
    count = sum(kernel.nodes[k].address is None for k in needed)
    return sorted(needed) if 0 < count <= FEW else []


def _loaded(kernel: Kernel, nodes: Sequence[int]) -> set[int]:
    """Return the spaces from which nodes are loaded."""
    addresses = [x for k in nodes if (x := kernel.nodes[k].address) is not None]
    return {x.space for x in addresses} | {x.places.space for x in addresses if x.places is not None}


def _pays(source: Kernel, target: Kernel, nodes: Sequence[int], space: int) -> bool:
    """Return whether no more bytes are loaded than were stored and loaded; and the kernel gets not too long."""
    known = {node.address for node in target.nodes}
    more = {x for k in nodes if (x := source.nodes[k].address) is not None and x not in known}
    (size,) = (DTYPES[store.address.kind].itemsize for store in source.stores if store.address.space == space)
    if source.rounds > 1 and prod(source.shape) * size < LARGE:
        return False  # it stays in the nearest cache from where it is written to where it is read
    large = [x for x in more if x.places is not None]
    large += _streams(x for x in more if x.places is None and SMALLER * reach(x, source.shape) > prod(source.shape))
    return sum(DTYPES[x.kind].itemsize for x in large) <= 2 * size and len(target.nodes) + len(nodes) <= LONGEST


def _streams(addresses: Iterable[Address]) -> list[Address]:
    """Return the first of all that lead to elements near to each other, as those of a stencil: they are loaded once."""
    found: list[Address] = []
    last: Address | None = None
    for x in sorted(addresses, key=lambda x: (x.space, x.strides, x.offset)):
        if last is None or (last.space, last.strides) != (x.space, x.strides) or x.offset - last.offset > NEAR:
            found.append(x)
        last = x
    return found


def _move(source: Kernel, target: Kernel, chosen: Sequence[int], space: int) -> None:
    """Write nodes of one kernel in front of those of another one, in the place of loads from a space."""
    nodes: list[Node] = []
    there: dict[int, int] = {}
    known: dict[Address, int] = {}
    for k in chosen:
        node = source.nodes[k]
        there[k] = len(nodes)
        if node.address is not None:
            known[node.address] = len(nodes)
        nodes.append(node._replace(operands=tuple(there[x] if isinstance(x, int) else x for x in node.operands)))
    now: dict[int, int] = {}
    for k, node in enumerate(target.nodes):
        if node.address is not None and node.address.space == space:
            now[k] = there[chosen[-1]]
        elif node.address in known:
            now[k] = known[node.address]
        else:
            now[k] = len(nodes)
            nodes.append(node._replace(operands=tuple(now[x] if isinstance(x, int) else x for x in node.operands)))
    target.nodes = nodes
    target.stores = [store._replace(node=now[store.node]) for store in target.stores]
    source.stores = [store for store in source.stores if store.address.space != space]
