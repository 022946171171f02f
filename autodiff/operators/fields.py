"""Derivatives of fields, functions of a point x in Rⁿ: divergence, curl, Laplacian; and of functions of elements.

>>> import numpy as np
>>> from autodiff import curl, divergence, laplacian
>>> def rotation(x):
...     return np.array([-x[1], x[0], x[2]])
>>> point = np.array([1.0, 2.0, 3.0])
>>> curl(rotation)(point), divergence(rotation)(point), laplacian(lambda x: np.sum(x**3))(point)
(array([0., 0., 2.]), np.float64(1.0), np.float64(36.0))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, is_unreal, shape, zeros_like
from dualnumbers.levels import Level, has_nan, level_of, read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.batch import batch
from dualnumbers.rules.indexing import getitem
from dualnumbers.rules.linalg.diagonals import trace
from dualnumbers.rules.linalg.undetermined import Unadapted
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import array, stack

from ..calls.auxiliary import beside
from ..calls.directions import holomorphic
from ..calls.places import by_position
from ..calls.structures import is_structure
from ..calls.values import name_of, own
from ..calls.watching import watching
from ..derived import derived, with_parameters_of
from ..forward import derivative, jacfwd, jvp
from ..second_look.rounding import differ, size_of_terms


def _of_point(operator: str, x: Any, f: Any) -> int:
    """Return the dimension of the space; TypeError or ValueError where x is no point of it."""
    if is_structure(x) or len(shape(x)) != 1:
        given = f"of type {type(x).__name__}" if is_structure(x) else f"of shape {shape(x)}"
        raise ValueError(
            f"{operator}: the first argument of {name_of(f)} is a point, an array of shape (n,); it is "
            f"{given}{user_line()}"
        )
    return int(shape(x)[0])


def _gradients(operator: str, f: Callable[..., Any], x: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return the matrix ∂fᵢ/∂xⱼ of a vector field; ValueError where it is none."""
    n = _of_point(operator, x, f)
    found = jacfwd(f)(x, *args, **keywords)
    if (is_structure(found) and not isinstance(found, (list, tuple))) or shape(found) != (n, n):
        raise ValueError(
            f"{operator}: {name_of(f)} is to return a vector of the {n} components of a field at a point "
            f"of {n} coordinates{user_line()}"
        )
    return found


@derived
def divergence(f: Callable[..., Any], has_aux: bool = False) -> Callable[..., Any]:
    """Return the divergence Σ ∂fᵢ/∂xᵢ of a vector field ``f(x, *args)``, x of shape (n,), as a function of the same.

    With ``has_aux``, f returns ``(field, auxiliary)`` and the result is ``(divergence, auxiliary)``. Raises ValueError
    where x is no point, or f returns no vector of as many components.

    >>> divergence(lambda x: x**2)(np.array([1.0, 2.0]))
    np.float64(6.0)
    """

    @with_parameters_of(f)
    def divergence_of_f(x: Any, *args: Any, **keywords: Any) -> Any:
        main, with_rest = beside(f, has_aux, name_of(f))
        return with_rest(own(trace(_gradients("divergence", main, x, args, keywords), 0, 0, 1)))

    return divergence_of_f


PLANES = {2: ((0, 1),), 3: ((1, 2), (2, 0), (0, 1))}
"""The planes in which a field may turn, by the dimension of the space."""


@derived
def curl(f: Callable[..., Any], has_aux: bool = False) -> Callable[..., Any]:
    """Return the curl of a vector field ``f(x, *args)`` as a function of the same arguments.

    In three dimensions it is the vector of ∂fⱼ/∂xᵢ − ∂fᵢ/∂xⱼ for (i, j) = (1, 2), (2, 0), (0, 1), in two the number for
    (0, 1). ``has_aux`` is `divergence`'s. Raises ValueError in any other dimension, and where x is no point or f
    returns no vector of as many components.

    >>> curl(lambda x: np.stack([-x[1], x[0], x[2] ** 2]))(np.ones(3))[2]
    np.float64(2.0)
    """

    @with_parameters_of(f)
    def curl_of_f(x: Any, *args: Any, **keywords: Any) -> Any:
        main, with_rest = beside(f, has_aux, name_of(f))
        slopes = _gradients("curl", main, x, args, keywords)
        slopes = array(slopes) if isinstance(slopes, (list, tuple)) else slopes
        n = shape(slopes)[0]
        if n not in PLANES:
            raise ValueError(f"curl is of fields in two or three dimensions, not in {n}{user_line()}")
        turning = [getitem(slopes, (j, i)) - getitem(slopes, (i, j)) for i, j in PLANES[n]]
        return with_rest(stack(*turning, 0) if n == 3 else own(turning[0]))

    return curl_of_f


@derived
def laplacian(f: Callable[..., Any], has_aux: bool = False) -> Callable[..., Any]:
    """Return the Laplacian Σ ∂²f/∂xᵢ² of ``f(x, *args)``, x of shape (n,), of the shape that f returns.

    f runs once, with the second derivatives along all axes at a time, forward over forward; where that is NaN, once for
    each axis. ``has_aux`` is `divergence`'s. Raises ValueError where x is no point or f returns a structure, TypeError
    where x is complex.

    >>> laplacian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    np.float64(18.0)
    """

    @with_parameters_of(f)
    def laplacian_of_f(x: Any, *args: Any, **keywords: Any) -> Any:
        n, x = _of_point("laplacian", x, f), array(x)
        if is_unreal(x):
            raise TypeError(f"laplacian is by real coordinates; those given are complex{user_line()}")
        units = np.eye(n, dtype=np.result_type(dtype_of(x), np.float32))
        main, with_rest = beside(f, has_aux, name_of(f))
        if not n:
            return with_rest(_second(main, x, zeros_like(x) + 0.0, args, keywords))
        found = None if watching() else _at_once(main, x, units, args, keywords)
        if found is None or has_nan(found):  # along one axis zeros that meet infinite slopes are told apart
            found = sum(_second(main, x, unit, args, keywords) for unit in units)
        return with_rest(found)

    return laplacian_of_f


def _at_once(f: Callable[..., Any], x: Any, units: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return the Laplacian by all axes at a time; None where a rule needs to know the direction."""
    level = Level()
    try:
        second = _second(f, x, batch(units, level), args, keywords)
    except Unadapted:
        return None
    return own(total(second.data, 0, False)) if level_of(second) is level else len(units) * second


def _second(f: Callable[..., Any], x: Any, along: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return the second derivative of f along a direction; ValueError where f returns a structure."""

    def slope(y: Any) -> Any:
        found = jvp(lambda z: f(z, *args, **keywords), [y], [along])[1]
        if is_structure(found):
            raise ValueError(
                f"laplacian: {name_of(f)} is to return a number or an array: np.stack of what it returns, "
                f"or one Laplacian for each{user_line()}"
            )
        return found

    return jvp(slope, [x], [along])[1]


@derived
def elementwise_grad(f: Callable[..., Any], argnum: int | str = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the derivative of each element of ``f`` by the same element of an argument, of the shape of both.

    ``f`` acts on that argument element by element, as NumPy's ufuncs do: its Jacobian is diagonal. That is checked by
    one more direction, drawn at random, along which another Jacobian would almost surely differ; ValueError where it
    does, where the shapes differ, or where f is not holomorphic at a complex argument. With ``has_aux``, f returns
    ``(value, auxiliary)`` and the result is ``(derivative, auxiliary)``. Raises TypeError where ``argnum`` is a tuple.

    >>> elementwise_grad(np.sin)(np.array([0.0, np.pi]))
    array([ 1., -1.])
    """
    if isinstance(argnum, tuple):
        raise TypeError(
            f"elementwise_grad is by one argument, its index or name, not by argnum={argnum!r}: write it "
            f"once for each{user_line()}"
        )

    @with_parameters_of(f)
    def slope_of_f(*args: Any, **keywords: Any) -> Any:
        called, given, (index,) = by_position(f, argnum, args, keywords)
        function, with_rest = beside(called, has_aux, name_of(f))
        x, level = array(given[index]), Level()
        if not shape(x):
            slope = derivative(function, index, given)
            _check_alike(f, slope, x)
            return with_rest(slope)
        of_one, ones = (lambda y: function(*given[:index], y, *given[index + 1 :])), zeros_like(x) + 1.0
        drawn = np.random.default_rng(0).uniform(0.5, 1.5, shape(x)).astype(dtype_of(ones))
        both = batch(stack(ones, drawn, *([1j * ones] if is_unreal(x) else []), 0), level)
        value, tangent = jvp(of_one, [x], [both])
        _check_alike(f, value, x)
        if level_of(tangent) is not level:
            return with_rest(tangent)
        slope, along = getitem(tangent.data, 0), getitem(tangent.data, 1)
        if is_unreal(x):
            holomorphic(slope, getitem(tangent.data, 2))
        expected = read(slope) * drawn
        terms = lambda: size_of_terms(lambda v: jvp(of_one, [x], [v])[1], drawn)[0]
        if np.any(differ(read(along), expected, np.abs(expected), terms)):
            raise ValueError(
                f"elementwise_grad: {name_of(f)} does not act element by element: elements of its result "
                f"depend on others of the argument; use jacobian{user_line()}"
            )
        return with_rest(own(slope))

    return slope_of_f


def _check_alike(f: Any, out: Any, x: Any) -> None:
    """Raise ValueError where what f returned, or its derivative by one number, has not the shape of the argument."""
    if is_structure(out) or shape(out) != shape(x):
        kind = "a structure" if is_structure(out) else f"one of shape {shape(out)}"
        given = f"an array of shape {shape(x)}" if shape(x) else "a number"
        raise ValueError(
            f"elementwise_grad: {name_of(f)} of {given} returned {kind}: it does not act element by "
            f"element; use jacobian{user_line()}"
        )
