"""jit: a compiled function gives what the function gives, on every path, for every form of its arguments."""

import copy
import itertools
import pickle
import threading
import time
import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest
from array_samples import SAMPLES, each
from fuzz.compiled import weighted_gradient
from fuzz.generator import program
from fuzz.program import moved
from numpy.testing import assert_allclose, assert_array_equal

from autodiff import (
    black_box,
    draw_graph,
    elementwise,
    grad,
    hessian,
    hvp,
    jacobian,
    jit,
    jvp,
    record,
    stop_gradient,
    value_and_grad,
    vjp,
)
from autodiff import numpy as drop_in
from autodiff.calls.structures import flatten
from autodiff.compiler.paths import FORMS
from dualnumbers import dmath

FIRSTS = dict(reversed(SAMPLES))
"""The first sample of each function."""


def gradient(f):
    """Its pull-back of ones."""

    def pulled(*xs):
        out, pull = vjp(f, *xs)
        return pull(np.ones(np.shape(out)) if np.shape(out) else 1.0)

    return pulled


def outcome(f, arrays):
    """What a call gives, as arrays, or the type of its error."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [np.asarray(x) for x in flatten(f(*(np.array(x)[()] for x in arrays)))[0]]
        except Exception as error:
            return type(error)


def assert_same(found, expected, least=1e-300, beside=()):
    """They are the same to half of the digits of the largest element, or of ``least``.

    What was computed beside single precision is so to most of that one's digits.
    """
    single = 1e-5 if any(np.result_type(x).char in "fF" for x in beside) else 0.0
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected
        return
    assert [(x.dtype, x.shape) for x in found] == [(x.dtype, x.shape) for x in expected]
    for one, other in zip(found, expected, strict=True):
        size = np.max(np.abs(other), initial=least, where=np.isfinite(other)) if other.dtype.kind in "fc" else 0
        near = max(single, 1e4 * np.finfo(other.dtype).eps) if other.dtype.kind in "fc" else 0
        assert_allclose(one, other, rtol=near, atol=near * size)


@pytest.mark.parametrize(**each(FIRSTS.items()))
def test_every_function_and_its_gradient(name, sample):
    """At the recorded point, at another one, and at the first one again; by native code, and by NumPy."""
    other = [x * 1.001 if x.dtype.kind in "fc" else x for x in sample.arrays]
    for f in (sample.f, gradient(sample.f)):
        points = [(arrays, outcome(f, arrays)) for arrays in (sample.arrays, other)]
        points += points[:1]
        compiled = jit(f)
        found = [outcome(compiled, arrays) for arrays, _ in points]
        if any(path["native"] for form in compiled.stats() for path in form["paths"]):
            for one, (_, expected) in zip(found, points, strict=True):
                assert_same(one, expected, 1.0)
            replayed = jit(f, exact=True)
            found = [outcome(replayed, arrays) for arrays, _ in points]
        for one, (_, expected) in zip(found, points, strict=True):
            assert_same(one, expected)


@pytest.mark.parametrize("seeds", [range(k, k + 20) for k in range(0, 200, 20)], ids=lambda seeds: str(seeds.start))
def test_random_programs(seeds):
    """With branches, loops, views, writes and masks: beside their arguments, and far from them, there and back."""
    for drawn in map(program, seeds):
        function, count, arguments = drawn.function(), len(drawn.differentiated), drawn.fresh()

        def f(*xs, function=function, drawn=drawn, count=count):
            return function(*xs, *drawn.fresh()[count:])

        for g in (f, weighted_gradient(f)):
            compiled, replayed = jit(g), jit(g, exact=True)
            for step in (0.0, 1e-3, 0.7, -0.4, 0.0, 0.7):
                given = [[moved(x, step) for x in drawn.fresh(drawn.differentiated)] for _ in range(3)]
                found, same, expected = (outcome(h, xs) for h, xs in zip((compiled, replayed, g), given, strict=True))
                assert_same(found, expected, 1.0, (*arguments, *(expected if isinstance(expected, list) else ())))
                assert_same(same, expected)


# ------------------------------------------------------------------------------------------------------------- programs

X = np.array([0.25, -0.5, 0.75])


def lines(compiled, *args):
    """The statements of a program."""
    return [line.strip() for line in compiled.program(*args).splitlines()[1:]]


def test_a_derivative_is_a_program():
    f = lambda x: np.sin(x) * x
    compiled = jit(grad(f))
    assert lines(jit(grad(f), exact=True), 2.0)[:4] == ["v1 = sin(v0)", "v2 = cos(v0)", "v3 = v2 * v0", "v4 = v1 + v3"]
    assert compiled(2.0) == grad(f)(2.0)
    assert type(compiled(2.0)) is float


def test_a_program_is_a_tape_that_is_drawn_and_run():
    f = grad(lambda x: np.sum(np.sin(x) * x))
    compiled, x, y = jit(f), np.linspace(0.0, 1.0, 3), np.linspace(2.0, 3.0, 3)
    tape = compiled.tape(x)
    assert len(tape) < len(record(f, [x])[0])
    assert [node.text for node in draw_graph(tape).nodes][1:] == [
        "v1 = sin(v0)",
        "v2 = cos(v0)",
        "v3 = v2 * v0",
        "v4 = v1 + v3",
    ]
    assert_allclose(tape.run([y]), f(y), rtol=1e-15)
    with pytest.raises(ValueError, match=r"there is no program: .* it cannot be recorded"):
        jit(lambda x: float(x)).tape(1.0)


def test_arrays_of_the_drop_in_take_numbers_in_a_program_too():
    def f(x):
        y, z = drop_in.array([x[0] * 2.0, 4.0, drop_in.sum(x)]), drop_in.zeros(2)
        drop_in.put(y, [0, -1], x[1:])
        z[0] = x[0]
        return drop_in.sum(y * y) + z[0]

    compiled = jit(value_and_grad(f))
    for x in (np.linspace(1.0, 2.0, 3), np.linspace(-3.0, 2.0, 3)):
        for found, expected in zip(compiled(x), value_and_grad(f)(x), strict=True):
            assert_allclose(found, expected, rtol=1e-14)
        assert_allclose(compiled(x)[0], f(x), rtol=1e-14)
    assert not compiled.stats()[0]["eager"]


def test_what_gives_nothing_new_is_left_out():
    compiled = jit(lambda x: (np.exp(x) + np.exp(x), np.log(np.float64(2.0)) * (x * 1.0), np.cos(x) and None))
    text = jit(lambda x: (np.exp(x) * np.exp(x) * 1.0).reshape(3), exact=True).program(X)
    assert text.count("exp(") == 1
    assert "reshape" not in text
    assert "* 1.0" not in text
    dead = jit(lambda x: (np.sin(x), x + 1.0)[1], exact=True)
    assert "sin" not in dead.program(X)
    assert compiled is not None


def test_an_array_of_its_own_is_written_in_place():
    def f(x):
        y = np.sin(x)
        for k in range(3):
            y[k] = y[k] * 2.0
        return y * y + 1.0

    compiled = jit(f)
    assert "setitem" not in jit(f, exact=True).program(X)
    before = X.copy()
    assert_allclose(compiled(X), f(X), rtol=1e-15)
    assert_array_equal(X, before)


@pytest.mark.parametrize("f", [
    lambda x: x, lambda x: (x, x), lambda x: x[1:], lambda x: (x + 1.0, (x + 1.0)[1:]), lambda x: [np.ones(2), x.T],
    lambda x: (np.exp(x), np.exp(x)), lambda x: (lambda y: (y, y.reshape(3, 1), y * 2.0))(np.exp(x)),
])  # fmt: skip
def test_results_are_arrays_of_the_callers_own(f):
    compiled, x = jit(f), X.copy()
    first = flatten(compiled(x))[0]
    expected = [part.copy() for part in flatten(f(x))[0]]
    for k, part in enumerate(first):
        part[...] = 99.0
        for other, right in list(zip(first, expected, strict=True))[k + 1 :]:
            assert_array_equal(other, right)
    for one, other in zip(flatten(compiled(x))[0], expected, strict=True):
        assert_array_equal(one, other)
    assert_array_equal(x, X)


# ---------------------------------------------------------------------------------------------------------------- paths


def test_each_way_is_recorded_once():
    calls = []

    def f(x):
        calls.append(x)
        return x * x if x > 0 else -x if x > -1 else x

    compiled = jit(grad(f))
    for x in (2.0, -0.5, -3.0, 3.0, -0.25, -7.0, 2.0):
        assert compiled(x) == (2 * x if x > 0 else -1.0 if x > -1 else 1.0)
    assert len(calls) == 3
    assert len(compiled.stats()[0]["paths"]) == 3


def test_a_loop_until_it_has_converged():
    def root(a):
        x, n = a, 0
        while abs(x * x - a) > 1e-12:
            x, n = 0.5 * (x + a / x), n + 1
        return x

    compiled = jit(value_and_grad(root))
    for a in (2.0, 3.0, 50.0, 1e4, 2.5):
        assert_allclose(compiled(a), (np.sqrt(a), 0.5 / np.sqrt(a)), rtol=1e-9)


def test_too_many_ways_are_said_once():
    compiled = jit(lambda x: x * float(np.argsort(np.sort(x))[0] + np.floor(np.abs(stop_gradient(x[0])))), max_paths=3)
    with pytest.warns(UserWarning, match=r"it went 3 ways, .*write np\.where") as noted:
        found = [compiled(X + k) for k in range(6)]
    assert_array_equal(found, [(X + k) * float(np.floor(np.abs(X[0] + k))) for k in range(6)])
    assert len(noted) == 1
    assert compiled.program(X).startswith("# <lambda> is called as it stands: it went 3 ways")


def test_the_line_that_decides_too_often_is_named():
    """A branch for each element of a loop; and a loop whose rounds depend on values."""

    def branches(x):
        s = 0.0
        for k in range(len(x)):
            if x[k] > 0:
                s = s + x[k] ** 2
        return s

    def halves(x):
        s = np.sum(x * x)
        while s > 1e-3:
            s = 0.5 * s
        return s

    for f, line in ((branches, r"if x\[k\] > 0:"), (halves, r"while s > 1e-3:")):
        compiled, rng = jit(f, max_paths=4), np.random.default_rng(0)
        points = [rng.normal(size=8) * 3.0**scale for scale in range(12)]
        with pytest.warns(UserWarning, match=f"it went 4 ways, the last from {line} .*write np.where") as noted:
            found = list(map(compiled, points))
        assert_allclose(found, list(map(f, points)), rtol=1e-12)
        assert len(noted) == 1
        assert len(compiled.stats()[0]["paths"]) == 4


def test_a_branch_that_is_nan_or_infinite():
    f = lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0) * x)
    compiled = jit(grad(f))
    for x in (X, np.zeros(3), np.array([0.0, 1.0, -1.0]), X, np.array([np.nan, 1.0, np.inf])):
        assert_array_equal(compiled(x), grad(f)(x))


@pytest.mark.parametrize("exact", [False, True])
def test_a_zero_among_arguments_is_one_against_nan(exact):
    """As in the function itself: an argument that nothing is differentiated by is a constant factor."""
    f = grad(lambda x, y: np.sum(np.exp(-x * x) * y))
    compiled = jit(f, exact=exact)
    for wrong, at in ((0.5, 1), (np.nan, 1), (np.inf, 1), (np.nan, 0), (np.nan, 1), (0.5, 0)):
        x, y = np.array([-0.75, wrong, 0.5]), np.array([-0.5, 2.0, 0.25])
        for zero in (0.0, -0.0):
            y[at] = zero
            assert_allclose(compiled(x, y), f(x, y), rtol=1e-15)


# ---------------------------------------------------------------------------------------------- arguments and results


@dataclass
class Point:
    x: object
    y: object


def test_forms_of_arguments():
    compiled = jit(lambda x, n=2: x**n)
    for x in (2.0, np.float64(2.0), np.float32(2.0), X, X.astype(np.float32), X[::-1], np.array(2.0), X + 1j, 2.0 + 1j):
        for n in (2, 3):
            found, expected = compiled(x, n=n), x**n
            assert_array_equal(found, expected)
            assert np.result_type(found) == np.result_type(expected)
    assert len(compiled.stats()) <= FORMS


def test_structures():
    f = lambda point, scale, *, more: {"a": [point.x * scale[0], None], "b": (more["c"] + point.y, "text", 3)}
    compiled = jit(f)
    for k in (1.0, 2.0):
        found = compiled(Point(X, k), (k,), more={"c": X * k})
        expected = f(Point(X, k), (k,), more={"c": X * k})
        assert_array_equal(found["a"][0], expected["a"][0])
        assert found["a"][1] is None
        assert_array_equal(found["b"][0], expected["b"][0])
        assert found["b"][1:] == ("text", 3)
    assert len(compiled.stats()) == 1


@dataclass
class Scaled:
    x: object
    how: str = field(metadata={"static": True})


def test_what_is_no_leaf_is_part_of_the_form():
    f = lambda scaled: scaled.x * (2.0 if scaled.how == "twice" else 3.0)
    compiled = jit(f)
    for how in ("twice", "thrice", "twice"):
        assert_array_equal(compiled(Scaled(X, how)), f(Scaled(X, how)))
    with_text = jit(lambda x, how: x * (2.0 if how == "twice" else 3.0))
    assert (with_text(1.0, "twice"), with_text(1.0, "thrice"), with_text(2.0, how="twice")) == (2.0, 3.0, 4.0)
    of_keys = jit(lambda d: sum(d.values()) * len(d) + (1.0 if "a" in d else 0.0))
    assert (of_keys({"a": 1.0}), of_keys({"b": 1.0}), of_keys({"a": 1.0, "b": 2.0})) == (2.0, 1.0, 7.0)


@pytest.mark.parametrize("operator", [grad, value_and_grad, hessian, jacobian], ids=lambda operator: operator.__name__)
def test_operators(operator):
    f = jacobian(np.cumsum) if operator is None else lambda x: np.sum(np.sin(x) * x) ** 2
    compiled = jit(operator(f))
    for x in (X, X + 0.1):
        assert_same(outcome(compiled, [x]), outcome(operator(f), [x]))


def test_inside_a_derivative_it_is_the_function():
    f = lambda x: np.sum(np.sin(x) * x)
    compiled = jit(f, exact=True)
    assert_array_equal(grad(compiled)(X), grad(f)(X))
    assert_array_equal(hvp(compiled)(X, X), hvp(f)(X, X))
    assert_array_equal(jvp(jit(grad(compiled), exact=True), [X], [X])[1], jvp(grad(f), [X], [X])[1])
    assert_allclose(jit(lambda x: compiled(x) * 2.0)(X), 2.0 * f(X), rtol=1e-15)


class Model:
    def __init__(self, scale):
        self.scale = scale

    @jit
    def value(self, x):
        return self.scale * x

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


def test_methods_functions_with_state_and_what_cannot_be_recorded():
    assert Model(2.0).value(3.0) == 6.0
    assert Model(5.0).value(3.0) == 15.0
    writes = jit(lambda x: (x.__setitem__(0, 7.0), x)[1])
    for _ in range(2):
        x = X.copy()
        assert_array_equal(writes(x), [7.0, *X[1:]])
        assert x[0] == 7.0
    reads = jit(lambda x: float(x) * 2.0)
    assert (reads(2.0), reads(3.0)) == (4.0, 6.0)
    assert "cannot be recorded" in reads.stats()[0]["eager"]
    assert jit(lambda x: object)(2.0) is object
    assert jit(lambda x: x)("text") == "text"


def square(x):
    return x * x


def test_pickle_copy_and_names():
    compiled = jit(square)
    assert compiled(3.0) == 9.0
    again = pickle.loads(pickle.dumps(compiled))
    assert again(4.0) == 16.0
    assert copy.copy(compiled) is compiled
    assert copy.deepcopy(compiled) is compiled
    assert repr(compiled) == "jit(square)"
    assert compiled.__name__ == "square"


def test_constants_are_those_of_the_recording():
    data = np.array([1.0, 2.0, 3.0])
    compiled = jit(lambda x: np.sum(x * data))
    assert compiled(X) == np.sum(X * data)
    assert any(np.array_equal(x, data) for x in compiled.constants())
    before = data.copy()
    data[:] = 0.0
    assert compiled(X) == np.sum(X * before)


def test_threads():
    compiled, found = jit(grad(lambda x: np.sum(np.sin(x) * x) if x[0] > 0 else np.sum(x))), {}

    def work(k):
        x = X * (1.0 if k % 2 else -1.0)
        found[k] = [compiled(x) for _ in range(50)]

    threads = [threading.Thread(target=work, args=[k]) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, results in found.items():
        for result in results:
            assert_array_equal(result, np.cos(X) * X + np.sin(X) if k % 2 else np.ones(3))


# ------------------------------------------------------------------------------------------------------ what is wrong


def test_random_numbers_are_found():
    rng = np.random.default_rng(0)
    with pytest.raises(RuntimeError, match="two calls at the same arguments did different things"):
        jit(lambda x: x * rng.normal(), check=True)(2.0)
    with pytest.raises(RuntimeError, match="its program gives something else"):
        jit(lambda x: x if isinstance(x, float) else 2.0 * x, check=True)(2.0)
    assert jit(lambda x: x * 2.0, check=True)(2.0) == 4.0


def test_a_decision_by_a_rounded_value_is_no_difference():
    """Where machine code has another last digit than NumPy, the function is called as it stands."""
    xs = np.linspace(0.1, 2.0, 4000)
    other = xs[jit(np.exp)(xs) != np.exp(xs)]
    for x in (*other[:2].tolist(), 0.5):
        value = float(np.exp(x))
        f = lambda x, value=value: 2.0 * np.exp(x) if np.exp(x) == value else 3.0 * x
        assert jit(f, check=True)(x) == pytest.approx(2.0 * value)


@pytest.mark.parametrize("outside", [itertools.count(1.0).__next__, time.perf_counter, np.random.default_rng(0).normal])
def test_counters_and_clocks_are_found(outside):
    with pytest.raises(RuntimeError, match="give it what it draws or counts as arguments"):
        jit(lambda x: x * outside(), check=True)(2.0)


def test_what_was_taken_from_outside_is_listed():
    compiled = jit(lambda x: x * SCALE + np.sum(X) * dmath.sin(x))
    compiled(2.0)
    assert SCALE in compiled.constants()
    assert np.sum(X) in compiled.constants()


SCALE = 3.25


def test_errors_are_those_of_the_function():
    compiled = jit(lambda x, y: x @ y)
    for _ in range(2):
        with pytest.raises(ValueError, match="matmul"):
            compiled(np.ones((2, 2)), np.ones(3))
    divided = jit(lambda x: 1.0 / x)
    assert divided(2.0) == 0.5
    with pytest.raises(ZeroDivisionError) as raised:
        divided(0.0)
    assert raised.value.__context__ is None  # nothing is said of how the program left off


@pytest.mark.parametrize("exact", [False, True])
def test_a_derivative_raises_where_its_function_does(exact):
    cases = (
        (dmath.log, 2.0, -1.0, ValueError),
        (dmath.exp, 1.0, 1e3, OverflowError),
        (lambda x: 3.0 / x, 2.0, 0.0, ZeroDivisionError),
    )
    for f, right, wrong, error in cases:
        compiled = jit(grad(f), exact=exact)
        assert_allclose(compiled(right), grad(f)(right), rtol=1e-15)
        for g in (grad(f), compiled):
            with pytest.raises(error):
                g(wrong)
        assert_allclose(compiled(right), grad(f)(right), rtol=1e-15)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("decorated", [elementwise(lambda x: 2.0 * x), black_box], ids=["elementwise", "black_box"])
@pytest.mark.parametrize("point", [2.0, np.array([1.0, 2.0])], ids=["number", "array"])
def test_a_function_of_the_users_raises_though_nothing_reads_its_value(decorated, point, exact):
    @decorated
    def picky(x):
        if np.any(np.asarray(x) < 0.0):
            raise LookupError("no such place")
        return x * x

    def f(x):
        picky(x)
        return x + 1.0

    compiled = jit(f, exact=exact)
    assert_array_equal(compiled(point), point + 1.0)
    for g in (f, compiled, compiled):
        with pytest.raises(LookupError, match="no such place"):
            g(-point)
    assert_array_equal(compiled(point), point + 1.0)


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "16"])
@pytest.mark.parametrize("name", ["max_paths", "max_steps", "threads"])
def test_counts_are_whole_numbers(name, count):
    with pytest.raises(ValueError, match=rf"{name} is a whole number of at least 1"):
        jit(np.sin, **{name: count})


def test_too_many_operations_are_said_once():
    def chain(x):
        for _ in range(50):
            x = np.sin(x) + 1.0
        return x

    compiled = jit(chain, max_steps=99)
    with pytest.warns(UserWarning, match=r"it has 100 operations, more than max_steps=99.*one round") as noted:
        assert [compiled(2.0), compiled(2.0)] == [chain(2.0)] * 2
    assert len(noted) == 1
    assert jit(chain, max_steps=100)(2.0) == pytest.approx(chain(2.0), rel=1e-14)


def test_constants_are_those_of_the_function():
    compiled = jit(lambda x: np.sum(np.triu(x) * np.arange(9).reshape(3, 3)))
    assert compiled(np.ones((3, 3))) == 20.0
    (found,) = [x for x in compiled.constants() if np.ndim(x)]
    assert_array_equal(found, np.arange(9).reshape(3, 3))


def test_stats_tell_what_each_phase_took():
    weights = np.linspace(0.0, 1.0, 300)
    compiled = jit(grad(lambda x: np.sum(np.sin(x) * weights)))
    compiled(np.ones(300))
    ((path,),) = (form["paths"] for form in compiled.stats())
    steps = list(path["after"].values())
    assert path["recorded"] == steps[0] >= steps[1] >= steps[-1] == path["lines"] > 0
    assert all(seconds >= 0 for seconds in path["phases"].values())
    assert 0 < path["phases"]["record"] < path["seconds"] == pytest.approx(sum(path["phases"].values()))
    assert path["bytes"] >= weights.nbytes
