"""Least squares and pseudoinverses, at constant rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import asked, shape
from dualnumbers.levels import is_lazy, known, read
from dualnumbers.rules.complexes import adjoint
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.linalg import least_squares as rows
from dualnumbers.rules.linalg.factors import hermitian_matrix
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.linalg.singular_values import matrix_rank, svd
from dualnumbers.rules.reductions import sum
from dualnumbers.table.dispatch import TO_DECIDE_BY, refuse

from .._counterpart import Array, counterpart
from ._arguments import finite

__all__ = ["lstsq", "orthogonal_procrustes", "pinv", "pinvh"]

DRIVERS = ("gelsd", "gelsy", "gelss")


@counterpart("linalg.lstsq")
def lstsq(a: Array, b: Array, cond: float | None = None, overwrite_a: bool = False, overwrite_b: bool = False,
          check_finite: bool = True, lapack_driver: str | None = None) -> Any:  # fmt: skip
    """The solution, the sums of squared residuals, rank, singular values; every driver is computed as "gelsd".

    Raises ValueError for a stack, for shapes that differ, and for an unknown driver.
    """
    finite(check_finite, a, b)
    if len(shape(a)) != 2:
        raise ValueError(f"lstsq of numbers takes one matrix, not shape {shape(a)}; for a stack call pinv(a) @ b")
    if shape(b)[0] != shape(a)[0]:
        raise ValueError(f"lstsq: a of shape {shape(a)} and b of shape {shape(b)} differ in their number of rows")
    if lapack_driver not in (None, *DRIVERS):
        raise ValueError(f"lstsq: unknown lapack_driver {lapack_driver!r}; there are {', '.join(DRIVERS)}")
    if cond is None:
        cond = float(np.finfo(asked(np.result_type, a, b, np.float32)).eps)
    x, residuals, rank, s = rows.lstsq(a, b, cond)
    if lapack_driver == "gelsy":
        return x, getitem(residuals, (slice(0, 0),)), rank, None
    if len(shape(b)) == 1 and shape(residuals)[0]:
        residuals = getitem(residuals, (0,))
    return x, residuals, rank, s


def _relative(atol: float | None, rtol: float, sizes: Callable[[Any], Any], a: Any) -> float:
    """Return the bound ``atol + rtol * largest`` as a part of the largest singular value, which only ``atol`` needs."""
    if not atol:
        return rtol
    refuse(is_lazy, "scipy.linalg.pinv with atol", TO_DECIDE_BY, [a])
    largest = np.max(sizes(read(a)), initial=0.0)
    return (atol + rtol * largest) / largest if largest else 0.0


def _inverse(a: Any, bound: float, hermitian: bool, return_rank: bool) -> Any:
    inverse = rows.pinv(a, bound, hermitian)
    return (inverse, known(matrix_rank(a, None, hermitian, bound))) if return_rank else inverse


def _rounding(a: Any) -> float:
    return float(max(shape(a)) * np.finfo(asked(np.result_type, a, np.float32)).eps)


@counterpart("linalg.pinv")
def pinv(a: Array, *, atol: float | None = None, rtol: float | None = None, return_rank: bool = False,
         check_finite: bool = True) -> Any:  # fmt: skip
    """The pseudoinverse, singular values up to ``atol + rtol * largest`` counting as 0."""
    finite(check_finite, a)
    rtol = (_rounding(a) if atol is None else 0.0) if rtol is None else rtol
    return _inverse(a, _relative(atol, rtol, np.linalg.svdvals, a), False, return_rank)


@counterpart("linalg.pinvh")
def pinvh(a: Array, atol: float | None = None, rtol: float | None = None, lower: bool = True, return_rank: bool = False,
          check_finite: bool = True) -> Any:  # fmt: skip
    """The pseudoinverse of a Hermitian matrix of which one triangle is read."""
    finite(check_finite, a)
    a = hermitian_matrix(a, "L" if lower else "U")
    bound = _relative(atol, _rounding(a) if rtol is None else rtol, lambda a: abs(np.linalg.eigvalsh(a)), a)
    return _inverse(a, bound, True, return_rank)


@counterpart("linalg.orthogonal_procrustes")
def orthogonal_procrustes(A: Array, B: Array, check_finite: bool = True) -> Any:
    """The unitary R with the least ‖A R − B‖, and the sum of the singular values of Aᴴ B.

    Raises ValueError where A and B are not matrices of one shape.
    """
    finite(check_finite, A, B)
    if len(shape(A)) != 2 or shape(A) != shape(B):
        raise ValueError(f"orthogonal_procrustes takes two matrices of one shape, not {shape(A)} and {shape(B)}")
    u, s, vh = svd(matmul(adjoint(A), B), False)
    return matmul(u, vh), sum(s, 0, False)
