"""How a sparse matrix of numbers is stored: its elements, where they stand, and other formats of the same."""

from __future__ import annotations

import sys
from typing import Any, Self

import numpy as np

from ..foreign import is_sparse
from ..forms import dtype_of, shape
from ..messages.errors import user_line
from ..numbers.beside_sparse import as_object, in_operation
from ..rules.complexes import conj
from ..rules.from_scipy import imported
from ..rules.indexing import getitem, scatter
from ..rules.of_scipy.linalg.sparse_products import coordinates
from ..rules.shaping import array, astype, reshape
from . import places

COMPRESSED = ("csr", "csc", "bsr")


class Stored:
    """The elements of a sparse matrix, ``data``, and where they stand: as `scipy.sparse` has it, by its ``format``.

    ``first`` and ``second`` are the rows and the columns (coo), or the indices and where each row or column begins
    (csr, csc). Elements at one place add. ``is_matrix``: as SciPy's ``csr_matrix``, of which ``*`` is the product of
    matrices.
    """

    __slots__ = ("data", "first", "format", "is_matrix", "second", "shape")
    ndim = 2

    def __init__(
        self, data: Any, first: Any, second: Any, format: str, shape: tuple[int, int], is_matrix: bool = False
    ) -> None:
        self.data, self.first, self.second = array(data), first, second
        self.format, self.shape, self.is_matrix = format, shape, is_matrix

    # ---------------------------------------------------------------------------------------------- what it is

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return dtype_of(self.data)

    @property
    def nnz(self) -> int:
        """How many elements are stored."""
        return int(np.prod(shape(self.data)))

    @property
    def row(self) -> Any:
        """The row of each element."""
        return self.coords[0]

    @property
    def col(self) -> Any:
        """The column of each element."""
        return self.coords[1]

    @property
    def coords(self) -> tuple[Any, Any]:
        """The rows and the columns of the elements."""
        whole = self.tocoo()
        return whole.first, whole.second

    @property
    def indices(self) -> Any:
        """The column of each element (csr), or its row (csc)."""
        return self._compressed().first

    @property
    def indptr(self) -> Any:
        """Where each row begins (csr), or each column (csc), and behind it the number of elements."""
        return self._compressed().second

    def _compressed(self) -> Self:
        if self.format not in COMPRESSED:
            raise AttributeError(
                f"a sparse array in the format {self.format} has no indices: call tocsr(){user_line()}"
            )
        return self

    def __repr__(self) -> str:
        kind = "matrix" if self.is_matrix else "array"
        return f"<sparse {kind} of numbers, {self.format}, shape {self.shape}, {self.nnz} elements>"

    def _like(self, data: Any) -> Self:
        """Return other elements at the same places."""
        return type(self)(data, self.first, self.second, self.format, self.shape, self.is_matrix)

    def _at(self, data: Any, row: Any, column: Any, to: tuple[int, int] | None = None) -> Self:
        return type(self)(data, row, column, "coo", self.shape if to is None else to, self.is_matrix)

    # ---------------------------------------------------------------------------------------------- formats

    def tocoo(self, copy: bool = False) -> Self:
        """Return it as elements with their rows and columns."""
        if self.format == "coo":
            return self
        row, column, inside = coordinates(self.first, self.second, self.format, self.shape, shape(self.data))
        if inside is not None:
            return self._at(getitem(self.data, (inside,)), row[inside], column[inside])
        return self._at(reshape(self.data, (-1,), "C"), row.ravel(), column.ravel())

    def sum_duplicates(self) -> Self:
        """Return it with one element at each place, row by row; SciPy's method changes the matrix itself."""
        whole = self.tocoo()
        order = places.canonical(whole.first, whole.second, self.shape)
        if order is None:
            return whole
        return self._at(scatter(whole.data, (len(order.row),), (order.of,)), order.row, order.column)

    def tocsr(self, copy: bool = False) -> Self:
        """Return it row by row."""
        if self.format == "csr":
            return self
        whole = self.sum_duplicates()
        return type(self)(
            whole.data, whole.second, places.starts(whole.first, self.shape[0]), "csr", self.shape, self.is_matrix
        )

    def tocsc(self, copy: bool = False) -> Self:
        """Return it column by column."""
        return self if self.format == "csc" else self.T.tocsr().T

    def asformat(self, format: str | None, copy: bool = False) -> Self:
        """Return it in the format coo, csr or csc."""
        if format in (None, self.format):
            return self
        if format not in ("coo", "csr", "csc"):
            raise ValueError(f"a sparse array of numbers has the format coo, csr or csc, not {format!r}{user_line()}")
        found: Self = getattr(self, f"to{format}")()
        return found

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        """Return the array with its zeros, of shape ``shape``."""
        whole = self.tocoo()
        return scatter(whole.data, self.shape, (whole.first, whole.second))

    def todense(self, order: Any = None, out: Any = None) -> Any:
        """Return the array with its zeros. TypeError of a matrix, of which SciPy makes an ``np.matrix``."""
        self.refuse_matrix("todense()")
        return self.toarray()

    def refuse_matrix(self, what: str) -> None:
        """Raise TypeError where SciPy's result would be an ``np.matrix``."""
        if self.is_matrix:
            raise TypeError(
                f"{what} of a sparse matrix is np.matrix, whose arithmetic is another one: make it an "
                f"array, scipy.sparse.csr_array(A){user_line()}"
            )

    @property
    def __array__(self) -> Any:
        def refuse(dtype: Any = None, copy: Any = None) -> Any:
            if in_operation(self, sys._getframe(1)):
                return as_object(self)
            raise TypeError(
                f"NumPy and SciPy would lose the derivatives of a sparse array of numbers: write "
                f"A.toarray(), or call the function of autodiff.scipy.sparse{user_line()}"
            )

        return refuse

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Self:
        """Return it with elements of another type."""
        return self._like(astype(self.data, np.dtype(dtype)))

    def copy(self) -> Self:
        """Return it: nothing changes it."""
        return self

    @property
    def T(self) -> Self:  # noqa: N802
        """The transpose."""
        whole = self if self.format in ("csr", "csc") else self.tocoo()
        to = self.shape[1], self.shape[0]
        if whole.format == "coo":
            return self._at(whole.data, whole.second, whole.first, to)
        turned = "csc" if whole.format == "csr" else "csr"
        return type(self)(whole.data, whole.first, whole.second, turned, to, self.is_matrix)

    def transpose(self, axes: Any = None, copy: bool = False) -> Self:
        """Return the transpose."""
        return self.T

    def reshape(self, *to: Any, order: str = "C", copy: bool = False) -> Self:
        """Return it in another shape of two axes."""
        whole, to = self.tocoo(), to[0] if len(to) == 1 else to
        columnwise, row, column = order == "F", whole.first.astype(np.int64), whole.second.astype(np.int64)
        place = row + column * self.shape[0] if columnwise else row * self.shape[1] + column
        rows, columns = np.broadcast_to(0, self.shape).reshape(to).shape
        row, column = (place % rows, place // rows) if columnwise else (place // columns, place % columns)
        return self._at(whole.data, row, column, (rows, columns))

    def __getitem__(self, index: Any) -> Any:
        """Return an element, or those at rows and columns as a sparse array of two axes."""
        whole = self.sum_duplicates()
        numbers = np.arange(1, self.nnz + 1)[: len(whole.first)]
        found = imported("sparse.csr_matrix")((numbers, (whole.first, whole.second)), shape=self.shape)[index]
        if not is_sparse(type(found)):
            return getitem(whole.data, (int(found) - 1,)) if found else np.zeros((), self.dtype)[()]
        found = found.tocoo()
        return self._at(getitem(whole.data, (found.data - 1,)), found.row, found.col, found.shape)

    def conjugate(self, copy: bool = True) -> Self:
        """Return it with conjugate elements."""
        return self._like(conj(self.data))

    conj = conjugate
