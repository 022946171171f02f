"""Hermitian matrices stored by their diagonals: eigenvalues and Cholesky's factor, by way of the full matrix."""

from __future__ import annotations

from typing import Any

from dualnumbers.forms import shape
from dualnumbers.rules.indexing import getitem, scatter
from dualnumbers.rules.linalg import decompositions as rows
from dualnumbers.rules.of_scipy.linalg.structured_equations import banded_adjoint, places, solve_banded
from dualnumbers.rules.shaping import array

from .._counterpart import Array, counterpart
from ._arguments import finite, of_columns
from ._decompositions import eigh, subsets

__all__ = ["cho_solve_banded", "cholesky_banded", "eig_banded", "eigvals_banded"]


def _places(ab: Any, lower: bool) -> Any:
    """Return the row and column in band storage, and the row in the matrix, of every element of one side."""
    wide, n = shape(ab)[-2] - 1, shape(ab)[-1]
    return places(wide, 0, n) if lower else places(0, wide, n)


def _triangle(ab: Any, lower: bool) -> Any:
    """Return the full matrix, with zeros on its other side."""
    row, column, i = _places(ab, lower)
    n = shape(ab)[-1]
    return scatter(getitem(ab, (..., row, column)), (*shape(ab)[:-2], n, n), (..., i, column))


@counterpart("linalg.cholesky_banded")
def cholesky_banded(ab: Array, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True) -> Any:
    """Cholesky's factor in the same storage, 0 where that stores nothing."""
    finite(check_finite, ab)
    row, column, i = _places(ab, lower)
    factor = rows.cholesky(_triangle(ab, lower), upper=not lower)
    return scatter(getitem(factor, (..., i, column)), shape(ab), (..., row, column))


@counterpart("linalg.cho_solve_banded")
def cho_solve_banded(cb_and_lower: Any, b: Array, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """The solution of A x = b, given ``cholesky_banded(A)`` and whether it is the lower factor."""
    cb, lower = array(cb_and_lower[0]), cb_and_lower[1]
    finite(check_finite, cb, b)
    wide = shape(cb)[-2] - 1
    below, above = (wide, 0) if lower else (0, wide)
    turned = banded_adjoint(cb, below, above)

    def solved(b: Any) -> Any:
        if lower:
            return solve_banded(turned, solve_banded(cb, b, below, above), above, below)
        return solve_banded(cb, solve_banded(turned, b, above, below), below, above)

    return of_columns(solved, b)


@counterpart("linalg.eig_banded")
def eig_banded(a_band: Array, lower: bool = False, eigvals_only: bool = False, overwrite_a_band: bool = False,
               select: Any = "a", select_range: Any = None, max_ev: int = 0,
               check_finite: bool = True) -> Any:  # fmt: skip
    """Eigenvalues in ascending order and eigenvectors, as `eigh` has them."""
    return eigh(_triangle(a_band, lower), lower=lower, eigvals_only=eigvals_only, check_finite=check_finite,
                **subsets(select, select_range))  # fmt: skip


@counterpart("linalg.eigvals_banded")
def eigvals_banded(a_band: Array, lower: bool = False, overwrite_a_band: bool = False, select: Any = "a",
                   select_range: Any = None, check_finite: bool = True) -> Any:  # fmt: skip
    """The eigenvalues of `eig_banded`."""
    return eig_banded(a_band, lower, True, select=select, select_range=select_range, check_finite=check_finite)
