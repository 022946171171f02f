"""Fast paths of scalars that are nested, dual numbers whose components are dual numbers, or that are of np.float64.

What the algebra says of floats holds of them as it is written, since their components are added and multiplied by the
same algebra. The table's general way, at three to ten times the cost, is for what is not `regular`: there something is
to be cast, or is infinite, so that a zero may have to be told from another.

>>> from autodiff import derivative
>>> derivative(lambda x: x**3 / 2.0, (0, 0, 0), [2.0])
3.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..levels import plain
from ..table import TABLE

new = object.__new__
DualNumber: Any = None


def fill(dual_number: type) -> None:
    """Take the class of the numbers, which stands above."""
    global DualNumber
    DualNumber = dual_number


def regular(x: Any) -> Any:
    """Return a scalar with Python's floats in the places of np.float64; None where a part is another or not finite.

    Whole numbers stay.
    """
    kind = type(x)
    if kind is float:
        return x if x - x == 0.0 else None
    if kind is DualNumber:
        primal, tangent = x.primal, x.tangent
        if type(primal) is float is type(tangent):
            return x if primal - primal + tangent - tangent == 0.0 else None
        primal, tangent = regular(primal), regular(tangent)
        if primal is x.primal and tangent is x.tangent:
            return x if primal is not None and tangent is not None else None
        return None if primal is None or tangent is None else _number(primal, tangent, x.level)
    return x if kind is int else float(x) if kind is np.float64 and np.isfinite(x) else None


def _number(primal: Any, tangent: Any, level: Any) -> Any:
    z = new(DualNumber)
    z.primal, z.tangent, z.level = primal, tangent, level
    return z


def product(x: Any, y: Any, z: Any) -> Any:
    """Return the product of two numbers of one level, given that of their primals, ``z``."""
    a, b = x.primal, y.primal
    if (type(z) is DualNumber and type(z.primal) is float) or type(plain(z)) is float:
        return _number(z, a * y.tangent + b * x.tangent, x.level)
    a, b = regular(a), regular(b)
    tangent = None if a is None or b is None else regular(a * y.tangent + b * x.tangent)
    if tangent is None:
        tangent = TABLE["multiply"].row.push(z, [x.primal, y.primal], [(0, x.tangent), (1, y.tangent)])
    return _number(z, tangent, x.level)


def quotient(x: Any, y: Any) -> Any:
    """Return the quotient by a number of the same level or one of Python's, not 0; None where the table is needed."""
    kind, a = type(y), regular(x.primal)
    if a is None:
        return None
    if kind is DualNumber and y.level is x.level:
        b = regular(y.primal)
        if b is None or not plain(b):
            return None
        z = x.primal / y.primal
        w = z if a is x.primal and b is y.primal else regular(z)
        tangent = None if w is None else regular((x.tangent - w * y.tangent) / b)
    elif (kind is float or kind is int) and y:
        z, tangent = x.primal / y, regular(x.tangent / y)
    else:
        return None
    return None if tangent is None else _number(z, tangent, x.level)


def power(x: Any, n: Any) -> Any:
    """Return the power to one of Python's numbers; None where the table is needed, as of a base that is not above 0."""
    kind, a = type(n), regular(x.primal)
    if a is None or (kind is not float and kind is not int):
        return None
    value = plain(a)
    if not (value > 0.0 if kind is float else value or n > 0):
        return None
    z, tangent = x.primal**n, regular(n * a ** (n - 1) * x.tangent)
    return None if tangent is None else _number(z, tangent, x.level)
