"""The papers are current, their tables complete, and the laws that they print are those the code computes with."""

import doctest
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import grad, jvp, nn, vjp
from dualnumbers import DualNumber, dmath

DOCS = Path(__file__).parents[2] / "docs"
PAPERS = ("Dual-Algebra", "Chain-Rule-on-Matrix-Multiplication")
SOURCES = {name: (DOCS / f"{name}.typ").read_text(encoding="utf-8") for name in PAPERS}

each = pytest.mark.parametrize("name", PAPERS)


@pytest.fixture
def docs(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))


# -------------------------------------------------------------------------------- the files and what is printed in them


def creator(pdf: bytes) -> bytes:
    """The program and version that wrote a PDF, as it says itself."""
    return re.search(rb"/Creator\s*\(([^)]*)\)", pdf)[1]


@each
def test_paper_is_current(docs, name):
    pytest.importorskip("typst")
    from build_paper import build, paper

    built, committed = build(name), paper(name).read_bytes()
    if creator(built) != creator(committed):
        pytest.skip(f"the paper was built by {creator(committed)}, here is {creator(built)}")
    is_current = built == committed  # pytest would explain the difference of two PDFs, for ten minutes
    assert is_current, "out of date: python docs/build_paper.py"


@each
def test_building_twice_gives_the_same_bytes(docs, name):
    pytest.importorskip("typst")
    from build_paper import build

    is_the_same = build(name) == build(name)
    assert is_the_same


def test_every_paper_is_built(docs):
    pytest.importorskip("typst")
    from build_paper import FOLDER, INPUTS

    assert set(INPUTS) == set(PAPERS) == {path.stem for path in FOLDER.parent.glob("*.pdf")}


def test_the_row_of_the_matrix_product_is_quoted(docs):
    pytest.importorskip("typst")
    from build_paper import row_of_matmul

    line, left, right = row_of_matmul()
    assert "multilinear(_matmul_left, _matmul_right, of=np.matmul," in line
    assert "matmul(g, adjoint(y))" in left
    assert "matmul(adjoint(x), g)" in right


def test_every_elementwise_rule_has_its_line(docs):
    from elementary_table import table

    program = """
import math
from dualnumbers.rules import families
from dualnumbers.table import BY_NUMPY, TABLE
families()
for function in TABLE.values():
    row = function.row
    of_scipy = row.name in BY_NUMPY and not hasattr(math, row.name)  # registered by its name alone
    results = enumerate(row.carried(None)) if row.is_elementwise and row.several else [("", True)]
    for which, carried in results:
        if carried:
            name = row.name if which == "" else f"{row.name}[{which}]"
            print("of SciPy" if of_scipy else row.described(), name, sep="/")
"""
    fresh = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    kinds_and_names = [line.split("/") for line in fresh.stdout.splitlines()]
    printed = [line["name"] for family in table() for line in family["lines"]]
    public = [name for kind, name in kinds_and_names if kind == "elementwise" and not name.startswith("_")]
    assert sorted(printed) == sorted(public)


def test_the_columns_of_partials_are_those_of_places(docs):
    """Under z_x, the partial of atan2(y, x) by y would be taken for that by x."""
    from elementary_table import table

    (line,) = (line for family in table() for line in family["lines"] if line["name"] == "atan2")
    assert line["value"] == "arctan(y, x)"
    assert line["partials"] == ["x slash (x^2 + y^2)", "-y slash (x^2 + y^2)"]
    header = re.search(r"table\.header\(\.\.\((.*)\)\.map", SOURCES["Dual-Algebra"])
    assert header[1] == '"function", $z$, "by the first", "by the second", "tested for"'


# -------------------------------------------------------------------------------- the laws of dual numbers

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


@each
def test_every_printed_law_is_checked(name):
    checked = {"Dual-Algebra": LAWS, "Chain-Rule-on-Matrix-Multiplication": MATRIX_LAWS}[name]
    assert set(re.findall(r"<law-([a-z-]+)>", SOURCES[name])) == set(checked)


@pytest.mark.parametrize("name", LAWS)
def test_law(name):
    primals, law = LAWS[name]

    @given(primals, st.floats(-4.0, 4.0), primals, st.floats(-4.0, 4.0))
    def check(a, b, c, d):
        number, primal, tangent = law(DualNumber(a, b), DualNumber(c, d), a, b, c, d)
        assert number.real == pytest.approx(primal, rel=1e-12, abs=1e-12)
        assert number.dual == pytest.approx(tangent, rel=1e-11, abs=1e-11)

    check()


# -------------------------------------------------------------------------------- the laws of matrices

RNG = np.random.default_rng(5)
A, A1, A2 = RNG.normal(size=(3, 3, 4))
B, B1 = RNG.normal(size=(2, 4, 2))
C = RNG.normal(size=(3, 2))
M, N = RNG.normal(size=(2, 4, 4))
x, y, b = RNG.normal(size=4), RNG.normal(size=3), RNG.normal(size=2)
stack, of_stack = RNG.normal(size=(5, 3, 4)), RNG.normal(size=(5, 3, 2))
target = RNG.dirichlet(np.ones(2), size=3)
softmax = np.exp(C) / np.sum(np.exp(C), axis=1, keepdims=True)
complex_a, complex_b, complex_c = A + 1j * A2, B + 1j * B1, C + 1j * C[::-1]
ones = np.ones(3)


def pulled(f, cotangent, *primals):
    """The adjoints of the arguments of f."""
    return vjp(f, *primals)[1](cotangent)


def inner(X, Y):
    return np.trace(X.T @ Y)


def layer(X, W, b):
    return np.tanh(X @ W + b)


Z = C * (1 - layer(A, B, b) ** 2)
"""The adjoint of what the layer applies tanh to, for the adjoint C of its result."""

MATRIX_LAWS = {
    "left": (pulled(np.matmul, C, A, B)[:1], [C @ B.T]),
    "right": (pulled(np.matmul, C, A, B)[1:], [A.T @ C]),
    "moving": ([inner(C, A @ B)] * 2, [inner(A.T @ C, B), inner(C @ B.T, A)]),
    "push": ([jvp(np.matmul, [A, B], [A1, B1])[1]], [A1 @ B + A @ B1]),
    "pair": ([inner(C, A1 @ B + A @ B1)], [inner(C @ B.T, A1) + inner(A.T @ C, B1)]),
    "vector": (pulled(np.matmul, y, A, x), [np.outer(y, x), A.T @ y]),
    "transposed": (pulled(lambda A, B: A.T @ B, B1, M, B), [B @ B1.T, M @ B1]),
    "quadratic": (pulled(lambda A, x: x @ A @ x, 3.0, M, x), [3 * np.outer(x, x), 3 * (M + M.T) @ x]),
    "inverse": (pulled(np.linalg.inv, N, M), [-np.linalg.inv(M).T @ N @ np.linalg.inv(M).T]),
    "solve": (
        pulled(np.linalg.solve, B1, M, B),
        [-np.linalg.inv(M.T) @ B1 @ np.linalg.solve(M, B).T, np.linalg.inv(M.T) @ B1],
    ),
    "stack": (
        pulled(np.matmul, of_stack, stack, B),
        [np.stack([g @ B.T for g in of_stack]), sum(X.T @ g for X, g in zip(stack, of_stack, strict=True))],
    ),
    "offset": (pulled(np.add, C, C, b), [C, C.T @ ones]),
    "layer": (pulled(layer, C, A, B, b), [Z @ B.T, A.T @ Z, Z.T @ ones]),
    "softmax": ([grad(lambda Z: nn.cross_entropy(Z, target))(C)], [(softmax - target) / 3]),
    "complex": (
        pulled(np.matmul, complex_c, complex_a, complex_b),
        [complex_c @ complex_b.conj().T, complex_a.conj().T @ complex_c],
    ),
}
"""Label in the paper → what the code gives, and what the paper says."""


@pytest.mark.parametrize("name", MATRIX_LAWS)
def test_law_of_matrices(name):
    for found, expected in zip(*MATRIX_LAWS[name], strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


# -------------------------------------------------------------------------------- the listings


@each
def test_listings_of_the_papers_run(name):
    for listing in re.findall(r"```python\n(.*?)```", SOURCES[name], re.DOTALL):
        example = doctest.DocTestParser().get_doctest(listing, {}, "listing", f"{name}.typ", 0)
        assert example.examples
        assert doctest.DocTestRunner().run(example).failed == 0
