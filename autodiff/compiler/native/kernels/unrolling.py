"""Products of small matrices: the loop around the innermost one is written out, and what it sums stays in registers."""

from __future__ import annotations

from ..instructions.areas import Address
from ..instructions.instruction import COLUMNS, WRITTEN_OUT
from .fusing import Kernel, Node, Store

NODES = 96
"""How many nodes a kernel has then at most."""


def unrolled(kernel: Kernel) -> Kernel:
    """Return a kernel of products that are summed without its last loop but one; others as they are."""
    if len(kernel.shape) < 2 + kernel.is_shared or kernel.is_call or kernel.sequential:
        return kernel
    if not all(_is_sum(kernel, store) for store in kernel.stores):
        return kernel
    count, inner = kernel.shape[-2:]
    if count > WRITTEN_OUT or inner > COLUMNS or len(kernel.nodes) * count > NODES:
        return kernel
    made = Kernel((*kernel.shape[:-2], inner))
    made.rounds, made.loop, made.is_shared = kernel.rounds, kernel.loop, kernel.is_shared
    totals: dict[int, int] = {}
    for k in range(count):
        now: list[int] = []
        for node in kernel.nodes:
            operands = tuple(now[x] if isinstance(x, int) else x for x in node.operands)
            now.append(len(made.nodes))
            made.nodes.append(node._replace(operands=operands, address=node.address and _round(node.address, k)))
        for number, store in enumerate(kernel.stores):
            if store.address.strides[-2]:
                made.stores.append(Store(now[store.node], _round(store.address, k), "add"))
            else:
                totals[number] = _added(made, now[store.node], totals.get(number))
    made.stores += [Store(k, _round(kernel.stores[number].address, 0), "add") for number, k in totals.items()]
    return made


def _is_sum(kernel: Kernel, store: Store) -> bool:
    """Return whether a store adds products to what is there."""
    node = kernel.nodes[store.node]
    return store.fold == "add" and node.form == "multiply" and not node.raises and store.address.places is None


def _round(x: Address, k: int) -> Address:
    """Return where an address leads in a round of the last loop but one."""

    def one(x: Address) -> Address:
        return x._replace(offset=x.offset + k * x.strides[-2], strides=(*x.strides[:-2], x.strides[-1]))

    return x.along_with(one)


def _added(kernel: Kernel, product: int, total: int | None) -> int:
    """Return a product, the last node, added to what the rounds before have given; both in one operation."""
    if total is None:
        return product
    node = kernel.nodes[product]
    kernel.nodes.append(Node("fma", (*node.operands, total), node.kind))
    return len(kernel.nodes) - 1
