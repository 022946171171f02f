"""jit in the hands of others: operators of a compiled function, solvers, integrators, loops of steps."""

import pickle

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
from numpy.testing import assert_allclose

import autodiff.scipy.integrate
import autodiff.scipy.optimize
from autodiff import (
    checkpoint,
    derivative,
    grad,
    gradient,
    hessian,
    hvp,
    jacobian,
    jit,
    jvp,
    value_and_grad,
    vjp,
    vmap,
)
from autodiff.compiler.compiled import Compiled

X = np.array([0.3, -1.2, 2.0])


def flat(out):
    """One vector of an answer's numbers."""
    return np.concatenate([np.ravel(part) for part in (out if isinstance(out, tuple) else (out,))])


def f(x):
    return np.sum(np.sin(x) * x) ** 2


@pytest.mark.parametrize("operator", [grad, value_and_grad, hessian, jacobian], ids=lambda operator: operator.__name__)
def test_what_an_operator_makes_of_a_compiled_function_is_compiled(operator):
    made = operator(jit(f, max_paths=3))
    assert type(made) is Compiled
    assert made.__reduce__()[1][1] == 3
    for x in (X, X + 0.1):
        found, wanted = (flat(g(x)) for g in (made, operator(f)))
        assert_allclose(found, wanted, rtol=1e-13)
    assert len(made.stats()[0]["paths"]) == 1
    assert_allclose(pickle.loads(pickle.dumps(grad(jit(f))))(X), grad(f)(X), rtol=1e-13)


def test_operators_of_several_arguments_and_of_maps():
    g = lambda x, y: np.sum(x * np.exp(y))
    found, wanted = grad(jit(g), argnums=(0, 1))(X, X), grad(g, argnums=(0, 1))(X, X)
    assert_allclose(found, wanted, rtol=1e-14)
    assert_allclose(vmap(jit(np.sum))(np.ones((4, 3))), np.full(4, 3.0))
    assert_allclose(grad(lambda x: np.sum(checkpoint(jit(np.tanh))(x)))(X), 1 / np.cosh(X) ** 2, rtol=1e-14)


def counted(g):
    """A function, and how often it was called."""
    calls = []

    def call(*args):
        calls.append(len(args))
        return g(*args)

    return call, calls


def test_of_numbers_it_is_one_line_whose_derivatives_are_compiled():
    g = lambda x: np.sin(x) * x
    slope = lambda x: np.cos(x) * x + np.sin(x)
    call, calls = counted(g)
    compiled, found = jit(call), []
    for x in (X, X + 0.1, X + 0.2):
        assert_allclose(grad(lambda x: np.sum(compiled(x) ** 2))(x), 2 * g(x) * slope(x), rtol=1e-13)
        assert_allclose(jvp(compiled, [x], [X])[1], slope(x) * X, rtol=1e-13)
        assert_allclose(hvp(lambda x: np.sum(compiled(x)))(x, X), (2 * np.cos(x) - x * np.sin(x)) * X, rtol=1e-13)
        found.append(len(calls))
    assert found[0] == found[1] == found[2] <= 8


def test_structures_constants_and_several_results():
    g = jit(lambda p, n, scale=1.0: {"sum": np.sum(p["x"]) * p["y"] ** n, "x": (p["x"] * scale, n)})
    p = {"x": X, "y": 2.0}
    plain = g.__wrapped__
    assert_allclose(gradient(lambda p: g(p, 3)["sum"], [p])[0]["x"], np.full(3, 8.0))
    assert_allclose(
        gradient(lambda p: g(p, 3)["sum"], [p])[0]["y"], gradient(lambda p: plain(p, 3)["sum"], [p])[0]["y"]
    )
    assert_allclose(grad(lambda s: np.sum(g(p, 2, scale=s)["x"][0]))(1.5), np.sum(X))
    _, pull = vjp(lambda x: g({"x": x, "y": 2.0}, 2)["x"][0], X)
    assert_allclose(pull(np.ones(3))[0], np.ones(3))
    assert g(p, 3)["x"][1] == 3


def test_where_it_closes_over_a_number_it_is_called_as_it_stands():
    assert_allclose(derivative(lambda a: derivative(jit(lambda x: a * x**2), 0, [3.0]), 0, [2.0]), 6.0)
    assert_allclose(grad(lambda a: jit(lambda x: a * np.sum(x * x))(X * a))(2.0), 3 * 4.0 * np.sum(X * X))


def test_a_derivative_that_would_be_lost_is_still_refused():
    lost = jit(lambda x: x * float(x))
    assert lost(3.0) == 9.0
    with pytest.raises(TypeError, match="float"):
        grad(lambda x: lost(x) * 2.0)(3.0)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@pytest.mark.parametrize("method", ["BFGS", "Newton-CG", "trust-exact"])
def test_minimize(method):
    start = np.full(5, -1.0)
    hess = {} if method == "BFGS" else {"hess": hessian(jit(rosenbrock))}
    found = scipy.optimize.minimize(value_and_grad(jit(rosenbrock)), start, jac=True, method=method, tol=1e-10, **hess)
    assert_allclose(found.x, 1.0, rtol=1e-6)


T = np.linspace(0.0, 2.0, 20)
Y = 2.0 * np.exp(-1.5 * T)


def test_fits_roots_and_their_derivatives():
    residuals = jit(lambda p: p[0] * np.exp(-p[1] * T) - Y)
    found = scipy.optimize.least_squares(residuals, [1.0, 1.0], jac=jacobian(residuals))
    assert_allclose(found.x, [2.0, 1.5], rtol=1e-6)
    system = jit(lambda x: np.stack([x[0] ** 2 + x[1] - 3.0, x[0] - x[1] ** 2 + 1.0]))
    found = scipy.optimize.root(system, [1.0, 1.0], jac=jacobian(system))
    assert_allclose(system(found.x), 0.0, atol=1e-9)
    cube = jit(lambda x, a: x**3 - a)
    of_a = lambda a: autodiff.scipy.optimize.root(cube, 1.0, args=(a,)).x
    assert_allclose(grad(lambda a: np.sum(of_a(a)))(8.0), 1.0 / 12.0, rtol=1e-9)
    fitted = lambda y: (
        autodiff.scipy.optimize.least_squares(jit(lambda p, y: p[0] * np.exp(-p[1] * T) - y), [1.0, 1.0], args=(y,)).x
    )
    plain = lambda y: (
        autodiff.scipy.optimize.least_squares(lambda p, y: p[0] * np.exp(-p[1] * T) - y, [1.0, 1.0], args=(y,)).x
    )
    assert_allclose(jacobian(fitted)(Y), jacobian(plain)(Y), rtol=1e-6, atol=1e-9)


def test_integrals_of_differential_equations():
    swing = lambda t, y, c: np.stack([y[1], -c * np.sin(y[0])])
    start = np.array([1.0, 0.0])
    for integrate in (scipy.integrate, autodiff.scipy.integrate):
        found = integrate.solve_ivp(jit(swing), (0.0, 2.0), start, args=(9.81,), rtol=1e-9, atol=1e-10)
        wanted = scipy.integrate.solve_ivp(swing, (0.0, 2.0), start, args=(9.81,), rtol=1e-9, atol=1e-10)
        assert_allclose(found.y[:, -1], wanted.y[:, -1], rtol=1e-8)
    end = lambda f: (
        lambda c: autodiff.scipy.integrate.solve_ivp(f, (0.0, 2.0), start, args=(c,), rtol=1e-9, atol=1e-10).y[0, -1]
    )
    assert_allclose(grad(end(jit(swing)))(9.81), grad(end(swing))(9.81), rtol=1e-6)
    stiff = jit(lambda t, y: np.stack([-100.0 * y[0] + y[1], -y[1]]))
    by_slope = jit(jacobian(stiff, 1))
    found = scipy.integrate.solve_ivp(stiff, (0.0, 1.0), [1.0, 1.0], method="Radau", jac=by_slope, rtol=1e-8)
    assert_allclose(found.y[1, -1], np.exp(-1.0), rtol=1e-6)
    of_odeint = scipy.integrate.odeint(jit(lambda y, t: -2.0 * y), [1.0], np.linspace(0.0, 1.0, 5))
    assert_allclose(of_odeint[-1], np.exp(-2.0), rtol=1e-6)


def descended(x):
    """A thousand steps down."""
    slope = grad(rosenbrock)
    for _ in range(1000):
        x = x - 1e-3 * slope(x)
    return x


def moved_by_adam(x):
    mean = square = 0.0 * x
    for k in range(1, 301):
        g = grad(rosenbrock)(x)
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        x = x - 0.02 * (mean / (1.0 - 0.9**k)) / (np.sqrt(square / (1.0 - 0.999**k)) + 1e-8)
    return x


def newton(x):
    """Of Kepler's equation, thirty steps for all anomalies at once."""
    e = x
    for _ in range(30):
        e = e - (e - 0.5 * np.sin(e) - x) / (1.0 - 0.5 * np.cos(e))
    return e


def implicit(x):
    """Euler's implicit steps of a stiff equation, each solved by Newton's iteration."""
    for _ in range(50):
        y = x
        for _ in range(4):
            y = y - (y - x + 0.1 * (y**3 - 1.0)) / (1.0 + 0.3 * y**2)
        x = y
    return x


@pytest.mark.parametrize("loop", [descended, moved_by_adam, newton, implicit], ids=lambda loop: loop.__name__)
def test_whole_loops_are_loops_of_machine_code(loop):
    """The steps are found again: their code is that of a few rounds."""
    pytest.importorskip("llvmlite")
    compiled, x = jit(loop), np.linspace(-0.5, 0.5, 4)
    for start in (x, x + 0.05):
        assert_allclose(compiled(start), loop(start), rtol=1e-7)
    (path,) = compiled.stats()[0]["paths"]
    assert path["native"] >= path["lines"] - 2  # views of the argument, which are none of a round
    assert len(compiled.program(x).splitlines()) < 400
