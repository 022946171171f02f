"""Difference quotients against 50-digit references, and the two checks that are built on them."""

import math
from collections import deque
from math import inf, nan, pi

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

import dualnumbers.dmath as dmath
from autodiff import check_derivative, check_gradient, derivative, gradient
from autodiff.differences.quotients import difference_quotient
from autodiff.forward import check_derivative as check_derivative_of_forward
from autodiff.reverse import check_gradient as check_gradient_of_reverse

SMOOTH = {
    "sin": lambda m, x: m.sin(x),
    "bell": lambda m, x: m.exp(-x * x),
    "atan": lambda m, x: m.atan(x),
    "pole": lambda m, x: 1 / x,
    "log": lambda m, x: m.log(x * x),
    "root": lambda m, x: m.sqrt(1 + x * x),
    "cubic": lambda m, x: x * x * x - 2 * x,
    "mixed": lambda m, x: m.sin(3 * x) * m.exp(x / 5),
    "offset": lambda m, x: 1e6 + m.sin(x),
    "cancelling": lambda m, x: 1 - m.cos(x),
    "fast": lambda m, x: m.sin(50 * x) + x,
}
"""Functions of a module that has sin and so on (math, dmath or mpmath), and a number."""


def exact(f, x):
    """The derivative to 50 digits, by differences of 150."""
    with mp.workdps(150):
        x = mp.mpf(x)
        h = abs(x) * mp.mpf(10) ** -50 or mp.mpf(10) ** -50
        return (f(mpmath, x + h) - f(mpmath, x - h)) / (2 * h)


def miss(f, x):
    """How far the quotient is from the truth, and its error."""
    value, error = difference_quotient(lambda y: f(math, y), 0, [x])
    return float(abs(mp.mpf(value) - exact(f, x))), error


# ------------------------------------------------------------------------------------------- value and error


@pytest.mark.parametrize("f", SMOOTH.values(), ids=SMOOTH)
@pytest.mark.parametrize("x", [0.7, -2.5, 1e-3, 3e-7, -1e-12, 40.0, -3e3])
def test_the_error_is_honest(f, x):
    missed, error = miss(f, x)
    assert missed <= 4 * error


@given(st.sampled_from(sorted(SMOOTH)), st.floats(0.01, 5.0), st.sampled_from([1, -1]))
def test_smooth_functions_have_nine_digits(name, x, sign):
    f = SMOOTH[name]
    missed, error = miss(f, sign * x)
    scale = abs(f(math, sign * x)) + float(abs(exact(f, sign * x)))
    assert missed <= 4 * error
    assert error <= 1e-9 * scale


@pytest.mark.parametrize(
    ("f", "x", "truth"),
    [
        (lambda x: x, 5e-324, 1.0),
        (math.sin, 1e-300, 1.0),
        (math.atan, -1e-200, 1.0),
        (lambda x: x * x, 1e-12, 2e-12),
        (lambda x: 1 / x, 1e-100, -1e200),
        (math.log, 1e-12, 1e12),
        (lambda x: x * x, 1e12, 2e12),
        (lambda x: 1 / x, 1e12, -1e-24),
        (math.log, 1e300, 1e-300),
        (math.sqrt, 1e300, 5e-151),
        (math.exp, 700.0, math.exp(700.0)),
    ],
)
def test_the_step_has_the_scale_of_the_argument(f, x, truth):
    value, error = difference_quotient(f, 0, [x])
    assert value == pytest.approx(truth, rel=1e-11)
    assert error <= 1e-10 * abs(truth)


@pytest.mark.parametrize("f", [lambda x: 1 + x, lambda x: 1 + math.sin(x), lambda x: math.exp(100 * x) / 100])
@pytest.mark.parametrize("x", [0.0, 1e-300, -1e-12])
def test_the_step_is_not_small_because_the_argument_is(f, x):
    value, error = difference_quotient(f, 0, [x])
    assert abs(value - 1) <= 4 * error + 1e-9
    assert error < 1e-11


@pytest.mark.parametrize(
    ("f", "x", "truth"),
    [
        (lambda x: math.sin(1e6 * x), 1.0, 1e6 * math.cos(1e6)),
        (lambda x: math.tanh(1e6 * (x - 1)), 1.0, 1e6),
        (lambda x: math.cos(2 * pi * 8 * x + 1), 1.0, -16 * pi * math.sin(1)),
        (lambda x: math.cos(2 * pi * 1024 * x + 1), 1.0, -2048 * pi * math.sin(1)),
        (lambda x: x + 1e-8 * math.sin(1e8 * x), 1.0, 1 + math.cos(1e8)),
        (math.sin, 1e12, math.cos(1e12)),
    ],
    ids=["steep", "steeper", "period", "short period", "ripple", "far away"],
)
def test_a_scale_that_is_short_beside_the_argument_is_found(f, x, truth):
    value, error = difference_quotient(f, 0, [x])
    assert abs(value - truth) <= 4 * error
    assert error <= 1e-6 * abs(truth)


FAR = {
    "sin": (np.sin, np.cos),
    "x sin": (lambda x: x * np.sin(x), lambda x: np.sin(x) + x * np.cos(x)),
    "sin² + log": (lambda x: np.sin(x) ** 2 + np.log(abs(x)), lambda x: 2 * np.sin(x) * np.cos(x) + 1 / x),
}


@pytest.mark.parametrize("name", FAR)
@pytest.mark.parametrize("x", [-7.1e11, 1e12, 3.3e13, 1e14, -7.1e14])
def test_an_oscillation_is_followed_down_to_the_last_place_of_the_argument(name, x):
    f, slope = FAR[name]
    assert check_derivative(f, 0, [x], slope(x))
    assert not check_derivative(f, 0, [x], slope(x) * 1.001 + 0.001)


@pytest.mark.parametrize("name", FAR)
@pytest.mark.parametrize("x", [3.3e15, 1e16, -7.1e16])
def test_what_no_step_resolves_is_not_judged(name, x):
    f, slope = FAR[name]
    assert difference_quotient(f, 0, [x])[1] == inf
    assert check_derivative(f, 0, [x], slope(x))


@pytest.mark.parametrize("x", [0.0, 3.0, -1e-12, 1e12])
@pytest.mark.parametrize(("f", "slope"), [(lambda x: 3.5, 0), (lambda x: 7 * x - 2, 7), (lambda x: 0 * x, 0)])
def test_constants_and_lines(f, slope, x):
    value, error = difference_quotient(f, 0, [x])
    assert value == pytest.approx(slope, rel=1e-13, abs=1e-13)
    assert error < 1e-13


def test_single_precision_inside_is_no_plateau():
    value, error = difference_quotient(lambda x: float(np.float32(math.sin(x))), 0, [1.0])
    assert abs(value - math.cos(1.0)) <= 4 * error
    assert error < 1e-4


def test_noise_is_not_taken_for_a_slope():
    noise = np.random.default_rng(5)
    value, error = difference_quotient(lambda x: math.sin(x) + 1e-10 * noise.normal(), 0, [1.0])
    assert abs(value - math.cos(1.0)) <= 4 * error
    assert 1e-12 < error < 1e-6


# ------------------------------------------------------------------------------------------- kinks, ends, infinities


@pytest.mark.parametrize("x", [0.0, 1.0, -3e7])
def test_a_kink_has_half_the_gap_as_error(x):
    value, error = difference_quotient(lambda y: 2 * max(y - x, 0), 0, [x])
    assert value == pytest.approx(1.0)
    assert error == pytest.approx(1.0)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("side", [1, -1])
def test_near_a_kink_the_slope_is_that_of_its_side(distance, side):
    value, error = difference_quotient(lambda x: abs(x - 1) + x, 0, [1 + side * distance])
    assert value == pytest.approx(1 + side, abs=1e-4)
    assert error < 1e-3


def test_a_kink_at_a_tiny_argument():
    value, error = difference_quotient(lambda x: 1 + abs(x), 0, [1e-12])
    assert abs(value - 1) <= error < 0.01


@pytest.mark.parametrize(("f", "slope"), [(math.sqrt, inf), (np.cbrt, inf), (lambda x: -(x**0.9), -inf)])
def test_an_infinite_slope(f, slope):
    assert difference_quotient(f, 0, [0.0]) == (slope, 0.0)


def test_a_step_has_no_slope():
    _, error = difference_quotient(math.floor, 0, [2.0])
    assert error > 1


@pytest.mark.parametrize("power", [1.1, 1.5, 2.5])
def test_the_end_of_a_domain(power):
    value, error = difference_quotient(lambda x: x**power, 0, [0.0])
    assert abs(value) <= error < 0.1


def test_where_f_is_not_finite_nothing_is_known():
    assert difference_quotient(lambda x, y: y, 0, [nan, 1.0])[0] == 0
    for f, x in ((lambda x: x, nan), (lambda x: x, inf), (lambda x: x * nan, 1.0), (np.log, 0.0)):
        with np.errstate(all="ignore"):
            value, error = difference_quotient(f, 0, [x])
        assert (math.isnan(value), error) == (True, inf)


# ------------------------------------------------------------------------------------------- arguments and outputs


def test_an_array_has_the_full_partial():
    matrix, x = np.arange(6.0).reshape(2, 3), np.array([0.5, 0.0, -2.0])
    value, error = difference_quotient(lambda x: np.sin(matrix @ x), 0, [x])
    assert value.shape == error.shape == (2, 3)
    assert np.all(abs(value - np.cos(matrix @ x)[:, None] * matrix) <= 4 * error)
    assert np.all(error < 1e-10)


def test_structures_keep_their_shape():
    args = [{"a": 1, "b": (np.float32(2), [np.ones((2, 2))])}, "name"]
    value, error = difference_quotient(lambda d, name: d["a"] * d["b"][0] * d["b"][1][0].sum(), 0, args)
    assert value["a"] == pytest.approx(8)
    assert isinstance(value["a"], float)
    assert value["b"][0] == pytest.approx(4)
    assert value["b"][1][0] == pytest.approx(np.full((2, 2), 2))
    assert error["b"][1][0].shape == (2, 2)


def test_mixed_partials():
    value, error = difference_quotient(lambda x, y: x**2 * y**3, (0, 1, 1), [2.0, 3.0])
    assert abs(value - 72) <= error < 1e-6
    value, error = difference_quotient(lambda x, y: np.outer(x, y**2), (0, 1), [np.ones(2), np.array([3.0])])
    assert value.shape == (2, 1, 2, 1)
    assert value.squeeze() == pytest.approx(6 * np.eye(2))


def test_single_precision_is_evaluated_in_double():
    x = np.array([1, 2], np.float32)
    value, error = difference_quotient(lambda x: np.sin(x).sum(), 0, [x])
    assert value.dtype == error.dtype == np.float64
    assert value == pytest.approx(np.cos([1, 2]), rel=1e-12)


def test_complex_points():
    z = 0.3 - 0.7j
    value, error = difference_quotient(np.exp, 0, [z])
    assert abs(value - np.exp(z)) <= error < 1e-12
    value, error = difference_quotient(np.conj, 0, [z])
    assert (value, error) == (0, pytest.approx(1))
    value, error = difference_quotient(lambda z: abs(z) ** 2, 0, [z])
    assert abs(value - 2 * z) <= error < 1e-12


def test_an_empty_array():
    value, error = difference_quotient(lambda x: 2 * x, 0, [np.zeros((0, 2))])
    assert value.shape == error.shape == (0, 2, 0, 2)


def test_what_f_writes_is_not_seen_by_the_next_call():
    def in_place(x, y):
        x *= y
        y += 1
        return x

    x, y = np.array([3.0]), np.array([5.0])
    value, _ = difference_quotient(in_place, 0, [x, y])
    assert value == pytest.approx(5)
    assert (x[0], y[0]) == (3.0, 5.0)


def test_the_order_of_memory_is_kept():
    seen = []
    x = np.asfortranarray(np.ones((2, 3)))
    difference_quotient(lambda x: seen.append(x.flags.f_contiguous) or x.sum(), 0, [x])
    assert all(seen)


def test_bad_input():
    with pytest.raises(IndexError, match="1 argument"):
        difference_quotient(math.sin, 1, [1.0])
    with pytest.raises(TypeError, match="index"):
        difference_quotient(math.sin, 1.0, [1.0])
    with pytest.raises(ValueError, match="'u' is no parameter of sin"):
        difference_quotient(math.sin, "u", [1.0])
    with pytest.raises(TypeError, match="empty"):
        difference_quotient(math.sin, (), [1.0])
    with pytest.raises(TypeError, match="list of all arguments"):
        difference_quotient(math.sin, 0, 1.0)
    with pytest.raises(TypeError, match="returned"):
        difference_quotient(lambda x: "text", 0, [1.0])
    with pytest.raises(TypeError, match="cannot differentiate"):
        difference_quotient(len, 0, ["text"])
    with pytest.raises(TypeError, match="plain values"):
        derivative(lambda x: difference_quotient(lambda y: y, 0, [x])[0], 0, [1.0])
    with pytest.raises(TypeError, match="carries a derivative"):
        derivative(lambda x: difference_quotient(lambda y: x * y, 0, [2.0])[0], 0, [1.0])
    with pytest.raises(ValueError, match="shape"):
        difference_quotient(lambda x: np.ones(2 if x > 1 else 3), 0, [1.0])
    with pytest.raises(ZeroDivisionError):
        difference_quotient(lambda x: 1 / x, 0, [0.0])


# ------------------------------------------------------------------------------------------- check_derivative


def test_the_published_example():
    def f(x, y, z):
        return dmath.sin(x ** (y + z)) - 3 * z * dmath.log((x**2) * (y**3))

    for args in ([0.5, 4, -2.3], (0.5, 4, -2.3), np.array([0.5, 4, -2.3]), deque([0.5, 4, -2.3])):
        suspect = derivative(f, 1, args)
        assert check_derivative(f, 1, args, suspect) is True
        assert check_derivative(f, 1, args, suspect * (1 + 1e-6)) is False
        assert check_gradient(f, args, gradient(f, args))
    assert check_derivative_of_forward is check_derivative
    assert check_gradient_of_reverse is check_gradient


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (dmath.sin, 1e-12),
        (dmath.sin, 0.0),
        (dmath.sin, 1e12),
        (lambda x: x * x, 1e-12),
        (lambda x: x * x, 1e12),
        (lambda x: 1 / x, 1e12),
        (lambda x: 1 / x, -1e-12),
        (dmath.log, 1e-300),
        (dmath.log, 1e300),
        (dmath.exp, 700.0),
        (lambda x: dmath.exp(1000 * x), 0.3),
        (lambda x: dmath.sin(1000 * x), 2.0),
        (lambda x: abs(x - 1), 1 + 1e-9),
        (lambda x: 1 + x, -1e-12),
        (lambda x: 7 * x - 2, 3.0),
    ],
)
def test_right_passes_and_wrong_does_not(f, x):
    truth = derivative(f, 0, [x])
    assert check_derivative(f, 0, [x], truth)
    assert not check_derivative(f, 0, [x], truth * (1 + 1e-6))
    assert not check_derivative(f, 0, [x], truth * (1 - 1e-6))
    assert not check_derivative(f, 0, [x], -truth)
    assert not check_derivative(f, 0, [x], 0.0)
    assert not check_derivative(f, 0, [x], nan)
    assert not check_derivative(f, 0, [x], inf)


@given(st.sampled_from(sorted(SMOOTH)), st.floats(-5.0, 5.0).filter(lambda x: abs(x) > 1e-9))
def test_exact_derivatives_always_pass(name, x):
    def f(y):
        return SMOOTH[name](dmath, y)

    assert check_derivative(f, 0, [x], float(exact(SMOOTH[name], x)))
    assert check_derivative(f, 0, [x], derivative(f, 0, [x]))


def test_ten_printed_digits_are_enough():
    assert check_derivative(lambda x: dmath.sin(x) ** dmath.sin(x), 0, [pi / 4], 0.3616192241)


def test_at_a_kink_every_slope_between_passes():
    for slope in (-1.0, 0.0, 0.3, 1.0):
        assert check_derivative(abs, 0, [0.0], slope)
    assert not check_derivative(abs, 0, [0.0], 9.0)


def test_infinities_and_nans_are_in_their_places():
    assert check_derivative(math.sqrt, 0, [0.0], inf)
    assert not check_derivative(math.sqrt, 0, [0.0], -inf)
    assert not check_derivative(math.sqrt, 0, [0.0], 1e9)
    x = np.array([nan, 2.0])
    assert check_derivative(np.sin, 0, [x], np.array([[nan, nan], [0, np.cos(2)]]))
    assert check_derivative(np.exp, 0, [x[1:]], derivative(np.exp, 0, [x[1:]]))
    assert not check_derivative(np.sin, 0, [x], np.diag([0, np.cos(2)]))
    assert not check_derivative(np.sin, 0, [x], np.full((2, 2), nan))


def test_arrays_are_checked_element_by_element():
    matrix, x = np.arange(6.0).reshape(2, 3), np.array([0.5, 0.0, -2.0])
    truth = np.cos(matrix @ x)[:, None] * matrix
    assert check_derivative(lambda x: np.sin(matrix @ x), 0, [x], truth)
    assert check_derivative(lambda x: np.sin(matrix @ x), 0, [x], truth.tolist())
    for position in np.ndindex(truth.shape):
        wrong = truth.copy()
        wrong[position] += 1e-6
        assert not check_derivative(lambda x: np.sin(matrix @ x), 0, [x], wrong)


def test_single_precision_is_judged_as_such():
    x = np.linspace(0.5, 3.0, 4, dtype=np.float32)
    suspect = derivative(lambda x: np.exp(x).sum(), 0, [x])
    assert suspect.dtype == np.float32
    assert check_derivative(lambda x: np.exp(x).sum(), 0, [x], suspect)
    assert not check_derivative(lambda x: np.exp(x).sum(), 0, [x], suspect * np.float32(1.001))


def test_mixed_and_structured_suspects():
    def f(p, q):
        return p["w"] @ p["w"] * p["b"] * q

    args = [{"w": np.array([1.0, 2.0]), "b": 3.0}, 2.0]
    assert check_derivative(lambda x, y: dmath.sin(x * y), (0, 1), [1.0, 2.0], math.cos(2) - 2 * math.sin(2))
    assert not check_derivative(lambda x, y: dmath.sin(x * y), (0, 1), [1.0, 2.0], math.cos(2))
    assert check_derivative(f, 0, args, derivative(f, 0, args))
    assert check_derivative(f, 0, args, {"b": 10.0, "w": [12.0, 24.0]})
    assert not check_derivative(f, 0, args, {"b": 10.0, "w": [12.0, 24.1]})
    assert check_derivative(f, (0, 1), args, {"b": 5.0, "w": [6.0, 12.0]})


@pytest.mark.parametrize("suspect", [[2.0], np.array([2.0]), np.ones((1, 1))])
def test_a_suspect_of_another_shape_is_an_error(suspect):
    with pytest.raises(ValueError, match=r"shape \(1,.*the derivative has shape \(\)"):
        check_derivative(lambda x: x * x, 0, [1.0], suspect)


def test_a_suspect_that_would_broadcast_is_an_error():
    with pytest.raises(ValueError, match=r"shape \(\), the derivative has shape \(2, 2\)"):
        check_derivative(np.sin, 0, [np.zeros(2)], 1.0)


def test_a_suspect_of_another_structure_or_type_is_an_error():
    with pytest.raises(ValueError, match="structure"):
        check_derivative(lambda d: d["a"], 0, [{"a": 1.0}], {"b": 1.0})
    with pytest.raises(ValueError, match="structure"):
        check_derivative(lambda d: d["a"], 0, [{"a": 1.0}], 1.0)
    with pytest.raises(ValueError, match="structure"):
        check_derivative(lambda d: d[0], 0, [(1.0, 2.0)], (1.0,))
    with pytest.raises(TypeError, match="number"):
        check_derivative(math.sin, 0, [1.0], "1.0")
    with pytest.raises(TypeError, match="number"):
        check_derivative(math.sin, 0, [1.0], None)


# ------------------------------------------------------------------------------------------- check_gradient


@pytest.mark.parametrize("kind", [list, tuple, np.array, deque])
@pytest.mark.parametrize("kind_of_suspect", [list, tuple, np.array, deque])
def test_gradients_of_any_kind_of_sequence(kind, kind_of_suspect):
    args, truth = kind([3.0, 2.0]), [4.0, 12.0]
    assert check_gradient(lambda x, y: x * y**2, args, kind_of_suspect(truth)) is True
    assert check_gradient(lambda x, y: x * y**2, args, kind_of_suspect([4.0, 12.0001])) is False
    assert check_gradient(lambda x, y: x * y**2, args, kind_of_suspect([4.00001, 12.0])) is False


def test_gradients_of_arrays_and_structures():
    def loss(p, x):
        return ((p["w"] @ x + p["b"]) ** 2).sum()

    args = [{"w": np.arange(6.0).reshape(2, 3), "b": np.ones(2)}, np.array([0.1, 0.2, 0.3])]
    suspect = gradient(loss, args)
    assert check_gradient(loss, args, suspect)
    suspect[0]["w"][1, 2] *= 1 + 1e-6
    assert not check_gradient(loss, args, suspect)


def test_the_gradient_of_complex_arguments_is_that_of_grad():
    z = np.array([1 + 2j, 3 - 1j])
    suspect = gradient(lambda z: (abs(z) ** 2).sum(), [z])
    assert check_gradient(lambda z: (abs(z) ** 2).sum(), [z], suspect)
    assert not check_gradient(lambda z: (abs(z) ** 2).sum(), [z], [np.conj(suspect[0])])


def test_bad_gradients_are_errors():
    with pytest.raises(ValueError, match="3 partials"):
        check_gradient(lambda x, y: x * y, [1.0, 2.0], [2.0, 1.0, 0.0])
    with pytest.raises(ValueError, match=r"suspect\[1\] has shape \(1,\)"):
        check_gradient(lambda x, y: x * y, [1.0, 2.0], [2.0, [1.0]])
    with pytest.raises(TypeError, match="sequence"):
        check_gradient(lambda x: x, [1.0], 1.0)
    with pytest.raises(TypeError, match="array of shape"):
        check_gradient(np.sin, [np.ones(2)], [np.ones(2)])


@pytest.mark.parametrize("f", [lambda x, y: x + y, lambda x, y: 4 * (x + np.sin(y)), lambda x, y: x**2 + y])
def test_a_mixed_partial_that_is_zero_is_told_from_another(f):
    assert check_derivative(f, (0, 1), [1.0, 1.0], 0.0)
    assert not check_derivative(f, (0, 1), [1.0, 1.0], 1e-6)
