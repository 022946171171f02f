"""Each pass leaves a program that gives the same bits, replayed step by step."""

import numpy as np
import pytest
from fuzz.generator import program as drawn_of
from numpy.testing import assert_array_equal

from autodiff import derivative, grad, value_and_grad
from autodiff.compiler.forms import form_of
from autodiff.compiler.passes import PASSES, dead, fold, merge, simple
from autodiff.compiler.paths import recorded
from autodiff.compiler.program import NotCompilable
from dualnumbers.several import parts

X = np.array([0.25, -0.5, 0.75])


def program_of(f, *args):
    return recorded(f, args, {}, tuple(map(form_of, args)))


def replayed(program):
    """The results, by the rows themselves."""
    values = list(program.inputs)

    def value(operand):
        return values[operand] if operand >= 0 else program.constants[~operand]

    for step in program.steps:
        z = step.row.face_of(step.value).evaluate(*map(value, step.operands), *step.static)
        values.append(z)
        for guard in step.guards:
            assert guard.operand == len(values) - 1
    return [value(operand) for operand in program.returned]


@pytest.mark.parametrize("seeds", [range(k, k + 20) for k in range(200, 300, 20)], ids=lambda seeds: str(seeds.start))
def test_every_pass_keeps_the_bits(seeds):
    for seed in seeds:
        drawn = drawn_of(seed)
        function, count = drawn.function(), len(drawn.differentiated)
        f = lambda *xs, function=function, drawn=drawn, count=count: function(*xs, *drawn.fresh()[count:])
        try:
            program = program_of(f, *drawn.fresh(drawn.differentiated))
        except Exception:
            continue
        with np.errstate(all="ignore"):
            expected = replayed(program)
            for one in PASSES:
                before, program = len(program.steps), one(program)
                assert len(program.steps) <= before
                for x, y in zip(replayed(program), expected, strict=True):
                    for part, other in zip(parts(x), parts(y), strict=True):
                        assert_array_equal(part, other)
                        assert type(part) is type(other)


def names(program):
    return [step.row.name for step in program.steps]


def test_constants_are_folded():
    program = program_of(lambda x: x * np.sum(np.exp(x * 0.0 + 1.0)), 2.0)
    assert "exp" in names(fold(program))  # x * 0 is no constant: x may be NaN
    assert names(dead(fold(program_of(grad(lambda x: 3.0 * x), 2.0)))) == []


def test_what_changes_nothing_is_left_out():
    f = lambda x: np.broadcast_to((x * 1.0 / 1.0 - 0.0).reshape(3) ** 1.0, (3,))
    assert names(simple(fold(program_of(f, X)))) == []
    kept = lambda x: (x + 0.0) * (x - -0.0)  # −0 + 0 is 0
    assert names(simple(program_of(kept, X))) == ["add", "subtract", "multiply"]
    assert "transpose" in names(simple(program_of(lambda x: x.T, np.ones((2, 2)))))


def test_a_choice_between_numbers_that_is_made_is_none():
    slope = program_of(lambda x: derivative(lambda x: np.sin(x) ** np.sin(x), 0, [x]), 0.5)  # of a base of 0 it differs
    assert "where" not in names(simple(slope))
    assert "where" in names(slope)


def test_equal_steps_are_merged():
    f = lambda x: np.sin(x) + np.sin(x) * x[1:][0] + x[1:][0]
    assert sorted(names(merge(program_of(f, X)))) == sorted(["sin", "getitem", "getitem", "multiply", "add", "add"])
    signed = lambda x: x * 0.0 + x * -0.0
    assert names(merge(program_of(signed, X))) == ["multiply", "multiply", "add"]


def test_what_nobody_needs_is_dropped_and_guards_are_needed():
    program = program_of(lambda x: (np.cos(x), x * 2.0)[1], X)
    assert names(dead(program)) == ["multiply"]
    decides = program_of(lambda x: x * 2.0 if np.sum(np.cos(x)) > 0 else x, X)
    assert "cos" in names(dead(decides))
    assert len(dead(decides).guards()) == 1


def test_the_gradient_of_a_network_is_shorter_than_its_recording():
    rng = np.random.default_rng(0)
    w, v, x = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=(5, 3))
    program = program_of(value_and_grad(lambda w: np.sum(np.tanh(x @ w) @ v) ** 2), w)
    short = program
    for one in PASSES:
        short = one(short)
    assert len(short.steps) < len(program.steps)


def test_a_number_of_a_differentiation_outside_is_no_constant():
    def outer(a):
        with pytest.raises(NotCompilable, match="a differentiation around it"):
            program_of(lambda x: a * x, 2.0)
        return a

    assert grad(outer)(3.0) == 1.0
