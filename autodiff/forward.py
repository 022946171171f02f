"""Forward mode: the push-forward of a seeded dual number gives a directional derivative.

Several directions are the members of one tangent, a batch, so that the function runs once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from dualnumbers.forms import shape
from dualnumbers.late import LateModule, late
from dualnumbers.levels import Level
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.dual import DualNumber
from dualnumbers.numbers.nested import regular
from dualnumbers.table.partials import as_given, in_precision

from . import upward
from .calls.call import Call
from .calls.given import no_function, truth
from .calls.places import Which, arguments, by_position, distinct, place, places
from .calls.running import run
from .calls.structures import flatten, is_structure
from .calls.values import check_alive, name_of, output, output_leaf, real_output
from .derived import derived, with_parameters_of
from .runs import partials
from .seeding import certain, check_alive_below, joined, split, with_tangents

new = object.__new__

folded = LateModule(globals(), "folded", "dualnumbers.numbers.folded")

LONG = 3
"""From so many differentiations by one number on a power series takes less time than nesting."""

if TYPE_CHECKING:
    from .check.derivatives import check_derivative

__all__ = ["check_derivative", "derivative", "differentiate", "gradient", "jacfwd", "jvp"]

__getattr__ = late(__name__, {"check_derivative": "upward"}, __package__)


def derivative(f: Callable[..., Any], wrt: Which, args: Sequence[Any], order: int | None = None) -> Any:
    """Return the partial derivative ∂f/∂args[wrt] at ``args``.

    With respect to a number it has the shape of f's output; with respect to an array it is the full partial, output
    shape + argument shape; with respect to nested tuples, lists, dicts and dataclasses it has their structure. ``wrt``
    is an index or a parameter's name; a tuple of them gives the mixed partial, one differentiation after the other.
    ``order`` is how often f is differentiated by one argument, a number: 0 gives the value. A Python float gives a
    Python float; what f does not depend on has the derivative zero. At a complex point f must be holomorphic.

    Raises TypeError, IndexError or ValueError for a wrong ``wrt`` or ``order``, TypeError where ``args`` is no list of
    arguments or f returns something else than numbers, ValueError where f is not holomorphic at a complex point.

    >>> from math import pi
    >>> import dualnumbers.dmath as dmath
    >>> round(derivative(lambda x: dmath.sin(x) ** dmath.sin(x), 0, [pi / 4]), 10)
    0.3616192241
    >>> derivative(lambda x: x**5, 0, [2.0], order=3)
    240.0
    """
    if not callable(f):
        raise no_function("derivative(f, 0, [x])", f)
    if order is not None:
        return upward.derivative_of_order(f, wrt, args, order)
    if type(wrt) is tuple:
        return _mixed_partial(f, wrt, args)
    args = list(args) if type(args) is list else arguments(f, args)
    index = wrt if type(wrt) is int and 0 <= wrt < len(args) else place(wrt, f, len(args))
    x = args[index]
    if type(x) is not float:
        if isinstance(x, DualNumber):
            args[index] = x = folded.unfolded(x)
        if type(x) is not DualNumber or regular(x) is not x:
            return partials(f, args, [index], lambda out: output(out, f))[1][0]
        check_alive(x)
        if _is_of_floats(x):
            return _of_folded(f, args, index)
    level = Level()
    args[index] = seed = new(DualNumber)
    seed.primal, seed.tangent, seed.level = x, 1.0, level
    out = run(f, args, level)
    if type(out) is DualNumber and out.level is level:
        tangent = out.tangent
        if type(tangent) is float and tangent == tangent:
            return tangent
        if type(tangent) is DualNumber and regular(tangent) is tangent:
            check_alive_below(out, level)
            return tangent
    return _tangent(f, args, level, out, x)


def _tangent(f: Callable[..., Any], seeded: list[Any], level: Level, out: Any, x: Any) -> Any:
    """Return the tangent of what f returned for seeded arguments, in the type of the one that is differentiated, x."""
    out = certain(f, lambda: seeded, level, out)
    return as_given(split(output(out, f), level, x)[1], x)


def _is_of_floats(x: Any) -> bool:
    """Return whether a number is a dual number of floats that are finite."""
    return type(x) is DualNumber and regular(x) is x and type(x.primal) is float is type(x.tangent)


def _of_folded(f: Callable[..., Any], args: list[Any], index: int) -> Any:
    """Return the derivative by the argument at a place, a dual number of floats, by a run of f on a `FoldedNumber`."""
    level, x = Level(), args[index]
    args[index] = folded.seed(x, level)
    out = run(f, args, level)
    kind = type(out)
    if (kind is folded.FoldedNumber or kind is DualNumber) and out.level is level:
        tangent = out.tangent
        if type(tangent) in (DualNumber, float) and regular(tangent) is tangent:
            if kind is DualNumber:  # those of a folded one are made at this moment, of floats
                check_alive_below(out, level)
            return tangent
    args[index] = folded.unfolded(args[index])
    return _tangent(f, args, level, out, x)


def second_derivative(f: Callable[..., Any], args: list[Any], index: int) -> Any:
    """Return the second derivative by the argument at a place, a float: the derivative of the derivative."""

    def slope(*xs: Any) -> Any:
        return _of_folded(f, list(xs), index) if _is_of_floats(xs[index]) else derivative(f, index, xs)

    return derivative(slope, index, args)


def _mixed_partial(f: Callable[..., Any], wrt: tuple[int | str, ...], args: Sequence[Any]) -> Any:
    """Differentiate by one index after the other, the first one innermost."""
    if not wrt:
        raise TypeError(
            "wrt is the index of an argument or a parameter's name, or a tuple of those; got an empty tuple"
            f"{user_line()}"
        )
    args = arguments(f, args)
    first = wrt[0]
    nested = type(first) is int and 0 <= first < len(args) and wrt == (first,) * len(wrt)
    if nested and len(wrt) > 1 and type(args[first]) is float:  # type: ignore[index]
        if len(wrt) >= LONG:
            return derivative(f, first, args, order=len(wrt))
        return second_derivative(f, args, first)  # type: ignore[arg-type]
    first, *others = places(wrt, f, len(args), "wrt")
    if not others:
        return derivative(f, first, args)
    order = next((k for k, other in enumerate(others, 1) if other != first), len(others) + 1)
    if order >= LONG and not is_structure(args[first]) and not shape(args[first]):

        def of_order(*xs: Any) -> Any:
            return derivative(f, first, xs, order=order)

        if len(others) < order:
            return derivative(f, first, args, order=order)
        return derivative(of_order, tuple(others[order - 1 :]), args)
    inner = lambda *xs: derivative(f, first, xs)
    if len(others) > 1 or not any(map(is_structure, (args[first], args[others[0]]))):
        return derivative(inner, tuple(others), args)
    return partials(inner, args, others, lambda out: joined(out, f))[1][0]


@derived
def differentiate(f: Callable[..., Any], wrt: Which = 0) -> Callable[..., Any]:
    """Return the partial ∂f/∂args[wrt] as a function of the same arguments, which raises what `derivative` does.

    >>> slope = differentiate(lambda x: x**3)
    >>> slope(2.0), differentiate(slope)(2.0)
    (12.0, 12.0)
    """

    @with_parameters_of(f)
    def partial_of_f(*args: Any, **keywords: Any) -> Any:
        if not keywords:
            return derivative(f, wrt, args)
        function, given, found = by_position(f, wrt, args, keywords, "wrt")
        return derivative(function, tuple(found) if isinstance(wrt, tuple) else found[0], given)

    return partial_of_f


def gradient(f: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """Return the list of partials of a scalar ``f``, one per argument, by one run with all directions at once.

    Raises TypeError where f returns an array, use `jacfwd`, or a complex number.
    """
    if not callable(f):
        raise no_function("gradient(f, [x])", f)
    args = arguments(f, args)
    if not args:
        real_output(f(), f)
    return partials(f, args, range(len(args)), lambda out: real_output(out, f), rule=_ascent)[1]


def _ascent(along_one: Any, along_i: Any) -> Any:
    """Return the gradient of a real function of a complex number, in the real inner product: ∂f/∂Re z + i ∂f/∂Im z."""
    return along_one + 1j * along_i


def jvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> tuple[Any, ...]:
    """Return ``(f(*primals), ḟ)``: the value and its tangent for the tangents of all arguments, of their structures.

    The value has the type that f gives without a differentiation, as of ``np.sin(0.5)`` np.float64; the tangent has it
    too. With ``has_aux``, f returns ``(value, auxiliary)`` and the result is ``(value, tangent, auxiliary)``.
    Raises ValueError where a tangent has another shape than its primal, even one that broadcasts, or there are not as
    many; TypeError where f returns something else than numbers.

    >>> jvp(lambda x, y: x * y, [2.0, 3.0], [1.0, 0.0])
    (6.0, 3.0)
    """
    if not callable(f):
        raise no_function("jvp(f, [x], [v])", f)
    primals, tangents = arguments(f, primals), arguments(f, tangents)
    if len(primals) != len(tangents):
        raise ValueError(f"jvp: {len(primals)} primals but {len(tangents)} tangents{user_line()}")
    level, call = Level(), Call(primals, range(len(primals)))
    pushed = call.matched(tangents)
    seeded = partial(with_tangents, call, pushed, level)
    main: Any = f
    if truth("has_aux", has_aux):
        from .calls.auxiliary import Main

        main = Main(f)
    out = run(main, seeded(), level)
    call.check()
    leaves, rebuild = flatten(certain(main, seeded, level, out))
    values: list[Any] = []
    found: list[Any] = []
    for leaf in leaves:
        value, tangent = split(output_leaf(leaf, f), level, 0.0)
        values.append(value)
        found.append(in_precision(as_given(tangent, value), value))
    both = rebuild(values), rebuild(found)
    return (*both, main.rest()) if has_aux else both


@derived
def jacfwd(
    f: Callable[..., Any], argnums: Which = 0, *, chunk_size: int | None = None, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the Jacobian as a function of f's arguments, all columns in one run; shape output + argument shape.

    ``argnums`` is an index or a parameter's name; a tuple of them gives a tuple of Jacobians. Structured outputs and
    arguments give the structure of the output, holding that of the argument. ``chunk_size`` directions, one for each
    element of the arguments, are pushed forward at a time; by default as many as fit into a small memory. With
    ``has_aux``, f returns ``(value, auxiliary)`` and the result is ``(Jacobian, auxiliary)``.

    Raises TypeError where f returns something else than numbers; TypeError, IndexError or ValueError for wrong
    ``argnums`` or ``chunk_size``; ValueError where f is not holomorphic at a complex point.

    >>> import numpy as np
    >>> jacfwd(lambda t: np.stack([t, t**2]))(3.0)
    array([1., 6.])
    """
    both = value_and_columns(f, argnums, chunk_size, has_aux)

    @with_parameters_of(f)
    def jacobian(*args: Any, **keywords: Any) -> Any:
        value, columns = both(*args, **keywords)
        return (columns, value[1]) if has_aux else columns

    return jacobian


def value_and_columns(
    f: Callable[..., Any], argnums: Which, chunk_size: int | None, has_aux: bool
) -> Callable[..., tuple[Any, Any]]:
    """Return the function of the value and the Jacobian; with ``has_aux`` of ``(value, auxiliary)`` and that."""
    from .calls.auxiliary import beside
    from .calls.directions import checked

    checked(chunk_size)

    def both(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        function, given, found = by_position(f, argnums, args, keywords)
        main, with_rest = beside(function, has_aux, name_of(f))
        value, columns = partials(main, given, distinct(argnums, found), lambda out: joined(out, f), chunk_size)
        return with_rest(value), tuple(columns) if isinstance(argnums, tuple) else columns[0]

    return both
