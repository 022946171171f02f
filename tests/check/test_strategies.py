"""Strategies of hypothesis for a user's own function: what they draw, what the drawn checks find, what they cost."""

import math
import sys
from math import inf

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import dualnumbers.dmath as dmath
from autodiff import elementwise, grad, smooth, value_of
from autodiff.check import GradcheckError, strategies
from autodiff.check.along import along, check_along
from autodiff.check.smoothness import distance_to_kinks
from autodiff.custom import Smooth

FEW = settings(max_examples=30, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))

# ---------------------------------------------------------------------------------------------------- what is drawn


@given(strategies.numbers(-3.0, 2.0), strategies.arrays((2, 3), 0.5, 1.0), strategies.arrays(4))
def test_numbers_and_arrays_are_in_their_ranges(x, a, b):
    assert type(x) is float
    assert x == 0.0 or 3e-6 <= abs(x) <= 3.0
    assert x <= 2.0
    assert a.shape == (2, 3)
    assert a.dtype == float
    assert np.all((a >= 0.5) & (a <= 1.0))
    assert b.shape == (4,)


def test_small_ranges_away_from_zero_have_all_their_numbers():
    assert find(strategies.numbers(1e-9, 1.0), lambda x: x < 1e-8) < 1e-8


@pytest.mark.parametrize("ends", [(1.0, 0.0), (-inf, 0.0), (0.0, math.nan)])
def test_a_range_is_finite(ends):
    with pytest.raises(ValueError, match="finite numbers; got"):
        strategies.numbers(*ends)


def test_an_order_is_positive():
    with pytest.raises(ValueError, match="order is 1 or more; got 0"):
        strategies.checks(np.exp, strategies.numbers(), order=0)


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ImportError, match="pip install hypothesis"):
        strategies.numbers()


V = np.array([3.0, -0.25, 1.0])

DISTANCES = {
    "smooth": (lambda x: np.sum(np.sin(x) * x), [V], inf),
    "abs": (lambda x: np.sum(abs(x)), [V], 0.25),
    "comparison": (lambda x, y: x if x > y else y, [1.0, 1.5], 0.5),
    "equality": (lambda x: 1.0 if x == 2.0 else x, [2.5], 0.5),
    "where": (lambda x: np.sum(np.where(x > 0.9, x, -x)), [V], 0.1),
    "maximum": (lambda x: np.sum(np.maximum(x, 0.75)), [V], 0.25),
    "max": (lambda x: np.max(x), [V], 1.25),
    "sort": (lambda x: np.sort(x)[0], [V], 1.25),
    "argmax": (lambda x: x[np.argmax(x)], [V], 1.25),
    "median": (np.median, [V], 1.25),
    "clip": (lambda x: np.sum(np.clip(x, 0.0, 2.5)), [V], 0.25),
    "floor": (lambda x: x * np.floor(x), [2.75], 0.25),
    "rint": (lambda x: x * np.rint(x), [2.75], 0.25),
    "floor_divide": (lambda x: x - (x // 2.0), [2.5], 0.25),
    "sign": (lambda x: x * np.sign(x), [-0.5], 0.5),
    "pole": (lambda x: 1.0 / (x - 1.0), [1.25], 0.25),
    "tan": (dmath.tan, [0.0], 0.5),
    "length": (np.linalg.norm, [np.array([0.3, 0.4])], 0.5),
    "root": (lambda x: np.sqrt(x), [0.25], 0.5),
    "two": (lambda x: abs(x) + abs(x - 1.0), [0.75], 0.25),
    "undefined": (lambda x: dmath.log(x), [-1.0], 0.0),
    "infinite": (lambda x: np.sum(np.log(x)), [np.array([1.0, 0.0])], 0.0),
    "constant": (lambda x: 3.0, [1.0], inf),
    "dict": (lambda d: {"a": abs(d["x"]), "text": "t"}, [{"x": 0.125}], 0.125),
}


@pytest.mark.parametrize(("f", "args", "expected"), DISTANCES.values(), ids=DISTANCES)
def test_distances(f, args, expected):
    assert distance_to_kinks(f, args) == pytest.approx(expected, rel=1e-12)


@given(strategies.points(lambda x, y: abs(x - y) + dmath.log(x), strategies.numbers(), strategies.numbers(), away=0.5))
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_points_are_where_the_function_is_smooth(args):
    x, y = args
    assert x > 0.0
    assert abs(x - y) >= 0.5


# ------------------------------------------------------------------------------------------------- right and wrong


def tree(p, x):
    return {"value": np.tanh(p["w"] @ x + p["b"]), "length": np.linalg.norm(x) * abs(p["b"][0] - 1.0)}


MATRIX, PAIR = strategies.arrays((2, 2), -1, 1), strategies.arrays(2, -1, 1)

RIGHT = {
    "numbers": (lambda x, y: np.exp(-x * x) * np.sin(y) / (1 + y * y), [strategies.numbers(-3, 3)] * 2),
    "kinks": (lambda x: np.sum(np.maximum(x, 0.0) ** 3) + np.max(x) * abs(x[0]), [strategies.arrays(3)]),
    "loop": (lambda a: dmath.sqrt(a) if a > 1 else a**3, [strategies.numbers(0.1, 3.0)]),
    "solve": (lambda m, b: np.linalg.solve(m @ m.T + np.eye(2), b), [MATRIX, PAIR]),
    "complex": (lambda x: np.exp(1j * x), [strategies.numbers(-3, 3)]),
    "structures": (tree, [st.fixed_dictionaries({"w": MATRIX, "b": PAIR}), PAIR]),
    "constant": (lambda x: 2.0, [strategies.numbers()]),
}


@pytest.mark.parametrize(("f", "arguments"), RIGHT.values(), ids=RIGHT)
def test_right_derivatives_pass(f, arguments):
    @FEW
    @given(strategies.checks(f, *arguments, order=4))
    def test(check):
        check()

    test()


slope_of_square = elementwise(lambda x, z: 3.0 * x)(lambda x: x * x)
no_second = elementwise(lambda x, z: np.cos(value_of(x)))(lambda x: np.sin(x))
late = elementwise(lambda x, z: np.cos(x) + 0.01 * (x - value_of(x)) ** 2)(lambda x: np.sin(x))


@smooth(Smooth(lambda dx, z, x: 2.0 * x * dx, lambda g, z, x: 3.0 * x * g))
def two_minds(x):
    return x * x


WRONG = {"first": (slope_of_square, 1), "second": (no_second, 2), "third": (late, 3), "reverse": (two_minds, 1)}


@pytest.mark.parametrize(("f", "order"), WRONG.values(), ids=WRONG)
def test_wrong_derivatives_are_found(f, order):
    @settings(FEW, phases=[Phase.generate])
    @given(strategies.checks(f, strategies.numbers(-2, 2), order=3))
    def test(check):
        check()

    with pytest.raises(GradcheckError, match=r"the derivative of order \d along direction"):
        test()


@pytest.mark.parametrize(("f", "order"), WRONG.values(), ids=WRONG)
def test_wrong_derivatives_are_wrong_from_their_order_on(f, order):
    for n in range(1, order):
        assert check_along(f, [1.5], ("reverse",) * n)
    report = check_along(f, [1.5], ("reverse",) * order)
    assert {finding.order for finding in report.findings} == {order}
    assert "differences" in {finding.against for finding in report.findings}


def test_a_failing_check_says_where():
    check = strategies.Check(two_minds, (1.5,), ("reverse", "forward"), 7)
    assert repr(check) == "two_minds at (1.5,), reverse over forward, along direction 7"
    report = check_along(two_minds, [1.5], ("reverse",))
    assert [finding.against for finding in report.findings] == ["power series", "differences"]
    assert check_along(two_minds, [1.5], ("forward",))


def test_the_direction_and_the_weights_are_those_of_the_seed():
    f = lambda x, y: np.stack([np.sum(x * y), y[0]])
    args = [np.array([1.0, 2.0]), np.array([3.0, -1.0])]
    g, rng = along(f, args, 5), np.random.default_rng(5)
    v, u, w = rng.normal(size=2), rng.normal(size=2), rng.normal(size=2)
    length = np.sqrt(v @ v + u @ u)
    expected = w[0] * (v @ args[1] + u @ args[0]) / length + w[1] * u[0] / length
    assert grad(g)(0.0) == pytest.approx(expected, rel=1e-14)


# -------------------------------------------------------------------------------------------------------- what it costs


@pytest.mark.parametrize("order", [1, 2, 3, 6])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_check_of_any_order_is_a_few_calls(order, mode):
    """Of a function that is expanded well; so hypothesis's deadline stays."""
    calls = []

    def f(x):
        calls.append(1)
        return np.sum(np.exp(-x * x) * np.sin(x))

    assert check_along(f, [np.linspace(-1.0, 1.0, 50)], (mode,) * order)
    assert len(calls) <= 16
