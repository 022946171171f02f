"""Types of number besides Python's and NumPy's: rational, decimal, of any precision, symbolic, intervals, uncertain.

A rule is a formula, so it holds for whatever can be added, multiplied and divided. What the formulas cannot know is
what such a type calls its sine, and how it writes ½; that is a `NumberType`. Those of the standard library, of mpmath,
SymPy and uncertainties are in the table `KNOWN`, by the names of their classes: a package is asked when a number of it
comes.

>>> from decimal import Decimal
>>> number_type(Decimal).function("log")(Decimal(2))
Decimal('0.6931471805599453094172321215')
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

SHORT = 1 << 10
"""Up to this denominator a float is taken for the number that it is written as: 2.0, 0.5, 0.125."""


class NumberType:
    """What a type of number has."""

    __slots__ = ("exact", "function")

    def __init__(self, function: Callable[[str], Any], exact: Callable[[Any], Any]) -> None:
        self.function = function
        """Name of a function, as Python's ``math`` has it → that function, None where there is none."""
        self.exact = exact
        """A whole number or a short binary fraction → the number of this type."""


Maker = Callable[[type], NumberType]
"""A class of numbers → its `NumberType`."""


def _of_decimals(kind: type) -> NumberType:
    own = {name: getattr(kind, method) for name, method in DECIMAL.items()}
    return NumberType(own.get, kind)


DECIMAL = {"exp": "exp", "log": "ln", "log10": "log10", "sqrt": "sqrt"}


def _of_mpf(kind: Any) -> NumberType:
    context = kind.context  # mpmath.mp, or another one with a precision of its own
    own = {
        "cbrt": lambda x: -context.cbrt(-x) if x < 0 else context.cbrt(x),
        "lgamma": lambda x: context.loggamma(x).real,
        "psi": context.digamma,
        "expi": context.ei,
        "exp1": context.e1,
    }

    def function(name: str) -> Any:
        family, _, order = name.rpartition("_")
        if family == "polygamma":
            return lambda x: context.psi(int(order), x)
        if family == "polygamma_difference":
            return lambda x, h: context.psi(int(order), x + h) - context.psi(int(order), x)
        return own.get(name) or getattr(context, name, None)

    return NumberType(function, context.mpf)


def _of_intervals(kind: Any) -> NumberType:
    context = kind.ctx
    own = {name: getattr(context, name) for name in ENCLOSING}
    return NumberType(own.get, context.mpf)


ENCLOSING = ("exp", "log", "sqrt", "sin", "cos", "tan")
"""The functions of mpmath.iv that are computed to enclose; it has the names of others as well."""


def _of_expressions(kind: type) -> NumberType:
    sympy = sys.modules["sympy"]
    own = {
        "lgamma": lambda x: sympy.log(abs(sympy.gamma(x))),
        "cbrt": lambda x: sympy.real_root(x, 3),
    }

    def function(name: str) -> Any:
        family, _, order = name.rpartition("_")
        if family == "polygamma":
            return lambda x: sympy.polygamma(int(order), x)
        return own.get(name) or getattr(sympy, SYMPY.get(name, name), None)

    return NumberType(function, sympy.Rational)


SYMPY = {"fabs": "Abs", "psi": "digamma"}


def _of_uncertain(kind: type) -> NumberType:
    umath = import_module("uncertainties.umath")
    return NumberType(lambda name: math.pi if name == "pi" else getattr(umath, name, None), float)


KNOWN: dict[str | type, Maker] = {
    "fractions.Fraction": lambda kind: NumberType(lambda name: None, kind),
    "decimal.Decimal": _of_decimals,
    "mpmath.ctx_mp_python._mpf": _of_mpf,
    "mpmath.ctx_iv.ivmpf": _of_intervals,
    "sympy.core.expr.Expr": _of_expressions,
    "uncertainties.core.AffineScalarFunc": _of_uncertain,
}
"""A class, or its module and name → what it and those derived from it have."""


class _Types(dict[type, "NumberType | None"]):
    """A table: type → its `NumberType`; None for Python's and NumPy's numbers, and for what is no number."""

    def __missing__(self, kind: type) -> NumberType | None:
        makers = (KNOWN.get(base) or KNOWN.get(f"{base.__module__}.{base.__qualname__}") for base in kind.__mro__)
        make = next(filter(None, makers), None)
        self[kind] = found = None if make is None else make(kind)
        return found


_types = _Types()
number_type = _types.__getitem__
"""Return the `NumberType` of a type; None for Python's and NumPy's numbers, and for what is no number."""


FUNCTIONS = frozenset("""
    exp exp2 expm1 log log2 log10 log1p sqrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh
    cbrt gamma lgamma psi beta erf erfc erfi gaussian gaussian_growth expi exp1 degrees radians
    fabs floor ceil sign isfinite isinf isnan
""".split())  # fmt: skip # noqa: SIM905
"""What a type may have itself: names of rows that mean the same there, and whose partials have no rounded constant."""


SQUARED = {"gaussian": -1, "gaussian_growth": 1}
"""Rows exp(± x²), of which a type needs no function but its exponential."""


def function_of(kind: type, name: str) -> Any:
    """Return the function that a type of number has itself for a row; None where it has none."""
    own = number_type(kind)
    if own is None or not (name in FUNCTIONS or name.startswith("polygamma_")):
        return None
    exp = own.function("exp") if name in SQUARED else None
    return own.function(name) if exp is None else lambda x: exp(SQUARED[name] * x * x)


def is_short(x: Any) -> bool:
    """Return whether a value is a float that is a whole number or a short binary fraction."""
    return type(x) is float and (x * SHORT).is_integer()


def converted(value: Any, kind: type) -> Any:
    """Return a number as one of a type of `KNOWN`, where that is exact: a whole number, a short fraction."""
    own = number_type(kind)
    value = value.item() if own is not None and isinstance(value, np.generic) else value
    return own.exact(value) if own is not None and (type(value) is int or is_short(value)) else value


def enter(kind: type, maker: Maker) -> None:
    """Enter a class into `KNOWN`."""
    KNOWN[kind] = maker
    _types.clear()


def alike(x: Any, kind: type) -> Any:
    """Return a number as it stands beside numbers of a type, so that nothing is rounded to a float: `wrapped`."""
    return wrapped(converted(x, kind))


def wrapped(x: Any) -> Any:
    """Return a number of a type of `KNOWN` as a `numbers.typed.TypedNumber`; any other value as it is."""
    return x if number_type(type(x)) is None else _typed_number(x)


_typed_number: Callable[[Any], Any]


def fill(typed_number: Callable[[Any], Any]) -> None:
    """Take over the class of `wrapped` numbers: a kind of number, which stands above."""
    global _typed_number
    _typed_number = typed_number
