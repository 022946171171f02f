"""Where the lines of a tape come from: the user's line of code, and the part of it that was evaluated."""

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from autodiff import Variable, gradient, record
from autodiff.command_line.expressions import expression
from autodiff.tape.sources import SourcedTape

HERE = Path(__file__).name


def parts(f, *args):
    """(What was evaluated, the line that it stands on) of every line of the tape but the inputs."""
    tape, _ = record(f, list(args), sources=True)
    assert isinstance(tape, SourcedTape)
    assert len(tape.sources) == len(tape)
    return [(s.text[s.start : s.end], s.text) for s in tape.sources[len(args) :]]


def test_each_line_has_its_part_of_the_code():
    def f(x, y):
        a = np.sin(x * y)
        return a + x / y

    lines = ["a = np.sin(x * y)", "return a + x / y"]
    assert parts(f, 1.0, 2.0) == [("x * y", lines[0]), ("np.sin(x * y)", lines[0]),
                                  ("x / y", lines[1]), ("a + x / y", lines[1])]  # fmt: skip
    tape, _ = record(f, [1.0, 2.0], sources=True)
    numbers = [int(s.where.removeprefix(f"{HERE}:")) for s in tape.sources[2:]]
    assert numbers == [numbers[0], numbers[0], numbers[0] + 1, numbers[0] + 1]
    assert numbers[0] == f.__code__.co_firstlineno + 1


def test_a_part_of_several_lines_ends_with_its_first():
    def f(x):
        return (x * 2 +
                3)  # fmt: skip

    assert [part for part, _ in parts(f, 1.0)] == ["x * 2", "x * 2 +"]


def test_columns_are_of_characters():
    def f(größe):
        return "µ" and größe * 2 + 1

    assert [part for part, _ in parts(f, 1.0)] == ["größe * 2", "größe * 2 + 1"]


def test_lines_made_by_the_library_belong_to_the_call():
    def f(x):
        x[0] = x[1] * 2
        return np.linalg.norm(x)

    assert [part for part, _ in parts(f, np.array([1.0, 2.0]))] == ["x[1]", "x[1] * 2", "x[0]", "np.linalg.norm(x)"]


def test_an_expression_is_its_own_source():
    f = expression(" sin(x*y) + π*x/y", ["x", "y", "π"])
    assert [part for part, _ in parts(f, 1.0, 2.0, 3.0)] == ["x*y", "sin(x*y)", "π*x", "π*x/y", "sin(x*y) + π*x/y"]
    tape, _ = record(f, [1.0, 2.0, 3.0], sources=True)
    assert {s.where for s in tape.sources[3:]} == {""}


def test_code_without_a_file():
    names = {}
    exec("def f(x):\n    return x * x", names)
    tape, out = record(names["f"], [3.0], sources=True)
    assert out.primal == 9.0
    assert tape.sources[1] is None


@pytest.mark.parametrize("new", ["    #xµµµµµµµµ", "    # short"])
def test_a_file_that_changed_since_has_no_parts(tmp_path, monkeypatch, new):
    """Columns that cut a character of the line that stands there now, or that it does not reach."""
    path = tmp_path / "program.py"
    code = compile("def f(x):\n    return x * 2 + x ** 2\n", path, "exec")
    path.write_text(f"def f(x):\n{new}\n", encoding="utf-8")
    names = {}
    exec(code, names)
    tape, out = record(names["f"], [3.0], sources=True)
    assert out.primal == 15.0
    assert None in tape.sources[1:]


def test_time_grows_with_the_length_of_a_function(tmp_path):
    def seconds(lines):
        path = tmp_path / f"of_{lines}.py"
        path.write_text("def f(x):\n" + "    x = x * 1.5\n    x = x * 0.5\n" * (lines // 2) + "    return x\n")
        names = {}
        exec(compile(path.read_text(), path, "exec"), names)
        start = time.perf_counter()
        tape, _ = record(names["f"], [1.0], sources=True)
        assert tape.sources[-1].where == f"{path.name}:{lines + 1}"
        return time.perf_counter() - start

    seconds(400)
    assert min(seconds(8000) for _ in range(2)) < 60 * min(seconds(400) for _ in range(3))


def test_nothing_is_noted_unless_asked():
    tape, _ = record(lambda x: x * x, [3.0])
    assert type(tape.values) is list
    assert tape.sources is None
    assert type((Variable(2.0) * 3.0).tape.values) is list


def test_noting_changes_no_value():
    def f(x):
        total = 0.0
        for a, b in pairwise(x):
            total = total + np.exp(-a * b)
        return total

    x = np.linspace(0.1, 0.9, 5)
    plain, out = record(f, [x])
    noted, _ = record(f, [x], sources=True)
    assert str(plain) == str(noted)
    assert gradient(f, [x])[0].shape == x.shape
    assert out.line == len(noted) - 1


def test_without_columns_it_is_the_line(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "from autodiff import record\n\ndef f(x):\n    return x * 2 + 1\n\n"
        "source = record(f, [1.0], sources=True)[0].sources[1]\n"
        "print(source.text[source.start:source.end])\n"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-X", "no_debug_ranges", str(path)], env={**os.environ, "PYTHONPATH": root},
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout == "return x * 2 + 1\n"
