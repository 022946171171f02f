"""Kernels that go on, element by element, with what the one before has just computed are one kernel with it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..instructions.areas import Address
from ..instructions.instruction import CHEAP
from .fusing import Kernel, elements

LONGEST = 128
"""How many nodes a kernel has then at most."""


def joined(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Return kernels of which no two that stand beside each other could be one."""
    found: list[Kernel] = []
    for kernel in kernels:
        alike = _along(kernel, found[-1].shape) if found else kernel
        if found and _may_join(found[-1], alike):
            _append(found[-1], alike)
        else:
            found.append(kernel)
    return found


def _along(kernel: Kernel, shape: tuple[int, ...]) -> Kernel:
    """Return a kernel of one loop with loops over a shape of as many elements, where that costs less than it saves.

    Its rows may be shorter than a vector then, so kernels with functions that take long are left as they are.
    """
    is_cheap = all(node.address is not None or node.form in CHEAP for node in kernel.nodes)
    if len(kernel.shape) != 1 or kernel.shape[0] != prod(shape) or kernel.is_call or kernel.sequential or not is_cheap:
        return kernel
    made = Kernel(shape)
    made.rounds, made.loop = kernel.rounds, kernel.loop

    def cut(x: Address) -> Address:
        (step,) = x.strides
        return x._replace(strides=tuple(step * prod(shape[k + 1 :]) for k in range(len(shape))))

    made.nodes = [node._replace(address=node.address and node.address.along_with(cut)) for node in kernel.nodes]
    made.stores = [store._replace(address=store.address.along_with(cut)) for store in kernel.stores]
    return made


def _may_join(first: Kernel, second: Kernel) -> bool:
    """Return whether a kernel reads what the one before has written, each element in the round of its own."""
    if (first.shape, first.rounds, first.loop) != (second.shape, second.rounds, second.loop):
        return False
    if any(kernel.is_call or kernel.sequential for kernel in (first, second)):
        return False
    shared = (_written(first) & second.spaces()) | (first.spaces() & _written(second))
    touched = {x for kernel in (first, second) for x in kernel.addresses() if x.space in shared}
    goes_on = _written(first) & second.reads()
    if not goes_on or len(first.nodes) + len(second.nodes) > LONGEST or len(touched) > len(shared):
        return False
    stores = [store for kernel in (first, second) for store in kernel.stores if store.address.space in shared]
    return not any(store.fold for store in stores) and all(elements(x, first.shape) is not None for x in touched)


def _written(kernel: Kernel) -> set[int]:
    return {store.address.space for store in kernel.stores}


def _append(first: Kernel, second: Kernel) -> None:
    """Append the nodes and stores of a kernel to those of another one."""
    written = {store.address.space for kernel in (first, second) for store in kernel.stores}
    known = {x: k for k, node in enumerate(first.nodes) if (x := node.address) is not None and x.space not in written}
    known |= {store.address: store.node for store in first.stores if not store.fold}
    now: list[int] = []
    for node in second.nodes:
        if node.address in known:
            now.append(known[node.address])
            continue
        now.append(len(first.nodes))
        first.nodes.append(node._replace(operands=tuple(now[x] if isinstance(x, int) else x for x in node.operands)))
    first.stores += [store._replace(node=now[store.node]) for store in second.stores]
