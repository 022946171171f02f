"""Taylor coefficients of a function, by one run of it on power series.

Those of t ↦ f(x + t v) are the derivatives of f along v, over k!. Forward mode nested n times finds the n-th of them in
2ⁿ times the work of f; a number that carries all coefficients, in some n².

>>> from autodiff import taylor
>>> import numpy as np
>>> taylor(np.exp, 0.0, 4)
[1.0, 1.0, 0.5, 0.16666666666666666, 0.041666666666666664]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dualnumbers.forms import is_unreal, shape, type_of
from dualnumbers.levels import Level, is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.number_types import alike
from dualnumbers.numbers.taylor.number import TaylorNumber, make, number_of_floats
from dualnumbers.numbers.taylor.operation import completed
from dualnumbers.numbers.taylor.short import coefficients_of, series_of
from dualnumbers.table.partials import as_given, in_precision, python_of

from .calls.call import Call
from .calls.directions import holomorphic
from .calls.given import described, no_function
from .calls.running import run
from .calls.structures import flatten, is_structure
from .calls.values import name_of, output_leaf, own, zero
from .calls.watching import in_doubt, watching
from .forward import jacfwd
from .seeding import check_alive_below, joined

NESTED = 8
"""Up to this order NaN is looked at again by nested forward mode, which tells a zero that is certain from others."""


def taylor(f: Callable[[Any], Any], x: Any, order: int, direction: Any = None) -> list[Any]:
    """Return the Taylor coefficients of ``t ↦ f(x + t direction)`` at t = 0, those of t⁰ to t^order, in a list.

    Of a number x the direction is 1 where none is given: the k-th coefficient is f⁽ᵏ⁾(x) / k!. Of an array, or of a
    nested structure of tuples, lists and dicts, it is given, in the structure and the shapes of x; with
    ``np.ones_like(x)`` a function that acts element by element is expanded at each element. Each coefficient has the
    shape and structure of what f returns. f is run once. A coefficient is infinite or NaN where a derivative on the way
    to it is.

    Raises TypeError where the order is no integer, where x is no number and no direction is given, or where f returns
    something else than numbers; ValueError for an order below 0, for a direction of another structure or shape, and
    where f is not holomorphic at a complex number x.

    >>> import numpy as np
    >>> [c.tolist() for c in taylor(lambda v: np.sum(v**2), np.array([1.0, 2.0]), 2, direction=np.array([1.0, 0.0]))]
    [5.0, 2.0, 1.0]
    """
    if not callable(f):
        raise no_function("taylor(f, x, order)", f)
    order = checked_order(order)
    if type(x) is float and direction is None and order:
        return of_float(f, [x], 0, order)
    if direction is not None:
        return _along(f, x, order, [direction])
    if is_structure(x) or shape(x):
        raise TypeError(
            "taylor: x is no number, so it needs a direction: taylor(f, x, order, direction=v) expands "
            f"f(x + t v); np.ones_like(x) is that of a function of elements{user_line()}"
        )
    found = _along(f, x, order, None)
    if is_unreal(x):
        for k, turned in enumerate(_along(f, x, order, [1j])[1:]):
            _check_holomorphic(turned, found[k + 1], k)
    return found


def checked_order(order: Any) -> int:
    """Return an order; TypeError where it is no integer, ValueError where it is below 0."""
    if type(order) is int and order >= 0:
        return order
    if isinstance(order, bool) or not hasattr(type(order), "__index__"):
        raise TypeError(f"order is the number of differentiations, 0, 1, 2, …; got {described(order)}{user_line()}")
    if order < 0:
        raise ValueError(f"order={order}, but a derivative has an order of 0 or more{user_line()}")
    return int(order)


def _check_holomorphic(turned: Any, straight: Any, k: int) -> None:
    """Raise ValueError where the coefficient of tᵏ⁺¹ along i is not iᵏ⁺¹ times that along 1."""
    for one, other in zip(flatten(turned)[0], flatten(straight)[0], strict=True):
        holomorphic(other, one / 1j**k)


def of_float(f: Callable[..., Any], args: list[Any], index: int, order: int) -> list[Any]:
    """Return the coefficients of f in the argument at ``index``, a float, up to an order above 0."""
    level, x = Level(), args[index]
    seeded = args.copy()
    seeded[index] = number_of_floats([x, 1.0], order, level)
    raw = run(f, seeded, level)
    if type(raw) is TaylorNumber and raw.level is level and not watching():
        first, *others = coefficients_of(raw)
        found = [python_of(first), *others]
        total = sum(found)
        if type(total) is float and total == total:  # as most are
            return found + [0.0] * (order + 1 - len(found))

    def of_one(x: Any) -> Any:
        return f(*args[:index], x, *args[index + 1 :])

    of_one.__name__ = name_of(f)
    return _found(of_one, Call([x], [0]), [1.0], raw, level, order, x)


def _along(f: Callable[[Any], Any], x: Any, order: int, direction: list[Any] | None) -> list[Any]:
    """Return the coefficients along a direction, which is 1 where there is none."""
    level, call = Level(), Call([x], [0])
    along = (
        [alike(1.0, type_of(x)) for x in call.leaves] if direction is None else call.matched(direction, "the direction")
    )
    seeds = [
        make(completed(a, [a, v] if order else [a], order), level) for a, v in zip(call.leaves, along, strict=True)
    ]
    raw = run(f, call.arguments_with(seeds), level)
    return _found(f, call, along, raw, level, order, x if direction is None else None)


def _found(
    f: Callable[[Any], Any], call: Call, along: list[Any], raw: Any, level: Level, order: int, given: Any
) -> list[Any]:
    """Return the coefficients that are in what f returned of series at a level; ``given`` is a number x, else None."""
    out = joined(raw, f)
    call.check()
    leaves, rebuild = flatten(out)
    by_leaf = [_coefficients(output_leaf(leaf, f), level, order, given) for leaf in leaves]
    coefficients = [rebuild([of_leaf[k] for of_leaf in by_leaf]) for k in range(order + 1)]
    doubtful = [k for k in range(1, order + 1) if any(in_doubt(of_leaf[k]) for of_leaf in by_leaf)]
    if doubtful and order <= NESTED:
        return _by_nesting(f, call, along, order, coefficients[0])
    if doubtful and watching():
        _by_nesting(f, call, along, NESTED, coefficients[0])  # which names the operation, of an order that it reaches
        raise FloatingPointError(
            f"the Taylor coefficient of order {doubtful[0]} of {name_of(f)} is nan or inf; beyond "
            f"order {NESTED} where it arose is not looked for{user_line()}"
        )
    return coefficients


def _coefficients(out: Any, level: Level, order: int, given: Any) -> list[Any]:
    """Return the coefficients of an output: in the type of the number x, else in that of the output."""
    check_alive_below(out, level)
    if is_number(type(out)) and out.level is level:
        found = list(map(own, series_of(out).all()))
    else:
        found = [own(out)] + [zero(out, 0.0 if given is None else given) for _ in range(order)]
    value = found[0]
    if given is None or shape(value):
        return [value, *(in_precision(as_given(c, value), value) for c in found[1:])]
    return [as_given(c, given) for c in found]


def _by_nesting(f: Callable[[Any], Any], call: Call, along: list[Any], order: int, values: Any) -> list[Any]:
    """Return the coefficients behind the first, ``values``, by forward mode in forward mode."""

    def g(t: Any) -> Any:
        return f(*call.arguments_with([a + t * v for a, v in zip(call.leaves, along, strict=True)]))

    found = [values]
    for k in range(1, order + 1):
        g = jacfwd(g)
        leaves, rebuild = flatten(g(0.0))
        found.append(rebuild([leaf / math.factorial(k) for leaf in leaves]))
    return found
