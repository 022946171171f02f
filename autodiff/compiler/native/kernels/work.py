"""About how long kernels take, by which it is decided what pays: to let other threads of Python run, to share out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..instructions.instruction import CHEAP
from .fusing import Kernel, Node

LONG = 50_000.0
"""From so many nanoseconds on other threads of Python may run while machine code does."""

CALLED = 0.1
"""Nanoseconds of a product of two numbers and a sum, in a library."""


def nanoseconds(kernel: Kernel) -> float:
    """Return about how many nanoseconds a kernel takes, with all its rounds."""
    count = math.prod(kernel.shape) * kernel.rounds
    if kernel.is_call:
        return CALLED * count
    each = sum(map(_of_node, kernel.nodes)) + 0.1 * len(kernel.stores)
    return count * each * (8.0 if kernel.sequential else 1.0)


def shares(kernels: Sequence[Kernel]) -> dict[int, float]:
    """Return which share of the time of kernels each step of the program takes, about."""
    found: dict[int, float] = {}
    for kernel in kernels:
        each = [_of_node(node) for node in kernel.nodes]
        for node, one in zip(kernel.nodes, each, strict=True):
            found[node.step] = found.get(node.step, 0.0) + one / sum(each) * nanoseconds(kernel)
    total = sum(found.values()) or 1.0
    return {step: part / total for step, part in found.items()}


def _of_node(node: Node) -> float:
    if node.address is not None:
        return 0.1 if node.address.places is None and node.address.strides[-1:] in ((), (0,), (1,)) else 0.5
    return 0.1 if node.form in CHEAP else 1.5
