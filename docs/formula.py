"""Formulas: numbers whose operators and table functions write themselves down, in Typst's notation.

A `Formula` is one more kind of number, so a rule that is called with formulas returns its own formula. No
derivative is written here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from dualnumbers.levels import GROUND
from dualnumbers.table.row import Face

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "pow": operator.pow, "square": lambda x: x**2, "reciprocal": lambda x: 1 / x,
    "ldexp": lambda x, i: x * 2**i, "one_minus_square": lambda x: 1 - x**2,
    "gaussian": lambda x: symbol("e") ** (-(x**2)), "gaussian_growth": lambda x: symbol("e") ** (x**2),
    "exp": lambda x: symbol("e") ** x, "exp2": lambda x: 2**x, "expm1": lambda x: symbol("e") ** x - 1,
    "sqrt": lambda x: _atom(f"sqrt({x})", "power"),
    "hypot": lambda x, y: _atom(f"sqrt({x**2 + y**2})", "power"),
    "log1p": lambda x: _atom(f"ln({1 + x})"), "numpy_scalar": operator.pos,
    "share": lambda x, y: _atom(f"H({x - y})"), "hazard": lambda t: symbol(f"φ({t})") / symbol(f"Q({t})"),
    "degrees": lambda x: 180 / math.pi * x, "radians": lambda x: math.pi / 180 * x,
}  # fmt: skip
"""The functions that are written as arithmetic, beside Python's own operators."""

NOTATION = {
    "cbrt": "root(3, {})", "absolute": "abs({})", "fabs": "abs({})",
    "floor": "floor({})", "sign": 'op("sgn")({})', "rint": 'op("round")({})',
    "log": "ln({})", "log2": "log_2({})", "log10": "log_10({})",
    "logaddexp": "ln(e^({}) + e^({}))", "logaddexp2": "log_2(2^({}) + 2^({}))",
    "asin": "arcsin({})", "acos": "arccos({})", "atan": "arctan({})", "atan2": "arctan({}, {})",
    "asinh": 'op("arsinh")({})', "acosh": 'op("arcosh")({})', "atanh": 'op("artanh")({})',
    "gamma": "Γ({})", "lgamma": "ln abs(Γ({}))",
    "maximum": "max({}, {})", "minimum": "min({}, {})", "np_i0": "I_0({})", "bessel_i_1": "I_1({})",
    "sinc_1": "op(\"sinc\")'({})", "logistic": "σ({})", "logistic2": "σ_2({})",
    "sin_pi": "sin(π {})", "cos_pi": "cos(π {})", "sech2": "op(\"sech\")_2({})",
    "normal_density": "φ({})", "mills_1": "K_1({})", "cosine": "c({}, {})", "isinf": "abs({}) = ∞",
}  # fmt: skip
"""A function's notation where it is not its name before its arguments in brackets."""

CONSTANTS = {"π": math.pi, "sqrt(π)": math.sqrt(math.pi), "sqrt(2 π)": math.sqrt(2 * math.pi),
             "ln(2)": math.log(2), "ln(10)": math.log(10)}  # fmt: skip
"""The irrational numbers that are recognised, with a rational factor, among the rules' literals."""


class Undecided(Exception):  # noqa: N818 - it asks a question, it reports no error
    """`where` has met a condition that is neither assumed nor excluded."""


assumed: dict[str, bool] = {}
"""The conditions that `where` may decide by, while a partial is being printed."""


class Factor(NamedTuple):
    """A factor of a product: its text, and its `kind`: number, atom, power, product, sum or relation."""

    text: str
    kind: str

    def bracketed(self, *kinds: str) -> str:
        """The text, in brackets if it is a sum or of one of the `kinds`."""
        if self.kind == "relation":
            return f"[{self.text}]"
        return f"({self.text})" if self.kind in ("sum", *kinds) else self.text

    def to_the(self, exponent: str) -> Factor:
        return Factor(f"{self.bracketed('product', 'power')}^{exponent}", "power")


ZERO, ONE = Factor("0", "number"), Factor("1", "number")


class Term(NamedTuple):
    """A signed quotient of two products of factors."""

    minus: bool
    over: tuple[Factor, ...] = ()
    under: tuple[Factor, ...] = ()

    def text(self) -> str:
        """The quotient without its sign."""
        over, under = _product(self.over), _product(self.under)
        if under == ONE:
            return over.bracketed() if self.minus or over.kind == "relation" else over.text
        return f"{over.bracketed()} slash {under.bracketed('product')}"


def _product(factors: tuple[Factor, ...]) -> Factor:
    """Numbers first, equal factors as powers, roots set apart."""
    counts = {f: factors.count(f) for f in sorted(factors, key=lambda f: f.kind != "number") if f != ONE}
    powers = [f if n == 1 else f.to_the(str(n)) for f, n in counts.items()] or [ONE]
    space = " thin " if any(p.text.startswith("sqrt") for p in powers) else " "
    return powers[0] if len(powers) == 1 else Factor(space.join(p.bracketed() for p in powers), "product")


class Formula:
    """A sum of terms; `str` is its source in Typst's mathematical notation.

    A comparison is printed as Iverson's bracket, [x > y] = 1 where x > y and 0 elsewhere; it has no truth value.
    """

    __slots__ = ("terms",)
    __bool__ = __hash__ = None  # type: ignore[assignment]
    level, primal = GROUND, None
    """Formulas stand above no value: a rule that asks for the type of its argument's takes it for real."""

    def __init__(self, *terms: Term) -> None:
        self.terms = tuple(t for t in terms if ZERO not in t.over)

    @staticmethod
    def lift(face: Face) -> Callable[..., Formula]:
        """How a row extends to formulas: one of Python's operators as itself, any other by its notation."""
        write = face.evaluate if face.evaluate.__module__ == "_operator" else _written(face.row.name)
        return lambda *arguments: write(*map(as_formula, arguments))

    def __abs__(self) -> Formula:
        return _written("absolute")(self)  # type: ignore[no-any-return]

    def leads(self, other: Any) -> bool:
        """Whether this number's kind goes before that of another of the same level."""
        return False

    def __str__(self) -> str:
        text = "".join(f" {'-' if t.minus else '+'} {t.text()}" for t in self.terms) or " + 0"
        return text[3:] if text.startswith(" + ") else "-" + text[3:]

    def factor(self) -> Factor:
        """The whole as one factor."""
        if not self.terms:
            return ZERO
        simple = len(self.terms) == 1 and not self.terms[0].minus and _product(self.terms[0].under) == ONE
        return _product(self.terms[0].over) if simple else Factor(str(self), "sum")

    def term(self) -> Term:
        """The whole as one term."""
        return self.terms[0] if len(self.terms) == 1 else Term(False, (self.factor(),))

    def __neg__(self) -> Formula:
        return Formula(*(t._replace(minus=not t.minus) for t in self.terms))

    def __pos__(self) -> Formula:
        return self

    def __add__(self, other: Any) -> Formula:
        return Formula(*self.terms, *as_formula(other).terms)

    def __sub__(self, other: Any) -> Formula:
        return self + -as_formula(other)

    def __mul__(self, other: Any) -> Formula:
        a, b = self.term(), as_formula(other).term()
        return Formula(Term(a.minus != b.minus, a.over + b.over, a.under + b.under))

    def __truediv__(self, other: Any) -> Formula:
        a, b = self.term(), as_formula(other).term()
        return Formula(Term(a.minus != b.minus, a.over + b.under, a.under + b.over))

    def __pow__(self, other: Any) -> Formula:
        base = self.factor()
        return Formula(Term(False, (base.to_the(f"({as_formula(other)})") if base != ONE else ONE,)))

    def __floordiv__(self, other: Any) -> Formula:
        return _atom(f"floor({self / other})")

    def __mod__(self, other: Any) -> Formula:
        return Formula(Term(False, (Factor(f"{self} mod {other}", "sum"),)))

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
        return _atom(f"{self.factor().text}, {as_formula(other).factor().text}", "relation")


def symbol(name: str) -> Formula:
    """A variable."""
    return _atom(name)


def _atom(text: str, kind: str = "atom") -> Formula:
    return Formula(Term(False, (Factor(text, kind),)))


def as_formula(value: Any) -> Formula:
    """A number as a formula: a small fraction, perhaps times or over a known constant, else its digits."""
    if isinstance(value, Formula):
        return value
    value = float(value)
    for name, constant in {"1": 1.0, **CONSTANTS}.items():
        for ratio, place in ((value / constant, operator.mul), (value * constant, operator.truediv)):
            fraction = Fraction(ratio).limit_denominator(360)
            if math.isclose(fraction, ratio, rel_tol=4e-16):
                sides = ((Factor(str(abs(n)), "number"),) for n in fraction.as_integer_ratio())
                rational = Formula(Term(fraction < 0, *sides))
                return place(rational, _atom(name, "number" if constant == 1.0 else "atom"))
    return Formula(Term(value < 0, (Factor(str(abs(value)), "number"),)))


def _relation(x: Any, sign: str, y: Any) -> Formula:
    return _atom(f"{x} {sign} {as_formula(y)}", "relation")


def _written(name: str) -> Callable[..., Any]:
    """How the function of that name is written, given its arguments as formulas."""
    if name == "where":
        return lambda condition, yes, no: yes if _decided(condition) else no
    if name in ARITHMETIC:
        return ARITHMETIC[name]
    if name.startswith("polygamma_"):
        primes = "′" * int(name.removeprefix("polygamma_"))
        return lambda x: _atom(f"ψ{primes}({x})")
    if name in NOTATION:
        return lambda *arguments: _atom(NOTATION[name].format(*arguments))
    return lambda *arguments: _atom(f'op("{name}")({", ".join(map(str, arguments))})')


def _decided(condition: Formula) -> bool:
    text = condition.factor().text
    if text not in assumed:
        raise Undecided(text)
    return assumed[text]
