"""The values of a kernel's nodes: of which kinds they are, and which go on from round to round."""

from __future__ import annotations

from ..elementary.forms import kind_of
from ..instructions.areas import Address
from ..kernels.fusing import Kernel, Node, Store


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
