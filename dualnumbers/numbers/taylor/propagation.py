"""A row extended to Taylor numbers, in one of four ways.

The *general way* is open to all series, first of all to those of arrays: the coefficients follow one after the other
from the row's own partials on series (operation.py). The three others are for functions of elements on series of
floats, which they compute in a fraction of the time. *Code* that was written for the row takes short series (codes.py).
*Users' rows* of one operand, of which no code can be written, apply their partial to shorter series (users_rows.py).
The *algebra* takes longer series, of sums, products, quotients and constant powers alone (polynomials.py). Where a
coefficient is infinite or NaN, and zeros are to be told apart, each of the three leaves it to the general way.

An operation of the user's is computed at once, to the last coefficient. In the general way, the functions that its
derivative consists of are applied to numbers of the same kind, within the operation: they only set up the series that
they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...forms import is_unreal
from ...levels import Level, is_number
from ...several import each
from ...table.dispatch import lead, leading
from ...table.partials import at_point, beside
from ...table.row import Face, is_of_table
from .codes import Codes, has_code, is_of_values, of_one, of_two, of_values
from .operation import Make, Operation
from .polynomials import ALGEBRA, by_algebra
from .series import Series
from .short import series_of
from .users_rows import of_users_row


def extend(face: Face, make: Make, kind: type, scalar: type | None) -> Callable[..., Any]:
    """Extend a row to numbers of ``kind`` with ``series`` and ``level``, which ``make`` makes.

    ``scalar`` is the class of those that may have a short series; None for arrays.
    """
    row = face.row
    if not has_code(row):
        general = _in_general(face, make, kind)[0]
        return of_values(face, general, scalar) if scalar is not None and is_of_values(face) else general
    general, by_rules = _in_general_of_one(face, make) if row.arity == 1 else _in_general(face, make, kind)
    if scalar is None:
        return general
    if row.arity == 1 and not is_of_table(row):
        return of_users_row(face, scalar, general, by_rules)
    if row.name in ALGEBRA:
        general = by_algebra(face, make, general, scalar)
    return (of_one if row.arity == 1 else of_two)(Codes(face, general, by_rules, make, scalar))


def _in_general(face: Face, make: Make, kind: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Extend a row in a way that all numbers can go; with what finds the result by the rules, given the value."""
    row, evaluate, statics, unreal = face.row, face.evaluate, face.row.statics, face.unreal

    def extended(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics]
        static = arguments[len(operands) :]
        leader: Any = leading(operands)
        if not isinstance(leader, kind):
            return lead(face, *arguments)
        xs, primals = opened(operands, leader.level)
        if unreal and any(map(is_unreal, primals)):
            return unreal(*arguments)
        z0 = evaluate(*primals, *static)
        if not any(isinstance(x, Series) and row.passes(k) for k, x in enumerate(xs)):
            return z0
        return found(z0, leader.level, xs, primals, static)

    def by_rules(z0: Any, *operands: Any) -> Any:
        leader: Any = leading(operands)
        return found(z0, leader.level, *opened(operands, leader.level), ())

    def opened(operands: Sequence[Any], level: Level) -> tuple[list[Any], list[Any]]:
        """Return operands, those of a level as series, and the first coefficients of all."""
        xs = [series_of(x) if is_number(type(x)) and x.level.order == level.order else x for x in operands]
        return xs, [x.found[0] if isinstance(x, Series) else x for x in xs]

    def found(z0: Any, level: Level, xs: Sequence[Any], primals: Sequence[Any], static: tuple[Any, ...]) -> Any:
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

    return extended, by_rules


def _in_general_of_one(face: Face, make: Make) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Do the same for an elementwise row of one operand, at half the time."""
    row, evaluate, unreal = face.row, face.evaluate, face.unreal

    def extended(x: Any) -> Any:
        series = series_of(x)
        first = series.found[0]
        if unreal and is_unreal(first):
            return unreal(x)
        z0 = evaluate(first)
        if series.within is not None:
            return make(series.within.applied(row, z0, (series,), ()), x.level)
        return by_rules(z0, x)

    def by_rules(z0: Any, x: Any) -> Any:
        series = series_of(x)
        first = series.found[0]
        operation = Operation(x.level, series.order, make)
        w, (at,) = (z0, (first,)) if type(z0) is float else at_point(z0, (first,))
        try:
            with np.errstate(all="ignore"):
                return operation.closed(z0, operation.applied(row, w, (operation.opened(series, at),), ()))
        finally:
            operation.end()

    return extended, by_rules
