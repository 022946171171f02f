"""The page that computes itself, in a real browser, against the package: rows, expressions, recorded functions."""

import json
import math
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browser import Page, started
from selenium.webdriver.common.keys import Keys

import dualnumbers.dmath as dmath
import dualnumbers.rules.of_scipy  # noqa: F401  # rows of SciPy's functions are printed too
from autodiff import animate, gradient, nn, record, value_of
from autodiff.command_line.expressions import expression
from autodiff.differences.quotients import difference_quotient
from autodiff.drawing.javascript import formulas, has_letters, javascript, part, printable
from autodiff.drawing.page import LIVE, STEPS, TYPED, page
from autodiff.scipy import special
from autodiff.symbols.lines import rule
from autodiff.tape.listing import variable_names
from dualnumbers.rules import families
from dualnumbers.rules.domains import reals
from dualnumbers.rules.elementwise.gamma import polygamma
from dualnumbers.rules.elementwise.powers import euclidean_length
from dualnumbers.rules.elementwise.sinc import sinc_derivative
from dualnumbers.table import TABLE
from dualnumbers.table.partials import evaluate_partial

families()
polygamma(1), sinc_derivative(1), euclidean_length(4)
ROWS = [name for name in printable() if not name.startswith("_") and not name.startswith("bitwise")]
POINTS = 10_000

WHOLE = {"ldexp": 1}
"""Rows → the place of an operand that is a whole number."""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    driver = started(tmp_path_factory.mktemp("profile"))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page_to_type_in(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "page.html"
    path.write_text(page(of_expression("x*y", {"x": 1.0, "y": 2.0})), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def typed(chromium, page_to_type_in):
    """A page with an expression to type, in which the rules of all rows are as well; opened where another one was."""
    if chromium.current_url != page_to_type_in:
        chromium.get(page_to_type_in)
        chromium.execute_script(f"{javascript(printable()).replace('const RULES =', 'window.ALL =')}")
    return Page(chromium)


def of_expression(text, values):
    tape, _ = record(expression(text, list(values)), list(values.values()), sources=True)
    return replace(animate(tape, names=list(values), title=text), expression=text)


def close(found, expected, scale=1.0):
    """To 2e-13 relative to the number itself, or to 2e-15 of what it is a difference of."""
    if math.isnan(expected) or math.isinf(expected):
        return found == expected or (math.isnan(found) and math.isnan(expected))
    return abs(found - expected) <= 2e-13 * abs(expected) + 2e-15 * scale


# ---------------------------------------------------------------------------------------------- rows


def test_there_are_rules():
    assert len(ROWS) >= 115
    elementwise = [name for name in ROWS if TABLE[name].row.is_elementwise]
    assert len(elementwise) >= 90
    assert {"sin", "power", "atan2", "erf", "gamma", "logistic", "clip", "hypot_3"} <= set(elementwise)


def drawn(name, random):
    row = TABLE[name].row
    xs = [float(random.uniform(low, high)) for low, high in (row.domain or reals(row.arity)).ranges]
    return [round(x) if WHOLE.get(name) == k else x for k, x in enumerate(xs)]


def of_package(name, xs):
    """The value and the partials as the package has them."""
    row = TABLE[name].row
    z = row.python.evaluate(*xs)
    return [float(z), *(float(p if isinstance(p, float) else evaluate_partial(p, *xs, z)) for p in row.partials)]


def test_every_rule_is_the_tables(typed):
    """Values and partials at drawn points, all in one call."""
    random = np.random.default_rng(7)
    points = [(name, drawn(name, random)) for name in ROWS for _ in range(-(-POINTS // len(ROWS)))]
    assert len(points) >= POINTS
    found = json.loads(
        typed.driver.execute_script(
            """
        return JSON.stringify(arguments[0].map(([name, xs]) => {
            const rule = ALL[name], z = rule.value(...xs);
            const partials = (rule.partials ?? []).map((p) => typeof p === "number" ? p : Number(p(...xs, z)));
            return [Number(z), ...partials].map(String);
        }))""",
            points,
        )
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (name, xs), numbers in zip(points, found, strict=True):
            expected = of_package(name, xs)
            for got, want in zip(map(number, numbers), expected, strict=True):
                assert close(got, want, 1.0 + max(map(abs, xs))), (name, xs, got, want)


def number(text):
    return float(text.replace("Infinity", "inf"))


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, -1e-300, 710.0, -750.0, 1e200, math.inf, -math.inf, math.nan]

ODD = {"gamma", "lgamma", "loggamma", "polygamma_0", "polygamma_1", "psi", "fma", "remainder", "nextafter", "mod",
       "fmod", "floor_divide", "ldexp", "ulp", "sindg", "cosdg", "tandg", "cotdg", "sin_pi", "cos_pi", "logit",
       "sinc", "sinc_1"}  # fmt: skip
"""Rows of which NumPy's or SciPy's value at poles, infinities or signed zeros is a convention of its own."""


def test_special_points(typed):
    """Partials where they are kinks, poles, overflows: the choices of the policy come with the formulas."""
    rows = [name for name in ROWS if TABLE[name].row.arity == 1 and name not in ODD]
    points = [(name, [x]) for name in rows for x in SPECIAL]
    found = json.loads(
        typed.driver.execute_script(
            """
        return JSON.stringify(arguments[0].map(([name, xs]) => {
            const rule = ALL[name], x = xs.map(Number), z = rule.value(...x);
            const partials = (rule.partials ?? []).map((p) => typeof p === "number" ? p : p(...x, z));
            return [z, ...partials].map(Number).map(String);
        }))""",
            [(name, [str(x).replace("inf", "Infinity").replace("nan", "NaN") for x in xs]) for name, xs in points],
        )
    )
    wrong = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for (name, xs), numbers in zip(points, found, strict=True):
            row = TABLE[name].row
            x = np.float64(xs[0])
            z = row.numpy.evaluate(x)
            expected = [float(z), *(p if isinstance(p, float) else float(np.asarray(p(x, z))) for p in row.partials)]
            wrong += [
                (name, xs, got, want)
                for got, want in zip(map(number, numbers), expected, strict=True)
                if not close(got, want)
            ]
    assert not wrong


def test_what_has_no_rule_says_so():
    with pytest.raises(ValueError, match="no rule"):
        formulas(TABLE["modf"].row)
    note = animate(record(lambda x: np.sum(np.linalg.pinv(x)), [np.eye(2)])[0]).to_html()
    assert "The page stays at this point: pinv has no rule in a page." in note
    note = animate(record(lambda x: x[0] * np.nanmedian(x), [np.array([3.0, 1.0])])[0]).to_html()
    assert "The page stays at this point: nanmedian has no rule in a page." in note
    note = animate(record(lambda x: np.abs(x * np.exp(1j * x)), [1.0])[0]).to_html()
    assert "The page stays at this point: it computes with complex numbers, and a page with real ones only." in note


def test_scripts_are_in_the_pages_that_need_them():
    pages = {f: animate(f, [1.0]).to_html() for f in (dmath.sin, dmath.gamma, lambda x: np.nanmedian(x * np.ones(3)))}
    found = [["LANCZOS" in text, "class Layers" in text, "class Parser" in text] for text in pages.values()]
    assert found == [[False, True, False], [True, True, False], [False, True, False]]
    assert "class Zeros" not in list(pages.values())[2]
    assert "class Parser" in page(of_expression("x*x", {"x": 1.0}))


# ---------------------------------------------------------------------------------------------- expressions

EXPRESSIONS = [
    ("sin(x*y) + x/y", {"x": 1.0, "y": 2.0}),
    ("floor(x)*x + x//2 + x%2", {"x": 2.5}),
    ("x if x > 0 else -x", {"x": -2.0}),
    ("(x > 0)*x*y", {"x": 2.0, "y": 3.0}),
    ("fsum([x, y, 2])*prod([x, y, 3]) + dist([x, y], [1, 2]) + sumprod([x, y], [y, 2])", {"x": 2.0, "y": 3.0}),
    ("hypot(x, y, 1) + log(x, 2) + log(x)", {"x": 2.0, "y": 3.0}),
    ("max(x, 2) + min(x, y) + abs(x)", {"x": 1.0, "y": 2.0}),
    ("+x + x + ulp(x)*x + isnan(x) + ldexp(x, 2)", {"x": 1.0}),
    ("2*pi*x + x**2 + 2**x + erf(x) + gamma(x) + pow(x, 3) + fma(x, x, 1) + copysign(x, -1)", {"x": 1.0}),
    ("1.0*x if x == 1 and not x < 0 or x > 7 else 2", {"x": 1.0}),
    ("cbrt(x) + exp2(x) + remainder(x, 2) + fmod(x, 2) + nextafter(x, 2) + trunc(x)", {"x": 1.3}),
    ("-x**2**y - x**-y", {"x": 1.5, "y": 2.0}),
    ("x*sqrt(x)", {"x": 0.0}),
    ("sqrt(x)*0*y + y", {"x": 0.0, "y": 2.0}),
    ("max(y, sqrt(x))", {"x": 0.0, "y": 1.0}),
    ("1e-200*x*1e-200*y + comb(5, 2)*x", {"x": 1.0, "y": 2.0}),
    ("exp(-x*x) + hypot(x, y)", {"x": 0.0, "y": 0.0}),
    ("x**y", {"x": 0.0, "y": 2.0}),
    ("sqrt(x*x + y*y)", {"x": 0.0, "y": 0.0}),
    ("((x - 1.5)*(x - 1.5) + 3*y**2)**0.5 + x", {"x": 1.5, "y": 0.0}),
    ("((x - 1)*(x - 1) + 3*y**2)**0.5 + x", {"x": 1.0, "y": 0.0}),
    ("sqrt(fsum([x**2, y**4])/2)", {"x": 0.0, "y": 0.0}),
    ("sqrt(x*y)", {"x": 0.0, "y": 0.0}),
    ("sqrt(exp(-x))", {"x": 760.0}),
    ("floor(x)", {"x": 2.5}),
    ("((x + a/x)/2 + a/((x + a/x)/2))/2", {"a": 2.0, "x": 1.0}),
    ("modf(x)[0]*x + frexp(x*y)[0] + modf(y)[1]*x + frexp(x)[1]*modf(2.5)[0]", {"x": 2.5, "y": -0.3}),
    ("modf(x)[0] + frexp(y)[0]*y", {"x": -3.75, "y": 0.0}),
    ("fsum([x, y, x*y, sin(x), x, y, 2, x]) + x", {"x": 1.1, "y": 0.5}),
    ("+".join(["x*y"] * 40), {"x": 1.1, "y": 0.5}),
    ("x" + "*x" * 80, {"x": 1.01}),
    ("+".join(f"sin({k}*x)*y**{k % 5}/{k}-cos(x{'+*-'[k % 3]}{k})" for k in range(1, 30)), {"x": 1.1, "y": 2.0}),
    ("x" + "+sin(x*y)*cos(y)" * 30, {"x": 1.1, "y": 2.0}),
    ("-(" * 30 + "x" + "*y)" * 30, {"x": 1.1, "y": 2.0}),
]


def test_every_word_of_a_run_is_the_packages(typed):
    """The steps of all modes, word by word, and the details of the lines."""
    given = [(text, list(values), list(values.values())) for text, values in EXPRESSIONS]
    found = json.loads(
        typed.driver.execute_script(
            """
        return JSON.stringify(arguments[0].map(([text, names, xs]) => {
            const told = computed(new OfExpression(text, names), xs.map((x) => scalar(x)));
            const nodes = told.picture.nodes.map((n) => [n.line, n.kind, n.name, n.text, n.is_output]);
            const edges = told.picture.edges.map((e) => [e.start, e.end, e.active, e.label]);
            return { modes: told.modes, lines: told.lines, nodes, edges };
        }))""",
            given,
        )
    )
    for (text, values), page_ in zip(EXPRESSIONS, found, strict=True):
        animation = of_expression(text, values)
        for mode, expected in zip(page_["modes"], animation.modes, strict=True):
            assert mode["name"] == expected.name
            for step, told in zip(mode["steps"], expected.steps, strict=True):
                assert step["text"] == told.text, text
                assert (step["phase"], step["line"]) == (told.phase, told.line)
                assert {int(line): tuple(texts) for line, texts in step["changes"].items()} == told.changes
                assert sorted(map(tuple, step["edges"])) == sorted(set(told.edges)) or text
        for line, expected in zip(page_["lines"], animation.lines, strict=True):
            for key in ("line", "variable", "expression", *(() if expected.get("folded") else ("rule", "value"))):
                assert line[key] == expected[key], text
            assert [(name, number_) for name, _, number_ in line["partials"]] == expected["partials"]
        drawn_ = animation.placed.picture
        assert page_["nodes"] == [[node.line, node.kind, node.name, node.text, node.is_output] for node in drawn_.nodes]
        assert page_["edges"] == [[edge.start, edge.end, edge.active, edge.label] for edge in drawn_.edges], text


def test_difference_quotients(typed):
    """They hold the derivative within twice their error, and are the package's within both errors."""
    given = [(text, list(values), list(values.values())) for text, values in EXPRESSIONS[:12]]
    found = typed.driver.execute_script(
        """
        return arguments[0].map(([text, names, xs]) => {
            const live = new OfExpression(text, names), point = xs.map((x) => scalar(x));
            const known = computed(live, point);
            return names.map((_, input) => quotientBy(live, known, point, { input, element: 0 }));
        })""",
        given,
    )
    for (text, values), by_input in zip(EXPRESSIONS[:12], found, strict=True):
        f, args = expression(text, list(values)), list(values.values())
        real = lambda *xs, f=f: 1.0 * f(*xs)
        for k, quotient in enumerate(by_input):
            value, error = difference_quotient(real, k, args)
            if math.isfinite(error):
                assert abs(quotient["value"] - value) <= quotient["error"] + error, text
            if error < 1e-8:
                assert quotient["error"] < 1e-8, text
                assert abs(quotient["value"] - gradient(real, args)[k]) <= 2 * quotient["error"], text


def test_a_quotient_knows_the_grain_of_small_numbers(typed):
    """exp(-740) has seven bits: below some step its values are all the same, and the quotients say nothing."""
    value, error = typed.driver.execute_script("""
        const live = new OfExpression("sqrt(exp(-x))", ["x"]), point = [scalar(740)], known = computed(live, point);
        const found = quotientBy(live, known, point, { input: 0, element: 0 });
        return [found.value, found.error]""")
    slope_ = -0.5 * math.exp(-370.0)
    assert abs(value - slope_) <= error < 0.5 * abs(slope_)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "write an expression"),
        ("x y", "not expected here; a product is written with *"),
        ("2x", "a product is written with *"),
        ("x^2", "a power is written **"),
        ("sin(x", "the end is missing"),
        ("sinn(x)", "there is no function sinn; did you mean sin?"),
        ("arctan(x)", "did you mean atan?"),
        ("x*x(2)", "x is a number; a product is written x*(...)"),
        ("x > 0", "its value is true or false"),
        ("log(x - 5)", "log(x - 5): no value at this point"),
        ("(x - 9)**0.5", "no real value"),
        ("sin(x, y)", "sin takes 1 argument, not 2"),
        ("[x]", "not expected here"),
        ("fsum(x)", "fsum takes lists"),
        ("modf(x)", "modf gives two numbers; write modf(...)[0] or modf(...)[1]"),
        ("sin(x)[0]", "brackets select [0] or [1] of modf(x) or frexp(x) only"),
        ("modf(x, y)[0]", "modf takes 1 argument, not 2"),
        ("sin", "this is a function; write sin(...)"),
        ("3 + 4", "use a variable"),
        ("x # y", "#: this sign means nothing here"),
        ("(" * 200 + "x" + ")" * 200, "nested more than"),
    ],
)
def test_complaints(typed, text, complaint):
    typed.driver.execute_script(
        """
        const box = document.getElementById("expression");
        box.value = arguments[0];
        box.dispatchEvent(new Event("input"));""",
        text,
    )
    assert complaint in typed.find("#complaint").get_attribute("textContent")


def test_where_an_expression_has_no_value_no_result_of_another_point_stands(typed):
    """The boxes, the heading and the result are of one point, whatever was there before."""
    typed.driver.execute_script("""
        write("sqrt(x - 5)", { x: 9 });
        set(cells[0], 1, cells[0].box);""")
    texts = [typed.find(f"#{name}").get_attribute("textContent") for name in ("subtitle", "result", "complaint")]
    assert texts == ["at x = 1", "", "sqrt(x - 5): no value at this point"]
    assert typed.find("#inputs input").get_attribute("value") == "1"


# ---------------------------------------------------------------------------------------------- recorded functions


def loop(x, r):
    for _ in range(3):
        x = r * x * (1.0 - x)
    return x


def network(W, b, v):
    return np.sum(np.tanh(W @ np.array([0.5, -1.0, 2.0]) + b) * v[::-1])


def of_arrays(a, b):
    z = np.where(a > 0.0, np.exp(-a), a * b)
    return np.mean(z.reshape(2, 2) @ z.reshape(2, 2).T) + np.maximum(b, 0.2) * z[1]


def cancelling(W, x):
    return np.sum(np.tanh(W @ x))


def of_groups(x, scale):
    ends = np.max(x, axis=0) * np.min(x, axis=1, keepdims=True)[:1, 0]
    return np.sum(ends) + np.sort(scale * x, axis=0)[1, 2] * np.linalg.norm(x) + np.prod(x, axis=1)[0] + np.ptp(x)


def tied(x):
    return np.sqrt(np.max(x) - np.min(x)) + np.sum(np.sort(x)[1:] ** 2) + np.prod(x) + np.linalg.norm(x - 1.0)


def of_moments(x):
    along = np.var(x, axis=0) * np.std(x, axis=0, ddof=1) + np.quantile(x, [0.2, 0.7], axis=0)
    return (
        np.sum(along * np.median(x, axis=1)[0])
        + np.var(x)
        + np.std(x, mean=0.5)
        + np.percentile(x[0], 30, method="hazen")
    )


def of_exponentials(x):
    rows = special.softmax(x, axis=1) * special.log_softmax(x, axis=0) + np.cumprod(x, axis=1)
    return np.sum(rows) + np.logaddexp.reduce(x[0]) * np.logaddexp2.reduce(x[:, 1]) + special.logsumexp(x[1])


def of_matrices(A, b):
    both = np.stack([A, A @ A.T])
    sizes = np.sum(np.linalg.det(both) * np.linalg.slogdet(both)[1])
    return np.sum(np.linalg.solve(A, b) ** 2 * b) + sizes + np.sum(np.linalg.inv(A)[0] * np.linalg.solve(A, b[:, 0]))


def of_several(x):
    chosen = np.all(x > 0.1, axis=1, keepdims=True) | np.any(x > 0.9, axis=1, keepdims=True)
    norms = np.linalg.norm(x[0], 3) * np.linalg.norm(x[1], 1.5)
    return np.sum(np.modf(x)[0] ** 2 * x + np.frexp(x)[0] * chosen) + norms


def of_a_layer(X, W, b):
    layer = nn.Linear(2, 3, rng=np.random.default_rng(0))
    return nn.cross_entropy(np.tanh(layer(X)) @ W + b, np.array([0, 1, 1]))


RANDOM = np.random.default_rng(3)
A, B, C, D = (RANDOM.normal(size=(3, 4)) for _ in range(4))

FUNCTIONS = [
    (of_moments, [A], [B]),
    (of_moments, [np.array([[1.0, 2.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0]])], [C[:2]]),
    (of_exponentials, [A], [B]),
    (of_matrices, [A[:, :3], B], [C[:, :3], D]),
    (of_several, [3.0 * A], [3.0 * B]),
    (of_a_layer, [A[:, :2], B[:, :2], C[0, :2]], [C[:, :2], D[:, :2], B[0, :2]]),
    (of_groups, [np.array([[3.0, 1.0, 2.0], [0.5, 4.0, 1.0]]), 2.0],
     [np.array([[0.3, 5.0, -2.0], [1.5, -4.0, 2.0]]), -1.0]),
    (tied, [np.array([2.0, 1.0, 2.0])], [np.array([0.0, 3.0, 1.0])]),
    (cancelling, [np.ones((2, 2)), np.ones(2)], [np.array([[0.1, 0.2], [0.3, -0.4]]), np.array([1.0, 2.0])]),
    (loop, [0.3, 3.2], [0.6, 2.9]),
    (network, [np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]), np.array([0.1, -0.3]), np.array([1.0, 2.0])],
     [np.array([[0.3, 0.2, -0.1], [0.2, 0.9, 0.6]]), np.array([-0.1, 0.7]), np.array([3.0, -2.0])]),
    (of_arrays, [np.array([1.0, -2.0, 0.5, 3.0]), 0.7], [np.array([-1.0, 2.0, 1.5, -0.2]), -0.4]),
]  # fmt: skip


CANCELLING = (of_moments, of_exponentials, of_matrices, of_a_layer)
"""Of a tangent 1 of all elements nothing but rounding errors is left in some lines of these."""


@pytest.mark.parametrize(("f", "at", "elsewhere"), FUNCTIONS)
def test_a_recorded_function_is_replayed(chromium, tmp_path, f, at, elsewhere):
    """At its own point word by word; at others, values and adjoints."""
    tape, _ = record(f, at)
    animation = animate(tape)
    animation.to_html(tmp_path / "page.html")
    chromium.get((tmp_path / "page.html").as_uri())
    steps = chromium.execute_script("return known.modes.map((mode) => mode.steps.map((step) => step.text))")
    told = [[step.text for step in mode.steps] for mode in animation.modes]
    assert steps[0] == told[0]
    assert f in CANCELLING or steps == told
    given = [np.ravel(x).tolist() for x in elsewhere]
    slopes = chromium.execute_script(
        """
        point = point.map((value, k) => ({ ...value, data: arguments[0][k] }));
        recompute();
        return [known.tape.values[known.output].data[0], ...point.map((_, k) =>
            known.slopes[known.tape.lines.findIndex((line) => line.input === k)].data)]""",
        given,
    )
    assert slopes[0] == pytest.approx(float(value_of(f(*elsewhere))), rel=1e-13)
    quotients = chromium.execute_script("return cells.map((cell) => quotientBy(live, known, point, cell))")
    expected = [np.ravel(value_of(x)) for x in gradient(f, elsewhere)]
    for quotient, slope in zip(quotients, np.concatenate(expected)[: len(quotients)], strict=True):
        assert abs(quotient["value"] - slope) <= 2 * quotient["error"] < 1e-8
    for found, slope in zip(slopes[1:], expected, strict=True):
        assert found == pytest.approx(slope.tolist(), rel=1e-12)
    assert chromium.get_log("browser") == []


@pytest.mark.parametrize("lesson", ["Forward-AD", "Reverse-AD", "Computational-Graphs", "Neural-Network"])
def test_the_stored_page_of_a_lesson_lives(chromium, tmp_path, lesson):
    """As a reader finds it: its policy allows its scripts, and an input that moves moves adjoints."""
    notebook = json.loads((Path(__file__).parents[2] / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    outputs = [output.get("data", {}) for cell in notebook["cells"] for output in cell.get("outputs", ())]
    (stored,) = ("".join(data["text/html"]) for data in outputs if "packed" in "".join(data.get("text/html", ())))
    (tmp_path / "lesson.html").write_text(f"<!DOCTYPE html><meta charset='utf-8'>{stored}", encoding="utf-8")
    chromium.get((tmp_path / "lesson.html").as_uri())
    page_ = Page(chromium)
    chromium.switch_to.frame(page_.find("iframe"))
    for _ in range(200):
        if page_.all("#inputs input[type=range]"):  # it has unpacked itself
            break
        chromium.execute_async_script("setTimeout(arguments[0], 20)")
    chromium.execute_script("go(steps.length)")
    before = page_.slopes
    page_.find("#inputs input[type=range]").send_keys(*[Keys.ARROW_RIGHT] * 5)
    after = page_.slopes
    chromium.switch_to.default_content()
    assert before.keys() == after.keys()
    assert before != after


def test_a_pull_back_is_shown_in_symbols(chromium, tmp_path):
    tape, _ = record(lambda X, w: np.sum((X @ w)[1:]), [np.ones((3, 2)), np.ones(2)])
    animate(tape).to_html(tmp_path / "page.html")
    chromium.get((tmp_path / "page.html").as_uri())
    page = Page(chromium)
    told = []
    for position in range(page.steps + 1):
        chromium.execute_script("position = arguments[0]; show()", position)
        told.append(page.find("#rule").text)
    assert "X̄ += v̄2[:, None] * w; w̄ += Xᵀ @ v̄2" in told
    assert "v̄2[1:] += v̄3" in told
    titles = chromium.execute_script("return [...document.querySelectorAll('.edge title')].map((x) => x.textContent)")
    assert "w̄ += Xᵀ @ v̄2" in titles


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_a_frame_is_as_the_site_is(chromium, tmp_path, choice):
    """A reader chooses for the site, whose style sheet hands that on to what stands in a frame."""
    animate(record(np.sin, [1.0])[0]).to_html(tmp_path / "page.html")
    style = (Path(__file__).parents[2] / "docs" / "static" / "site.css").read_text(encoding="utf-8")
    text = f'<style>{style}</style><body data-theme="{choice}"><iframe class="explorer" src="page.html"></iframe>'
    (tmp_path / "site.html").write_text(text, encoding="utf-8")
    chromium.get((tmp_path / "site.html").as_uri())
    chromium.switch_to.frame(chromium.find_element("css selector", "iframe"))
    is_dark = chromium.execute_script("return matchMedia('(prefers-color-scheme: dark)').matches")
    chromium.switch_to.default_content()
    assert is_dark == (choice == "dark")


def test_what_scrolls_on_the_site_can_be_reached(chromium, tmp_path):
    script = (Path(__file__).parents[2] / "docs" / "static" / "site.js").read_text(encoding="utf-8")
    wide = f'<pre style="width: 9em; overflow: auto">{"x" * 200}</pre><pre>x</pre><p role="heading">Learn</p>'
    (tmp_path / "site.html").write_text(f"{wide}<script>{script}</script>", encoding="utf-8")
    chromium.get((tmp_path / "site.html").as_uri())
    found = [pre.get_attribute("tabindex") for pre in chromium.find_elements("css selector", "pre")]
    assert found == ["0", None]
    assert chromium.find_element("css selector", "p").get_attribute("aria-level") == "2"


@pytest.mark.parametrize("text", ["sin(x*y) + x/y", "x**y - atan2(x, y)", "exp(x)*sqrt(y)", "hypot(x, y)**2",
    "erf(x)*gamma(y) + tanh(x*y)", "log(x)*max(x, y)", "cbrt(x)**3 + y**-2 + degrees(x)"])  # fmt: skip
def test_partials_are_the_packages_words(typed, text):
    """Character by character; numbers alone are left out."""
    tape, _ = record(expression(text, ["x", "y"]), [1.5, 0.7])
    variables = variable_names(len(tape), {0: "x", 1: "y"})
    expected = [rule(tape, line, place, variables) for line in range(len(tape)) for place, *_ in tape.reads(line)]
    found = typed.driver.execute_script(
        """
        const told = computed(new OfExpression(arguments[0], ["x", "y"]), [scalar(1.5), scalar(0.7)]);
        return told.lines.flatMap((line) => line.partials.map(([name, text]) => text && `${name} = ${text}`))""",
        text,
    )
    assert found == [word if has_letters(word.partition(" = ")[2]) else None for word in expected]
    assert any(found)


def test_partials_by_constants(typed):
    shown = typed.driver.execute_script("""
        const told = computed(new OfExpression("(x - 2)**2.5 + max(x, -1)*x/3", ["x"]), [scalar(5)]);
        return told.lines.flatMap(({ partials }) => partials.map(([, symbol]) => symbol))""")
    assert shown == [None, "2.5·v1^(2.5 − 1)", "H(x − (-1))", "x", "v3", None, None, None]


def test_another_way_is_refused(chromium, tmp_path):
    animate(record(lambda x: x * x if x > 0.0 else -x, [2.0])[0]).to_html(tmp_path / "page.html")
    chromium.get((tmp_path / "page.html").as_uri())
    page_ = Page(chromium)
    box = page_.find("#inputs input[type=number]")
    box.clear()
    box.send_keys("3")
    assert page_.find("#result").text == "v2 = 9"
    box.send_keys(Keys.BACKSPACE, "-1")
    assert "goes another way" in page_.find("#complaint").text


def test_scripts_are_those_of_the_folder():
    for name in (*STEPS, *LIVE, *TYPED, "special.js", "start.js"):
        assert part(name).startswith("/* ")
        assert part(name).count("\n") <= 300, name


# ---------------------------------------------------------------------------------------------- what a reader does


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens a page with an expression; at the end of the test nothing may have gone wrong in the browser."""

    def open_page(text, values, fragment="", width=1280):
        path = tmp_path / "page.html"
        path.write_text(page(of_expression(text, values)), encoding="utf-8")
        page_ = Page(chromium)
        page_.resize(width)
        chromium.get("about:blank")
        chromium.get(f"{path.as_uri()}{fragment}")
        return page_

    yield open_page
    assert chromium.get_log("browser") == []


def slopes(page_):
    """The derivatives by each input: by both modes and by differences."""
    return [
        [float(cell.text.partition(" ")[0]) for cell in row.find_elements("css selector", "td")[2:]]
        for row in page_.all("#inputs tr")
    ]


def test_a_slider_moves_everything(opened):
    page_ = opened("sin(x*y) + x/y", {"x": 1.0, "y": 2.0})
    assert page_.position == page_.steps == 11
    before = page_.slopes
    slider = page_.find("#inputs input[type=range]")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert float(page_.find("#inputs input[type=number]").get_attribute("value")) == pytest.approx(1.01)
    f = expression("sin(x*y) + x/y", ["x", "y"])
    expected = gradient(f, [1.01, 2.0])
    assert [float(page_.slopes[name]) for name in "xy"] == pytest.approx(expected, rel=1e-9)
    assert all(page_.slopes[name] != before[name] for name in ("x", "y", "v2"))
    assert page_.slopes["v5"] == "1"
    for by_three, slope in zip(slopes(page_), expected, strict=True):
        assert by_three == pytest.approx([slope] * 3, rel=1e-9)
    assert page_.find("#graph [data-line='0'] .value").text == "1.01"
    assert page_.find("#result").text.startswith("v5 = 1.40")
    page_.driver.execute_script("go(10)")
    assert page_.find("#rule").text == f"∂v3/∂v2 = cos(v2) = {math.cos(2.02):.10g}"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1536, 864), (390, 844)])
def test_within_ten_seconds_of_the_first_page(chromium, tmp_path, width, height):
    """Offline, on the site's first page: x is moved, and the adjoints that depend on it move, all of it in one view."""
    explorer = page(of_expression("sin(x*y) + x/y", {"x": 1.0, "y": 2.0}))
    (tmp_path / "explorer.html").write_text(explorer, encoding="utf-8")
    style = (Path(__file__).parents[2] / "docs" / "static" / "site.css").read_text(encoding="utf-8")
    frame = '<div style="max-width: 46em; margin: auto"><iframe src="explorer.html" class="explorer"></iframe></div>'
    (tmp_path / "site.html").write_text(f"<!DOCTYPE html><style>{style}</style>{frame}", encoding="utf-8")
    page_ = Page(chromium)
    page_.resize(width, height)
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    chromium.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    began = time.perf_counter()
    chromium.get((tmp_path / "site.html").as_uri())
    chromium.switch_to.frame(page_.find("iframe"))
    boxes = "[...document.querySelectorAll('#graph .adjoint')]"
    before = page_.script(f"{boxes}.map((box) => box.textContent)")
    page_.find("#inputs input[type=range]").send_keys(*[Keys.ARROW_RIGHT] * 5)
    after = page_.script(f"{boxes}.map((box) => box.textContent)")
    taken = time.perf_counter() - began
    slider = page_.script("document.querySelector('#inputs input[type=range]').getBoundingClientRect().top")
    room = page_.script(f"{boxes}.slice(0, 3).map((box) => innerHeight - box.getBoundingClientRect().bottom)")
    chromium.switch_to.default_content()
    chromium.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False, "downloadThroughput": -1})
    assert [old != new for old, new in zip(before, after, strict=True)] == [True, True, True, False, False, False]
    assert taken < 10.0
    assert min(slider, *room) >= 0.0


def test_an_expression_is_typed(opened):
    page_ = opened("x*y", {"x": 3.0, "y": 2.0})
    box = page_.find("#expression")
    box.send_keys(" + z**2")
    assert [row.find_element("css selector", "th").text for row in page_.all("#inputs tr")] == ["x", "y", "z"]
    assert slopes(page_) == [pytest.approx([2.0] * 3), pytest.approx([3.0] * 3), pytest.approx([2.0] * 3)]
    assert page_.driver.title == "x*y + z**2"
    box.send_keys(" +")
    assert "the end is missing" in page_.find("#complaint").text
    assert box.get_attribute("aria-invalid") == "true"
    assert len(page_.all("#inputs tr")) == 3
    box.send_keys(" y")
    assert page_.find("#complaint").text == ""


def test_examples(opened):
    """Each begins at its point without a complaint, tells what there is to see, and is the package's there."""
    page_ = opened("x*y", {"x": 3.0, "y": 2.0})
    examples = page_.script("PRESETS")
    assert len(examples) == 7
    options = page_.all("#presets option")
    for option, example in zip(options[1:], examples, strict=True):
        option.click()
        assert (page_.find("#complaint").text, page_.find("#note").text) == ("", example["note"])
        names = [row.find_element("css selector", "th").text for row in page_.all("#inputs tr")]
        expected = gradient(expression(example["text"], names), [float(example["values"][name]) for name in names])
        assert [by_three[0] for by_three in slopes(page_)] == pytest.approx(expected, rel=1e-9)


def test_a_link_carries_the_state(opened):
    page_ = opened("x*y", {"x": 3.0, "y": 2.0}, "#f=x**2*w&x=4&w=0.5&step=3&mode=1")
    assert page_.find("#expression").get_attribute("value") == "x**2*w"
    assert (page_.position, page_.find("#column").text) == (3, "tangent")
    assert page_.find("caption").text == "Each input, and the derivative of the result by it"
    assert slopes(page_)[0] == pytest.approx([4.0] * 3)
    page_.click("last")
    link = page_.find("#link").get_attribute("href")
    assert link.partition("#")[2] == "f=x**2*w&x=4&w=0.5&mode=1&step=4"
    for _ in range(100):
        if page_.driver.current_url == link:
            break
        page_.driver.execute_async_script("setTimeout(arguments[0], 20)")
    assert page_.driver.current_url == link


def test_both_modes_side_by_side(opened):
    page_ = opened("sin(x*y) + x/y", {"x": 1.0, "y": 2.0})
    page_.choose("both side by side, seed y")
    tangent = [row.find_element("css selector", ".second").text for row in page_.all("#lines tr")]
    assert tangent[-1] == page_.slopes["y"] == "-0.6661468365"
    shown = [page_.find(f"{pane} [data-line='5'] .adjoint").text for pane in ("#graph", "#other")]
    assert shown == ["1", "-0.66615"]
    page_.choose("reverse adjoints")
    assert not page_.find("#other").is_displayed()


def test_all_seeds_at_once(opened):
    """The confusion of the example: the inner tangent is 2, where it is 1 with a seed of its own."""
    page_ = opened("x*(x + y)", {"x": 1.0, "y": 1.0})
    page_.choose("forward tangents, seed y")
    assert page_.slopes["v2"] == "1"
    page_.choose("forward tangents, all seeds at once")
    page_.click("last")
    assert (page_.slopes["v2"], page_.slopes["v3"]) == ("2", "4")


def test_zoom_and_fit(opened):
    page_ = opened("sin(x*y) + x/y", {"x": 1.0, "y": 2.0})
    width = lambda: page_.script("document.querySelector('#graph svg').getBoundingClientRect().width")
    first = width()
    page_.click("larger")
    assert width() == pytest.approx(1.25 * first, rel=0.01)
    page_.click("smaller")
    assert width() == pytest.approx(first, rel=0.01)
    page_.driver.execute_script(
        "document.querySelector('#graph').dispatchEvent(new WheelEvent('wheel', { ctrlKey: true, deltaY: -100 }))"
    )
    assert width() == pytest.approx(math.exp(0.5) * first, rel=0.01)
    page_.driver.execute_script("""
        const finger = (type, pointerId, clientX) => document.querySelector('#graph').dispatchEvent(
            new PointerEvent(type, { pointerId, clientX, clientY: 300, pointerType: 'touch', bubbles: true }));
        finger('pointerdown', 1, 100);
        finger('pointerdown', 2, 200);
        finger('pointermove', 2, 150);
        finger('pointerup', 1, 100);
        finger('pointerup', 2, 150);""")
    assert width() == pytest.approx(math.exp(0.5) * first / 2, rel=0.01)
    page_.click("fit")
    assert width() <= page_.script("document.querySelector('#graph').clientWidth")


def test_a_finger_moves_a_slider_and_opens_a_line(opened):
    page_ = opened("sin(x*y) + x/y", {"x": 1.0, "y": 2.0}, width=390)
    touch = {"enabled": True, "maxTouchPoints": 1}
    page_.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touch)

    def finger(kind, *at):
        points = [{"x": at[0], "y": at[1]}] if at else []
        page_.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def middle(selector):
        found = "(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector(%r).getBoundingClientRect())"
        page_.driver.execute_script(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        return page_.script(found % selector)

    x, y = middle("#inputs input[type=range]")
    before = slopes(page_)
    finger("touchStart", x, y)
    finger("touchMove", x + 40, y)
    finger("touchEnd")
    assert float(page_.find("#inputs input[type=number]").get_attribute("value")) > 1.0
    assert all(old != new for old, new in zip(before, slopes(page_), strict=True))
    x, y = middle("tbody tr[data-line='3'] button")
    finger("touchStart", x, y)
    finger("touchEnd")
    assert "sin(v2)" in page_.find("#details").text
    page_.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_numbers_travel(opened):
    """Along the edges of a step, unless the user wants no motion."""
    page_ = opened("sin(x*y) + x/y", {"x": 1.0, "y": 2.0})
    travelling = "document.querySelectorAll('#graph .traveller').length"
    page_.driver.execute_script("go(8); go(9)")
    assert page_.script(travelling) == 2
    still = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    page_.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": still})
    page_.driver.execute_script("go(8); go(9)")
    assert page_.script(travelling) == 0
    page_.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("width", [360, 720, 1000])
def test_nothing_sticks_out(opened, width):
    page_ = opened("sin(x*y) + x/y", {"x": 1.0, "y": 2.0}, width=width)
    assert page_.script(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.inputs .scroll'))"
    )
    for option in page_.all("#presets option")[1:]:
        option.click()
        assert page_.script("document.documentElement.scrollWidth") <= width
    page_.driver.execute_script("document.getElementById('mode').selectedIndex = modes.length - 1; choose(); show()")
    assert page_.script("document.documentElement.scrollWidth") <= width


def test_every_control_has_a_name(opened):
    page_ = opened("x*y", {"x": 3.0, "y": 2.0})
    for control in page_.all("button, select, input, a"):
        assert control.accessible_name, control.get_attribute("outerHTML")
    for head in page_.all("th"):
        assert head.get_attribute("scope") in ("row", "col")
