"""Results of SciPy's solvers: the fields that SciPy's have, with its values; copies; arguments as SciPy takes them."""

import copy
import pickle

import mpmath
import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

from autodiff import grad, jacfwd, jacrev, jvp
from autodiff.scipy import optimize
from autodiff.scipy.integrate import odeint, solve_ivp
from autodiff.scipy.optimize._problem import LEFT_OUT
from dualnumbers.levels import read

T = np.linspace(0.0, 4.0, 9)
DATA = 2.5 * np.exp(-1.3 * T) + 0.5
WITH_GRADIENT = ("Newton-CG", "trust-ncg", "trust-krylov", "trust-exact", "dogleg")
BRACKETED = ("bisect", "brentq", "brenth", "ridder", "toms748")
LINES = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])


def results():
    """Calls of a module's functions with one parameter, by name."""
    square = lambda x, a: (x[0] - a) ** 2 + (x[1] - 1.0) ** 2
    by_hand = {"jac": lambda x, a: 2.0 * np.array([x[0] - a, x[1] - 1.0]), "hess": lambda x, a: 2.0 * np.eye(2)}
    half = {"constraints": {"type": "ineq", "fun": lambda x: 1.0 - x[0] - x[1]}, "bounds": [(0, 0.4), (None, None)]}
    for name in (None, "Nelder-Mead", "Powell", "CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr", "COBYQA"):
        yield f"minimize {name}", lambda o, a, name=name: o.minimize(square, [0.5, 0.5], (a,), name)
    for name in WITH_GRADIENT:
        yield f"minimize {name}", lambda o, a, name=name: o.minimize(square, [0.5, 0.5], (a,), name, **by_hand)
    for name in ("SLSQP", "trust-constr", "COBYLA", "COBYQA"):
        yield f"constrained {name}", lambda o, a, name=name: o.minimize(square, [0.5, 0.5], (a,), name, **half)
    for name in ("brent", "golden", "bounded"):
        bounds = np.array([0, 4]) if name == "bounded" else None
        yield f"minimize_scalar {name}", lambda o, a, name=name, bounds=bounds: o.minimize_scalar(
            lambda x: (x - a) ** 2 + 1.0, bounds=bounds, method=name)  # fmt: skip
    line = lambda x, a: np.array([1.1 * x[0] - a, x[1] - 0.1 * x[0] - 1.0])
    for name in ("hybr", "lm", "krylov", "broyden1", "anderson", "df-sane"):
        yield f"root {name}", lambda o, a, name=name: o.root(line, [0.5, 0.5], (a,), name)
    for loss in ("linear", "soft_l1", "huber", "arctan"):
        yield f"least_squares {loss}", lambda o, a, loss=loss: o.least_squares(
            lambda p: p[0] * np.exp(-p[1] * T) - a * DATA, [1.0, 1.0], loss=loss, f_scale=0.3, gtol=1e-12)  # fmt: skip
    for name in BRACKETED:
        yield (
            f"root_scalar {name}",
            lambda o, a, name=name: o.root_scalar(lambda x: x**3 - a, bracket=(0, 3), method=name),
        )
    yield "newton", lambda o, a: o.newton(lambda x: x * x - a, 1.0, full_output=True)[1]
    for bounds in ((0.0, 1.0), (0.0, 0.1), (-np.inf, np.inf)):
        yield f"lsq_linear {bounds}", lambda o, a, bounds=bounds: o.lsq_linear(LINES * a, T[:3], bounds)
    yield "linprog", lambda o, a: o.linprog(np.array([1.0, -2.0]) * a, [[1, 1], [1, 0]], [4, 3], [[1, -1]], [-1.0])
    yield "milp", lambda o, a: o.milp(np.array([-1.0, -2.0]) * a, integrality=[1, 0], bounds=(0, 3),
                                      constraints=([[1, 1]], -np.inf, 4.5))  # fmt: skip
    yield "isotonic_regression", lambda o, a: o.isotonic_regression(np.array([1.0, 3.0, 2.0, 4.0]) * a)
    yield "find_root", lambda o, a: o.elementwise.find_root(lambda x: x * x - a, (0.0, 3.0))
    yield "find_minimum", lambda o, a: o.elementwise.find_minimum(lambda x: (x - a) ** 2, (0.0, 0.5, 3.0))


RESULTS = dict(results())
OF_THE_RUN = ("nfev", "njev", "nit", "niter", "execution_time", "function_calls", "iterations")
"""They depend on whether derivatives are exact, which they are here."""


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore")
def test_the_fields_of_a_result_are_scipys(name):
    call, found = RESULTS[name], []
    expected = call(scipy.optimize, 1.2)

    def watched(a):
        found.append(call(optimize, a))
        return 0.0 * a

    jvp(watched, [1.2], [1.0])
    (result,) = found
    names = expected.keys() if isinstance(expected, dict) else vars(expected)
    for field in names:
        if field in LEFT_OUT and field not in result:
            with pytest.raises(AttributeError, match="has no derivative here"):
                getattr(result, field)
            continue
        z, value = getattr(result, field), getattr(expected, field)
        if field not in OF_THE_RUN and isinstance(value, (float, int, np.ndarray, np.generic)):
            np.testing.assert_allclose(np.asarray(read(z), float), np.asarray(value, float), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("loss", ["linear", "soft_l1", "cauchy", "arctan"])
def test_the_jacobian_of_a_fit_is_scaled_and_differentiated(loss, mode):
    def scaled(a):
        return optimize.least_squares(lambda p: p[0] * np.exp(-p[1] * T) - a * DATA, [3.0, 0.7], loss=loss,
                                      f_scale=2.0, xtol=1e-15, ftol=1e-15, gtol=1e-14).jac  # fmt: skip

    h = 2e-2
    plain = lambda a: scaled_by_scipy(a, loss)
    expected = (8.0 * (plain(1.2 + h) - plain(1.2 - h)) - plain(1.2 + 2 * h) + plain(1.2 - 2 * h)) / (12.0 * h)
    np.testing.assert_allclose(mode(scaled)(1.2), expected, rtol=1e-5, atol=1e-6)


def scaled_by_scipy(a, loss):
    model = lambda p: p[0] * np.exp(-p[1] * T) - a * DATA
    exact = lambda p: np.stack([np.exp(-p[1] * T), -p[0] * T * np.exp(-p[1] * T)], 1)
    return scipy.optimize.least_squares(
        model, [3.0, 0.7], exact, loss=loss, f_scale=2.0, xtol=1e-15, ftol=1e-15, gtol=1e-14
    ).jac


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_the_hessian_of_a_result_is_differentiated(mode):
    """Of (x² − a)² the Hessian at x = √a is 8 a, the gradient 0."""
    f, slope, curvature = (
        lambda x, a: (x[0] ** 2 - a) ** 2,
        lambda x, a: 4.0 * x * (x * x - a),
        lambda x, a: np.array([[12.0 * x[0] ** 2 - 4.0 * a]]),
    )
    found = lambda a: optimize.minimize(f, [1.0], (a,), "trust-exact", slope, curvature)
    assert abs(mode(lambda a: found(a).hess[0, 0])(1.3) - 8.0) < 1e-10
    assert abs(mode(lambda a: found(a).jac[0])(1.3)) < 1e-10
    with pytest.raises(AttributeError, match="hess_inv of SciPy's result has no derivative"):
        mode(lambda a: optimize.minimize(f, [1.0], (a,)).hess_inv[0, 0])(1.3)
    with pytest.raises(AttributeError, match="fields"):
        mode(lambda a: optimize.minimize(f, [1.0], (a,)).fields)(1.3)


# ------------------------------------------------------------------------------------------- copies, arguments


def falling(t, y):
    return -y


def test_a_solution_as_a_function_is_pickled_and_copied():
    for method in ("RK45", "DOP853", "LSODA", "BDF", "Radau"):
        result = solve_ivp(falling, (0.0, 1.0), [1.0, 2.0], method, dense_output=True)
        again = pickle.loads(pickle.dumps(result))
        np.testing.assert_array_equal(again.sol([0.2, 0.7]), result.sol([0.2, 0.7]))
        assert type(again.sol) is scipy.integrate.OdeSolution
        for copied in (copy.copy(result), copy.deepcopy(result)):
            np.testing.assert_allclose(jacfwd(copied.sol)(0.5), -result.sol(0.5), rtol=1e-2)

    def pickled(y0):
        return pickle.dumps(solve_ivp(falling, (0.0, 1.0), y0, dense_output=True).sol)

    with pytest.raises(TypeError, match="pickle it outside"):
        jacfwd(pickled)(np.ones(1))


@pytest.mark.parametrize("bounds", [(0, 4), [0, 4], np.array([0, 4])])
def test_bounds_of_one_number_in_any_form(bounds):
    least = lambda a: optimize.minimize_scalar(lambda x: (x - a * a) ** 2, bounds=bounds).x
    assert abs(grad(least)(1.1) - 2.2) < 1e-10
    assert (
        abs(grad(lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2, bracket=np.array([0, 4])).x)(1.0) - 1)
        < 1e-9
    )


@pytest.mark.parametrize("constraints", [None, (), [], scipy.optimize.LinearConstraint(np.zeros((0, 2)))])
def test_no_constraints_in_any_form(constraints):
    least = lambda c: optimize.milp(c, integrality=[0, 1], bounds=(0, 3), constraints=constraints).fun
    np.testing.assert_array_equal(grad(least)(np.array([1.0, -1.0])), [0.0, 3.0])


@pytest.mark.parametrize("modes", [(jacfwd,), (jacrev,), (jacfwd, jacrev), (jacrev, jacfwd), (jacrev, jacrev)])
def test_the_scale_of_a_loss_carries_derivatives(modes):
    data = [1.0, 2.0, 4.0]
    f = lambda s: optimize.least_squares(lambda x: x[0] - np.array(data), [1.8], loss="cauchy", f_scale=s).x[0]
    stationary = lambda x, s: sum((x - d) / (1 + ((x - d) / s) ** 2) for d in data)
    expected = mpmath.diff(lambda s: mpmath.findroot(lambda x: stationary(x, s), 1.9), mpmath.mpf("1.2"), len(modes))
    for mode in modes:
        f = mode(f)
    assert abs(f(1.2) - float(expected)) < 1e-9 * (1.0 + abs(expected))


def test_bounds_that_are_an_iterator():
    found = optimize.minimize(lambda x: (x[0] - 3.0) ** 2, [1.0], bounds=zip([0.0], [2.0], strict=True))
    assert found.x[0] == 2.0


def test_a_vector_is_asked_for_where_scipy_asks_for_one():
    with pytest.raises(ValueError, match="y0 is a vector"):
        jacfwd(lambda y: solve_ivp(falling, (0.0, 1.0), y).y)(1.0)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_one_time_is_that_of_the_start(mode):
    np.testing.assert_array_equal(mode(lambda y: odeint(lambda y, t: -y, y, [0.5]))(np.ones(2)), [np.eye(2)])
