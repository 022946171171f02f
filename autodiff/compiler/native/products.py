"""How products of matrices become instructions: loops where they are small, else calls of BLAS."""

from __future__ import annotations

import numpy as np

from . import blas
from .areas import DTYPES, Area
from .instructions import Operand
from .steps import Here, Rule

SMALL = 1 << 11
"""Up to how many multiplications a product of matrices is a loop; BLAS is faster from there on."""


def _area(here: Here, x: Operand, value: np.ndarray) -> Area:
    """Return an operand in memory."""
    return here.block.fill(x, here.block.space(np.shape(value), DTYPES[here.kind])) if isinstance(x, float) else x


def _in_order(here: Here, x: Area) -> Area:
    """Return an operand of the value's kind whose elements are in order."""
    return here.block.copy(x, here.block.space(x.shape, DTYPES[here.kind]))


def _for_blas(here: Here, x: Area) -> Area:
    """Return an operand as BLAS takes it."""
    down, along = ((0, *(s // x.picture.itemsize for s in x.picture.strides))[k] for k in (-2, -1))
    taken = blas.as_columns((x.shape[-2], x.shape[-1]), (down, along)) if len(x.shape) > 1 else along > 0
    return x if taken and x.kind == here.kind else _in_order(here, x)


def _multiplied(here: Here, a: Operand, b: Operand, start: Operand) -> Area | None:
    """Add a product to what it starts with: over rows, what is summed, and columns, for each matrix of a stack."""
    (*_, inner), of_b = np.shape(here.values[0]), np.shape(here.values[1])
    rows, columns = np.shape(here.values[0])[-2:-1], of_b[-1:] if len(of_b) > 1 else ()
    is_large = int(np.prod((*rows, inner, *columns))) > SMALL
    if here.kind == "b1" or (is_large and not (blas.is_there(here.kind) and max(*of_b, inner, *rows) <= blas.LARGEST)):
        return None
    a, b = _area(here, a, here.values[0]), _area(here, b, here.values[1])
    if is_large:
        a, b = _for_blas(here, a), _for_blas(here, b)
    elif columns and b.picture.strides[-1] != b.picture.itemsize and not rows:
        b = _in_order(here, b)
    out = here.block.copy(start, here.new())
    whole = (*here.shape[: len(here.shape) - len(rows) - len(columns)], *rows, inner, *columns)
    left = a.viewed(lambda x: np.broadcast_to(x.reshape(x.shape + (1,) * len(columns)), whole))
    right = b.viewed(lambda x: np.broadcast_to(np.expand_dims(x, -3) if rows and columns else x, whole))
    total = out.viewed(lambda x: np.broadcast_to(np.expand_dims(x, x.ndim - len(columns)), whole))
    assert left is not None
    assert right is not None
    assert total is not None
    here.block.add("matmul" if is_large else "multiply", (left, right), total, here.kind, fold="add")
    return out


def _matmul(here: Here, a: Operand, b: Operand) -> Operand | None:
    return _multiplied(here, a, b, 0.0)


PRODUCTS: dict[str, Rule] = {"matmul": _matmul, "affine": _multiplied}
"""Products → how they become instructions."""
