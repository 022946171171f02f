"""Elementary functions as straight code: against mpmath, their rows at special points, the same bits in all lanes."""

import ctypes
from functools import cache
from importlib import import_module

import mpmath
import numpy as np
import pytest
from elementary_points import REFERENCES, SPECIAL, TWO, pairs, points, ulps
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("llvmlite")

from autodiff.compiler.native.elementary.code import NAMES, Code, Value
from autodiff.compiler.native.elementary.functions import ELEMENTARY, LIBRARY
from autodiff.compiler.native.machine.engine import Machine
from dualnumbers.table.registry import TABLE

for rows in ("elementwise.normal", "of_scipy.special.sigmoids", "of_scipy.special.losses"):
    import_module(f"dualnumbers.rules.{rows}")

ULPS = 2.5


@cache
def machine(name, lanes, arity, kind, level):
    """The machine code of a loop over arrays, in steps of some lanes, and its function."""
    c, floats = Code(lanes), NAMES[kind]
    operands = [Value(f"%x{k}", kind) for k in range(arity)]
    z = ELEMENTARY[name](c, *operands) if name in ELEMENTARY else c.library(LIBRARY[name], *operands)
    places = [f"%p{k} = getelementptr {floats}, ptr %a{k}, i64 %i" for k in range(arity + 1)]
    loads = [f"%x{k} = load {c.type(kind)}, ptr %p{k}, align 4" for k in range(arity)]
    text = "\n".join([
        *sorted(c.declared),
        f"define void @loop({', '.join(f'ptr %a{k}' for k in range(arity + 1))}, i64 %n) {{",
        "entry:", "br label %round",
        "round:", "%i = phi i64 [ 0, %entry ], [ %next, %last ]",
        *places, *loads, *c.lines,
        "br label %last",
        "last:", f"store {c.type(kind)} {z.text}, ptr %p{arity}, align 4",
        f"%next = add i64 %i, {lanes}", "%more = icmp slt i64 %next, %n",
        "br i1 %more, label %round, label %done",
        "done:", "ret void", "}",
    ])  # fmt: skip
    made = Machine(text, level)
    types = [ctypes.c_void_p] * (arity + 1) + [ctypes.c_int64]
    return made, ctypes.CFUNCTYPE(None, *types)(made.address("loop"))


def computed(name, *xs, lanes=8, kind="f8", level=2):
    """The values of a function at arrays of one size."""
    size = -(-len(xs[0]) // lanes) * lanes
    padded = [np.resize(x, size).astype({"f8": np.float64, "f4": np.float32}[kind]) for x in xs]
    out = np.empty_like(padded[0])
    machine(name, lanes, len(xs), kind, level)[1](*[x.ctypes.data for x in [*padded, out]], size)
    return out[: len(xs[0])]


@pytest.mark.parametrize("name", REFERENCES)
def test_values_are_near_the_truth(name):
    reference, intervals = REFERENCES[name]
    x = points(name, intervals)
    with mpmath.workdps(50):
        true = [reference(mpmath.mpf(one)) for one in x.tolist()]
        wrong = ulps(computed(name, x), true)
    assert wrong.max() < ULPS, (x[wrong.argmax()], wrong.max())


@pytest.mark.parametrize("name", REFERENCES)
def test_special_points_are_those_of_the_row(name):
    got = computed(name, SPECIAL)
    with np.errstate(all="ignore"):
        expected = TABLE[name].row.numpy.evaluate(SPECIAL)
    assert_array_equal(np.isnan(got), np.isnan(expected))
    special = (expected == 0) | np.isinf(expected) | (got == 0) | np.isinf(got) | np.isnan(got)
    assert_array_equal(got[special], expected[special])
    assert_array_equal(np.signbit(got)[~np.isnan(got)], np.signbit(expected)[~np.isnan(got)])


@pytest.mark.parametrize("name", REFERENCES)
def test_all_counts_of_lanes_have_the_same_bits(name):
    x = np.concatenate([points(name, REFERENCES[name][1]), SPECIAL])
    expected = computed(name, x, lanes=1).view(np.int64)
    for lanes in (3, 4, 8):
        assert_array_equal(computed(name, x, lanes=lanes).view(np.int64), expected)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("name", REFERENCES)
def test_code_that_is_made_fast_has_the_same_bits(name, lanes):
    """But for the sign of what is NaN."""
    x = np.concatenate([points(name, REFERENCES[name][1]), SPECIAL])
    found, expected = computed(name, x, lanes=lanes, level=0), computed(name, x, lanes=lanes)
    is_nan = np.isnan(expected)
    assert_array_equal(np.isnan(found), is_nan)
    assert_array_equal(found[~is_nan].view(np.int64), expected[~is_nan].view(np.int64))


@pytest.mark.parametrize("name", REFERENCES)
def test_single_floats_are_rounded_values_of_doubles(name):
    x = np.linspace(-3.0, 3.0, 40).astype(np.float32)
    with np.errstate(over="ignore"):
        assert_array_equal(computed(name, x, kind="f4"), computed(name, x).astype(np.float32))


@pytest.mark.parametrize("name", TWO)
def test_values_of_two_are_near_the_truth(name):
    x, y = pairs(name)
    with mpmath.workdps(50):
        true = [TWO[name](mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        wrong = ulps(computed(name, x, y), true)
        if name.startswith("log"):  # as in NumPy, of the largest one's last place: the terms may cancel
            z = np.abs(np.array(true, float))
            wrong *= np.spacing(z) / np.spacing(np.max([abs(x), abs(y), z], axis=0))
    assert wrong.max() < ULPS, (x[wrong.argmax()], y[wrong.argmax()], wrong.max())


@pytest.mark.parametrize("name", TWO)
def test_special_points_of_two_are_those_of_the_row(name):
    x, y = (part.ravel() for part in np.meshgrid(SPECIAL, SPECIAL))
    got = computed(name, x, y)
    with np.errstate(all="ignore"):
        expected = TABLE[name].row.numpy.evaluate(x, y)
    assert_allclose(got, expected, rtol=5e-16, atol=2e-16 if name.startswith("log") else 0.0)
    assert_array_equal(np.signbit(got)[got == 0], np.signbit(expected)[got == 0])
    for lanes in (1, 3, 4):
        assert_array_equal(computed(name, x, y, lanes=lanes), got)


def test_powers_that_are_doubles_are_exact():
    x, y = (part.ravel() for part in np.meshgrid(np.arange(1.0, 40.0), np.arange(9.0)))
    assert_array_equal(computed("power", x, y), x**y)


@pytest.mark.parametrize("name", LIBRARY)
def test_functions_of_the_library(name):
    x, y = (part.ravel() for part in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(all="ignore"):
        assert_array_equal(computed(name, x, y), TABLE[name].row.numpy.evaluate(x, y))
