"""Random programs: the library against the plain run, forward against reverse, and both against polynomials on lines.

``--programs N`` tries N of them, ``--program-seed S`` begins with the program of seed S. A failure prints the shortest
program that still fails, as a script.
"""

from functools import cache
from itertools import islice

import numpy as np
import pytest
from fuzz.generator import program
from fuzz.judge import Verdict, judge
from fuzz.lines import along
from fuzz.program import Program
from fuzz.shrinker import shrunk

from autodiff import value_of
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.rules import ENTRIES

CHUNK, SHOWN = 25, 3


def pytest_generate_tests(metafunc):
    if "seeds" not in metafunc.fixturenames:
        return
    count, first = (
        metafunc.config.getoption(name, default) for name, default in (("programs", 500), ("program_seed", 0))
    )
    starts = range(first, first + count, CHUNK)
    chunks = [range(start, min(start + CHUNK, first + count)) for start in starts]
    metafunc.parametrize("seeds", chunks, ids=[f"{chunk[0]}-{chunk[-1]}" for chunk in chunks])


@cache
def verdict(seed):
    """What is found of the program of a seed: two tests ask it."""
    return judge(program(seed))


def test_programs(seeds):
    shown = []
    for seed in seeds:
        failures = verdict(seed).failures
        if failures and len(shown) < SHOWN:
            shown.append(shrunk(program(seed), failures[0])[1])
    assert not shown, "\n".join(["", *map(str, shown)])


def test_most_derivatives_are_compared():
    """A fuzzer that is not sure of most derivatives, or takes refusals for an answer, tests little."""
    total = sum(map(verdict, range(300)), Verdict([]))
    assert total.sure >= 20 * total.unsure
    assert total.sure >= 8 * total.refused


def found(wanted=3, among=300):
    """Whether so many programs fail."""
    failing = (drawn for drawn in map(program, range(among)) if judge(drawn).failures)
    return len(list(islice(failing, wanted))) == wanted


@pytest.mark.parametrize("order", [1, 2])
def test_a_wrong_derivative_is_found(order, monkeypatch):
    """The value and the derivatives below ``order`` are right."""
    for function in (np.sin, np.sum, np.multiply):
        right = ENTRIES[function]

        def wrong(x, *args, right=right, **keywords):
            z = right(x, *args, **keywords)
            return z + 1e-3 * (z - value_of(z)) ** order

        monkeypatch.setitem(ENTRIES, function, wrong)
    assert found()


def test_a_lost_view_is_found(monkeypatch):
    monkeypatch.setattr(ArrayNumber, "viewed", lambda self, function, *static: function(self, *static))
    assert found()


def test_a_wrong_value_is_found(monkeypatch):
    right = ENTRIES[np.cumsum]
    monkeypatch.setitem(ENTRIES, np.cumsum, lambda x, *args, **keywords: 2.0 * right(x, *args, **keywords))
    assert found(2)


def test_a_failing_program_is_shrunk(monkeypatch):
    right = ENTRIES[np.sin]
    monkeypatch.setitem(ENTRIES, np.sin, lambda x: right(x) + 1e-3 * (x - value_of(x)))
    arguments = {"x": "np.array([0.5, 1.5])", "y": "0.25"}
    long = Program(
        1,
        arguments,
        0,
        ("a = x * 2.0", "b = np.cos(y)", "a[0] = 3.0", "d = np.sin(a)", "e = d + b"),
        ("a", "b", "d", "e"),
    )
    short, failure = shrunk(long, judge(long).failures[0])
    assert short.statements == ("d = np.sin(x)",) or short.statements == ("a = x * 2.0", "d = np.sin(a)")
    assert short.outs == ("d",)
    assert list(short.arguments) == ["x"]
    scope = {}
    exec(compile(failure.script, "printed", "exec"), scope)
    assert scope["f"](*scope["fresh"]())[0].shape == (2,)


def test_programs_are_those_of_their_seeds_and_of_all_kinds():
    drawn = [program(seed) for seed in range(300)]
    assert [p.source() for p in drawn[:9]] == [program(seed).source() for seed in range(9)]
    assert len({p.source() for p in drawn}) == len(drawn)
    text = "\n".join(p.source() for p in drawn)
    for part in (
        "complex128",
        "float32",
        "[::-1]",
        ", order='F'",
        "for ",
        "if ",
        "while ",
        "lambda",
        "out=",
        "grad(",
        "+=",
    ):
        assert part in text, part


def test_the_polynomials_know_their_error():
    estimates = along(lambda t: np.array([np.exp(t), 1 / (1.2 - t), np.sin(40 * t)]))
    exact = [[1.0, 1.0, 1.0, 1.0], [1.2 ** -(k + 1) * [1, 1, 2, 6][k] for k in range(4)], [0.0, 40.0, 0.0, -64000.0]]
    for order, column in enumerate(np.transpose(exact)):
        assert np.all(np.abs(estimates[order].value - column) <= estimates[order].error)
        assert np.all(estimates[order].error <= 1e-4 * (np.abs(column) + 1))
    kinks = along(lambda t: np.array([abs(t), max(t, 0.5 * t), abs(t - 0.0005), float(t > 0.0003)]))
    assert np.all(kinks[1].error > 1e-3)
