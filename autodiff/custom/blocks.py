"""Blocks: functions with derivatives of the user's own, as classes. Each call applies a row (rows.py)."""

from __future__ import annotations

from copy import copy
from math import prod
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array, reshape
from dualnumbers.table.dispatch import joined
from dualnumbers.table.kinds import Smooth
from dualnumbers.table.row import own_row

from ..calls.values import read_only
from .rows import Function, elementwise_function, fitting, function_of_arrays, value_of_function


class Argument:
    """An argument of a block's methods."""

    __slots__ = ("data",)

    def __init__(self, data: Any) -> None:
        self.data = data
        """Its value at this level: plain, or traced while an outer differentiation runs."""

    def __array_ufunc__(self, ufunc: Any, *_: Any, **__: Any) -> Any:
        raise TypeError(f"np.{ufunc.__name__} of an argument of a block: take its value, x.data{user_line()}")

    def __array_function__(self, function: Any, *_: Any) -> Any:
        raise TypeError(f"np.{function.__name__} of an argument of a block: take its value, x.data{user_line()}")


class _Owner:
    """A block as an operand of its row, for one call: as it was then.

    What data_fn leaves in the block is not there for the derivative: it would be plain where an outer differentiation
    runs, and its derivative lost.
    """

    __slots__ = ("block",)
    shown = False
    """Not in the listing of a tape."""

    def __init__(self, block: Any) -> None:
        self.block = copy(block)
        for name, member in getattr(self.block, "__dict__", {}).items():
            if isinstance(member, np.ndarray):
                setattr(self.block, name, member.copy())

    def value(self, *xs: Any) -> Any:
        """Return what data_fn returns."""
        return copy(self.block).data_fn(*map(Argument, xs))


class _Rows:
    """A class of blocks has one row for each number of arguments that it is called with."""

    _functions: dict[int, Function]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._functions = {}

    def data_fn(self, *arguments: Any) -> Any:
        """Return the value, of ``arguments[k].data``."""
        raise NotImplementedError(
            f"class {type(self).__name__} needs a method data_fn(self, x, …) that returns the "
            f"value of x.data, …{user_line()}"
        )

    def _function(self, count: int) -> Function:
        function = self._functions.get(count)
        if function is None:
            function = self._functions[count] = self._made(type(self).__name__, count)
        return function

    @staticmethod
    def _made(name: str, count: int) -> Function:
        raise NotImplementedError


class Block(_Rows):
    """A function of arrays by its value and its Jacobians, as a class of the user's; called ``Name()(x, y)``.

    ``data_fn(self, x, y)`` returns the value, ``get_jacobians(self, x, y)`` the Jacobians by the arguments in a list:
    matrices (p, n), for p elements of the value and n of the argument. Both read ``x.data``.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> class Norm(Block):
    ...     def data_fn(self, x):
    ...         return np.sqrt(np.sum(x.data**2))
    ...     def get_jacobians(self, x):
    ...         return [x.data[None] / self.data_fn(x)]
    >>> grad(Norm())(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    def get_jacobians(self, *arguments: Any) -> Any:
        """Return the Jacobians (p, n), one for each argument."""
        raise NotImplementedError(
            f"class {type(self).__name__} needs a method get_jacobians(self, x, …) that returns "
            f"the list of the Jacobians (p, n) by its arguments{user_line()}"
        )

    def __call__(self, *arguments: Any) -> Any:
        """Return the value; of numbers that are differentiated, with its derivative."""
        return self._function(len(arguments))(*map(joined, arguments), _Owner(self))

    @staticmethod
    def _made(name: str, count: int) -> Function:
        row = own_row(name, tuple(Smooth(_push(k)) for k in range(count)), ("owner",))

        def value(*xs_owner: Any) -> Any:
            xs, owner = tuple(map(read_only, xs_owner[:-1])), xs_owner[-1]
            return value_of_function(name, owner.value(*xs), xs)

        return function_of_arrays(row, value)


def _push(k: int) -> Function:
    """Return J ẋ, of the k-th argument."""

    def push(tangent: Any, z: Any, *xs_block: Any) -> Any:
        *xs, owner = xs_block
        pushed = _jacobian(owner.block, k, z, xs) @ reshape(tangent, (-1,), "C")
        return fitting("the tangent", reshape(pushed, shape(z), "C") if shape(z) else pushed[0], shape(z), z)

    return push


def _jacobian(block: Block, k: int, z: Any, xs: list[Any]) -> Any:
    """Return the Jacobian by the k-th argument; ValueError where it is none."""
    jacobians, name = block.get_jacobians(*map(Argument, xs)), f"{type(block).__name__}.get_jacobians"
    if len(xs) > 1 and (not isinstance(jacobians, (list, tuple)) or len(jacobians) != len(xs)):
        raise ValueError(f"{name} must return a list of {len(xs)} Jacobians, one for each argument{user_line()}")
    jacobian = array(jacobians if len(xs) == 1 else jacobians[k])
    p, n, given = prod(shape(z)), prod(shape(xs[k])), shape(jacobian)
    if given != (p, n) and given != (1, p, n)[len(xs) > 1 :] and not (p * n == prod(given) == 1):
        raise ValueError(
            f"{name} returned an array of shape {given} for argument {k}: the Jacobian of {p} elements by "
            f"{n} has shape {(p, n)}{user_line()}"
        )
    return jacobian if given == (p, n) else reshape(jacobian, (p, n), "C")


class SimpleBlock(_Rows):
    """A function applied element by element, as a class of the user's; called ``Name()(x)``.

    ``data_fn(self, x)`` returns the value and ``gradient_fn(self, x)``, which may also be called ``grad_fn``, the
    derivative, both of ``x.data``; of several arguments the tuple of the partial derivatives.

    >>> from autodiff import derivative
    >>> class Cube(SimpleBlock):
    ...     def data_fn(self, x):
    ...         return x.data**3
    ...     def gradient_fn(self, x):
    ...         return 3.0 * x.data**2
    >>> derivative(Cube(), 0, [2.0])
    12.0
    """

    def gradient_fn(self, *arguments: Any) -> Any:
        """Return the derivative; of several arguments the tuple of the partial derivatives."""
        return self.grad_fn(*arguments)

    def grad_fn(self, *arguments: Any) -> Any:
        """Do what `gradient_fn` does, by another name."""
        raise NotImplementedError(
            f"class {type(self).__name__} needs a method gradient_fn(self, x, …) that returns "
            f"the derivative at x.data, …{user_line()}"
        )

    def __call__(self, *arguments: Any) -> Any:
        """Return the value; of numbers that are differentiated, with its derivative."""
        return self._function(len(arguments))(_Owner(self), *map(joined, arguments))

    @staticmethod
    def _made(name: str, count: int) -> Function:
        return elementwise_function(name, _Owner.value, (0.0, *map(_partial, range(count))), owner=True)


def _partial(k: int) -> Function:
    """Return the partial derivative by the k-th argument."""

    def partial(owner: _Owner, *xs_z: Any) -> Any:
        xs = xs_z[:-1]
        slopes = owner.block.gradient_fn(*map(Argument, xs))
        if len(xs) == 1:
            return slopes
        if not isinstance(slopes, (list, tuple)) or len(slopes) != len(xs):
            raise ValueError(
                f"{type(owner.block).__name__}.gradient_fn must return a tuple of {len(xs)} partial "
                f"derivatives, one for each argument{user_line()}"
            )
        return slopes[k]

    return partial
