"""Functions with derivatives of the user's own: any of them becomes a row, as those of the table are.

So it works in forward and reverse mode, with Variables made by hand, and nested, from one formula. A derivative is
written with NumPy's functions and operators; then it can be differentiated again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.levels import HELD, is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import broadcast_to
from dualnumbers.table.dispatch import joined
from dualnumbers.table.kinds import Constant, Elementwise, Kind, Linear, Multilinear, Smooth

from ..calls.closures import Watched
from ..calls.given import no_function
from ..calls.structures import flatten, map_leaves
from .arrays import Rule
from .rows import (
    Function,
    SeveralResultsError,
    elementwise_function,
    elementwise_with_parameters,
    joint_given,
    kinds_given,
)
from .trees import leaves_as


def _signature(function: Function, name: str) -> inspect.Signature:
    """Return the parameters of a function; of a ufunc its operands, without ``out`` and the like."""
    ufunc, given = getattr(function, "func", function), getattr(function, "args", ())
    if isinstance(ufunc, np.ufunc):
        places = range(len(given), ufunc.nin)
        return inspect.Signature([inspect.Parameter(f"x{k}", inspect.Parameter.POSITIONAL_ONLY) for k in places])
    try:
        return inspect.signature(function)
    except ValueError as error:  # of compiled code
        raise TypeError(f"{name} does not name its arguments: wrap it, def f(x): return {name}(x)") from error


def _name_of(function: Any) -> str:
    """Return the name of a function, or of that in a functools.partial."""
    name = getattr(getattr(function, "func", function), "__name__", None)
    return name or type(function).__name__


def decorated(function: Function, kind: type[Kind], count: int | None,
               make: Callable[[str, Function, int, tuple[str, ...]], Function]) -> Function:  # fmt: skip
    """Give a user's function its face: ``count`` operands first, then fixed parameters, with its own signature.

    Where no count is given, all arguments up to the first with a default are operands; of ``kind`` `Constant`, all.
    ``make`` takes the name, the function of arguments by place, the number of arguments that come first and the names
    of parameters, and returns a function of the lists of both. Raises TypeError for what is no function.
    """
    if not callable(function):
        name = kind.name.replace(" ", "_")
        raise no_function(f"{name}(f)" if kind is Constant else f"{name}(…)(f)", function)
    name = _name_of(function)
    signature = _signature(function, name)
    parameters, names = signature.parameters.values(), list(signature.parameters)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        raise TypeError(
            f"{name} takes *args or **keywords: {kind.name} needs a function that names its arguments; "
            f"wrap it, def f(x): return {name}(x)"
        )
    if count is None:
        given = [kind is Constant or p.default is p.empty for p in parameters]
        count = (*given, False).index(False)
    optional = all(signature.parameters[name].default is not inspect.Parameter.empty for name in names[count:])
    if not 0 < count <= len(names) or (kind is Elementwise and not optional):
        raise TypeError(
            f"{name} has {len(names)} arguments ({', '.join(names)}), and {count} derivatives were given: "
            f"give {kind.name} one for each argument{_BESIDES[kind]}"
        )
    keyed = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    apply = make(name, _by_place(function, len(names), keyed), count, tuple(names[count:]))

    def called(*arguments: Any, **keywords: Any) -> Any:
        if keywords or keyed or len(arguments) != len(names):
            bound = signature.bind(*arguments, **keywords)
            bound.apply_defaults()
            arguments = tuple(bound.arguments.values())
        if count == len(names):
            return apply(arguments, ())
        fixed = [_fixed(name, *part) for part in zip(names[count:], arguments[count:], strict=True)]
        return apply(arguments[:count], fixed)

    return update_wrapper(called, function)


def _fixed(function: str, name: str, parameter: Any) -> Any:
    """Return a fixed parameter, what is locally constant in it plain; TypeError where it carries a derivative."""
    numbers = [x for x in flatten(parameter)[0] if is_number(type(x)) and x.level is not HELD]
    if any(getattr(x, "active", True) for x in numbers):
        raise TypeError(
            f"{name} of {function} carries a derivative, and none by it was given: give one, or "
            f"autodiff.value_of({name}){user_line()}"
        )
    return map_leaves(read, parameter) if numbers else parameter


def _by_place(function: Function, count: int, keyed: list[str]) -> Function:
    """Let a function take all its arguments by their places, also those that it takes by keyword only."""
    if not keyed:
        return function
    places = count - len(keyed)
    return lambda *xs: function(*xs[:places], **dict(zip(keyed, xs[places:], strict=True)))


_BESIDES = {Elementwise: ", a function of (arguments, value) or a number"} | dict.fromkeys(
    (Linear, Multilinear, Smooth), " that can be differentiated, and those arguments first"
)


def elementwise(*partials: Any, singular: bool = False) -> Callable[[Function], Function]:
    """Give a function applied element by element its partial derivatives.

    One for each argument: a function of the arguments and the value, ``(x[, y …], z)``, or a number where it is
    constant. Arguments with defaults that follow are fixed parameters. ``singular``: a partial may be infinite where
    the function is defined, as that of a root.

    Raises TypeError where the function does not name its arguments, or has another number of them, or where a fixed
    parameter carries a derivative.

    >>> from autodiff import gradient
    >>> @elementwise(lambda x, y, z: y * z, lambda x, y, z: x * z)
    ... def exp_of_product(x, y):
    ...     return np.exp(x * y)
    >>> gradient(exp_of_product, [0.0, 3.0])
    [3.0, 0.0]

    A derivative of one's own choice, here that of rounding passed straight through:

    >>> rounded = elementwise(1.0)(np.round)
    >>> gradient(lambda x: rounded(x, 1) ** 2, [0.26])
    [0.6]
    """

    def make(name: str, function: Function, count: int, fixed: tuple[str, ...]) -> Function:
        made = elementwise_with_parameters if fixed else elementwise_function
        of_one, several, watched = made(name, function, partials, singular), False, Watched((function, partials))
        whole = Rule(name, function, [Smooth(_times(count, partial)) for partial in partials], fixed)

        def apply(arguments: Sequence[Any], parameters: Sequence[Any]) -> Any:
            nonlocal several
            if not several and not watched.numbers():
                try:
                    return of_one(*map(joined, arguments), *parameters)
                except SeveralResultsError:
                    several = True
            return whole(arguments, parameters)

        return apply

    return lambda function: decorated(function, Elementwise, len(partials), make)


def _times(count: int, partial: Any) -> Function:
    """Make the push-forward of a partial, or of one for each result: a product with the tangent."""

    def push(t: Any, z: Any, *arguments: Any) -> Any:
        slopes = partial(*arguments[:count], z) if callable(partial) else map_leaves(lambda _: partial, z)
        values, rebuild = flatten(z)
        found = zip(leaves_as("a partial", slopes, z), values, strict=True)
        return rebuild(broadcast_to(p * t, shape(x)) for p, x in found)

    return push


def _of_arrays(
    kind: type[Kind], derivatives: tuple[Any, ...], joint: Function | None = None
) -> Callable[[Function], Function]:
    def make(name: str, function: Function, count: int, fixed: tuple[str, ...]) -> Function:
        kinds = kinds_given(name, kind, derivatives) if derivatives else [Smooth(None)] * count
        return Rule(name, function, kinds, fixed, joint_given(name, joint))

    count = None if joint is not None and not derivatives else len(derivatives)
    return lambda function: decorated(function, kind, count, make)


def linear(*adjoints: Any) -> Callable[[Function], Function]:
    """Give a function that is linear in its arguments jointly its adjoint map for each.

    An adjoint map takes the cotangent of the value, then all arguments, and returns the argument's cotangent. None
    stands for an argument that carries no derivative. Arguments that follow are fixed parameters.

    Raises what `elementwise` does, and TypeError for a map that is no function; ValueError at the first tangent where
    the function and its adjoint map are no transposes of one another, or what a map gives has another shape.

    >>> from autodiff import vjp
    >>> @linear(lambda g, x, step: np.append(np.zeros(step), g))
    ... def without_the_first(x, step=1):
    ...     return x[step:]
    >>> vjp(without_the_first, np.arange(3.0))[1](np.array([5.0, 7.0]))[0].tolist()
    [0.0, 5.0, 7.0]
    """
    return _of_arrays(Linear, adjoints)


def multilinear(*adjoints: Any) -> Callable[[Function], Function]:
    """Give a function that is linear in each argument, the others fixed, its adjoint maps, as `linear` has them.

    Raises what that does.

    >>> from autodiff import grad
    >>> @multilinear(lambda g, x, y: g * y, lambda g, x, y: g * x)
    ... def inner(x, y):
    ...     return np.vdot(x, y)
    >>> grad(inner)(np.ones(2), np.array([3.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    return _of_arrays(Multilinear, adjoints)


def smooth(*pushes: Any, pull: Function | None = None) -> Callable[[Function], Function]:
    """Give any differentiable function of arrays its push-forward by each argument, or its pull-back.

    A push-forward takes the argument's tangent, the value, then all arguments, and returns the value's tangent, to
    which it is linear; the pull-back is derived from it. None stands for an argument in which the function is locally
    constant. Arguments that follow are fixed parameters.

    >>> from autodiff import grad
    >>> @smooth(lambda t, z, x: np.vdot(x, t) / z)
    ... def length(x):
    ...     return np.sqrt(np.vdot(x, x))
    >>> grad(length)(np.array([3.0, 4.0])).tolist()
    [0.6, 0.8]

    An argument in which the function is linear may have its adjoint map in place of a push-forward, as
    ``Linear(adjoint)``. A pull-back that is faster than the derived one stands beside the push, as
    ``Smooth(push, pull)``; it maps ``(cotangent, value, *arguments)`` to the argument's cotangent.

    >>> from autodiff.custom import Linear
    >>> @smooth(lambda t, z, a, b: -np.linalg.solve(a, t @ z), Linear(lambda g, a, b: np.linalg.solve(a.T, g)))
    ... def solution(a, b):
    ...     return np.linalg.solve(a, b)
    >>> grad(lambda b: np.sum(solution(np.diag([2.0, 4.0]), b)))(np.ones(2)).tolist()
    [0.5, 0.25]

    Where the pull-backs to several arguments share work, ``pull`` gives the cotangents of all at once, one for each
    argument and None for none, to one argument also that alone; it maps ``(cotangent, value, *arguments)``.

    A pull-back alone is enough: ``Smooth(None, pull)`` for an argument, or ``smooth(pull=…)`` for all arguments up to
    the first that has a default. The push-forward is derived from it, as the transpose of what it does to a cotangent;
    so it is written in NumPy's functions. Raises what `linear` does, and ValueError where what is transposed is not
    linear.

    >>> from autodiff import jvp
    >>> @smooth(pull=lambda g, z, a, b: (g * b, g * a))
    ... def product(a, b):
    ...     return a * b
    >>> jvp(product, [np.float64(2.0), np.float64(3.0)], [1.0, 0.0])[1]
    np.float64(3.0)
    """

    return _of_arrays(Smooth, pushes, pull)


def locally_constant(function: Function) -> Function:
    """Mark a function whose derivative is zero wherever it has one: rounding, counting, sorting out.

    Raises TypeError where the function does not name its arguments.

    >>> from autodiff import derivative
    >>> @locally_constant
    ... def to_tenths(x):
    ...     return np.round(x, 1)
    >>> derivative(lambda x: x * to_tenths(x), 0, [0.26])
    0.3
    """

    def make(name: str, function: Function, count: int, fixed: tuple[str, ...]) -> Function:
        return Rule(name, function, [Constant()] * count, ())

    return decorated(function, Constant, None, make)
