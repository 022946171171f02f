"""`autodiff.implicit`: roots, fixed points and minima against analytic results, 50 digits, and difference quotients."""

import itertools
import threading

import numpy as np
import pytest
from mpmath import mp

from autodiff import (
    derivative,
    grad,
    gradcheck,
    gradient,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    record,
    stop_gradient,
    vjp,
)
from autodiff.implicit import argmin, fixed_point, linear_solve, root
from dualnumbers import dmath

# ---------------------------------------------------------------------------------------------- Kepler's equation

M, E = 1.0, 0.3


def kepler(m, e):
    return root(lambda x: x - e * np.sin(x) - m, 1.0, linear="diagonal")


def kepler_of_vectors(m, e):
    return root(lambda x, e: x - e * np.sin(x) - m, np.ones(1), (e,))[0]


def kepler_of_math(m, e):
    return root(lambda x: x - e * dmath.sin(x) - m, 1.0)


def anomaly(m, e):
    return mp.findroot(lambda x: x - e * mp.sin(x) - m, 1.2)


ORDERS = [k for k in itertools.product(range(4), repeat=2) if sum(k) <= 3]


def reference(by_m, by_e):
    with mp.workdps(50):
        return float(mp.diff(anomaly, (mp.mpf(M), mp.mpf(E)), (by_m, by_e)))


def in_reverse(f, which):
    """Nested gradients, one for each index."""
    for k in which:
        f = lambda *xs, f=f, k=k: grad(f, k)(*xs)
    return f


@pytest.mark.parametrize("solved", [kepler, kepler_of_vectors, kepler_of_math])
@pytest.mark.parametrize(("by_m", "by_e"), ORDERS)
def test_keplers_equation_beside_50_digits(solved, by_m, by_e):
    which, expected = (0,) * by_m + (1,) * by_e, reference(by_m, by_e)
    found = [in_reverse(solved, which)(M, E)]
    if which:
        found.append(derivative(solved, which, [M, E]))
        found.append(
            derivative(in_reverse(solved, which[:1]), which[1:], [M, E])
            if which[1:]
            else gradient(solved, [M, E])[which[0]]
        )
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_every_nesting_of_the_modes_to_third_order():
    f = lambda v: kepler_of_vectors(v[0], v[1])
    v = np.array([M, E])
    expected = [[[reference(3 - i - j - k, i + j + k) for k in (0, 1)] for j in (0, 1)] for i in (0, 1)]
    for modes in itertools.product((jacfwd, jacrev), repeat=3):
        nested = f
        for mode in modes:
            nested = mode(nested)
        np.testing.assert_allclose(nested(v), expected, rtol=1e-12)


# ---------------------------------------------------------------------------------------------- systems

N = 30
RNG = np.random.default_rng(0)
W, B = 0.3 * RNG.normal(size=(N, N)) / np.sqrt(N), RNG.normal(size=N)


def network(linear):
    """The equilibrium of x = tanh(W x + p)."""
    return lambda p: np.sum(root(lambda x: x - np.tanh(W @ x + p), np.zeros(N), linear=linear, rtol=1e-14) ** 2)


def unrolled(p):
    x = np.zeros(N)
    for _ in range(60):
        x = np.tanh(W @ x + p)
    return np.sum(x**2)


@pytest.mark.parametrize("linear", ["dense", "gmres"])
def test_thirty_unknowns_agree_with_the_iteration_unrolled(linear):
    f, direction = network(linear), RNG.normal(size=N)
    np.testing.assert_allclose(grad(f)(B), grad(unrolled)(B), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(jacfwd(f)(B), grad(unrolled)(B), rtol=1e-12, atol=1e-14)
    expected = hvp(unrolled)(B, direction)
    np.testing.assert_allclose(hvp(f)(B, direction), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(grad(lambda p: grad(f)(p) @ direction)(B), expected, rtol=1e-10, atol=1e-12)
    if linear == "dense":
        np.testing.assert_allclose(hessian(f)(B), hessian(unrolled)(B), rtol=1e-10, atol=1e-12)


def test_arrays_of_any_shape():
    p = RNG.normal(size=(1, 3))
    f = lambda linear: (
        lambda p: root(lambda x: x + 0.1 * x**3 + 0.2 * np.roll(x, 1, 1) - p, np.zeros((1, 3)), linear=linear)
    )
    assert f("dense")(p).shape == (1, 3)
    assert gradcheck(f("dense"), [p])
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(f("gmres"))(p), mode(f("dense"))(p), rtol=1e-11, atol=1e-13)


def test_a_diagonal_jacobian_is_that_of_the_dense_way():
    f = lambda linear: lambda p: root(lambda x: x**3 + p * x - 1.0, np.ones(4), linear=linear)
    p = np.linspace(0.5, 2.0, 4)
    for mode in (jacfwd, jacrev, lambda f: jacrev(jacfwd(f)), lambda f: jacfwd(jacrev(f))):
        np.testing.assert_allclose(mode(f("diagonal"))(p), mode(f("dense"))(p), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("linear", ["gmres", "cg"])
def test_a_preconditioner_saves_products_and_changes_no_derivative(linear):
    stiff, counts, found = np.logspace(0, 3, 16), [], []
    for preconditioner in (None, lambda v: v / stiff):
        runs = []

        def rest(x, p, runs=runs):
            runs.append(1)
            return stiff * x + 0.1 * np.roll(x, 1) + 0.1 * np.roll(x, -1) + 0.01 * x**3 - p

        f = lambda p, rest=rest, nearly=preconditioner: np.sum(
            root(rest, np.zeros(16), (p,), linear=linear, preconditioner=nearly) ** 2
        )
        found.append([grad(f)(np.ones(16)), hvp(f)(np.ones(16), np.ones(16))])
        counts.append(len(runs))
    assert counts[1] < 0.7 * counts[0]
    for plain, helped in zip(*found, strict=True):
        np.testing.assert_allclose(helped, plain, rtol=1e-8, atol=1e-12)


def test_a_solver_of_ones_own_finds_the_root_and_newton_its_last_digits():
    calls = []

    def rough(f, x0):
        calls.append(x0)
        x = x0
        while abs(f(x)) > 1e-3:
            x -= f(x) / 3.0
        return x

    f = lambda a: root(lambda x: x * x - a, 1.5, solver=rough)
    assert abs(f(2.0) - np.sqrt(2.0)) < 1e-15
    np.testing.assert_allclose(derivative(f, (0, 0), [2.0]), -0.25 * 2.0**-1.5, rtol=1e-14)
    assert calls == [1.5, 1.5]


def test_fixed_points():
    g = lambda x, a: np.cos(a * x)
    a = 1.0
    x = fixed_point(g, 0.7, (a,))
    slope = -np.sin(a * x) * x / (1.0 + a * np.sin(a * x))
    for solver in (None, lambda g, x: [x := g(x) for _ in range(100)][-1]):
        f = lambda a, solver=solver: fixed_point(g, 0.7, (a,), solver=solver)
        np.testing.assert_allclose([derivative(f, 0, [a]), *gradient(f, [a])], slope, rtol=1e-14)
    assert gradcheck(lambda a: fixed_point(lambda x: 0.5 * np.cos(a * x), np.zeros(3)), [np.array([0.5, 1.0, 2.0])])


@pytest.mark.parametrize("linear", ["dense", "cg", "gmres", "minres"])
def test_the_least_of_a_ridge_loss_beside_its_closed_form(linear):
    X, y = RNG.normal(size=(20, 4)), RNG.normal(size=20)

    def by_search(k):
        return argmin(
            lambda w: np.sum((X @ w - y) ** 2) + k[0] * np.sum(w**2) + k[1] * w[0], np.zeros(4), linear=linear
        )

    def in_closed_form(k):
        return np.linalg.solve(X.T @ X + k[0] * np.eye(4), X.T @ y - 0.5 * k[1] * np.eye(4)[0])

    k = np.array([0.7, 0.2])
    np.testing.assert_allclose(by_search(k), in_closed_form(k), rtol=1e-13)
    for mode in (jacfwd, jacrev, lambda f: jacfwd(jacrev(f)), lambda f: jacrev(jacrev(f))):
        np.testing.assert_allclose(mode(by_search)(k), mode(in_closed_form)(k), rtol=1e-10, atol=1e-13)


# ---------------------------------------------------------------------------------------------- what it depends on


def test_closures_arguments_structures_and_objects():
    class Model:
        def __init__(self, rate):
            self.rate = rate

        def __call__(self, x, more):
            return x**3 + self.rate * x - more["offset"][0]

    def f(rate, offset):
        return root(Model(rate), 1.0, ({"offset": [offset]},))

    rate, offset = 0.7, 2.0
    x = f(rate, offset)
    slope = 1.0 / (3.0 * x * x + rate)
    np.testing.assert_allclose(gradient(f, [rate, offset]), [-x * slope, slope], rtol=1e-14)
    np.testing.assert_allclose(derivative(f, 0, [rate, offset]), -x * slope, rtol=1e-14)


def test_a_root_of_a_root():
    inner = lambda a: root(lambda x: x**3 + x - a, 1.0)
    outer = lambda b: root(lambda a: inner(a) + a - b, 1.0)
    b = 2.5
    slope = lambda b: 1.0 / (1.0 + 1.0 / (3.0 * inner(outer(b)) ** 2 + 1.0))
    for d in (lambda f: derivative(f, 0, [b]), lambda f: gradient(f, [b])[0]):
        np.testing.assert_allclose(d(outer), slope(b), rtol=1e-13)
    np.testing.assert_allclose(grad(grad(outer))(b), derivative(slope, 0, [b]), rtol=1e-12)


def test_a_derivative_within_the_equation():
    """The x at which the slope of a polynomial with the coefficient a is 1."""
    f = lambda a: root(lambda x: grad(lambda x: a * x**4)(x) - 1.0, 0.5)
    np.testing.assert_allclose(derivative(f, 0, [2.0]), -f(2.0) / 6.0, rtol=1e-13)
    np.testing.assert_allclose(grad(f)(2.0), -f(2.0) / 6.0, rtol=1e-13)


def test_what_an_equation_does_not_depend_on():
    f = lambda a: root(lambda x: x * x - 2.0, 1.0) * a
    assert derivative(f, 0, [3.0]) == gradient(f, [3.0])[0] == pytest.approx(np.sqrt(2.0), rel=1e-15)
    start = lambda a: root(lambda x: x * x - 2.0, a)
    assert derivative(start, 0, [1.0]) == gradient(start, [1.0])[0] == 0.0
    stopped = lambda a: root(lambda x: x * x - stop_gradient(a), 1.0)
    assert derivative(stopped, 0, [2.0]) == 0.0


def test_all_directions_come_of_one_search():
    searches = []

    def counted(f, x0):
        searches.append(1)
        return np.linalg.solve(np.eye(5), x0)

    f = lambda p: root(lambda x: x + 0.1 * x**2 - p, np.full(5, 0.5), solver=counted)
    p = np.full(5, 0.525)
    expected = np.eye(5) / 1.1
    for mode in (jacfwd, jacrev, jacobian):
        searches.clear()
        np.testing.assert_allclose(mode(f)(p), expected, rtol=1e-14)
        assert len(searches) == 1
    value, push = linearize(f, p)
    np.testing.assert_allclose(push(np.ones(5)), expected.sum(1), rtol=1e-14)
    np.testing.assert_allclose(vjp(f, p)[1](np.ones(5))[0], expected.sum(0), rtol=1e-14)
    assert np.array_equal(value, f(p))


def test_a_recording_is_run_at_other_parameters():
    f = lambda a: root(lambda x: x**3 + x - a, 1.0) ** 2
    tape, out = record(f, [2.0])
    assert tape.run([5.0]) == f(5.0)
    assert out.primal == f(2.0)


def test_a_solver_gets_the_equation_itself_and_may_give_another_shape():
    """x − (x − g) would have lost the digits of a small g."""
    seen = []

    def iterated(g, x0):
        seen.append(g(x0))
        return [1e-20]

    found = fixed_point(lambda x: 1e-20 * x, 1.0, solver=iterated, linear="diagonal")
    assert seen == [1e-20]
    assert type(found) is float


def test_a_recording_of_a_root_that_a_solver_finds():
    """What the solver gives may be Python's float or NumPy's: the root is Python's."""
    for solver in (lambda f, x0: 2.0, lambda f, x0: np.float64(2.5)):
        f = lambda a, solver=solver: root(lambda x: x**3 - a, 1.0, solver=solver)
        tape, _ = record(f, [8.0])
        np.testing.assert_allclose([tape.run([27.0]), tape.run([12.0])], [3.0, 12.0 ** (1 / 3)], rtol=1e-15)
        assert type(f(8.0)) is float


def test_no_unknowns():
    for value in jvp(lambda a: root(lambda x: a * x, np.zeros((0, 2))), [2.0], [1.0]):
        assert value.shape == (0, 2)


def test_threads():
    results = {}

    def work(k):
        a = 1.0 + k
        results[k] = [gradient(kepler, [a, E]) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k, found in results.items():
        assert found == [gradient(kepler, [1.0 + k, E])] * 5


# ---------------------------------------------------------------------------------------------- refusals


CYCLE = np.roll(np.eye(60), 1, 0)
"""GMRES that begins anew after 50 directions makes no progress with it."""


@pytest.mark.parametrize(("f", "error", "text"), [
    (lambda a: root(lambda x: x * x + a, 1.0), (RuntimeError, np.linalg.LinAlgError), "root: "),
    (lambda a: root(lambda x: np.stack([x[0] + a, x[1] + a, a]), np.ones(2)), ValueError, "as many equations"),
    (lambda a: root(lambda x: (x - a) ** 2, np.ones(1))[0], np.linalg.LinAlgError, "singular"),
    (lambda a: root(lambda x: np.stack([x[0] + x[1] - a, x[0] + x[1] - a]), np.ones(2))[0], np.linalg.LinAlgError,
     "singular"),
    (lambda a: root(lambda x: 1.0 / (x - a), 0.0, solver=lambda f, x: 1.0 + 1e-14), np.linalg.LinAlgError, "pole"),
    (lambda a: root(lambda x: np.abs(x - a) - (x - a) + 0.5 * (x - a), 0.0, solver=lambda f, x: 1.0 + 1e-13),
     np.linalg.LinAlgError, "kink"),
    (lambda a: root(lambda x: x**3 + 0.1 * np.roll(x, 1) - a, np.ones(3), linear="diagonal")[0], ValueError,
     "depend on other elements of x"),
    (lambda a: root(lambda x: np.array([1e12, 1.0]) * x + 1e-3 * x[::-1] - a, np.ones(2), linear="diagonal")[0],
     ValueError, "depend on other elements of x"),
    (lambda a: root(lambda x: x - a, 1.0, linear="lu"), ValueError, "linear is one of"),
    (lambda a: root(lambda x: x - a, np.ones(3), solver=lambda f, x: x[:2])[0], ValueError,
     r"root: solver returned an x of shape \(2,\); it is to have that of x0, \(3,\)"),
    (lambda a: fixed_point(lambda x: x / 2 + a, 1.0, solver=lambda f, x: [x, x]), ValueError, r"solver .* \(2,\)"),
    (lambda a: argmin(lambda x: (x - a) ** 2, 1.0, solver=lambda f, x: np.ones((2, 1))), ValueError, "argmin: solver"),
    (lambda a: root(lambda x: x - a, 1.0, solver=lambda f, x: None), TypeError, "let it return x, real numbers"),
    (lambda a: root(lambda x: x - a, 1.0, solver=lambda f, x: {"x": x}), TypeError, "root: solver returned dict"),
    (lambda a: root(lambda x: x - a, 1.0, solver=lambda f, x: x + 0j), TypeError, "root: solver returned complex"),
    (lambda a: root(lambda x: CYCLE @ x - a * CYCLE[0], CYCLE.T @ CYCLE[0], solver=lambda f, x: x, linear="gmres")[0],
     RuntimeError, "root: gmres came to a relative residual of 1, and 1e-12 was asked for: .* or linear='dense'"),
    (lambda a: root(lambda x: CYCLE @ x - a * CYCLE[0], np.zeros(60), linear="gmres")[0], RuntimeError,
     "root: gmres .* and 1e-06 was asked for in a step of Newton's method: give a preconditioner, a larger rtol, or l"),
    (lambda a: root(lambda x: np.array([[1.0, 2.0], [0.5, 1.5]]) @ x - a, np.zeros(2), linear="minres",
                    solver=lambda f, x: np.linalg.solve([[1.0, 2.0], [0.5, 1.5]], np.ones(2)))[0],
     (RuntimeError, ValueError), "root: minres came|root: the Jacobian of the equations is not symmetric, as 'minres'"),
    (lambda a: root(lambda x: x - a, 1.0, preconditioner=np.abs), TypeError, "a preconditioner is for linear="),
    (lambda a: root(lambda x: x - a, 1j), TypeError, "real unknowns"),
    (lambda a: root(lambda x: x - a * 1j, 1.0), TypeError, "complex|real"),
    (lambda a: argmin(lambda x: np.sum((x[0] + x[1] - a) ** 2), np.ones(2))[0], np.linalg.LinAlgError, "singular"),
    (lambda a: fixed_point(lambda x: x + a - a, 1.0), np.linalg.LinAlgError, "singular"),
])  # fmt: skip
def test_what_has_no_solution_or_no_derivative_raises(f, error, text):
    for d in (lambda f: derivative(f, 0, [1.0]), lambda f: gradient(f, [1.0])):
        with pytest.raises(error, match=text):
            d(f)


def test_a_wrong_number_of_results_names_the_line():
    with pytest.raises(ValueError, match=r"test_roots\.py"):
        jvp(lambda a: root(lambda x: np.stack([x[0] - a, a, a]), np.ones(2)), [1.0], [1.0])


# ---------------------------------------------------------------------------------------------- what is no solution


@pytest.mark.parametrize("linear", ["dense", "diagonal", "gmres"])
def test_where_there_is_no_root_none_is_found(linear):
    for f, x0 in ((lambda x, a: x**2 + a, 1.0), (lambda x, a: np.log(x) + a, -1.0), (lambda x, a: a / x, 1.0)):
        with np.errstate(all="ignore"), pytest.raises((RuntimeError, ValueError)) as raised:
            derivative(lambda a, f=f, x0=x0: root(f, x0, (a,), linear=linear), 0, [1.0])
        assert linear == "gmres" or "no solution was found" in str(raised.value)


@pytest.mark.parametrize("linear", ["dense", "diagonal", "cg"])
def test_a_maximum_is_no_minimum(linear):
    for f in (lambda x, a: np.sum(x**4 - a * x**2), lambda x, a: -np.sum((x - a) ** 2)):
        for x0 in (0.0, np.zeros(3)):
            with pytest.raises(RuntimeError, match=r"no minimum was found: .* negative curvature"):
                argmin(f, x0, (1.0,), linear=linear, solver=lambda f, x0: x0)
    found = lambda a: np.sum(argmin(lambda x: np.sum(x**4 - a * x**2), np.ones(2), linear=linear))
    np.testing.assert_allclose([derivative(found, 0, [2.0]), *gradient(found, [2.0])], 0.5, rtol=1e-9)


def test_a_saddle_is_no_minimum():
    with pytest.raises(RuntimeError, match="no minimum was found"):
        argmin(lambda x: 5.0 * x[0] ** 2 - 0.1 * x[1] ** 2, np.zeros(2))


def test_the_least_of_no_unknowns():
    for linear in ("dense", "diagonal", "cg"):
        assert argmin(lambda x: np.sum(x**2), np.zeros(0), linear=linear).shape == (0,)


@pytest.mark.parametrize("solved", [root, fixed_point, argmin, linear_solve])
def test_unknowns_are_one_array(solved):
    with pytest.raises(TypeError, match="takes one array of unknowns, not"):
        solved(*((lambda x: x), {"a": 1.0}))


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300])
@pytest.mark.parametrize("linear", ["dense", "diagonal", "gmres"])
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_equations_of_any_size(size, linear, mode):
    solved = lambda a: root(lambda x: size * (x**3 - a), [1.0, 2.0], linear=linear)
    np.testing.assert_allclose(solved(27.0), [3.0, 3.0], rtol=1e-14)
    np.testing.assert_allclose(mode(solved)(27.0), [1.0 / 27.0] * 2, rtol=1e-12)
    np.testing.assert_allclose(mode(jacfwd(solved))(27.0), [-2.0 / 3.0**7] * 2, rtol=1e-11)
    with pytest.raises(np.linalg.LinAlgError):
        root(lambda x: size * (x - 1.0) ** 2, 2.0)
    with pytest.raises(RuntimeError, match="no solution was found"):
        root(lambda x: size * (x**2 + 1.0), 2.0)


class Hidden:
    """Where a number is not looked for: an object that is no function."""

    def __init__(self, a):
        self.a = a


def halved(f, x0):
    return np.asarray(f(x0)) / 2


@pytest.mark.parametrize(
    "find",
    [
        lambda h: root(lambda x: x - h.a, 1.0),
        lambda h: root(lambda x: x - h.a, np.ones(2), linear="gmres")[0],
        lambda h: root(lambda x: x - h.a, 1.0, solver=halved),
        lambda h: fixed_point(lambda x: np.cos(h.a * x), 1.0),
        lambda h: argmin(lambda x: np.sum((x - h.a) ** 2), np.ones(2))[0],
        lambda h: argmin(lambda x: (x - h.a) ** 2, 1.0, solver=halved),
        lambda h: linear_solve(lambda x: h.a * x, np.ones(2))[0],
    ],
)
@pytest.mark.parametrize("differentiated", [grad, lambda f: lambda a: derivative(f, 0, [a])])
def test_a_number_that_is_not_found_is_said_to_be_none(find, differentiated):
    with pytest.raises(TypeError, match="uses a number that is neither in args nor a variable"):
        differentiated(lambda a: find(Hidden(a)))(0.5)
