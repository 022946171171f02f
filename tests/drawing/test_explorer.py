"""A run step by step: its numbers are those of the sweeps, the tangents those of forward mode; the page, the GIF."""

import base64
import gzip
import hashlib
import html.parser
import json
import linecache
import math
import re
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from contrast import contrast
from scipy import special

import dualnumbers.dmath as dmath
from autodiff import Variable, animate, derivative, gradient, jvp, record
from autodiff.command_line import main as __main__
from autodiff.drawing import expression_tree
from autodiff.drawing.colours import MOVING
from autodiff.drawing.frames import NARROWEST
from autodiff.drawing.graph import FOLD
from autodiff.drawing.steps import RUN, SEED, SWEEP, Part, forward_steps, reverse_steps
from autodiff.drawing.text import concise
from autodiff.tape.sweep import adjoints


def example(x, y):
    return dmath.sin(x * y) + x / y


def of_arrays(a, b):
    z = np.tanh(a @ b)
    z[0] = z[1] * b[0]
    return np.sum(z[:2] * b) + np.max(a)


def of_complex(x):
    return np.abs(np.sum(x * x + 1j * x))


def of_three(x):
    w = np.where(x > 1.0, x, 2.0)
    return np.sum(np.clip(w, 0.0, 2.5) ** 2) / dmath.fsum([1.0, 2.0])


PROGRAMS = [
    (example, [1.0, 2.0]),
    (lambda x: x * x * x, [3.0]),
    (lambda x, y: (x - y) * x - x, [0.5, -0.0]),
    (of_arrays, [np.arange(6.0).reshape(3, 2) / 7, np.array([0.3, -0.4])]),
    (of_complex, [np.array([1.0 + 2.0j, 0.5])]),
    (of_three, [np.array([0.5, 1.5, 3.0])]),
    (lambda x: np.where(x > 0.0, np.sqrt(x), 0.0), [0.0]),
    (lambda x, y: y + 0.0 * dmath.floor(x), [1.5, 2.0]),
    (lambda x, y: np.sum(np.where(x, x * y, 5.0 * x)), [np.array([3.0, 0.0]), np.array([2.0, 2.0])]),
]


def whole(tape):
    """A tape of which every line is shown."""
    return [Part((line,)) for line in range(len(tape))]


def final(steps):
    """The last value of every line that a step changed."""
    found = {}
    for step in steps:
        found |= step.changes
    return found


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_adjoints_end_in_the_gradient(f, args):
    tape, out = record(f, args)
    found = final(reverse_steps(tape, whole(tape), out.line))
    for line, expected in zip(tape.inputs, gradient(f, args), strict=True):
        np.testing.assert_allclose(found.get(line, 0.0), expected, rtol=1e-15, atol=0)
    for line, expected in enumerate(tape.adjoints(out)):
        np.testing.assert_allclose(found.get(line, 0.0), 0.0 if expected is None else expected, rtol=1e-15)


@pytest.mark.parametrize(("f", "args"), PROGRAMS[:3])
def test_tangents_are_those_of_forward_mode(f, args):
    tape, out = record(f, args)
    for k, line in enumerate(tape.inputs):
        found = final(forward_steps(tape, whole(tape), line))
        assert found[out.line] == derivative(f, k, args)
        assert found[line] == 1.0
        assert sorted(found) == list(range(len(tape)))


@pytest.mark.parametrize(("f", "args"), [PROGRAMS[3], PROGRAMS[5], PROGRAMS[8]])
def test_the_tangent_of_an_array_is_along_ones(f, args):
    tape, out = record(f, args)
    for k, line in enumerate(tape.inputs):
        along = [np.ones_like(x) if i == k else np.zeros_like(x) for i, x in enumerate(args)]
        found = final(forward_steps(tape, whole(tape), line))[out.line]
        assert found == pytest.approx(jvp(f, args, along)[1], rel=1e-14)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_changes_are_sums_of_the_terms(f, args):
    tape, out = record(f, args)
    totals = {}
    for step in reverse_steps(tape, whole(tape), out.line):
        for term in step.terms:
            assert term.line == step.part.first
            totals[term.operand] = totals.get(term.operand, 0.0) + term.value
        if step.phase == SWEEP:
            assert set(step.changes) == {term.operand for term in step.terms}
            for line, total in step.changes.items():
                np.testing.assert_allclose(total, totals[line])
    for seed in tape.inputs:
        for step in forward_steps(tape, whole(tape), seed):
            if step.terms:
                np.testing.assert_allclose(step.changes[step.part.first], sum(term.value for term in step.terms))


def test_a_condition_passes_nothing():
    """`where` reads its condition as it is, even one that is differentiated: no term, no flow in the sweep."""
    f, args = PROGRAMS[8]
    tape, _ = record(f, args)
    where = next(line for line, row in enumerate(tape.rows) if row and row.name == "where")
    steps = forward_steps(tape, whole(tape), 0)
    assert [term.operand for term in steps[where].terms] == tape.operands(where)[1:]
    animation = animate(tape)
    edges = {step.phase: step.edges for step in animation.modes[0].steps if step.line == where}
    assert [len(edges[RUN]), len(edges[SWEEP])] == [3, 2]
    assert [name for name, _ in animation.lines[where]["partials"]] == [
        f"∂v{where}/∂v{operand}" for operand in tape.operands(where)[1:]
    ]


def test_partials_are_the_slopes_of_a_line():
    tape, out = record(example, [1.0, 2.0])
    terms = [term for step in reverse_steps(tape, whole(tape), out.line) for term in step.terms]
    found = {(term.operand, term.line): term.partial for term in terms}
    expected = {(0, 2): 2.0, (1, 2): 1.0, (2, 3): math.cos(2.0), (0, 4): 0.5, (1, 4): -0.25, (3, 5): 1.0, (4, 5): 1.0}
    assert found == pytest.approx(expected)
    assert [term.given * term.partial for term in terms] == pytest.approx([term.value for term in terms])


def test_what_is_no_product_has_no_partial():
    tape, out = record(lambda a, b: np.sum(a @ b), [np.eye(2), np.ones(2)])
    assert {term.partial for step in reverse_steps(tape, whole(tape), out.line) for term in step.terms} == {None}


def test_the_order_of_the_steps():
    tape, out = record(example, [1.0, 2.0])
    assert [(s.phase, s.part.first) for s in forward_steps(tape, whole(tape))] == [(RUN, k) for k in range(6)]
    sweep = [(s.phase, s.part.first) for s in reverse_steps(tape, whole(tape), out.line)]
    assert sweep == [(SEED, 5), (SWEEP, 5), (SWEEP, 4), (SWEEP, 3), (SWEEP, 2)]


def test_lines_that_are_not_shown_pass_their_adjoints_in_one_step():
    def f(x):
        for _ in range(200):
            x = x * 1.01 + 0.001
        return x

    tape, out = record(f, [1.0])
    parts = whole(tape)
    middle = Part(range(4, len(tape) - 2), folded=True)
    parts[4:-2] = [middle]
    forward, backward = forward_steps(tape, parts, 0), reverse_steps(tape, parts, out.line)
    assert [step.part for step in forward] == parts
    assert [step.part for step in backward] == [parts[-1], *parts[:0:-1]]
    assert set(final(backward)) == set(final(forward)) == {0, 1, 2, 3, len(tape) - 2, len(tape) - 1}
    assert final(backward)[0] == gradient(f, [1.0])[0]
    assert final(forward)[out.line] == derivative(f, 0, [1.0])


def test_an_infinite_partial_against_zero():
    """Where plain products give NaN the steps are those of the sweep with the strong zero."""
    f = PROGRAMS[6][0]
    tape, out = record(f, [0.0])
    steps = reverse_steps(tape, whole(tape), out.line)
    partials = [term.partial for step in steps for term in step.terms]
    assert math.inf in partials
    assert final(steps)[0] == 0.0


def test_the_strong_zero_on_lines_that_no_input_reads():
    """The square root at the zeros of an array of which only the first element comes from the input."""

    def f(x):
        a = np.zeros(3, like=x)
        a[0] = x
        return np.sum(np.where(a > 0.0, np.sqrt(a), 0.0))

    tape, out = record(f, [4.0])
    assert not any(np.isnan(g).any() for g in tape.adjoints(out) if g is not None)
    animation = animate(tape)
    assert animation.placed.picture.nodes[2].adjoint == "[0.25, 0, 0]"
    assert final(reverse_steps(tape, whole(tape), out.line))[2] == pytest.approx([0.25, 0.0, 0.0])
    assert "nan" not in "".join(text for mode in animation.modes for step in mode.steps for text in step.text)


# ---------------------------------------------------------------------------------------- what is told


def told(f, args, mode=0, **options):
    """The texts of the steps."""
    return [text for step in animate(record(f, args)[0], **options).modes[mode].steps for text in step.text]


def test_the_whole_story():
    assert told(example, [1.0, 2.0]) == [
        "x = 1, an input",
        "y = 2, an input",
        "v2 = x * y = 2",
        "v3 = sin(v2) = 0.9093",
        "v4 = x / y = 0.5",
        "v5 = v3 + v4 = 1.4093",
        "adjoint of v5 = 1, of all others 0: the reverse sweep begins",
        "adjoint of v3 += adjoint of v5 · ∂v5/∂v3 = 1 · 1 = 1",
        "adjoint of v4 += adjoint of v5 · ∂v5/∂v4 = 1 · 1 = 1",
        "adjoint of x += adjoint of v4 · ∂v4/∂x = 1 · 0.5 = 0.5",
        "adjoint of y += adjoint of v4 · ∂v4/∂y = 1 · (-0.25) = -0.25",
        "adjoint of v2 += adjoint of v3 · ∂v3/∂v2 = 1 · (-0.41615) = -0.41615",
        "adjoint of x += adjoint of v2 · ∂v2/∂x = -0.41615 · 2 = -0.83229; in all -0.33229",
        "adjoint of y += adjoint of v2 · ∂v2/∂y = -0.41615 · 1 = -0.41615; in all -0.66615",
    ]
    assert told(example, [1.0, 2.0], mode=2)[1::2] == [
        "tangent of x = 0",
        "tangent of y = 1, the seed",
        "tangent of v2 = ∂v2/∂y · tangent of y = 1 · 1 = 1",
        "tangent of v3 = ∂v3/∂v2 · tangent of v2 = -0.41615 · 1 = -0.41615",
        "tangent of v4 = ∂v4/∂y · tangent of y = -0.25 · 1 = -0.25",
        "tangent of v5 = ∂v5/∂v3 · tangent of v3 + ∂v5/∂v4 · tangent of v4 = 1 · (-0.41615) + 1 · (-0.25) = -0.66615",
    ]


@pytest.mark.parametrize(("f", "args", "mode", "text"), [
    (lambda x: x * x, [3.0], 0, "adjoint of x += adjoint of v1 · ∂v1/∂x = 1 · 3 = 3; in all 6"),
    (lambda a, b: np.sum(a @ b), [np.eye(2), np.ones(2)], 0,
     "adjoint of b += pull-back of matmul by the adjoint of v2 = [1, 1]"),
    (lambda a, b: np.sum(a @ b), [np.eye(2), np.ones(2)], 1,
     "tangent of v2 = push-forward of matmul by the tangent of a = [2, 2]"),
    (lambda a, b: np.sum(a * b), [np.ones(2), 3.0], 0,
     "adjoint of b += adjoint of v2 · ∂v2/∂b = [1, 1] · [1, 1] = 2, summed"),
    (lambda a: a * 2.0, [np.ones(2)], 0,
     "adjoint of v1 = 1 for each element, of all others 0: the reverse sweep begins"),
    (lambda a: a * 2.0, [np.ones(2)], 1, "tangent of a = [1, 1], the seed: 1 for each element of a"),
    (lambda a, b: dmath.exp(a) * b, [0.0, 1.0], 2, "tangent of v2 = 0: no tangent of b comes here"),
    (lambda a: a + dmath.floor(np.floor(a)), [1.5], 1, "tangent of v1 = 0: floor is locally constant"),
    (lambda a: abs(a * 1j), [3.0], 0,
     "adjoint of a += adjoint of v1 · conj(∂v1/∂a) = (0+1j) · (0-1j) = 1, its real part"),
    (lambda x: np.abs(np.exp(1j * x) * x), [0.5], 0,
     "adjoint of x += adjoint of v1 · conj(∂v1/∂x) = (0.5+0j) · (0-1j) = 0, its real part; in all 1"),
    (lambda x: np.sum((x * np.array([1j, 2.0])).imag), [0.5], 0,
     "adjoint of x += adjoint of v1 · conj(∂v1/∂x) = [0+1j, 0+1j] · [0-1j, 2+0j] = 1, its real part, summed"),
    (lambda x: np.where(x > 0.0, np.sqrt(x), 0.0), [0.0], 0,
     "adjoint of x += adjoint of v2 · ∂v2/∂x = 0 · inf = 0, by the strong zero"),
    (lambda x: np.sqrt(0.0 * x), [4.0], 1,
     "tangent of v2 = ∂v2/∂v1 · tangent of v1 = inf · 0 = 0, by the strong zero"),
    (lambda x, y: np.sum(np.where(y > 0.0, x * np.sqrt(y), 0.0)), [2.0, np.array([0.0, 4.0])], 0,
     "adjoint of y += adjoint of v3 · ∂v3/∂y = [0, 2] · [inf, 0.25] = [0, 0.5], by the strong zero"),
    (lambda x: np.sqrt(x), [0.0], 0, "adjoint of x += adjoint of v1 · ∂v1/∂x = 1 · inf = inf"),
])  # fmt: skip
def test_what_is_said(f, args, mode, text):
    assert text in told(f, args, mode)


def loop(x, r):
    for _ in range(60):
        x = r * x * (1.0 - x)
    return x


def test_a_long_tape_is_folded():
    tape, out = record(loop, [0.3, 3.1])
    animation = animate(tape)
    folds = [line for line in animation.lines if line.get("folded")]
    assert len(folds) == 1
    assert len(animation.lines) < 20
    assert animation.notes == (
        f"Of the {len(tape)} lines {len(tape) - len(animation.lines) + 1} are folded away; a fold runs in one step.",
    )
    by_mode = [final_texts(mode) for mode in animation.modes]
    for k, expected in enumerate(gradient(loop, [0.3, 3.1])):
        assert float(by_mode[0][k]) == pytest.approx(expected, rel=1e-9)
        assert float(by_mode[k + 1][out.line]) == pytest.approx(expected, rel=1e-9)


def final_texts(mode):
    found = {}
    for step in mode.steps:
        found |= {line: text for line, (text, _) in step.changes.items()}
    return found


def test_a_very_long_tape():
    def f(x):
        for _ in range(33_333):
            x = x * 1.0001 - 0.0001 * x
        return x

    tape, _ = record(f, [1.0])
    start = time.perf_counter()
    animation = animate(tape)
    assert time.perf_counter() - start < 20.0
    assert len(tape) == 100_000
    assert len(animation.to_html()) < 60_000


def test_a_variable_made_by_hand():
    x, y = Variable(2.0, name="x"), Variable(3.0, name="y")
    z = x * y
    _ = z * 100.0
    texts = [text for step in animate(z).modes[0].steps for text in step.text]
    assert texts[-1] == "adjoint of y += adjoint of v2 · ∂v2/∂y = 1 · 2 = 2"
    assert not any("100" in text for text in texts)
    assert animate(Variable(2.0, name="x")).modes[0].steps[-1].changes == {0: ("1", "1")}


def test_a_result_that_depends_on_nothing():
    animation = animate(record(lambda x: 2.0, [1.0])[0])
    assert [step.phase for step in animation.modes[0].steps] == [RUN]
    assert animation.notes == ("The result depends on no input, so every adjoint is 0.",)
    assert animation.to_html().count("<tr data-line") == 1


@pytest.mark.parametrize(("f", "args", "reason"), [
    (lambda v, x: (special.jv(v, x), x * v)[1], [1.0, 2.0], "a Bessel function has no derivative by its order"),
    (lambda v: np.sum(np.linalg.eig(v)[0].real), [np.eye(2)], "the vectors of eigenvalues 0 and 1, which are equal"),
])  # fmt: skip
def test_a_line_off_the_path_that_refuses_a_derivative(f, args, reason):
    """The gradient does not come to it: nor do the adjoints; tangents of a seed that does are left out."""
    tape, _ = record(f, args)
    animation = animate(tape)
    assert [mode.seed for mode in animation.modes] == [None, "x"][: len(args)]
    for line, expected in enumerate(gradient(f, args)):
        assert animation.placed.picture.nodes[line].adjoint == concise(expected)
    assert animation.notes[0] == f"Tangents are shown for {len(args) - 1} of the {len(args)} inputs."
    assert animation.notes[1].startswith(f"There are none from v: {reason}")
    assert reason in animation.to_html()
    assert __file__ not in animation.to_html()


def test_a_refused_partial():
    tape, out = record(lambda v, x: (special.jv(v, x), x * v)[1], [1.0, 2.0])
    animation = animate(tape, out=out)
    assert [edge.partial for edge in animation.placed.picture.edges] == [None, "-0.064472", "1", "2"]
    assert animation.lines[2]["partials"][0] == ("∂v2/∂v", "refused by the rule")


def test_of_a_result_on_a_tape_with_others_only_its_own_lines_are_counted():
    x, y = Variable(0.3, name="x"), Variable(2.0, name="y")
    result, others = x, []
    for _ in range(100):
        result = result * 0.9 + 0.1
        others.append(np.sin(result) * y)
    others.append(special.jv(y, result))
    animation = animate(result)
    (fold,) = (node for node in animation.placed.picture.nodes if node.kind == FOLD)
    assert set(fold.lines) < set(result.tape.ancestors(result.line))
    assert len(fold.lines) == 196
    assert animation.title == "A tape of 201 lines"
    assert animation.notes == ("Of the 201 lines 196 are folded away; a fold runs in one step.",)
    texts = [text for step in animation.modes[0].steps for text in step.text]
    assert sum(text.startswith("196 lines, ") for text in texts) == 2
    assert float(final_texts(animation.modes[0])[0]) == pytest.approx(0.9**100)
    assert float(final_texts(animation.modes[1])[result.line]) == pytest.approx(0.9**100)


def test_of_many_operands_the_ends_are_told():
    animation = animate(record(lambda x, y: np.sum(np.stack([x] * 299 + [y])), [2.0, 5.0])[0])
    by_phase = {(step.phase, step.line): step.text for step in animation.modes[0].steps}
    told = by_phase[SWEEP, 2]
    assert told[2:] == [
        "adjoint of x += pull-back of stack by the adjoint of v2 = 1; in all 3",
        "… 296 more …",
        "adjoint of y += pull-back of stack by the adjoint of v2 = 1",
    ]
    assert animation.modes[0].steps[-1].changes == {0: ("299", "299"), 1: ("1", "1")}
    assert animation.modes[0].steps[-1].edges == [(0, 2), (1, 2)]
    assert animation.notes == ("n × on an edge: so many operands.",)
    assert animation.modes[1].steps[2].text[1].count("push-forward") == 4
    assert [name for name, _ in animation.lines[2]["partials"]] == [
        *(f"∂v2/∂x, operand {k}" for k in (1, 2, 3)),
        "…",
        "∂v2/∂y",
    ]


def test_few_of_many_seeds():
    tape, _ = record(lambda *xs: dmath.fsum(xs), [float(k) for k in range(20)])
    animation = animate(tape)
    assert len(animation.modes) == 9
    assert animation.notes == ("Tangents are shown for 8 of the 20 inputs.",)


def test_a_function_and_its_arguments():
    """The title is the function's name, each line has its source; a lambda has no name."""
    animation = animate(example, [1.0, 2.0])
    assert animation.title == "example"
    assert repr(animation) == "<example, step by step: 6 lines, 11 steps>"
    assert animation.lines[3]["source"]["text"] == "return dmath.sin(x * y) + x / y"
    assert animation.modes == animate(record(example, [1.0, 2.0])[0]).modes
    assert animate(example, [1.0, 2.0], title="f").title == "f"
    assert animate(lambda x: x * x, [1.0]).title == "A tape of 2 lines"
    with pytest.raises(TypeError, match="animate takes a function with its arguments"):
        animate(example)


def test_a_cell_of_a_notebook_is_called_so(monkeypatch):
    """Its file has a number for a name."""
    file, text = "/somewhere/ipykernel_7/1234.py", "def f(x):\n    return x * x\n"
    monkeypatch.setitem(linecache.cache, file, (len(text), None, text.splitlines(keepends=True), file))
    names = {}
    exec(compile(text, file, "exec"), names)
    assert animate(names["f"], [2.0]).lines[1]["source"]["where"] == "line 2 of its cell"


def test_wrong_arguments():
    tape, (_, product) = record(lambda x, y: (x + y, x * y), [1.0, 2.0])
    with pytest.raises(ValueError, match="2 outputs; say which by out="):
        animate(tape)
    assert animate(tape, out=product).modes[0].steps[4].line == product.line
    with pytest.raises(TypeError, match="animate takes a Variable or a Tape"):
        animate(3.0)
    with pytest.raises(ValueError, match="no lines"):
        animate(record(lambda: 1.0, [])[0])
    with pytest.raises(ValueError, match="one of the inputs x, y; got 'z'"):
        animate(tape, out=product).to_gif("run.gif", seed="z")


# ---------------------------------------------------------------------------------------- the page


class Document(html.parser.HTMLParser):
    """The tags of a page, and whether each was closed in its turn."""

    UNCLOSED = ("meta", "input", "br", "option", "p")

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open += [tag] if tag not in self.UNCLOSED else []

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        if tag not in self.UNCLOSED:
            assert self.open.pop() == tag


def test_the_page_holds_the_run(tmp_path):
    tape, _ = record(example, [1.0, 2.0], sources=True)
    text = animate(tape, title="sin(x*y) + x/y").to_html()
    assert animate(tape, title="sin(x*y) + x/y").to_html(tmp_path / "page.html") is None
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    run = json.loads(re.search('<script type="application/json" id="run">(.*?)</script>', text)[1])
    assert [line["row"] for line in run["program"]["lines"]] == [None, None, "multiply", "sin", "divide", "add"]
    assert [value["data"] for value in run["inputs"]] == [[1.0], [2.0]]
    source, start, end, where = run["lines"][3]["source"].values()
    assert (source[start:end], where) == ("dmath.sin(x * y)", f"test_explorer.py:{example.__code__.co_firstlineno + 1}")
    assert run["lines"][3]["partials"] == [["∂v3/∂v2", "-0.4161468365"]]


def test_a_run_ends_in_the_gradient():
    tape, _ = record(example, [1.0, 2.0], sources=True)
    modes, by_mode = animate(tape).modes, [{}, {}, {}]
    for found, mode in zip(by_mode, modes, strict=True):
        for step in mode.steps:
            found |= {line: float(texts[0]) for line, texts in step.changes.items()}
    x, y = gradient(example, [1.0, 2.0])
    assert by_mode[0] == pytest.approx(dict(enumerate(adjoints(tape, {5: 1.0}, keep=True))), rel=1e-9)
    assert [by_mode[0][0], by_mode[0][1], by_mode[1][5], by_mode[2][5]] == pytest.approx([x, y, x, y], rel=1e-9)
    assert [mode.name for mode in modes] == ["reverse adjoints", "forward tangents, seed x", "forward tangents, seed y"]


@pytest.mark.parametrize(("expression", "most"), [(None, 110_000), ("sin(x*y) + x/y", 150_000)])
def test_the_page_is_small_and_fetches_nothing(expression, most):
    animation = animate(record(example, [1.0, 2.0], sources=True)[0])
    text = replace(animation, expression=expression).to_html()
    assert len(text.encode()) < most
    page = Document(text)
    assert not page.open
    assert not {"link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert not {"src", "href", "action", "data", "srcset", "onclick"} & {name for name, _ in page.attributes}
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)|fetch\(|import\(|innerHTML|eval\(", text)
    policy = re.search('Content-Security-Policy" content="(.*?)"', text)[1]
    script = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def test_ids_are_there_once():
    page = Document(animate(record(example, [1.0, 2.0])[0]).to_html())
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {value for name, value in page.attributes if name in ("aria-labelledby", "aria-controls")} <= set(ids)
    assert [value for name, value in page.attributes if name == "aria-controls"] == ["details"] * 6


def test_names_are_escaped():
    text = animate(record(lambda a: a * 2.0, [1.0])[0], names=["</script>&\u2028"], title="<b>").to_html()
    assert text.count("</script>") == 2
    assert "<b>" not in text
    assert "\u2028" not in re.search('id="run">(.*?)</script>', text)[1]
    assert not Document(text).open


def test_a_lone_surrogate_is_marked(tmp_path):
    tape, _ = record(lambda x: x * 2.0, [1.0])
    animation = animate(tape, names=["x\ud800"], title="f\ud800")
    animation.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>f\ufffd</h1>" in text
    assert '"name":"x\ufffd"' in text
    assert animation._repr_html_().encode()


def test_each_input_has_a_run_of_its_own(tmp_path):
    tape, _ = record(lambda x, y: x * x * y, [3.0, 2.0])
    animation = animate(tape, names=["w", "w"])
    assert [mode.seed for mode in animation.modes] == [None, "w_0", "w_1"]
    assert [mode.steps[-1].changes[3][0] for mode in animation.modes[1:]] == ["12", "9"]


@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_every_text_is_readable_on_what_it_stands_on(page):
    """A contrast of 4.5, as WCAG 2 asks for (level AA)."""
    on = {"ink": ("paper", "panel", "mark", "run-wash", "sweep-wash"), "soft": ("paper", "panel"),
          "run": ("paper", "panel", "run-wash"), "sweep": ("paper", "panel", "sweep-wash")}  # fmt: skip
    for text, grounds in on.items():
        for ground in grounds:
            assert contrast(MOVING[text][page], MOVING[ground][page]) >= 4.5, (text, ground)


def test_without_a_script_the_page_has_the_adjoints():
    text = animate(record(example, [1.0, 2.0])[0]).to_html()
    assert (
        re.findall('<td class="slope">(.*?)</td>', text)
        == ["-0.3322936731", "-0.6661468365", "-0.4161468365"] + ["1"] * 3
    )
    assert re.findall(r'class="adjoint"[^>]*>([^<]*)<', text)[:2] == ["-0.33229", "-0.66615"]


def test_a_notebook_shows_it():
    shown = animate(record(example, [1.0, 2.0])[0])._repr_html_()
    page = Document(shown)
    assert page.tags == ["iframe"]
    attributes = dict(page.attributes)
    assert attributes["sandbox"] == "allow-scripts"
    archive = re.search('id="packed">(.*?)<', attributes["srcdoc"])[1]
    assert gzip.decompress(base64.b64decode(archive)).decode() == animate(record(example, [1.0, 2.0])[0]).to_html()
    assert len(shown) < 45_000


# ---------------------------------------------------------------------------------------- the GIF


def frames(path):
    """(Frames as arrays, milliseconds of each, how often it repeats: 0 for ever)."""
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as gif:
        pictures, durations = [], []
        for k in range(gif.n_frames):
            gif.seek(k)
            durations.append(gif.info["duration"])
            pictures.append(np.asarray(gif.convert("RGB")).astype(int))
        return pictures, durations, gif.info["loop"]


def test_the_gif(tmp_path):
    pytest.importorskip("matplotlib")
    animation = animate(record(example, [1.0, 2.0])[0], title="sin(x*y) + x/y")
    animation.to_gif(tmp_path / "run.gif")
    assert (tmp_path / "run.gif").stat().st_size < 300_000
    pictures, durations, repeats = frames(tmp_path / "run.gif")
    assert len(pictures) == len(animation.modes[0].steps) + 2
    assert repeats == 0
    assert set(durations[1:]) == {1200}
    assert durations[0] > 3 * durations[1]
    assert {picture.shape[1] for picture in pictures} == {NARROWEST}
    whole, *pictures = pictures
    different = (whole != pictures[-1]).any(axis=2).mean()  # the same but for what is told, and what is at work
    assert 0.0 < different < 0.1
    for before, after in pairwise(pictures):
        assert np.count_nonzero((before != after).any(axis=2)) > 300
    red = [np.count_nonzero((np.abs(p - (179, 38, 30)) < 3).all(axis=2)) for p in pictures]
    blue = [np.count_nonzero((np.abs(p - (11, 92, 173)) < 3).all(axis=2)) for p in pictures]
    assert max(red[:7]) < 10 < 300 < min(red[7:])
    assert max(blue[7:]) < 10 < 100 < min(blue[1:7])
    for picture in (whole, *pictures):
        assert 0.5 < np.mean((picture == 255).all(axis=2)) < 0.98
        for edge in (picture[:, :8], picture[:, -8:], picture[-8:]):
            assert (edge == 255).all()


def test_the_gif_of_tangents(tmp_path):
    pytest.importorskip("matplotlib")
    animation = animate(record(example, [1.0, 2.0])[0], names=["x", "y of two words"])
    animation.to_gif(tmp_path / "x.gif", seed="x", seconds=0.5)
    animation.to_gif(tmp_path / "y.gif", seed="y of two words")
    (x, durations, _), (y, _, _) = frames(tmp_path / "x.gif"), frames(tmp_path / "y.gif")
    assert (len(x), len(y), durations[1]) == (8, 8, 500)
    assert (x[-1] != y[-1]).any()


def test_a_gif_has_so_many_pixels_at_most(tmp_path):
    pytest.importorskip("matplotlib")

    def f(x):
        for _ in range(50):
            x = np.sin(x)
        return x

    animation = animate(record(f, [0.5])[0])
    with pytest.raises(ValueError, match=r"104 frames of 800 by \d+ pixels is too large: .*; to_html\(\) shows a run"):
        animation.to_gif(tmp_path / "run.gif")
    assert not list(tmp_path.iterdir())


def test_without_pillow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"dualautodiff\[plot\]"):
        animate(record(example, [1.0, 2.0])[0]).to_gif(tmp_path / "run.gif")


# ---------------------------------------------------------------------------------------- the command


@pytest.fixture
def called(capsys, tmp_path, monkeypatch):
    """(exit status, stdout, stderr) of the command, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        try:
            status = __main__.main(arguments)
        except SystemExit as exit_:
            status = exit_.code
        return status, *capsys.readouterr()

    return call


@pytest.mark.parametrize("arguments", [("x=1", "y=2", "-o", "page.html"), ("-o", "page.html", "x=1", "y=2")])
def test_explore(called, tmp_path, arguments):
    assert called("explore", "sin(x*y) + x/y", *arguments) == (
        0,
        "sin(x*y) + x/y = 1.4092974268256817   at x = 1.0, y = 2.0\n\nStep by step in page.html\n",
        "",
    )
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>sin(x*y) + x/y</h1>" in text
    assert '"source":{"text":"sin(x*y) + x/y","start":4,"end":7,"where":""}' in text


def test_explore_writes_over_what_was_there(called, tmp_path):
    for x, said in (("1", ""), ("2", ", in place of the file that was there")):
        status, out, _ = called("explore", "x**2", f"x={x}")
        assert (status, out.splitlines()[-1]) == (0, f"Step by step in explorer.html{said}")
    assert "at x = 2; the result is v1 = 4" in (tmp_path / "explorer.html").read_text(encoding="utf-8")


def test_explore_as_gif(called, tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("run.gif", "run.GIF"):
        assert called("explore", "-x**2", "x=3", "-o", name)[0] == 0
        assert len(frames(tmp_path / name)[0]) == 1 + 1 + 3 + 1 + 2


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (("sin(x", "x=1"), 2, "sin(x: not an expression"),
        (("x*z", "x=1"), 2, "z: this variable has no value; add z=NUMBER"),
        (("2",), 2, "2: give a variable and its value"),
        (("x*2", "x=1", "-o"), 2, "argument -o: expected one argument"),
        (("x*2", "x=1", "-o", "run.png"), 2, "run.png: a page or its GIF is a file .html, .htm, .gif"),
        (("x*2", "x=1", "-o", "run"), 2, "run: a page or its GIF is a file .html, .htm, .gif"),
        (("x*2", "x=1", "-o", "nowhere/page.html"), 1, "page.html cannot be written here (No such file or directory)"),
    ],
)
def test_explore_complains(called, arguments, status, complaint, tmp_path):
    found, out, err = called("explore", *arguments)
    assert (found, out) == (status, "")
    assert complaint in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_films_of_the_readme_are_current(tmp_path, monkeypatch):
    """Frame by frame; fonts and compression may differ a little."""
    from PIL import Image, ImageChops, ImageStat

    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs")
    import build_film

    build_film.build(tmp_path)
    for name in build_film.FILMS:
        with Image.open(build_film.STATIC / name) as old, Image.open(tmp_path / name) as new:
            assert (old.size, old.n_frames) == (new.size, new.n_frames), "python docs/build_film.py"
            for frame in range(new.n_frames):
                old.seek(frame)
                new.seek(frame)
                difference = ImageChops.difference(old.convert("RGB"), new.convert("RGB"))
                assert max(ImageStat.Stat(difference).mean) < 0.15, "python docs/build_film.py"  # 0.32 without partials


def test_a_function_without_its_arguments():
    with pytest.raises(TypeError, match=r"animate takes a function with its arguments: animate\(f, \[x, y\]\)"):
        animate(example)


def test_files_and_times_that_are_none(tmp_path):
    tape, _ = record(lambda x: x * x, [2.0])
    for write, name in (("to_gif", "run.png"), ("to_html", "run.pdf"), ("to_html", "run")):
        with pytest.raises(ValueError, match="is saved as"):
            getattr(animate(tape), write)(tmp_path / name)
    for seconds in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="a step takes more than 0"):
            animate(tape).to_gif(tmp_path / "run.gif", seconds=seconds)
    with pytest.raises(TypeError, match="expression_tree takes a Tape"):
        expression_tree(3.0)
    assert not list(tmp_path.iterdir())
