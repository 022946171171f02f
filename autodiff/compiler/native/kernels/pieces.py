"""Large kernels cut into pieces of their outermost loop, which several threads may run; sums are joined in order.

How many elements a piece has, is decided by the kernel alone: the result does not depend on who runs which piece.
"""

from __future__ import annotations

import math

from ..instructions.areas import DTYPES, Address
from ..instructions.instruction import IDENTITIES, Block
from .fusing import Kernel, Node, Store
from .work import nanoseconds

LARGE = 200_000.0
"""From so many nanoseconds on a kernel is cut."""

PIECES = 16
"""How many pieces a kernel is cut into."""

EVEN = 64
"""The elements of a piece are a multiple of so many."""


def in_pieces(kernels: list[Kernel], block: Block) -> list[Kernel]:
    """Return the kernels with those that are large cut into pieces."""
    found: list[Kernel] = []
    for kernel in kernels:
        found += _cut(kernel, block) if _may_be_cut(kernel) else [kernel]
    return found


def _may_be_cut(kernel: Kernel) -> bool:
    if not kernel.shape or kernel.is_call or kernel.sequential or kernel.rounds > 1:
        return False
    if nanoseconds(kernel) < LARGE or kernel.shape[0] < 2 * PIECES or any(node.raises for node in kernel.nodes):
        return False
    return all(_is_sum(store) or _are_apart(store.address, kernel.shape) for store in kernel.stores)


def _is_sum(store: Store) -> bool:
    """Return whether all elements are joined to one."""
    return bool(store.fold) and store.address.places is None and not any(store.address.strides)


def _are_apart(x: Address, shape: tuple[int, ...]) -> bool:
    """Return whether rounds of the outermost loop write to elements of their own."""
    if x.places is not None or not x.strides[0]:
        return False
    span = 0
    for stride, n in sorted((abs(stride), n) for stride, n in zip(x.strides, shape, strict=True) if stride and n > 1):
        if stride <= span:
            return False
        span += stride * (n - 1)
    return True


def _cut(kernel: Kernel, block: Block) -> list[Kernel]:
    n = kernel.shape[0]
    size = -(-n // PIECES)
    size = -(-size // EVEN) * EVEN if len(kernel.shape) == 1 else size
    whole, rest = stretches(kernel, 0, size)
    whole.is_shared, count = True, whole.shape[0]
    before, after = Kernel((count,)), Kernel((count,))
    for k, store in enumerate(kernel.stores):
        if _is_sum(store):
            kind = store.address.kind
            sums = block.space((count,), DTYPES[kind]).along((count,))
            before.nodes.append(Node("same", (IDENTITIES[store.fold],), kind))
            before.stores.append(Store(len(before.nodes) - 1, sums, ""))
            whole.stores[k] = store._replace(address=sums._replace(strides=(1, *(0,) * len(kernel.shape))))
            after.nodes.append(Node("load", (), kind, sums))
            after.stores.append(Store(len(after.nodes) - 1, store.address._replace(strides=(0,)), store.fold))
    found = [whole, rest] if math.prod(rest.shape) else [whole]
    return [before, *found, after] if after.stores else found


def stretches(kernel: Kernel, loop: int, size: int) -> tuple[Kernel, Kernel]:
    """Return a kernel with two loops in the place of one, the inner one of a size, and one of the rounds left over."""
    n = kernel.shape[loop]
    count = n // size
    outer, inner = kernel.shape[:loop], kernel.shape[loop + 1 :]
    whole, rest = Kernel((*outer, count, size, *inner)), Kernel((*outer, n - count * size, *inner))

    def cut(x: Address) -> Address:
        step = x.strides[loop] * size
        return x._replace(strides=(*x.strides[:loop], step, *x.strides[loop:]))

    def beyond(x: Address) -> Address:
        return x._replace(offset=x.offset + x.strides[loop] * size * count)

    for part, change in ((whole, cut), (rest, beyond)):
        part.rounds, part.loop = kernel.rounds, kernel.loop
        part.nodes = [
            node._replace(address=node.address.along_with(change)) if node.address else node for node in kernel.nodes
        ]
        part.stores = [store._replace(address=store.address.along_with(change)) for store in kernel.stores]
    return whole, rest
