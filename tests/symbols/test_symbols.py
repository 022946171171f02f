"""What formulas say is what the rules compute, and they are spelt with the brackets that they need."""

import math
import operator
import pickle
import random

import numpy as np
import pytest
import scipy.special
from table import ELEMENTWISE_FUNCTIONS, distance, named, ranges

from autodiff import derivative, draw_graph, latex, record
from autodiff.calls.closures import holds_numbers
from autodiff.custom import elementwise
from autodiff.symbols.formula import Undecided, as_formula, call, symbol
from autodiff.symbols.latex import formula_of
from autodiff.symbols.lines import adjoint
from autodiff.symbols.notation import LATEX, PLAIN, TYPST
from autodiff.symbols.rules import cases, in_words, partial, value
from dualnumbers import dmath
from dualnumbers.rules.comparisons import equal, greater
from dualnumbers.rules.where import where
from dualnumbers.table import TABLE, Refused

# ---------------------------------------------------------------------------------------- what they say

RELATIONS = {"<": operator.lt, "≤": operator.le, ">": operator.gt, "≥": operator.ge, "=": operator.eq, "≠": operator.ne}
OWN = {
    "step": lambda x: float(np.heaviside(x, 0.5)), "normal_tail": lambda x: float(scipy.special.ndtr(-x)),
    "mod": lambda x, y: x % y, "quotient": lambda x, y: x / y, "and": lambda x, y: x * y,
    "power": lambda x, y: x**y, "sum": lambda x: x,
}  # fmt: skip
KNOWN = {"e": math.e, "π": math.pi, "∞": math.inf}


def computed(terms, names):
    """The number that terms stand for, with numbers for the names: each function is that of the table."""
    return sum(whole(t.coefficient) * product(t.over, names) / product(t.under, names) if t.under
               else whole(t.coefficient) * product(t.over, names) for t in terms)  # fmt: skip


def whole(x):
    """Integers stay integers, for functions that take no other orders."""
    return int(x) if x == int(x) else float(x)


def product(factors, names):
    return math.prod(of_factor(f, names) for f in factors)


def of_factor(factor, names):
    head, parts = factor
    if head in ("symbol", "constant"):
        return (names if head == "symbol" else KNOWN)[parts[0]]
    if head == "relation":
        return float(RELATIONS[parts[1]](computed(parts[0], names), computed(parts[2], names)))
    numbers = [computed(part, names) for part in parts]
    return float(np.real((OWN.get(head) or TABLE[head])(*numbers)))


def holds(case, names):
    return all(of_factor(condition, names) for condition in case.conditions)


WRITTEN = [f for f in ELEMENTWISE_FUNCTIONS if not f.row.several]


def formulas(row):
    """The cases of each partial in the variables of the rule; None where the rule asks for more than a formula."""
    operands = [symbol(f"x{k}") for k in range(row.arity)]
    try:
        return [
            None if isinstance(row.partials[k], Refused) else partial(row, k, operands, symbol("z"))
            for k in range(row.arity)
        ]
    except (TypeError, ValueError, RecursionError):
        return None


def drawn(row, count):
    """Points of a row's domain, not at its kinks."""
    source, found = random.Random(row.name), []
    for _ in range(40 * count):
        ends = ranges(row)
        point = tuple(source.randint(*e) if type(e[0]) is int else source.uniform(*e) for e in ends)
        if distance(row, point) > 0.05:
            found.append(point)
        if len(found) == count:
            break
    return found


def test_most_rules_have_formulas():
    without = [f.row.name for f in WRITTEN if formulas(f.row) is None]
    assert len(without) < 0.2 * len(WRITTEN), without
    assert {"sin", "power", "gamma", "erf", "atan2", "logaddexp"}.isdisjoint(without)


@pytest.mark.parametrize(**named(WRITTEN))
def test_a_formula_is_what_the_rule_computes(function):
    row, found = function.row, formulas(function.row)
    if found is None:
        return
    for point in drawn(row, 3):
        z = float(np.real(function(*point)))
        names = {f"x{k}": x for k, x in enumerate(point)} | {"z": z}
        for k, of_place in enumerate(found):
            rule = row.partials[k]
            if of_place is None or rule is None:
                continue
            exact = rule(*point, z) if callable(rule) else rule
            special = [case for case in of_place[1:] if holds(case, names)]
            said = [computed(case.formula.terms, names) for case in special or of_place[:1]]
            assert said[-1] == pytest.approx(float(np.real(exact)), rel=1e-6, abs=1e-12), (k, point)
    if hasattr(row.python, "evaluate") and (points := drawn(row, 1)):
        names = {f"x{k}": x for k, x in enumerate(points[0])}
        of_value = value(row, [symbol(name) for name in names])
        assert computed(of_value.terms, names) == pytest.approx(float(np.real(function(*points[0]))), rel=1e-9)


PROGRAMS = [
    (lambda x, y: np.sin(x * y) + x / y, (1.0, 2.0)),
    (lambda x, y: (x + y) ** 3 / np.sqrt(x * x + y), (0.5, 1.5)),
    (lambda x, y: x**y * np.exp(-x / y), (1.5, 2.5)),
    (lambda x, y: np.hypot(x, y) * np.arctan2(y, x), (0.7, 0.2)),
    (lambda x, y: np.log(x) / x - y * dmath.tanh(x * y) ** 2, (0.7, 0.3)),
    (lambda x, y: np.where(x > y, x * x, y / x) + abs(y - x), (0.7, 0.9)),
    (lambda x, y: np.maximum(x, y) * np.cbrt(x) + np.logaddexp(x, y), (0.7, 0.2)),
]


@pytest.mark.parametrize("wrt", [None, 0, 1, (0, 0), (0, 1), (1, 0, 0)])
@pytest.mark.parametrize(("f", "point"), PROGRAMS)
def test_the_formula_of_a_derivative_is_the_derivative(f, point, wrt):
    formula = formula_of(f, wrt, point)
    exact = f(*point) if wrt is None else derivative(f, wrt, point)
    for way in (formula, formula.expanded()):
        assert computed(way.terms, dict(zip("xy", point, strict=True))) == pytest.approx(exact, rel=1e-12)


# ---------------------------------------------------------------------------------------- how they are spelt


@pytest.mark.parametrize(
    ("formula", "plain", "typst"),
    [
        (lambda x, y: -(x + y) * x, "x·(−x − y)", "x (-x - y)"),
        (lambda x, y: x - (x - y), "y", "y"),
        (lambda x, y: x - (y - x * y), "x − y + x·y", "x - y + x y"),
        (lambda x, y: 1.0 / (x * y) / y, "1/(x·y²)", "1 slash (x y^2)"),
        (lambda x, y: 0.5 * (x + y) / x, "(x + y)/(2·x)", "(x + y) slash (2 x)"),
        (lambda x, y: (x**2) ** y, "(x²)^y", "(x^2)^y"),
        (lambda x, y: x ** (y + 1), "x^(y + 1)", "x^(y + 1)"),
        (lambda x, y: x * x ** (y - 1) * y, "y·x^y", "y x^y"),
        (lambda x, y: -1.0 * (x - y), "−(x − y)", "-(x - y)"),
        (lambda x, y: x / (y / (x + 1)), "x·(x + 1)/y", "x (x + 1) slash y"),
        (lambda x, y: 2.0 / math.sqrt(math.pi) * x, "2·x/√π", "2 x slash sqrt(π)"),
        (lambda x, y: 0.0 * x + 1.0 * y, "y", "y"),
        (lambda x, y: x + -0.123 * y, "x − 0.123·y", "x - 0.123 y"),
        (lambda x, y: call("sqrt", x + y) * call("sqrt", x + y), "x + y", "x + y"),
        (lambda x, y: (x > y) * x, "x·[x > y]", "x [x > y]"),
        (lambda x, y: x % y, "x mod y", "x mod y"),
        (lambda x, y: (x - y) % (y + 1.0), "(x − y) mod (y + 1)", "(x - y) mod (y + 1)"),
        (lambda x, y: x * 1.5e-7, "1.5·10⁻⁷·x", "1.5 10^(-7) x"),
        (lambda x, y: x * 1e300, "1·10³⁰⁰·x", "1 10^(300) x"),
        (lambda x, y: (x * 2.0**-600) ** 2 * as_formula(2.0**600) ** 2, "x²", "x^2"),
        (lambda x, y: 0.1 * x * 0.2, "x/50", "x slash 50"),
        (lambda x, y: math.e * symbol("e") * 0.0 + symbol("e") ** x, "e^x", "e^x"),
        (lambda x, y: x * 0.0, "0", "0"),
        (lambda x, y: as_formula(math.inf) * x + as_formula(-math.inf), "∞·x − ∞", "∞ x - ∞"),
    ],
)
def test_formulas_keep_their_brackets(formula, plain, typst):
    found = formula(symbol("x"), symbol("y"))
    assert (PLAIN.spell(found), TYPST.spell(found)) == (plain, typst)


def test_cases_are_told_apart():
    def rule(x, z):
        return where(greater(x, 1), z, where(equal(x, 0), 1.0, 2.0 * x))

    assert in_words(cases(rule, [symbol("x")], symbol("z")), PLAIN) == ["2·x", "z if x > 1", "1 if x = 0"]


def test_a_condition_that_nobody_answers_is_a_question():
    with pytest.raises(Undecided):
        where(symbol("x") > 1, symbol("x"), symbol("y"))


@pytest.mark.parametrize(
    ("f", "wrt", "point", "text"),
    [
        (lambda x, y: np.sin(x * y) + x / y, 0, [1, 2.0], r"y \cos\left(x y\right) + \frac{1}{y}"),
        (lambda x: np.log(x) / x, (0, 0), [2.0], r"-\frac{3}{x^{3}} + \frac{2 \ln\left(x\right)}{x^{3}}"),
        (lambda theta_1: np.sqrt(theta_1), 0, [2.0], r"\frac{1}{2 \sqrt{\theta_{1}}}"),
        (lambda width: width**2.5, 0, [2.0], r"\frac{5 \mathrm{width}^{\frac{3}{2}}}{2}"),
        (lambda *xs: xs[0] * xs[1], 1, [2.0, 3.0], "x_{0}"),
        (lambda x: abs(x), 0, [-2.0], r"\operatorname{sgn}\left(x\right)"),
        (lambda x: 3.0, None, [2.0], "3"),
    ],
)
def test_latex(f, wrt, point, text):
    assert latex(f, wrt, point) == text


def test_a_notebook_typesets_it():
    found = latex(lambda x: x**2, 0, [3.0])
    assert found._repr_latex_() == "$2 x$"
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("f", "wrt", "point", "text"),
    [
        (lambda e, t: e * np.exp(-t), 1, [0.25, 1.0], r"-e \mathrm{e}^{-t}"),
        (lambda *xs, scale=2.0: xs[0] * scale, None, [3.0], "2 x_{0}"),
        (lambda x, *xs: x * xs[0], None, [3.0, 2.0], "x x_{0}"),
        (lambda _: 2.0 * _, None, [3.0], r"2 \mathrm{\_}"),
        (lambda x: x % (x + 1.0), None, [3.0], r"x \bmod \left(x + 1\right)"),
        (lambda x: 3.0 * x, None, [np.int64(2)], "3 x"),
        (lambda x: 3.0 * x, None, [np.array(2.0)], "3 x"),
    ],
)
def test_names_and_numbers_of_all_kinds(f, wrt, point, text):
    assert latex(f, wrt, point) == text


def grown(x):
    for _ in range(18):
        x = np.sin(x) * x
    return x


def nested(x):
    for _ in range(300):
        x = np.sin(x)
    return x


@pytest.mark.parametrize(
    ("f", "point", "complaint"),
    [
        (lambda x: x * np.complex128(1 + 2j), [2.0], "real"),
        (lambda x: np.round(x, 2) * x, [2.0], "rint|round|no formula"),
        (lambda x: (x, x), [2.0], "returns a number"),
        (lambda x: "x", [2.0], "returns a number"),
        (grown, [0.5], "too long to be read"),
        (nested, [0.5], "too long to be read"),
    ],
)
def test_what_cannot_be_one_formula_is_told(f, point, complaint):
    with pytest.raises((TypeError, ValueError), match=complaint):
        latex(f, None, point)


def test_an_order_needs_an_argument():
    with pytest.raises(ValueError, match="order"):
        latex(lambda x: x, None, [1.0], order=2)


@pytest.mark.parametrize(("f", "point", "complaint"), [
    (lambda v: np.sum(v), [np.ones(2)], r"function of real numbers, got ndarray array\(\[1., 1.\]\) \(at .*test_symb"),
    (lambda x: x, [1j], "function of real numbers, got complex 1j"),
    (lambda x: np.sum(np.ones(2) * x) ** 2, [1.0], "multiply has no formula of single numbers here"),
])  # fmt: skip
def test_what_has_no_formula_is_told(f, point, complaint):
    with pytest.raises(TypeError, match=complaint):
        latex(f, 0, point)


def test_notations_are_one_for_all_functions():
    """A function without a sign of its own is called by its name in each."""
    x = call("wright_omega_1", symbol("x"))
    assert [n.spell(x) for n in (PLAIN, LATEX, TYPST)] == [
        "wright_omega_1(x)",
        r"\operatorname{wright\_omega\_1}\left(x\right)",
        'op("wright_omega_1")(x)',
    ]


# ---------------------------------------------------------------------------------------- the rules of lines


def layer(X, w, b):
    h = np.tanh(X @ w + b)
    return np.sum(h[0] * h.T[1:, 0]) + np.max(h) + np.mean(h)


def test_the_rules_of_a_tape_are_in_words_of_the_field():
    """What the rows are called in here is nobody's word."""
    at = np.array([3.0, 1.0, 2.0])
    rules = lambda f: record(f, [at])[0].rules().splitlines()[1:]
    assert rules(lambda x: x[[0, 2]]) == ["    x̄[[0, 2]] += v̄1"]
    assert rules(lambda x: x[1:]) == ["    x̄[1:] += v̄1"]
    assert rules(lambda x: np.sort(x)) == [
        "    x̄ += take(mean_of_ties(v̄1, v1), indices_along(ranks(x), (3,), axis=-1))"
    ]
    assert rules(lambda x: np.pad(x, 1)) == ["    x̄ += v̄1[1:4,]"]
    assert rules(lambda x: np.interp(0.5, [0, 1, 2], x)) == [
        "    x̄ += scatter((0.5 * v̄1), 0, (3,)) + scatter((0.5 * v̄1), 1, (3,))"
    ]


def test_names_that_would_look_alike_are_kept_apart():
    f = lambda x2, x_2, x_3: x2 * x_2**2 * x_3
    assert latex(f, None, [1.0, 2.0, 3.0]) == r"x_{2} \mathrm{x\_2}^{2} x_{3}"
    assert latex(lambda x_2: 3 * x_2, None, [1.0]) == "3 x_{2}"


def test_the_rules_of_a_tape():
    tape, _ = record(layer, [np.ones((2, 3)), np.ones((3, 2)), 0.5])
    text = tape.rules()
    for line in ("    X̄ += v̄3 @ wᵀ", "    w̄ += Xᵀ @ v̄3", "    ∂v5/∂v4 = sech(v4)²", "    v̄5 += v̄7ᵀ",
                 "    v̄5[0] += v̄6", "    ∂v9/∂v6 = v8", "v3 = X @ w"):  # fmt: skip
        assert line in text.splitlines(), text
    assert "    S̄ += v̄3 @ Tᵀ" in tape.rules(["S", "T", "U"]).splitlines()
    assert "∂v4/∂slope = 1" in tape.rules(["X", "w", "slope"])


def test_an_edge_of_a_drawing_has_its_rule():
    tape, _ = record(lambda x, y: np.sin(x * y) + x / y, [1.0, 2.0])
    text = draw_graph(tape).to_svg()
    assert "<title>∂v3/∂v2 = cos(v2) = -0.41615</title>" in text
    assert "<title>∂v4/∂y = −v4/y = -0.25</title>" in text


@pytest.mark.parametrize(("name", "found"), [("x", "x̄"), ("v12", "v̄12"), ("slope", "adjoint of slope"), ("λ", "λ̄")])
def test_names_of_adjoints(name, found):
    assert adjoint(name) == found


def test_a_users_rule_of_a_function_that_has_met_a_formula_closes_over_none():
    """What a function of the table does to formulas names e, a formula itself."""
    dmath.exp(symbol("x"))
    own = elementwise(lambda x, z: z)(dmath.exp)
    assert derivative(own, 0, [0.7]) == math.exp(0.7)
    assert not holds_numbers(dmath.exp, own)
