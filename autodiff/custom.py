"""Functions with derivatives of the user's own: any of them becomes a row, as those of the table are.

So it works in forward and reverse mode, with Variables made by hand, and nested, from one formula. A derivative is
written with NumPy's functions and operators; then it can be differentiated again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from functools import update_wrapper
from typing import Any

import numpy as np

from dualnumbers.batch import BatchNumber, over_members
from dualnumbers.dispatch import by_level, by_type
from dualnumbers.elementary import ELEMENTWISE, LINEAR, LOCALLY_CONSTANT, MULTILINEAR, PYTHON, SMOOTH, Row
from dualnumbers.errors import user_line
from dualnumbers.levels import is_number
from dualnumbers.pushforward import in_precision
from dualnumbers.rules.shaping import array, shape

from .seeding import read_only

Function = Callable[..., Any]


# --------------------------------------------------------------------------------------------- what is given back


def _value(name: str, z: Any, operands: Any) -> Any:
    """What a user's function returned: a Python number for Python numbers; TypeError where it is no plain value."""
    if is_number(type(z)):
        raise TypeError(f"{name} uses a number that is being differentiated and is none of its arguments: make that "
                        f"an argument too{user_line()}")  # fmt: skip
    if not isinstance(z, (*PYTHON, np.generic, np.ndarray)):
        raise TypeError(f"{name} returned {z!r}: let it return a number or an array{user_line()}")
    if isinstance(z, np.ndarray):
        shown = any(isinstance(x, np.ndarray) and np.may_share_memory(z, x) for x in operands)
        return z.copy() if shown else z if z.ndim else z[()]  # a view would be written to with the argument
    return z.item() if isinstance(z, np.generic) and all(isinstance(x, PYTHON) for x in operands) else z


def fitting(what: str, derivative: Any, wanted: tuple[int, ...], z: Any, spread: bool = False) -> Any:
    """A derivative in the precision of ``z``, a Python number where that is one.

    ValueError where it has not the shape ``wanted``, nor with ``spread`` one that broadcasts to it.
    """
    if not is_number(type(derivative)) and not isinstance(derivative, (*PYTHON, np.generic, np.ndarray, list)):
        raise TypeError(f"{what} is {derivative!r}: let it be a number or an array{user_line()}")
    derivative = array(derivative) if isinstance(derivative, list) else derivative
    given = shape(derivative)
    if given != wanted and not (spread and _spreads(given, wanted)):
        raise ValueError(f"{what} has shape {given}; it must have {wanted}{user_line()}")
    if isinstance(derivative, np.generic) and type(z) in PYTHON:
        return derivative.item()
    return in_precision(derivative, z)


def _spreads(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether an array of one shape broadcasts to the other."""
    ends = zip(reversed(given), reversed(wanted), strict=False)
    return len(given) <= len(wanted) and all(n in (1, m) for n, m in ends)


# --------------------------------------------------------------------------------------------- rows


def elementwise_function(name: str, function: Function, partials: tuple[Any, ...], singular: bool = False,
                         owner: bool = False) -> Function:  # fmt: skip
    """The table function of an elementwise row that is not in the table.

    With an ``owner``, the first operand is no number but the object that the function is a method of.
    """

    def plainly(*operands: Any) -> Any:
        operands = tuple(map(read_only, operands))
        xs = operands[1:] if owner else operands
        z = _value(name, function(*operands), xs)
        wanted = np.broadcast_shapes(*map(np.shape, xs))
        if np.shape(z) != wanted:
            raise ValueError(
                f"{name} returned shape {np.shape(z)} for arguments of shape {', '.join(str(np.shape(x)) for x in xs)}:"
                f" element by element it would be {wanted}. For any other function of arrays there are autodiff.smooth "
                f"and autodiff.Block{user_line()}"
            )
        return z

    def checked(k: int, partial: Any) -> Any:
        if isinstance(partial, (int, float, np.floating, np.integer)):
            return float(partial)
        if isinstance(partial, (complex, np.complexfloating)):
            return checked(k, lambda *xs_z: partial)
        if not callable(partial):
            raise TypeError(f"partial {k} of {name} is {partial!r}: let it be a function of (arguments, value) or a "
                            "number")  # fmt: skip

        def p(*xs_z: Any) -> Any:
            slope, z = partial(*map(read_only, xs_z)), xs_z[-1]
            return fitting(f"partial {k} of {name}", slope, shape(z), z, spread=True)

        return p

    row = Row(name, ELEMENTWISE, len(partials), partials=tuple(map(checked, range(len(partials)), partials)),
              singular=singular)  # fmt: skip
    row.scalar = plainly
    row.evaluate = by_type(row, plainly, plainly)
    return row.evaluate


def function_of_arrays(row: Row, function: Function) -> Function:
    """The table function of any other row that is not in the table."""
    count = row.arity

    def plainly(*arguments: Any) -> Any:
        arguments = (*map(read_only, arguments[:count]), *arguments[count:])
        return _value(row.name, function(*arguments), arguments[:count])

    row.plain = plainly
    row.evaluate = by_level(row, plainly)
    return row.evaluate


def _checked_push(name: str, k: int, push: Any) -> Any:
    if push is None:
        return None

    def checked(*t_z_xs: Any) -> Any:
        if isinstance(t_z_xs[0], BatchNumber):  # he may call what takes plain arrays only
            return over_members(t_z_xs[0], checked, t_z_xs)
        try:
            pushed, z = push(*map(read_only, t_z_xs)), t_z_xs[1]
        except RecursionError as error:
            raise RuntimeError(f"push-forward {k} of {name} calls {name} itself, and deriving the reverse mode would "
                               f"never end: write out what it needs of it{user_line()}") from error  # fmt: skip
        return fitting(f"push-forward {k} of {name}", pushed, shape(z), z)

    return checked


def _checked_adjoint(name: str, k: int, adjoint: Any) -> Any:
    if adjoint is None:
        return None
    return lambda g, *xs: fitting(f"adjoint {k} of {name}", adjoint(*map(read_only, (g, *xs))), shape(xs[k]), xs[k])


# --------------------------------------------------------------------------------------------- decorators


def _signature(function: Function, name: str) -> inspect.Signature:
    """The parameters of a function; of a ufunc its operands, without ``out`` and the like."""
    ufunc, given = getattr(function, "func", function), getattr(function, "args", ())
    if isinstance(ufunc, np.ufunc):
        places = range(len(given), ufunc.nin)
        return inspect.Signature([inspect.Parameter(f"x{k}", inspect.Parameter.POSITIONAL_ONLY) for k in places])
    try:
        return inspect.signature(function)
    except ValueError as error:  # of compiled code
        raise TypeError(f"{name} does not name its arguments: wrap it, def f(x): return {name}(x)") from error


def _name_of(function: Any) -> str:
    """The name of a function, or of that in a functools.partial."""
    name = getattr(getattr(function, "func", function), "__name__", None)
    return name or type(function).__name__


def _decorated(function: Function, kind: str, count: int | None, make: Callable[[str, Function, int, int], Function]
               ) -> Function:  # fmt: skip
    """A user's function as it is called: ``count`` operands first, then fixed parameters, with his signature.

    ``make`` takes the name, the function of arguments by place, and the numbers of operands and of parameters.
    """
    name = _name_of(function)
    signature = _signature(function, name)
    parameters, names = signature.parameters.values(), list(signature.parameters)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        raise TypeError(f"{name} takes *args or **keywords: {kind} needs a function that names its arguments; wrap it, "
                        f"def f(x): return {name}(x)")  # fmt: skip
    count = len(names) if count is None else count
    if not 0 < count <= len(names) or (kind == ELEMENTWISE and count < len(names)):
        raise TypeError(f"{name} has {len(names)} arguments ({', '.join(names)}), and {count} derivatives were given: "
                        f"give {kind} one for each argument{_BESIDES[kind]}")  # fmt: skip
    keyed = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    table_function = make(name, _by_place(function, len(names), keyed), count, len(names) - count)

    def called(*arguments: Any, **keywords: Any) -> Any:
        if keywords or keyed or len(arguments) != len(names):
            bound = signature.bind(*arguments, **keywords)
            bound.apply_defaults()
            arguments = tuple(bound.arguments.values())
        return table_function(*map(joined, arguments[:count]), *map(_as_now, arguments[count:]))

    return update_wrapper(called, function)


def _as_now(parameter: Any) -> Any:
    """A fixed parameter, safe from what its owner does to it later."""
    return copy(parameter) if isinstance(parameter, (np.ndarray, list, dict, set)) else parameter


def _by_place(function: Function, count: int, keyed: list[str]) -> Function:
    """A function that takes all its arguments by their places, also those that it takes by keyword only."""
    if not keyed:
        return function
    places = count - len(keyed)
    return lambda *xs: function(*xs[:places], **dict(zip(keyed, xs[places:], strict=True)))


_BESIDES = {ELEMENTWISE: ", a function of (arguments, value) or a number"} | dict.fromkeys(
    (LINEAR, MULTILINEAR, SMOOTH), " that can be differentiated, and those arguments first"
)


def joined(x: Any) -> Any:
    """An argument as one operand: a list, or an array of objects, as an array."""
    nested = isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.dtype == object)
    return array(x) if nested else x


def elementwise(*partials: Any, singular: bool = False) -> Callable[[Function], Function]:
    """Decorator: a function applied element by element, with its partial derivatives.

    One for each argument: a function of the arguments and the value, ``(x[, y …], z)``, or a number where it is
    constant. ``singular``: a partial may be infinite where the function is defined, as that of a root.

    >>> from autodiff import gradient
    >>> @elementwise(lambda x, y, z: y * z, lambda x, y, z: x * z)
    ... def exp_of_product(x, y):
    ...     return np.exp(x * y)
    >>> gradient(exp_of_product, [0.0, 3.0])
    [3.0, 0.0]
    """

    def make(name: str, function: Function, count: int, statics: int) -> Function:
        return elementwise_function(name, function, partials, singular)

    return lambda function: _decorated(function, ELEMENTWISE, len(partials), make)


def _by_adjoints(kind: str, adjoints: tuple[Any, ...]) -> Callable[[Function], Function]:
    def make(name: str, function: Function, count: int, statics: int) -> Function:
        checked = tuple(_checked_adjoint(name, k, adjoint) for k, adjoint in enumerate(adjoints))
        return function_of_arrays(Row(name, kind, count, statics=statics, adjoints=checked), function)

    return lambda function: _decorated(function, kind, len(adjoints), make)


def linear(*adjoints: Any) -> Callable[[Function], Function]:
    """Decorator: a function linear in its arguments jointly, with its adjoint map for each.

    An adjoint map takes the cotangent of the value, then all arguments, and returns the argument's cotangent. None
    stands for an argument that carries no derivative. Arguments that follow are fixed parameters.

    >>> from autodiff import vjp
    >>> @linear(lambda g, x, step: np.append(np.zeros(step), g))
    ... def without_the_first(x, step=1):
    ...     return x[step:]
    >>> vjp(without_the_first, np.arange(3.0))[1](np.array([5.0, 7.0]))[0].tolist()
    [0.0, 5.0, 7.0]
    """
    return _by_adjoints(LINEAR, adjoints)


def multilinear(*adjoints: Any) -> Callable[[Function], Function]:
    """Decorator: a function linear in each argument as long as the others are fixed. Adjoint maps as `linear`'s.

    >>> from autodiff import grad
    >>> @multilinear(lambda g, x, y: g * y, lambda g, x, y: g * x)
    ... def inner(x, y):
    ...     return np.vdot(x, y)
    >>> grad(inner)(np.ones(2), np.array([3.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    return _by_adjoints(MULTILINEAR, adjoints)


def smooth(*pushes: Any) -> Callable[[Function], Function]:
    """Decorator: any differentiable function of arrays, with its push-forward by each argument.

    A push-forward takes the argument's tangent, the value, then all arguments, and returns the value's tangent, to
    which it is linear; the pull-back is derived from it. None stands for an argument in which the function is locally
    constant. Arguments that follow are fixed parameters.

    >>> from autodiff import grad
    >>> @smooth(lambda t, z, x: np.vdot(x, t) / z)
    ... def length(x):
    ...     return np.sqrt(np.vdot(x, x))
    >>> grad(length)(np.array([3.0, 4.0])).tolist()
    [0.6, 0.8]
    """

    def make(name: str, function: Function, count: int, statics: int) -> Function:
        checked = tuple(_checked_push(name, k, push) for k, push in enumerate(pushes))
        row = Row(name, SMOOTH, count, statics=statics, pushes=checked, adjoints=(None,) * count)
        return function_of_arrays(row, function)

    return lambda function: _decorated(function, SMOOTH, len(pushes), make)


def locally_constant(function: Function) -> Function:
    """Decorator: a function whose derivative is zero wherever it has one: rounding, counting, sorting out.

    >>> from autodiff import derivative
    >>> @locally_constant
    ... def to_tenths(x):
    ...     return np.round(x, 1)
    >>> derivative(lambda x: x * to_tenths(x), 0, [0.26])
    0.3
    """

    def make(name: str, function: Function, count: int, statics: int) -> Function:
        return function_of_arrays(Row(name, LOCALLY_CONSTANT, count), function)

    return _decorated(function, LOCALLY_CONSTANT, None, make)
