"""The algebra of complete power series of floats, for those that are too long for code (codes.py).

A series is a list of coefficients, without zeros behind the last, and no longer than the order says. The algebra is
what series.py says coefficient by coefficient, without the rules, in a tenth of the time; a test holds the two, and the
table, against each other.

>>> times([1.0, 2.0], [1.0, -2.0], 5), over([1.0], [1.0, -0.5], 3)
([1.0, 0.0, -4.0], [1.0, 0.5, 0.25, 0.125])
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...levels import Level
from ...table.partials import FAILURES
from ...table.row import Face
from .series import Series
from .short import CONSTANTS, DOUBLE, series_of

Coefficients = list[Any]


def plus(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the sum of two series up to an order."""
    if len(a) < len(b):
        a, b = b, a
    found = a.copy()
    for k, t in enumerate(b):
        found[k] += t
    return found


def minus(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the difference of two series up to an order."""
    return plus(a, [-t for t in b], order)


def times(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the product of two series up to an order."""
    count = order + 1
    first = a[0]
    found = [first * t for t in b[:count]]
    for j, s in enumerate(a[1:count], 1):
        here = len(found)
        for k, t in enumerate(b[: count - j], j):
            if k < here:
                found[k] += s * t
            else:
                found.append(s * t)
    return found


def over(a: Coefficients, b: Coefficients, order: int) -> Coefficients:
    """Return the quotient of two series up to an order; ZeroDivisionError where the second one begins with 0."""
    first = b[0]
    if len(b) == 1:
        return [t / first for t in a]
    found = [a[0] / first]
    for k in range(1, order + 1):
        total = a[k] if k < len(a) else 0.0
        for j in range(1, min(k + 1, len(b))):
            total -= b[j] * found[k - j]
        found.append(total / first)
    return found


def to_power(a: Coefficients, exponent: Coefficients, order: int) -> Coefficients | None:
    """Return a series to a constant power up to an order; None where that is no constant, or the rules are needed."""
    first, p = a[0], exponent[0]
    if len(exponent) > 1 or not (first > 0.0 or (type(p) is int and first)):
        return None
    found = [first**p]
    if len(a) == 1:
        return found
    if not sys.float_info.min / sys.float_info.epsilon <= abs(found[0]) <= sys.float_info.max:
        return None
    for k in range(1, order + 1):
        total = 0.0
        for j in range(1, min(k, len(a) - 1) + 1):
            total = total + (p * j - (k - j)) * a[j] * found[k - j]
        found.append(total / (k * first))
    return found


ALGEBRA: dict[str, Callable[..., Coefficients | None]] = {
    "add": plus,
    "subtract": minus,
    "multiply": times,
    "divide": over,
    "power": to_power,
}
"""The name of a row → what it does to complete series of floats."""


def by_algebra(face: Face, make: Callable[..., Any], general: Callable[..., Any], kind: Any) -> Callable[..., Any]:
    """Make the function of two operands that applies the algebra to series of floats, the ``general`` way to others.

    ``kind`` is the class of Taylor numbers that are no arrays.
    """
    algebra, evaluate = ALGEBRA[face.row.name], face.evaluate

    def applied(x: Any, y: Any) -> Any:
        leader = x if type(x) is kind else y
        level, order = leader.level, leader.order
        a, b = found_of(x, level), found_of(y, level)
        if a is None or b is None:
            return general(x, y)
        if type(x) is type(y) and y.order != order:
            order = min(order, y.order)
            a, b = a[: order + 1], b[: order + 1]
        first, second = a[0], b[0]
        if face is face.row.python and type(first) is not np.float64 is not type(second):
            found = algebra(a, b, order)
        else:
            found = _finite(algebra, [float(first), *a[1:]], [float(second), *b[1:]], order)
            if found is not None:
                found[0] = evaluate(first, second)
        return general(x, y) if found is None else make(Series(found, None, order), level)

    def found_of(x: Any, level: Level) -> Coefficients | None:
        """Return the coefficients of a series of floats at a level, or of a constant; None of another operand."""
        if type(x) is not kind:
            return [x] if type(x) in CONSTANTS else None
        series = series_of(x)
        at_once = x.level is level and series.within is None and type(series.found[0]) in DOUBLE
        return series.found if at_once else None

    return applied


def _finite(algebra: Callable[..., Coefficients | None], *operands: Any) -> Coefficients | None:
    """Return what the algebra gives; None where it fails, where a coefficient is not finite, or is no float."""
    try:
        found = algebra(*operands)
        total = 0.0 if found is None else sum(found)
    except FAILURES:
        return None
    return found if type(total) is float and total - total == 0.0 else None
