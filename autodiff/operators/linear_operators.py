"""Jacobians and Hessians as linear operators of SciPy's, for its solvers: they multiply, and are never there as arrays.

The function is recorded once; a product is a pass over the recording. Several vectors, the columns of a matrix, go as
one batch. Arguments and values may be structures: a vector has the elements of all their leaves, one after the other.

>>> import numpy as np
>>> from scipy.sparse.linalg import cg
>>> from autodiff import hessian_operator
>>> def energy(x):
...     return np.sum(np.cosh(x)) + 0.5 * np.sum(x) ** 2
>>> H = hessian_operator(energy, np.zeros(3))
>>> H.shape
(3, 3)
>>> step, info = cg(H, np.array([1.0, 2.0, 3.0]), rtol=1e-12)
>>> info, step.round(6).tolist()
(0, [-0.5, 0.5, 1.5])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from dualnumbers.forms import dtype_of, is_unreal, shape, size
from dualnumbers.levels import Level, is_number, level_of
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import batch

from ..calls.given import no_function
from ..calls.structures import flatten
from ..calls.values import name_of
from ..linearization import PullBack
from ..reverse import grad, vjp
from .products import linearize

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

    ``value`` is what the function returned there, of a Hessian the gradient.
    """

    def __init__(self, value: Any, to: _Space, of: _Space, forth: Product, back: Product) -> None:
        self.value, self._to, self._of, self._forth, self._back = value, to, of, forth, back
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


def jacobian_operator(f: Callable[..., Any], x: Any, *args: Any, **keywords: Any) -> DerivativeOperator:
    """Return the Jacobian of ``f(x, *args)`` by x as an operator: ``J @ v`` pushes forward, ``J.T @ w`` pulls back.

    f is recorded once, at ``x``. The adjoint of a complex Jacobian, ``J.H``, is its conjugate transpose. Raises what
    `linearize` does.

    >>> import numpy as np
    >>> J = jacobian_operator(lambda x: x**2, np.array([1.0, 2.0]))
    >>> J.shape, J @ np.ones(2)
    ((2, 2), array([2., 4.]))
    """
    if not callable(f):
        raise no_function("jacobian_operator(f, x)", f)
    value, push = linearize(_of_first(f, args, keywords), x)
    pull = PullBack(name_of(f), push.recording)
    return DerivativeOperator(value, _Space(value), _Space(x), push, lambda g: pull(g)[0])


def hessian_operator(f: Callable[..., Any], x: Any, *args: Any, **keywords: Any) -> DerivativeOperator:
    """Return the Hessian of a scalar ``f(x, *args)`` by x as an operator, symmetric; its ``value`` is the gradient.

    The gradient is recorded once, at ``x``; a product is a sweep of that. Raises TypeError where f returns no number,
    or where x is complex.

    >>> import numpy as np
    >>> H = hessian_operator(lambda x: np.sum(x**3), np.array([1.0, 2.0]))
    >>> H @ np.ones(2)
    array([ 6., 12.])
    """
    if not callable(f):
        raise no_function("hessian_operator(f, x)", f)
    if any(map(is_unreal, flatten(x)[0])):
        raise TypeError(f"hessian_operator is by real numbers; x is complex{user_line()}")
    gradient, pull = vjp(grad(_of_first(f, args, keywords)), x)
    space, product = _Space(x), lambda v: pull(v)[0]
    return DerivativeOperator(gradient, space, space, product, product)


def gauss_newton_operator(
    f: Callable[..., Any], x: Any, *args: Any, loss: Callable[..., Any] | None = None, **keywords: Any
) -> DerivativeOperator:
    """Return Jᵀ H J as an operator, J the Jacobian of ``f(x, *args)`` by x and H the Hessian of ``loss`` at its value.

    The loss is half the sum of squares by default, of which H is 1: it is `gnvp`'s product, with f recorded once.
    Raises TypeError where x is complex, or the loss returns no real number.

    >>> import numpy as np
    >>> G = gauss_newton_operator(lambda x: x**2, np.array([1.0, 2.0]))
    >>> G @ np.ones(2)
    array([ 4., 16.])
    """
    if not callable(f):
        raise no_function("gauss_newton_operator(f, x)", f)
    if any(map(is_unreal, flatten(x)[0])):
        raise TypeError(f"gauss_newton_operator is by real numbers; x is complex{user_line()}")
    value, push = linearize(_of_first(f, args, keywords), x)
    pull = PullBack(name_of(f), push.recording)
    bend = (lambda t: t) if loss is None else vjp(grad(loss), value)[1]

    def product(v: Any) -> Any:
        bent = bend(push(v))
        return pull(bent if loss is None else bent[0])[0]

    space = _Space(x)
    return DerivativeOperator(value, space, space, product, product)


def _of_first(f: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of the first argument, with the others as given."""
    function = partial(_call, f, args, keywords)
    function.__name__ = name_of(f)  # type: ignore[attr-defined]
    return function


def _call(f: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any], x: Any) -> Any:
    return f(x, *args, **keywords)
