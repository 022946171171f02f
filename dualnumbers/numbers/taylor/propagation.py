"""A row of the table extended to Taylor numbers: what an operation of the user's does, and one within a rule.

The user's is computed at once, to the last coefficient. The functions that its derivative consists of are applied to
numbers of the same kind, within the operation; they only set up the series that they stand for (operation.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...forms import is_unreal
from ...levels import is_number
from ...several import each
from ...table.dispatch import lead, leading
from ...table.kinds import scaled
from ...table.partials import FAILURES, arguments_read, at_point, beside
from ...table.row import Face
from .operation import Make, Operation
from .polynomials import of_slope
from .series import Series

OF_VALUE = frozenset((1,))

SHORT = 4
"""Up to this order series of floats are found without an operation, which would take longer."""


def extend(face: Face, make: Make, kind: Any) -> Callable[..., Any]:
    """Extend a row to numbers of ``kind`` with ``series`` and ``level``, which ``make`` makes."""
    row, evaluate, statics, unreal = face.row, face.evaluate, face.row.statics, face.unreal

    if row.is_elementwise and row.arity == 1 and not row.several:
        return _of_one(face, make)

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


def _of_one(face: Face, make: Make) -> Callable[..., Any]:
    """Extend an elementwise row of one operand, at half the time of the general way."""
    row, evaluate, unreal, floats = face.row, face.evaluate, face.unreal, face.scalar
    (partial,) = row.partials
    read = arguments_read(partial, (0, 1), frozenset((0, 1)))

    def extended(x: Any) -> Any:
        series, level = x.series, x.level
        first = series.found[0]
        if unreal and is_unreal(first):
            return unreal(x)
        z0 = floats(first) if type(first) is float else evaluate(first)
        within = series.within
        if within is not None:
            return make(within.applied(row, z0, (series,), ()), level)
        if type(z0) is float is type(first) and 0 < series.order <= SHORT:
            found = _short(partial, read, series, z0, level, make)
            if found is not None:
                return make(Series(found, None, series.order), level)
        operation = Operation(level, series.order, make)
        w, (at,) = (z0, (first,)) if type(z0) is float else at_point(z0, (first,))
        try:
            with np.errstate(all="ignore"):
                return operation.closed(z0, operation.applied(row, w, (operation.opened(series, at),), ()))
        finally:
            operation.end()

    return extended


def _short(partial: Any, read: frozenset[int], series: Series, z0: float, level: Any, make: Make) -> list[float] | None:
    """Return the coefficients of a function of a complete series of floats; None where one is none or not finite.

    The partial is taken of series of the order that it is needed to; where it reads the value, of each order anew.
    ``read`` says whether it reads the operand, 0, and the value, 1.
    """
    a, found = series.found, [z0]
    if type(partial) is float:
        return [z0, *(scaled(partial, t) for t in a[1:])]

    own = False

    def slope(k: int) -> list[float]:
        nonlocal own
        if k == 1:
            w = partial(a[0], z0)
            own = w is z0 and read == OF_VALUE  # as exp has it
        elif own:
            return found
        else:
            x = make(Series(a[:k], None, k - 1), level) if 0 in read else None
            w = partial(x, make(Series(found[:k], None, k - 1), level) if 1 in read else None)
        return w.series.found if is_number(type(w)) else [w]

    try:
        for k in range(1, series.order + 1) if 1 in read else (series.order,):
            found = of_slope(z0, a, slope(k), k)
    except FAILURES:
        return None
    total = sum(found)
    return found if type(total) is float and total - total == 0.0 else None
