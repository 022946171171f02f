"""A linear operator of SciPy's that multiplies by a push-forward and a pull-back. Importing this imports SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from dualnumbers.forms import dtype_of, shape, size
from dualnumbers.levels import Level, is_number, level_of
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import batch

from ..calls.structures import flatten

Array = np.ndarray[Any, Any]
Product = Callable[[Any], Any]


class _Space:
    """The vectors that stand for a structure of arrays: the elements of its leaves, one after the other."""

    def __init__(self, like: Any) -> None:
        leaves, self.rebuild = flatten(like)
        _check_plain(leaves)
        self.shapes, self.types = list(map(shape, leaves)), list(map(dtype_of, leaves))
        self.taken = [np.result_type(dtype, np.float32) for dtype in self.types]
        """The type in which each leaf takes its elements."""
        self.starts = np.cumsum([0, *map(size, leaves)]).tolist()
        self.size = self.starts[-1]
        self.is_real = np.array([dtype.kind != "c" for dtype in self.types], bool).repeat(np.diff(self.starts))
        """Of each element of a vector, whether it is one of a real leaf."""
        self.all_real = bool(self.is_real.all())

    def structure(self, vector: Array) -> Any:
        """Return the structure that a vector stands for."""
        parts = zip(self.starts, self.starts[1:], self.shapes, self.taken, strict=False)
        return self.rebuild(_in_type(vector[start:end].reshape(dims), dtype)[()] for start, end, dims, dtype in parts)

    def column(self, structure: Any) -> Array:
        """Return the vector that a structure stands for."""
        if type(structure) is np.ndarray and structure.dtype.char != "O":
            return structure.ravel()
        leaves = flatten(structure)[0]
        _check_plain(leaves)
        return np.concatenate([np.ravel(x) for x in leaves])

    def structures(self, columns: Array, level: Level) -> Any:
        """Return the structures of the columns of a matrix, as one whose leaves are batches."""
        leaves = []
        for start, end, dims, dtype in zip(self.starts, self.starts[1:], self.shapes, self.taken, strict=False):
            members = np.ascontiguousarray(_in_type(columns[start:end].T, dtype))
            leaves.append(batch(members.reshape(columns.shape[1], *dims), level))
        return self.rebuild(leaves)

    def columns(self, structure: Any, level: Level, count: int) -> Array:
        """Return the columns that a structure of batches stands for; what is no batch is the same for all."""
        leaves = [
            x.data if level_of(x) is level else np.broadcast_to(x, (count, *shape(x))) for x in flatten(structure)[0]
        ]
        _check_plain(leaves)
        return np.concatenate([np.reshape(x, (count, -1)) for x in leaves], 1).T


def _in_type(x: Array, dtype: Any) -> Array:
    """Return elements of a vector in the type of a leaf; a real one has no place for imaginary parts."""
    return (x if dtype.kind == "c" else x.real).astype(dtype)


def _check_plain(leaves: Iterable[Any]) -> None:
    """Raise TypeError where a leaf is a number of another differentiation."""
    if any(is_number(type(x)) for x in leaves):
        raise TypeError(
            "an operator of SciPy multiplies plain numbers, and inside another differentiation a "
            f"derivative is none: write linearize, jvp, vjp or hvp{user_line()}"
        )


class DerivativeOperator(LinearOperator):  # type: ignore[misc]
    """The linear map that a function is to first order at a point, as SciPy's solvers take it.

    ``value`` is what the function returned there, of a Hessian the gradient; ``forth`` takes structures like ``of`` to
    ones like ``to``, and ``back`` these to those.
    """

    def __init__(self, value: Any, to: Any, of: Any, forth: Product, back: Product) -> None:
        self.value, self._forth, self._back = value, forth, back
        self._to, self._of = to, of = _Space(to), _Space(of)
        super().__init__(np.result_type(np.float32, *of.types, *to.types), (to.size, of.size))

    def dot(self, x: Any) -> Any:
        """Multiply with a vector, a matrix or another operator; TypeError where x carries a derivative."""
        _check_plain([x])
        return super().dot(x)

    def _matmat(self, columns: Any) -> Array:
        return _applied(self._forth, self._of, self._to, columns, self._of.is_real)

    def _rmatmat(self, columns: Any) -> Array:
        return _applied(self._back, self._to, self._of, columns, self._to.is_real | self._of.all_real)

    def _matvec(self, vector: Any) -> Array:
        if self._of.all_real and vector.dtype.kind != "c":
            return self._to.column(self._forth(self._of.structure(np.asarray(vector).reshape(-1))))
        return self._matmat(np.reshape(vector, (-1, 1)))[:, 0]

    def _rmatvec(self, vector: Any) -> Array:
        if self._to.all_real and vector.dtype.kind != "c":
            return self._of.column(self._back(self._to.structure(np.asarray(vector).reshape(-1))))
        return self._rmatmat(np.reshape(vector, (-1, 1)))[:, 0]


def _applied(product: Product, of: _Space, to: _Space, columns: Any, split: Array) -> Array:
    """Multiply with the columns of a matrix, of one alone without a batch.

    ``split`` says by which elements z the product P is linear over the real numbers alone, as it drops imaginary parts
    of what it takes or gives: what it is to be for complex ones is P(z) − i P(i z).
    """
    columns = np.asarray(columns)
    if np.any(split) and (columns.dtype.kind == "c" or not of.all_real):
        turned = np.where(split[:, None], 1j * columns, 0.0)
        return _multiplied(product, of, to, columns) - 1j * _multiplied(product, of, to, turned)
    return _multiplied(product, of, to, columns)


def _multiplied(product: Product, of: _Space, to: _Space, columns: Array) -> Array:
    if not columns.shape[1]:
        return np.zeros((to.size, 0), np.result_type(np.float32, *to.types))
    if columns.shape[1] == 1:
        return to.column(product(of.structure(columns[:, 0])))[:, None]
    level = Level()
    return to.columns(product(of.structures(columns, level)), level, columns.shape[1])
