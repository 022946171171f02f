"""Sparse linear systems, whose elements and right sides may carry derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.foreign import is_sparse
from dualnumbers.forms import shape
from dualnumbers.levels import is_lazy, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.complexes import conj
from dualnumbers.rules.of_scipy.linalg import sparse_equations as rows
from dualnumbers.rules.shaping import array
from dualnumbers.sparse import as_sparse_array
from dualnumbers.table.dispatch import TO_DECIDE_BY, refuse

from .._counterpart import Array, counterpart, missing

__all__ = ["factorized", "splu", "spsolve"]
__getattr__ = missing(__name__)

Factors = tuple[Any, rows.System]
"""The elements of a matrix, and the system that they are of."""


def _taken(name: str, A: Any, ordering: str | None = None, options: dict[str, Any] | None = None) -> Factors:
    """Return the elements of a square matrix, however it is given, and where they stand."""
    if isinstance(A, tuple):
        data, (row, column) = A
        refuse(is_lazy, f"scipy.sparse.linalg.{name} of places", TO_DECIDE_BY, [row, column])
        data, row, column = array(data), np.asarray(read(row)), np.asarray(read(column))
        if not shape(data) == row.shape == column.shape or len(row.shape) != 1:
            raise ValueError(
                f"{name}: data, rows and columns of one length, not of shapes {shape(data)}, {row.shape} "
                f"and {column.shape}{user_line()}"
            )
        return data, rows.System(row, column, max(row.max(initial=-1), column.max(initial=-1)) + 1, ordering, options)
    if not is_sparse(type(A)):
        raise TypeError(
            f"{name}: A is a sparse matrix: give autodiff.scipy.sparse.csc_array(A), or call "
            f"np.linalg.solve(A, b){user_line()}"
        )
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"{name}: the matrix must be square, not of shape {A.shape}{user_line()}")
    whole = as_sparse_array(A).tocoo()
    return whole.data, rows.System(whole.first, whole.second, A.shape[0], ordering, options)


def _solved(name: str, factors: Factors, b: Any, transposed: bool = False) -> Any:
    data, system = factors
    if is_sparse(type(b)):
        b = b.toarray()
    if len(shape(b)) not in (1, 2) or shape(b)[0] != system.n:
        raise ValueError(
            f"{name}: b has {system.n} rows, one for each of the matrix, and one or two axes, not the "
            f"shape {shape(b)}{user_line()}"
        )
    return rows.spsolve(data, b, system, transposed)


@counterpart("sparse.linalg.spsolve", always=True)
def spsolve(A: Any, b: Array, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """The solution of A x = b, ``b`` of shape ``(n,)`` or ``(n, k)``, by SuperLU.

    ``A`` is a sparse matrix, of SciPy's or of numbers (`autodiff.scipy.sparse.csc_array`), or its elements and their
    places, ``(data, (row, column))``. Raises ValueError for other shapes, TypeError where A is not sparse.
    """
    return _solved("spsolve", _taken("spsolve", A, permc_spec), b)


class SuperLU:
    """The factors of a sparse matrix, as ``scipy.sparse.linalg.SuperLU`` has them, which solve with numbers."""

    def __init__(self, factors: Factors) -> None:
        self._data, self._system = factors
        self._factorised()

    def _factorised(self) -> Any:
        """Return SciPy's factors of the plain elements; RuntimeError where the matrix is singular."""
        refuse(is_lazy, "scipy.sparse.linalg.splu", TO_DECIDE_BY, [self._data])
        data = np.asarray(read(self._data))
        return self._system.factors(data.astype(np.result_type(data, np.float32), copy=False))[1]

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        return self._system.n, self._system.n

    @property
    def nnz(self) -> int:
        """How many elements L and U have."""
        return int(self._factorised().nnz)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """Return the solution of A x = rhs; of Aᵀ x = rhs with ``trans="T"``, of Aᴴ x = rhs with ``"H"``.

        Raises ValueError for another shape than ``(n,)`` or ``(n, k)``, and for another ``trans``.
        """
        if trans not in ("N", "T", "H"):
            raise ValueError(f'trans is "N", "T" or "H", not {trans!r}{user_line()}')
        data = conj(self._data) if trans == "H" else self._data
        return _solved("solve", (data, self._system), array(rhs), trans != "N")


@counterpart("sparse.linalg.splu", always=True)
def splu(A: Any, permc_spec: str | None = None, diag_pivot_thresh: float | None = None, relax: int | None = None,
         panel_size: int | None = None, options: dict[str, Any] | None = None) -> SuperLU:  # fmt: skip
    """The factors of a sparse matrix, whose ``solve(b)`` solves for any number of right sides.

    ``A`` as in `spsolve`. A matrix of SciPy's is taken as constant; that of derivatives by its elements is solved with
    the same factors. Raises RuntimeError where the matrix is singular.
    """
    chosen = {"diag_pivot_thresh": diag_pivot_thresh, "relax": relax, "panel_size": panel_size, "options": options}
    return SuperLU(_taken("splu", A, permc_spec, {name: x for name, x in chosen.items() if x is not None}))


@counterpart("sparse.linalg.factorized", always=True)
def factorized(A: Any) -> Callable[[Any], Any]:
    """The function that solves A x = b for a right side ``b``, with the factors of A. ``A`` as in `spsolve`."""
    return splu(A).solve
