"""Where the elements of sparse matrices stand: rows and columns, plain arrays of integers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Index = Any


class Order(NamedTuple):
    """How elements come to stand once at each place, row by row."""

    row: Index
    column: Index
    of: Index
    """Of each element given, which of these it is added to."""


def canonical(row: Index, column: Index, shape: tuple[int, int]) -> Order | None:
    """Return the order of elements row by row, equal places together; None where they are in it."""
    key = row.astype(np.int64) * shape[1] + column
    if np.all(key[1:] > key[:-1]):
        return None
    every, of = np.unique(key, return_inverse=True)
    return Order(every // shape[1], every % shape[1], of)


def starts(line: Index, count: int) -> Index:
    """Return where each of ``count`` lines begins, of elements that are sorted by their line."""
    return np.concatenate([[0], np.cumsum(np.bincount(line, minlength=count))]).astype(np.int32)


def pairs(column: Index, row: Index, count: int) -> tuple[Index, Index]:
    """Return the pairs of elements whose products A B sums, given the columns of A's and the rows of B's.

    ``count`` is the number of rows of B.
    """
    order = np.argsort(row, kind="stable")
    first = starts(row, count)
    found = np.diff(first)[column]
    left = np.repeat(np.arange(len(column)), found)
    within = np.arange(len(left)) - np.repeat(np.cumsum(found) - found, found)
    return left, order[first[column][left] + within]


def common(one: tuple[Index, Index], other: tuple[Index, Index], shape: tuple[int, int]) -> tuple[Index, Index]:
    """Return which elements of two matrices, each once at its place, stand at the same places."""
    a, b = (row.astype(np.int64) * shape[1] + column for row, column in (one, other))
    _, left, right = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    return left, right
