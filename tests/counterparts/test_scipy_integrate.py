"""Differential equations: events, dense output, the continuous adjoint, boundary values, what is refused."""

import threading
from itertools import product

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse

from autodiff import check_gradient, grad, gradient, hessian, hvp, jacfwd, jacrev, jvp, value_and_grad
from autodiff.scipy.integrate import odeint, solve_bvp, solve_ivp

MODES = pytest.mark.parametrize("mode", [jacfwd, jacrev])
TIGHT = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}

# -------------------------------------------------------------------------------------------------------- events


def falling(t, y, g):
    return [y[1], -g]


def ground(t, y, *_):
    return y[0]


def apex(t, y, *_):
    return y[1]


ground.terminal, ground.direction = True, -1


def flight(x):
    """The times of apex and landing, and the states there, of a ball with height, speed and gravity x."""
    found = solve_ivp(falling, (0.0, 100.0), x[:2], events=[ground, apex], args=(x[2],))  # exact: a parabola
    assert found.status == 1
    return np.stack([found.t_events[1][0], found.t[-1], found.y[1, -1], found.y_events[1][0, 0]])


def flight_in_closed_form(x):
    h, v, g = x
    end = np.sqrt(v * v + 2.0 * g * h)
    return np.stack([v / g, (v + end) / g, -end, h + v * v / (2.0 * g)])


BALL = np.array([1.0, 3.0, 9.8])


@MODES
def test_events_are_the_closed_form(mode):
    np.testing.assert_allclose(mode(flight)(BALL), mode(flight_in_closed_form)(BALL), atol=1e-13)


@pytest.mark.parametrize("modes", list(product([jacfwd, jacrev], repeat=2)))
def test_second_derivatives_of_events(modes):
    outer, inner = modes
    expected = jacfwd(jacfwd(flight_in_closed_form))(BALL)
    np.testing.assert_allclose(outer(inner(flight))(BALL), expected, atol=1e-12)


def test_third_derivatives_of_an_event():
    along = [np.array([0.3, -0.2, 1.0])]

    def third(f):
        first = lambda x: jvp(lambda x: f(x)[1], [x], along)[1]
        return grad(lambda x: jvp(first, [x], along)[1])(BALL)

    np.testing.assert_allclose(third(flight), third(flight_in_closed_form), atol=1e-11)


@MODES
def test_a_ball_that_bounces(mode):
    def third_landing(x):
        t, y = 0.0, np.stack([x[0], 0.0])
        for _ in range(3):
            found = solve_ivp(falling, (t, 100.0), y, events=ground, args=(9.81,))
            t, y = found.t_events[0][0], np.stack([0.0, -x[1] * found.y_events[0][0, 1]])
        return t

    expected = lambda x: np.sqrt(2.0 * x[0] / 9.81) * (1.0 + 2.0 * x[1] + 2.0 * x[1] ** 2)
    x = np.array([1.3, 0.8])
    np.testing.assert_allclose(mode(third_landing)(x), mode(expected)(x), rtol=1e-12)


def test_an_event_that_depends_on_a_parameter_and_has_none():
    level = lambda height: lambda t, y: y[0] - height
    first = lambda height: solve_ivp(
        lambda t, y: [2.0 * y[0]], (0.0, 1.0), [1.0], events=[level(height), level(99.0)], **TIGHT
    )
    assert grad(lambda h: first(h).t_events[0][0])(3.0) == pytest.approx(1.0 / 6.0, rel=1e-9)
    _, found = jvp(lambda h: first(h).y_events[0][0, 0], [3.0], [1.0])
    assert found == pytest.approx(1.0, rel=1e-9)
    sizes = []
    grad(lambda h: (sizes.append(len(first(h).t_events[1])), first(h).y[0, -1])[1])(3.0)
    assert sizes == [0]


@MODES
def test_a_grazing_event_raises(mode):
    def time(height):  # the parabola height − (1 − t)²
        start = np.stack([height - 1e-4, 0.02])
        return solve_ivp(lambda t, y: [y[1], -2.0], (0.99, 1.01), start, events=apex_at_0, max_step=2e-4).t_events[0][0]

    apex_at_0 = lambda t, y: y[0]
    with pytest.raises(np.linalg.LinAlgError, match=r"event 0 at t = 0\.999\d* is grazing.*smaller ones"):
        mode(time)(5e-7)


def test_an_event_of_several_numbers_raises():
    with pytest.raises((ValueError, TypeError)):
        grad(lambda a: solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0], events=lambda t, y: [t, y[0]]).y[0, -1])(1.0)


# -------------------------------------------------------------------------------------------------- dense output


@MODES
def test_dense_output(mode):
    times = np.array([0.7, 0.2, 0.0])
    end = lambda a, t: solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [2.0], dense_output=True, **TIGHT).sol(t)
    np.testing.assert_allclose(mode(lambda a: end(a, times))(1.3), [-2.0 * times * np.exp(-1.3 * times)], atol=1e-8)
    np.testing.assert_allclose(mode(lambda t: end(1.3, t))(0.4), [-2.6 * np.exp(-0.52)], rtol=1e-8)
    assert np.shape(end(1.3, 0.4)) == (1,)
    assert np.shape(end(1.3, times)) == (1, 3)


def test_dense_output_is_scipys_and_has_ends():
    f = lambda a: solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [2.0], dense_output=True)
    values = []
    grad(lambda a: (values.append(f(a).sol), f(a).y[0, -1])[1])(1.3)
    assert isinstance(values[0], scipy.integrate.OdeSolution)
    with pytest.raises(ValueError, match="from 0 to 1"):
        grad(lambda a: f(a).sol(1.5)[0])(1.3)
    plain = scipy.integrate.solve_ivp(lambda t, y: -1.3 * y, (0.0, 1.0), [2.0], dense_output=True)
    np.testing.assert_array_equal(f(1.3).sol(1.5), plain.sol(1.5))


# ----------------------------------------------------------------------------------------------------- the adjoint


def network(t, y, theta):
    n = len(y)
    weights = np.reshape(theta, (-1, n))
    return np.tanh(weights[:n] @ y) + weights[n] * np.sin(t) - y


SIZE = 4
WEIGHTS = np.sin(1.0 + np.arange(SIZE * (SIZE + 1.0)))
FIRST = np.linspace(-1.0, 1.0, SIZE)


def loss_of(method, times, **options):
    def loss(theta):
        if method == "odeint":
            return np.sum(odeint(network, FIRST, [0.0, *times], (theta,), tfirst=True, **options)[1:] ** 2)
        return np.sum(solve_ivp(network, (0.0, 3.0), FIRST, method, times, args=(theta,), **options).y ** 2)

    return loss


@pytest.fixture(scope="module")
def exact():
    """The gradient along two directions, by the sensitivity equations with a tolerance of 1e-12."""
    along = np.stack([np.cos(np.arange(WEIGHTS.size)), np.eye(WEIGHTS.size)[5]])
    f = loss_of("DOP853", [1.0, 3.0], rtol=1e-12, atol=1e-12)
    return along, np.array([jvp(f, [WEIGHTS], [d])[1] for d in along])


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA", "odeint"])
def test_the_adjoint_is_held_to_the_tolerances(method, exact):
    along, slopes = exact
    for tolerance in (1e-4, 1e-7):
        if method == "Radau" and tolerance < 1e-5:
            continue  # some hundred steps
        found = grad(loss_of(method, [1.0, 3.0], rtol=tolerance, atol=tolerance))(WEIGHTS)
        np.testing.assert_allclose(along @ found, slopes, rtol=0, atol=100.0 * tolerance)


def test_the_adjoint_to_twelve_digits(exact):
    along, slopes = exact
    found = grad(loss_of("DOP853", [1.0, 3.0], rtol=1e-12, atol=1e-12))(WEIGHTS)
    np.testing.assert_allclose(along @ found, slopes, rtol=0, atol=1e-10)


def test_a_gradient_by_a_thousand_parameters_costs_a_few_solutions():
    calls = []

    def slope(t, y, theta):
        calls.append(t)
        return np.tanh(np.reshape(theta, (31, 31)) @ y) - y

    start, theta = np.linspace(-1.0, 1.0, 31), 0.1 * np.sin(np.arange(961.0))
    loss = lambda y0, theta: np.sum(solve_ivp(slope, (0.0, 2.0), y0, args=(theta,), rtol=1e-6, atol=1e-8).y[:, -1] ** 2)
    loss(start, theta)
    once = len(calls)
    found = gradient(loss, [start, theta])
    assert len(calls) < 8 * once
    along = [np.cos(np.arange(31.0)), np.cos(np.arange(961.0))]
    pushed = jvp(loss, [start, theta], along)[1]
    assert sum(np.vdot(x, d) for x, d in zip(found, along, strict=True)) == pytest.approx(pushed, rel=1e-5)


def test_the_adjoint_backward_in_time_and_by_the_ends():
    def loss(x):
        found = solve_ivp(network, (x[-2], x[-1]), FIRST, args=(x[:-2],), **TIGHT)
        return np.sum(np.cos(found.y[:, -1]))

    x, d = np.append(WEIGHTS, [1.0, 0.2]), np.append(np.cos(np.arange(WEIGHTS.size)), [0.7, -1.0])
    along = lambda s: loss(x + s * d)
    assert check_gradient(along, [0.0], [grad(loss)(x) @ d])


def test_a_derivative_that_swings_faster_than_the_solution_and_one_that_jumps():
    fine, theta = {"rtol": 1e-8, "atol": 1e-8}, np.zeros(40)
    swinging = lambda t, y, theta: theta[:1] * np.cos(100.0 * t)  # of which neither y nor the adjoint moves
    end = lambda theta: solve_ivp(swinging, (0.0, 1.0), [1.0], args=(theta,), **fine).y[0, -1]
    assert grad(end)(theta)[0] == pytest.approx(np.sin(100.0) / 100.0, abs=1e-12)
    jumping = lambda t, y, theta: theta[:1] * (t > 0.37)
    end = lambda theta: solve_ivp(jumping, (0.0, 1.0), [1.0], args=(theta,), **fine).y[0, -1]
    assert grad(end)(theta)[0] == pytest.approx(0.63, abs=1e-7)


def test_the_tolerances_of_an_adjoint_are_beside_its_cotangent():
    growing = lambda t, y, theta: theta[0] * y
    end = lambda theta: solve_ivp(growing, (0.0, 1.0), [1.0], args=(theta,), rtol=1e-8, atol=1e-8).y[0, -1]
    found = grad(lambda theta: 1e-12 * end(theta))(np.eye(40)[0])
    assert found[0] == pytest.approx(1e-12 * np.e, rel=1e-7)


def test_the_hessian_times_a_vector_through_the_adjoint():
    f, v = loss_of("DOP853", [2.0], rtol=1e-8, atol=1e-8), np.cos(np.arange(WEIGHTS.size))
    expected = jvp(lambda x: jvp(f, [x], [v])[1], [WEIGHTS], [v])[1]
    assert hvp(f)(WEIGHTS, v) @ v == pytest.approx(expected, rel=1e-6)
    assert grad(lambda x: grad(f)(x) @ v)(WEIGHTS) @ v == pytest.approx(expected, rel=1e-6)


def robertson(t, y, k):
    a, b, c = k[0] * y[0], k[1] * y[1] * y[2], k[2] * y[1] * y[1]
    return np.stack([b - a, a - b - c, c])


def robertson_by_y(t, y, k):
    first, second, third = k[0], k[1] * y[2], k[1] * y[1]
    square = 2.0 * k[2] * y[1]
    return scipy.sparse.csc_array([[-first, second, third], [first, -second - square, -third], [0.0, square, 0.0]])


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_a_stiff_problem_with_many_parameters(method):
    more = np.zeros(40)  # parameters that nothing depends on: so the adjoint is used
    rates, tight = np.array([0.04, 1e4, 3e7]), {"rtol": 1e-5, "atol": 1e-8}
    jac = {"jac": lambda t, y, k, _: robertson_by_y(t, y, k)} if method != "LSODA" else {}
    plain = lambda k: solve_ivp(robertson, (0.0, 4.0), [1.0, 0.0, 0.0], method, args=(k,), **tight).y[2, -1]
    many = lambda k, more: solve_ivp(lambda t, y, k, more: robertson(t, y, k) + 0.0 * np.sum(more), (0.0, 4.0),
                                     [1.0, 0.0, 0.0], method, args=(k, more), **tight, **jac).y[2, -1]  # fmt: skip
    found, of_more = gradient(many, [rates, more])
    np.testing.assert_allclose(found * rates, jacfwd(plain)(rates) * rates, atol=1e-4)
    assert not np.any(of_more)


# ------------------------------------------------------------------------------------------------ boundary values


def string(x, **options):
    """The string y″ = −k² y from 0 to ``end`` over the given length, for x = (k, length, end)."""
    k, length, end = x
    mesh = np.linspace(0.0, 1.0, 5) * length
    slope, conditions = lambda t, y: np.stack([y[1], -k * k * y[0]]), lambda a, b: np.stack([a[0], b[0] - end])
    return solve_bvp(slope, conditions, mesh, np.zeros((2, 5)), tol=1e-8, **options)


STRING = np.array([1.3, 0.9, 2.0])


def first_slope(x):
    return x[2] * x[0] / np.sin(x[0] * x[1])


@MODES
def test_a_boundary_value_problem_is_the_closed_form(mode):
    np.testing.assert_allclose(mode(lambda x: string(x).y[1, 0])(STRING), mode(first_slope)(STRING), rtol=1e-8)
    inside = lambda x: x[2] * np.sin(x[0] * 0.4) / np.sin(x[0] * x[1])
    np.testing.assert_allclose(mode(lambda x: string(x).sol(0.4)[0])(STRING), mode(inside)(STRING), rtol=1e-6)


@pytest.mark.parametrize("modes", list(product([jacfwd, jacrev], repeat=2)))
def test_second_derivatives_of_a_boundary_value_problem(modes):
    outer, inner = modes
    found = outer(inner(lambda x: string(x).y[1, 0]))(STRING)
    np.testing.assert_allclose(found, hessian(first_slope)(STRING), rtol=1e-7)


@MODES
def test_a_number_that_is_not_found_in_a_boundary_value_problem_is_said_to_be_none(mode):
    class Hidden:
        pass

    hidden = Hidden()

    def f(a):
        hidden.a = a
        slope, conditions = lambda t, y: np.stack([y[1], -hidden.a * y[0]]), lambda left, right: left - a
        return solve_bvp(slope, conditions, np.linspace(0.0, 1.0, 5), np.zeros((2, 5))).p

    with pytest.raises(TypeError, match="given to solve_bvp uses a number that is neither in args nor a variable"):
        mode(f)(1.0)


@MODES
def test_an_eigenvalue_by_a_stiffness(mode):
    def eigenvalue(c):
        slope, begun = (
            lambda x, y, p: np.stack([y[1], -c * p[0] ** 2 * y[0]]),
            np.array([[0.0, 1.0, 0.0, -1.0, 0.0]] * 2),
        )
        conditions = lambda a, b, p: np.stack([a[0], b[0], a[1] - p[0]])
        return solve_bvp(slope, conditions, np.linspace(0.0, 1.0, 5), begun, [6.0], tol=1e-6).p[0]

    assert mode(eigenvalue)(1.0) == pytest.approx(-np.pi, rel=1e-7)  # 2π / √c


def bratu(c, **options):
    slope, conditions = lambda x, y: np.stack([y[1], -c * np.exp(y[0])]), lambda a, b: np.stack([a[0], b[0]])
    return solve_bvp(slope, conditions, np.linspace(0.0, 1.0, 5), np.zeros((2, 5)), **options)


def test_a_nonlinear_boundary_value_problem_and_one_without_a_solution():
    middle = lambda c: bratu(c, tol=1e-9, max_nodes=9999).sol(0.5)[0]
    assert check_gradient(middle, [1.0], [grad(middle)(1.0)])
    with pytest.raises(RuntimeError, match=r"found no solution.*SciPy says"):
        grad(lambda c: bratu(c).y[0, 2])(10.0)
    with pytest.raises(TypeError, match="begin beside a"):
        grad(lambda c: bratu(c, S=np.zeros((2, 2))).y[0, 2])(1.0)


def test_a_plain_boundary_value_problem_is_scipys():
    plain = scipy.integrate.solve_bvp(lambda x, y: np.stack([y[1], -np.exp(y[0])]), lambda a, b: np.stack([a[0], b[0]]),
                                      np.linspace(0.0, 1.0, 5), np.zeros((2, 5)))  # fmt: skip
    np.testing.assert_array_equal(bratu(1.0).y, plain.y)


# ------------------------------------------------------------------------------------------------- what users do


def test_what_did_not_reach_the_end_raises_with_the_report():
    with pytest.raises(RuntimeError, match="Required step size is less than spacing"):
        grad(lambda a: solve_ivp(lambda t, y: a * y**2, (0.0, 9.0), [1.0]).y[0, -1])(1.0)
    with pytest.raises(RuntimeError, match="Excess work"):
        grad(lambda a: odeint(lambda y, t: a * y**2, [1.0], [0.0, 9.0])[-1, 0])(1.0)


def test_a_right_hand_side_that_is_not_finite_raises():
    for end in (
        lambda a: solve_ivp(lambda t, y: a * np.sqrt(y - 2.0), (0.0, 1.0), [1.0]).y[0, -1],
        lambda a: odeint(lambda y, t: a * np.sqrt(y - 2.0), [1.0], [0.0, 1.0])[-1, 0],
    ):
        with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="not finite at the beginning, t = 0"):
            grad(end)(1.0)


def test_odeint_with_its_report_and_without_times():
    _, slope = jvp(lambda a: odeint(lambda y, t: -a * y, [1.0], [0.0, 1.0], full_output=True)[0], [2.0], [1.0])
    np.testing.assert_allclose(slope[1], [-np.exp(-2.0)], atol=1e-6)
    with pytest.raises(ValueError, match="t holds no time"):
        grad(lambda a: np.sum(odeint(lambda y, t: -a * y, [1.0], [])))(1.0)


def test_a_vectorized_right_hand_side_gets_columns():
    def slope(t, y, a):
        assert y.ndim == 2
        return -a * y

    end = lambda a: solve_ivp(slope, (0.0, 1.0), [1.0, 2.0], args=(a,), vectorized=True, **TIGHT).y[1, -1]
    assert grad(end)(0.5) == pytest.approx(-2.0 * np.exp(-0.5), rel=1e-8)


def test_float32_and_empty_times():
    end = lambda y0: solve_ivp(lambda t, y: -y, (0.0, 1.0), y0, **TIGHT).y[:, -1]
    assert jacrev(end)(np.ones(2, np.float32)).dtype == np.float32
    none = lambda a: np.sum(solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0], t_eval=[]).y)
    assert grad(none)(1.0) == 0.0


def test_threads_share_nothing():
    found = {}

    def run(k):
        f = lambda a: solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0], events=lambda t, y: y[0] - 0.5, **TIGHT)
        found[k] = value_and_grad(lambda a: f(a).t_events[0][0])(1.0 + k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, (value, slope) in found.items():
        assert value == pytest.approx(np.log(2.0) / (1.0 + k))
        assert slope == pytest.approx(-np.log(2.0) / (1.0 + k) ** 2)


@pytest.mark.parametrize("decay", [0.5, lambda f: grad(f)(0.5)], ids=["plain", "traced"])
def test_an_argument_that_is_no_tuple_says_how_to_give_it(decay):
    f = lambda a: solve_ivp(lambda t, y, a: -a * y, (0.0, 1.0), [1.0], args=a).y[0, -1]
    with pytest.raises(TypeError, match=r"solve_ivp: args is a tuple, such as args=\(a,\)"):
        decay(f) if callable(decay) else f(decay)
