"""A row of the table extended to Taylor numbers: what an operation of the user's does, and one within a rule.

The user's is computed at once, to the last coefficient. The functions that its derivative consists of are applied to
numbers of the same kind, within the operation; they only set up the series that they stand for (operation.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...forms import is_unreal
from ...levels import Level, is_number
from ...several import each
from ...table.dispatch import lead, leading
from ...table.partials import arguments_read, at_point, beside
from ...table.row import Face
from .operation import Make, Operation
from .polynomials import finite, following, of_own_slope, of_slope
from .series import Series

OfFloats = Callable[[list[float], int, Level], Any]

DOUBLE = (float, np.float64)
"""The types of first coefficients of which series are found in short."""

OF_VALUE = frozenset((1,))

SHORT = 4
"""Up to this order series of floats are found without an operation, which would take longer."""


def extend(face: Face, make: Make, of_floats: OfFloats, kind: Any) -> Callable[..., Any]:
    """Extend a row to numbers of ``kind`` with ``series`` and ``level``, which ``make`` makes.

    ``of_floats`` makes those of a list of floats, up to an order.
    """
    row, evaluate, statics, unreal = face.row, face.evaluate, face.row.statics, face.unreal

    if row.is_elementwise and row.arity == 1 and not row.several:
        return _of_one(face, make, of_floats)

    def extended(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics]
        static = arguments[len(operands) :]
        leader = leading(operands)
        if not isinstance(leader, kind):
            return lead(face, *arguments)
        level = leader.level
        xs = [x.series if is_number(type(x)) and x.level.order == level.order else x for x in operands]
        primals = [x.found[0] if isinstance(x, Series) else x for x in xs]
        if unreal and any(map(is_unreal, primals)):
            return unreal(*arguments)
        z0 = evaluate(*primals, *static)
        if not any(isinstance(x, Series) and row.passes(k) for k, x in enumerate(xs)):
            return z0
        xs = list(beside(row, z0, xs))
        within = next((x.within for x in xs if isinstance(x, Series) and x.within is not None), None)
        if within is not None:
            return within.number(within.applied(row, z0, xs, static))
        operation = Operation(level, min(x.order for x in xs if isinstance(x, Series)), make)
        w, at = at_point(z0, primals) if row.is_elementwise else (z0, primals)
        copies = {id(x): operation.opened(x, first) for x, first in zip(xs, at, strict=True)}
        try:
            with np.errstate(all="ignore"):
                z = operation.applied(row, w, [copies[id(x)] for x in xs], static)
                return each(operation.closed, z0, z)
        finally:
            operation.end()

    return extended


def _of_one(face: Face, make: Make, of_floats: OfFloats) -> Callable[..., Any]:
    """Extend an elementwise row of one operand, at half the time of the general way."""
    row, evaluate, unreal, floats = face.row, face.evaluate, face.unreal, face.scalar
    short = _in_short(row.partials[0], of_floats)

    def extended(x: Any) -> Any:
        series, level = x.series, x.level
        first, within, order = series.found[0], series.within, series.order
        if type(first) is float:
            z0 = floats(first)
        elif unreal and is_unreal(first):
            return unreal(x)
        else:
            z0 = evaluate(first)
        if within is None and 0 < order <= SHORT and type(z0) in DOUBLE and type(first) in DOUBLE:
            a, w = series.found, z0
            if type(z0) is not float:
                a, w = [float(first), *a[1:]], float(z0)
            found = finite(short, a, w, order, level)
            if found is not None:  # else the rules tell zeros from one another
                found[0] = z0
                return of_floats(found, order, level)
        if within is not None:
            return make(within.applied(row, z0, (series,), ()), level)
        operation = Operation(level, order, make)
        w, (at,) = (z0, (first,)) if type(z0) is float else at_point(z0, (first,))
        try:
            with np.errstate(all="ignore"):
                return operation.closed(z0, operation.applied(row, w, (operation.opened(series, at),), ()))
        finally:
            operation.end()

    return extended


def _in_short(partial: Any, of_floats: OfFloats) -> Callable[[list[float], float, int, Level], list[Any]]:
    """Make the function of a complete series of floats, given its value, up to an order.

    The partial is taken of series of the order that it is needed to; where it reads the value, of each order anew.
    """
    if type(partial) is float:
        return lambda a, z0, order, level: [z0, *[partial * t for t in a[1:]]]
    read = arguments_read(partial, (0, 1), frozenset((0, 1)))

    def coefficients(p: Any) -> list[Any]:
        return p.series.found if is_number(type(p)) else [p]

    def of_operand(a: list[float], z0: float, order: int, level: Level) -> list[Any]:
        x = of_floats(a[:order], order - 1, level) if order > 1 else a[0]
        return of_slope(z0, a, coefficients(partial(x, None)), order)

    def of_value(a: list[float], z0: float, order: int, level: Level) -> list[Any]:
        p = partial(a[0], z0)
        if p is z0 and read == OF_VALUE:
            return of_own_slope(z0, a, order)
        found = of_slope(z0, a, [p], 1)
        for k in range(2, order + 1 if len(a) > 1 else 0):
            x = of_floats(a[:k], k - 1, level) if 0 in read else None
            found.append(following(a, coefficients(partial(x, of_floats(found[:k], k - 1, level))), k))
        return found

    return of_value if 1 in read else of_operand
