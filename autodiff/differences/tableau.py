"""Extrapolation of difference quotients to steps of 0: Neville's tableau, and the entry of least error in it.

A row belongs to a step, half of that of the row before. Its column j is free of the first j powers of the step in which
the quotients' error expands.

>>> rows = np.empty((0, 1))
>>> for h in (1.0, 0.5, 0.25):  # (sin h)/h = 1 − h²/6 + h⁴/120 − …
...     rows = extrapolated(np.array([np.sin(h) / h]), rows, 2, 2)
>>> rows.ravel()
array([0.9896..., 0.9998..., 0.9999...])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]

COLUMNS = 7
"""Columns of the tableau: from 7 on, halving h removes more rounding than truncation."""


@dataclass(frozen=True, eq=False)
class Quotient:
    """A derivative by differences: ``value``, its ``error``, the ``step`` it was taken at, arrays of one shape."""

    value: Any
    error: Any
    step: Any


def extrapolated(quotient: Values, coarser: Values, first: int, stride: int) -> Values:
    """Compute the next row of the tableau: column j is free of j powers of h, ``first``, ``first + stride``, …."""
    columns = min(len(coarser), COLUMNS)
    row = np.empty((columns + 1, *quotient.shape), np.result_type(quotient, coarser))
    row[0] = quotient
    for j in range(columns):
        row[j + 1] = row[j] + (row[j] - coarser[j]) / (2.0 ** (first + stride * j) - 1.0)
    return row


def best_of_row(row: Values, coarser: Values, floors: Values, h: float) -> Quotient:
    """Find the entry of least error in a row: the distance to its three neighbours, and its floor."""
    count = min(len(row), len(coarser))
    if count < 2:
        return unknown(row[0])
    entries = row[1:count]
    nearby = np.maximum(np.abs(entries - row[: count - 1]), np.abs(entries - coarser[: count - 1]))
    errors = np.maximum(nearby, np.abs(entries - coarser[1:count])) + floors[1:count]
    worst = np.finfo(errors.dtype).max  # an entry without an error is better than none
    best = np.argmin(np.where(np.isnan(entries), np.inf, np.fmin(errors, worst)), axis=0)
    value, error = np.choose(best, entries), np.choose(best, errors)
    none = np.isnan(value)
    return Quotient(value, np.where(none, np.inf, error), np.where(none, np.nan, h))


def better(best: Quotient, other: Quotient) -> Quotient:
    """Choose of two the one of less error, element by element; the first where they are equal, if it is known."""
    closer = (other.error < best.error) | (np.isnan(best.value) & ~np.isnan(other.value))
    return Quotient(
        np.where(closer, other.value, best.value),
        np.where(closer, other.error, best.error),
        np.where(closer, other.step, best.step),
    )


def unknown(value: Values) -> Quotient:
    """Return what is known of the slope of such a value before any step."""
    nan = np.full(value.shape, np.nan)
    return Quotient(nan, np.full(value.shape, np.inf), nan)
