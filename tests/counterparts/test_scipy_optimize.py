"""`autodiff.scipy.optimize` as a user meets it: every method, what presses, what a result holds, what is refused."""

import numpy as np
import pytest
import scipy.optimize.elementwise
import scipy.sparse.linalg

from autodiff import derivative, grad, gradient, hessian, jacfwd, jacobian, jacrev, jvp
from autodiff.scipy import optimize

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 3)), RNG.normal(size=20)
MODES = (jacfwd, jacrev, lambda f: jacfwd(jacrev(f)), lambda f: jacrev(jacrev(f)))


def ridge(k):
    return np.linalg.solve(X.T @ X + k * np.eye(3), X.T @ Y)


def loss(w, k):
    return np.sum((X @ w - Y) ** 2) + k * np.sum(w**2)


def same(found, expected, at, rtol=1e-10, atol=1e-12):
    """Both modes and their nestings."""
    for mode in MODES:
        np.testing.assert_allclose(mode(found)(at), mode(expected)(at), rtol=rtol, atol=atol)


# ---------------------------------------------------------------------------------------------- roots


@pytest.mark.parametrize("name", ["bisect", "brenth", "brentq", "ridder", "toms748"])
def test_a_tolerance_of_the_solver_is_none_of_the_derivative(name):
    f = lambda a: getattr(optimize, name)(lambda x: x**3 - a, 0.0, 5.0, xtol=1e-3)
    for which, expected in (((), 2.0), ((0,), 1 / 12), ((0, 0), -1 / 144), ((0, 0, 0), 5 / 3456)):
        found = derivative(f, which, [8.0]) if which else jvp(f, [8.0], [1.0])[0]
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov", "broyden1", "anderson", "df-sane"])
def test_methods_of_root(method):
    p = RNG.normal(size=4)
    f = lambda x, p: x + 0.1 * np.roll(x, 1) ** 2 - p
    found = lambda p: optimize.root(f, np.ones(4), (p,), method).x
    exact = lambda p: optimize.root(f, np.ones(4), (p,)).x
    np.testing.assert_allclose(f(jvp(found, [p], [p])[0], p), 0.0, atol=1e-15)
    same(found, exact, p)


def test_a_result_tells_of_the_run():
    seen = []

    def f(a):
        result = optimize.root(lambda x: x**3 - a, [1.0])
        seen.append((result.success, result.message, result.nfev, result.njev))
        assert "fjac" not in result
        scalar = optimize.root_scalar(lambda x: x**3 - a, bracket=(0.0, 3.0))
        seen.append((scalar.converged, scalar.iterations, scalar.flag))
        return result.x[0] + scalar.root

    np.testing.assert_allclose(gradient(f, [8.0]), [1 / 6], rtol=1e-14)
    assert seen[0][0] is True
    assert seen[0][2] < 20
    assert seen[1][0] is True


def test_plain_calls_are_scipys():
    f = lambda x: np.stack([x[0] ** 2 + x[1] - 1.0, x[0] - x[1] ** 3])
    assert np.array_equal(optimize.root(f, [1.0, 1.0]).x, scipy.optimize.root(f, [1.0, 1.0]).x)
    assert optimize.brentq(np.cos, 0.0, 3.0) == scipy.optimize.brentq(np.cos, 0.0, 3.0)
    least = [s.minimize(loss, np.zeros(3), 0.5).x for s in (optimize, scipy.optimize)]
    assert np.array_equal(*least)
    model = lambda x, a, b: a * x + b
    for ours, theirs in zip(*(s.curve_fit(model, X[:, 0], Y) for s in (optimize, scipy.optimize)), strict=True):
        assert np.array_equal(ours, theirs)


def test_a_start_that_carries_a_derivative_is_a_constant():
    f = lambda x0: optimize.root(lambda x: x * x - 2.0, x0).x[0]
    assert grad(f)(np.array([1.0])) == 0.0
    assert gradient(lambda a: optimize.brentq(lambda x: x * x - 2.0, a, 3.0), [0.0]) == [0.0]


# ---------------------------------------------------------------------------------------------- minima

METHODS = [None, "Nelder-Mead", "Powell", "CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr", "COBYLA", "COBYQA"]
BOUNDED = [None, "Nelder-Mead", "Powell", "L-BFGS-B", "TNC", "SLSQP", "trust-constr", "COBYLA", "COBYQA"]
pytestmark = pytest.mark.filterwarnings("ignore:delta_grad == 0.0", "ignore:Method .* does not use")


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_minimize(method):
    same(lambda k: optimize.minimize(loss, np.zeros(3), k, method).x, ridge, 0.7)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "trust-krylov", "trust-exact", "dogleg"])
def test_methods_that_take_a_hessian(method):
    more = {"jac": grad(loss), "hess": hessian(loss)}
    same(lambda k: optimize.minimize(loss, np.ones(3), (k,), method, **more).x, ridge, 0.7)


def test_a_function_that_gives_its_gradient_too():
    both = lambda w, k: (loss(w, k), grad(loss)(w, k))
    same(lambda k: optimize.minimize(both, np.zeros(3), (k,), jac=True).x, ridge, 0.7)


def test_the_least_value_has_the_derivative_of_the_envelope():
    value = lambda k: optimize.minimize(loss, np.zeros(3), (k,)).fun
    same(value, lambda k: loss(ridge(k), k), 0.7)


@pytest.mark.parametrize("method", BOUNDED)
def test_bounds_that_press_are_held(method):
    """At x₀ = p₂ the other one solves 2 (x₁ − p₁) + x₀ / 2 = 0."""

    def f(p):
        objective = lambda x: (x[0] - p[0]) ** 2 + (x[1] - p[1]) ** 2 + 0.5 * x[0] * x[1]
        return optimize.minimize(objective, [0.2, 0.2], method=method, bounds=[(0.0, p[2]), (None, None)]).x

    same(f, lambda p: np.stack([p[2], p[1] - 0.25 * p[2]]), np.array([3.0, 1.0, 1.5]))


def test_every_kind_of_bounds():
    distance = lambda x: np.sum((x - np.array([2.0, -3.0, 0.5])) ** 2)
    for bounds in (
        lambda b: [(None, b), (-b, None), (0, 5)],
        lambda b: scipy.optimize.Bounds(-b, [b, b, 5.0]),
        lambda b: scipy.optimize.Bounds(np.stack([-b, -b, 0.0 * b]), b),
    ):
        f = lambda b, bounds=bounds: optimize.minimize(distance, np.zeros(3), bounds=bounds(b)).x
        same(f, lambda b: np.stack([b, -b, 0.5 + 0.0 * b]), 1.2)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYQA"])
def test_constraints_that_press_are_held(method):
    """x₀ = √p₁, the others share the rest."""

    def f(p):
        held = [
            {"type": "eq", "fun": lambda x, total: np.sum(x) - total, "args": (p[0],)},
            scipy.optimize.NonlinearConstraint(lambda x: x[0] ** 2, -np.inf, p[1]),
            {"type": "ineq", "fun": lambda x: x[1] + 100.0},
        ]
        return optimize.minimize(lambda x: np.sum(x**2), [0.1, 0.0, 0.0], method=method, constraints=held).x

    def by_hand(p):
        rest = (p[0] - np.sqrt(p[1])) / 2.0
        return np.stack([np.sqrt(p[1]), rest, rest])

    same(f, by_hand, np.array([3.0, 0.25]))


def test_linear_constraints_whose_matrix_carries_derivatives():
    """The shortest x with a · x = 1: a / a · a."""
    f = lambda a: (
        optimize.minimize(
            lambda x: np.sum(x**2), np.zeros(3), constraints=scipy.optimize.LinearConstraint(np.stack([a]), 1.0, 1.0)
        ).x
    )
    same(f, lambda a: a / (a @ a), np.array([1.0, 2.0, -1.0]))


def test_a_sparse_matrix_of_a_constraint():
    held = lambda a: scipy.optimize.LinearConstraint(scipy.sparse.csr_array([[1.0, 2.0]]), a, np.inf)
    f = lambda a: optimize.minimize(lambda x: np.sum(x**2), [1.0, 1.0], constraints=held(a)).x
    same(f, lambda a: np.stack([0.2 * a, 0.4 * a]), 2.0)


def test_what_presses_is_set_right_where_the_method_stops_far_from_it():
    """An interior point method stops inside of x₀ x₁ ≥ a, by more than what counts as near."""
    more = {"jac": lambda x: np.array([[x[1], x[0]]]), "hess": lambda x, v: v[0] * np.array([[0.0, 1.0], [1.0, 0.0]])}
    held = lambda a: scipy.optimize.NonlinearConstraint(lambda x: x[0] * x[1], a, np.inf, **more)
    start, how = [1.0, 1.2], {"method": "trust-constr"}
    f = lambda a: optimize.minimize(lambda x: np.sum(x**2), start, constraints=held(a), **how).x
    same(f, lambda a: np.stack([np.sqrt(a), np.sqrt(a)]), 2.0)


@pytest.mark.parametrize("method", ["trf", "dogbox"])
def test_an_exact_fit_with_a_parameter_at_its_bound(method):
    """The bound does not press, and SciPy's solution is beside it: the derivative is that of the free parameter."""
    fit = lambda y: optimize.curve_fit(lambda t, a, b: a * t + b, T, y, bounds=(0.0, 5.0), method=method)[0]
    expected = np.linalg.pinv(np.stack([T, np.ones(30)], 1))
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(fit)(2.0 * T), expected, atol=1e-12)


def test_a_constraint_that_does_not_press_is_left_out():
    """At the bound itself the derivative is that of the side where it is left."""
    f = lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [0.5], bounds=[(0.0, 1.0)]).x[0]
    assert derivative(f, 0, [0.3]) == pytest.approx(1.0)
    assert derivative(f, 0, [1.5]) == 0.0
    assert derivative(f, 0, [1.0]) == pytest.approx(1.0)


def test_minima_of_one_number():
    f = lambda a: optimize.minimize_scalar(lambda x: np.exp(x) - a * x)
    for which, expected in (((0,), 1 / 1.3), ((0, 0), -1 / 1.69)):
        np.testing.assert_allclose(derivative(lambda a: f(a).x, which, [1.3]), expected, rtol=1e-12)
    np.testing.assert_allclose(gradient(lambda a: f(a).fun, [1.3]), [-np.log(1.3)], rtol=1e-12)
    bounded = lambda a, b: optimize.minimize_scalar(lambda x: np.exp(x) - a * x, bounds=(-1.0, b)).x
    np.testing.assert_allclose(gradient(bounded, [1.3, 0.1]), [0.0, 1.0])
    np.testing.assert_allclose(gradient(bounded, [1.3, 1.0]), [1 / 1.3, 0.0])


# ---------------------------------------------------------------------------------------------- fits

T = np.linspace(0.0, 4.0, 30)
DATA = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.05 * RNG.normal(size=30)


def decay(t, a, b, c):
    return a * np.exp(-b * t) + c


def line(y, s):
    """The straight line through data with deviations s, and its covariance."""
    A = np.stack([T, np.ones(30)], 1) / s[:, None]
    inverse = np.linalg.inv(A.T @ A)
    p = inverse @ (A.T @ (y / s))
    return p, inverse, np.sum((A @ p - y / s) ** 2) / 28


@pytest.mark.parametrize("absolute", [False, True])
def test_a_fit_of_a_line_is_the_closed_form(absolute):
    s = 0.1 + 0.02 * T
    fit = lambda y, s: optimize.curve_fit(lambda t, a, b: a * t + b, T, y, sigma=s, absolute_sigma=absolute)
    for which in (0, 1):
        for mode in (jacfwd, jacrev):
            np.testing.assert_allclose(mode(lambda *v: fit(*v)[0], which)(DATA, s),
                                       mode(lambda *v: line(*v)[0], which)(DATA, s), rtol=1e-9, atol=1e-11)  # fmt: skip
            covariance = lambda *v: line(*v)[1] * (1.0 if absolute else line(*v)[2])
            np.testing.assert_allclose(
                mode(lambda *v: fit(*v)[1], which)(DATA, s), mode(covariance, which)(DATA, s), rtol=1e-9, atol=1e-13
            )


def test_one_deviation_for_all_data():
    fit = lambda s: optimize.curve_fit(lambda t, a, b: a * t + b, T, DATA, sigma=s, absolute_sigma=True)[1]
    for s in (0.3, np.array([0.3])):
        np.testing.assert_allclose(jvp(fit, [s], [s])[1], 2.0 * line(DATA, np.full(30, 0.3))[1], rtol=1e-12)


def test_a_covariance_of_the_data():
    sigma = np.diag(0.1 + 0.01 * T) + 0.002
    fit = lambda y: optimize.curve_fit(decay, T, y, [2.0, 1.0, 0.4], sigma=sigma)
    (p, covariance), _ = jvp(fit, [DATA], [DATA])
    expected = scipy.optimize.curve_fit(decay, T, DATA, [2.0, 1.0, 0.4], sigma=sigma)
    np.testing.assert_allclose(p, expected[0], rtol=1e-6)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-4)


def polished(f, at):
    """The value that comes with a derivative, accurate to rounding."""
    return jvp(f, [at], [np.ones_like(at)])[0]


@pytest.mark.parametrize(
    "more", [{}, {"method": "trf"}, {"method": "dogbox"}, {"bounds": (0.0, [2.3, 3.0, 1.0])}, {"sigma": 0.1 + 0.02 * T}]
)
def test_the_parameters_of_a_fit_by_its_data(more):
    fit = lambda y: optimize.curve_fit(decay, T, y, [2.0, 1.0, 0.4], **more)[0]
    jacobian_of_fit, h = jacobian(fit)(DATA), 1e-4
    for k in (0, 7, 29):
        step = h * np.eye(30)[k]
        quotient = (polished(fit, DATA + step) - polished(fit, DATA - step)) / (2 * h)
        np.testing.assert_allclose(jacobian_of_fit[:, k], quotient, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(jacobian_of_fit, jacfwd(fit)(DATA), rtol=1e-9, atol=1e-11)


def test_the_starting_parameters_are_found_as_scipy_finds_them():
    found = lambda y: optimize.curve_fit(lambda t, a, b: a * t + b, T.tolist(), y)[0]
    np.testing.assert_allclose(jacobian(found)(DATA), jacobian(lambda y: line(y, np.ones(30))[0])(DATA), atol=1e-12)
    whole = lambda y: optimize.curve_fit(lambda t, a, b: a * t + b, T, y, full_output=True)[2]["fvec"]
    np.testing.assert_allclose(jacobian(whole)(DATA) @ np.ones(30), 0.0, atol=1e-12)


def absolute(z):
    return np.stack([np.sqrt(1.0 + z), 0.5 / np.sqrt(1.0 + z), -0.25 / np.sqrt(1.0 + z) ** 3])


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan", absolute])
def test_losses_of_least_squares(loss):
    def fit(a):
        return optimize.least_squares(lambda p: decay(T, *p) - a * DATA, [2.0, 1.0, 0.5], loss=loss, f_scale=0.05)

    peer = scipy.optimize.least_squares(
        lambda p: decay(T, *p) - DATA, [2.0, 1.0, 0.5], loss=loss, f_scale=0.05, ftol=1e-14, xtol=1e-14, gtol=1e-14
    )
    value, slope = jvp(lambda a: [fit(a)[k] for k in ("x", "cost", "fun", "jac")], [1.0], [1.0])
    for found, name in zip(value, ("x", "cost", "fun", "jac"), strict=True):
        if name != "jac" or loss == "linear":  # SciPy's is scaled by the loss
            np.testing.assert_allclose(found, peer[name], rtol=1e-5, atol=1e-7)
    h = 1e-4
    for k, name in enumerate(("x", "cost", "fun", "jac")):
        above, below = (polished(lambda a, name=name: fit(a)[name], at) for at in (1.0 + h, 1.0 - h))
        quotient = (above - below) / (2 * h)
        np.testing.assert_allclose(slope[k], quotient, rtol=1e-5, atol=1e-6)


def test_positive_least_squares_hold_what_is_zero():
    A, b = RNG.normal(size=(6, 4)), RNG.normal(size=6)
    used = np.flatnonzero(scipy.optimize.nnls(A, b)[0])
    assert 0 < len(used) < 4
    for which in (0, 1):
        found = jacrev(lambda A, b: optimize.nnls(A, b)[0][used], which)(A, b)
        expected = jacrev(lambda A, b: np.linalg.lstsq(A[:, used], b, rcond=None)[0], which)(A, b)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    rest = np.delete(np.arange(4), used)
    assert not jacrev(lambda b: optimize.nnls(A, b)[0][rest])(b).any()


@pytest.mark.parametrize("method", ["trf", "bvls"])
@pytest.mark.parametrize("bound", [0.05, 0.15, 3.0])
def test_bounded_least_squares_are_those_of_their_conditions(method, bound):
    """Karush, Kuhn and Tucker's, of problems where SciPy's trf stops beside the bounds; and the slope of the free."""
    for _ in range(10):
        A, b = RNG.normal(size=(9, 5)), RNG.normal(size=9)
        f = lambda b, A=A: optimize.lsq_linear(A, b, (-bound, bound), method)
        x, cost = jvp(lambda b, f=f: [f(b).x, f(b).cost], [b], [b])[0]
        mask = np.sign(x) * (np.abs(x) == bound)
        slope = A.T @ (A @ x - b)
        assert np.all(np.abs(x) <= bound)
        assert np.all(slope * mask <= 0.0)
        np.testing.assert_allclose(slope[mask == 0], 0.0, atol=1e-13)
        np.testing.assert_allclose(cost, 0.5 * np.sum((A @ x - b) ** 2), rtol=1e-14)
        expected = np.zeros((5, 9))
        expected[mask == 0] = np.linalg.pinv(A[:, mask == 0])
        f = lambda b, A=A: optimize.lsq_linear(A, b, scipy.optimize.Bounds(-bound, bound), method).x
        np.testing.assert_allclose(jacrev(f)(b), expected, atol=1e-12)


def test_linear_least_squares_of_a_sparse_matrix_and_at_a_bound_that_does_not_press():
    A, b = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 3.0, 0.5])
    for matrix in (A, scipy.sparse.csr_array(A)):
        f = lambda b, matrix=matrix: optimize.lsq_linear(matrix, b, (-np.inf, [0.5, 1.0])).x
        np.testing.assert_allclose(jacfwd(f)(b), [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]], atol=1e-15)


def test_regression_in_order():
    y = np.array([1.0, 3.0, 2.0, 4.0])
    f = lambda y: optimize.isotonic_regression(y).x
    expected = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]])
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(f)(y), expected, rtol=1e-15)
    result = jvp(lambda w: optimize.isotonic_regression(y, weights=w)["weights"], [np.ones(4)], [np.arange(4.0)])
    np.testing.assert_allclose(result, [[1.0, 2.0, 1.0], [0.0, 3.0, 3.0]])
    assert np.array_equal(optimize.isotonic_regression(y).x, scipy.optimize.isotonic_regression(y).x)


# ---------------------------------------------------------------------------------------------- linear programs


def diet(c, A, b):
    return optimize.linprog(c, A, b)


def test_the_multipliers_are_the_derivatives_of_the_least_cost():
    c, A, b = np.array([2.0, 3.0, 1.8]), -np.array([[1.0, 2.0, 1.0], [3.0, 1.0, 0.5]]), -np.array([4.0, 5.0])
    expected = scipy.optimize.linprog(c, A, b)
    by_c, by_A, by_b = gradient(lambda c, A, b: diet(c, A, b).fun, [c, A, b])
    np.testing.assert_allclose(by_c, expected.x, atol=1e-12)
    np.testing.assert_allclose(by_b, expected.ineqlin.marginals, rtol=1e-12)
    np.testing.assert_allclose(by_A, -np.outer(expected.ineqlin.marginals, expected.x), atol=1e-12)
    result = jvp(lambda b: [diet(c, A, b)[k] for k in ("x", "fun", "slack")], [b], [b])[0]
    for found, name in zip(result, ("x", "fun", "slack"), strict=True):
        np.testing.assert_allclose(found, expected[name], atol=1e-12)


def test_every_kind_of_constraint_of_a_linear_program():
    c, low = np.array([1.0, -2.0, 0.5]), 0.3

    def f(b, low, high):
        return optimize.linprog(c, A_eq=[[1.0, 1.0, 1.0]], b_eq=[b], bounds=[(low, None), (0.0, high), (0.0, None)])

    bounds = [(low, None), (0.0, 1.0), (0.0, None)]
    expected = scipy.optimize.linprog(c, A_eq=[[1.0, 1.0, 1.0]], b_eq=[3.0], bounds=bounds)
    slopes = gradient(lambda *v: f(*v).fun, [3.0, low, 1.0])
    multipliers = expected.eqlin.marginals[0], expected.lower.marginals[0], expected.upper.marginals[1]
    np.testing.assert_allclose(slopes, multipliers, rtol=1e-12)
    for name in ("lower", "upper", "eqlin"):
        found = jvp(lambda b, name=name: f(b, low, 1.0)[name].marginals, [3.0], [1.0])[0]
        np.testing.assert_allclose(found, expected[name].marginals, atol=1e-12)
    sparse = lambda b: optimize.linprog([-1.0, -1.0], scipy.sparse.csr_array([[1.0, 2.0], [3.0, 1.0]]), b).fun
    np.testing.assert_allclose(grad(sparse)(np.array([4.0, 6.0])), [-0.4, -0.2], rtol=1e-12)
    assert jvp(lambda b: optimize.linprog([1.0], bounds=(b, None)).x, [2.0], [1.0])[1] == 1.0
    assert (
        jvp(lambda b: optimize.linprog([1.0, 1.0], bounds=np.stack([[b, 9.0], [b, 9.0]])).fun, [2.0], [1.0])[1] == 2.0
    )


# ---------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(("f", "error", "text"), [
    (lambda a: optimize.root(lambda x: x**2 + a, [1.0]).x[0], RuntimeError, "root: The iteration is not making"),
    (lambda a: optimize.brentq(lambda x: 1.0 / (x - a), 0.0, 2.7), np.linalg.LinAlgError, "pole"),
    (lambda a: optimize.brentq(lambda x: x + a, 0.0, 2.7), ValueError, "different signs"),
    (lambda a: optimize.root_scalar(lambda x: np.arctan(x) - a / 2, bracket=(0.0, 99.0), maxiter=2).root, RuntimeError,
     "root_scalar: brentq stopped at"),
    (lambda a: optimize.newton(lambda x: x * x + a, 1.0), RuntimeError, "converge"),
    (lambda a: optimize.newton(lambda x: x**3 + 0.1 * x[::-1] - a, np.array([0.5, 1.0]))[0], ValueError,
     "newton: elements of the function depend"),
    (lambda a: optimize.newton(lambda x: x - a, np.ones(2), full_output=True)[0][0], TypeError, "full_output=True"),
    (lambda a: optimize.fixed_point(lambda x: a + 2.0 * x**3, 2.0, method="iteration"), RuntimeError,
     "converge|overflow"),
    (lambda a: optimize.minimize(lambda x: (x[0] - a) ** 4, [0.0]).x[0], (RuntimeError, np.linalg.LinAlgError),
     "minimize"),
    (lambda a: optimize.minimize(lambda x: (x[0] + x[1] - a) ** 2, [0.0, 0.0]).x[0], np.linalg.LinAlgError,
     "singular"),
    (lambda a: optimize.minimize(lambda x: np.cosh(x[0] - a), [9.0], options={"maxiter": 0}).x[0], RuntimeError,
     "minimize: Max"),
    (lambda a: optimize.minimize(lambda x: a * x[0], [0.0], bounds=[(None, None)]).x[0], RuntimeError, "minimize"),
    (lambda a: optimize.curve_fit(decay, T, a * DATA, [2.0, 1.0, 0.5], nan_policy="omit")[0][0], TypeError, "NaN"),
    (lambda a: optimize.least_squares(lambda x: x - a, [0.0], loss="best").x[0], ValueError, "one of linear, soft_l1"),
    (lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2 + 9.0 * np.abs(x[0]), [0.1], method="Nelder-Mead").x[0],
     RuntimeError, "not at a kink"),
    (lambda a: scipy.optimize.LinearConstraint([1.0, a], 1.0).A[0, 0], TypeError, "write its matrix with np.stack"),
    (lambda a: optimize.lsq_linear(a * np.ones((3, 2)), np.ones(3)).x[0], np.linalg.LinAlgError, r"columns \[0, 1\]"),
    (lambda a: optimize.lsq_linear(a * X, Y, (-0.01, 0.01), max_iter=1).x[0], RuntimeError, "lsq_linear: The maximum"),
    (lambda a: optimize.lsq_linear(scipy.sparse.linalg.aslinearoperator(X), a * Y).x[0], TypeError, "LinearOperator"),
    (lambda a: optimize.lsq_linear(X * 1j, a * Y).x[0], TypeError, "real and imaginary"),
    (lambda a: optimize.nnls(X * 1j, a * Y)[0][0], TypeError, "real and imaginary"),
    (lambda a: optimize.isotonic_regression(a * Y, weights=-np.ones(20)).x[0], ValueError, "positive"),
    (lambda a: optimize.linprog([a], bounds=(None, None)).x[0], RuntimeError, "linprog"),
    (lambda a: optimize.linprog([a, a], A_ub=[[-1.0, -1.0]], b_ub=[-1.0]).x[0], np.linalg.LinAlgError, "press"),
    (lambda a: optimize.linprog([a], bounds=(0, 3), integrality=[1]).x[0], TypeError, "integrality"),
    (lambda a: optimize.milp([a], bounds=(-np.inf, np.inf)).fun, RuntimeError, "milp"),
    (lambda a: optimize.milp([a, a], constraints=([[1.0, 1.0]], 1.0)).fun, np.linalg.LinAlgError, "press"),
    (lambda a: optimize.milp([a], integrality=[2]).fun, TypeError, "give 0 and 1"),
    (lambda a: optimize.elementwise.find_root(lambda x: x - a, (2.0, 3.0)).x, RuntimeError, "status -1"),
    (lambda a: optimize.elementwise.find_root(lambda x: (x - a) ** 3, (0.0, 3.0)).x, np.linalg.LinAlgError,
     "multiple root"),
    (lambda a: optimize.elementwise.find_minimum(lambda x: x + a, (0.0, 1.0, 3.0)).x, RuntimeError, "find_minimum"),
    (lambda a: optimize.elementwise.bracket_root(lambda x: x - a, 0.0), AttributeError, "cannot be differentiated"),
    (lambda a: scipy.optimize.elementwise.find_root(lambda x: x - a, (0.0, 3.0)).x, TypeError,
     "write autodiff.scipy.optimize.elementwise.find_root"),
    (lambda a: scipy.optimize.elementwise.find_root(lambda x, a: x - a, (0.0, 3.0), args=(a,)).x, TypeError,
     "write autodiff.scipy.optimize.elementwise.find_root"),
    (lambda a: scipy.optimize.elementwise.find_minimum(lambda x: (x - a) ** 2, (0.0, 0.5, 3.0)).x, TypeError,
     "write autodiff.scipy.optimize.elementwise.find_minimum"),
    (lambda a: scipy.optimize.milp(np.stack([a, a])).fun, TypeError, "write autodiff.scipy.optimize.milp"),
    (lambda a: optimize.leastsq(lambda x: x - a, [1.0]), AttributeError, "write autodiff.scipy.optimize.least_squares"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_what_has_no_solution_or_no_derivative_raises(f, error, text):
    for d in (lambda f: derivative(f, 0, [1.0]), lambda f: gradient(f, [1.0])):
        with pytest.raises(error, match=text):
            d(f)


# ------------------------------------------------------------------------------- each element's own; whole numbers


def test_roots_and_minima_of_each_element_in_fifty_digits():
    mpmath = pytest.importorskip("mpmath")
    a = np.array([0.3, 1.1, 2.5])
    root = lambda a: optimize.elementwise.find_root(lambda x, a: x + np.exp(x) - a, (-5.0, 3.0), args=(a,)).x
    least = lambda a: (
        optimize.elementwise.find_minimum(lambda x, a: np.cosh(x - a) + x * x, (-5.0, 0.1, 5.0), args=(a,)).x
    )
    with mpmath.workdps(50):
        references = (
            lambda t: mpmath.findroot(lambda x: x + mpmath.exp(x) - t, 0.1),
            lambda t: mpmath.findroot(lambda x: mpmath.sinh(x - t) + 2 * x, 0.5),
        )
        for found, reference in zip((root, least), references, strict=True):
            np.testing.assert_allclose(found(a), [float(reference(t)) for t in a], rtol=1e-7)
            for k, t in enumerate(a):
                for order in (1, 2, 3):
                    wanted = float(mpmath.diff(reference, mpmath.mpf(float(t)), order))
                    one = lambda t, k=k, found=found: found(np.stack([t if i == k else a[i] for i in range(3)]))[k]
                    np.testing.assert_allclose(derivative(one, 0, [float(t)], order=order), wanted, rtol=1e-11)


def test_an_element_that_depends_on_others_is_refused():
    with pytest.raises(ValueError, match="depend on other elements"):
        jacobian(
            lambda a: optimize.elementwise.find_root(lambda x: x - a * np.sum(x) / 9, (-np.ones(2), np.ones(2))).x
        )(1.0)


def test_whole_numbers_are_held_and_the_others_are_a_linear_programs():
    c, A, b = np.array([-1.0, -2.0, -0.5]), np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.3]]), np.array([4.5, 1.2])

    def solved(c, A, b):
        constraints = [
            (A[:1], -np.inf, b[:1]),
            scipy.optimize.LinearConstraint(np.eye(3), -1.0, 5.0),
            (A[1:], -np.inf, b[1:]),
        ]
        return optimize.milp(c, integrality=[1, 1, 0], bounds=(0.0, 3.0), constraints=constraints)

    found = solved(c, A, b)
    by_c, by_a, by_b = grad(lambda *xs: solved(*xs).fun, (0, 1, 2))(c, A, b)
    np.testing.assert_allclose(by_c, found.x)
    moved = lambda *xs: scipy.optimize.milp(
        xs[0], integrality=[1, 1, 0], bounds=scipy.optimize.Bounds(0.0, 3.0),
        constraints=[scipy.optimize.LinearConstraint(xs[1], -np.inf, xs[2])]).fun  # fmt: skip
    step = 1e-3
    for place in np.ndindex(2, 3):
        change = np.zeros((2, 3))
        change[place] = step
        expected = (moved(c, A + change, b) - moved(c, A - change, b)) / (2 * step)
        np.testing.assert_allclose(by_a[place], expected, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(
        by_b, [(moved(c, A, b + e) - moved(c, A, b - e)) / (2 * step) for e in step * np.eye(2)], atol=1e-8
    )
    assert hessian(lambda c: solved(c, A, b).fun ** 2)(c) == pytest.approx(2.0 * np.outer(found.x, found.x))


def test_a_number_that_is_not_found_is_named():
    class Hidden:
        pass

    hidden = Hidden()

    def f(a):
        hidden.a = a
        return optimize.root(lambda x: x - hidden.a, [1.0]).x[0]

    with pytest.raises(TypeError, match="the function given to root uses a number that is neither in args"):
        gradient(f, [1.0])


def test_a_krylov_method_that_comes_to_no_derivative_names_the_call_and_a_method_that_does():
    cycle = np.roll(np.eye(60), 1, 0)
    f = lambda a: optimize.root(lambda x: cycle @ x - a * cycle[0], cycle.T @ cycle[0], method="krylov").x[0]
    with pytest.raises(RuntimeError, match=r"root: gmres came to a relative residual of 1, .* take method='hybr'"):
        derivative(f, 0, [1.0])


SCALES = [1e-200, 1e-100, 1.0, 1e100, 1e200]

SCALED = {
    "residuals": lambda o, s, a: o.least_squares(lambda x: s * (x - a), np.array([1.3])).x[0],
    "unknowns": lambda o, s, a: o.least_squares(lambda x: x / s - a, np.array([1.3 * s])).x[0] / s,
    "a curve": lambda o, s, a: o.curve_fit(lambda t, p: p * t, T, s * a * T, p0=[1.3 * s])[0][0] / s,
    "an objective": lambda o, s, a: o.minimize(lambda x: s * np.sum((x - a) ** 2), np.array([1.3])).x[0],
}


@pytest.mark.parametrize("s", SCALES)
@pytest.mark.parametrize("f", SCALED.values(), ids=SCALED)
@pytest.mark.filterwarnings("ignore")
def test_derivatives_at_any_scale(f, s):
    for slope in (lambda g: derivative(g, 0, [1.3]), lambda g: grad(g)(1.3)):
        assert slope(lambda a: f(optimize, s, a)) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("s", [1e-200, 1e200])
@pytest.mark.filterwarnings("ignore")
def test_where_the_second_derivative_leaves_the_range_there_is_none(s):
    with pytest.raises(np.linalg.LinAlgError, match="singular or infinite at x"):
        derivative(lambda a: optimize.minimize(lambda x: np.sum((x / s - a) ** 2), np.array([1.3 * s])).x[0], 0, [1.3])


def test_a_report_says_what_it_lacks():
    found = []
    derivative(lambda a: found.append(optimize.fsolve(lambda x: x - a, [1.0], full_output=True)[1]) or a, 0, [1.3])
    assert found[0]["nfev"] > 0
    with pytest.raises(KeyError, match="fjac of SciPy's report has no derivative here"):
        found[0]["fjac"]
    with pytest.raises(KeyError, match="'other'"):
        found[0]["other"]
