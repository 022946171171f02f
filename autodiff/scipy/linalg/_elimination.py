"""LU decomposition: the exchange of rows is locally constant."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from dualnumbers.foreign import as_like
from dualnumbers.forms import dtype_of, real_dtype_of, shape
from dualnumbers.levels import read
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.of_scipy.linalg.elimination import eliminated
from dualnumbers.rules.of_scipy.linalg.matrix_equations import triangle

from .._counterpart import Array, counterpart
from ._arguments import finite
from ._equations import permutation

__all__ = ["lu", "lu_factor"]


def _square(name: str, a: Any) -> None:
    if len(shape(a)) != 2 or shape(a)[0] != shape(a)[1]:
        raise ValueError(f"{name} of numbers takes one square matrix, not shape {shape(a)}; use qr for another shape")


@counterpart("linalg.lu_factor", by_values=True)
def lu_factor(a: Array, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """L below the diagonal and U in one square matrix, and LAPACK's pivots, for `lu_solve`."""
    finite(check_finite, a)
    _square("lu_factor", a)
    pivots = scipy.linalg.lu_factor(read(a))[1]
    return eliminated(getitem(a, (permutation(pivots),))), pivots


@counterpart("linalg.lu", by_values=True)
def lu(
    a: Array, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> Any:
    """P, L and U of a square matrix, A = P L U; P L and U with ``permute_l``; P as an index with ``p_indices``."""
    finite(check_finite, a)
    _square("lu", a)
    z, pivots = lu_factor(a)
    back = np.argsort(permutation(pivots))
    n = len(back)
    lower, upper = triangle(z, True, True) + as_like(np.eye(n, dtype=dtype_of(a)), z), triangle(z, False, False)
    if permute_l:
        return getitem(lower, (back,)), upper
    return back if p_indices else np.eye(n, dtype=real_dtype_of(a))[back], lower, upper
