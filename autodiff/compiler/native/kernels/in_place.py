"""What is in between and read for the last time where a result is written takes that result's memory from the start."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..instructions.areas import Address, Space
from .fusing import Kernel


def in_place(kernels: Sequence[Kernel], spaces: Sequence[Space], results: Sequence[int], kept: set[int]) -> None:
    """Give spaces that need not be kept those of results, where each element is read before the result's is written."""
    using: dict[int, list[int]] = {}
    for k, one in enumerate(kernels):
        for space in one.spaces():
            using.setdefault(space, []).append(k)
    taken: dict[int, int] = {}
    for result in results:
        kernel = kernels[using[result][0]] if result in using else None
        if kernel is None or kernel.is_call or kernel.sequential or kernel.rounds > 1:
            continue
        if prod(kernel.shape) < spaces[result].array.size or result in kernel.reads():
            continue
        for space in sorted(kernel.reads() - kept - taken.keys()):
            is_last = using[space][-1] == using[result][0]
            is_alike = spaces[space].kind == spaces[result].kind
            is_alike &= spaces[space].array.size == spaces[result].array.size
            if is_last and is_alike and _goes_over(kernel, space, result):
                taken[space] = result
                break
    for one in kernels if taken else ():
        _rename(one, taken)


def _goes_over(kernel: Kernel, space: int, result: int) -> bool:
    """Return whether a kernel reads each element of a space in the round in which it then writes the result's."""
    written = {store.address for store in kernel.stores if store.address.space == result and not store.fold}
    touched = {x for x in kernel.addresses() if x.space in (space, result)}
    if len(written) != 1:
        return False
    (place,) = written
    first = min(store.node for store in kernel.stores if store.address == place)
    early = all(k < first for k, node in enumerate(kernel.nodes) if node.address and node.address.space == space)
    is_stored = any(store.address.space == space for store in kernel.stores)
    plain = place.places is None and all(place.strides)
    return plain and early and not is_stored and touched == {place, place._replace(space=space)}


def _rename(kernel: Kernel, now: dict[int, int]) -> None:
    def renamed(x: Address) -> Address:
        return x._replace(space=now.get(x.space, x.space))

    kernel.nodes = [x._replace(address=renamed(x.address)) if x.address else x for x in kernel.nodes]
    kernel.stores = [x._replace(address=renamed(x.address)) for x in kernel.stores]
