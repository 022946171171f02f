"""The listing of a tape: its columns, the notation of every kind of line, and what is left out of a long one."""

import re
from itertools import pairwise

import numpy as np
import pytest

import dualnumbers.dmath as dmath
from autodiff import Variable, animate, derivative, elementwise, gradient, record
from autodiff.tape.listing import LONGEST, WIDEST, brief, listing
from autodiff.tape.sweep import adjoints


def lines(text):
    """The cells of each line of a listing: columns begin where the rule below the head has its dashes."""
    head, rule, *rows = text.splitlines()
    spans = [m.span() for m in re.finditer("-+", rule)]
    cells = [[row[a:b].strip() for a, b in [*spans[:-1], (spans[-1][0], None)]] for row in rows]
    assert all(a[1] + 2 == b[0] for a, b in pairwise(spans))
    return [head.split(), *cells]


def expressions(f, *args):
    """The expression column of the listing of ``f(*args)``, without the inputs, which are called v0, v1."""
    tape, _ = record(f, list(args))
    return [row[2] for row in lines(listing(tape, names=[]))[1:] if row[2] != "input"]


def test_the_table_whole():
    tape, out = record(lambda x, y: dmath.sin(x * y) + x / y, [1.0, 2.0])
    assert str(tape) == listing(tape) == (
        "line  variable  expression  value\n"
        "----  --------  ----------  ------------\n"
        "   0  x         input       1\n"
        "   1  y         input       2\n"
        "   2  v2        x * y       2\n"
        "   3  v3        sin(v2)     0.9092974268\n"
        "   4  v4        x / y       0.5\n"
        "   5  v5        v3 + v4     1.409297427"
    )  # fmt: skip
    found = tape.adjoints(out)
    assert lines(listing(tape, found, ["a", "b"])) == [
        ["line", "variable", "expression", "value", "adjoint"],
        ["0", "a", "input", "1", "-0.3322936731"],
        ["1", "b", "input", "2", "-0.6661468365"],
        ["2", "v2", "a * b", "2", "-0.4161468365"],
        ["3", "v3", "sin(v2)", "0.9092974268", "1"],
        ["4", "v4", "a / b", "0.5", "1"],
        ["5", "v5", "v3 + v4", "1.409297427", "1"],
    ]


def test_every_operator_is_infix():
    def f(x, y):
        _ = [x + y, x - y, x * y, x / y, x // y, x % y, x**y, x < y, x <= y, x > y, x >= y, x == y, x != y, -x, +x]
        return abs(x)

    infix = [f"v0 {sign} v1" for sign in ("+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=")]
    assert expressions(f, 3.0, 2.0) == [*infix, "-v0", "+v0", "abs(v0)"]
    assert expressions(lambda a: a @ a, np.eye(2)) == ["v0 @ v0"]


def test_constants_are_shown_by_value():
    assert expressions(lambda x: [x + 0.5, 2 * x, x - 1e-20], 2.0) == ["v0 + 0.5", "2 * v0", "v0 - 1e-20"]
    assert expressions(lambda x: [x**-2.5, (-3) ** x, x * 1j], 2.0) == ["v0 ** (-2.5)", "(-3) ** v0", "v0 * (0+1j)"]
    assert expressions(lambda x: [dmath.pow(x, -2), x * np.pi], 2.0) == ["pow(v0, -2)", "v0 * 3.141592654"]


def test_arrays_inside_an_expression_show_few_elements_or_their_shape():
    found = expressions(lambda x: [x * np.array([1.0, -2.0]), x * np.ones(4), x * np.ones((3, 2))], 2.0)
    assert found == ["v0 * [1, -2]", "v0 * array(4,)", "v0 * array(3, 2)"]


def test_locally_constant_lines_are_named_where_they_are_used():
    def f(x, v):
        return np.where(v > 1, v, (x // 1) * v)

    assert expressions(f, 1.5, np.ones(2)) == ["v1 > 1", "v0 // 1", "v3 * v1", "where(v2, v1, v4)"]


STATIC = {
    "sum(v0, axis=0)": lambda v: np.sum(v, axis=0),
    "sum(v0, axis=(0, 1), keepdims=True)": lambda v: v.sum((0, 1), keepdims=True),
    "max(v0)": lambda v: v.max(),
    "prod(v0, axis=1)": lambda v: np.prod(v, axis=1),
    "argmax(v0, axis=1)": lambda v: np.argmax(v, axis=1),
    "reshape(v0, (2, 6))": lambda v: v.reshape(2, 6),
    "reshape(v0, -1, order='F')": lambda v: v.flatten(order="F"),
    "transpose(v0)": lambda v: v.T,
    "transpose(v0, axes=(1, 0))": lambda v: np.transpose(v, (1, 0)),
    "broadcast_to(v0, (2, 3, 4))": lambda v: np.broadcast_to(v, (2, 3, 4)),
    "concatenate(v0, v0)": lambda v: np.concatenate([v, v]),
    "concatenate(v0, v0, axis=1)": lambda v: np.concatenate([v, v], axis=1),
    "stack(v0, v0, v0, ..., v0, axis=-1)": lambda v: np.stack([v] * 9, axis=-1),
    "einsum(v0, v0, 'ij,ij->i')": lambda v: np.einsum("ij,ij->i", v, v),
    "astype(v0, dtype=float32)": lambda v: v.astype(np.float32),
    "v0[1, 2]": lambda v: v[1, 2],
    "v0[1]": lambda v: v[1],
    "v0[1:, ::2]": lambda v: v[1:, ::2],
    "v0[..., None]": lambda v: v[..., None],
    "v0[-1, :2]": lambda v: v[-1, :2],
    "v0[[2, 0]]": lambda v: v[[2, 0]],
    "v0[[True, False, True]]": lambda v: v[np.array([True, False, True])],
}


@pytest.mark.parametrize("expected", STATIC)
def test_static_parameters(expected):
    assert expressions(STATIC[expected], np.arange(12.0).reshape(3, 4)) == [expected]


SHOWN = {
    "abs(v0)": abs,
    "norm(v0)": np.linalg.norm,
    "norm(v0, keepdims=True)": lambda v: np.linalg.norm(v, keepdims=True),
    "norm(v0, ord=3, axis=0)": lambda v: np.linalg.norm(v, 3, axis=0),
    "std(v0)": np.std,
    "sort(v0, axis=-1)": np.sort,
}


@pytest.mark.parametrize("expected", SHOWN)
def test_functions_are_shown_as_users_know_them(expected):
    assert expressions(SHOWN[expected], np.array([1 + 2j, 3.0])) == [expected]


def test_numbers_functions_are_shown_as_users_know_them():
    assert expressions(lambda z: [abs(z), np.abs(z)], 1 + 2j) == ["abs(v0)"] * 2
    assert expressions(lambda x: dmath.hypot(x, x, x), 2.0) == ["hypot(v0, v0, v0)"]
    assert expressions(np.logaddexp.reduce, np.ones(2)) == ["logaddexp_reduce(v0, axis=0)"]


def test_a_rule_of_the_users_keeps_its_name():
    @elementwise(lambda x, z: 2.0)
    def length(x):
        return 2.0 * x

    assert expressions(length, 1.0) == ["length(v0)"]


def test_item_assignment_fills_a_constant():
    def f(v, first):
        w = np.zeros_like(v) if first else 2 * v
        w = w if first else np.zeros_like(w)
        w[1:] = v[0]
        return w

    tape, _ = record(lambda v: f(v, True), [np.array([1.0, 2.0])])
    found = [row[2] for row in lines(listing(tape, names=["v"]))[1:]]
    assert found == ["input", "constant", "v[0]", "v1 with [1:] = v2"]
    assert expressions(lambda v: f(v, False), np.array([1.0, 2.0])) == [
        "2 * v0", "constant", "v0[0]", "v2 with [1:] = v3"]  # fmt: skip


def test_numbers_of_another_differentiation():
    """As operands they show what they are; of values there is the plain one, here and on the page."""
    texts = []

    def inner(x):
        tape, out = record(lambda y: x * y, [2.0])
        found = tape.adjoints(out)
        texts.append(listing(tape, found))
        for line, of_page in zip(lines(texts[-1])[1:], animate(tape).lines, strict=True):
            assert line[3] == of_page["value"]
        return out.primal

    assert derivative(inner, 0, [3.0]) == 2.0
    assert gradient(inner, [3.0]) == [2.0]
    assert lines(texts[0])[2][2:] == ["DualNumber(3.0, 1.0) * y", "6", "1"]
    assert lines(texts[1])[2][2:] == ["Variable(3.0) * y", "6", "1"]
    assert [lines(text)[1][4] for text in texts] == ["3", "3"]


def test_adjoints_that_no_path_leads_to_are_zero():
    tape, out = record(lambda x, y: dmath.floor(x) * y, [2.5, 3.0])
    found = tape.adjoints(out)
    assert [row[-1] for row in lines(listing(tape, found))[1:]] == ["0", "2", "0", "1"]


def test_adjoints_of_arrays():
    tape, out = record(lambda v: np.sum(v * v), [np.array([1.0, 2.0])])
    found = adjoints(tape, {out.line: np.float64(1.0)}, keep=True)
    assert [row[-1] for row in lines(listing(tape, found))[1:]] == ["[2, 4]", "[1, 1]", "1"]


def test_one_adjoint_for_each_line():
    tape, _ = record(lambda x: x * x, [1.0])
    with pytest.raises(ValueError, match="1 adjoints for the 2 lines of the tape"):
        listing(tape, [1.0])


def test_variables_that_look_like_lines_keep_their_names():
    tape, _ = record(lambda x, y: x * y + 1, [2.0, 3.0])
    assert [row[1:3] for row in lines(listing(tape, names=["v2", "w3"]))[1:]] == [
        ["v2", "input"], ["w3", "input"], ["u2", "v2 * w3"], ["u3", "u2 + 1"]]  # fmt: skip


def test_a_name_for_each_input():
    tape, _ = record(lambda x, y: x * y, [2.0, 3.0])
    for names in (["x"], ["x", "y", "z"]):
        with pytest.raises(ValueError, match=f"{len(names)} names for the 2 inputs of the tape: give one for each"):
            listing(tape, names=names)


def test_equal_names_are_told_apart_by_their_lines():
    tape, _ = record(lambda x, y, z: x * y + z, [2.0, 3.0, 4.0])
    assert [row[1] for row in lines(listing(tape, names=["w", "w", "z"]))[1:4]] == ["w_0", "w_1", "z"]
    assert [row[1] for row in lines(listing(tape, names=["w", "w", "w_1"]))[1:4]] == ["w_0", "w_1_1", "w_1_2"]
    w = Variable(2.0, name="w")
    assert "w_0 * w_1" in str((w * Variable(3.0, name="w")).tape)
    assert "w * v1" in str((w * (w * 2.0)).tape)
    w_again = w * Variable(3.0, name="u")
    w.data = 2.5
    w_again = w_again + np.sin(w * Variable(1.0, name="t"))
    assert [row[1] for row in lines(listing(w_again.tape))[1:] if row[2] == "input"].count("w") == 2


def test_names_may_look_like_lines_in_every_letter():
    tape, _ = record(lambda *xs: sum(xs), [1.0] * 11)
    assert lines(listing(tape, names=[f"{letter}1" for letter in "vwutsrqponm"]))[-1][1:3] == ["vv21", "vv20 + m1"]


@pytest.mark.parametrize("count", [LONGEST, LONGEST + 1, LONGEST + 500])
def test_the_middle_of_a_long_tape_is_left_out(count):
    def f(x):
        for _ in range(count - 1):
            x = x + 1
        return x

    tape, _ = record(f, [0.0])
    text = listing(tape)
    rows = lines(text)[1:]
    left_out = count - LONGEST
    if not left_out:
        assert [row[0] for row in rows] == [str(k) for k in range(count)]
        return
    half = LONGEST // 2
    assert f"... {left_out} line{'s' * (left_out > 1)} left out ..." == text.splitlines()[2 + half]
    del rows[half]
    assert [row[0] for row in rows] == [str(k) for k in (*range(half), *range(count - half, count))]
    assert rows[-1] == [str(count - 1), f"v{count - 1}", f"v{count - 2} + 1", str(count - 1)]


def test_a_listing_is_ascii_and_narrow():
    def f(x, v):
        return x * v[:, None] * np.outer(v, np.full(9, 1e-300 / 3)) + np.einsum("i,j,k,l,m->", v, v, v, v, v)

    tape, out = record(f, [1.0 / 3, np.arange(9.0) / 7])
    found = adjoints(tape, {out.line: np.ones((9, 9))}, keep=True)
    text = listing(tape, found, ["x", "v"])
    assert text.isascii()
    assert all(len(cell) <= WIDEST for row in lines(text) for cell in row)
    assert all(line == line.rstrip() for line in text.splitlines())


BRIEF = {
    "0.1": 0.1, "0.3333333333": 1 / 3, "1e+20": 1e20, "nan": np.nan, "-inf": -np.inf, "2": 2.0, "3": np.int64(3),
    "True": np.True_, "1+2j": 1 + 2j, "0.25": np.float32(0.25), "7": np.array(7.0),
    "[1, 2, 3]": np.array([1.0, 2, 3]), "[[True, False]]": np.array([[True, False]]), "[]": np.array([]),
    "[0, 1, ..., 11] (3, 4)": np.arange(12.0).reshape(3, 4), "'\\xe9'": "é",
}  # fmt: skip


@pytest.mark.parametrize("text", BRIEF)
def test_brief(text):
    assert brief(BRIEF[text]) == text


def test_no_number_is_cut():
    """Elements are left out instead, down to the first; an exponent that is cut would be another number."""
    z = (np.arange(30.0).reshape(5, 6) - 2.123456789012e-3) * (1e-9 + 1.23456789012e-15j)
    for x in (z, z.real * 1.23456789, z[0], z[:1, :2], z.real[:2, :3] * 1.23456789, z.ravel()[:1]):
        text = brief(x)
        found = re.findall(r"[^\[\], ]+", re.sub(r" \(\d+,( \d+)?\)$", "", text).replace("...", ""))
        values = {f"{v:.10g}" for v in x.ravel().tolist()}
        assert found
        assert set(found) <= values
        assert text.endswith((str(x.shape), "]"))


def test_a_tape_gives_the_adjoint_of_every_line():
    tape, out = record(lambda x, y: np.sum(x * y) + x[0] * 0.0, [np.arange(3.0), np.ones(3)])
    found = tape.adjoints(out)
    assert len(found) == len(tape)
    np.testing.assert_array_equal(found[tape.inputs[1]], np.arange(3.0))
    tape, out = record(lambda x: x * x, [np.arange(3.0)])
    np.testing.assert_array_equal(tape.adjoints(out, np.ones(3))[0], 2.0 * np.arange(3.0))


def test_what_is_no_output_of_a_tape_has_no_adjoints():
    tape, out = record(lambda x: x * x, [np.arange(3.0)])
    with pytest.raises(ValueError, match=r"has shape \(3,\): give its cotangent"):
        tape.adjoints(out)
    with pytest.raises(ValueError, match="cotangent"):
        tape.adjoints(out, np.ones(4))
    _, other = record(lambda x: 2.0 * x, [1.0])
    for wrong in (other, 3.0, 1):
        with pytest.raises(ValueError, match="no Variable of this tape"):
            tape.adjoints(wrong)
