"""Sparse linear systems. A sparse matrix of SciPy cannot hold numbers that carry derivatives; its elements can."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.levels import read
from dualnumbers.rules.of_scipy.linalg import sparse_equations as rows
from dualnumbers.rules.shaping import array

from .._counterpart import Array, counterpart, missing

__all__ = ["spsolve"]
__getattr__ = missing(__name__)


@counterpart("sparse.linalg.spsolve", always=True)
def spsolve(A: Any, b: Array, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """The solution of A x = b, ``b`` of shape ``(n,)`` or ``(n, k)``.

    ``A`` is a sparse matrix, then constant, or ``(data, (row, column))`` as ``scipy.sparse.coo_array`` takes it: the
    elements, which may carry derivatives, and their places.
    """
    if isinstance(A, tuple):
        data, (row, column) = A
        data = array(data)
    else:
        if len(set(A.shape)) != 1:
            raise ValueError(f"spsolve: the matrix must be square, not of shape {A.shape}")
        whole = A.tocoo()
        data, row, column = whole.data, whole.row, whole.col
    row, column = np.asarray(read(row)), np.asarray(read(column))
    if len(shape(b)) not in (1, 2) or not shape(data) == row.shape == column.shape:
        raise ValueError(f"spsolve: data, rows and columns of one length and b of one or two axes, not of shapes "
                         f"{shape(data)}, {row.shape}, {column.shape} and {shape(b)}")  # fmt: skip
    return rows.spsolve(data, b, row, column)
