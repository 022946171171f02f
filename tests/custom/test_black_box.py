"""A function of plain values alone: its derivative is a difference quotient, with an error that is looked at."""

import math

import mpmath
import numpy as np
import pytest
from table import JACOBIANS, nestings

from autodiff import Variable, black_box, derivative, grad, gradient, hessian, jacfwd, jacrev, jvp


def simulated(p, x, scale=1.0):
    """Only plain values will do: `float` refuses numbers that carry a derivative."""
    rate, height = map(float, p)
    return scale * np.array([math.exp(-rate * float(x)) * height, math.sin(height * float(x))])


def formula(p, x, scale=1.0):
    return scale * np.stack([np.exp(-p[0] * x) * p[1], np.sin(p[1] * x)])


boxed = black_box(simulated)
P = np.array([0.5, 1.5])


def program(of):
    return lambda p: np.sum(of(p * p, p[0], scale=2.0) ** 2) * p[1]


def test_the_value_is_that_of_the_function():
    np.testing.assert_array_equal(boxed(P, 0.7), simulated(P, 0.7))
    assert boxed.__name__ == "simulated"


def test_first_derivatives_in_both_modes_and_by_hand():
    expected = grad(program(formula))(P)
    for mode in (grad, jacfwd, jacrev):
        np.testing.assert_allclose(mode(program(boxed))(P), expected, rtol=1e-9)
    for k in (0, 1):
        expected = jacfwd(formula, k)(P, 0.7)
        np.testing.assert_allclose(jacfwd(boxed, k)(P, 0.7), expected, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(jacrev(boxed, k)(P, 0.7), expected, rtol=1e-9, atol=1e-11)
    leaf = Variable(P)
    program(boxed)(leaf).backward()
    np.testing.assert_allclose(leaf.grad, grad(program(formula))(P), rtol=1e-9)


def test_second_derivatives_in_all_nestings():
    expected = hessian(program(formula))(P)
    for name, second in nestings(program(boxed), (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(P), expected, rtol=1e-6, err_msg=name)


def test_a_third_derivative_beside_fifty_digits():
    f = black_box(rtol=1e-3)(lambda x: math.exp(math.sin(float(x))))
    with mpmath.workdps(50):
        expected = float(mpmath.diff(lambda x: mpmath.exp(mpmath.sin(x)), 0.6, 3))
    assert derivative(f, (0, 0, 0), [0.6]) == pytest.approx(expected, rel=1e-4)


def test_a_jacobian_is_found_once_however_many_directions():
    calls = []

    @black_box
    def counted(x):
        calls.append(None)
        return np.sin(x)

    x = np.linspace(0.1, 0.9, 5)
    found = jacfwd(counted)(x)
    once = len(calls)
    np.testing.assert_allclose(found, np.diag(np.cos(x)), atol=1e-11)
    calls.clear()
    jacrev(counted)(x)
    assert len(calls) <= 3 < once  # the value, and two to see that nothing changed; the Jacobian there is known
    np.testing.assert_allclose(jacrev(counted)(2 * x), np.diag(np.cos(2 * x)), atol=1e-11)


def test_types_are_kept():
    assert type(derivative(black_box(lambda x: math.exp(x)), 0, [1.0])) is float
    narrow = grad(lambda x: np.sum(black_box(lambda x: x**2)(x)))(np.ones(3, np.float32))
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, 2.0, rtol=1e-6)
    assert gradient(black_box(lambda x, n, factor=3.0: factor * x), [2.0, 5.0]) == pytest.approx([3.0, 0.0])
    assert jvp(black_box(lambda x: 3.0), [2.0], [1.0])[1] == 0.0


REFUSED = {
    "a kink": (abs, 0.0),
    "steps": (lambda x: round(x, 2), 0.51),
    "noise": (lambda x, rng=np.random.default_rng(1): x + 1e-3 * rng.normal(), 1.0),  # noqa: B008
    "a pole": (lambda x: 1.0 / x if x else math.inf, 0.0),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("f", "x"), REFUSED.values(), ids=REFUSED)
def test_a_derivative_whose_error_is_large_is_refused(f, x):
    words = r"the derivative of f by 0 has an estimated error of .* more than rtol=1e-06.*test_black_box"
    named = lambda x: f(x)
    named.__name__ = "f"
    for differentiated in (grad, jacfwd):
        with pytest.raises(ValueError, match=words):
            differentiated(black_box(named))(x)


def test_what_is_no_real_argument_is_refused():
    for x, words in ((1j, "complex 1j: a black box takes real numbers"), ({"a": 1.0}, "give the parts of a structure")):
        with pytest.raises(TypeError, match=words):
            black_box(lambda x: x)(x)
    with pytest.raises(ValueError, match="rtol is 0: let it be between 0 and 1"):
        black_box(rtol=0)


def test_a_function_that_fills_one_buffer_at_every_call():
    buffer = np.zeros(3)

    @black_box
    def filled(a):
        buffer[:] = a**3
        return buffer

    x = np.arange(1.0, 4.0)
    first = filled(x)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(filled)(x), np.diag(3.0 * x**2), rtol=1e-9)
    np.testing.assert_allclose(hessian(lambda a: np.sum(filled(a)))(x), np.diag(6.0 * x), rtol=1e-6)
    assert first.tolist() == [1.0, 8.0, 27.0]


def test_complex_results_in_both_modes():
    turned = black_box(lambda t: np.exp(1j * t))
    of = lambda f: lambda t: np.imag(f(t)) + 2.0 * np.real(f(t)) ** 2
    exact = math.cos(0.3) - 2.0 * math.sin(0.6)
    assert math.isclose(gradient(of(turned), [0.3])[0], exact, rel_tol=1e-9)
    assert math.isclose(derivative(of(turned), 0, [0.3]), exact, rel_tol=1e-9)


def test_what_a_black_box_closes_over_may_change():
    factor = 2.0

    @black_box
    def f(x):
        return factor * x**2

    assert grad(f)(3.0) == pytest.approx(12.0)
    factor = 10.0
    assert grad(f)(3.0) == pytest.approx(60.0)


def test_a_change_that_leaves_the_value_is_seen_in_the_derivatives():
    factor = [2.0]
    slope = grad(black_box(lambda x: factor[0] * (x - 1.0)))
    bend = hessian(black_box(lambda x: factor[0] * np.sum((x - 1.0) ** 2)))
    for factor[0] in (2.0, 5.0):
        assert slope(1.0) == pytest.approx(factor[0])
        np.testing.assert_allclose(bend(np.ones(2)), 2.0 * factor[0] * np.eye(2), rtol=1e-6, atol=1e-6)
