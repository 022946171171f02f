"""The text of a program is what it does: run as Python, its loops give the results of the machine code."""

import re
import textwrap

import numpy as np
import pytest

from autodiff import grad, jit, value_and_grad

pytest.importorskip("llvmlite")

XS = np.linspace(0.0, 1.0, 400).tolist()


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def loss(a):
    total = 0.0
    for x in XS:
        total = total + (a * x - 0.5 / (x + a)) ** 2
    return total


def population(r):
    x = 0.1
    for _ in range(200):
        x = r * x * (1 - x)
    return x


def run_listing(compiled, *args):
    """Run the printed loops as Python, with arrays of memory; the names that hold numbers afterwards."""
    _, *lines, _ = textwrap.dedent(compiled.program(*args).replace("def program(v0):", "    #")).splitlines()
    text = "\n".join(lines)
    text = re.sub(r"^for i in (\d+).*:$", r"for i in range(\1):", text, flags=re.MULTILINE)
    text = text.replace("once:", "if True:").replace(" or= ", " = ")
    memory = {name: np.zeros(5000) for name in re.findall(r"\b(?:[vcm]\d+|table\d+)\b", text)}
    memory |= {f"v{k}": np.atleast_1d(np.array(x, float)) for k, x in enumerate(args)}
    memory |= {f"c{k}": np.ravel(np.array(x, float)) for k, x in enumerate(compiled.constants())}
    memory |= tables_of(compiled, args)
    exec(text, {"power_2": lambda x: x * x, "isnan": np.isnan}, memory)
    return memory


def tables_of(compiled, args):
    """The numbers of the tables, which are not printed."""
    block = compiled._first(args, {}).source.native.parts.blocks[0]
    return {f"table{k}": np.ravel(x) for k, x in enumerate(block.tables.values())}


@pytest.mark.parametrize(
    ("f", "argument", "results"),
    [
        (value_and_grad(rosenbrock), np.linspace(0.0, 1.0, 10), 2),
        (grad(loss), 1.25, 1),
        (grad(population), 2.8, 1),
        (population, 2.8, 1),
    ],
    ids=["rosenbrock", "loss", "slope", "population"],
)
def test_the_loops_compute_the_results(f, argument, results):
    compiled = jit(f)
    expected = compiled(argument)
    memory = run_listing(compiled, argument)
    found = [memory[name] for name in re.findall(r"\bv\d+", compiled.program(argument).splitlines()[-1])]
    assert len(found) == results
    for value, wanted in zip(found, np.atleast_1d(expected) if results == 1 else expected, strict=True):
        np.testing.assert_allclose(value[: np.size(wanted)], np.ravel(wanted), rtol=1e-12)


def test_loops_of_python_are_few():
    text = jit(grad(population)).program(2.8)
    assert text.count("one after the other") == 2
    assert len(text.splitlines()) < 50


def test_what_is_left_to_numpy_stands_between_the_loops():
    lines = jit(lambda x: np.sort(2.0 * x) + np.sin(x)).program(np.ones(4)).splitlines()
    assert [lines.index(line) for line in ("    for i in 4:", "    v2 = sort(v1, -1)", "    return (v4,)")] == [1, 4, 9]
    assert lines.count("    for i in 4:") == 2


def test_decisions_are_printed():
    compiled = jit(grad(lambda x: x * x if x > 0 else -x))
    text = compiled.program(3.0)
    assert re.search(
        r"if not m\d+\[0\]:\n        raise Diverged\(0\)\n    if m\d+\[0\]:\n        raise Diverged\(1\)", text
    )


def test_decisions_of_a_loop_are_a_loop():
    def descended(x):
        for _ in range(300):
            x = x - 1e-3 * grad(rosenbrock)(x)
        return x

    text = jit(descended).program(np.linspace(0.0, 0.5, 4))
    assert len(text.splitlines()) < 60
    assert re.search(
        r"for i in 299:\n        if m\d+\[i( \+ \d+)?\]:\n            raise Diverged\(i( \+ \d+)?\)\n", text
    )


def test_what_has_no_loops_says_so():
    assert "for " not in jit(lambda x: np.sort(x)).program(np.eye(2))
    assert "is called as it stands" in jit(lambda x: float(x)).program(2.0)


def test_without_machine_code_the_text_is_of_numpy(monkeypatch):
    from autodiff.compiler import source

    exact = jit(population, exact=True).program(2.8)
    monkeypatch.setattr(source, "native", lambda *_: None)
    assert jit(population).program(2.8) == exact
    assert len(exact.splitlines()) > 500
