"""How an adjoint is multiplied by a partial.

Of small arrays that is a product. Of others it is made in memory that is there; where the operand was broadcast, the
products are summed as they are made; and rows of few elements, for each of which NumPy begins a loop, are multiplied
all at once.
"""

from __future__ import annotations

from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.late import LateModule
from dualnumbers.memory import is_free, is_temporary
from dualnumbers.rules.short_axes import of_rows
from dualnumbers.table.kinds import Times

from .accumulation import stretched

if TYPE_CHECKING:
    from dualnumbers.numbers import dual
else:
    dual = LateModule(globals(), "dual", "dualnumbers.numbers.dual")  # a program of gradients alone does without

SMALL = 1 << 15
"""Up to so many bytes adjoints are multiplied at once: to ask how it is done best takes longer than is gained."""

SHORT = 64
"""An element that is repeated fewer times is written out before a product: NumPy goes on to the next one slowly."""

FEW = 8
"""Rows of up to so many elements are repeated before a product, as `short_axes.of_rows` does it."""

NARROW = 3
"""Rows of up to so many elements are multiplied column by column, in half the time, and before they are summed."""


BLOCK = 512
"""So many products are summed one after the other, then these sums: to go on would lose a digit with each ten times."""

LARGE, BLOCK_BYTES, LONGEST_ROW = 1 << 20, 1 << 18, 1 << 20
"""To an adjoint of so many bytes or more products are added in blocks of so many, unless a row has more."""

MOST_AXES = 50
"""Of how many axes np.einsum has names, with two to spare."""


def product(p: Any, g: Any, x: Any, times: Times | None, last: bool) -> Any:
    """Multiply an adjoint that is not small by a partial, in the memory of one of them if nobody else refers to it.

    That is the partial that was computed for this, or, if it is used for the ``last`` time, the adjoint. A further
    array would take up to ten times as long: the system hands its memory out page by page. Where the operand ``x`` was
    broadcast, the products are summed as they are made.
    """
    if times is not None:
        return times(p, g)
    if type(p) is np.ndarray:
        if p.dtype is not g.dtype or p.shape != g.shape:
            if last and p.dtype is g.dtype and g.shape[-1] > FEW and is_temporary(g):
                return np.multiply(p, g, out=g)
            return of_rows(mul, np.multiply, p, g)
        if type(x) is np.ndarray and x.shape != g.shape and g.dtype.char == "d":
            return contracted(p, g, x.shape)
        if is_temporary(p):
            return np.multiply(p, g, out=p)
        if g.strides[-1:] == (0,) and any(g.strides):
            return _product_of_rows(p, g[..., 0])
    elif type(p) is not float:
        return p * g
    return np.multiply(p, g, out=g) if last and is_temporary(g) else p * g


def accumulated(t: Any, p: Any, g: Any, is_own: bool) -> bool:
    """Add a product to a large adjoint, block by block, unless somebody else has that; return whether it was done.

    The product of a block is in the cache still when it is added, and the whole one is never in memory.
    """
    if type(t) is not np.ndarray or t.nbytes < LARGE or type(p) is not np.ndarray or type(g) is not np.ndarray:
        return False
    if not t.dtype is p.dtype is g.dtype or t.shape != g.shape or p.ndim != g.ndim or not t.flags.c_contiguous:
        return False
    if is_temporary(p) or t.nbytes > len(t) * LONGEST_ROW or not (is_own or is_free(t)):
        return False
    rows = max(BLOCK_BYTES * len(t) // t.nbytes, 1)
    room = np.empty((min(rows, len(t)), *t.shape[1:]), t.dtype)
    for start in range(0, len(t), rows):
        part = t[start : start + rows]
        c = np.multiply(p if len(p) == 1 else p[start : start + rows], g[start : start + rows], out=room[: len(part)])
        np.add(part, c, out=part)
    return True


def contracted(p: Any, g: Any, target: tuple[int, ...]) -> Any:
    """Multiply two large arrays and sum over what a shape was stretched to theirs by, or leave that to who adds it.

    NumPy is slow at narrow rows that stay.
    """
    over, axes = stretched(g.shape, target), list(range(g.ndim))
    if (g.shape[-1] <= NARROW and axes[-1] not in over) or g.ndim > MOST_AXES:
        return p * g
    if prod(g.shape[axis] for axis in over) < 2 * BLOCK:
        return np.einsum(p, axes, g, axes, [axis for axis in axes if axis not in over]).reshape(target)
    longest = max(over, key=g.shape.__getitem__)
    rest = tuple(axis for axis in over if axis != longest)
    return np.add.reduce(_along(p, g, longest), rest, keepdims=True).reshape(target)


def _along(p: Any, g: Any, axis: int) -> Any:
    """Multiply two arrays and sum along an axis, which stays: in blocks, whose sums are added."""
    axes, count = list(range(g.ndim)), g.shape[axis]
    kept = [other for other in axes if other != axis]
    if count < 2 * BLOCK:
        return np.expand_dims(np.einsum(p, axes, g, axes, kept), axis)
    whole = count - count % BLOCK
    before = (slice(None),) * axis
    ps, gs = (_in_blocks(x[(*before, slice(whole))], axis) for x in (p, g))
    split = [*axes[:axis], g.ndim, axis, *axes[axis + 1 :]]
    c = np.add.reduce(np.einsum(ps, split, gs, split, [g.ndim, *kept]), 0)
    if whole < count:
        rest = (*before, slice(whole, None))
        c = c + np.einsum(p[rest], axes, g[rest], axes, kept)
    return np.expand_dims(c, axis)


def _in_blocks(x: Any, axis: int) -> Any:
    """Show an axis as two: the blocks, and the elements of one."""
    return x.reshape(*x.shape[:axis], -1, BLOCK, *x.shape[axis + 1 :])


def summed_product(p: Any, g: Any, times: Times | None) -> Any:
    """Multiply the adjoint of an array by a partial for a number that was broadcast; sum the products of doubles."""
    if times is not None:
        return times(p, g)
    plain = type(p) is np.ndarray and p.dtype.char == g.dtype.char == "d" and p.shape == g.shape
    if not plain or not p.flags.c_contiguous or not g.flags.c_contiguous:
        return p * g
    if p.size < 2 * BLOCK:
        return float(np.vdot(p, g))
    p, g = p.reshape(-1), g.reshape(-1)
    whole = p.size - p.size % BLOCK
    by_blocks = np.vecdot(p[:whole].reshape(-1, BLOCK), g[:whole].reshape(-1, BLOCK))
    return float(np.add.reduce(by_blocks) + np.vdot(p[whole:], g[whole:]))


def product_of_square(x: Any, g: Any, times: Times | None) -> Any:
    """Return the adjoint of the operand of x · x that is not small: twice the product with ``g``.

    Where ``g`` repeats few elements, as the adjoint of a sum does, these are doubled, unless that overflows.
    """
    if times is not None or type(x) is not np.ndarray or x.dtype is not g.dtype:
        return twice(x * g if times is None else times(x, g))
    if g.strides[-1:] == (0,):
        several = any(g.strides)
        once = g[..., 0] if several else g[(0,) * g.ndim]
        double = once + once
        if np.isfinite(double).all():
            return _product_of_rows(x, double) if several else x * double
    return twice(np.multiply(x, g, out=g) if is_temporary(g) else x * g)


def _product_of_rows(p: Any, g: Any) -> Any:
    """Multiply each row of an array by a number; NumPy begins a loop for each row, which takes as long as a few."""
    count = p.shape[-1]
    if count >= SHORT:
        return p * g[..., None]
    if count > NARROW:
        c = np.repeat(g, count).reshape(p.shape)
        return np.multiply(p, c, out=c)
    c = np.empty(p.shape, p.dtype)
    for k in range(count):
        np.multiply(p[..., k], g, out=c[..., k])
    return c


def twice(c: Any) -> Any:
    """Return the sum of an adjoint that nobody else has with itself."""
    if type(c) is np.ndarray:
        c += c
        return c
    if type(c) is dual.DualArray and is_free(c.primal) and is_free(c.tangent):
        for part in c.parts():
            part += part
        return c
    return c + c
