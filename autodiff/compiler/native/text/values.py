"""The values of a kernel's nodes: of which kinds they are, and which go on from round to round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import prod

from ..elementary.forms import kind_of
from ..instructions.areas import Address
from ..kernels.fusing import Kernel, Node, Store

VECTORS, REGISTERS = 4, 24
"""How many vectors a row that is joined in registers has at most, and all of them together."""


def kinds_of(nodes: list[Node]) -> list[str]:
    """Return the kinds of the values of nodes."""
    return [node.kind if node.address is not None else kind_of(node.form, node.kind) for node in nodes]


def joined_kind(kind: str, fold: str) -> str:
    """Return in which kind values are joined: sums of single precision in double."""
    return "f8" if kind == "f4" and fold == "add" else kind


def step_of(address: Address) -> int:
    """Return the stride along the innermost loop; 0 where there is none."""
    return address.strides[-1] if address.strides else 0


def carried(kernel: Kernel) -> dict[int, Store]:
    """Return the nodes that are loaded where the round before has stored, and the stores: no memory is in between."""
    found: dict[int, Store] = {}
    if not kernel.sequential or len(kernel.shape) != 1:
        return found
    kinds = kinds_of(kernel.nodes)
    for k, node in enumerate(kernel.nodes):
        if node.address is None or node.address.places or node.kind == "b1":
            continue
        after = node.address._replace(offset=node.address.offset + step_of(node.address))
        stores = [store for store in kernel.stores if store.address.space == node.address.space]
        same = all(store.address == after and not store.fold and store.node > k for store in stores)
        if stores and same and kinds[stores[-1].node] == node.kind:
            found[k] = stores[-1]
    return found


def totals(kernel: Kernel) -> dict[Address, int]:
    """Return where many short rows are added up, and for each the outermost of the loops that all add to it.

    Nothing else touches these elements.
    """
    count, kinds = len(kernel.shape), kinds_of(kernel.nodes)
    read = {node.address.space for node in kernel.nodes if node.address is not None}
    read |= {x.places.space for x in kernel.addresses() if x.places is not None}
    written = Counter(store.address.space for store in kernel.stores)
    found: dict[Address, int] = {}
    for store in kernel.stores:
        address = store.address
        first = count - next((k for k, step in enumerate(reversed(address.strides)) if step), count)
        is_alone = address.places is None and address.space not in read and written[address.space] == 1
        is_sum = store.fold == "add" and kinds[store.node] in ("f4", "f8")
        if is_sum and is_alone and not kernel.sequential and prod(kernel.shape[first:-1]) > 1:
            found[address] = first
    return found


def held(kernel: Kernel, lanes: int) -> list[Address]:
    """Return where what is joined along the last loop but one is, in rows that fit into registers.

    Nothing else touches these rows: no two have an element in common, and nothing is loaded of their spaces.
    """
    count, inner = kernel.shape[-2:]
    if kernel.sequential or count == 1 or inner > VECTORS * lanes:
        return []
    loaded = [node.address for node in kernel.nodes if node.address is not None]
    others = {x.space for x in loaded} | {x.places.space for x in kernel.addresses() if x.places is not None}
    stores: dict[int, list[Store]] = {}
    for store in kernel.stores:
        stores.setdefault(store.address.space, []).append(store)
    found: list[Address] = []
    for space in stores.keys() - others:
        rows = list(dict.fromkeys(store.address for store in stores[space]))
        if all(store.fold for store in stores[space]) and _are_apart(rows, inner):
            found += rows
    return sorted(found)[: REGISTERS // -(-inner // lanes)]


def _are_apart(rows: Sequence[Address], inner: int) -> bool:
    """Return whether rows stay where they are along the last loop but one, and have no element in common."""
    first, *_ = rows
    if any(x.places is not None or (x.strides, x.round) != (first.strides, first.round) for x in rows):
        return False
    around, along = first.strides[-2:]
    ends = pairwise(sorted(x.offset for x in rows))
    return not around and along != 0 and all(other - one >= inner * abs(along) for one, other in ends)
