"""About how long kernels take, by which it is decided what pays: to let other threads of Python run, to share out."""

from __future__ import annotations

import math

from .fusing import Kernel, Node
from .overlaps import CHEAP

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


def _of_node(node: Node) -> float:
    if node.address is not None:
        return 0.1 if node.address.places is None and node.address.strides[-1:] in ((), (0,), (1,)) else 0.5
    return 0.1 if node.form in CHEAP else 1.5
