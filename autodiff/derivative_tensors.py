"""Derivatives of a given order by a number, and all those by an array: power series along enough directions.

Each direction is a Taylor series; the directions are the members of a batch, so that the function runs once. What they
determine is in interpolation.py.

>>> from autodiff import derivative
>>> import numpy as np
>>> derivative(lambda x: np.sin(x) ** 2, 0, [0.0], order=6)
32.0
>>> derivative(lambda v: v[0] ** 2 * v[1], 0, [np.array([1.0, 3.0])], order=2)
array([[6., 2.],
       [2., 0.]])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import dtype_of, is_unreal, shape, size, zeros_like
from dualnumbers.levels import Level, is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import BatchNumber, batch
from dualnumbers.numbers.taylor.number import make
from dualnumbers.numbers.taylor.series import Series
from dualnumbers.numbers.taylor.short import series_of
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, reshape, transpose
from dualnumbers.table.partials import in_precision

from .any_order import checked_order, of_float, taylor
from .calls.call import Call
from .calls.directions import CHUNK, holomorphic
from .calls.given import described, no_function
from .calls.places import Which, arguments, place
from .calls.running import run
from .calls.structures import flatten, is_structure
from .calls.values import differentiable, name_of, output_leaf, own
from .calls.watching import in_doubt
from .forward import LONG, derivative, jacfwd, second_derivative
from .interpolation import HIGHEST, multi_indices, places_in_tensor, weights
from .seeding import check_alive_below, joined

Function = Callable[..., Any]


def derivative_of_order(f: Function, wrt: Which, args: Sequence[Any], order: int) -> Any:
    """Return the derivative of ``f`` of an order by one argument: `forward.derivative`."""
    order = checked_order(order)
    if isinstance(wrt, tuple):
        raise TypeError(
            f"derivative: wrt={wrt!r} names each differentiation, and order={order} counts those by one "
            f"argument: give one of the two{user_line()}"
        )
    if order == 1:
        return derivative(f, wrt, args)
    args = arguments(f, args)
    index = place(wrt, f, len(args))
    if type(args[index]) is float and order > 1:
        if order < LONG:
            return second_derivative(f, args, index)
        return _by_coefficient(of_float(f, args, index, order), order)
    if 1 < order < LONG and not is_structure(args[index]) and not shape(args[index]):
        return derivative(f, (index,) * order, args)

    def of_one(x: Any) -> Any:
        return f(*args[:index], x, *args[index + 1 :])

    of_one.__name__ = name_of(f)
    return derivative_tensor(of_one, args[index], order)


def derivative_tensor(f: Function, x: Any, order: int) -> Any:
    """Return all derivatives of an order by a number or an array, of shape ``f(x).shape + x.shape * order``.

    Of the order 0 that is f(x), of 1 the Jacobian, of 2 an array of Hessians. By a number f runs once, on a power
    series; by an array once for C(x.size + order − 1, order) directions together, more often where those would fill the
    memory. At a complex x it runs once more, to see that f is holomorphic. By an array, the order 1, one above 8, and
    what comes out NaN are Jacobians of Jacobians.

    Raises TypeError where the order is no integer, where x is no number or array, or where f returns something else
    than numbers; ValueError for an order below 0, and where f is not holomorphic at a complex x.

    >>> derivative_tensor(lambda v: v[0] ** 2 * v[1], np.array([1.0, 3.0]), 3)[0].tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    if not callable(f):
        raise no_function("derivative_tensor(f, x, order)", f)
    order = checked_order(order)
    if type(x) is not float and is_structure(x) and not isinstance(x, list):
        raise TypeError(
            f"derivatives of order {order} are by a number or an array, not by {described(x)}: join what "
            f"it holds to an array, or nest derivative{user_line()}"
        )
    if type(x) is not float:
        x = differentiable(array(x))
    if not shape(x):
        return _by_coefficient(taylor(f, x, order), order)
    if order == 0:
        return taylor(f, x, 0, direction=zeros_like(x))[0]
    if order == 1 or not size(x) or (order > HIGHEST and size(x) > 1):
        return _jacobian_of_jacobians(f, x, order)
    directions = multi_indices(size(x), order)
    found, rebuild = _along_all(f, x, order, directions)
    if is_unreal(x):
        turned, _ = _along_all(f, x, order, 1j * directions)
        for one, other in zip(turned, found, strict=True):
            for k in range(1, order + 1):
                holomorphic(other[k], one[k] / 1j ** (k - 1))
    tensors = [_whole(coefficients, x, order) for coefficients in found]
    return _jacobian_of_jacobians(f, x, order) if any(map(in_doubt, tensors)) else rebuild(tensors)


def _by_coefficient(coefficients: list[Any], order: int) -> Any:
    """Return the derivative of an order, given the Taylor coefficients."""
    coefficient = coefficients[order]
    if type(coefficient) is float:
        return math.factorial(order) * coefficient
    leaves, rebuild = flatten(coefficient)
    return rebuild([math.factorial(order) * leaf for leaf in leaves])


def _jacobian_of_jacobians(f: Function, x: Any, order: int) -> Any:
    for _ in range(order):
        f = jacfwd(f)
    return f(x)


def _along_all(f: Function, x: Any, order: int, directions: Any) -> tuple[list[list[Any]], Function]:
    """Return the coefficients of each leaf of the output, and what puts leaves together.

    The first coefficient is the value; the others have the directions in front.
    """
    step, runs, call = max(1, CHUNK // (size(x) * (order + 1))), [], Call([x], [0])
    for start in range(0, len(directions), step):
        chosen = directions[start : start + step].astype(dtype_of(x)).reshape(-1, *shape(x))
        low, level = Level(), Level()  # the batch's lies below
        seed = make(Series([call.leaves[0], batch(as_like(chosen, x), low)], None, order), level)
        leaves, rebuild = flatten(joined(run(f, call.arguments_with([seed]), level), f))
        runs.append([_members(output_leaf(leaf, f), level, order, len(chosen)) for leaf in leaves])
    call.check()
    if len(runs) == 1:
        return runs[0], rebuild
    return [
        [of_leaf[0][0], *(concatenate(*parts, 0) for parts in zip(*(c[1:] for c in of_leaf), strict=True))]
        for of_leaf in zip(*runs, strict=True)
    ], rebuild


def _members(out: Any, level: Level, order: int, count: int) -> list[Any]:
    """Return the value of an output, and its other coefficients with the directions in front."""
    check_alive_below(out, level)
    found = series_of(out).all() if is_number(type(out)) and out.level is level else [out] + [0.0] * order
    wanted = (count, *shape(out))
    return [own(found[0]), *(c.data if isinstance(c, BatchNumber) else broadcast_to(c, wanted) for c in found[1:])]


def _whole(coefficients: list[Any], x: Any, order: int) -> Any:
    """Return the tensor of the derivatives of an order, from the coefficients of that order along all directions."""
    value, along, n = coefficients[0], coefficients[order], size(x)
    flat, (groups, rows) = reshape(along, (shape(along)[0], -1), "C"), weights(n, order)
    found = [
        matmul(gamma[:, None, :].astype(np.result_type(dtype_of(flat))), getitem(flat, columns))
        for columns, gamma in groups
    ]
    every = transpose(reshape(concatenate(*found, 0), (len(rows), -1), "C"), (1, 0))
    tensor = getitem(every, (slice(None), rows[places_in_tensor(n, order).ravel()]))
    return in_precision(reshape(tensor, shape(value) + shape(x) * order, "C"), x)
