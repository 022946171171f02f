"""Sparse matrices of numbers made of diagonals and of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.foreign import is_sparse
from dualnumbers.forms import shape
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, reshape
from dualnumbers.sparse import SparseArray, as_sparse_array

from ...calls.closures import holds_numbers
from .._counterpart import _original, counterpart
from ._making import of_dense, of_elements


def _plain(*given: Any) -> bool:
    """Return whether all is SciPy's own, or plain: lists of lists of it."""
    flat: list[Any] = []
    for x in given:
        for part in x if isinstance(x, (list, tuple)) else [x]:
            flat += part if isinstance(part, (list, tuple)) else [part]
    return not any(isinstance(x, SparseArray) for x in flat) and not holds_numbers(*given)


def _sparse(block: Any) -> SparseArray:
    """Return a block as a sparse matrix in the format coo; of a dense one every element counts."""
    if is_sparse(type(block)):
        return as_sparse_array(block).tocoo()
    dense = array(block)
    dense = reshape(dense, (1, -1), "C") if len(shape(dense)) < 2 else dense
    return of_dense(dense)


def _formed(found: SparseArray, format: str | None, dtype: Any = None) -> SparseArray:
    found = found.asformat(format if format != "dia" else None)
    return found if dtype is None else found.astype(dtype)


# ------------------------------------------------------------------------------------------- of diagonals


def _of_diagonals(
    name: str, given: Any, offsets: Any, to: Any, format: Any, dtype: Any, is_matrix: bool = False
) -> SparseArray:
    if np.ndim(offsets) == 0:
        given, offsets = [given], [offsets]
    diagonals = [array(x) for x in given]
    diagonals = [reshape(x, -1, "C") if not shape(x) else x for x in diagonals]
    offsets = [int(k) for k in offsets]
    if len(diagonals) != len(offsets):
        raise ValueError(f"{name}: {len(diagonals)} diagonals and {len(offsets)} offsets{user_line()}")
    if to is None:
        n = shape(diagonals[0])[0] + abs(offsets[0])
        to = n, n
    data, rows, columns = [], [], []
    for k, x in zip(offsets, diagonals, strict=True):
        length = max(0, min(to[0] + min(k, 0), to[1] - max(k, 0)))
        if shape(x) not in ((length,), (1,)) or not length:
            raise ValueError(
                f"{name}: the diagonal {k} of a matrix of shape {tuple(to)} has {length} elements, not "
                f"{shape(x)}{user_line()}"
            )
        data.append(broadcast_to(x, (length,)))
        rows.append(np.arange(length) + max(-k, 0))
        columns.append(np.arange(length) + max(k, 0))
    whole = of_elements(concatenate(*data, 0), np.concatenate(rows), np.concatenate(columns), tuple(to), is_matrix)
    return _formed(whole, format, dtype)


@counterpart("sparse.diags_array", always=True)
def diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = None
) -> Any:
    """A sparse array of diagonals, each at its offset; one of a single number is that number throughout.

    Raises ValueError where a diagonal has another length than the shape leaves it.
    """
    if _plain(diagonals):
        return _original("sparse.diags_array")(
            diagonals, offsets=offsets, shape=shape, format=format, **{} if dtype is None else {"dtype": dtype}
        )
    return _of_diagonals("diags_array", diagonals, offsets, shape, format, dtype)


@counterpart("sparse.diags", always=True)
def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = None) -> Any:
    """As `diags_array`, a sparse matrix: ``*`` is the product of matrices."""
    if _plain(diagonals):
        return _original("sparse.diags")(diagonals, offsets, shape, format, **{} if dtype is None else {"dtype": dtype})
    return _of_diagonals("diags", diagonals, offsets, shape, format, dtype, is_matrix=True)


# ------------------------------------------------------------------------------------------- of blocks


def _length(name: str, lengths: list[int | None], what: str) -> int:
    known = {n for n in lengths if n is not None}
    if len(known) != 1:
        raise ValueError(
            f"{name}: the blocks of {what} have {sorted(known) or 'no'} lengths, where one is needed{user_line()}"
        )
    return known.pop()


def _of_blocks(name: str, blocks: Any, format: str | None, dtype: Any) -> SparseArray:
    given = [[None if block is None else _sparse(block) for block in line] for line in blocks]
    if not given or len({len(line) for line in given}) != 1:
        raise ValueError(f"{name}: blocks is a list of rows, lists of one length{user_line()}")
    heights = [_length(name, [None if b is None else b.shape[0] for b in line], "a row") for line in given]
    columns = zip(*given, strict=True)
    widths = [_length(name, [None if b is None else b.shape[1] for b in line], "a column") for line in columns]
    top, left = np.cumsum([0, *heights]), np.cumsum([0, *widths])
    found = [(b, i, k) for i, line in enumerate(given) for k, b in enumerate(line) if b is not None]
    whole = of_elements(
        concatenate(*(b.data for b, _, _ in found), 0),
        np.concatenate([b.first + top[i] for b, i, _ in found]),
        np.concatenate([b.second + left[k] for b, _, k in found]),
        (int(top[-1]), int(left[-1])),
        False,
    )
    return _formed(whole, format, dtype)


@counterpart("sparse.block_array", always=True)
def block_array(blocks: Any, *, format: str | None = None, dtype: Any = None) -> Any:
    """A sparse array of blocks, a list of rows; None is a block of zeros. ValueError where their shapes do not fit."""
    if _plain(*blocks):
        return _original("sparse.block_array")(blocks, format=format, dtype=dtype)
    return _of_blocks("block_array", blocks, format, dtype)


@counterpart("sparse.vstack", always=True)
def vstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Sparse arrays one below the other. ValueError where their widths differ."""
    if _plain(blocks):
        return _original("sparse.vstack")(blocks, format, dtype)
    return _of_blocks("vstack", [[block] for block in blocks], format, dtype)


@counterpart("sparse.hstack", always=True)
def hstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Sparse arrays side by side. ValueError where their heights differ."""
    if _plain(blocks):
        return _original("sparse.hstack")(blocks, format, dtype)
    return _of_blocks("hstack", [list(blocks)], format, dtype)


@counterpart("sparse.block_diag", always=True)
def block_diag(mats: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Sparse arrays along the diagonal."""
    if _plain(mats):
        return _original("sparse.block_diag")(mats, format, dtype)
    count = len(mats)
    blocks = [[mats[i] if i == k else None for k in range(count)] for i in range(count)]
    return _of_blocks("block_diag", blocks, format, dtype)


@counterpart("sparse.kron", always=True)
def kron(A: Any, B: Any, format: str | None = None) -> Any:
    """Every element of A times the whole of B, as blocks: the Kronecker product."""
    if _plain(A, B):
        return _original("sparse.kron")(A, B, format)
    a, b = _sparse(A), _sparse(B)
    left, right = np.repeat(np.arange(a.nnz), b.nnz), np.tile(np.arange(b.nnz), a.nnz)
    row = a.first[left].astype(np.int64) * b.shape[0] + b.first[right]
    column = a.second[left].astype(np.int64) * b.shape[1] + b.second[right]
    data = getitem(a.data, (left,)) * getitem(b.data, (right,))
    return _formed(of_elements(data, row, column, (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), False), format)
