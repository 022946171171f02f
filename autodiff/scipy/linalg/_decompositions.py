"""Decompositions of matrices, in NumPy's rows: what the factors leave free is fixed as `dualnumbers` says there."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from dualnumbers.forms import shape
from dualnumbers.levels import is_lazy, read
from dualnumbers.rules.complexes import adjoint
from dualnumbers.rules.indexing import getitem, scatter
from dualnumbers.rules.linalg import decompositions as rows
from dualnumbers.rules.linalg import norms, singular_values
from dualnumbers.rules.linalg.factors import hermitian_matrix
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.linalg.systems import solve
from dualnumbers.rules.of_scipy.linalg.matrix_equations import solve_triangular
from dualnumbers.table.dispatch import TO_DECIDE_BY, refuse

from ...calls.closures import holds_numbers
from .._counterpart import Array, counterpart
from ._arguments import finite

__all__ = ["cho_factor", "cholesky", "eig", "eigh", "eigh_tridiagonal", "eigvals", "eigvalsh",
           "eigvalsh_tridiagonal", "hessenberg", "norm", "null_space", "orth", "polar", "qr", "rq", "schur",
           "svd", "svdvals"]  # fmt: skip


@counterpart("linalg.cholesky")
def cholesky(a: Array, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The triangular factor of a Hermitian positive definite matrix: Rᴴ R, or L Lᴴ if ``lower``."""
    finite(check_finite, a)
    return rows.cholesky(a, upper=not lower)


@counterpart("linalg.cho_factor", always=True)
def cho_factor(a: Array, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """`cholesky`'s factor and ``lower``, for `cho_solve`; the other triangle is 0, which SciPy leaves undefined."""
    return cholesky(a, lower, check_finite=check_finite), lower


@counterpart("linalg.svd")
def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False,
        check_finite: bool = True, lapack_driver: str = "gesdd") -> Any:  # fmt: skip
    """U, the singular values in descending order, Vᴴ; the values alone without ``compute_uv``."""
    finite(check_finite, a)
    return tuple(singular_values.svd(a, full_matrices)) if compute_uv else singular_values.svdvals(a)


@counterpart("linalg.svdvals")
def svdvals(a: Array, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The singular values in descending order."""
    finite(check_finite, a)
    return singular_values.svdvals(a)


@counterpart("linalg.polar")
def polar(a: Array, side: str = "right") -> Any:
    """U and the positive P with A = U P, or A = P U for ``side="left"``, by the singular values as SciPy does it.

    Raises ValueError for another ``side``.
    """
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    w, s, vh = singular_values.svd(a, False)
    basis = adjoint(vh) if side == "right" else w
    return matmul(w, vh), matmul(basis * s, adjoint(basis))


@counterpart("linalg.qr")
def qr(a: Array, overwrite_a: bool = False, lwork: int | None = None, mode: str = "full", pivoting: bool = False,
       check_finite: bool = True) -> Any:  # fmt: skip
    """Q and R of ``mode="economic"``, or of "full" for no more rows than columns; with ``pivoting`` the permutation.

    Raises TypeError for another ``mode``, in which columns of Q are not determined.
    """
    finite(check_finite, a)
    m, n = shape(a)[-2:]
    if mode not in ("full", "r", "economic"):
        raise TypeError(f"scipy.linalg.qr with mode={mode!r} has no derivative here; use mode='economic'")
    if mode != "economic" and m > n:
        raise TypeError(
            f"scipy.linalg.qr with mode={mode!r} with shape {(m, n)} has no derivative: the columns "
            f"of Q beyond the first {n} are not determined; use mode='economic'"
        )
    if pivoting:
        refuse(is_lazy, "scipy.linalg.qr with pivoting=True", TO_DECIDE_BY, [a])
    order = scipy.linalg.qr(read(a), mode="r", pivoting=True)[1] if pivoting else None
    q, r = rows.qr(a if order is None else getitem(a, (..., order)))
    parts = (r,) if mode == "r" else (q, r)
    return parts if order is None else (*parts, order)


@counterpart("linalg.rq")
def rq(
    a: Array, overwrite_a: bool = False, lwork: int | None = None, mode: str = "full", check_finite: bool = True
) -> Any:
    """R and Q with A = R Q: `qr` of Aᴴ with its rows and columns reversed; "full" for no more columns than rows.

    Raises ValueError for an unknown ``mode``, TypeError for one in which rows of Q are not determined.
    """
    finite(check_finite, a)
    m, n = shape(a)[-2:]
    if mode not in ("full", "r", "economic"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    if mode != "economic" and n > m:
        raise TypeError(
            f"scipy.linalg.rq with mode={mode!r} with shape {(m, n)} has no derivative: the rows of Q "
            f"before the last {m} are not determined; use mode='economic'"
        )
    backward = slice(None, None, -1)
    q, r = (adjoint(x) for x in rows.qr(adjoint(getitem(a, (..., backward, backward)))))
    r, q = getitem(r, (..., backward, backward)), getitem(q, (..., backward, backward))
    return r if mode == "r" else (r, q)


# ----------------------------------------------------------------------------------------------------- eigenvalues


def _chosen(w: Any, subset_by_index: Any, subset_by_value: Any) -> Any:
    if subset_by_index is not None:
        first, last = subset_by_index
        return slice(int(first), int(last) + 1)
    if subset_by_value is None:
        return slice(None)
    low, high = subset_by_value
    return np.flatnonzero((low < w) & (w <= high))


def _standard(a: Any, b: Any, lower: bool, kind: int) -> tuple[Any, Any]:
    """Return the Hermitian matrix with the eigenvalues of a pair, and L with B = L Lᴴ."""
    triangle = "L" if lower else "U"
    a = hermitian_matrix(a, triangle)
    factor = rows.cholesky(b, upper=not lower)
    factor = factor if lower else adjoint(factor)
    if kind != 1:
        return matmul(matmul(adjoint(factor), a), factor), factor
    half = solve_triangular(factor, a, 0, True, False)
    return adjoint(solve_triangular(factor, adjoint(half), 0, True, False)), factor


@counterpart("linalg.eigh")
def eigh(a: Array, b: Array = None, *, lower: bool = True, eigvals_only: bool = False, overwrite_a: bool = False,
         overwrite_b: bool = False, type: int = 1, check_finite: bool = True, subset_by_index: Any = None,
         subset_by_value: Any = None, driver: str | None = None) -> Any:  # fmt: skip
    """Eigenvalues in ascending order and eigenvectors of a Hermitian matrix, or of a pair with B positive definite.

    Raises ValueError where subsets by index and by value are asked for.
    """
    finite(check_finite, a)
    if subset_by_index is not None and subset_by_value is not None:
        raise ValueError("Either index or value subset can be requested.")
    triangle, factor = "L" if lower else "U", None
    if b is not None:
        a, factor = _standard(a, b, lower, type)
        triangle = "L"
    if eigvals_only:
        w = rows.eigvalsh(a, triangle)
        return getitem(w, (..., _chosen(w, subset_by_index, subset_by_value)))
    w, v = rows.eigh(a, triangle)
    kept = _chosen(w, subset_by_index, subset_by_value)
    w, v = getitem(w, (..., kept)), getitem(v, (..., kept))
    if factor is None:
        return w, v
    return w, matmul(factor, v) if type == 3 else solve_triangular(factor, v, 2, True, False)


@counterpart("linalg.eigvalsh")
def eigvalsh(a: Array, b: Array = None, *, lower: bool = True, overwrite_a: bool = False, overwrite_b: bool = False,
             type: int = 1, check_finite: bool = True, subset_by_index: Any = None, subset_by_value: Any = None,
             driver: str | None = None) -> Any:  # fmt: skip
    """The eigenvalues of `eigh`."""
    return eigh(a, b, lower=lower, eigvals_only=True, type=type, check_finite=check_finite,
                subset_by_index=subset_by_index, subset_by_value=subset_by_value)  # fmt: skip


def subsets(select: Any, bounds: Any) -> dict[str, Any]:
    """Return the keywords of `eigh` for SciPy's older ones: "a", "v", "i", or 0, 1, 2."""
    letter = "avi"[select] if isinstance(select, int) else str(select)[0]
    return {"a": {}, "v": {"subset_by_value": bounds}, "i": {"subset_by_index": bounds}}[letter]


@counterpart("linalg.eigh_tridiagonal")
def eigh_tridiagonal(d: Array, e: Array, eigvals_only: bool = False, select: Any = "a", select_range: Any = None,
                     check_finite: bool = True, tol: float = 0.0, lapack_driver: str = "auto") -> Any:  # fmt: skip
    """Eigenvalues and eigenvectors of the real symmetric matrix with diagonal ``d`` and off-diagonal ``e``."""
    finite(check_finite, d, e)
    n = shape(d)[-1]
    i = np.arange(n)
    a = scatter(d, (n, n), (i, i)) + scatter(e, (n, n), (i[1:], i[:-1]))
    return eigh(a, eigvals_only=eigvals_only, **subsets(select, select_range))


@counterpart("linalg.eigvalsh_tridiagonal")
def eigvalsh_tridiagonal(d: Array, e: Array, select: Any = "a", select_range: Any = None, check_finite: bool = True,
                         tol: float = 0.0, lapack_driver: str = "auto") -> Any:  # fmt: skip
    """The eigenvalues of `eigh_tridiagonal`."""
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite)


def _complex_pair(a: Any, b: Any) -> Any:
    return a if b is None else solve(b, a)


@counterpart("linalg.eig")
def eig(a: Array, b: Array = None, left: bool = False, right: bool = True, overwrite_a: bool = False,
        overwrite_b: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False) -> Any:  # fmt: skip
    """Eigenvalues and right eigenvectors of length 1, complex as SciPy's; with ``b`` those of B⁻¹ A.

    Raises TypeError for left eigenvectors and for quotients of numbers.
    """
    finite(check_finite, a)
    if left or homogeneous_eigvals:
        raise TypeError(
            "scipy.linalg.eig of numbers gives eigenvalues and right eigenvectors; for left ones call eig(a.conj().T)"
        )
    if not right:
        return eigvals(a, b)
    w, v = rows.eig(_complex_pair(a, b))
    return w + 0j, v


@counterpart("linalg.eigvals")
def eigvals(
    a: Array, b: Array = None, overwrite_a: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False
) -> Any:
    """The eigenvalues, complex as SciPy's; with ``b`` those of B⁻¹ A.

    Raises TypeError for quotients of numbers.
    """
    finite(check_finite, a)
    if homogeneous_eigvals:
        raise TypeError("scipy.linalg.eigvals of numbers gives quotients; use homogeneous_eigvals=False")
    return rows.eigvals(_complex_pair(a, b)) + 0j


# ------------------------------------------------------------------------------------------------------------ norms


@counterpart("linalg.norm")
def norm(a: Array, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """As ``numpy.linalg.norm``."""
    finite(check_finite, a)
    return norms.norm(a, ord, axis, keepdims)


# ---------------------------------------------------------------------------------------------------------- refused


def _refused(name: str, reason: str) -> Any:
    def refuse(*arguments: Any, **keywords: Any) -> Any:
        if holds_numbers(arguments, keywords):
            raise TypeError(f"scipy.linalg.{name} {reason}")
        return getattr(scipy.linalg, name)(*arguments, **keywords)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"As ``scipy.linalg.{name}``, of plain arrays; of numbers it raises TypeError: it {reason}."
    return refuse


_NO_BASIS = "is determined up to a rotation only and has no derivative; of the space differentiate its projector, "
null_space = _refused("null_space", _NO_BASIS + "1 - pinv(A) A")
orth = _refused("orth", _NO_BASIS + "A pinv(A)")
schur = _refused("schur", "has no derivative here; use eigh for a Hermitian matrix, eig or eigvals for another")
hessenberg = _refused("hessenberg", "has no derivative here; differentiate what is computed from the matrix itself")
