"""A run step by step: its numbers are those of the sweeps, the tangents those of forward mode."""

import math

import numpy as np
import pytest

import dualnumbers.dmath as dmath
from autodiff import derivative, gradient, jvp, record
from autodiff.drawing.steps import RUN, SEED, SWEEP, Part, forward_steps, reverse_steps
from autodiff.sweep import adjoints


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
]


def whole(tape):
    """A tape of which every line is shown."""
    return [Part(line, line) for line in range(len(tape))]


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
    for line, expected in enumerate(adjoints(tape, {out.line: 1.0}, keep=True)):
        assert (line in found) == (expected is not None)
        np.testing.assert_allclose(found.get(line, 0.0), 0.0 if expected is None else expected, rtol=1e-15)


@pytest.mark.parametrize(("f", "args"), PROGRAMS[:3])
def test_tangents_are_those_of_forward_mode(f, args):
    tape, out = record(f, args)
    for k, line in enumerate(tape.inputs):
        found = final(forward_steps(tape, whole(tape), line))
        assert found[out.line] == derivative(f, k, args)
        assert found[line] == 1.0
        assert sorted(found) == list(range(len(tape)))


def test_the_tangent_of_an_array_is_along_ones():
    f, args = PROGRAMS[3]
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
            totals[term.operand] = totals.get(term.operand, 0.0) + term.term
        if step.phase == SWEEP:
            assert set(step.changes) == {term.operand for term in step.terms}
            for line, total in step.changes.items():
                np.testing.assert_allclose(total, totals[line])
    for seed in tape.inputs:
        for step in forward_steps(tape, whole(tape), seed):
            if step.terms:
                np.testing.assert_allclose(step.changes[step.part.first], sum(term.term for term in step.terms))


def test_partials_are_the_slopes_of_a_line():
    tape, out = record(example, [1.0, 2.0])
    terms = [term for step in reverse_steps(tape, whole(tape), out.line) for term in step.terms]
    found = {(term.operand, term.line): term.partial for term in terms}
    expected = {(0, 2): 2.0, (1, 2): 1.0, (2, 3): math.cos(2.0), (0, 4): 0.5, (1, 4): -0.25, (3, 5): 1.0, (4, 5): 1.0}
    assert found == pytest.approx(expected)
    assert [term.given * term.partial for term in terms] == pytest.approx([term.term for term in terms])


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
    middle = Part(4, len(tape) - 3, folded=True)
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
