"""Integrals at their special points: equal places, limits where the integrand is infinite, points that move."""

from itertools import product

import mpmath
import numpy as np
import pytest
import scipy.integrate

from autodiff import derivative, grad, jacfwd, jacrev, jvp, value_and_grad
from autodiff.scipy.integrate import quad, simpson

HALF = mpmath.mpf("0.5")
MODES = pytest.mark.parametrize("modes", [modes for k in (1, 2) for modes in product([jacfwd, jacrev], repeat=k)])

# ------------------------------------------------------------------------------------------------ equal places

REPEATED = [[0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 1, 2, 3, 3], [0] * 7, [0, 1, 0, 1, 0, -1, 2]]


@pytest.mark.parametrize("x", REPEATED)
@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("given", [list, np.array, np.float32])
def test_simpsons_rule_at_equal_places_is_scipys(n, x, given):
    places, y = given(x[:n]), np.linspace(1.0, 2.0, n) ** 2
    for samples in (y, y.astype(np.float32), y + 1j, np.stack([y, -y])):
        found, expected = simpson(samples, x=places), scipy.integrate.simpson(samples, x=places)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
    weights = [scipy.integrate.simpson(row, x=places) for row in np.eye(n)]
    np.testing.assert_allclose(grad(lambda y: simpson(y, x=places))(y), weights, rtol=1e-14, atol=1e-16)
    along = jvp(lambda y: simpson(y, x=places), [y], [np.ones(n)])[1]
    np.testing.assert_allclose(along, np.sum(weights), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("x", [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 0.0, 1.0]])
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_simpsons_rule_has_no_derivative_by_equal_places(x, mode):
    with pytest.raises(ValueError, match="places of x are equal"):
        mode(lambda x: simpson(np.arange(len(x)) ** 2.0, x=x))(np.array(x))


def test_simpsons_rule_of_a_step_of_zero():
    y = [1.0, 2.0, 4.0, 8.0]
    assert simpson(y, dx=0.0) == 0.0
    by_step = scipy.integrate.simpson(y, dx=1.0)  # it is linear in the step
    assert abs(derivative(lambda dx: simpson(y, dx=dx), 0, [0.0]) - by_step) < 1e-14


# ------------------------------------------------------------------------------------- limits and points that move

SINGULAR = {
    "pole at the lower limit": (lambda a: quad(lambda x: (x - a) ** -0.5, a, 1)[0], lambda a: 2 * (1 - a) ** HALF),
    "in args": (lambda a: quad(lambda x, a: 1 / np.sqrt(x - a), a, 1, a)[0], lambda a: 2 * (1 - a) ** HALF),
    "limits exchanged": (lambda a: quad(lambda x: (x - a) ** -0.5, 1, a)[0], lambda a: -2 * (1 - a) ** HALF),
    "logarithm": (lambda a: quad(lambda x: np.log(x - a), a, 1)[0], lambda a: (1 - a) * mpmath.log(1 - a) - 1 + a),
    "pole at the upper limit": (lambda b: quad(lambda x: (b - x) ** -0.5 * x, 0, b)[0],
                                lambda b: b ** (3 * HALF) * 4 / 3),
    "root": (lambda a: quad(lambda x: np.sqrt(x - a), a, 1)[0], lambda a: (1 - a) ** (3 * HALF) * 2 / 3),
    "infinite": (lambda a: quad(lambda x: (x - a) ** -0.5 * np.exp(-x), a, np.inf)[0],
                 lambda a: mpmath.sqrt(mpmath.pi) * mpmath.exp(-a)),
    "minus infinite": (lambda b: quad(lambda x: (b - x) ** -0.5 * np.exp(x), -np.inf, b)[0],
                       lambda b: mpmath.sqrt(mpmath.pi) * mpmath.exp(b)),
    "jump that moves": (lambda p: quad(lambda x: np.where(x < p, p, 2.0), 0, 1, points=[p])[0],
                        lambda p: p * p + 2 * (1 - p)),
    "pole that moves": (lambda p: quad(lambda x: abs(x - p) ** -0.5, 0, 1, points=[p, 0.7])[0],
                        lambda p: 2 * p**HALF + 2 * (1 - p) ** HALF),
    "pole, and a jump that stays": (lambda a: quad(lambda x: (x - a) ** -0.5 * (x > 0.5), a, 1, points=[0.5])[0],
                                    lambda a: 2 * (1 - a) ** HALF - 2 * (HALF - a) ** HALF),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGULAR)
@MODES
def test_limits_where_the_integrand_is_infinite_and_points_that_move(name, modes):
    f, closed_form = SINGULAR[name]
    expected = mpmath.diff(closed_form, mpmath.mpf("0.3"), len(modes))
    for mode in modes:
        f = mode(f)
    assert abs(f(0.3) - float(expected)) < 1e-7 * (1.0 + abs(expected))


@pytest.mark.parametrize("modes", list(product([jacfwd, jacrev], repeat=3)))
def test_third_derivatives_by_a_limit_where_the_integrand_is_infinite(modes):
    f, closed_form = SINGULAR["pole at the lower limit"]
    for mode in modes:
        f = mode(f)
    assert abs(f(0.3) - float(mpmath.diff(closed_form, 0.3, 3))) < 1e-7


def test_a_limit_beside_another_variable_in_the_integrand():
    power = lambda p: quad(lambda x: p[1] * (x - p[0]) ** -0.5, p[0], 1)[0]
    at = np.array([0.3, 2.0])
    np.testing.assert_allclose(jacfwd(power)(at), [-2.0 * 0.7**-0.5, 2.0 * 0.7**0.5], rtol=1e-8)
    with pytest.raises(RuntimeError, match=r"use one variable, such as a = p\[0\]"):
        grad(power)(at)

    def named(p):
        a = p[0]
        return quad(lambda x: p[1] * (x - a) ** -0.5, a, 1)[0]

    np.testing.assert_allclose(grad(named)(at), [-2.0 * 0.7**-0.5, 2.0 * 0.7**0.5], rtol=1e-8)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_an_infinite_derivative_by_a_limit_is_refused(mode):
    with pytest.raises(RuntimeError, match="does not converge"):
        mode(lambda a: quad(lambda x: (1.0 + a) * x**-0.5, a, 1)[0])(0.0)


def test_the_value_is_computed_once():
    calls = []

    def f(x, a):
        calls.append(x)
        return np.exp(-a * x * x)

    plain = scipy.integrate.quad(f, 0.0, 1.0, (2.0,))
    once = len(calls)
    calls.clear()
    value = value_and_grad(lambda a: quad(f, 0.0, 1.0, (a,))[0])(2.0)[0]
    assert value == plain[0]
    assert len(calls) == 2 * once  # that of the derivative, and no third one


@pytest.mark.parametrize(("weight", "variable"), [("cos", lambda a: a), ("alg", lambda a: (-a, 0.0))])
def test_there_is_no_derivative_by_the_variable_of_a_weight(weight, variable):
    with pytest.raises(TypeError, match="no derivative by wvar: write the weight into the integrand"):
        grad(lambda a: quad(np.exp, 0.0, 1.0, weight=weight, wvar=variable(a))[0])(0.5)
