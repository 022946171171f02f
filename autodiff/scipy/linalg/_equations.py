"""Equations with matrices: linear systems of every structure, Sylvester, Lyapunov, Riccati."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.forms import asked, dtype_of, shape
from dualnumbers.levels import read
from dualnumbers.rules.complexes import adjoint, conj
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.linalg.determinants import det as determinant
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.linalg.systems import inv as inverse
from dualnumbers.rules.of_scipy.linalg import matrix_equations as rows
from dualnumbers.rules.of_scipy.linalg import structured_equations as structured
from dualnumbers.rules.shaping import array, astype

from .._counterpart import Array, counterpart, counterpart_of_row
from ._arguments import finite, matrix, moveaxis, of_columns

__all__ = [
    "cho_solve",
    "det",
    "inv",
    "lu_solve",
    "matmul_toeplitz",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
]

solve_sylvester = counterpart_of_row("linalg.solve_sylvester", rows.solve_sylvester)
solve_discrete_lyapunov = counterpart_of_row("linalg.solve_discrete_lyapunov", rows.solve_stein)


@counterpart("linalg.solve")
def solve(a: Array, b: Array, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
          check_finite: bool = True, assume_a: str | None = None, transposed: bool = False) -> Any:  # fmt: skip
    """The solution of a x = b. With ``assume_a``, elements that SciPy does not read have the derivative 0."""
    finite(check_finite, a, b)
    return of_columns(lambda b: rows.solve(a, b, assume_a, lower, transposed), b)


@counterpart("linalg.inv")
def inv(
    a: Array, overwrite_a: bool = False, check_finite: bool = True, *, assume_a: str | None = None, lower: bool = False
) -> Any:
    """The inverse. With ``assume_a``, elements that SciPy does not read have the derivative 0."""
    finite(check_finite, a)
    return inverse(rows.as_read(a, assume_a, lower))


@counterpart("linalg.det")
def det(a: Array, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The determinant, in double precision as SciPy's."""
    finite(check_finite, a)
    return determinant(a if dtype_of(a).char in "dD" else astype(a, asked(np.result_type, a, float)))


@counterpart("linalg.solve_triangular")
def solve_triangular(a: Array, b: Array, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False,
                     overwrite_b: bool = False, check_finite: bool = True) -> Any:  # fmt: skip
    """The solution with one triangle of ``a``; the other triangle has the derivative 0."""
    finite(check_finite, a, b)
    trans = {"N": 0, "T": 1, "C": 2}[trans] if isinstance(trans, str) else trans
    return of_columns(lambda b: rows.solve_triangular(a, b, trans, lower, unit_diagonal), b)


@counterpart("linalg.cho_solve")
def cho_solve(c_and_lower: Any, b: Array, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """The solution of A x = b, given the Cholesky factor of A and whether it is the lower one."""
    c, lower = array(c_and_lower[0]), c_and_lower[1]
    finite(check_finite, c, b)
    first, second = (0, 2) if lower else (2, 0)

    def solved(b: Any) -> Any:
        return rows.solve_triangular(c, rows.solve_triangular(c, b, first, lower, False), second, lower, False)

    return of_columns(solved, b)


def permutation(piv: Any) -> Any:
    """Return the rows in the order to which LAPACK's interchanges bring them: row i was exchanged with row piv[i]."""
    order = np.arange(len(piv))
    for i, k in enumerate(piv):
        order[[i, k]] = order[[k, i]]
    return order


@counterpart("linalg.lu_solve")
def lu_solve(lu_and_piv: Any, b: Array, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """The solution of A x = b (``trans`` 1: Aᵀ, 2: Aᴴ), given ``lu_factor(A)`` of one matrix.

    Raises ValueError for the factors of a stack.
    """
    lu, piv = array(lu_and_piv[0]), lu_and_piv[1]
    finite(check_finite, lu, b)
    if np.ndim(piv) != 1:
        raise ValueError(
            f"lu_solve: here of one matrix; for a stack, call solve(a, b), whose pivots are {np.shape(piv)}"
        )
    order = permutation(read(piv))

    def solved(b: Any) -> Any:
        if not trans:
            halfway = rows.solve_triangular(lu, getitem(b, (..., order, slice(None))), 0, True, True)
            return rows.solve_triangular(lu, halfway, 0, False, False)
        halfway = rows.solve_triangular(lu, b, trans, False, False)
        return getitem(rows.solve_triangular(lu, halfway, trans, True, True), (..., np.argsort(order), slice(None)))

    return of_columns(solved, b)


# ----------------------------------------------------------------------------------- banded, Toeplitz, circulant


@counterpart("linalg.solve_banded")
def solve_banded(
    l_and_u: Any, ab: Array, b: Array, overwrite_ab: bool = False, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """The solution with a banded matrix, ``ab[u + i - j, j] == a[i, j]``."""
    finite(check_finite, ab, b)
    below, above = map(int, l_and_u)
    return of_columns(lambda b: structured.solve_banded(ab, b, below, above), b)


@counterpart("linalg.solveh_banded")
def solveh_banded(ab: Array, b: Array, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
                  check_finite: bool = True) -> Any:  # fmt: skip
    """The solution with a Hermitian positive definite matrix of which one side's diagonals are given."""
    finite(check_finite, ab, b)
    return of_columns(lambda b: structured.solveh_banded(ab, b, lower), b)


def _column_and_row(c_or_cr: Any) -> tuple[Any, Any]:
    if isinstance(c_or_cr, tuple):
        return array(c_or_cr[0]), array(c_or_cr[1])
    return array(c_or_cr), conj(array(c_or_cr))


@counterpart("linalg.solve_toeplitz")
def solve_toeplitz(c_or_cr: Any, b: Array, check_finite: bool = True) -> Any:
    """The solution with a Toeplitz matrix, given its first column, or ``(first column, first row)``."""
    c, r = _column_and_row(c_or_cr)
    finite(check_finite, c, r, b)
    return of_columns(lambda b: structured.solve_toeplitz(c, r, b), b)


@counterpart("linalg.matmul_toeplitz")
def matmul_toeplitz(c_or_cr: Any, x: Array, check_finite: bool = False, workers: int | None = None) -> Any:
    """The product of a Toeplitz matrix with ``x``, by the matrix itself: no rounding of a Fourier transform."""
    c, r = _column_and_row(c_or_cr)
    finite(check_finite, c, r, x)
    return of_columns(lambda x: matmul(structured.toeplitz(c, r), x), x)


@counterpart("linalg.solve_circulant")
def solve_circulant(c: Array, b: Array, singular: str = "raise", tol: float | None = None, caxis: int = -1,
                    baxis: int = 0, outaxis: int = 0) -> Any:  # fmt: skip
    """The solution with the circulant matrix whose first column is ``c``.

    Raises TypeError where a least-squares solution is asked for, LinAlgError where the matrix is singular.
    """
    if singular != "raise" or tol is not None:
        raise TypeError(
            "solve_circulant of numbers solves with regular matrices only, singular='raise' and tol=None; "
            "for a least-squares solution call lstsq(circulant(c), b)"
        )
    return moveaxis(structured.solve_circulant(moveaxis(c, caxis, -1), moveaxis(b, baxis, -1)), -1, outaxis)


# -------------------------------------------------------------------------------------------- Lyapunov and Riccati


@counterpart("linalg.solve_continuous_lyapunov")
def solve_continuous_lyapunov(a: Array, q: Array) -> Any:
    """X of A X + X Aᴴ = Q."""
    a, q = matrix(a), matrix(q)
    return rows.solve_sylvester(a, adjoint(a), q)


solve_lyapunov = counterpart("linalg.solve_lyapunov")(solve_continuous_lyapunov)


def _riccati(row: Any, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any, balanced: bool) -> Any:
    """By the row in all six matrices: without ``e`` the identity stands for it, without ``s`` zeros do."""
    if not balanced:
        raise TypeError(f"{row.row.name} of numbers balances its matrices, as balanced=True does")
    a, b, q, r = map(matrix, (a, b, q, r))
    kind = dtype_of(a)
    e = np.eye(shape(a)[-1], dtype=kind) if e is None else e
    return row(a, b, q, r, e, np.zeros(shape(b), dtype=kind) if s is None else s)


@counterpart("linalg.solve_continuous_are")
def solve_continuous_are(
    a: Array, b: Array, q: Array, r: Array, e: Array = None, s: Array = None, balanced: bool = True
) -> Any:
    """The stabilising solution of Aᴴ X E + Eᴴ X A − (Eᴴ X B + S) R⁻¹ (Bᴴ X E + Sᴴ) + Q = 0."""
    return _riccati(rows.solve_continuous_are, a, b, q, r, e, s, balanced)


@counterpart("linalg.solve_discrete_are")
def solve_discrete_are(
    a: Array, b: Array, q: Array, r: Array, e: Array = None, s: Array = None, balanced: bool = True
) -> Any:
    """The stabilising solution of Aᴴ X A − Eᴴ X E − (Aᴴ X B + S) (R + Bᴴ X B)⁻¹ (Bᴴ X A + Sᴴ) + Q = 0."""
    return _riccati(rows.solve_discrete_are, a, b, q, r, e, s, balanced)
