"""How products of matrices become instructions: loops where they are small, else calls of BLAS."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..instructions.areas import DTYPES, Area
from ..instructions.instruction import COLUMNS, WRITTEN_OUT, Operand
from ..machine import blas
from .steps import Here, Rule

SMALL = 1 << 11
"""Up to how many multiplications a product of matrices is a loop; BLAS is faster from there on."""


def viewed(x: Area, view: Callable[[np.ndarray], np.ndarray]) -> Area:
    """Return a view, as which a function of arrays always gives one."""
    found = x.viewed(view)
    assert found is not None
    return found


def in_memory(here: Here, x: Operand, place: int) -> Area:
    """Return the operand of a place in memory."""
    shape = np.shape(here.values[place])
    return here.block.fill(x, here.block.space(shape, DTYPES[here.kind])) if isinstance(x, float) else x


def in_order(here: Here, x: Area) -> Area:
    """Return an operand of the value's kind whose elements are in order."""
    return here.block.copy(x, here.block.space(x.shape, DTYPES[here.kind]))


def is_there(here: Here, extents: tuple[int, ...]) -> bool:
    """Return whether BLAS can be called for what has such extents."""
    return not here.block.is_alone and blas.is_there(here.kind) and max(extents) <= blas.LARGEST


def _for_blas(here: Here, x: Area) -> Area:
    """Return an operand as BLAS takes it."""
    down, along = ((0, *(s // x.picture.itemsize for s in x.picture.strides))[k] for k in (-2, -1))
    taken = blas.as_columns((x.shape[-2], x.shape[-1]), (down, along)) if len(x.shape) > 1 else along > 0
    return x if taken and x.kind == here.kind else in_order(here, x)


def _multiplied(here: Here, a: Operand, b: Operand, start: Operand) -> Area | None:
    """Add a product to what it starts with: over rows, what is summed, and columns, for each matrix of a stack."""
    of_a, of_b = np.shape(here.values[0]), np.shape(here.values[1])
    rows, columns = of_a[-2:-1], of_b[-1:] if len(of_b) > 1 else ()
    is_narrow = is_unrolled(rows, of_a[-1], columns)
    is_large = not (here.block.is_alone or is_narrow) and int(np.prod((*rows, of_a[-1], *columns))) > SMALL
    if here.kind == "b1" or (is_large and not is_there(here, (*of_a, *of_b))):
        return None
    a, b = in_memory(here, a, 0), in_memory(here, b, 1)
    if is_large:
        a, b = _for_blas(here, a), _for_blas(here, b)
    elif columns and b.picture.strides[-1] != b.picture.itemsize and (is_narrow or not rows):
        b = in_order(here, b)
    out = here.block.copy(start, here.new())
    whole = (*here.shape[: len(here.shape) - len(rows) - len(columns)], *rows, of_a[-1], *columns)
    left = viewed(a, lambda x: np.broadcast_to(x.reshape(x.shape + (1,) * len(columns)), whole))
    right = viewed(b, lambda x: np.broadcast_to(np.expand_dims(x, -3) if rows and columns else x, whole))
    total = viewed(out, lambda x: np.broadcast_to(np.expand_dims(x, x.ndim - len(columns)), whole))
    if is_narrow and of_a[-1] > WRITTEN_OUT:  # the rows are the loop that is written out
        left, right, total = (viewed(x, lambda x: x.swapaxes(-3, -2)) for x in (left, right, total))
    here.block.add("matmul" if is_large else "multiply", (left, right), total, here.kind, fold="add")
    return out


def is_unrolled(rows: tuple[int, ...], summed: int, columns: tuple[int, ...]) -> bool:
    """Return whether a product has so few columns, and rows or what is summed, that it is a loop of ours."""
    return bool(rows and columns) and 1 < columns[0] <= COLUMNS and 1 < min(rows[0], summed) <= WRITTEN_OUT


def _matmul(here: Here, a: Operand, b: Operand) -> Operand | None:
    return _multiplied(here, a, b, 0.0)


def _dot(here: Here, a: Operand, b: Operand) -> Operand | None:
    return _matmul(here, a, b) if max(map(np.ndim, here.values)) <= 2 else None


def _inner(here: Here, a: Operand, b: Operand) -> Operand | None:
    """Multiply by the transpose."""
    if max(map(np.ndim, here.values)) > 2:
        return None
    turned = here._replace(values=[here.values[0], np.transpose(here.values[1])])
    return _matmul(turned, a, b if isinstance(b, float) else viewed(b, np.transpose))


PRODUCTS: dict[str, Rule] = {"matmul": _matmul, "affine": _multiplied, "dot": _dot, "inner": _inner}
"""Products → how they become instructions."""
