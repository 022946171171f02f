"""How large adjoints go back through elementwise lines: with as few passes over memory as it takes.

A further array takes up to ten times as long as one that is written over: the system hands its memory out page by page.
So a product goes into the memory of a partial that was computed for it, or of an adjoint that is used for the last
time. Numbers wait (`pieces.Multiple`): of the losses

    np.mean(0.5 * np.sin(3.0 * x) ** 2)

the sweep multiplies 1/n, 0.5, 2 and 3 with each other, and an array once. And what is divided is divided, not
multiplied by one over it.
"""

from __future__ import annotations

from operator import mul
from typing import Any

import numpy as np

from dualnumbers.memory import is_alone, is_free, is_temporary
from dualnumbers.rules.elementwise import arithmetic, exponential
from dualnumbers.rules.short_axes import of_rows
from dualnumbers.table.partials import FAILURES, evaluate_partial

from .accumulation import add, scaled
from .pieces import Multiple
from .program import FAR, INERT, UNARY
from .variable import MULTIPLY

DIVIDE, LOG = arithmetic.divide.row, exponential.log.row

LARGE = 1 << 18
"""From so many bytes on a pass over memory takes longer than to find out how to do without it."""

NEAR = 2.0**32
"""Numbers wait that are up to so many times or a part of 1: what waits for them is far from overflow still."""

SHORT = 64
"""An element that is repeated fewer times is written out before a product: NumPy goes on to the next one slowly."""


def pull_elements(
    found: list[Any], owned: set[int], tape: Any, values: list[Any], constants: list[Any], line: int, g: Any
) -> None:
    """Pull a large adjoint back through an elementwise line of one or two operands.

    ``values`` and ``constants`` are those of the tape as partials take them.
    """
    row, a, b, z = tape.rows[line], tape.first[line], tape.second[line], values[line]
    if type(g) is Multiple:
        array, factor = g.array, g.factor
        own = is_alone(g) and is_free(array)
    else:
        array, factor, own = g, 1.0, is_temporary(g)
    x, y = [
        values[k] if k >= 0 else None if k == UNARY else constants[~k] if k > FAR else values[k - INERT] for k in (a, b)
    ]
    p, q = row.inline
    if a == b and row is MULTIPLY:
        factor, b = 2.0 * factor, UNARY
    if a >= 0:
        if (row is DIVIDE and is_like(y, array)) or (row is LOG and is_like(x, array)):
            out = array if own and b < 0 else None
            below: Any = x if row is LOG else y
            c = multiple(np.divide(array, below, out=out), factor)
        else:
            p = p if type(p) is float else partial_at(p, (x, z) if q is None else (x, y, z))
            c = passed(p, array, factor, own and b < 0, x)
        own &= not (c is array or (type(c) is Multiple and c.array is array))
        add(found, owned, a, c, x)
    if b >= 0:
        if row is DIVIDE and is_like(y, array) and is_like(z, array):
            q, factor = z / y, -factor
        else:
            q = q if type(q) is float else partial_at(q, (x, y, z))
        add(found, owned, b, passed(q, array, factor, own, y), y)


def partial_at(partial: Any, at: tuple[Any, ...]) -> Any:
    """Evaluate a partial, also where that fails on Python's numbers."""
    try:
        return partial(*at)
    except FAILURES:
        return evaluate_partial(partial, *at)


def is_like(p: Any, array: Any) -> bool:
    """Return whether a partial is a plain array of the shape and the type of an adjoint."""
    return type(p) is np.ndarray and p.dtype is array.dtype and p.shape == array.shape


def passed(p: Any, array: Any, factor: float, own: bool, x: Any) -> Any:
    """Return a partial times an adjoint, ``factor`` times an array, which may be written over if it is ``own``.

    ``x`` is the operand, which may be broadcast.
    """
    if type(p) is float:
        return times_number(array, p * factor, own, x)
    if not is_like(p, array):
        g = array if factor == 1.0 else factor * array
        return of_rows(mul, np.multiply, p, g) if type(p) is np.ndarray else p * g
    temporary = is_temporary(p)
    if not any(array.strides) and may_wait(array, alike := factor * array.item(0)):
        return multiple(p, alike) if temporary else Multiple(p, alike)
    if not temporary and array.strides[-1:] == (0,) and 0 < array.shape[-1] < SHORT and any(array.strides):
        array, own = np.repeat(array[..., 0], array.shape[-1]).reshape(array.shape), True
    return multiple(np.multiply(p, array, out=p if temporary else array if own else None), factor)


def times_number(array: Any, factor: float, own: bool, x: Any) -> Any:
    """Return a number times an array as the adjoint of ``x``, in the array where that is ``own``."""
    if factor == 1.0:
        return array
    if not any(array.strides):
        return np.broadcast_to(np.multiply(array[(0,) * array.ndim], factor), array.shape)
    if may_wait(array, factor):
        return Multiple(array, factor)
    return np.multiply(array, factor, out=array) if own else scaled(factor, array, x)


def multiple(array: Any, factor: float) -> Any:
    """Return a number times an array that is the adjoint's own."""
    if factor == 1.0:
        return array
    return Multiple(array, factor) if may_wait(array, factor) else np.multiply(array, factor, out=array)


def may_wait(array: Any, factor: float) -> bool:
    """Return whether a large array may be multiplied by a number later."""
    return array.dtype.char == "d" and 1.0 / NEAR < abs(factor) < NEAR
