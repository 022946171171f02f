"""autodiff.linalg: quadratic programs through OSQP against differences; the other functions against NumPy and SciPy."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

from autodiff import Variable, grad, gradcheck, gradient, hessian, hvp, jacfwd, jacobian, jacrev, jvp, linalg, record

P = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1.5]])
Q = np.array([-1.0, -2.0, 0.5])
G = np.array([[1.0, 1.0, 0.2], [-1.0, 0.3, 0.0], [0.0, 0.1, 1.0], [0.2, 0.4, -1.0]])
H = np.array([1.0, 0.1, 3.0, 0.7])
A = np.array([[1.0, -1.0, 0.5]])
B = np.array([0.1])
WEIGHTS = np.array([1.0, -2.0, 0.7])


@pytest.fixture
def solve_qp():
    pytest.importorskip("osqp", reason="quadratic programs are solved by OSQP: pip install dualautodiff[qp]")
    return linalg.solve_qp


def residuals(x, P, q, G, h):
    """By how much x misses the optimality conditions; the multipliers are found by non-negative least squares."""
    close = np.flatnonzero(G @ x - h > -1e-9)
    return scipy.optimize.nnls(G[close].T, -(P @ x + q))[1] if len(close) else np.linalg.norm(P @ x + q)


def test_the_optimality_conditions(solve_qp):
    rng = np.random.default_rng(1)
    for _ in range(20):
        root, q, G = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=(7, 4))
        P, h = root @ root.T + np.eye(4), rng.uniform(0.1, 1.0, 7)
        x = solve_qp(P, q, G, h)
        assert np.all(G @ x <= h + 1e-10)
        assert residuals(x, P, q, G, h) < 1e-9


def test_constraints_of_either_kind_or_none(solve_qp):
    np.testing.assert_allclose(solve_qp(P, Q), np.linalg.solve(P, -Q), rtol=1e-13)
    x = solve_qp(P, Q, A=A, b=B)
    np.testing.assert_allclose(A @ x, B, rtol=1e-12)
    kernel = scipy.linalg.null_space(A)
    np.testing.assert_allclose(kernel.T @ (P @ x + Q), 0, atol=1e-12)
    np.testing.assert_allclose(solve_qp(P, Q, G, np.full(4, 100.0)), solve_qp(P, Q), rtol=1e-12)


@pytest.mark.parametrize("args", [(P, Q), (P, Q, G, H), (P, Q, G, H, A, B), (P, Q, None, None, A, B)])
def test_derivatives_against_differences(solve_qp, args):
    """Along a direction in all arguments: the value's slope, and that of the gradient, in both modes."""
    given = [x for x in args if x is not None]
    rng = np.random.default_rng(2)
    direction = [rng.normal(size=x.shape) for x in given]

    def f(*parts):
        left = iter(parts)
        return WEIGHTS @ solve_qp(*(x if x is None else next(left) for x in args))

    def along(t):
        return [x + t * v for x, v in zip(given, direction, strict=True)]

    slope = (f(*along(1e-5)) - f(*along(-1e-5))) / 2e-5
    gradients = gradient(f, given)
    assert jvp(f, given, direction)[1] == pytest.approx(slope, rel=1e-8)
    assert sum(np.vdot(g, v) for g, v in zip(gradients, direction, strict=True)) == pytest.approx(slope, rel=1e-8)
    ends = [gradient(f, along(t)) for t in (1e-5, -1e-5)]
    found = jvp(lambda *parts: gradient(f, list(parts)), given, direction)[1]
    for turned, ahead, back in zip(found, *ends, strict=True):
        np.testing.assert_allclose(turned, (ahead - back) / 2e-5, rtol=1e-6, atol=1e-7)
    leaves = list(map(Variable, given))
    f(*leaves).backward()
    for leaf, expected in zip(leaves, gradients, strict=True):
        np.testing.assert_allclose(leaf.grad, expected, rtol=1e-12, atol=1e-14)


def test_a_bound_that_presses_and_one_that_does_not(solve_qp):
    for mode in (jacfwd, jacrev):
        slope = mode(lambda h: solve_qp(np.eye(2), np.array([-1.0, -1.0]), np.eye(2), h))(np.array([0.5, 3.0]))
        np.testing.assert_allclose(slope, [[1.0, 0.0], [0.0, 0.0]], atol=1e-14)


def test_only_the_symmetric_part_counts(solve_qp):
    skew = np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 0.5], [2.0, -0.5, 0.0]])
    np.testing.assert_allclose(solve_qp(P + skew, Q, G, H), solve_qp(P, Q, G, H), rtol=1e-12)
    slope = jacobian(lambda P: solve_qp(P, Q, G, H))(P)
    np.testing.assert_allclose(slope, np.swapaxes(slope, 1, 2), atol=1e-13)


def test_a_linear_program_at_a_corner(solve_qp):
    """P = 0: two inequalities hold with equality and decide alone."""
    corner = np.array([[1.0, 2.0], [3.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    program = lambda h: solve_qp(np.zeros((2, 2)), np.array([-1.0, -1.0]), corner, h)
    h = np.array([4.0, 6.0, 0.0, 0.0])
    np.testing.assert_allclose(program(h), np.linalg.solve(corner[:2], h[:2]), rtol=1e-9)
    np.testing.assert_allclose(jacobian(program)(h)[:, :2], np.linalg.inv(corner[:2]), rtol=1e-12)


FEASIBLE = [np.diag([2.0, 1.0]), np.array([-3.0, 1.0]), np.array([[1.0, 1.0], [-1.0, 2.0]]), np.array([1.0, 0.5]),
            np.array([[1.0, -1.0]]), np.array([0.25])]  # fmt: skip


@pytest.mark.parametrize("iterations", [1, 3, 25])
def test_where_osqp_stops_early_the_steps_go_on(solve_qp, iterations):
    x = solve_qp(*FEASIBLE)
    np.testing.assert_array_equal(solve_qp(*FEASIBLE, max_iter=iterations), x)


def test_a_feasible_program_that_osqp_takes_for_infeasible(solve_qp, monkeypatch):
    """Its tolerance for that is of the size of the multipliers: one of 800 random programs was."""
    x, nothing = solve_qp(*FEASIBLE), np.full(2, np.nan)
    answer = SimpleNamespace(info=SimpleNamespace(status="primal infeasible"), x=nothing, y=nothing)
    monkeypatch.setattr("osqp.OSQP.solve", lambda self, raise_error: answer)
    np.testing.assert_allclose(solve_qp(*FEASIBLE), x, rtol=1e-14)
    with pytest.raises(ValueError, match="has no solution: OSQP says primal infeasible"):
        solve_qp(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]))


def test_problems_without_solution(solve_qp):
    with pytest.raises(ValueError, match="has no solution: OSQP says primal infeasible"):
        solve_qp(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]))
    with pytest.raises(ValueError, match="has no solution: OSQP says primal infeasible"):
        solve_qp(np.eye(2), np.zeros(2), A=np.ones((2, 2)), b=np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="has no solution: OSQP says dual infeasible"):
        solve_qp(np.zeros((2, 2)), np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match="positive semidefinite; its least eigenvalue is -1"):
        solve_qp(-np.eye(2), np.zeros(2))
    with pytest.raises(np.linalg.LinAlgError, match="rows of A depend on one another: leave the redundant ones out"):
        solve_qp(np.eye(2), np.zeros(2), A=np.ones((2, 2)), b=np.ones(2))


def test_more_than_one_solution(solve_qp):
    thin = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    singular = thin @ thin.T  # of rank 2; the rounding of its third eigenvalue is not 0
    box = np.concatenate([np.eye(2), -np.eye(2)])
    for problem in (
        (np.diag([1.0, 0.0]), np.zeros(2)),
        (singular, singular @ np.array([1.0, 2.0, 3.0])),
        (np.zeros((2, 2)), np.array([1.0, 0.0]), box, np.ones(4)),
        (np.zeros((2, 2)), np.zeros(2), box, np.zeros(4)),
    ):
        with pytest.raises(np.linalg.LinAlgError, match="more than one x is best, or one only for constraints that do"):
            solve_qp(*problem)
    x = solve_qp(singular, singular @ np.array([1.0, 2.0, 3.0]), A=A, b=B)  # along A it is not singular
    np.testing.assert_allclose(A @ x, B, rtol=1e-12)


def test_constraints_that_depend_on_one_another(solve_qp):
    """A second copy of a constraint, and three lines through one point: each decides for itself, x is one."""
    twice = lambda h: solve_qp(np.eye(2), np.array([-1.0, -1.0]), np.ones((2, 2)), h)
    np.testing.assert_allclose(twice(np.ones(2)), [0.5, 0.5], rtol=1e-14)
    np.testing.assert_allclose(np.sum(jacobian(twice)(np.ones(2)), axis=1), [0.5, 0.5], rtol=1e-14)
    np.testing.assert_allclose(twice(np.array([1.0, 0.8])), [0.4, 0.4], rtol=1e-14)
    star = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    x = solve_qp(np.eye(2), np.array([-9.0, -5.0]), star, star @ np.array([2.0, 3.0]))
    np.testing.assert_allclose(x, [2.0, 3.0], rtol=1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_constraints_through_the_best_point(solve_qp, seed):
    """Those that touch it do not press; of more of them than dimensions some do, independent ones."""
    rng = np.random.default_rng(seed)
    root, x, G = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(7, 3))
    P, h = root @ root.T + 0.5 * np.eye(3), G @ x
    touching = lambda h: solve_qp(P, -P @ x, G, h)
    np.testing.assert_allclose(touching(h), x, rtol=1e-12)
    np.testing.assert_array_equal(jacobian(touching)(h), np.zeros((3, 7)))
    forces = rng.uniform(0.5, 1.0, 7)
    pressing = lambda h: solve_qp(P, -P @ x - G.T @ forces, G, h)
    np.testing.assert_allclose(pressing(h), x, rtol=1e-9)
    np.testing.assert_allclose(jacobian(pressing)(h) @ G, np.eye(3), atol=1e-9)  # it moves as the constraints do


@pytest.mark.parametrize("eps", [0.1, 5.0])
def test_steps_of_the_active_set_find_what_osqp_has_left(solve_qp, eps):
    """OSQP is told to end early: the inequalities that it names are not those that press."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        root, q, G = rng.normal(size=(4, 4)), 3 * rng.normal(size=4), rng.normal(size=(9, 4))
        P, h = root @ root.T + 0.1 * np.eye(4), rng.uniform(0.1, 1.0, 9)
        for copies in (1, 3):  # of each constraint, the others looser and of other lengths
            G, h = np.concatenate([G, 2 * G, 0.5 * G][:copies]), np.concatenate([h, 2.5 * h, 0.7 * h][:copies])
            x = solve_qp(P, q, G, h, eps_abs=eps, eps_rel=eps)
            assert np.all(G @ x <= h + 1e-10)
            assert residuals(x, P, q, G, h) < 1e-9


@pytest.mark.parametrize("named", list(itertools.product([0.0, 1.0], repeat=5)))
def test_steps_of_the_active_set_from_anywhere(solve_qp, monkeypatch, named):
    """Whichever inequalities OSQP named: x₀ ≤ 1 is there, and x₀ ≤ ½, twice, and 0 ≤ 1."""
    monkeypatch.setattr(linalg, "_by_osqp", lambda *_: (np.array(named), np.zeros(5)))
    G, h = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [1.0, 1.0], [4.0, 0.0]]), np.array([1.0, 1.0, 1.0, 3.0, 2.0])
    np.testing.assert_allclose(solve_qp(np.eye(2), np.array([-2.0, -2.0]), G, h), [0.5, 2.0], rtol=1e-14)


def test_steps_of_the_active_set_that_do_not_end(solve_qp, monkeypatch):
    monkeypatch.setattr(linalg, "_by_osqp", lambda *_: (np.array([0.0, 0.0, 1.0, 1.0]), np.zeros(4)))
    corner = np.array([[1.0, 2.0], [3.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    with pytest.raises(np.linalg.LinAlgError, match="let OSQP be more accurate"):
        solve_qp(np.zeros((2, 2)), np.array([-1.0, -1.0]), corner, np.array([4.0, 6.0, 0.0, 0.0]))


def test_wrong_arguments(solve_qp):
    with pytest.raises(TypeError, match="needs G and h together"):
        solve_qp(P, Q, G)
    with pytest.raises(ValueError, match=r"G has shape \(4, 2\); with 3 unknowns it needs 3 columns"):
        solve_qp(P, Q, G[:, :2], H)
    with pytest.raises(ValueError, match=r"P has shape \(2, 3\); it must have \(3, 3\)"):
        solve_qp(P[:2], Q)
    with pytest.raises(ValueError, match=r"h has shape \(3,\); it must have \(4,\)"):
        solve_qp(P, Q, G, H[:3])


def test_the_functions_of_matrices():
    M, x = P + np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.5, 0.0, 0.0]]), Q
    assert linalg.quadratic_form(M, x) == pytest.approx(0.5 * x @ M @ x, rel=1e-15)
    np.testing.assert_array_equal(linalg.inv(M), np.linalg.inv(M))
    np.testing.assert_array_equal(linalg.solve(M, x), np.linalg.solve(M, x))
    by_scipy = scipy.linalg.solve_continuous_lyapunov(M, P)
    np.testing.assert_allclose(linalg.solve_continuous_lyapunov(M, P), by_scipy, rtol=1e-12, atol=1e-15)
    for f, args in (
        (linalg.quadratic_form, [M, x]),
        (lambda M: np.sum(linalg.inv(M) * P), [M]),
        (lambda M, x: linalg.solve(M, x) @ WEIGHTS, [M, x]),
        (lambda M, P: np.sum(linalg.solve_continuous_lyapunov(M, P) * P), [M, P]),
    ):
        assert gradcheck(f, args, order=1)
    assert gradcheck(lambda a, b: linalg.inv([[a, 1.0], [b, 2.0]])[0, 1], [3.0, 0.5], order=1)


@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1.0, 1e6])
def test_the_units_do_not_matter(solve_qp, scale):
    np.testing.assert_allclose(solve_qp(scale * np.eye(2), np.array([1.0, 2.0])), [-1 / scale, -2 / scale], rtol=1e-12)
    np.testing.assert_allclose(solve_qp(np.diag([1.0, scale]), np.ones(2)), [-1.0, -1 / scale], rtol=1e-12)
    np.testing.assert_allclose(solve_qp(scale * P, scale * Q, G, H, A, B), solve_qp(P, Q, G, H, A, B), rtol=1e-9)
    np.testing.assert_allclose(
        solve_qp(P, scale * Q, G, scale * H, A, scale * B), scale * solve_qp(P, Q, G, H, A, B), rtol=1e-9
    )


def test_what_is_no_program(solve_qp):
    with pytest.raises(ValueError, match="P has elements that are not finite"):
        solve_qp(np.array([[np.nan, 0.0], [0.0, 1.0]]), np.ones(2))
    with pytest.raises(TypeError, match="P is complex"):
        solve_qp(np.eye(2) * 1j, np.ones(2))
    with pytest.raises(ValueError, match="no unknowns"):
        solve_qp(np.zeros((0, 0)), np.zeros(0))
    no_bound = solve_qp(P, Q, np.vstack([G, G[:1]]), np.append(H, np.inf))
    np.testing.assert_allclose(no_bound, solve_qp(P, Q, G, H), rtol=1e-12)


def test_one_search_and_one_linear_system_for_each_order(solve_qp, monkeypatch):
    """The search is not differentiated; x is the solution of the optimality conditions, one line of the tape."""
    import osqp

    searches = []
    original = osqp.OSQP.solve
    monkeypatch.setattr(osqp.OSQP, "solve", lambda *args, **named: searches.append(1) or original(*args, **named))
    f = lambda q: WEIGHTS @ solve_qp(P, q, G, H, A, B) ** 3
    systems = lambda f: [row.name for row in record(f, [Q])[0].rows if row].count("solve")
    assert systems(f) == 1
    assert systems(grad(f)) == 2
    assert systems(lambda q: grad(lambda q: grad(f)(q) @ WEIGHTS)(q)) == 3
    for derived in (f, grad(f), hessian(f), jacfwd(grad(f)), jacrev(grad(f)), lambda q: hvp(f)(q, Q)):
        searches.clear()
        derived(Q)
        assert len(searches) == 1
