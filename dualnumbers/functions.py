"""Elementary functions by name, for numbers of any kind, arrays and lists of them and plain ones.

Most are NumPy's own functions, which find the rows of the table; beside them are some that NumPy has not.

>>> from dualnumbers import DualNumber, functions
>>> functions.logistic(DualNumber(0.0, 1.0))
DualNumber(0.5, 0.25)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    add,
    arccos,
    arcsin,
    arctan,
    cos,
    cosh,
    divide,
    exp,
    multiply,
    power,
    sin,
    sinh,
    sqrt,
    subtract,
    tan,
    tanh,
)

from .rules.elementwise.logistic import logistic as _logistic
from .rules.shaping import array

__all__ = ["add", "arccos", "arcsin", "arctan", "cos", "cosh", "divide", "exp", "extract", "log", "logistic",
           "multiply", "power", "sin", "sinh", "sqrt", "subtract", "sum_elts", "tan", "tanh"]  # fmt: skip


def log(x: Any, base: Any = None) -> Any:
    """Return the natural logarithm, or that to a base."""
    return np.log(x) if base is None else np.log(x) / np.log(base)


def logistic(x: Any) -> Any:
    """Return 1 / (1 + e⁻ˣ)."""
    return _logistic(array(x))


def sum_elts(x: Any) -> Any:
    """Return the sum of all elements."""
    return np.sum(array(x))


def extract(x: Any, key: Any) -> Any:
    """Return x[key]."""
    return array(x)[key]
