"""A row of the table extended to Taylor numbers: what an operation of the user's does, and one within a rule.

The user's is computed at once, to the last coefficient: of short series by code that was written for it (short.py). The
functions that its derivative consists of are applied to numbers of the same kind, within the operation; they only set
up the series that they stand for (operation.py).
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
from ...table.row import Face
from .operation import Make, Operation
from .polynomials import ALGEBRA, by_algebra
from .series import Series
from .short import CONSTANTS, Codes, series_of


def extend(face: Face, make: Make, kind: type, scalar: type | None) -> Callable[..., Any]:
    """Extend a row to numbers of ``kind`` with ``series`` and ``level``, which ``make`` makes.

    ``scalar`` is the class of those that may have a short series; None for arrays.
    """
    row, evaluate, statics, unreal = face.row, face.evaluate, face.row.statics, face.unreal

    def by_rules(z0: Any, level: Level, xs: Sequence[Any], primals: Sequence[Any], static: tuple[Any, ...]) -> Any:
        """Return the result, given its value, series or constants as operands, and their first coefficients."""
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

    def general(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics]
        static = arguments[len(operands) :]
        leader = leading(operands)
        if not isinstance(leader, kind):
            return lead(face, *arguments)
        xs, primals = _opened(operands, leader.level)
        if unreal and any(map(is_unreal, primals)):
            return unreal(*arguments)
        z0 = evaluate(*primals, *static)
        if not any(isinstance(x, Series) and row.passes(k) for k, x in enumerate(xs)):
            return z0
        return by_rules(z0, leader.level, xs, primals, static)

    def of_one(x: Any) -> Any:
        series = series_of(x)
        first = series.found[0]
        if unreal and is_unreal(first):
            return unreal(x)
        z0 = evaluate(first)
        if series.within is not None:
            return make(series.within.applied(row, z0, (series,), ()), x.level)
        return of_one_by_rules(z0, x)

    def of_one_by_rules(z0: Any, x: Any) -> Any:
        """Return the result of one operand, given its value: as `by_rules`, at half the time."""
        series = series_of(x)
        first = series.found[0]
        operation = Operation(x.level, series.order, make)
        w, (at,) = (z0, (first,)) if type(z0) is float else at_point(z0, (first,))
        try:
            with np.errstate(all="ignore"):
                return operation.closed(z0, operation.applied(row, w, (operation.opened(series, at),), ()))
        finally:
            operation.end()

    def of_two_by_rules(z0: Any, x: Any, y: Any) -> Any:
        level = leading((x, y)).level
        return by_rules(z0, level, *_opened((x, y), level), ())

    if not row.is_elementwise or row.several or row.arity > 2:
        return general
    if row.arity == 1:
        if scalar is None:
            return of_one
        return _of_one(Codes(face, of_one, of_one_by_rules, make, scalar))
    if scalar is None:
        return general
    way = by_algebra(face, make, general, scalar) if row.name in ALGEBRA else general
    return _of_two(Codes(face, way, of_two_by_rules, make, scalar))


def _opened(operands: Sequence[Any], level: Level) -> tuple[list[Any], list[Any]]:
    """Return operands, those of a level as series, and the first coefficients of all."""
    xs = [series_of(x) if is_number(type(x)) and x.level.order == level.order else x for x in operands]
    return xs, [x.found[0] if isinstance(x, Series) else x for x in xs]


def _of_one(codes: Codes) -> Callable[..., Any]:
    """Make the function of one operand, a number, from the ``codes``, which it has as such."""

    def extended(x: Any) -> Any:
        return codes[x.form](x)

    extended.codes = codes  # type: ignore[attr-defined]
    return extended


def _of_two(codes: Codes) -> Callable[..., Any]:
    """Make the function of two operands, of which one at least is a number, from the ``codes``, which it has as such."""
    general, scalar = codes.general, codes.kind

    def extended(x: Any, y: Any) -> Any:
        kind, other = type(x), type(y)
        if kind is scalar:
            if other is scalar:
                if x.level is y.level:
                    return codes[x.form, y.form](x, y)
            elif other in CONSTANTS:
                return codes[x.form, other](x, y)
        elif kind in CONSTANTS and other is scalar:
            return codes[kind, y.form](x, y)
        return general(x, y)

    extended.codes = codes  # type: ignore[attr-defined]
    return extended


def operators_of(codes: Codes, general: Callable[..., Any], reflected: Callable[..., Any]) -> tuple[Any, Any]:
    """Return Python's operator and its reflected twin, given those of operands of any type."""
    scalar = codes.kind

    def operator(x: Any, y: Any) -> Any:
        kind = type(y)
        if kind is scalar:
            if x.level is y.level:
                return codes[x.form, y.form](x, y)
        elif kind is float or kind in CONSTANTS:
            return codes[x.form, kind](x, y)
        return general(x, y)

    def reflected_operator(x: Any, y: Any) -> Any:
        kind = type(y)
        return codes[kind, x.form](y, x) if kind is float or kind in CONSTANTS else reflected(x, y)

    return operator, reflected_operator
