"""TypedNumber: a number of another type than Python's and NumPy's, a Fraction or an mpf, as a kind of number.

It is a constant at the level of plain values. A row is evaluated on it by the type's own operators and functions, so it
may be a component of a dual number, a coefficient of a series or the value of a line on a tape, as a nested number is;
the rules, which are formulas, are none the wiser. Users give and get the numbers themselves.

A rule has factors such as 2.0 and 0.5. Beside a TypedNumber a float of that sort stands for the whole number or the
fraction that it is: with Fractions all stays exact. Any other float goes to the type's own arithmetic.

>>> from fractions import Fraction
>>> from dualnumbers import DualNumber
>>> DualNumber(Fraction(1, 3), 1) ** -2
DualNumber(Fraction(9, 1), Fraction(-54, 1))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import number_types
from ..levels import GROUND, plain
from ..messages.errors import user_line
from ..number_types import NumberType, converted, function_of, is_short, number_type, wrapped
from ..several import each, parts
from ..table.dispatch import lead, leading
from ..table.row import Face
from .number import Number

new = object.__new__


def _beside(x: Any, kind: type) -> Any:
    """Return an operand as it stands beside a number of a type: a float that is short, as a whole number or of it."""
    if not is_short(x):
        return x
    return int(x) if x.is_integer() else converted(x, kind)


def _is_real(x: Any) -> bool:
    """Return whether a value may be a number's: an mpf's root may be an mpc."""
    return number_type(type(x)) is not None or isinstance(x, (int, float, complex))


def _is_nan(x: Any) -> bool:
    try:
        return bool(x != x)
    except (ValueError, TypeError, ArithmeticError):  # of an interval, of a signalling NaN
        return False


def _function(name: str, face: Face, kind: type) -> Callable[..., Any]:
    """Return what evaluates a row for a type: Python's operator, or the type's own function of that name."""
    scalar: Callable[..., Any] = face.row.python.scalar
    if getattr(scalar, "__module__", None) in ("_operator", "builtins"):
        return scalar
    own: Callable[..., Any] | None = function_of(kind, name)
    if own is not None:
        return own
    if hasattr(kind, f"__{name}__"):
        rounding: Callable[..., Any] = getattr(math, name)
        return rounding
    raise _not_there(name, kind) if face.row.is_elementwise or face.row.is_constant else _of_arrays(name, kind)


def _of_arrays(name: str, kind: type) -> TypeError:
    return TypeError(
        f"{name} is for arrays, which hold no numbers of type {kind.__name__}: write it with Python's "
        f"operators; several results are a tuple or a dict{user_line()}"
    )


def _not_there(name: str, kind: type) -> TypeError:
    return TypeError(
        f"{name} is not there for numbers of type {kind.__name__}: give floats, or write it in functions "
        f"that the type has{user_line()}"
    )


def _call(name: str, *xs: Any) -> Any:
    """Apply a type's own function; TypeError where it has none."""
    kind = next(type(x) for x in xs if number_type(type(x)) is not None)
    found = function_of(kind, name)
    if found is None:
        raise _not_there(name, kind)
    return found(*xs)


def _sign(x: Any) -> Any:
    """Return −1, 0 or 1; TypeError where the type cannot tell, as of an interval around 0. SymPy has its own."""
    found = function_of(type(x), "sign")
    if found is not None:
        return found(x)
    try:
        for sign, holds in ((1, x > 0), (-1, x < 0), (0, x == 0)):
            if holds:
                return sign
    except ValueError:  # mpmath's intervals, from 1.4 on
        pass
    raise TypeError(f"the sign of {x} is not certain, and so is no derivative that depends on it{user_line()}")


def _where(condition: Any, x: Any, y: Any) -> Any:
    if condition is None:  # mpmath's intervals, before 1.4
        raise TypeError(f"a comparison of intervals that overlap is neither true nor false{user_line()}")
    return x if condition else y


def _strong(p: Any, t: Any) -> Any:
    product = p * t
    return t if _is_nan(product) and t == 0 else product


def _hypot(x: Any, y: Any) -> Any:
    kind = next(type(z) for z in (x, y) if number_type(type(z)) is not None)
    found = function_of(kind, "hypot")
    return found(x, y) if found is not None else _call("sqrt", converted(1, kind) * (x * x + y * y))


def _cosine(x: Any, y: Any) -> Any:
    z = _hypot(x, y)
    return 0 if z == 0 else x / z


def _nothing(x: Any, *parameters: Any) -> Any:
    return x


def _broadcast(x: Any, to: Any) -> Any:
    if to != ():
        raise _of_arrays("broadcast_to", type(x))
    return x


RULES: dict[str, Callable[..., Any]] = {
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "one_minus_square": lambda x: (1 - x) * (1 + x),
    "sech": lambda x: 1 / _call("cosh", x),
    "pow": lambda x, y: x**y,
    "hypot": _hypot,
    "cosine": _cosine,
    "sign": _sign,
    "where": _where,
    "strong": _strong,
    "real": _nothing,
    "conj": _nothing,
    "imag": lambda x: 0,
    "astype": _nothing,
    "broadcast_to": _broadcast,
    "_stopped": _nothing,
    "_python_number": _nothing,
    "_numpy_scalar": _nothing,
}
"""Name of a row → what it is of such numbers, written in their arithmetic."""


class TypedNumber(Number, operators=True):
    """A number of a type of `number_types.KNOWN`; its ``primal`` is that number."""

    __slots__ = ("primal",)
    level = GROUND

    def __new__(cls, value: Any) -> TypedNumber:
        made: TypedNumber = new(cls)
        made.primal = value
        return made

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the row, evaluated by the functions of the operands' type."""
        row = face.row
        evaluate = RULES.get(row.name)

        def applied(*arguments: Any) -> Any:
            operands = arguments[: len(arguments) - row.statics]
            if leading(operands).level is not GROUND:
                return lead(face, *arguments)
            xs = [plain(x) for x in operands]
            own = type(next(x.primal for x in operands if type(x) is TypedNumber))
            if any(isinstance(x, np.ndarray) for x in xs):
                raise TypeError(
                    f"{row.shown} of a number of type {own.__name__} and an array: arrays are NumPy's, of "
                    f"floats; take its elements one by one, or float(x){user_line()}"
                )
            xs = [x.item() if isinstance(x, np.generic) else x for x in xs]
            function = evaluate or _function(row.name, face, own)
            z = function(*(_beside(x, own) for x in xs), *arguments[len(operands) :])
            if not row.is_constant and not all(map(_is_real, parts(z))):
                raise TypeError(
                    f"{row.shown} of {', '.join(map(str, xs))} is {z}, of type {type(z).__name__}: "
                    f"derivatives are of real numbers there{user_line()}"
                )
            return each(wrapped, z)

        return applied

    def __bool__(self) -> bool:
        return bool(self.primal)

    def __hash__(self) -> int:
        return hash(self.primal)

    def __float__(self) -> float:
        return float(self.primal)

    def __repr__(self) -> str:
        return repr(self.primal)

    def __str__(self) -> str:
        return str(self.primal)

    def __format__(self, spec: str) -> str:
        return format(self.primal, spec)

    def __reduce__(self) -> Any:
        return TypedNumber, (self.primal,)

    def __deepcopy__(self, memo: Any) -> TypedNumber:
        return self

    def has_nan(self) -> bool:
        return _is_nan(self.primal)

    def is_noted(self) -> bool:
        return False


number_types.fill(TypedNumber)


def unwrapped(x: Any) -> Any:
    """Return the number itself, as its user knows it; any other value as it is."""
    return x.primal if type(x) is TypedNumber else x


def register_number(kind: type, functions: Any = None, exact: Callable[[Any], Any] | None = None) -> type:
    """Let numbers of a class be differentiated, and stand as components of dual numbers and Taylor numbers.

    ``functions`` has its functions by the names that Python's ``math`` gives them: a module, a dict or any object; None
    where the class has arithmetic alone. ``exact`` makes such a number of an int or of a float such as 0.5, which the
    rules have as factors; by default that is ``kind`` itself. Returns ``kind``, so that it can decorate the class.
    Raises TypeError where ``kind`` is no class, or one of Python's or NumPy's numbers or arrays.

    The class has ``+ - * / **``, comparisons among its numbers and with ints, and no elements.

    >>> from dualnumbers import DualNumber, register_number
    >>> class Dollars:
    ...     def __init__(self, cents):
    ...         self.cents = cents
    ...     def __mul__(self, n):
    ...         return Dollars(n * self.cents)
    ...     def __repr__(self):
    ...         return f"${self.cents / 100:.2f}"
    >>> register_number(Dollars, exact=lambda n: Dollars(100 * n)).__name__
    'Dollars'
    >>> DualNumber(Dollars(1250), Dollars(100)) * 3
    DualNumber($37.50, $3.00)
    """
    if not isinstance(kind, type) or issubclass(kind, (int, float, complex, np.generic, np.ndarray)):
        raise TypeError(
            f"register_number takes a class of numbers besides Python's and NumPy's, not {kind!r}{user_line()}"
        )
    look_up = functions.get if isinstance(functions, dict) else lambda name: getattr(functions, name, None)
    number_types.enter(kind, lambda kind: NumberType(look_up, exact or kind))
    return kind
