"""A row of the table extended to Taylor numbers: what an operation of the user's does, and one within a rule.

The user's is computed at once, to the last coefficient. The functions that its derivative consists of are applied to
numbers of the same kind, within the operation; they only set up the series that they stand for (operation.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..forms import is_unreal
from ..levels import is_number
from ..several import each
from ..table.dispatch import lead, leading
from ..table.partials import at_point, beside
from ..table.row import Face
from .operation import Make, Operation
from .series import Series


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

    def extended(x: Any) -> Any:
        series, level = x.series, x.level
        first = series.found[0]
        if unreal and is_unreal(first):
            return unreal(x)
        z0 = floats(first) if type(first) is float else evaluate(first)
        within = series.within
        if within is not None:
            return make(within.applied(row, z0, (series,), ()), level)
        operation = Operation(level, series.order, make)
        w, (at,) = (z0, (first,)) if type(z0) is float else at_point(z0, (first,))
        try:
            with np.errstate(all="ignore"):
                return operation.closed(z0, operation.applied(row, w, (operation.opened(series, at),), ()))
        finally:
            operation.end()

    return extended
