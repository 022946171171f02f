"""Quotients by one divisor share its reciprocal: a division takes as long as some sixteen other operations.

What x (1/y) lacks is put right by one step of Newton's: so the quotient is rounded as a division's, to the last bit.
"""

from __future__ import annotations

from collections import Counter

from ..elementary.code import Code, Value
from ..kernels.fusing import Kernel, Node

SMALLEST = 2.0**-1022
"""Below this a reciprocal may overflow."""

FAR = 2.0**500
"""Between 2⁻⁵⁰⁰ and this a constant has a reciprocal of full precision."""


def shared_divisors(kernel: Kernel) -> frozenset[int]:
    """Return the nodes that others are divided by, more than one, in a loop over doubles."""
    if kernel.sequential or not kernel.shape:
        return frozenset()
    divided = Counter(node.operands[1] for node in kernel.nodes if _is_quotient(node))
    return frozenset(k for k, count in divided.items() if count > 1 and isinstance(k, int))


def _is_quotient(node: Node) -> bool:
    return node.form == "divide" and node.kind == "f8" and not node.raises


def is_shared(kernel: Kernel, node: Node, divisors: frozenset[int]) -> bool:
    """Return whether a node is a quotient by one of some divisors, or by a constant."""
    if not _is_quotient(node) or kernel.sequential or not kernel.shape:
        return False
    by = node.operands[1]
    return by in divisors if isinstance(by, int) else 1.0 / FAR < abs(by) < FAR


def quotient(c: Code, x: Value, y: Value, one: Value) -> Value:
    """Write x / y, y no number so small that its reciprocal overflows; the reciprocal is written once."""
    reciprocal: Value = c.once("reciprocal", y, lambda: c.divide(one, y))
    if x == one:
        return reciprocal
    z = c.multiply(x, reciprocal)
    lacking = c.fma(c.negative(z), y, x)
    better = c.fma(lacking, reciprocal, z)
    return c.select(c.is_no_zero(better), better, z)  # zeros keep their sign, and nothing is infinite less infinite


def is_tiny(c: Code, ys: list[Value]) -> Value:
    """Write whether one of some divisors has perhaps no reciprocal, though it is not 0."""
    sizes = [c.select(c.is_no_zero(y), c.own("fabs", y), c.constant(1.0)) for y in (c.convert(y, "f8") for y in ys)]
    least = sizes[0]
    for size in sizes[1:]:
        least = c.select(c.compare("less", size, least), size, least)
    return c.compare("less", least, c.constant(SMALLEST))
