"""What the functions here have in common: how they take arguments that SciPy's take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.levels import holds_somewhere, known
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.shaping import expand_dims, reshape, transpose


def finite(check: bool, *arrays: Any) -> None:
    """Raise ValueError where SciPy's ``check_finite`` does."""
    if check and any(holds_somewhere(np.logical_not(np.isfinite(known(x)))) for x in arrays):
        raise ValueError("array must not contain infs or NaNs")


def vector(x: Any) -> Any:
    """Return an array of at least one axis: a number as a vector of one element."""
    return x if shape(x) else reshape(x, (1,), "C")


def matrix(x: Any) -> Any:
    """Return an array of at least two axes, as ``np.atleast_2d`` does: a vector as a row."""
    return x if len(shape(x)) > 1 else reshape(x, (1, -1), "C")


def of_columns(solve: Callable[[Any], Any], b: Any) -> Any:
    """Return a solution for a right side of columns, or for a vector as SciPy takes one: a right side of one axis."""
    return solve(b) if len(shape(b)) > 1 else getitem(solve(expand_dims(b, -1)), (..., 0))


def _order(rank: int, source: int, to: int) -> list[int]:
    order = list(range(rank))
    order.insert(to % rank, order.pop(source))
    return order


def moveaxis(x: Any, source: int, to: int) -> Any:
    """Move an axis as ``np.moveaxis`` does, one only."""
    return transpose(x, tuple(_order(len(shape(x)), source, to)))
