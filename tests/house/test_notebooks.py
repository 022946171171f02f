"""The notebooks as they are stored: run in order, free of errors, warnings and traces of the machine that ran them.

``pytest --nbmake`` runs them, and their cells check their own results; ``docs/run_notebooks.py`` renews what is stored.
"""

import ast
import base64
import gzip
import html
import importlib
import json
import re
import runpy
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import nbformat
import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
TRACE = re.compile(
    r"(?<![\w.:/])/(home|root|tmp|Users|work|usr|opt|var|private|mnt|app)/|\b[A-Z]:\\|<ipython-input| at 0x[0-9a-f]"
)
"""An absolute path or the address of an object."""

FIRST = ("Dual-Math", "Forward-AD")
LESSONS = runpy.run_path(str(FOLDER.parent / "docs" / "conf.py"))["LESSONS"]
METADATA = runpy.run_path(str(FOLDER.parent / "docs" / "run_notebooks.py"))["METADATA"]

each = pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def outputs(path):
    return [output for cell in code_cells(path) for output in cell.outputs]


def texts(path):
    """What a reader sees, except pictures: sources and textual outputs."""
    for cell in read(path).cells:
        yield cell.source
    for output in outputs(path):
        yield output.get("text", "")
        yield from (str(value) for kind, value in output.get("data", {}).items() if not kind.startswith("image/"))


def pictures(path, kind="image/png"):
    for output in outputs(path):
        if kind in output.get("data", {}):
            yield output.data[kind]


def test_the_lessons_are_there():
    assert {path.stem for path in PATHS} == set(LESSONS) >= set(FIRST)
    assert len(set(LESSONS)) == len(LESSONS)


def test_the_page_of_lessons():
    """The table is that of the notebooks; what a lesson needs comes before it; its minutes are about right."""
    build = runpy.run_path(str(FOLDER.parent / "docs" / "build_lessons.py"))
    assert build["PAGE"].read_text(encoding="utf-8") == build["page"](), "python docs/build_lessons.py"
    assert set(build["CONTENT"]) == set(LESSONS)
    for number, name in enumerate(LESSONS):
        assert all(LESSONS.index(other) < number for other in build["needs"](name)), name
        assert abs(build["CONTENT"][name][0] - build["estimated"](name)) <= 0.2 * build["estimated"](name) + 3, name
    table = build["table"]().splitlines()[2:]
    assert [re.search(r"notebooks/([\w-]+)\.ipynb\)\*\*", line)[1] for line in table] == LESSONS


@each
def test_thumbnails(path):
    build = runpy.run_path(str(FOLDER.parent / "docs" / "build_lessons.py"))
    stored = (build["PICTURES"] / f"{path.stem}.svg").read_text(encoding="utf-8")
    assert stored == build["thumbnail"](path.stem), "python docs/build_lessons.py"
    assert len(stored) < 6000
    drawing = ET.fromstring(stored)
    assert len(drawing) >= 1
    places = [float(x) for line in drawing.iter("{*}polyline") for x in re.findall(r"-?[\d.]+", line.get("points"))]
    assert all(0 <= x <= 120 for x in places)


@each
def test_is_a_valid_notebook_of_any_machine(path):
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata == METADATA, "python docs/run_notebooks.py"
    assert all(set(cell.metadata) <= {"jupyter", "tags"} for cell in notebook.cells)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


@each
def test_was_run_from_top_to_bottom(path):
    counts = [cell.execution_count for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1)), "python docs/run_notebooks.py"
    results = [(cell, out) for cell in code_cells(path) for out in cell.outputs if out.output_type == "execute_result"]
    assert all(out.execution_count == cell.execution_count for cell, out in results)


@each
def test_outputs_are_stored_and_good(path):
    kinds = [output.output_type for output in outputs(path)]
    assert len(kinds) >= len(code_cells(path)) // 2
    assert "error" not in kinds
    assert not [output.text for output in outputs(path) if output.get("name") == "stderr"]
    assert not [text for text in texts(path) if re.search(r"\w+Warning:|Traceback \(", text)]


@each
def test_no_path_or_address_is_stored(path):
    assert not [text for text in texts(path) if TRACE.search(text)]
    assert not TRACE.search(json.dumps(read(path).metadata))


@each
def test_pictures_are_stored(path):
    found, drawn = list(pictures(path)), list(pictures(path, "image/svg+xml"))
    assert found or drawn
    for picture in map(base64.b64decode, found):
        assert picture.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", picture[16:24])
        assert 400 <= width <= 1600
        assert 300 <= height <= 1200
    for drawing in map(ET.fromstring, drawn):
        assert 300 <= float(drawing.get("width")) <= 1200
        assert {"title", "desc"} <= {element.tag.split("}")[1] for element in drawing}
    explorers = sum(map(len, pictures(path, "text/html")))  # pages that are complete in themselves, 37 kB each
    assert explorers < 50_000
    assert path.stat().st_size < 300_000 + explorers


def test_the_sweep_is_shown_in_motion():
    (gif,) = map(base64.b64decode, pictures(FOLDER / "Reverse-AD.ipynb", "image/gif"))
    assert gif.startswith(b"GIF89a")


@pytest.mark.parametrize("name", ["Forward-AD", "Reverse-AD", "Computational-Graphs", "Neural-Network"])
def test_a_page_that_lives_is_stored(name):
    """One that computes itself, packed; its inputs can be moved."""
    (stored,) = pictures(FOLDER / f"{name}.ipynb", "text/html")
    archive = re.search(r'id="packed">(.*?)<', html.unescape("".join(stored)))[1]
    page = gzip.decompress(base64.b64decode(archive)).decode()
    assert "class OfProgram" in page
    assert '"program":{"lines":[' in page
    assert "stays at this point" not in page


@each
def test_reads_as_a_lesson(path):
    """It begins with a title, explains before it computes, checks its claims, and keeps its cells short."""
    cells = read(path).cells
    assert cells[0].cell_type == "markdown"
    assert cells[0].source.startswith("# ")
    assert "exercise" in cells[0].source.lower()
    explained = [kinds for kinds in pairwise(cell.cell_type for cell in cells) if kinds == ("markdown", "code")]
    assert len(explained) > 0.7 * len(code_cells(path))
    checking = [cell for cell in code_cells(path) if re.search(r"^\s*(assert|check)\b", cell.source, re.MULTILINE)]
    assert len(checking) > 0.6 * len(code_cells(path))
    assert max(len(cell.source.splitlines()) for cell in code_cells(path)) <= 36


@each
def test_has_exercises(path):
    """They have folded solutions; the lesson ends by saying where to go next."""
    text = "\n".join(texts(path))
    exercises, solutions = (re.findall(rf"\*\*{word} (\d+)\.\*\*", text) for word in ("Exercise", "Solution"))
    assert exercises == [str(k + 1) for k in range(len(exercises))]
    assert len(exercises) >= 3
    assert solutions == exercises
    assert text.index("**Solution 1.**") > text.index(f"**Exercise {len(exercises)}.**")
    folded = [
        cell
        for cell in code_cells(path)
        if cell.metadata == {"jupyter": {"source_hidden": True}, "tags": ["hide-cell"]}
    ]
    assert len(folded) == len(solutions)
    if path.stem not in FIRST:
        assert "## Where next\n" in read(path).cells[-1].source


@pytest.fixture(scope="module")
def answers():
    """What says whether an answer is right."""
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("answers")
    sys.path.remove(str(FOLDER))
    del sys.modules["answers"]


@each
def test_answers_are_judged(path, answers):
    """A cell below each exercise waits for an answer; that of its solution, which is folded, is found right."""
    cells = [f"{cell.source}\n" for cell in code_cells(path)]
    before, after = (rf'^{check}\("{path.stem}", (\d+), ' for check in ("(?:check|answer)", "assert (?:check|answer)"))
    asked, solved = (
        [call for source in cells for call in re.findall(pattern, source, re.MULTILINE)]
        for pattern in (before + r"\.\.\.\)\n", after + r"[^.].*\)\n")
    )
    numbers = re.findall(r"\*\*Exercise (\d)", "\n".join(texts(path)))
    assert len(numbers) == len(answers.EXERCISES[path.stem])
    assert asked == solved == numbers
    for cell in code_cells(path):
        if re.search(r"assert (check|answer)\(", cell.source):
            assert cell.metadata == {"jupyter": {"source_hidden": True}, "tags": ["hide-cell"]}


def test_each_exercise_knows_right_from_wrong(answers):
    for lesson, exercises in answers.EXERCISES.items():
        for number, exercise in enumerate(exercises, 1):
            expected = np.asarray(exercise.expected(), float)
            assert answers.check(lesson, number, expected), (lesson, number)
            assert not answers.check(lesson, number)
            assert "too large" in repr(answers.check(lesson, number, expected + 1e6 * (1.0 + np.abs(expected))))
            for reason, mistake in exercise.mistakes.items():
                assert repr(answers.check(lesson, number, mistake)) == f"Exercise {number}: wrong. {reason}"


def test_what_is_no_answer_is_told_so(answers):
    assert repr(answers.check("Hundred-Lines", 3)).endswith(
        "put your answer in the place of the dots, and run the cell."
    )
    assert "shape (), yours has (2,)" in repr(answers.check("Hundred-Lines", 3, [1.0, 2.0]))
    assert "not function" in repr(answers.check("Hundred-Lines", 3, lambda: 2.0))
    assert "0.5 is too small" in repr(answers.check("Hundred-Lines", 3, 0.5))
    assert "almost. Give all the digits" in repr(answers.check("Uncertainties", 1, 12.8))
    assert "wrong. nan is not a number." in repr(answers.check("Hundred-Lines", 3, np.nan))
    assert "Element 1 of it, nan, is not a number." in repr(answers.check("Hundred-Lines", 1, [0.8, np.nan]))
    for number, answer, kind in ((3, "2", "str"), (3, None, "NoneType"), (1, [0.5, ...], "ellipsis")):
        assert f"wrong. Numbers are asked for, not {kind}." in repr(answers.check("Hundred-Lines", number, answer))


def test_an_answer_is_judged_before_anything_of_the_lesson_was_run():
    """What the judge needs it imports itself: a reader may come back to an exercise in a kernel that is new."""
    lines = "from answers import EXERCISES\nfor exercises in EXERCISES.values():\n    for e in exercises: e.expected()"
    subprocess.run([sys.executable, "-c", lines], cwd=FOLDER, check=True)


def test_the_hundred_lines_are_those_of_the_lesson():
    """Every definition of the file stands in the notebook, word for word."""
    file = ast.parse((FOLDER.parent / "examples" / "hundred_lines.py").read_text(encoding="utf-8"))
    cells = [ast.parse(cell.source).body for cell in code_cells(FOLDER / "Hundred-Lines.ipynb")]
    told = [ast.unparse(statement) for body in cells for statement in body]
    defined = [ast.unparse(part) for part in file.body if isinstance(part, ast.Assign | ast.FunctionDef | ast.ClassDef)]
    assert len(defined) == 15
    assert set(defined) <= set(told)


@each
def test_links_lead_somewhere(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    targets = re.findall(r"\]\(([^)#\s]+)\)", prose)
    assert all(target.startswith("https://") or (FOLDER / target).exists() for target in targets)


def test_the_promised_result_is_shown():
    for name in FIRST:
        assert any("0.3616192241" in output.get("text", "") for output in outputs(FOLDER / f"{name}.ipynb"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("in /home/me/x.py", True),
        ("/".join(["at ", "tmp", "ipykernel_7", "1.py:3"]), True),
        (r"C:\Users\me", True),
        ("<Line2D at 0x7f28>", True),
        ("10-16/h, x/y", False),
        ("https://example.org/home/x", False),
        ("../Dual-Algebra.pdf", False),
    ],
)
def test_traces_are_recognised(text, found):
    assert bool(TRACE.search(text)) == found
