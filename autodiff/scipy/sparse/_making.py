"""Sparse matrices of numbers, made of their elements and places as SciPy's classes are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from dualnumbers.foreign import is_sparse
from dualnumbers.forms import shape
from dualnumbers.levels import is_lazy, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array, reshape
from dualnumbers.sparse import SparseArray
from dualnumbers.table.dispatch import TO_DECIDE_BY, refuse

from ...calls.closures import holds_numbers
from .._counterpart import COUNTERPARTS

Shape = tuple[int, int] | None


def _index(x: Any) -> Any:
    refuse(is_lazy, "a sparse array of places", TO_DECIDE_BY, [x])
    found = np.asarray(read(array(x)))
    if found.dtype.kind not in "iu" and found.size:
        raise TypeError(f"rows, columns and indices are whole numbers, not of {found.dtype}{user_line()}")
    return found.astype(np.int32 if not found.size or found.max() < 2**31 else np.int64)


def _checked(data: Any, row: Any, column: Any, to: Shape) -> tuple[int, int]:
    """Return the shape of elements at places; ValueError where they are not as many, or outside."""
    if not shape(data) == row.shape == column.shape or row.ndim != 1:
        raise ValueError(
            f"data, rows and columns of one length, not of shapes {shape(data)}, {row.shape}, "
            f"{column.shape}{user_line()}"
        )
    if to is None:
        if not row.size:
            raise ValueError(f"a sparse array without elements needs its shape=(m, n){user_line()}")
        to = int(row.max()) + 1, int(column.max()) + 1
    if np.any((row < 0) | (row >= to[0]) | (column < 0) | (column >= to[1])):
        raise ValueError(f"an element stands outside of the shape {to}{user_line()}")
    return to


def of_elements(data: Any, row: Any, column: Any, to: Shape, is_matrix: bool) -> SparseArray:
    """Return elements with their rows and columns. ValueError where these are not as many, or outside of the shape."""
    data, row, column = array(data), _index(row), _index(column)
    return SparseArray(data, row, column, "coo", _checked(data, row, column, to), is_matrix)


def _compressed(form: str, given: Any, to: Shape, is_matrix: bool) -> SparseArray:
    data, indices, starts = array(given[0]), _index(given[1]), _index(given[2])
    if (
        starts.ndim != 1
        or not starts.size
        or starts[0] != 0
        or np.any(np.diff(starts) < 0)
        or starts[-1] != indices.size
    ):
        raise ValueError(
            f"indptr begins at 0, does not fall, and ends at the number of elements, {indices.size}{user_line()}"
        )
    across = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if to is None:
        most = int(indices.max(initial=-1)) + 1
        to = (len(starts) - 1, most) if form == "csr" else (most, len(starts) - 1)
    row, column = (across, indices) if form == "csr" else (indices, across)
    _checked(data, row, column, to)
    return SparseArray(data, indices, starts, form, to, is_matrix)


def of_diagonals(data: Any, offsets: Any, to: Shape, is_matrix: bool) -> SparseArray:
    """Return diagonals as the format dia has them: of each the element in column j at the place j."""
    data, offsets = array(data), np.atleast_1d(_index(offsets))
    data = reshape(data, (1, -1), "C") if len(shape(data)) == 1 else data
    if to is None:
        raise ValueError(f"a sparse array of diagonals needs its shape=(m, n){user_line()}")
    if len(shape(data)) != 2 or shape(data)[0] != len(offsets):
        raise ValueError(f"{len(offsets)} offsets, and diagonals of the shape {shape(data)}{user_line()}")
    return SparseArray(data, offsets, offsets, "dia", to, is_matrix)


def of_dense(dense: Any, is_matrix: bool = False) -> SparseArray:
    """Return a dense array of two axes with every element stored: one that is 0 here may carry a derivative."""
    m, n = shape(dense)
    row, column = np.indices((m, n)).reshape(2, -1)
    return of_elements(reshape(dense, (-1,), "C"), row, column, (m, n), is_matrix)


def _made(form: str, given: Any, to: Shape, is_matrix: bool) -> SparseArray:
    """Return a sparse matrix of numbers of what SciPy's class would take."""
    if isinstance(given, SparseArray):
        return SparseArray(given.data, given.first, given.second, given.format, given.shape, is_matrix)
    if isinstance(given, tuple) and form == "dia" and len(given) == 2:
        return of_diagonals(*given, to, is_matrix)
    if isinstance(given, tuple) and len(given) == 3:
        return _compressed("csr" if form == "coo" else form, given, to, is_matrix)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], (tuple, list)) and len(given[1]) == 2:
        return of_elements(given[0], given[1][0], given[1][1], to, is_matrix)
    dense = array(given)
    if len(shape(dense)) != 2:
        raise ValueError(
            f"a sparse array of numbers has two axes, not the shape {shape(dense)}: give "
            f"(data, (row, column)), or an array of two axes{user_line()}"
        )
    return of_dense(dense, is_matrix)


def _of_class(name: str) -> Any:
    form, _, kind = name.partition("_")
    original = getattr(scipy.sparse, name)

    def made(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, **options: Any) -> Any:
        if not isinstance(arg1, SparseArray) and (is_sparse(type(arg1)) or not holds_numbers(arg1)):
            return original(arg1, shape, dtype, copy, **options)
        to = None if shape is None else (int(shape[0]), int(shape[1]))
        found = _made(form, arg1, to, kind == "matrix")
        found = found if form == "dia" else found.asformat(form)
        return found if dtype is None else found.astype(dtype)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"""As ``scipy.sparse.{name}``; elements that carry derivatives make a sparse matrix of numbers.

    It is made of ``(data, (row, column))``, {
        "of ``(data, offsets)``" if form == "dia" else "of ``(data, indices, indptr)``"
    }, of a sparse or a dense matrix, of which every element counts, also one that is 0
    here. Raises ValueError where these do not fit, or stand outside of the shape.
    """
    made.of_plain = True  # type: ignore[attr-defined]
    COUNTERPARTS[f"scipy.sparse.{name}"] = made
    return made


coo_array, csr_array, csc_array, dia_array = map(_of_class, ("coo_array", "csr_array", "csc_array", "dia_array"))
coo_matrix, csr_matrix, csc_matrix, dia_matrix = map(
    _of_class, ("coo_matrix", "csr_matrix", "csc_matrix", "dia_matrix")
)
