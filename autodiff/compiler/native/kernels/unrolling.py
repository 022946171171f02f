"""Products of small matrices: the loop around the innermost one is written out, and what it sums stays in registers.

A sum that begins with a zero, which a kernel before has filled its place with, begins with it in a register, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..instructions.areas import Address
from ..instructions.instruction import COLUMNS, WRITTEN_OUT
from .fusing import Kernel, Node, Store, elements

NODES = 96
"""How many nodes a kernel has then at most."""


def written_out(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Return kernels with products of small matrices written out."""
    found, last = list(kernels), dict[int, Kernel]()
    for k, kernel in enumerate(kernels):
        if _may_be_written_out(kernel):
            begin = [_takes_zero(last.get(store.address.space), kernel, store) for store in kernel.stores]
            found[k] = _unrolled(kernel, begin)
        last |= dict.fromkeys(kernel.spaces(), found[k])
    return [kernel for kernel in found if kernel.stores or any(node.raises for node in kernel.nodes)]


def _may_be_written_out(kernel: Kernel) -> bool:
    """Return whether a kernel is of products that are summed, few of them along its last loop but one."""
    if len(kernel.shape) < 2 or kernel.is_call or kernel.sequential:
        return False
    count, inner = kernel.shape[-2:]
    is_small = count <= WRITTEN_OUT and inner <= COLUMNS and len(kernel.nodes) * count <= NODES
    return is_small and all(_is_sum(kernel, store) for store in kernel.stores)


def _unrolled(kernel: Kernel, begin: Sequence[bool]) -> Kernel:
    """Return a kernel without its last loop but one; of each store whether its sum over that begins with a zero."""
    count, inner = kernel.shape[-2:]
    made = Kernel((*kernel.shape[:-2], inner))
    made.rounds, made.loop = kernel.rounds, kernel.loop
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
    for number, k in totals.items():
        if begin[number]:
            made.nodes.append(Node("add", (k, 0.0), made.nodes[k].kind))
        at = len(made.nodes) - 1 if begin[number] else k
        made.stores.append(Store(at, _round(kernel.stores[number].address, 0), "" if begin[number] else "add"))
    return made


def _takes_zero(filled: Kernel | None, kernel: Kernel, store: Store) -> bool:
    """Return whether a sum along the last loop but one begins with zeros, which then nothing stores any more.

    The kernel before that was the last to touch what they are summed in has filled it then.
    """
    x = store.address
    own = [other for other in kernel.addresses() if other.space == x.space]
    if x.strides[-2] or len(own) > 1 or filled is None or x.space in filled.reads():
        return False
    if (filled.rounds, filled.loop) != (kernel.rounds, kernel.loop) or filled.is_call or filled.sequential:
        return False
    starts = [other for other in filled.stores if other.address.space == x.space]
    if len(starts) > 1 or not _is_zero(filled.nodes[starts[0].node]):
        return False
    written = elements(_round(x, 0), (*kernel.shape[:-2], kernel.shape[-1]))
    if written is None or written != elements(starts[0].address, filled.shape):
        return False
    filled.stores.remove(starts[0])
    return True


def _is_zero(node: Node) -> bool:
    """Return whether a node is the number 0."""
    return node.form == "same" and isinstance(node.operands[0], float) and repr(node.operands[0]) == "0.0"


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
