"""Derivatives of any order of whole functions: against 60 digits in every mode and nesting, nested, refused."""

import math
import time
import warnings
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from mpmath import mp

from autodiff import (
    Variable,
    derivative,
    derivative_tensor,
    derivative_tensors,
    grad,
    gradient,
    hessian,
    jacfwd,
    jvp,
    smooth,
    taylor,
)
from autodiff.custom import Smooth, elementwise
from dualnumbers import DualNumber, TaylorNumber, dmath

# --------------------------------------------------------------------------------------------- composed functions

EXACT = SimpleNamespace(sin=mp.sin, cos=mp.cos, tan=mp.tan, exp=mp.exp, log=mp.log, sqrt=mp.sqrt, tanh=mp.tanh,
                        sinh=mp.sinh, cosh=mp.cosh, arctan=mp.atan, arcsin=mp.asin, arccos=mp.acos, arcsinh=mp.asinh,
                        arctanh=mp.atanh, arccosh=mp.acosh, log1p=mp.log1p, expm1=mp.expm1, cbrt=mp.cbrt,
                        hypot=mp.hypot, arctan2=mp.atan2, exp2=lambda x: mp.mpf(2) ** x,
                        log2=lambda x: mp.log(x, 2))  # fmt: skip
"""The names of NumPy in mpmath: a function of the table below is given either."""


def newton(m, x):
    root = x
    for _ in range(6):
        root = (root + x / root) / 2
    return root


def horner(m, x):
    total = 0.0
    for c in (1.0, -2.0, 0.5, 3.0, -0.25):
        total = total * x + c
    return total


def branches(m, x):
    return m.sin(x) if x > 0 else m.cos(x)


def logistic_map(m, x):
    for _ in range(4):
        x = 2.5 * x * (1.0 - x)
    return x


COMPOSED = {
    "sin(x)**2 cos(x)": lambda m, x: m.sin(x) ** 2 * m.cos(x),
    "sin(sin(sin x))": lambda m, x: m.sin(m.sin(m.sin(x))),
    "exp(sin x)": lambda m, x: m.exp(m.sin(x)),
    "exp(-x²)": lambda m, x: m.exp(-x * x),
    "x exp(-x²/2)": lambda m, x: x * m.exp(-0.5 * x**2),
    "exp(exp x)": lambda m, x: m.exp(m.exp(x)),
    "log(1 + exp x)": lambda m, x: m.log(1.0 + m.exp(x)),
    "log(cosh x)": lambda m, x: m.log(m.cosh(x)),
    "log(log(3 + x))": lambda m, x: m.log(m.log(3.0 + x)),
    "1 / (1 + 25 x²)": lambda m, x: 1.0 / (1.0 + 25.0 * x * x),
    "1 / (1 + exp(-x))": lambda m, x: 1.0 / (1.0 + m.exp(-x)),
    "x / (1 + x²)": lambda m, x: x / (1.0 + x**2),
    "(x² - 1) / (x² + 1)": lambda m, x: (x**2 - 1.0) / (x**2 + 1.0),
    "(x + 1/x)**3": lambda m, x: (x + 1.0 / x) ** 3,
    "continued fraction": lambda m, x: 1.0 / (1.0 + x / (1.0 + x / (1.0 + x))),
    "sqrt(1 + x²)": lambda m, x: m.sqrt(1.0 + x * x),
    "sqrt(x + sqrt x)": lambda m, x: m.sqrt(x + m.sqrt(x)),
    "sqrt(sin²+2)": lambda m, x: m.sqrt(m.sin(x) ** 2 + 2.0),
    "cbrt(1 + x**4)": lambda m, x: m.cbrt(1.0 + x**4),
    "hypot(x, 2)": lambda m, x: m.hypot(x, 2.0),
    "hypot(sin x, cos 2x)": lambda m, x: m.hypot(m.sin(x), m.cos(2.0 * x)),
    "x**x": lambda m, x: x**x,
    "x**sin x": lambda m, x: x ** m.sin(x),
    "2**x": lambda m, x: 2.0**x,
    "x**2.5": lambda m, x: x**2.5,
    "x**-1.5": lambda m, x: x**-1.5,
    "x**7": lambda m, x: x**7,
    "tan(x/2)": lambda m, x: m.tan(0.5 * x),
    "tan(sin x)": lambda m, x: m.tan(m.sin(x)),
    "1 / cos x": lambda m, x: 1.0 / m.cos(x),
    "sin(1/x)": lambda m, x: m.sin(1.0 / x),
    "sin x / x": lambda m, x: m.sin(x) / x,
    "tanh(x²)": lambda m, x: m.tanh(x * x),
    "tanh(tanh x)": lambda m, x: m.tanh(m.tanh(x)),
    "sinh(x) cosh(x)": lambda m, x: m.sinh(x) * m.cosh(x),
    "exp(tanh x)": lambda m, x: m.exp(m.tanh(x)),
    "arctan(x²)": lambda m, x: m.arctan(x * x),
    "arctan(exp x)": lambda m, x: m.arctan(m.exp(x)),
    "arctan2(x, 1 + x)": lambda m, x: m.arctan2(x, 1.0 + x),
    "arctan2(sin, cos)": lambda m, x: m.arctan2(m.sin(x), m.cos(x) + 2.0),
    "arcsin(x/2)": lambda m, x: m.arcsin(0.5 * x),
    "arccos(x²/2)": lambda m, x: m.arccos(0.5 * x * x),
    "arcsinh(x³)": lambda m, x: m.arcsinh(x**3),
    "arctanh(x/2)": lambda m, x: m.arctanh(0.5 * x),
    "arccosh(2 + x)": lambda m, x: m.arccosh(2.0 + x),
    "log1p(x²)": lambda m, x: m.log1p(x * x),
    "expm1(x) / x": lambda m, x: m.expm1(x) / x,
    "exp2(-x)": lambda m, x: m.exp2(-x),
    "log2(1 + x)": lambda m, x: m.log2(1.0 + x),
    "x log x": lambda m, x: x * m.log(x),
    "entropy": lambda m, x: -x * m.log(x) - (1.0 - x) * m.log(1.0 - x),
    "log x / x": lambda m, x: m.log(x) / x,
    "log(x)**3": lambda m, x: m.log(x) ** 3,
    "exp(x) sin(3x)": lambda m, x: m.exp(x) * m.sin(3.0 * x),
    "exp(-x) cos(5x)": lambda m, x: m.exp(-x) * m.cos(5.0 * x),
    "Planck": lambda m, x: x**3 / m.expm1(x),
    "Morse": lambda m, x: (1.0 - m.exp(1.0 - x)) ** 2,
    "Lennard-Jones": lambda m, x: (1.0 / (x + 0.5)) ** 12 - (1.0 / (x + 0.5)) ** 6,
    "Newton's root": newton,
    "Horner": horner,
    "branches": branches,
    "logistic map": logistic_map,
}
AT = 0.6


def exact_derivatives(f):
    with mp.workdps(60):
        return [mpmath.factorial(k) * c for k, c in enumerate(mpmath.taylor(lambda x: f(EXACT, x), mp.mpf(AT), 5))]


def forward(f):
    return lambda x: derivative(f, 0, [x])


def reverse(f):
    return grad(f)


def pushed(f):
    return lambda x: jvp(f, [x], [1.0])[1]


def series(f):
    return lambda x: taylor(f, x, 1)[1]


def nested(*modes):
    """The derivative by one mode in another, the innermost first."""

    def of(f):
        for mode in modes:
            f = mode(f)
        return f

    return of


WAYS = {
    "series": lambda k: lambda f: lambda x: math.factorial(k) * taylor(f, x, k)[k],
    "derivative, order": lambda k: lambda f: lambda x: derivative(f, 0, [x], order=k),
    "derivative, tuple": lambda k: lambda f: lambda x: derivative(f, (0,) * k, [x]),
    "grad": lambda k: nested(*[reverse] * k),
    "jvp": lambda k: nested(*[pushed] * k),
    "series in series": lambda k: nested(*[series] * k),
    "forward in reverse in forward": lambda k: nested(*([forward, reverse] * k)[:k]),
    "reverse in forward in reverse": lambda k: nested(*([reverse, forward] * k)[:k]),
    "reverse of series": lambda k: lambda f: grad(lambda x: derivative(f, 0, [x], order=k - 1)),
    "series of reverse": lambda k: lambda f: lambda x: derivative(grad(f), 0, [x], order=k - 1),
    "forward of series": lambda k: nested(lambda f: lambda x: derivative(f, 0, [x], order=k - 1), forward),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_five_derivatives_by_every_mode_and_nesting(name):
    f = COMPOSED[name]
    exact = exact_derivatives(f)
    for order in range(1, 6):
        tolerance = 10.0 ** (order - 13)
        rate = max(abs(exact[k] / math.factorial(k)) ** (1 / mp.mpf(k)) for k in range(1, 6))
        size = max(abs(exact[order]), mp.mpf("1e-2") * math.factorial(order) * rate**order)
        for way, of in WAYS.items():
            found = of(order)(lambda x: f(np, x))(AT)
            assert abs(found - exact[order]) <= tolerance * size, (way, order)


# --------------------------------------------------------------------------------------------- what comes back


def test_coefficients_have_the_type_of_the_number():
    for x, kind in ((0.5, float), (np.float64(0.5), np.float64), (np.float32(0.5), np.float32), (0.5 + 1j, complex)):
        assert [type(c) for c in taylor(np.sin, x, 3)] == [kind] * 4
        assert type(derivative(np.sin, 0, [x], order=2)) is kind
    of_numpy = [taylor(lambda x: np.polyval([1.0, x, 2.0], x), 0.5, order) for order in (1, 2, 4, 11)]
    of_users = taylor(elementwise(lambda x, z: np.cos(x))(lambda x: x * x), 0.5, 11)
    assert all(type(c) is float for coefficients in (*of_numpy, of_users) for c in coefficients)


def test_single_precision_stays():
    x = np.array([0.5, 1.5], np.float32)
    found = taylor(lambda v: np.exp(v) / (1.0 + v**2), x, 4, direction=np.ones_like(x))
    exact = taylor(lambda v: np.exp(v) / (1.0 + v**2), x.astype(float), 4, direction=np.ones(2))
    for c, e in zip(found, exact, strict=True):
        assert c.dtype == np.float32
        np.testing.assert_allclose(c, e, rtol=1e-5)


def test_an_array_along_a_direction():
    matrix, along = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[0.0, 1.0], [-1.0, 0.0]])
    found = taylor(np.linalg.inv, matrix, 3, direction=along)
    expected = np.linalg.inv(matrix)
    for k in range(4):
        np.testing.assert_allclose(found[k], expected, rtol=1e-14, atol=1e-15)
        expected = -expected @ along @ np.linalg.inv(matrix)


def test_partials_of_long_runs_of_one_argument():
    f = lambda x, y: np.exp(x * y) * np.sin(x + y)
    for wrt in ((0,) * 5, (1, 1, 1, 1, 0), (0, 0, 0, 0, 1, 1), (1, 0, 0, 0, 0)):
        exact = mpmath.diff(lambda x, y: mp.exp(x * y) * mp.sin(x + y), (0.3, 0.4), (wrt.count(0), wrt.count(1)))
        assert derivative(f, wrt, [0.3, 0.4]) == pytest.approx(float(exact), rel=1e-8)
    by_array = derivative(lambda v, y: np.sum(v**3) * y, (0, 0), [np.array([1.0, 2.0]), 3.0])
    assert by_array.tolist() == [[18.0, 0.0], [0.0, 36.0]]


def test_structures_in_and_out():
    f = lambda d: {"product": d["u"] * d["v"], "list": [d["u"], 1.0]}
    x, v = {"u": 1.0, "v": np.array([2.0, 3.0])}, {"u": 1.0, "v": np.array([1.0, 0.0])}
    found = taylor(f, x, 2, direction=v)
    assert [c["product"].tolist() for c in found] == [[2.0, 3.0], [3.0, 3.0], [1.0, 0.0]]
    assert [c["list"] for c in found] == [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]


def test_what_does_not_depend_on_x_has_zeros():
    assert taylor(lambda x: 3.0, 1.0, 2) == [3.0, 0.0, 0.0]
    assert derivative(lambda x, y: y, 0, [1.0, 2.0], order=3) == 0.0
    assert [c.tolist() for c in taylor(lambda x: np.ones(2), 1.0, 1)] == [[1.0, 1.0], [0.0, 0.0]]


def test_order_zero_is_the_value():
    assert taylor(np.sin, 0.5, 0) == [math.sin(0.5)]
    assert derivative(np.sin, 0, [0.5], order=0) == math.sin(0.5)


def test_the_function_runs_once():
    calls = []

    def f(x):
        calls.append(1)
        return np.exp(x) / x

    derivative(f, 0, [2.0], order=7)
    assert len(calls) == 1


@pytest.mark.parametrize("f", [np.exp, lambda z: z**2.5 / (1.0 + z), np.tan, lambda z: np.log(z) * np.sqrt(z)])
def test_complex_points(f):
    z = 0.7 + 0.4j
    circle = z + 0.2 * np.exp(2j * np.pi * np.arange(64) / 64)
    exact = np.fft.fft(f(circle))[:6] / 64 / 0.2 ** np.arange(6)  # Cauchy's integral by the trapezoidal rule
    np.testing.assert_allclose(taylor(f, z, 5), exact, rtol=1e-10)


# --------------------------------------------------------------------------------------------- programs


def filled(x):
    y = np.zeros(4, like=x)
    for i in range(4):
        y[i] = x**i
    middle = y[1:3]
    middle *= 2.0
    y[::2] += y[1]
    return y.reshape(2, 2).T


def accumulated(x):
    y = np.ones(3, like=x) * x
    np.add.at(y, [0, 0, 2], x**2)
    y[y > 1.0] = np.sqrt(x)
    return np.multiply.reduce(y) + np.add.accumulate(y)


def sorted_rows(x):
    y = np.stack([np.cos(x), x, 1.0 - x]) * np.array([[1.0], [2.0]])
    y.sort(axis=0)
    y[0], y[1] = y[1].copy(), y[0].copy()
    return np.concatenate([y[0], y.T[1]])


def swapped(x):
    y = np.stack([x, x * x, 3.0 - x])
    other, view = y, y[1:]
    view[0] = 2.0 * x
    other[0] -= view[1]
    return y


def by_columns(x):
    y = np.outer(np.array([1.0, x, x * x]) if isinstance(x, float) else np.stack([1.0 + 0 * x, x, x * x]), [1.0, 2.0])
    y.flat[1] = x
    y.T[1, 2] *= x
    return y.sum(axis=0) @ y.T


@pytest.mark.parametrize("f", [filled, accumulated, sorted_rows, swapped, by_columns])
def test_programs_that_write_are_nested_forward_mode(f):
    for k, c in enumerate(taylor(f, 0.6, 4)):
        exact = nested(*[forward] * k)(f)(0.6) / math.factorial(k) if k else jvp(f, [0.6], [1.0])[0]
        np.testing.assert_allclose(c, exact, rtol=1e-13, atol=1e-13)


def test_rules_of_the_users():
    @smooth(lambda t, z, x: np.vdot(x, t) / z)
    def norm(x):
        return math.sqrt(np.sum(x * x))

    def written_into(t, z, x):
        total = np.zeros(2, like=t * x)
        total[0], total[1] = t * x, 2.0 * t
        part = total[:1]
        part *= 2.0
        return total

    square = smooth(written_into)(lambda x: np.array([x * x, 2.0 * x]))
    x, v = np.array([1.0, 2.0, 2.0]), np.array([0.5, -1.0, 0.25])
    for found, exact in zip(
        taylor(norm, x, 4, direction=v), taylor(lambda x: np.sqrt(np.sum(x * x)), x, 4, direction=v), strict=True
    ):
        assert found == pytest.approx(exact, rel=1e-14)
    assert [c.tolist() for c in taylor(square, 3.0, 3)] == [[9.0, 6.0], [6.0, 2.0], [1.0, 0.0], [0.0, 0.0]]


PULL_BACKS = {
    "exp": (lambda a: np.exp(a), lambda g, z, a: (g * np.exp(a),)),
    "its own value": (lambda a: np.exp(a), lambda g, z, a: (g * z,)),
    "quotient": (lambda a: a / (1.0 + a * a), lambda g, z, a: (g * (1.0 - a * a) / (1.0 + a * a) ** 2,)),
    "power": (lambda a: np.sqrt(1.0 + a), lambda g, z, a: (0.5 * g * (1.0 + a) ** -0.5,)),
    "written to": (lambda a: np.sin(a), lambda g, z, a: (_times_cos(g, a),)),
}


def _times_cos(g, a):
    slope = np.cos(a)
    slope[0] = slope[0] * 1.0
    return g * slope


@pytest.mark.parametrize("name", PULL_BACKS)
def test_rules_that_have_a_pull_back_alone(name):
    function, pull = PULL_BACKS[name]
    x, v = np.array([0.3, 0.8]), np.array([1.0, -0.5])
    expected = taylor(function, x, 6, direction=v)
    for rule in (smooth(pull=pull)(function), smooth(Smooth(None, lambda g, z, a: pull(g, z, a)[0]))(function)):
        np.testing.assert_allclose(taylor(rule, x, 6, direction=v), expected, rtol=1e-11)
        np.testing.assert_allclose(derivative_tensor(rule, x, 4), derivative_tensor(function, x, 4), atol=1e-9)


def test_a_pull_back_to_two_arguments():
    f = smooth(pull=lambda g, z, a, b: (2 * g * a * b**3, 3 * g * a * a * b**2))(lambda a, b: a * a * b**3)
    found = taylor(lambda x: f(x[:1], x[1:]), np.ones(2), 6, direction=np.ones(2))
    np.testing.assert_allclose(np.ravel(found), [math.comb(5, k) for k in range(7)], atol=1e-12)


def test_a_rule_of_the_users_that_closes_over_a_series():
    def f(x):
        scaled = smooth(lambda t, z, v: np.exp(v * x) * x * t)(lambda v: np.exp(v * x))
        return scaled(2.0 * x)

    np.testing.assert_allclose(taylor(f, 0.5, 4), taylor(lambda x: np.exp(2.0 * x * x), 0.5, 4), rtol=1e-14)


def test_solutions_of_equations():
    """Kepler's equation, by a solver; and a system of which each component is the real root of y³ + y = sin v."""
    optimize = pytest.importorskip("autodiff.scipy").optimize
    anomaly = lambda m: optimize.root_scalar(lambda e: e - 0.3 * np.sin(e) - m, x0=1.0, method="newton").root
    mean = lambda e: e - 0.3 * mp.sin(e)
    with mp.workdps(60):
        root = mp.findroot(lambda e: mean(e) - mp.mpf(0.7), 1.0)
        exact = mpmath.taylor(lambda m: mp.findroot(lambda e: mean(e) - m, root), mp.mpf(0.7), 5)
    assert [float(c) for c in exact] == pytest.approx(taylor(anomaly, 0.7, 5), rel=1e-12)

    solution = lambda v: optimize.root(lambda y: y**3 + y - np.sin(v), np.zeros(2), tol=1e-14).x
    v, along = np.array([0.3, 0.4]), np.array([1.0, -0.5])
    y = taylor(solution, v, 6, direction=along)
    back = TaylorNumber(y) ** 3 + TaylorNumber(y)
    for found, expected in zip(back.coefficients, taylor(np.sin, v, 6, direction=along), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


# --------------------------------------------------------------------------------------------- nesting


def third(a):
    """The third Taylor coefficient of exp(a x) at 0, a³/6."""
    return taylor(lambda x: np.exp(a * x), 0.0, 3)[3]


@pytest.mark.parametrize(
    "slope", [grad, lambda f: lambda x: derivative(f, 0, [x]), jacfwd, lambda f: lambda x: taylor(f, x, 1)[1]]
)
def test_a_taylor_coefficient_is_differentiated_by_a_parameter(slope):
    assert slope(third)(2.0) == pytest.approx(2.0, rel=1e-14)
    assert slope(slope(third))(2.0) == pytest.approx(2.0, rel=1e-14)


def test_a_gradient_and_a_hessian_of_a_taylor_coefficient():
    f = lambda w: taylor(lambda t: np.exp(w[0] * t) * np.sin(w[1] * t), 0.0, 3)[3]  # a² b / 2 − b³ / 6
    w = np.array([2.0, 3.0])
    np.testing.assert_allclose(grad(f)(w), [6.0, 2.0 - 4.5], rtol=1e-13)
    np.testing.assert_allclose(hessian(f)(w), [[3.0, 2.0], [2.0, -3.0]], rtol=1e-13)


def test_series_of_a_gradient():
    found = taylor(grad(lambda v: np.sum(np.exp(v[0] * v[1]))), np.array([1.0, 2.0]), 2, direction=np.array([1.0, 0.0]))
    e = math.exp(2.0)
    np.testing.assert_allclose(found, [[2 * e, e], [4 * e, 3 * e], [4 * e, 4 * e]], rtol=1e-14)


def test_no_perturbation_is_confused_with_another():
    inner = lambda x: derivative(lambda y: x + y, 0, [1.0])
    assert taylor(lambda x: x * inner(x), 1.0, 2) == [1.0, 1.0, 0.0]
    assert taylor(lambda x: x * taylor(lambda y: x + y, 1.0, 2)[1], 1.0, 2) == [1.0, 1.0, 0.0]
    assert derivative(lambda x: x * taylor(lambda y: x + y, 1.0, 2)[1], 0, [1.0]) == 1.0
    assert grad(lambda x: x * taylor(lambda y: x + y, 1.0, 2)[1])(1.0) == 1.0
    assert taylor(lambda x: taylor(lambda y: x * y**2, x, 3)[2] * x, 3.0, 3) == [9.0, 6.0, 1.0, 0.0]


def test_a_number_outlives_its_differentiation():
    kept = []
    taylor(lambda x: kept.append(x) or x, 1.0, 2)
    with pytest.raises(RuntimeError, match="outlived its differentiation"):
        taylor(lambda x: x * kept[0], 1.0, 2)


def test_numbers_made_by_hand_meet():
    x = TaylorNumber([Variable(2.0), 1.0], 3)
    w = Variable(3.0)
    coefficient = (w * x**3).coefficients[2]
    coefficient.backward()
    assert (coefficient.data, w.grad) == (18.0, 6.0)
    of_dual = np.exp(TaylorNumber([DualNumber(0.0, 1.0), 1.0], 3)).coefficients[2]
    assert (of_dual.real, of_dual.dual) == (0.5, 0.5)
    outside = DualNumber(TaylorNumber([2.0, 1.0], 2), 1.0) ** 2
    assert outside.dual.coefficients == (4.0, 2.0, 0.0)
    assert (DualNumber(2.0, 1.0) * TaylorNumber([1.0, 1.0])).coefficients == (DualNumber(2.0, 1.0),) * 2
    assert gradient(lambda a: (a * TaylorNumber([a, 1.0])).coefficients[1], [3.0]) == [1.0]


# --------------------------------------------------------------------------------------------- tensors


def of_vector(v):
    return np.stack([np.exp(v[0] * v[1]) * np.sin(v[-1]), np.prod(v) + np.sum(v) ** 4 / (1.0 + v @ v)])


def nested_jacobian(f, x, order):
    for _ in range(order):
        f = jacfwd(f)
    return f(x)


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_tensor_is_the_jacobian_of_jacobians(n, order):
    x = np.array([0.5, -0.3, 0.8])[:n] + 0.5
    f = of_vector if n > 1 else lambda v: np.exp(v) * np.sin(v[0])
    found, expected = derivative_tensor(f, x, order), nested_jacobian(f, x, order)
    assert found.shape == np.shape(f(x)) + x.shape * order
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.max(np.abs(expected)))
    np.testing.assert_array_equal(derivative(f, 0, [x], order=order), found)


def test_a_tensor_by_a_matrix_and_of_structures():
    a = np.array([[2.0, 1.0], [0.5, 3.0]])
    np.testing.assert_allclose(derivative_tensor(np.linalg.det, a, 2), hessian(np.linalg.det)(a), atol=1e-14)
    found = derivative_tensor(lambda v: {"cube": v**3, "constant": 1.0}, np.array([1.0, 2.0]), 2)
    assert found["cube"].tolist() == [[[6.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 12.0]]]
    assert found["constant"].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert derivative_tensor(lambda v: v[0] * v[1], [1.0, 2.0], 2).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert derivative_tensor(np.sin, 0.5, 3) == pytest.approx(-math.cos(0.5))


def test_a_tensor_of_many_directions_goes_in_parts(monkeypatch):
    whole = derivative_tensor(of_vector, np.array([0.5, 0.7, 0.8]), 3)
    calls = []
    monkeypatch.setattr(derivative_tensors, "CHUNK", 48)
    parts = derivative_tensor(lambda v: calls.append(1) or of_vector(v), np.array([0.5, 0.7, 0.8]), 3)
    assert len(calls) == 3
    np.testing.assert_allclose(parts, whole, rtol=1e-14)


def test_tensors_of_single_precision_and_complex():
    x = np.array([0.5, 0.7], np.float32)
    assert derivative_tensor(of_vector, x, 3).dtype == np.float32
    np.testing.assert_allclose(derivative_tensor(of_vector, x, 3), derivative_tensor(of_vector, x * 1.0, 3), rtol=1e-4)
    z = np.array([0.3 + 0.1j, 1.0 + 0.2j])
    e = np.exp(z[1])
    found = derivative_tensor(lambda v: v[0] ** 2 * np.exp(v[1]), z, 2)
    np.testing.assert_allclose(found, [[2 * e, 2 * z[0] * e], [2 * z[0] * e, z[0] ** 2 * e]], rtol=1e-13)
    with pytest.raises(ValueError, match="not holomorphic"):
        derivative_tensor(lambda v: np.conj(v[0]) + v[1], z, 2)


def test_a_tensor_is_differentiated():
    x = np.array([0.5, 0.7])
    f = lambda v, a: np.exp(a * v[0]) * v[1] ** 3
    slope = derivative(lambda a: derivative_tensor(lambda v: f(v, a), x, 2), 0, [2.0])
    by_hessian = derivative(lambda a: hessian(lambda v: f(v, a))(x), 0, [2.0])
    np.testing.assert_allclose(slope, by_hessian, rtol=1e-12)
    total = grad(lambda v: np.sum(derivative_tensor(of_vector, v, 2)))(x)
    np.testing.assert_allclose(total, np.sum(derivative_tensor(of_vector, x, 3), axis=(0, 1, 2)), rtol=1e-11)


def test_a_tensor_at_a_singular_point_and_of_a_high_order():
    x = np.array([0.0, 2.0])
    found = derivative_tensor(lambda v: np.sum(np.sqrt(v) * v[1]), x, 2)
    np.testing.assert_array_equal(found, nested_jacobian(lambda v: np.sum(np.sqrt(v) * v[1]), x, 2))
    ninth = derivative_tensor(lambda v: v[0] ** 5 * v[1] ** 4, np.ones(2), 9)
    assert ninth[0, 0, 0, 0, 0, 1, 1, 1, 1] == 120.0 * 24.0


def test_wrong_tensors():
    for order in (2.0, True):
        with pytest.raises(TypeError, match="order is the number of differentiations"):
            derivative_tensor(of_vector, np.ones(2), order)
    with pytest.raises(ValueError, match="order=-1"):
        derivative_tensor(of_vector, np.ones(2), -1)
    with pytest.raises(TypeError, match="by a number or an array, not by dict"):
        derivative_tensor(lambda d: d["a"], {"a": 1.0}, 2)
    with pytest.raises(TypeError, match="cannot differentiate with respect to the argument, str 'x'"):
        derivative_tensor(np.sin, "x", 2)


# --------------------------------------------------------------------------------------------- singular points


@pytest.mark.parametrize("f", [
    np.sqrt, np.log, lambda x: x**2.5, lambda x: np.sqrt(x) * x, lambda x: np.sqrt(x * x), lambda x: np.cbrt(x),
    lambda x: np.sqrt(np.maximum(x, 0.0)), lambda x: x**0, lambda x: np.abs(x) ** 1.5, lambda x: np.arcsin(1.0 - x),
    lambda x: np.where(x > 0, np.sqrt(x), 0.0), lambda x: np.hypot(x, 0.0),
])  # fmt: skip
def test_at_a_singular_point_it_is_nested_forward_mode(f):
    with np.errstate(all="ignore"):
        expected = [derivative(f, (0,) * k, [0.0]) for k in range(1, 4)]
        found = [derivative(f, 0, [0.0], order=k) for k in range(1, 4)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("order", [2, 3, 4, 7, 12])
@pytest.mark.parametrize(("exponent", "x"), [
    (2, 1e-161), (2.0, 1e-170), (4, -1e-100), (13, 1e-40), (3, 5e-324), (12, 1e30),
])  # fmt: skip
def test_powers_whose_value_is_no_normal_number(exponent, x, order):
    """The value underflows, or overflows to an infinite one of NumPy's: its derivatives are none of its multiples."""
    exact = math.prod(Fraction(exponent) - j for j in range(order)) * Fraction(x) ** max(int(exponent) - order, 0)
    expected = pytest.approx(float(exact), rel=1e-14, abs=0.0)
    powers = [lambda x: np.power(x, exponent), lambda x: dmath.pow(x, exponent), lambda x: x**exponent]
    with np.errstate(all="ignore"):
        for f in powers[: 3 if abs(x) < 1.0 else 1]:
            assert derivative(f, 0, [x], order=order) == expected
            assert taylor(f, np.array([x]), order, np.ones(1))[order] * math.factorial(order) == expected


@pytest.mark.parametrize("order", [2, 4, 11, 12])
@pytest.mark.parametrize("f", [lambda x: np.divide(x, 0.0), lambda x: np.multiply(x, 1e200), lambda x: np.power(x, 2)])
def test_the_value_of_a_ufunc_is_that_of_numpy(f, order):
    """Of Python's numbers a division by 0 and an overflow would raise."""
    with pytest.warns(RuntimeWarning):
        value = taylor(f, 1e200, order)[0]
    assert value == np.inf


@pytest.mark.parametrize(("f", "x"), [(np.log, 5e-324), (lambda x: x**0.5, 5e-324), (lambda x: x**1.5, 5e-324)])
def test_infinite_coefficients_warn_of_nothing(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(derivative(f, 0, [x], order=4))


def test_structures_at_a_singular_point():
    found = taylor(lambda d: {"root": np.sqrt(d["x"] ** 2), "square": d["x"] ** 2}, {"x": 0.0}, 2, direction={"x": 1.0})
    assert found == [{"root": 0.0, "square": 0.0}, {"root": 0.0, "square": 0.0}, {"root": 0.0, "square": 1.0}]


def test_division_by_zero_is_that_of_the_function():
    with pytest.raises(ZeroDivisionError):
        taylor(lambda x: 1.0 / x, 0.0, 2)
    with np.errstate(all="ignore"):
        assert taylor(lambda x: 1.0 / x, np.float64(0.0), 2) == [np.inf, -np.inf, np.inf]


# --------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    "call", [lambda order: taylor(np.sin, 1.0, order), lambda order: derivative(np.sin, 0, [1.0], order=order)]
)
def test_wrong_orders(call):
    for order in (2.0, "2", True, 1.0):
        with pytest.raises(TypeError, match="order is the number of differentiations"):
            call(order)
    with pytest.raises(ValueError, match="order=-1, but a derivative has an order of 0 or more"):
        call(-1)
    assert call(np.int64(1)) == call(1)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="it needs a direction: taylor"):
        taylor(np.sin, np.ones(2), 3)
    with pytest.raises(ValueError, match=r"the direction has shape \(2,\), its value has shape \(3,\)"):
        taylor(np.sin, np.ones(3), 2, direction=np.ones(2))
    with pytest.raises(ValueError, match="the direction has another structure"):
        taylor(lambda d: d["a"], {"a": 1.0}, 2, direction=1.0)
    with pytest.raises(TypeError, match="cannot differentiate with respect to argument 0, str 'x'"):
        taylor(np.sin, "x", 2)
    with pytest.raises(TypeError, match="names each differentiation, and order=2 counts those by one argument"):
        derivative(np.sin, (0, 0), [1.0], order=2)
    with pytest.raises(IndexError, match="wrt=3"):
        derivative(np.sin, 3, [1.0], order=2)
    with pytest.raises(ValueError, match="not holomorphic"):
        taylor(lambda z: np.conj(z) * z, 0.3 + 0.2j, 2)


def test_wrong_functions():
    with pytest.raises(TypeError, match="returned str 'a'"):
        taylor(lambda x: "a", 1.0, 2)
    with pytest.raises(TypeError, match="an integer has no derivative"):
        taylor(lambda x: 3, 1.0, 2)
    with pytest.raises(TypeError, match=r"float\(x\) would lose the derivative of a TaylorNumber"):
        taylor(lambda x: float(x), 1.0, 2)
    with pytest.raises(TypeError, match="would lose the derivative of a TaylorNumber"):
        taylor(lambda x: np.asarray(x)[0], np.ones(2), 2, direction=np.ones(2))
    with pytest.raises(AttributeError, match=r"\.coefficients"):
        taylor(lambda x: x.coefficients[0], 1.0, 2)


def test_tensors_of_many_variables_take_no_time():
    """The directions of a derivative are among its own variables: the weights of the others are never made."""
    x = np.linspace(-1.0, 1.0, 60)
    start = time.process_time()
    np.testing.assert_allclose(derivative_tensor(lambda v: np.sum(v**3) * v[0], x, 2), two_of_cubes(x), atol=1e-12)
    third = derivative_tensor(lambda v: np.sum(v**3), x[:22], 3)
    assert time.process_time() - start < 5.0
    assert third[np.arange(22), np.arange(22), np.arange(22)] == pytest.approx(6.0)
    assert np.count_nonzero(np.abs(third) > 1e-12) == 22


def two_of_cubes(x):
    """The second derivatives of Σ xᵢ³ x₀."""
    found = np.diag(6.0 * x * x[0])
    found[0] += 3.0 * x**2
    found[:, 0] += 3.0 * x**2
    return found


@pytest.mark.parametrize("order", [0, 1, 2, 3, 9])
def test_a_tensor_by_an_empty_array_is_empty(order):
    assert derivative_tensor(np.sum, np.zeros(0), order).shape == (0,) * order
    assert derivative_tensor(lambda x: x * 2.0, np.zeros((0, 2)), order).shape == (0, 2) * (1 + order)
