"""Drawings of tapes, by structure: what they say against the gradient, and that nothing overlaps or is cut."""

import html
import itertools
import operator
import re
import shutil
import subprocess
import sys
import time
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from contrast import contrast
from PIL import ImageFont
from samples import ENTRIES, samples

import autodiff
from autodiff import Constant, Tape, Variable, animate, draw_graph, grad, gradient, jvp, record, value_of
from autodiff.command_line.main import main
from autodiff.drawing import Picture, expression_tree, picture, tree_size
from autodiff.drawing.colours import COLOURS
from autodiff.drawing.text import concise
from autodiff.tape.sweep import adjoints
from dualnumbers import dmath

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
FONT = ImageFont.truetype(str(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf")), 1000)


def loop(x, w, steps=500):
    for _ in range(steps):
        x = x + 0.01 * np.sin(w * x)
    return x * x


def nested_loops(x, w):
    for _ in range(30):
        y = x
        for _ in range(6):
            y = y - 0.1 * (y * y - w)
        x = np.cos(y) + x / 2
    return x


def network(layers, X, Y):
    h = X
    for W, b in layers:
        h = np.maximum(h @ W + b, 0)
    return np.mean((h - Y) ** 2)


def layers():
    random = np.random.default_rng(0)
    return [(random.normal(size=(n, m)), np.zeros(m)) for n, m in ((2, 5), (5, 5), (5, 1))]


def unrepeated(x, lines=200):
    """A program of random functions of random earlier results."""
    random = np.random.default_rng(0)
    known = [x, x * 2]
    functions = [operator.mul, operator.add, operator.sub, lambda a, b: np.sin(a), lambda a, b: np.cos(b)]
    for _ in range(lines):
        a, b = (known[k] for k in random.integers(max(0, len(known) - 9), len(known), 2))
        known.append(functions[random.integers(len(functions))](a, b))
    return known[-1]


PROGRAMS = {
    "easy": (lambda x, y: x * y + dmath.sin(x), [2.0, 3.0]),
    "sin(x)**sin(x)": (lambda x: np.sin(x) ** np.sin(x), [np.pi / 4]),
    "squares": (lambda x: x * x * (x * x), [1.5]),
    "arrays": (lambda W, x, b: np.sum(np.tanh(W @ x + b)), [np.eye(3) * 0.3, np.arange(3.0), np.ones(3)]),
    "autogradlib": (lambda x: np.sum((x.T - np.exp(x)) ** 2), [np.arange(9.0).reshape(3, 3) / 7]),
    "network": (lambda ls: network(ls, np.ones((4, 2)), np.ones((4, 1))), [layers()]),
    "masks": (lambda x, v: np.sum(np.where(v > x, v * x, np.sqrt(v))) + (x // 1) * x, [1.5, np.arange(1.0, 5.0)]),
    "many operands": (lambda *xs: np.sum(np.stack([x * x for x in xs])), [*np.arange(20.0)]),
    "fma": (lambda x, y, z: np.sin(dmath.fma(x, y, z)) if hasattr(dmath, "fma") else x, [0.5, 1.5, 2.5]),
    "loop": (loop, [1.0, 2.0]),
    "nested loops": (nested_loops, [1.0, 2.0]),
    "unrepeated": (unrepeated, [0.3]),
    "one input": (lambda x: x, [2.0]),
}
of_program = pytest.mark.parametrize("name", PROGRAMS)


def drawn(name):
    f, args = PROGRAMS[name]
    return picture(record(f, args)[0])


# ---------------------------------------------------------------------------------------------- what is said


def test_the_picture_of_a_small_program_whole():
    tape, _ = record(lambda x, y: x * y + dmath.sin(x), [2.0, 3.0])
    drawing = picture(tape)
    assert [(n.line, n.kind, n.name, n.text, n.value, n.adjoint, n.is_output, n.depth) for n in drawing.nodes] == [
        (0, "input", "x", "x", "2", "2.5839", False, 0),
        (1, "input", "y", "y", "3", "2", False, 0),
        (2, "operation", "v2", "v2 = x * y", "6", "1", False, 1),
        (3, "operation", "v3", "v3 = sin(x)", "0.9093", "1", False, 1),
        (4, "operation", "v4", "v4 = v2 + v3", "6.9093", "1", True, 2),
    ]
    assert [(e.start, e.end, e.place, e.partial, e.active) for e in drawing.edges] == [
        (0, 2, 0, "3", True), (1, 2, 1, "2", True), (0, 3, 0, "-0.41615", True), (2, 4, 0, "1", True),
        (3, 4, 1, "1", True)]  # fmt: skip
    assert drawing.title == "A tape of 5 lines"
    assert drawing.caption == (
        "adjoint: the derivative of v4 by that line",
        "on an edge: the partial derivative of a line by what it reads",
    )


def test_many_operands_from_one_box_have_one_edge():
    """Also those from a fold; few have one each."""
    drawing = picture(record(lambda *xs: np.sum(np.stack(xs)), [float(k) for k in range(1000)])[0])
    assert [(e.start, e.end, e.count, e.label) for e in drawing.edges] == [
        (0, 1000, 1, None), (1, 1000, 998, "998 ×"), (999, 1000, 1, None), (1000, 1001, 1, None)]  # fmt: skip
    assert drawing.caption[-1] == "n × on an edge: so many operands"
    assert float(re.search(r'width="(\d+)"', drawing.to_svg())[1]) < 500
    assert all("998 ×" in text for text in (drawing.to_svg(), drawing.to_dot(), drawing.to_mermaid()))
    few = picture(record(lambda x: np.sum(np.stack([x] * 6)), [1.0])[0])
    assert len(few.edges) == 7


def filled(x):
    """An array that a loop fills: on a tape that is not drawn no value is kept of it but the last."""
    a = np.zeros(3, like=x)
    for k in range(3):
        a[k] = x * (k + 1)
    return np.sum(a * a)


def test_what_is_not_kept_is_not_shown():
    """By hand, on a tape that was appended to another, on one that was written anew, and inside `grad`."""
    x, y = Variable(2.0, name="x"), Variable(3.0, name="y")
    long = y * 1.0
    for _ in range(20):
        long = long + y
    appended, written_anew = filled(x), filled(x)
    results = [filled(x), appended + long]
    for _ in range(300):
        _ = np.sin(written_anew)
    assert len(written_anew.tape) < 300
    results.append(written_anew)
    for result in results:
        nodes = draw_graph(result).nodes
        assert [n.value for n in nodes if " with [" in n.text] == ["not kept", "not kept", "[2, 4, 6]"]
        assert {n.name: n.adjoint for n in nodes}["x"] == "56"
        assert "nan" not in draw_graph(result).to_svg() + str(result.tape) + str(animate(result).lines)
        assert any(
            "with [0]" in text and text.endswith("; its value is not kept")
            for step in animate(result).modes[0].steps
            for text in step.text
        )
    assert " not kept" in str(results[0].tape)
    pictures = []

    def f(x):
        out = filled(x)
        pictures.append(draw_graph(out))
        return out

    assert grad(f)(2.0) == 56.0
    assert [n.value for n in pictures[0].nodes if " with [" in n.text] == ["not kept", "not kept", "[2, 4, 6]"]


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in ("many operands", "network")])
def test_adjoints_of_the_inputs_are_the_gradient(name):
    f, args = PROGRAMS[name]
    nodes = {node.line: node for node in drawn(name).nodes}
    for line, partial in enumerate(gradient(f, args)):
        assert nodes[line].adjoint == concise(partial)


@pytest.mark.parametrize("name", ["easy", "sin(x)**sin(x)", "squares", "fma"])
def test_partials_times_adjoints_sum_to_the_adjoint(name):
    drawing = drawn(name)
    nodes = {node.key: node for node in drawing.nodes}
    for node in drawing.nodes:
        terms = [float(e.partial) * float(nodes[e.end].adjoint) for e in drawing.edges if e.start == node.key]
        if not node.is_output:
            assert sum(terms) == pytest.approx(float(node.adjoint), rel=1e-3)


def test_an_edge_for_each_operand():
    """x * x reads x twice: two edges, two partials."""
    drawing = picture(record(lambda x: x * x, [3.0])[0])
    assert [(e.start, e.end, e.place, e.partial) for e in drawing.edges] == [(0, 1, 0, "3"), (0, 1, 1, "3")]


def test_masks_are_read_without_derivative():
    tape, _ = record(lambda x, v: np.where(v > x, v * x, v), [1.5, np.arange(3.0)])
    fixed = {(e.start, e.end) for e in picture(tape).edges if not e.active}
    assert fixed == {(0, 2), (1, 2), (2, 4)}
    assert 'stroke-dasharray="3 3"' in tape.to_svg()
    assert tape.to_mermaid().count("-.->") == tape.to_dot().count("style=dashed") == 3


def test_an_operand_without_derivative():
    tape, _ = record(lambda v: np.where(v, v * 2, v), [np.arange(3.0)])
    assert [(e.start, e.end, e.place) for e in picture(tape).edges if not e.active] == [(0, 2, 0)]
    assert [edge.active for edge in picture(record(lambda x: x // 2.0, [3.0])[0]).edges] == [False]


def test_values_and_partials_are_short():
    assert [concise(x) for x in (1 / 3, 1e-20, 7, True, 1 + 0.5j, np.float32(0.1))] == [
        "0.33333", "1e-20", "7", "True", "1+0.5j", "0.1"]  # fmt: skip
    assert concise(np.array([1.0, 2.5])) == "[1, 2.5]"
    assert concise(np.zeros((0, 3))) == "[] (0, 3)"
    assert concise(np.arange(100.0).reshape(4, 25)) == "[0 … 99] (4, 25)"
    assert concise(np.full(3, 1 / 3)) == "[0.33333 … 0.33333] (3,)"
    assert concise(np.array(2.0)) == "2"
    assert concise(-0.0) == "0"


def test_adjoints_only_of_a_real_number_unless_they_are_given():
    tape, out = record(lambda x: x * np.array([1.0, 2.0]), [3.0])
    assert [node.adjoint for node in picture(tape).nodes] == [None, None]
    swept = adjoints(tape, {out.line: np.array([1.0, 10.0])}, keep=True)
    assert [node.adjoint for node in picture(tape, adjoints=swept).nodes] == ["21", "[1, 10]"]
    assert [node.adjoint for node in picture(record(lambda x: x * 1j, [3.0])[0]).nodes] == [None, None]
    assert [node.adjoint for node in picture(record(lambda x: (x, x * 2), [3.0])[0]).nodes] == [None, None]


def test_one_of_several_outputs():
    tape, (a, b) = record(lambda x: (x * 2, x * 3), [3.0])
    assert [n.is_output for n in picture(tape).nodes] == [False, True, True]
    for out in (b, b.line, [b]):
        assert [n.adjoint for n in picture(tape, out).nodes] == ["3", "0", "1"]
    assert [n.is_output for n in picture(tape, (a, b)).nodes] == [False, True, True]


def test_what_is_no_line_of_the_tape_is_refused():
    tape, _ = record(lambda x: x * 2, [3.0])
    other, out = record(lambda x: x * 2, [3.0])
    with pytest.raises(ValueError, match="another tape"):
        picture(tape, out)
    for wrong in (2, -1, 1.0, "v1"):
        with pytest.raises(ValueError, match="number of one of its 2 lines"):
            tape.to_svg(out=wrong)
    with pytest.raises(ValueError, match="1 adjoints for the 2 lines"):
        other.to_dot(adjoints=[1.0])


def test_inputs_have_the_names_of_the_parameters():
    def names(f, args, **options):
        return [node.text for node in picture(record(f, args)[0], **options).nodes if node.kind == "input"]

    assert names(lambda x, y: x + y, [1.0, 2.0]) == ["x", "y"]
    assert names(lambda p, q: p["w"] + p["b"][1] + q, [{"w": 1.0, "b": [2.0, 3.0]}, 1.0]) == [
        "p['w']", "p['b'][0]", "p['b'][1]", "q"]  # fmt: skip
    assert names(lambda *xs: xs[0] + xs[1], [1.0, 2.0]) == ["v0", "v1"]
    assert names(lambda x, *rest: x + rest[0], [1.0, 2.0]) == ["v0", "v1"]
    assert names(np.sin, [1.0])[0] in ("v0", "x")
    assert names(lambda x, y: x + y, [1.0, 2.0], names=["α", "β"]) == ["α", "β"]


# ---------------------------------------------------------------------------------------------- where it stands


def number(element, name):
    return float(element.get(name))


def class_of(element):
    return (element.get("class") or "").split()


def text_of(element):
    return "".join(element.itertext())


def measured(element, size=11.0):
    """The rectangle of a text as DejaVu Sans Mono has it: left, top, right, bottom."""
    size = float(element.get("font-size", size))
    wide, (up, down) = FONT.getlength(text_of(element)) * size / 1000, (0.78 * size, 0.24 * size)
    left = number(element, "x") - (wide / 2 if element.get("text-anchor") == "middle" else 0)
    return left, number(element, "y") - up, left + wide, number(element, "y") + down


def rectangle(element):
    x, y = number(element, "x"), number(element, "y")
    return x, y, x + number(element, "width"), y + number(element, "height")


def inside(a, b, slack=0.06):
    return a[0] >= b[0] - slack and a[1] >= b[1] - slack and a[2] <= b[2] + slack and a[3] <= b[3] + slack


def apart(a, b):
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def points(path, steps=16):
    """Points along a path of M, V and C commands."""
    x = y = None
    for command, rest in re.findall("([A-Z])([^A-Z]*)", path):
        at = [float(part) for part in rest.split()]
        if command == "M":
            x, y = at
            yield x, y
        elif command == "V":
            yield from ((x, y + (at[0] - y) * k / steps) for k in range(1, steps + 1))
            y = at[0]
        else:
            assert command == "C"
            for k in range(1, steps + 1):
                t = k / steps
                weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                yield (
                    sum(w * u for w, u in zip(weights, (x, *at[::2]), strict=True)),
                    sum(w * u for w, u in zip(weights, (y, *at[1::2]), strict=True)),
                )
            x, y = at[-2:]


def parsed(drawing):
    """The root of an SVG, its groups of nodes by key, and its groups of edges."""
    root = ET.fromstring(drawing.to_svg())
    groups = list(root.iter(f"{SVG}g"))
    nodes = {int(g.get("data-key")): g for g in groups if "node" in class_of(g)}
    return root, nodes, [g for g in groups if "edge" in class_of(g)]


@of_program
def test_the_svg_says_what_the_picture_says(name):
    drawing = drawn(name)
    root, nodes, edges = parsed(drawing)
    assert list(nodes) == [node.key for node in drawing.nodes]
    for node in drawing.nodes:
        group = nodes[node.key]
        texts = [text_of(t) for t in group.iter(f"{SVG}text")]
        rows = [f"{label} {text}" for label, text in (("value", node.value), ("adjoint", node.adjoint)) if text]
        assert texts == [node.text, *(rows if node.kind != "fold" else [node.name])]
        assert int(group.get("data-line")) == node.line
        assert group.get("data-name") == node.name
        assert set(class_of(group)) == {"node", node.kind, *(["output"] if node.is_output else [])}
    said = [(int(g.get("data-from")), int(g.get("data-to")), int(g.get("data-place")),
             next(map(text_of, g.iter(f"{SVG}text")), None)) for g in edges]  # fmt: skip
    assert said == [(e.start, e.end, e.place, e.partial) for e in drawing.edges]
    assert root.get("role") == "img"
    assert root.get("aria-label") == text_of(root.find(f"{SVG}title")) == drawing.title
    assert all(node.text in text_of(root.find(f"{SVG}desc")) for node in drawing.nodes)


@of_program
def test_nothing_overlaps_and_nothing_is_cut(name):
    check_geometry(drawn(name))


def check_geometry(drawing):
    """Boxes, labels and lines keep apart, and every text is inside what it belongs to."""
    root, nodes, edges = parsed(drawing)
    frame = tuple(map(float, root.get("viewBox").split()))
    boxes = {key: rectangle(group.find(f"{SVG}rect")) for key, group in nodes.items()}
    labels = [measured(text) for g in edges for text in g.iter(f"{SVG}text")]
    captions = [measured(t) for t in root.iter(f"{SVG}text") if "caption" in class_of(t)]
    for key, group in nodes.items():
        rows = [measured(text) for text in group.iter(f"{SVG}text")]
        assert all(inside(row, boxes[key]) for row in rows)
        assert all(apart(a, b) for a, b in itertools.combinations(rows, 2))
    things = [*boxes.values(), *labels, *captions]
    assert all(inside(thing, frame) for thing in things)
    for a, b in itertools.combinations(things, 2):
        assert apart(a, b), (a, b)
    for group in edges:
        way = list(points(group.find(f"{SVG}path").get("d")))
        start, end = boxes[int(group.get("data-from"))], boxes[int(group.get("data-to"))]
        assert way[0] == (pytest.approx((start[0] + start[2]) / 2, abs=0.11), pytest.approx(start[3], abs=0.11))
        assert end[0] < way[-1][0] < end[2]
        assert way[-1][1] == pytest.approx(end[1], abs=0.11)
        for x, y in way:
            assert all(
                apart((x, y, x, y), (box[0] + 0.1, box[1] + 0.1, box[2] - 0.1, box[3] - 0.1)) for box in boxes.values()
            )


def test_an_arrowhead_stands_where_its_edge_ends():
    for group in parsed(drawn("masks"))[2]:
        path, head = group.findall(f"{SVG}path")
        tip = re.match(r"M(\S+) (\S+)l", head.get("d")).groups()
        assert list(points(path.get("d")))[-1] == tuple(map(float, tip))


def test_what_is_read_stands_higher():
    _, nodes, edges = parsed(drawn("network"))
    top = {key: number(group.find(f"{SVG}rect"), "y") for key, group in nodes.items()}
    assert all(top[int(g.get("data-from"))] < top[int(g.get("data-to"))] for g in edges)


@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_every_text_is_readable_on_what_it_stands_on(page):
    """A contrast of 4.5, as WCAG 2 asks for (level AA)."""
    for text, grounds in (("ink", ("box", "input", "output")), ("grey", ("ground", "box", "input", "output")),
                          ("adjoint", ("box", "input", "output")), ("partial", ("ground",))):  # fmt: skip
        for ground in grounds:
            assert contrast(COLOURS[text][page], COLOURS[ground][page]) >= 4.5, (text, ground)


def test_the_style_is_of_drawings_alone_and_knows_dark_pages():
    style = text_of(parsed(drawn("easy"))[0].find(f"{SVG}style"))
    rules = re.findall(r"([^{}]+)\{([^{}]+)\}", style)
    assert rules.pop(0) == (":root.autodiff-picture", "color-scheme:light dark")  # of a file; in a page that one's
    assert all(selector.startswith(".autodiff-picture .") for selector, _ in rules)
    colours = [re.fullmatch(r"(\w+):(#\w+);\1:light-dark\(\2,(#\w+)\)", rule).groups()[1:] for _, rule in rules]
    assert set(colours) == set(COLOURS.values())


# ---------------------------------------------------------------------------------------------- names that bite

NAMES = ["x<y", 'say "x"', "a & b", "]]>", "&amp;", "#35;", "back\\slash", "\\n", "`x`", "**x**", "_x_", "1. x", "- x",
         "{x}|[y]", "名前", "θ̂", "x\ny", "", "v3", "%%", "end"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_survive_every_language(name):
    tape, _ = record(lambda x: x * 2, [3.0])
    shown = " ".join(name.split()) or "v0"
    drawing = picture(tape, names=[name])
    _, nodes, _ = parsed(drawing)
    assert text_of(nodes[0].find(f"{SVG}text")) == shown
    assert nodes[0].get("data-name") == shown
    assert dot_labels(drawing.to_dot())["n0"].split("\n")[0] == shown
    assert mermaid_labels(drawing.to_mermaid())["n0"].split("\n")[0] == shown


def test_what_no_file_can_hold_is_marked(tmp_path):
    tape, _ = record(lambda x: x * 2, [3.0])
    drawing = picture(tape, names=["a\x00b\x1b\ud800"])
    shown = "a\ufffdb\ufffd\ufffd"
    assert text_of(parsed(drawing)[1][0].find(f"{SVG}text")) == shown
    assert dot_labels(drawing.to_dot())["n0"].split("\n")[0] == shown
    assert mermaid_labels(drawing.to_mermaid())["n0"].split("\n")[0] == shown
    for ending in (".svg", ".dot", ".mmd"):
        drawing.save(tmp_path / f"graph{ending}")
        assert shown in (tmp_path / f"graph{ending}").read_text(encoding="utf-8")


def test_equal_names_are_told_apart():
    """Also those that are equal once they are cut."""
    tape, _ = record(lambda x, y: x * y, [3.0, 2.0])
    assert [n.text for n in picture(tape, names=["w", "w"]).nodes] == ["w_0", "w_1", "v2 = w_0 * w_1"]
    long = [n.name for n in picture(tape, names=["a" * 300, "a" * 299 + "b"]).nodes]
    assert len(set(long)) == 3
    with pytest.raises(ValueError, match="1 names for the 2 inputs of the tape: give one for each"):
        picture(tape, names=["w"])


def test_a_long_name_is_cut():
    tape, _ = record(lambda x: x * 2, [3.0])
    drawing = picture(tape, names=["a" * 300])
    assert [len(node.text) for node in drawing.nodes] == [44, 44]
    check_geometry(drawing)


# ---------------------------------------------------------------------------------------------- the other languages


def dot_labels(text):
    """Node → label, of a text that must be a DOT file as the grammar has it."""
    string = r'"(?:[^"\\]|\\.)*"'
    attributes = rf"\[(?:(?:\w+=(?:{string}|[\w.]+))(?: |(?=\])))*\]"
    head, *statements, tail = text.rstrip("\n").split("\n")
    assert (head, tail) == ("digraph tape {", "}")
    for statement in statements:
        assert re.fullmatch(rf"  (?:graph|node|edge|n\d+|n\d+ -> n\d+)(?: {attributes})?", statement), statement
    found = re.findall(rf"^  (n\d+) \[label=({string})", text, re.MULTILINE)
    return {node: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], label[1:-1]) for node, label in found}


def mermaid_labels(text):
    """Node → label, of a text that must be a flowchart of quoted labels."""
    head, *statements = text.rstrip("\n").split("\n")
    assert head == "flowchart TD"
    quoted = r'"[^"\n]*"'
    for statement in statements:
        assert re.fullmatch(
            rf"  (?:n\d+\[{quoted}\](?::::\w+)?|n\d+ (?:-->|-\.->|---)(?:\|{quoted}\|)? n\d+"
            r"|classDef \w+ [\w:#,\- ]+)",
            statement,
        ), statement
    found = re.findall(r'^  (n\d+)\["([^"]*)"\]', text, re.MULTILINE)
    return {node: re.sub(r"#(\d+);", lambda m: chr(int(m[1])), label.replace("<br/>", "\n")) for node, label in found}


@of_program
def test_dot_and_mermaid_say_what_the_picture_says(name):
    drawing = drawn(name)
    for text, labels in ((drawing.to_dot(), dot_labels), (drawing.to_mermaid(), mermaid_labels)):
        found = labels(text)
        assert list(found) == [f"n{node.key}" for node in drawing.nodes]
        for node in drawing.nodes:
            assert found[f"n{node.key}"].startswith(node.text)
            assert node.value is None or f"\nvalue {node.value}" in found[f"n{node.key}"]
            assert node.adjoint is None or f"\nadjoint {node.adjoint}" in found[f"n{node.key}"]
        edges = re.findall(r"^  n(\d+) (?:->|-->|-\.->)(?:\|\S+\|)?.* ?n(\d+)", text, re.MULTILINE)
        assert [(int(a), int(b)) for a, b in edges] == [(e.start, e.end) for e in drawing.edges]
    partials = re.findall(r'^  n\d+ -> n\d+ \[label="(.*?)"', drawing.to_dot(), re.MULTILINE)
    assert partials == [e.partial for e in drawing.edges if e.partial is not None]


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
@pytest.mark.parametrize("name", ["masks", "loop"])
def test_graphviz_reads_it(name):
    drawing = drawn(name)
    done = subprocess.run(["dot", "-Tsvg"], input=drawing.to_dot(), capture_output=True, text=True, check=True)
    groups = list(ET.fromstring(done.stdout).iter(f"{SVG}g"))
    assert sum(g.get("class") == "node" for g in groups) == len(drawing.nodes)
    assert sum(g.get("class") == "edge" for g in groups) == len(drawing.edges)


def test_save(tmp_path):
    drawing = drawn("easy")
    for ending, text in ((".svg", drawing.to_svg()), (".dot", drawing.to_dot()), (".mmd", drawing.to_mermaid())):
        drawing.save(tmp_path / f"graph{ending}")
        assert (tmp_path / f"graph{ending}").read_text(encoding="utf-8") == text
    drawing.save(tmp_path / "GRAPH.DOT")
    assert (tmp_path / "GRAPH.DOT").read_text(encoding="utf-8") == drawing.to_dot()
    with pytest.raises(ValueError, match=r"graph.png: a drawing is saved as .svg, .dot, .mmd"):
        drawing.save(str(tmp_path / "graph.png"))


def test_a_link_is_replaced_and_not_followed(tmp_path):
    """A file that is there gives way to the drawing; one that a link points to stays as it is."""
    target, link = tmp_path / "notes.txt", tmp_path / "graph.svg"
    target.write_text("mine")
    link.symlink_to(target)
    drawing = drawn("easy")
    for _ in range(2):
        drawing.save(link)
    assert (target.read_text(), link.is_symlink()) == ("mine", False)
    assert link.read_text(encoding="utf-8") == drawing.to_svg()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.svg", "notes.txt"]
    with pytest.raises(FileNotFoundError):
        drawing.save(tmp_path / "nowhere" / "graph.svg")


def test_notebooks_show_tapes_and_pictures():
    tape, _ = record(lambda x: x * 2, [3.0])
    assert picture(tape)._repr_svg_() == tape.to_svg()
    listed, drawn = tape._repr_html_().split("</pre>\n")
    assert (listed.split(">", 1)[1], drawn) == (html.escape(str(tape)), tape.to_svg())


def test_the_command_line_draws(tmp_path, capsys):
    path = tmp_path / "a.svg"
    assert main(["tape", "x*y + sin(x)", "x=2", "y=3", "-o", str(path)]) == 0
    assert "v2 + v3" in capsys.readouterr().out
    texts = [text_of(t) for t in ET.parse(path).iter(f"{SVG}text")]
    assert {"x", "v2 = x * y", "adjoint 2.5839"} <= set(texts)
    assert main(["tape", "x*0 + 1 if x > 5 else 3", "x=2", "-o", str(tmp_path / "b.dot")]) == 0
    assert main(["tape", "x", "x=2", "-o", "a.png"]) == 2
    assert "a.png: a drawing is a file .svg, .dot, .mmd" in capsys.readouterr().err
    assert main(["tape", "x", "x=2", "-o", str(tmp_path / "none" / "a.svg")]) == 1
    assert "cannot be written here" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------- folding


def folds(drawing):
    return [(node.text, node.name) for node in drawing.nodes if node.kind == "fold"]


def test_a_loop_is_drawn_once_at_each_end():
    drawing = picture(record(loop, [1.0, 2.0])[0])
    assert folds(drawing) == [("… 498 × like this …", "v6 to v1997, 4 lines each")]
    assert len(drawing.nodes) == 2 + 4 + 1 + 4 + 1
    assert {(e.start, e.end) for e in drawing.edges if 6 in (e.start, e.end)} == {(5, 6), (1, 6), (6, 1998), (6, 2001)}


def test_a_loop_in_a_loop():
    drawing = picture(record(nested_loops, [1.0, 2.0])[0])
    assert folds(drawing) == [
        ("… 4 × like this …", "v6 to v21, 4 lines each"),
        ("… 28 × like this …", "v29 to v784, 27 lines each"),
        ("… 4 × like this …", "v789 to v804, 4 lines each"),
    ]


def indexed(x, w):
    total = 0.0
    for k in range(100):
        total = total + w * x[k]
    return total


@pytest.mark.parametrize(
    ("f", "args", "counts"),
    [
        (lambda *xs: sum(x * x for x in xs), [float(k) for k in range(100)], [98, 97]),
        (indexed, [np.arange(100.0), 2.0], [98]),
        (lambda x: [x := x * 1.5 for _ in range(200)][-1], [1.0], [198]),
        (lambda x, y: [(x := x * y, y := y + x) for _ in range(99)][-1][0], [1e-9, 1e-9], [97]),
    ],
    ids=["over inputs", "over elements", "one line", "two that read each other"],
)
def test_loops_of_other_kinds(f, args, counts):
    found = [int(text.split()[1]) for text, _ in folds(picture(record(f, args)[0]))]
    assert found == pytest.approx(counts, abs=1)


def test_sixty_lines_are_drawn_whole():
    def f(x, lines):
        for _ in range(lines):
            x = x * 1.5
        return x

    for lines, nodes in ((59, 60), (60, 4)):
        drawing = picture(record(lambda x, n=lines: f(x, n), [1.0])[0])
        assert len(drawing.nodes) == nodes
        assert len(folds(drawing)) == (nodes != 60)


def test_an_output_among_the_lines_of_a_fold():
    tape, _ = record(loop, [1.0, 2.0])
    assert [node.kind for node in picture(tape, out=1000).nodes if node.is_output] == ["fold"]


def test_where_nothing_repeats_the_middle_is_left_out():
    tape, _ = record(unrepeated, [0.3])
    drawing = picture(tape)
    assert len(drawing.nodes) <= 61
    hidden = [node.text for node in drawing.nodes if node.kind == "fold" and "left out" in node.text]
    assert len(hidden) == 1


@of_program
def test_every_line_is_drawn_or_counted(name):
    f, args = PROGRAMS[name]
    tape, _ = record(f, args)
    counted = 0
    for node in picture(tape).nodes:
        if node.kind != "fold":
            counted += 1
            continue
        number_ = int(node.text.split()[1])
        each = re.search(r"(\d+) lines each", node.name)
        counted += number_ * int(each[1]) if each else number_
    assert counted == len(tape)


def forwards(x, w):
    for _ in range(25_000):
        x = x - 0.001 * (x * x - w)
    return x


@pytest.mark.parametrize(
    ("f", "args"), [(forwards, [1.0, 2.0]), (lambda x: unrepeated(x, 99_998), [0.3])], ids=["a loop", "nothing repeats"]
)
def test_a_hundred_thousand_lines_draw_in_two_seconds(f, args):
    with np.errstate(all="ignore"):
        tape, _ = record(f, args)
        assert len(tape) >= 100_000
        began = time.process_time()
        text = tape.to_svg()
        took = time.process_time() - began
    assert took < 2
    assert len(text) < 100_000


# ---------------------------------------------------------------------------------------------- any tape


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_row_and_composition_draws(name):
    for sample in samples(name)[:2]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tape, _ = record(sample.f, list(sample.arrays))
            drawing = picture(tape)
        _, nodes, edges = parsed(drawing)
        assert len(nodes) == len(drawing.nodes) > 0
        assert len(edges) == len(drawing.edges)


def test_an_empty_tape():
    drawing = picture(Tape())
    assert (drawing.nodes, drawing.edges, drawing.caption) == ([], [], ())
    check_geometry(drawing)
    assert dot_labels(drawing.to_dot()) == mermaid_labels(drawing.to_mermaid()) == {}
    assert Tape().to_svg().startswith("<svg")


def test_a_result_that_reads_no_input():
    tape, _ = record(lambda x, y: 3.0, [1.0, 2.0])
    drawing = picture(tape)
    assert [(n.text, n.adjoint) for n in drawing.nodes] == [("x", None), ("y", None)]
    check_geometry(drawing)


def test_an_array_to_be_filled_is_a_constant():
    def f(x):
        a = np.zeros(3, like=x)
        a[1] = x
        return np.sum(a)

    drawing = picture(record(f, [2.0])[0])
    assert [node.kind for node in drawing.nodes] == ["input", "constant", "operation", "operation"]
    check_geometry(drawing)


def test_complex_values():
    tape, _ = record(lambda z: abs(np.exp(z) * 2j), [1 + 1j])
    drawing = picture(tape)
    assert drawing.nodes[0].value == "1+1j"
    assert drawing.nodes[0].adjoint == concise(gradient(lambda z: abs(np.exp(z) * 2j), [1 + 1j])[0])
    check_geometry(drawing)


def test_the_tape_of_a_gradient():
    tape, _ = record(grad(lambda x: np.sin(x) * x), [1.0])
    drawing = picture(tape)
    assert drawing.nodes[0].adjoint == concise(2 * np.cos(1.0) - np.sin(1.0))
    check_geometry(drawing)


def test_inside_a_differentiation():
    seen = []

    def f(x):
        tape, _ = record(lambda y: y * y * x, [2.0])
        seen.append(picture(tape))
        return x * x

    jvp(f, (3.0,), (1.0,))
    assert [node.value for node in seen[0].nodes] == ["2", "4", "12"]
    assert [node.adjoint for node in seen[0].nodes] == ["12", "3", "1"]


# ---------------------------------------------------------------------------------------------- results of leaves


def test_the_graph_of_a_result():
    a, b, c = Variable(2.0, name="a"), Variable(-3.0, name="b"), Variable(10.0)
    drawing = draw_graph(np.tanh(a * b + c * c / 100 + 4))
    assert [node.text for node in drawing.nodes if node.kind == "input"] == ["a", "b", "v3"]
    y = np.tanh(a * b + c * c / 100 + 4)
    y.backward()
    adjoint = {node.text: node.adjoint for node in drawing.nodes}
    assert [adjoint[k] for k in ("a", "b", "v3")] == [concise(x.grad) for x in (a, b, c)]
    check_geometry(drawing)


def test_only_what_the_result_was_computed_from():
    x = Variable(2.0, name="x")
    y = x * 3
    other = y * 5
    both = y + x
    assert [node.text for node in draw_graph(both).nodes] == ["x", "v1 = x * 3", "v3 = v1 + x"]
    assert [node.text for node in draw_graph(other).nodes] == ["x", "v1 = x * 3", "v2 = v1 * 5"]
    assert x.grad is None


def test_a_leaf_a_constant_a_tape_and_a_line():
    assert [(n.text, n.value, n.adjoint) for n in draw_graph(Variable(3.0, name="w")).nodes] == [("w", "3", "1")]
    assert [n.text for n in draw_graph(Variable([1.0, 2.0]) * Constant(2.0)).nodes] == ["v0", "v1 = v0 * 2"]
    tape, out = record(lambda x, y: (x * 2, y)[0], [3.0, 4.0])
    assert [n.text for n in draw_graph(tape).nodes] == ["x", "y", "v2 = x * 2"]
    assert [n.text for n in draw_graph(out).nodes] == ["x", "v2 = x * 2"]
    assert isinstance(draw_graph(out), Picture)
    for wrong in (3.0, "x", Constant(3.0)):
        with pytest.raises(TypeError, match="draw_graph takes a Variable or a Tape"):
            draw_graph(wrong)


# ---------------------------------------------------------------------------------------------- expression trees


def test_the_tree_of_an_expression():
    tape, _ = record(lambda x: np.sin(x) ** np.sin(x) - 2, [0.8])
    tree = expression_tree(tape)
    assert [node.text for node in tree.nodes] == ["-", "**", "sin", "x", "sin", "x", "2"]
    assert [(e.start, e.end) for e in tree.edges] == [(0, 1), (1, 2), (2, 3), (1, 4), (4, 5), (0, 6)]
    assert [node.depth for node in tree.nodes] == [0, 1, 2, 3, 2, 3, 1]
    assert tree.title == "An expression tree of 7 nodes"
    check_geometry(tree)
    assert "head" not in tree.to_svg().split("</style>")[1]
    assert len(dot_labels(tree.to_dot())) == len(mermaid_labels(tree.to_mermaid())) == 7


def test_a_derivative_swells_as_a_tree_and_not_as_a_tape():
    def power(x, count):
        y = x
        for _ in range(count):
            y = np.sin(y) * y
        return y

    sizes, lines = [], []
    for count in (2, 4, 8):
        tape, _ = record(grad(lambda x, n=count: power(x, n)), [0.8])
        sizes.append(tree_size(tape))
        lines.append(len(tape))
    assert sizes[2] > 10 * sizes[1] > 30 * sizes[0]
    assert lines[2] < 2 * lines[1] < 4 * lines[0]
    with pytest.raises(ValueError, match=f"has {sizes[2]} nodes; at most 1000 are drawn"):
        expression_tree(tape)


@pytest.mark.parametrize("name", ["easy", "sin(x)**sin(x)", "squares", "masks", "autogradlib"])
def test_the_size_of_a_tree_is_known_before_it_is_drawn(name):
    f, args = PROGRAMS[name]
    tape, _ = record(f, args)
    tree = expression_tree(tape)
    assert len(tree.nodes) == tree_size(tape) == len(tree.edges) + 1
    check_geometry(tree)


def test_a_tree_of_more_nodes_than_can_be_printed_is_refused():
    def doubled(x):
        for _ in range(15_000):
            x = x * x
        return x

    tape, _ = record(doubled, [1.0])
    assert tree_size(tape) == 2**15_001 - 1
    with pytest.raises(ValueError, match=r"has more than 1e\+18 nodes; at most 1000 are drawn"):
        expression_tree(tape)


def test_a_tree_is_of_one_output():
    tape, (a, _) = record(lambda x: (x * 2, x * 3), [3.0])
    with pytest.raises(ValueError, match="of one output, and there are 2"):
        expression_tree(tape)
    assert [node.text for node in expression_tree(tape, a, names=["y"]).nodes] == ["*", "y", "2"]


# ---------------------------------------------------------------------------------------------- imports


def test_drawing_is_imported_when_it_is_first_asked_for():
    loaded = "print('autodiff.drawing' in sys.modules)"
    program = f"import sys, autodiff; {loaded}; from autodiff import draw_graph; {loaded}; autodiff.drawing.picture"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    assert {"drawing", "draw_graph"} <= set(dir(autodiff))
    with pytest.raises(AttributeError, match="'autodiff' has no attribute 'draw_grpah'"):
        _ = autodiff.draw_grpah


def test_drawing_changes_nothing():
    tape, out = record(PROGRAMS["masks"][0], PROGRAMS["masks"][1])
    before = [str(value_of(value)) for value in tape.values], str(tape), len(tape.constants)
    tape.to_svg(), tape.to_dot(), tape.to_mermaid(), draw_graph(out), expression_tree(tape)
    assert before == ([str(value_of(value)) for value in tape.values], str(tape), len(tape.constants))


def coupled(count):
    """As many variables that step alike: the functions come again before the operands do."""

    def f(*state):
        for _ in range(60):
            state = [x + 0.1 * state[(k + 1) % count] for k, x in enumerate(state)]
        return sum(state)

    return f, [float(k) for k in range(count)]


def midpoint(q, p):
    for _ in range(60):
        middle = q + 0.005 * p, p - 0.005 * dmath.sin(q)
        q, p = q + 0.01 * middle[1], p - 0.01 * dmath.sin(middle[0])
    return q


def runge_kutta(q, p):
    slope = lambda q, p: (p, -dmath.sin(q))
    for _ in range(60):
        a, b = slope(q, p)
        c, d = slope(q + 0.005 * a, p + 0.005 * b)
        e, f = slope(q + 0.005 * c, p + 0.005 * d)
        g, h = slope(q + 0.01 * e, p + 0.01 * f)
        q, p = q + 0.01 / 6 * (a + 2 * c + 2 * e + g), p + 0.01 / 6 * (b + 2 * d + 2 * f + h)
    return q * q + p


@pytest.mark.parametrize(
    ("f", "args"), [coupled(2), coupled(3), coupled(6), (midpoint, [1.0, 0.0]), (runge_kutta, [1.0, 0.0])]
)
def test_simulations_are_folded(f, args):
    drawing = draw_graph(record(f, args)[0])
    folds = [node.text for node in drawing.nodes if node.kind == "fold"]
    assert "… 58 × like this …" in folds
    assert not any("left out" in text for text in folds)
    assert len(drawing.nodes) < 90


def test_the_partial_of_a_product_with_a_mask_is_a_number():
    edges = draw_graph(record(lambda x: (x > 1.0) * x, [0.5])[0]).edges
    assert [edge.partial for edge in edges if edge.active] == ["0"]
    mask = np.array([True, False])
    assert "[1, 0]" in [edge.partial for edge in draw_graph(record(lambda x: x * mask, [np.ones(2)])[0]).edges]


# ---------------------------------------------------------------------------------------- what is left out


def rounds(count):
    """A tape of so many rounds of a loop, and a line that nobody reads."""

    def f(x):
        np.exp(x)
        for _ in range(count):
            x = np.sin(x) * 2.0
        return x

    return autodiff.record(f, [0.5])[0]


def test_the_rounds_of_a_short_loop_are_folded_where_that_is_asked():
    texts = [node.text for node in draw_graph(rounds(5), fold=True).nodes]
    assert texts[:2] == ["x", "v1 = exp(x)"]
    assert texts[-3:] == ["… 3 × like this …", "v10 = sin(v9)", "v11 = v10 * 2"]
    assert len(draw_graph(rounds(5)).nodes) == 12
    assert len(draw_graph(rounds(60)).nodes) < 12
    assert len(draw_graph(rounds(60), fold=False).nodes) == 122


def test_fold_is_a_truth_value():
    with pytest.raises(TypeError, match="fold is True, False, or None"):
        draw_graph(rounds(5), fold="yes")


def test_what_no_output_reads_is_left_out_where_that_is_asked():
    for count in (1, 60):
        assert any("exp" in node.text for node in draw_graph(rounds(count)).nodes)
        assert not any("exp" in node.text for node in draw_graph(rounds(count), unread=False).nodes)


def test_a_wide_graph_fits_its_page():
    root = ET.fromstring(draw_graph(rounds(2)).to_svg())
    assert "max-width:100%" in root.attrib["style"]
