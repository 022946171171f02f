"""Elementary functions by name, for numbers of any kind, arrays of them and plain ones: rows of the table themselves.

``np.sin(x)`` applies the same row; here are beside them those for which NumPy has no name.

>>> from dualnumbers import DualNumber, functions
>>> functions.logistic(DualNumber(0.0, 1.0))
DualNumber(0.5, 0.25)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .elementary import BY_NUMPY
from .rules.exponential import logistic
from .rules.shaping import array

__all__ = ["add", "arccos", "arcsin", "arctan", "cos", "cosh", "divide", "exp", "extract", "log", "logistic",
           "multiply", "power", "sin", "sinh", "sqrt", "subtract", "sum_elts", "tan", "tanh"]  # fmt: skip

_of = BY_NUMPY.__getitem__
add, subtract, multiply, divide, power = map(_of, (np.add, np.subtract, np.multiply, np.divide, np.power))
exp, sqrt, _log = map(_of, (np.exp, np.sqrt, np.log))
sin, cos, tan, arcsin, arccos, arctan = map(_of, (np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan))
sinh, cosh, tanh = map(_of, (np.sinh, np.cosh, np.tanh))


def log(x: Any, base: Any = None) -> Any:
    """The natural logarithm, or that to a base."""
    return _log(x) if base is None else _log(x) / _log(base)


def sum_elts(x: Any) -> Any:
    """The sum of all elements."""
    return np.sum(array(x))


def extract(x: Any, key: Any) -> Any:
    """x[key]."""
    return array(x)[key]
