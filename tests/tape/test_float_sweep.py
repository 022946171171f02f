"""The sweep of tapes of Python's floats is the general one, to the bit, row by row and in programs."""

import math

import pytest
from table import FUNCTIONS, few_points, named, places

import dualnumbers.dmath as dmath
from autodiff import grad, gradient, stop_gradient
from autodiff.linearization import Recording
from autodiff.tape import sweep
from autodiff.tape.float_sweep import of_floats


def both(f, args):
    """The adjoints of the inputs by the sweep of floats, and by the general one."""
    recording = Recording(f, args, range(len(args)))
    tape, seeds = recording.tape, {recording.out.line: 1.0}
    assert not tape.mixed
    found = of_floats(tape, seeds, sweep._pull)
    return found and [found[line] for line in tape.inputs], sweep._sweep(tape, seeds, None, False)[: len(args)]


def bits(adjoints):
    return [None if g is None else (type(g), g.hex()) for g in adjoints]


OF_FLOATS = [
    f for f in FUNCTIONS if f.row.is_elementwise and not f.row.several and places(f.row) and hasattr(f, "face")
]


@pytest.mark.parametrize(**named(OF_FLOATS))
def test_rows(function):
    which = places(function.row)
    for point in few_points(function.row):

        def seeded(*xs, point=point):
            return function(*(xs[which.index(k)] if k in which else x for k, x in enumerate(point)))

        given = [float(point[k]) for k in which]
        if type(seeded(*given)) is not float:
            continue  # a function that Python's module math has not gives NumPy's
        found, expected = both(seeded, given)
        if found is None:
            assert any(g != g for g in expected)
        else:
            assert bits(found) == bits(expected)


PROGRAMS = {
    "squares": lambda x, y: x * x + (x + y) * (x + y) - y**2 + (x - y) ** 2,
    "a square beside others": lambda x, y: x * y + x * x * 0.1 + x / 3.0,
    "powers": lambda x, y: x**3 + x**2.0 + x**-1 + 2.0**y + x**y + y**0,
    "constants on both sides": lambda x, y: 3 * x + y * 2.5 - (1.0 - x) / (2 - y) + 7 / x - (-y),
    "remainders": lambda x, y: math.pi * (x % y) + dmath.fmod(7.5, y) + dmath.ldexp(x, 3),
    "three operands": lambda x, y: dmath.fma(x, y, 2.0) + dmath.dist((x, y, 1.0), (0.0, 2.0, y)),
    "a sum that is left out": lambda x, y: (x * y + 1.0, x + 2.0 * y)[1],
    "one that is not read": lambda x, y: y * y + 0.0 * y,
    "stopped": lambda x, y: stop_gradient(x * y) * y + x / stop_gradient(y) + dmath.exp(stop_gradient(x)) * x,
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    found, expected = both(PROGRAMS[name], [0.7, 1.3])
    assert bits(found) == bits(expected)


def test_a_partial_that_fails_or_is_nan_is_left_to_the_general_sweep():
    found, _ = both(lambda x: dmath.sqrt(x) * dmath.sqrt(x), [0.0])
    assert found is None
    assert gradient(lambda x, y: dmath.sqrt(x) * y, [0.0, 0.0])[1] == 0.0
    assert grad(lambda x: x if x < 1.0 else dmath.sqrt(x))(0.5) == 1.0
