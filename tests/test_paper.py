"""The paper is current, its table complete, and the laws that it prints are those the code computes with."""

import doctest
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualnumbers import DualNumber, dmath

DOCS = Path(__file__).parent.parent / "docs"
SOURCE = (DOCS / "Dual-Algebra.typ").read_text(encoding="utf-8")


@pytest.fixture
def docs(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))


# -------------------------------------------------------------------------------- the file and its table


def creator(pdf: bytes) -> bytes:
    """The program and version that wrote a PDF, as it says itself."""
    return re.search(rb"/Creator\s*\(([^)]*)\)", pdf)[1]


def test_paper_is_current(docs):
    pytest.importorskip("typst")
    from build_paper import PAPER, build

    built, committed = build(), PAPER.read_bytes()
    if creator(built) != creator(committed):
        pytest.skip(f"the paper was built by {creator(committed)}, here is {creator(built)}")
    is_current = built == committed  # pytest would explain the difference of two PDFs, for ten minutes
    assert is_current, "out of date: python docs/build_paper.py"


def test_building_twice_gives_the_same_bytes(docs):
    pytest.importorskip("typst")
    from build_paper import build

    is_the_same = build() == build()
    assert is_the_same


def test_every_elementwise_rule_has_its_line(docs):
    from elementary_table import table

    program = """
import math
from dualnumbers.elementary import BY_NUMPY, TABLE
for function in TABLE.values():
    of_scipy = function.row.name in BY_NUMPY and not hasattr(math, function.row.name)  # registered by its name alone
    print("of SciPy" if of_scipy else function.row.kind, function.row.name, sep="/")
"""
    fresh = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    kinds_and_names = [line.split("/") for line in fresh.stdout.splitlines()]
    printed = [line["name"] for family in table() for line in family["lines"]]
    public = [name for kind, name in kinds_and_names if kind == "elementwise" and not name.startswith("_")]
    assert sorted(printed) == sorted(public)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (lambda x, y: -(x + y) * x, "(-x - y) x"),
        (lambda x, y: x - (x - y), "x - x + y"),
        (lambda x, y: 1.0 / (x * y) / y, "1 slash (x y^2)"),
        (lambda x, y: 0.5 * (x + y) / x, "(x + y) slash (2 x)"),
        (lambda x, y: (x * y) ** 2, "(x y)^(2)"),
        (lambda x, y: (x**2) ** y, "(x^(2))^(y)"),
        (lambda x, y: -1.0 * (x - y), "-(x - y)"),
        (lambda x, y: 2.0 / math.sqrt(math.pi) * x, "2 x slash sqrt(π)"),
        (lambda x, y: 0.0 * x + 1.0 * y, "y"),
        (lambda x, y: x + -0.123 * y, "x - 0.123 y"),
    ],
)
def test_formulas_keep_their_brackets(docs, formula, text):
    from formula import symbol

    assert str(formula(symbol("x"), symbol("y"))) == text


def test_cases_are_told_apart(docs):
    from elementary_table import printed
    from formula import symbol

    from dualnumbers.rules.selection import where
    from dualnumbers.rules.steps import equal, greater

    def partial(x, z):
        return where(greater(x, 1), z, where(equal(x, 0), 1.0, 2.0 * x))

    assert printed(partial, {"x": symbol("x")}) == '2 x, quad z "if" x > 1, quad 1 "if" x = 0'


# -------------------------------------------------------------------------------- the laws

POSITIVE = st.floats(0.125, 4.0)
SIGNED = POSITIVE | POSITIVE.map(lambda a: -a)

LAWS = {
    "sum": (SIGNED, lambda x, y, a, b, c, d: (x + y, a + c, b + d)),
    "difference": (SIGNED, lambda x, y, a, b, c, d: (x - y, a - c, b - d)),
    "product": (SIGNED, lambda x, y, a, b, c, d: (x * y, a * c, a * d + b * c)),
    "quotient": (SIGNED, lambda x, y, a, b, c, d: (x / y, a / c, (b * c - a * d) / c**2)),
    "power-integer": (
        SIGNED,
        lambda x, y, a, b, c, d: (x ** int(c), a ** int(c), int(c) * a ** (int(c) - 1) * b),
    ),
    "power-base": (POSITIVE, lambda x, y, a, b, c, d: (x**c, a**c, c * a ** (c - 1) * b)),
    "power-exponent": (POSITIVE, lambda x, y, a, b, c, d: (c**x, c**a, c**a * math.log(c) * b)),
    "power-both": (
        POSITIVE,
        lambda x, y, a, b, c, d: (x**y, a**c, c * a ** (c - 1) * b + a**c * math.log(a) * d),
    ),
    "ln": (POSITIVE, lambda x, y, a, b, c, d: (dmath.log(x), math.log(a), b / a)),
    "function": (SIGNED, lambda x, y, a, b, c, d: (dmath.sin(x), math.sin(a), math.cos(a) * b)),
    "several": (
        SIGNED,
        lambda x, y, a, b, c, d: (x * dmath.sin(y), a * math.sin(c), math.sin(c) * b + a * math.cos(c) * d),
    ),
    "second": (
        SIGNED,
        lambda x, y, a, b, c, d: (
            dmath.sin(DualNumber(DualNumber(a, 1.0), DualNumber(1.0, 0.0))).dual,
            math.cos(a),
            -math.sin(a),
        ),
    ),
    "strong": (SIGNED, lambda x, y, a, b, c, d: (dmath.sqrt(DualNumber(0.0, 0.0)), 0.0, 0.0)),
}
"""Label in the paper → what a and c are drawn from, and (by the code, primal and tangent by the paper)."""


def test_every_printed_law_is_checked():
    assert set(re.findall(r"<law-([a-z-]+)>", SOURCE)) == set(LAWS)


@pytest.mark.parametrize("name", LAWS)
def test_law(name):
    primals, law = LAWS[name]

    @given(primals, st.floats(-4.0, 4.0), primals, st.floats(-4.0, 4.0))
    def check(a, b, c, d):
        number, primal, tangent = law(DualNumber(a, b), DualNumber(c, d), a, b, c, d)
        assert number.real == pytest.approx(primal, rel=1e-12, abs=1e-12)
        assert number.dual == pytest.approx(tangent, rel=1e-11, abs=1e-11)

    check()


@pytest.mark.parametrize("listing", re.findall(r"```python\n(.*?)```", SOURCE, re.DOTALL))
def test_listings_of_the_paper_run(listing):
    example = doctest.DocTestParser().get_doctest(listing, {}, "listing", "Dual-Algebra.typ", 0)
    assert doctest.DocTestRunner().run(example).failed == 0
