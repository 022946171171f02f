"""SparseArray: a sparse matrix whose elements may carry derivatives.

SciPy's hold plain elements alone. This holds them in ``data``, an array of numbers of any kind, beside two plain arrays
that say where they stand, as SciPy's own formats have them. All it computes is written in functions of the table, so
every mode, every nesting and every order go through it; the places carry no derivative, and are read once.

>>> from dualnumbers import DualNumber
>>> from dualnumbers.sparse import SparseArray
>>> import numpy as np
>>> a = SparseArray(np.array([DualNumber(2.0, 1.0), 3.0]), np.array([0, 1]), np.array([1, 0]), "coo", (2, 2))
>>> (a @ np.array([1.0, 10.0])).tangent
array([10.,  0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foreign import is_sparse
from ..forms import shape
from ..levels import is_number, read
from ..messages.errors import user_line
from ..rules import reductions
from ..rules.from_scipy import imported
from ..rules.indexing import getitem, scatter
from ..rules.of_scipy.linalg.sparse_products import sparse_matmul
from ..rules.shaping import array, concatenate, transpose
from . import places
from .formats import COMPRESSED, Stored


class SparseArray(Stored):
    """The elements of a sparse matrix, and where they stand; sums and products with numbers, arrays and other such."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy's arrays leave an operator to what has this

    # ---------------------------------------------------------------------------------------------- reductions

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Return the sum of all elements, or those of the columns (axis 0) or the rows (axis 1), a vector."""
        whole = self.tocoo() if dtype is None else self.astype(dtype).tocoo()
        if axis is None or (isinstance(axis, tuple) and len(axis) == 2):
            return reductions.sum(whole.data, None, False)
        axis = range(2)[axis[0] if isinstance(axis, tuple) else axis]
        self.refuse_matrix("sum(axis=)")
        return scatter(whole.data, (self.shape[1 - axis],), (whole.coords[1 - axis],))

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Return the mean of all elements, zeros among them, or those of the columns (axis 0) or the rows (axis 1)."""
        return self.sum(axis, dtype) / float(np.prod(self.shape) if axis is None else self.shape[axis])

    def diagonal(self, k: int = 0) -> Any:
        """Return the diagonal, or the k-th above it."""
        whole = self.tocoo()
        on = np.flatnonzero(whole.second - whole.first == k)
        length = max(0, min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0)))
        return scatter(getitem(whole.data, (on,)), (length,), (whole.first[on] + min(k, 0),))

    def trace(self, offset: int = 0) -> Any:
        """Return the sum of the diagonal, or of the one ``offset`` above it."""
        return reductions.sum(self.diagonal(offset), None, False)

    # ---------------------------------------------------------------------------------------------- arithmetic

    def __neg__(self) -> SparseArray:
        return self._like(-self.data)

    def __pos__(self) -> SparseArray:
        return self

    def __abs__(self) -> SparseArray:
        return (whole := self.sum_duplicates())._like(abs(whole.data))

    def power(self, n: Any, dtype: Any = None) -> SparseArray:
        """Return the powers of the elements, for n above 0, for which 0 remains 0."""
        if not read(n) > 0:
            raise NotImplementedError(f"a power of a sparse array is one above 0: write A.toarray() ** n{user_line()}")
        return (whole := self.sum_duplicates())._like(whole.data**n)

    def __pow__(self, n: Any) -> SparseArray:
        if not self.is_matrix:
            return self.power(n)
        found = self
        for _ in range(int(n) - 1):
            found = found @ self
        return found

    def __matmul__(self, other: Any) -> Any:
        if (sparse := _sparse_or_none(other)) is not None:
            return self._times_sparse(sparse)
        x = array(other)
        if shape(x)[:1] != self.shape[1:] or len(shape(x)) > 2:
            raise ValueError(
                f"matmul: a sparse array of shape {self.shape} and an array of shape {shape(x)} do not "
                f"match{user_line()}"
            )
        return sparse_matmul(self.data, x, self.first, self.second, self.format, self.shape, False)

    def __rmatmul__(self, other: Any) -> Any:
        if (sparse := _sparse_or_none(other)) is not None:
            return sparse @ self
        x = array(other)
        if shape(x)[-1:] != self.shape[:1] or len(shape(x)) > 2:
            raise ValueError(
                f"matmul: an array of shape {shape(x)} and a sparse array of shape {self.shape} do not "
                f"match{user_line()}"
            )
        turned = transpose(x, None) if len(shape(x)) == 2 else x
        z = sparse_matmul(self.data, turned, self.first, self.second, self.format, self.shape, True)
        return transpose(z, None) if len(shape(x)) == 2 else z

    def dot(self, other: Any) -> Any:
        """Return the product of matrices, or that with a number."""
        return self * other if shape(other) == () and _sparse_or_none(other) is None else self @ other

    def _times_sparse(self, other: SparseArray) -> SparseArray:
        if self.shape[1] != other.shape[0]:
            raise ValueError(
                f"matmul: sparse arrays of shapes {self.shape} and {other.shape} do not match{user_line()}"
            )
        a, b = self.tocoo(), other.tocoo()
        left, right = places.pairs(a.second, b.first, other.shape[0])
        data = getitem(a.data, (left,)) * getitem(b.data, (right,))
        to = self.shape[0], other.shape[1]
        return self._at(data, a.first[left], b.second[right], to).sum_duplicates()

    def multiply(self, other: Any) -> SparseArray:
        """Return the product, element by element, with a number, an array that is broadcast, or a sparse array."""
        if (sparse := _sparse_or_none(other)) is not None:
            self._check_alike(sparse)
            a, b = self.sum_duplicates(), sparse.sum_duplicates()
            left, right = places.common(a.coords, b.coords, self.shape)
            return self._at(getitem(a.data, (left,)) * getitem(b.data, (right,)), a.first[left], a.second[left])
        x = array(other)
        if shape(x) == ():
            return self._like(self.data * x)
        whole = self.tocoo()
        return whole._like(whole.data * self._elements_of(x, whole))

    def _elements_of(self, x: Any, whole: SparseArray) -> Any:
        """Return the elements of an array, broadcast, at the places of the elements."""
        lengths = (1,) * (2 - len(shape(x))) + shape(x)
        if len(lengths) > 2 or any(n not in (1, m) for n, m in zip(lengths, self.shape, strict=True)):
            raise ValueError(
                f"an array of shape {shape(x)} is not broadcast to a sparse array of shape {self.shape}: "
                f"write A.toarray() * x{user_line()}"
            )
        index = tuple(np.zeros_like(i) if n == 1 else i for n, i in zip(lengths, whole.coords, strict=True))
        return getitem(x, index[2 - len(shape(x)) :])

    def __mul__(self, other: Any) -> Any:
        return self.dot(other) if self.is_matrix else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        by_matrix = self.is_matrix and (shape(other) != () or _sparse_or_none(other) is not None)
        return self.__rmatmul__(other) if by_matrix else self.multiply(other)

    def _compared(self, other: Any) -> Any:
        raise TypeError(f"sparse arrays of numbers are not compared: write A.toarray() in its place{user_line()}")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared
    __hash__ = None  # type: ignore[assignment]

    def __truediv__(self, other: Any) -> SparseArray:
        if _sparse_or_none(other) is not None:
            raise TypeError(
                f"a quotient of sparse arrays has 0 / 0 at most places: write A.toarray() / B.toarray(){user_line()}"
            )
        x = array(other)
        whole = self if shape(x) == () else self.tocoo()
        return whole._like(whole.data / (x if shape(x) == () else self._elements_of(x, whole)))

    def _check_alike(self, other: SparseArray) -> None:
        if self.shape != other.shape:
            raise ValueError(
                f"sparse arrays of shapes {self.shape} and {other.shape} are not broadcast: give both one "
                f"shape{user_line()}"
            )

    def __add__(self, other: Any) -> Any:
        if (sparse := _sparse_or_none(other)) is not None:
            self._check_alike(sparse)
            a, b = self.tocoo(), sparse.tocoo()
            rows, columns = np.concatenate([a.first, b.first]), np.concatenate([a.second, b.second])
            return self._at(concatenate(a.data, b.data, 0), rows, columns).sum_duplicates()
        if shape(other) != ():
            self.refuse_matrix("A + x")
            return self.toarray() + array(other)
        if is_number(type(other)) or other != 0:
            raise NotImplementedError(
                f"a number added to a sparse array leaves no zeros: write A.toarray() + x{user_line()}"
            )
        return self

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -as_operand(other)

    def __rsub__(self, other: Any) -> Any:
        return -self + as_operand(other)


def _sparse_or_none(x: Any) -> SparseArray | None:
    """Return a sparse matrix as one of numbers; None of what is not sparse."""
    return as_sparse_array(x) if is_sparse(type(x)) else None


def as_operand(x: Any) -> Any:
    """Return what stands beside a sparse array: one of numbers, an array."""
    sparse = _sparse_or_none(x)
    return array(x) if sparse is None else sparse


def as_sparse_array(matrix: Any) -> SparseArray:
    """Return a sparse matrix of SciPy's as one of numbers, which shares its arrays.

    Raises ValueError of one that has not two axes.
    """
    if isinstance(matrix, SparseArray):
        return matrix
    if matrix.ndim != 2:
        raise ValueError(
            f"a sparse array beside numbers has two axes, not shape {matrix.shape}: write A.reshape(1, -1){user_line()}"
        )
    if matrix.format not in ("coo", "dia", *COMPRESSED):
        matrix = matrix.tocsr()
    is_matrix = isinstance(matrix, imported("sparse.spmatrix"))
    if matrix.format == "coo":
        first, second = matrix.row, matrix.col
    elif matrix.format == "dia":
        first = second = matrix.offsets
    else:
        first, second = matrix.indices, matrix.indptr
    return SparseArray(matrix.data, first, second, matrix.format, matrix.shape, is_matrix)
