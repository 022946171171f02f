"""Formulas: numbers whose operators and table functions write themselves down.

A `Formula` is one more kind of number, so a rule that is called with formulas returns its own formula: no derivative is
written here. What it is made of is in terms.py, how it is spelt in notation.py.

>>> from autodiff.symbols.notation import PLAIN
>>> x, y = symbol("x"), symbol("y")
>>> PLAIN.spell((x * y + 2.0 * y * x) / (x * (1.0 - y)))
'3·y/(1 − y)'
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from dualnumbers.forms import is_unreal
from dualnumbers.levels import GROUND
from dualnumbers.table.row import Face

from .terms import ONE, Factor, Term, Terms, as_one, collected, inverse, negated, power, product, whole

assumed: dict[Factor, bool] = {}
"""The conditions that `where` may decide by, while a partial is being written."""


class Undecided(Exception):  # noqa: N818 - it asks a question, it reports no error
    """`where` has met a condition that is neither assumed nor excluded."""

    def __init__(self, condition: Factor) -> None:
        super().__init__(condition)
        self.condition = condition


class Formula:
    """A sum of terms.

    A comparison is one too, Iverson's bracket: [x > y] = 1 where x > y, and 0 elsewhere; it has no truth value.
    """

    __slots__ = ("terms",)
    __bool__ = __hash__ = None  # type: ignore[assignment]
    level, primal = GROUND, None
    """Formulas stand above no value: a rule that asks for the type of its argument's takes it for real."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self.terms: Terms = collected(terms)

    @staticmethod
    def lift(face: Face) -> Callable[..., Formula]:
        """Return how a row extends to formulas: one of Python's operators as itself, any other by its name."""
        write = face.evaluate if face.evaluate.__module__ == "_operator" else written(face.row.name)
        return lambda *arguments: write(*map(as_formula, arguments))

    def __abs__(self) -> Formula:
        return call("absolute", self)

    def leads(self, other: Any) -> bool:
        """Say whether this number's kind goes before that of another of the same level."""
        return False

    def __neg__(self) -> Formula:
        return Formula(negated(self.terms))

    def __pos__(self) -> Formula:
        return self

    def __add__(self, other: Any) -> Formula:
        return Formula((*self.terms, *as_formula(other).terms))

    def __sub__(self, other: Any) -> Formula:
        return self + -as_formula(other)

    def __mul__(self, other: Any) -> Formula:
        return Formula([product(as_one(self.terms), as_one(as_formula(other).terms))])

    def __truediv__(self, other: Any) -> Formula:
        over, under = as_one(self.terms), as_one(as_formula(other).terms)
        if not under.coefficient:
            return _atom("quotient", self.terms, as_formula(other).terms)
        return Formula([product(over, inverse(under))])

    def __pow__(self, other: Any) -> Formula:
        return Formula([power(self.terms, as_formula(other).terms)])

    def expanded(self) -> Formula:
        """Return it with each sum that is a factor, once, multiplied out."""
        found = Formula(())
        for term in self.terms:
            factor = next((f for f in term.over if f.head == "sum" and term.over.count(f) == 1), None)
            if factor is None:
                found = found + Formula([term])
            else:
                rest = Formula([term._replace(over=tuple(f for f in term.over if f != factor))])
                parts = [Formula([part]).expanded() * rest for part in factor.parts[0]]
                found = sum((part.expanded() for part in parts), found)
        return found

    def __floordiv__(self, other: Any) -> Formula:
        return call("floor", self / other)

    def __mod__(self, other: Any) -> Formula:
        return _atom("mod", self.terms, as_formula(other).terms)

    def __radd__(self, other: Any) -> Formula:
        return as_formula(other) + self

    def __rsub__(self, other: Any) -> Formula:
        return as_formula(other) - self

    def __rmul__(self, other: Any) -> Formula:
        return as_formula(other) * self

    def __rtruediv__(self, other: Any) -> Formula:
        return as_formula(other) / self

    def __rpow__(self, other: Any) -> Formula:
        return as_formula(other) ** self

    def __lt__(self, other: Any) -> Formula:
        return _relation(self, "<", other)

    def __le__(self, other: Any) -> Formula:
        return _relation(self, "≤", other)

    def __gt__(self, other: Any) -> Formula:
        return _relation(self, ">", other)

    def __ge__(self, other: Any) -> Formula:
        return _relation(self, "≥", other)

    def __eq__(self, other: object) -> Formula:  # type: ignore[override]
        return _relation(self, "=", other)

    def __ne__(self, other: object) -> Formula:  # type: ignore[override]
        return _relation(self, "≠", other)

    def __and__(self, other: Any) -> Formula:
        return _atom("and", self.terms, as_formula(other).terms)


def _atom(head: str, *parts: Any) -> Formula:
    return Formula([ONE._replace(over=(Factor(head, parts),))])


def symbol(name: str) -> Formula:
    """Return a variable."""
    return _atom("symbol", name)


def call(name: str, *arguments: Formula) -> Formula:
    """Return a function of formulas by its name."""
    return _atom(name, *(x.terms for x in arguments))


def as_formula(value: Any) -> Formula:
    """Return a real number as a formula: a small fraction, perhaps times or over a known constant, else all its digits.

    Raises TypeError for a complex number and for what is none.
    """
    if isinstance(value, Formula):
        return value
    if is_unreal(value):
        raise TypeError(f"a formula is one of real numbers, not of {value!r}")
    if type(value) is int:
        return Formula([Term(Fraction(value))])
    value = float(value)
    if not math.isfinite(value):
        return _atom("constant", "NaN") if math.isnan(value) else (1 if value > 0 else -1) * _atom("constant", "∞")
    for constant, named in CONSTANTS.items():
        for ratio, factor in ((value / constant, named), (value * constant, UNIT / named)):
            fraction = Fraction(ratio).limit_denominator(360)
            if math.isclose(fraction, ratio, rel_tol=4e-16):
                return Formula([Term(fraction)]) * factor
    return Formula([Term(Fraction(value))])


PI = _atom("constant", "π")
UNIT = Formula([ONE])
CONSTANTS = {1.0: UNIT, math.pi: PI, math.sqrt(math.pi): call("sqrt", PI),
             math.sqrt(2 * math.pi): call("sqrt", 2 * PI), math.sqrt(2): call("sqrt", 2 * UNIT),
             math.log(2): call("log", 2 * UNIT), math.log(10): call("log", 10 * UNIT)}  # fmt: skip
"""The numbers that are recognised, with a rational factor, among the rules' literals."""


def _relation(x: Formula, sign: str, y: Any) -> Formula:
    return _atom("relation", x.terms, sign, as_formula(y).terms)


def _exponential(base: Any) -> Callable[[Formula], Formula]:
    return lambda x: as_formula(base) ** x


def _hypot(x: Formula, y: Formula) -> Formula:
    """Return √(x² + y²), the same for x and y in either order."""
    return call("sqrt", Formula(sorted((x**2 + y**2).terms, key=repr)))


E = _atom("constant", "e")
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "pow": operator.pow, "square": lambda x: x**2, "reciprocal": lambda x: 1 / x,
    "ldexp": lambda x, i: x * 2**i, "one_minus_square": lambda x: 1 - x**2,
    "gaussian": lambda x: E ** (-(x**2)), "gaussian_growth": lambda x: E ** (x**2),
    "exp": lambda x: E**x, "exp2": _exponential(2), "expm1": lambda x: E**x - 1,
    "hypot": _hypot, "cosine": lambda x, y: x / _hypot(x, y), "log1p": lambda x: call("log", 1 + x),
    "logaddexp": lambda x, y: call("log", E**x + E**y), "logaddexp2": lambda x, y: call("log2", 2**x + 2**y),
    "_numpy_scalar": operator.pos, "_python_number": operator.pos, "isinf": lambda x: abs(x) == _atom("constant", "∞"),
    "share": lambda x, y: call("step", x - y),
    "hazard": lambda t: call("normal_density", t) / call("normal_tail", t),
    "degrees": lambda x: 180 / math.pi * x, "radians": lambda x: math.pi / 180 * x,
    "sin_pi": lambda x: call("sin", math.pi * x), "cos_pi": lambda x: call("cos", math.pi * x),
    "fabs": lambda x: call("absolute", x),
    "where": lambda condition, yes, no: yes if _decided(condition) else no,
}  # fmt: skip
"""The functions that are written as arithmetic or by others, beside Python's own operators."""


def written(name: str) -> Callable[..., Any]:
    """Return how the function of that name is written, given its arguments as formulas."""
    word, _, order = name.partition("_difference_")
    if order:  # of polygamma, beside a sum
        return lambda x, y: call(f"{word}_{order}", x + y) - call(f"{word}_{order}", x)
    return ARITHMETIC.get(name) or (lambda *arguments: call(name, *arguments))


def _decided(condition: Formula) -> bool:
    n = whole(condition.terms)
    if n is not None:
        return bool(n)
    (factor,) = as_one(condition.terms).over
    if factor not in assumed:
        raise Undecided(factor)
    return assumed[factor]
