"""The native forms of elementwise rows: what a row of the table is in straight code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .code import COMPARISONS, Code, Value
from .functions import ELEMENTARY, LIBRARY

Form = Callable[..., Value]
"""``form(code, *operands)`` writes the code of a form, and returns its value."""


def _double(name: str) -> Form:
    """Return the form of a function of the C library."""

    def form(c: Code, *xs: Value) -> Value:
        return c.convert(c.library(name, *(c.convert(x, "f8") for x in xs)), xs[0].kind)

    return form


def _own(name: str) -> Form:
    return lambda c, *xs: c.own(name, *xs)


def _compare(how: str) -> Form:
    return lambda c, x, y: c.compare(how, x, y)


def _truth(operation: str) -> Form:
    return lambda c, x, y: c.integer(operation, c.convert(x, "b1"), c.convert(y, "b1"))


def _square(c: Code, x: Value) -> Value:
    return c.multiply(x, x)


def _reciprocal(c: Code, x: Value) -> Value:
    return c.divide(c.constant(1.0, x.kind), x)


def _sign(c: Code, x: Value) -> Value:
    zero, one = c.constant(0.0, x.kind), c.constant(1.0, x.kind)
    signed = c.select(c.compare("greater", x, zero), one, c.negative(one))
    return c.select(c.compare("equal", x, zero), zero, c.select(c.is_nan(x), x, signed))


def _maximum(c: Code, x: Value, y: Value) -> Value:
    larger = c.select(c.compare("greater_equal", x, y), x, y)
    return c.select(c.is_nan(x), x, larger)


def _minimum(c: Code, x: Value, y: Value) -> Value:
    smaller = c.select(c.compare("less_equal", x, y), x, y)
    return c.select(c.is_nan(x), x, smaller)


def _fmax(c: Code, x: Value, y: Value) -> Value:
    return c.select(c.is_nan(y), x, c.select(c.compare("less", x, y), y, c.select(c.is_nan(x), y, x)))


def _fmin(c: Code, x: Value, y: Value) -> Value:
    return c.select(c.is_nan(y), x, c.select(c.compare("greater", x, y), y, c.select(c.is_nan(x), y, x)))


def _mod(c: Code, x: Value, y: Value) -> Value:
    """Write the remainder with the sign of the divisor, that of 0 too."""
    rest, zero = _double("fmod")(c, x, y), c.constant(0.0, x.kind)
    apart = c.integer("xor", c.compare("less", rest, zero), c.compare("less", y, zero))
    moved = c.select(apart, c.add(rest, y), rest)
    return c.select(c.compare("equal", rest, zero), c.own("copysign", zero, y), moved)


def _share(c: Code, x: Value, y: Value) -> Value:
    """Write the share of x in the larger of two: ½ where they are equal, NaN where there is no order."""
    one, zero, half, none = (c.constant(number, x.kind) for number in (1.0, 0.0, 0.5, np.nan))
    less = c.select(c.compare("less", x, y), zero, c.select(c.compare("equal", x, y), half, none))
    return c.select(c.compare("greater", x, y), one, less)


def _heaviside(c: Code, x: Value, y: Value) -> Value:
    zero, one = c.constant(0.0, x.kind), c.constant(1.0, x.kind)
    above = c.select(c.compare("greater", x, zero), one, c.select(c.compare("less", x, zero), zero, x))
    return c.select(c.compare("equal", x, zero), y, above)


def _strong(c: Code, p: Value, t: Value) -> Value:
    """Write 0 where t is 0 and p is not finite, else the product."""
    zero = c.constant(0.0, t.kind)
    infinite = c.compare_integers("eq", c.is_finite(p), c.constant(0, "b1"))
    masked = c.integer("and", c.compare("equal", t, zero), infinite)
    return c.select(masked, zero, c.multiply(p, t))


def _root_of_power(c: Code, x: Value) -> Value:
    """Write x to the power ½, whose value at −0 is 0, and at −∞ infinite."""
    low, zero = c.constant(-np.inf, x.kind), c.constant(0.0, x.kind)
    root = c.add(c.own("sqrt", x), zero)
    return c.select(c.compare("equal", x, low), c.constant(np.inf, x.kind), root)


def _whole_power(n: int) -> Form:
    """Return the form of xⁿ by products."""

    def form(c: Code, x: Value) -> Value:
        found, square, left = None, x, abs(n)
        while left:
            if left & 1:
                found = square if found is None else c.multiply(found, square)
            left >>= 1
            square = c.multiply(square, square) if left else square
        assert found is not None
        return found if n > 0 else _reciprocal(c, found)

    return form


def _one_minus_square(c: Code, x: Value) -> Value:
    one = c.constant(1.0, x.kind)
    return c.multiply(c.subtract(one, x), c.add(one, x))


FORMS: dict[str, Form] = {
    "same": lambda c, x: x,
    "add": Code.add,
    "subtract": Code.subtract,
    "multiply": Code.multiply,
    "scaled": Code.multiply,
    "divide": Code.divide,
    "negative": Code.negative,
    "fma": Code.fma,
    "square": _square,
    "reciprocal": _reciprocal,
    "sqrt": _own("sqrt"),
    "absolute": _own("fabs"),
    "fabs": _own("fabs"),
    "copysign": _own("copysign"),
    "floor": _own("floor"),
    "ceil": _own("ceil"),
    "trunc": _own("trunc"),
    "rint": _own("rint"),
    "sign": _sign,
    "maximum": _maximum,
    "minimum": _minimum,
    "fmax": _fmax,
    "fmin": _fmin,
    "share": _share,
    "heaviside": _heaviside,
    "clip": lambda c, x, low, high: _minimum(c, _maximum(c, x, low), high),
    "mod": _mod,
    "strong": _strong,
    "one_minus_square": _one_minus_square,
    "isnan": Code.is_nan,
    "isfinite": Code.is_finite,
    "isinf": lambda c, x: c.compare("equal", c.own("fabs", x), c.constant(np.inf, x.kind)),
    "logical_and": _truth("and"),
    "logical_or": _truth("or"),
    "logical_xor": _truth("xor"),
    "logical_not": lambda c, x: c.compare_integers("eq", c.convert(x, "b1"), c.constant(0, "b1")),
    "where": lambda c, condition, x, y: c.select(c.convert(condition, "b1"), x, y),
    "power_half": _root_of_power,
    **{how: _compare(how) for how in COMPARISONS},
    **{f"power_{n}": _whole_power(n) for n in (-4, -3, -2, -1, 1, 2, 3, 4)},
    **{name: _double(function) for name, function in LIBRARY.items()},
    **ELEMENTARY,
}
"""A row's name → its form."""

FOLDS: dict[str, Form] = {"add": Code.add, "multiply": Code.multiply, "maximum": _maximum, "minimum": _minimum,
                          "or": _truth("or"), "and": _truth("and")}  # fmt: skip
"""How results are joined → its form."""

TRUTHS = frozenset(
    (*COMPARISONS, "isnan", "isfinite", "isinf", "logical_and", "logical_or", "logical_xor", "logical_not")
)
"""The forms whose value is a truth value."""

OF_TRUTHS = {"where": "where", "absolute": "same", "invert": "logical_not", "multiply": "logical_and",
             "minimum": "logical_and", "fmin": "logical_and", "bitwise_and": "logical_and", "add": "logical_or",
             "maximum": "logical_or", "fmax": "logical_or", "bitwise_or": "logical_or", "bitwise_xor": "logical_xor",
             **{name: name for name in ("logical_and", "logical_or", "logical_xor", "logical_not")}}  # fmt: skip
"""A row's name → the form that it is of truth values."""


def kind_of(form: str, of: str) -> str:
    """Return the kind of a form's value, of operands of a kind."""
    return "b1" if form in TRUTHS else of


def raises(c: Code, form: str, operands: list[Value], found: Value) -> Value:
    """Write whether a function of Python's raises: its result is not finite, and its operands are.

    A scaled sum fails where the sum is infinite: the scaled elements may have a finite one.
    """
    if form == "scaled":
        return c.compare("equal", c.own("fabs", operands[0]), c.constant(np.inf, operands[0].kind))
    no, is_nan = c.constant(0, "b1"), c.is_nan(found)
    fails = c.compare_integers("eq", c.is_finite(found), no)
    for x in operands:
        fails = c.integer("and", fails, c.integer("or", c.is_finite(x), is_nan))
        fails = c.integer("and", fails, c.compare_integers("eq", c.is_nan(x), no))
    if form == "divide":
        fails = c.integer("or", fails, c.compare("equal", operands[1], c.constant(0.0, operands[1].kind)))
    return fails
