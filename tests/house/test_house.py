"""What docs/how-it-is-built.md says of the code is so, and the code says what it does: docstrings have verbs."""

import ast
import inspect
import re
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from autodiff import derivative, gradient
from autodiff.tape.program import Program
from autodiff.tape.recorder import Recorder
from autodiff.tape.wengert import Tape
from dualnumbers import dmath
from dualnumbers.table import BY_NUMPY, TABLE, elementwise, family, linear

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-it-is-built.md").read_text(encoding="utf-8")


def calls_of_ours(call):
    """File and function of every call of our code that a call makes, in order."""
    found = []

    def note(frame, event, argument):
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(ROOT) and not file.is_relative_to(ROOT / "tests"):
            name = frame.f_code.co_qualname
            found.append((file.relative_to(ROOT).as_posix(), name.rpartition("<locals>.")[2]))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found


def told(journey):
    """File and function of every call that the page lists under a heading."""
    section = PAGE.partition(f"## {journey}")[2].partition("\n## ")[0]
    lines = re.findall(r"^(?:autodiff|dualnumbers)/\S+\.py .*$", section, re.MULTILINE)
    return [tuple(line.split()[:2]) for line in lines]


def test_the_journey_of_a_float_is_as_told():
    f = lambda x: dmath.sin(x) * x
    derivative(f, 0, [2.0])  # what is made at first use is there then
    assert calls_of_ours(lambda: derivative(f, 0, [2.0])) == told("A float's journey")


def test_the_journey_of_an_array_has_the_calls_that_are_told_in_their_order():
    f, x = lambda x: np.sum(np.sin(x) * x), np.arange(3.0)
    gradient(f, [x])
    rest = iter(calls_of_ours(lambda: gradient(f, [x])))
    assert [call for call in told("An array's journey") if call not in rest] == []


def test_a_gradient_of_an_array_function_makes_few_calls_in_few_files():
    call = lambda: gradient(lambda x: np.sum(np.sin(x) * x), [np.ones(2)])
    call()
    calls = calls_of_ours(call)
    assert len(calls) <= 50
    assert len({file for file, _ in calls}) <= 19


def test_every_file_that_is_named_is_there():
    for name in set(re.findall(r"[\w/]+\.py", PAGE)):
        folders = ("", "dualnumbers", "autodiff", "dualnumbers/table", "dualnumbers/numbers")
        assert any((ROOT / folder / name).is_file() for folder in folders), name


def test_the_ten_files_are_as_long_as_told():
    names = re.findall(r"`([\w/]+\.py)`", PAGE.partition("## Ten files")[2])
    assert len(names) == 10
    folder = "dualnumbers"
    total = 0
    for name in names:
        folder = "autodiff" if name.startswith("autodiff/") else folder
        path = ROOT / folder / name.removeprefix("autodiff/").removeprefix("dualnumbers/")
        total += path.read_text(encoding="utf-8").count("\n")
    assert 2200 <= total <= 2400


@pytest.mark.parametrize("kind", [Program, Tape, Recorder])
def test_every_slot_of_a_tape_is_explained(kind):
    """In the body of its class, alone or together with those before it."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    explained, waiting = set(), set()
    for statement in body.body[1:]:
        if isinstance(statement, ast.AnnAssign):
            waiting.add(statement.target.id)
        elif isinstance(statement, ast.Expr):
            explained |= waiting
            waiting = set()
    assert explained == set(kind.__slots__)


def test_a_name_stands_for_one_row():
    row, entry = dmath.sin.row, BY_NUMPY[np.sum]
    with pytest.raises(ValueError, match="has a row 'sin' already"):
        elementwise(1.0)(dmath.sin)
    with pytest.raises(ValueError, match="has a row 'sum' already"):
        linear(lambda g, x: g, name="sum")(lambda x: x)
    assert TABLE["sin"].row is row
    assert BY_NUMPY[np.sum] is entry


def test_a_row_of_a_family_is_made_once_by_any_number_of_threads(often):
    made = []

    @family
    def power(n):
        made.append(n)
        return elementwise(lambda x, z: n * power(n - 1)(x), name=f"test_power_{n}")(lambda x: x**n)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: power(k % 3 + 2), range(300)))
    for n in (2, 3, 4):
        del TABLE[f"test_power_{n}"]
    assert sorted(made) == [2, 3, 4]
    assert len(set(map(id, found))) == 3


# ------------------------------------------------------------------------------------------------ docstrings

QUESTIONS = {"How", "Of", "That", "Those", "What", "Where", "Whether", "Which"}
"""Words that begin a noun phrase which is a riddle where the matter is hard."""

NOUNS = QUESTIONS | {
    *("A", "Absent", "All", "An", "Another", "Any", "As", "At", "Both", "By", "Decorator:", "Each", "Every", "For"),
    *("From", "In", "None", "Nothing", "One", "The", "These", "This", "To", "With", "Without"),
}
"""Words that are no verb and might begin a docstring."""

TEXTBOOK = ("dualnumbers/rules/", "autodiff/scipy/")
"""Where rows and counterparts state what they compute: "The conjugate transpose."."""

HARD = (
    *(f"dualnumbers/{name}.py" for name in ("levels", "memory", "numbers/array", "numbers/views")),
    *(f"autodiff/objects/{name}.py" for name in ("shared_tape", "result", "leaf", "backward")),
    *(
        f"autodiff/{name}.py"
        for name in ("calls/captured", "numpy/_holder", "second_look/within", "second_look/strong_tangents")
    ),
)
"""Modules of which the docstring shows what it says by an example."""


def modules():
    for path in sorted((*ROOT.glob("dualnumbers/**/*.py"), *ROOT.glob("autodiff/**/*.py"))):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def first_words_of_functions():
    """Yield (place, first word) of the docstring of every function that is no property."""
    for name, tree in modules():
        for node in ast.walk(tree):
            text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if text and {"property", "cached_property"}.isdisjoint(map(ast.unparse, node.decorator_list)):
                yield f"{name}:{node.lineno}", text.split()[0]


def test_a_docstring_of_a_function_begins_with_no_question_word():
    assert [(place, word) for place, word in first_words_of_functions() if word in QUESTIONS] == []


def test_a_docstring_of_a_function_begins_with_an_imperative():
    def is_imperative(word):
        third_person = re.fullmatch("[A-Z][a-z]+[^s]s", word)  # Returns, Raises; but Pass
        return re.match("[A-Z][a-z]", word) and word not in NOUNS and not third_person

    words = [(place, word) for place, word in first_words_of_functions() if not place.startswith(TEXTBOOK)]
    assert len(words) > 500
    assert [(place, word) for place, word in words if not is_imperative(word)] == []


def test_hard_modules_have_an_example():
    docstrings = {name: ast.get_docstring(tree) for name, tree in modules()}
    assert [name for name in HARD if ">>> " not in docstrings[name]] == []


SCREEN = 50
"""Lines of a function, without its docstring."""

WRITTEN_OUT = {("autodiff/tape/sweep.py", "_sweep"), ("autodiff/tape/fast_paths.py", "operators")}
"""Those that run for every line of a tape: what a call would cost there was measured."""


def lines_of_code(function):
    docstring = function.body[0] if ast.get_docstring(function) else None
    told = docstring.end_lineno - docstring.lineno + 1 if docstring else 0
    return function.end_lineno - function.lineno + 1 - told


def test_a_function_fits_on_a_screen():
    long = {(name, node.name) for name, tree in modules() for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and lines_of_code(node) > SCREEN}  # fmt: skip
    assert long == WRITTEN_OUT


NATIVE = "autodiff/compiler/native"

MAPPED = [
    *(f"autodiff/{folder}" for folder in ("compiler", "compiler/c", "sparse", "symbols")),
    *(NATIVE, *sorted(f"{NATIVE}/{path.parent.name}" for path in (ROOT / NATIVE).glob("*/__init__.py"))),
    *(f"dualnumbers/{folder}" for folder in ("numbers", "numbers/taylor")),
]
"""Folders whose docstring says what is where."""


@pytest.mark.parametrize("folder", MAPPED)
def test_a_map_of_a_folder_has_each_of_its_modules_once(folder):
    path = ROOT / folder
    told = re.findall(r"``(\w+)``", ast.get_docstring(ast.parse((path / "__init__.py").read_text(encoding="utf-8"))))
    assert sorted(told) == sorted(each.stem for each in path.glob("[!_]*") if each.is_dir() or each.suffix == ".py")


def test_a_user_is_no_he():
    found = []
    for folder in ("autodiff", "dualnumbers"):
        for path in (ROOT / folder).glob("**/*.py"):
            text = path.read_text(encoding="utf-8").replace('"he"', "").replace("'he'", "")
            found += [(path.name, word) for word in re.findall(r"\b(?:he|him|his)\b", text)]
    assert found == []


def test_every_file_that_docstrings_name_is_there():
    files = [f"/{path.relative_to(ROOT).as_posix()}" for path in ROOT.glob("*/**/*.py")]
    texts = [(name, ast.get_docstring(node) or "") for name, tree in modules() for node in ast.walk(tree)
             if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]  # fmt: skip
    found = []
    for place, text in (*texts, ("CONTRIBUTING.md", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))):
        for name in re.findall(r"(?<![\w/.])[\w/]+\.py\b", text):
            near = f"/{(Path(place).parent / name).as_posix()}" in files
            if not near and not ("/" in name and any(file.endswith(f"/{name}") for file in files)):
                found.append((place, name))
    assert found == []


def test_no_two_files_of_tests_have_one_name():
    """pytest imports them by it."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) > 80
    assert sorted(set(names)) == sorted(names)
