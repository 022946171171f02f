"""How formulas are spelt: for a terminal (`PLAIN`), in LaTeX (`LATEX`), in Typst (`TYPST`).

>>> from autodiff.symbols.formula import call, symbol
>>> x = symbol("x")
>>> for notation in (PLAIN, LATEX, TYPST):
...     print(notation.spell(-call("sin", x) / (2.0 * call("sqrt", 1.0 - x**2))))
−sin(x)/(2·√(1 − x²))
-\\frac{\\sin\\left(x\\right)}{2 \\sqrt{1 - x^{2}}}
-op("sin")(x) slash (2 thin sqrt(1 - x^2))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from .formula import Formula
from .terms import Factor, Term, Terms

SHORT, LONG = 10_000, 10**15
"""Fractions of denominators up to the one, and of numerators below the other, are written as such."""

SIMPLE, POWER, PRODUCT, SUM, RELATION = range(5)
"""The kinds of text, by how tightly they hold together."""

BEFORE = {"constant": 0, "symbol": 1, "power": 2, "sum": 3}
"""The order of factors, by their heads; functions come last."""

Spelt = tuple[str, int]
"""A text and its kind."""


@dataclass(frozen=True)
class Notation:
    """A way to write formulas: patterns for what has signs of its own, ``{}`` an argument, and how the rest is put."""

    functions: dict[str, str]
    call: Callable[[str, str], str]
    """The name of a function and its arguments → the application of it."""
    symbols: Callable[[str], str]
    constants: Callable[[str], str]
    power: Callable[[str, str], str]
    quotient: Callable[[str, str], str]
    brackets: str = "({})"
    square: str = "[{}]"
    times: str = " "
    after_root: str = " "
    """What stands between factors of which one is a root."""
    times_ten: str = "{} {}"
    minus: str = "-"
    bar: bool = False
    """Whether what is over and under a fraction's bar is held together by it."""
    prime: str = "′"
    roots: dict[str, str] = field(default_factory=dict)
    """Patterns for signs before what is in brackets only where it is not simple."""
    words: dict[str, str] = field(default_factory=dict)
    """What functions are called, where it is not their name in the table."""

    def spell(self, formula: Formula) -> str:
        """Return the text of a formula."""
        return self._sum(formula.terms)

    def condition(self, factor: Factor) -> str:
        """Return the text of a comparison, without Iverson's brackets."""
        return self._factor(factor)[0]

    def _sum(self, terms: Terms) -> str:
        text = "".join(f" {self.minus if t.coefficient < 0 else '+'} {self._term(t)}" for t in terms) or " + 0"
        return text[3:] if text.startswith(" + ") else self.minus + text[3:]

    def _terms(self, terms: Terms) -> Spelt:
        """Return the text of a sum and its kind."""
        if len(terms) != 1 or terms[0].coefficient < 0:
            return self._sum(terms), SUM if terms else SIMPLE
        _, under = self._sides(terms[0])
        return (self._sum(terms), SUM) if under is not None else self._sides(terms[0])[0]

    def _sides(self, term: Term) -> tuple[Spelt, Spelt | None]:
        """Return what stands over and under the bar, None where there is no bar."""
        size = abs(term.coefficient)
        short = size.denominator <= SHORT and size.numerator < LONG
        above, below = (str(size.numerator), str(size.denominator)) if short else (self._digits(size), "1")
        over, under = self._product(above, term.over), self._product(below, term.under)
        return over, None if under == ("1", SIMPLE) else under

    def _digits(self, size: Fraction) -> str:
        """Return a number by its digits, those of a float."""
        mantissa, power = f"{Decimal(size.numerator) / Decimal(size.denominator):.16e}".split("e")
        exponent = int(power)
        if -5 <= exponent < 16:
            return repr(float(size))
        digits = mantissa.rstrip("0").rstrip(".") if abs(exponent) > 300 else repr(float(size)).split("e")[0]
        return self.times_ten.format(digits, self._power(("10", SIMPLE), str(exponent))[0])

    def _term(self, term: Term) -> str:
        over, under = self._sides(term)
        if under is None:
            return self._held(over, SUM) if term.coefficient < 0 or over[1] == RELATION else over[0]
        if self.bar:
            return self.quotient(self._held(over, RELATION), self._held(under, RELATION))
        return self.quotient(self._held(over, SUM), self._held(under, PRODUCT, SUM))

    def _held(self, text: Spelt, *kinds: int) -> str:
        """Return a text in brackets if it is of one of these kinds, a comparison in Iverson's."""
        if text[1] == RELATION:
            return self.square.format(text[0])
        return self.brackets.format(text[0]) if text[1] in kinds else text[0]

    def _product(self, number: str, factors: tuple[Factor, ...]) -> Spelt:
        """Return the text of a number and factors, equal ones as powers; variables stand before functions."""
        found: list[Spelt] = [] if number == "1" and factors else [(number, SIMPLE)]
        for factor in sorted(dict.fromkeys(factors), key=lambda factor: BEFORE.get(factor.head, len(BEFORE))):
            count, one = factors.count(factor), self._factor(factor)
            found.append(one if count == 1 else self._power(one, str(count)))
        if len(found) == 1:
            return found[0]
        rooted = any(factor.head == "sqrt" for factor in factors)
        return (self.after_root if rooted else self.times).join(self._held(one, SUM) for one in found), PRODUCT

    def _power(self, base: Spelt, exponent: str) -> Spelt:
        return self.power(self._held(base, POWER, PRODUCT, SUM), exponent), POWER

    def _factor(self, factor: Factor) -> Spelt:
        head, parts = factor
        if head in ("symbol", "constant"):
            return (self.symbols if head == "symbol" else self.constants)(parts[0]), SIMPLE
        if head == "sum":
            return self._sum(parts[0]), SUM
        if head == "power":
            return self._power(self._terms(parts[0]), self._sum(parts[1]))
        if head == "relation":
            return f"{self._sum(parts[0])} {self.functions.get(parts[1], parts[1])} {self._sum(parts[2])}", RELATION
        if head == "mod":
            return self.functions["mod"].format(*(self._held(self._terms(part), SUM) for part in parts)), SUM
        texts = [self._sum(part) for part in parts]
        if head == "and":
            return ", ".join(self._terms(part)[0] for part in parts), RELATION
        if head == "quotient":
            return self.quotient(*(self._held(self._terms(part), PRODUCT, SUM) for part in parts)), PRODUCT
        if head in self.roots:
            return self.roots[head].format(self._held(self._terms(parts[0]), POWER, PRODUCT, SUM)), POWER
        if head in self.functions:
            return self.functions[head].format(*texts), POWER if head == "sqrt" else SIMPLE
        order = head.removeprefix("polygamma_")
        if order.isdecimal():
            return self.functions["polygamma"].format(self.prime * int(order), *texts), SIMPLE
        return self.call(self.words.get(head, head), ", ".join(texts)), SIMPLE


# ---------------------------------------------------------------------------------------- the three notations

NAMED = {"log": "ln", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan", "asinh": "arsinh",
         "acosh": "arcosh", "atanh": "artanh", "rint": "round", "sign": "sgn", "maximum": "max",
         "minimum": "min"}  # fmt: skip
"""What a function is called in mathematics → where its name in the table is another."""

TYPST = Notation(
    functions={
        "sqrt": "sqrt({})", "cbrt": "root(3, {})", "absolute": "abs({})", "floor": "floor({})",
        "sign": 'op("sgn")({})', "rint": 'op("round")({})', "mod": "{} mod {}",
        "log": "ln({})", "log2": "log_2({})", "log10": "log_10({})",
        "asin": "arcsin({})", "acos": "arccos({})", "atan": "arctan({})", "atan2": "arctan({}, {})",
        "asinh": 'op("arsinh")({})', "acosh": 'op("arcosh")({})', "atanh": 'op("artanh")({})',
        "gamma": "Γ({})", "lgamma": "ln abs(Γ({}))", "polygamma": "ψ{}({})",
        "maximum": "max({}, {})", "minimum": "min({}, {})", "np_i0": "I_0({})", "bessel_i_1": "I_1({})",
        "sinc_1": "op(\"sinc\")'({})", "logistic": "σ({})", "logistic2": "σ_2({})",
        "sech2": "op(\"sech\")_2({})", "normal_density": "φ({})", "normal_tail": "Q({})", "mills_1": "K_1({})",
        "step": "H({})",
    },
    call=lambda name, arguments: f'op("{name}")({arguments})',
    symbols=str,
    constants=str,
    power=lambda base, exponent: f"{base}^{exponent}" if re.fullmatch(r"\w", exponent) else f"{base}^({exponent})",
    quotient="{} slash {}".format,
    after_root=" thin ",
)  # fmt: skip
"""That of the paper and of its table."""

GREEK = frozenset("""alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi chi psi
    omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega""".split())  # fmt: skip # noqa: SIM905
LATEX_CONSTANTS = {"π": r"\pi", "∞": r"\infty", "e": r"\mathrm{e}", "NaN": r"\mathrm{NaN}"}
KNOWN_TO_LATEX = frozenset("sin cos tan sinh cosh tanh arcsin arccos arctan ln max min".split())  # noqa: SIM905


def _latex_symbol(name: str) -> str:
    """Return a variable as LaTeX: Greek letters by their names, digits at the end as an index."""
    letters, index = re.fullmatch(r"(.*?)_?(\d*)", name).groups()  # type: ignore[union-attr]
    if not letters.strip("_"):
        return _upright(name)
    text = f"\\{letters}" if letters in GREEK else letters if len(letters) == 1 else _upright(letters)
    return f"{text}_{{{index}}}" if index else text


def latex_of(names: Sequence[str]) -> Notation:
    """Return `LATEX` for variables of these names, of which ``x_2`` stays as it is where there is ``x2``, too."""
    alike = {name for name in names if re.search(r"_\d+$", name) and re.sub(r"_(\d+)$", r"\1", name) in names}
    return replace(LATEX, symbols=lambda name: _upright(name) if name in alike else _latex_symbol(name))


def _upright(word: str) -> str:
    return rf"\mathrm{{{_escaped(word)}}}"


def _escaped(word: str) -> str:
    return word.replace("_", r"\_")


def _latex_call(name: str, arguments: str) -> str:
    word = f"\\{name}" if name in KNOWN_TO_LATEX else rf"\operatorname{{{_escaped(name)}}}"
    return rf"{word}\left({arguments}\right)"


LATEX = Notation(
    functions={
        "sqrt": r"\sqrt{{{}}}", "cbrt": r"\sqrt[3]{{{}}}", "absolute": r"\left|{}\right|",
        "floor": r"\left\lfloor {}\right\rfloor", "ceil": r"\left\lceil {}\right\rceil", "mod": r"{} \bmod {}",
        "log2": r"\log_{{2}}\left({}\right)", "log10": r"\log_{{10}}\left({}\right)",
        "gamma": r"\Gamma\left({}\right)", "lgamma": r"\ln\left|\Gamma\left({}\right)\right|",
        "polygamma": r"\psi{}\left({}\right)", "np_i0": r"I_0\left({}\right)", "bessel_i_1": r"I_1\left({}\right)",
        "sinc_1": r"\operatorname{{sinc}}'\left({}\right)", "logistic": r"\sigma\left({}\right)",
        "logistic2": r"\sigma_2\left({}\right)", "normal_density": r"\varphi\left({}\right)",
        "normal_tail": r"Q\left({}\right)", "mills_1": r"K_1\left({}\right)", "step": r"H\left({}\right)",
        "≤": r"\le", "≥": r"\ge", "≠": r"\ne",
    },
    call=_latex_call,
    symbols=_latex_symbol,
    constants=LATEX_CONSTANTS.__getitem__,
    times_ten=r"{} \cdot {}",
    power="{}^{{{}}}".format,
    quotient=r"\frac{{{}}}{{{}}}".format,
    brackets=r"\left({}\right)",
    square=r"\left[{}\right]",
    bar=True,
    prime="'",
    words=NAMED,
)  # fmt: skip
"""LaTeX, as notebooks and sites read it."""

RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

PLAIN = Notation(
    functions={
        "absolute": "|{}|", "floor": "⌊{}⌋", "ceil": "⌈{}⌉", "mod": "{} mod {}",
        "log2": "log₂({})", "log10": "log₁₀({})", "gamma": "Γ({})", "lgamma": "ln|Γ({})|",
        "polygamma": "ψ{}({})", "np_i0": "I₀({})", "bessel_i_1": "I₁({})", "sinc_1": "sinc′({})",
        "logistic": "σ({})", "logistic2": "σ₂({})", "normal_density": "φ({})", "normal_tail": "Q({})",
        "mills_1": "K₁({})", "step": "H({})",
    },
    call="{}({})".format,
    symbols=str,
    constants=str,
    times_ten="{}·{}",
    power=lambda base, exponent: base + exponent.translate(RAISED) if exponent.lstrip("-").isdecimal() else (
        f"{base}^{exponent}" if exponent.isidentifier() else f"{base}^({exponent})"),
    quotient="{}/{}".format,
    times="·",
    after_root="·",
    minus="−",
    roots={"sqrt": "√{}", "cbrt": "∛{}"},
    words=NAMED,
)  # fmt: skip
"""Signs of Unicode, for one line of text."""
