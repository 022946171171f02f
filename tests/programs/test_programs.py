"""Ordinary programs: control flow, loops, closures, arrays written in place, nested arguments, optimisation."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import autodiff
from autodiff import (
    derivative,
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    stop_gradient,
    value_and_grad,
    value_of,
    vjp,
)
from autodiff import forward as forward_mode
from autodiff import reverse as reverse_mode
from dualnumbers import dmath

GRADIENTS = pytest.mark.parametrize(
    "gradient_of", [forward_mode.gradient, reverse_mode.gradient], ids=["forward", "reverse"]
)
JACOBIANS = pytest.mark.parametrize("jacobian_of", [jacfwd, jacrev, jacobian], ids=lambda f: f.__name__)


def same(found, expected, rtol=1e-13):
    """Nested structures of equal types, shapes, and values to rounding."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, (list, tuple)):
        assert type(found) is type(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other, rtol)
    else:
        assert type(found) is type(expected)
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-14)


# ------------------------------------------------------------------------------------------------ control flow


def absolute(x):
    return x if x > 0 else -x


def square_root(x):
    """Heron's method, until it stands still."""
    y, before = x, 0.0
    while y != before:
        before, y = y, 0.5 * (y + x / y)
    return y


def factorial_like(x):
    return x * factorial_like(x - 1) if x > 1 else x


def exponential(x):
    total, term, k = 0.0, 1.0, 0
    while abs(term) > 1e-20:
        total, k = total + term, k + 1
        term = term * x / k
    return total


def with_early_return(x):
    for k in range(10):
        if x * k > 5:
            return x**k
    return 0.0 * x


def with_try(x):
    try:
        return dmath.sqrt(x)
    except ValueError:
        return -x


def by_table(x):
    return {0: x, 1: x * x, 2: x**3}[dmath.floor(x)]


def by_match(x):
    match math.floor(x):
        case 1:
            return x * x
        case _:
            return x**3


@GRADIENTS
@pytest.mark.parametrize(
    ("program", "x", "slope"),
    [
        (absolute, -3.0, -1.0),
        (absolute, 3.0, 1.0),
        (square_root, 2.0, 0.5 / math.sqrt(2.0)),
        (factorial_like, 3.5, 3.5 * 2.5 * 1.5 * 0.5 * (1 / 3.5 + 1 / 2.5 + 1 / 1.5 + 1 / 0.5)),
        (exponential, 1.5, math.exp(1.5)),
        (with_early_return, 2.0, 3 * 4.0),
        (with_try, 4.0, 0.25),
        (with_try, -4.0, -1.0),
        (by_table, 1.5, 3.0),
        (by_table, 2.5, 3 * 2.5**2),
        (by_match, 1.5, 3.0),
        (lambda x: sum(sorted([x * x, x, 1.0])[:2]), 0.5, 2.0),
        (lambda x: max(x, 2.0, x * x), 3.0, 6.0),
        (lambda x: [x, x * x][int(x > 1)], 3.0, 6.0),
        (lambda x: "x" in {"x": x} and x * 2, 3.0, 2.0),
        (lambda x: {**{"a": x}, "a": x * x}["a"], 3.0, 6.0),
        (lambda x: next(term for term in (x**k for k in range(9)) if term > 10), 3.0, 27.0),
    ],
)
def test_control_flow(program, x, slope, gradient_of):
    (found,) = gradient_of(program, [x])
    assert type(found) is float
    assert found == pytest.approx(slope, rel=1e-14)


@GRADIENTS
def test_recurrences_in_place_of_arrays(gradient_of):
    def logistic_map(r, x):
        for _ in range(20):
            x = r * x * (1 - x)
        return x

    def by_hand(r, x):
        by_r, by_x = 0.0, 1.0
        for _ in range(20):
            by_r, by_x, x = x * (1 - x) + r * (1 - 2 * x) * by_r, r * (1 - 2 * x) * by_x, r * x * (1 - x)
        return [by_r, by_x]

    same(gradient_of(logistic_map, [3.6, 0.3]), by_hand(3.6, 0.3), rtol=1e-9)


def test_closures_and_methods():
    class Spring:
        stiffness = 3.0

        def energy(self, x):
            return 0.5 * self.stiffness * x * x

        def __call__(self, x, y):
            return self.energy(x) + self.energy(y)

    def power_of(n):
        return lambda x: x**n

    assert grad(Spring().energy)(2.0) == 6.0
    assert grad(Spring(), argnums=(0, 1))(2.0, 1.0) == (6.0, 3.0)
    assert [differentiate(power_of(n), 0)(2.0) for n in range(4)] == [0.0, 1.0, 4.0, 12.0]


# ------------------------------------------------------------------------------------------------ regression

RNG = np.random.default_rng(1)
ABSCISSAS = RNG.uniform(-2.0, 2.0, 500)
ORDINATES = 3.0 * ABSCISSAS - 1.0 + RNG.normal(0.0, 0.1, 500)
POINTS = list(zip(ABSCISSAS.tolist(), ORDINATES.tolist(), strict=True))


def loss_by_loop(slope, intercept):
    total = 0.0
    for x, y in POINTS:
        total = total + (slope * x + intercept - y) ** 2
    return total / len(POINTS)


def loss_by_arrays(slope, intercept):
    return np.mean((slope * ABSCISSAS + intercept - ORDINATES) ** 2)


@GRADIENTS
@pytest.mark.parametrize("loss", [loss_by_loop, loss_by_arrays])
def test_the_regressions_gradient(loss, gradient_of):
    residual = 0.5 * ABSCISSAS + 0.25 - ORDINATES
    expected = [2 * float(np.mean(residual * ABSCISSAS)), 2 * float(np.mean(residual))]
    same(gradient_of(loss, [0.5, 0.25]), expected)


@GRADIENTS
@pytest.mark.parametrize(("loss", "steps"), [(loss_by_loop, 60), (loss_by_arrays, 100)])
def test_gradient_descent_reaches_the_least_squares_line(loss, steps, gradient_of):
    parameters = [0.0, 0.0]
    for _ in range(steps):
        parameters = [p - 0.3 * g for p, g in zip(parameters, gradient_of(loss, parameters), strict=True)]
    np.testing.assert_allclose(parameters, np.polyfit(ABSCISSAS, ORDINATES, 1), rtol=1e-8)


def test_one_newton_step_reaches_it_too():
    def loss(p):
        return loss_by_arrays(p[0], p[1])

    start = np.zeros(2)
    line = start - np.linalg.solve(hessian(loss)(start), grad(loss)(start))
    np.testing.assert_allclose(line, np.polyfit(ABSCISSAS, ORDINATES, 1), rtol=1e-12)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG"])
def test_scipy_minimises_with_value_and_gradient(method):
    optimize = pytest.importorskip("scipy.optimize")
    fit = optimize.minimize(value_and_grad(lambda p: loss_by_arrays(*p)), np.zeros(2), jac=True, method=method)
    np.testing.assert_allclose(fit.x, np.polyfit(ABSCISSAS, ORDINATES, 1), rtol=1e-5)


def test_scipy_minimises_with_hessian_products():
    optimize = pytest.importorskip("scipy.optimize")

    def rosenbrock(x):
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    start = np.array([-1.2, 1.0, -1.2, 1.0])
    for second in ({"hessp": hvp(rosenbrock)}, {"hess": hessian(rosenbrock)}):
        fit = optimize.minimize(
            rosenbrock, start, jac=grad(rosenbrock), method="Newton-CG", options={"xtol": 1e-10}, **second
        )
        np.testing.assert_allclose(fit.x, np.ones(4), rtol=1e-8)


# ------------------------------------------------------------------------------------------------ broadcasting

COLUMN, ROW = np.array([[1.0], [2.0], [3.0]]), np.array([[4.0, 5.0, 6.0]])


@GRADIENTS
@pytest.mark.parametrize(("function", "arguments", "expected"), [
    (lambda x, y: np.sum(x + y), [COLUMN, ROW], [np.full((3, 1), 3.0), np.full((1, 3), 3.0)]),
    (lambda x, y: np.sum(x * y), [COLUMN, ROW], [np.full((3, 1), 15.0), np.full((1, 3), 6.0)]),
    (lambda x, y: np.sum(x - y), [COLUMN[:2], np.ones((2, 3))], [np.full((2, 1), 3.0), np.full((2, 3), -1.0)]),
    (lambda x, y: np.sum(x / y), [COLUMN[:2], np.full((2, 3), 2.0)],
     [np.full((2, 1), 1.5), np.full((2, 3), -0.25) * COLUMN[:2]]),
    (lambda x, y: np.sum(x * y), [2.0, ROW], [15.0, np.full((1, 3), 2.0)]),
    (lambda x, y: np.sum(x**y), [ROW, 2.0], [2 * ROW, float(np.sum(ROW**2 * np.log(ROW)))]),
    (lambda x, y: np.sum(np.arctan2(x, y)), [np.ones(3), np.ones((2, 3))], [np.full(3, 1.0), np.full((2, 3), -0.5)]),
    (lambda x, y: np.sum(x * y), [np.ones((2, 1, 3)), np.ones((4, 1))],
     [np.full((2, 1, 3), 4.0), np.full((4, 1), 6.0)]),
    (lambda x: np.sum(np.broadcast_to(x, (4, 3))), [np.ones(3)], [np.full(3, 4.0)]),
    (lambda x, y: np.sum(np.where(COLUMN > 1, x, y)), [ROW, 2.0], [np.full((1, 3), 2.0), 3.0]),
    (lambda x: np.mean(x), [np.ones((2, 3))], [np.full((2, 3), 1 / 6)]),
    (lambda x: np.sum(np.mean(x, axis=0) * ROW), [np.ones((2, 3))],
     [np.array([[2.0, 2.5, 3.0], [2.0, 2.5, 3.0]])]),
    (lambda x: np.sum(x.mean(axis=-1, keepdims=True) * x), [np.ones((2, 3))], [np.full((2, 3), 2.0)]),
    (lambda x: np.sum(np.sum(x, axis=(0, 2)) * COLUMN[:2, 0]), [np.ones((2, 2, 2))],
     [np.array([[[1.0, 1.0], [2.0, 2.0]]] * 2)]),
])  # fmt: skip
def test_gradients_have_the_shapes_of_the_arguments(function, arguments, expected, gradient_of):
    same(gradient_of(function, arguments), expected)


@GRADIENTS
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x * [1.0, 2.0, 3.0]),
        lambda x: np.sum((1.0, 2.0, 3.0) * x),
        lambda x: np.sum(np.multiply(x, [1.0, 2.0, 3.0])),
        lambda x: x @ [1.0, 2.0, 3.0],
        lambda x: np.dot([1.0, 2.0, 3.0], x),
        lambda x: np.sum(x - [5.0, 5.0, 5.0] + [0.0, x[1], 2 * x[2]]),
    ],
)
def test_lists_stand_for_arrays_as_in_numpy(function, gradient_of):
    same(gradient_of(function, [np.ones(3)]), [np.array([1.0, 2.0, 3.0])])


@JACOBIANS
def test_broadcast_jacobians(jacobian_of):
    by_column, by_row = jacobian_of(lambda x, y: x + 2 * y, (0, 1))(COLUMN, ROW)
    same(by_column, np.einsum("ik,jl->ijkl", np.eye(3), np.ones((3, 1))))
    same(by_row, 2 * np.einsum("ik,jl->ijkl", np.ones((3, 1)), np.eye(3)))


@GRADIENTS
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.longdouble])
def test_the_kind_of_floats_is_kept(kind, gradient_of):
    array, number = gradient_of(lambda x, y: np.sum(np.sin(x) * 2 * y + 1), [np.ones(3, kind), kind(2)])
    assert (array.dtype, type(number)) == (kind, kind)


@GRADIENTS
def test_integers_become_floats(gradient_of):
    same(gradient_of(lambda x, y: np.sum(x * y), [3, np.array([1, 2])]), [3.0, np.array([3.0, 3.0])])


# ------------------------------------------------------------------------------------------------ writing arrays


def running_products(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for k in range(1, len(x)):
        y[k] = y[k - 1] * x[k]
    return y


def into_zeros_like_a_number(x):
    y = np.zeros(3, x.dtype, like=x)
    for k in range(3):
        y[k] = x[k] ** (k + 1)
    return y


def through_a_view(x):
    y = x * 1.0
    middle = y[1:]
    middle *= 2.0
    middle[0] = x[0] * x[2]
    return y


def a_view_sees_its_base(x):
    y = x * 1.0
    view = y[::-1]
    y[0] = x[1] * x[1]
    return view


def a_copy_does_not(x):
    y = x * 1.0
    copy = y.copy()
    y[0] = x[1] * x[1]
    return copy + y


def a_view_of_a_view(x):
    y = np.outer(x, x)
    corner = y[1:][:, 1:].T
    corner[...] = corner * 3.0
    corner[0, 1] += x[0]
    return y.reshape(9)[::2]


def by_masks_and_lists(x):
    y = x**2
    y[x > 1.5] = 7.0
    y[[0, 1]] += x[1:] * x[0]
    return y


def swapped(x):
    y = x**2
    y[0], y[2] = y[2], y[0]
    return y * x


def overwritten(x):
    y = x**2
    y[1] = 5.0
    y[1] = x[0]
    return y


def by_rows(x):
    table = np.zeros((2, 3), x.dtype, like=x)
    table[0] = x
    table[1, :2] = table[0, 1:] * table[0, :2]
    table[:, 2] -= 1.0
    table[1] /= 2.0
    return table


def in_place_operators(x):
    y = x + 0.0
    y += x
    y *= x
    y -= 1.0
    y /= 2.0
    y **= 2
    return y


WRITERS = [running_products, into_zeros_like_a_number, through_a_view, a_view_sees_its_base, a_copy_does_not,
           a_view_of_a_view, by_masks_and_lists, swapped, overwritten, by_rows, in_place_operators]  # fmt: skip
WHERE = np.array([1.1, 1.7, -0.6])


def complex_step(f, x):
    """The exact Jacobian of a program by NumPy alone: the imaginary part of f(x + i h) / h, h = 1e-30."""
    columns = [f(x + 1e-30j * unit).imag / 1e-30 for unit in np.eye(len(x))]
    return np.stack(columns, -1)


@pytest.mark.parametrize("program", WRITERS, ids=lambda f: f.__name__)
@JACOBIANS
def test_item_assignment_and_views_are_numpys(program, jacobian_of):
    np.testing.assert_allclose(jacobian_of(program)(WHERE), complex_step(program, WHERE), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("program", WRITERS, ids=lambda f: f.__name__)
def test_programs_that_write_have_the_plain_values(program):
    plain = program(WHERE)
    np.testing.assert_array_equal(jvp(program, [WHERE], [WHERE])[0], plain)
    np.testing.assert_array_equal(vjp(program, WHERE)[0], plain)


@pytest.mark.parametrize("program", WRITERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("inner", [jacfwd, jacrev])
@pytest.mark.parametrize("outer", [jacfwd, jacrev])
def test_item_assignment_and_views_at_second_order(program, outer, inner):
    def scalar(x):
        return np.sum(np.sin(program(x)))

    found = outer(inner(scalar))(WHERE)
    h = 1e-5
    rows = [
        (complex_step(scalar, WHERE + h * unit) - complex_step(scalar, WHERE - h * unit)) / (2 * h)
        for unit in np.eye(3)
    ]
    np.testing.assert_allclose(found, rows, rtol=1e-7, atol=1e-8)


@JACOBIANS
def test_an_argument_written_by_the_function_is_the_callers_no_more(jacobian_of):
    x = WHERE.copy()

    def f(x):
        x[0] = x[1] * x[2]
        return x

    a, b, c = x
    np.testing.assert_allclose(jacobian_of(f)(x), [[0, c, b], [0, 1, 0], [0, 0, 1]])
    assert x.tolist() == WHERE.tolist() == [a, b, c]


@JACOBIANS
def test_duplicate_indices(jacobian_of):
    def f(x):
        y = np.zeros_like(x)
        y[[0, 0, 1]] = x * x  # the last one stays
        return y + x[[1, 1, 2]]

    _, b, c = WHERE
    np.testing.assert_allclose(jacobian_of(f)(WHERE), [[0, 2 * b + 1, 0], [0, 1, 2 * c], [0, 0, 1]])


# ------------------------------------------------------------------------------------------------ making arrays


def rotation(angle):
    """The same matrix in every spelling."""
    c, s = np.cos(angle), np.sin(angle)
    return {
        "np.array": lambda: np.array([[c, -s], [s, c]]),
        "np.stack": lambda: np.stack([np.stack([c, -s]), np.stack([s, c])]),
        "autodiff.array": lambda: autodiff.array([[c, -s], [s, c]]),
        "lists": lambda: [[c, -s], [s, c]],
        "zeros like": lambda: fill(np.zeros((2, 2), like=angle), [c, -s, s, c]),
        "zeros_like": lambda: fill(np.zeros_like(np.broadcast_to(angle, (2, 2))), [c, -s, s, c]),
        "concatenate": lambda: np.concatenate([np.stack([c, -s]), np.stack([s, c])]).reshape(2, 2),
        "arithmetic": lambda: c * np.eye(2) + s * np.array([[0.0, -1.0], [1.0, 0.0]]),
        "where": lambda: np.where(np.eye(2) > 0, c, s * np.array([[0.0, -1.0], [1.0, 0.0]])),
    }


def fill(matrix, elements):
    for place, element in zip(np.ndindex(matrix.shape), elements, strict=True):
        matrix[place] = element
    return matrix


@JACOBIANS
@pytest.mark.parametrize("spelling", rotation(0.0))
def test_a_matrix_of_traced_numbers(spelling, jacobian_of):
    c, s = math.cos(0.3), math.sin(0.3)
    found = jacobian_of(lambda angle: rotation(angle)[spelling]())(0.3)
    np.testing.assert_allclose(found, [[-s, -c], [c, -s]], rtol=1e-15)


@GRADIENTS
@pytest.mark.parametrize("spelling", [name for name in rotation(0.0) if name != "zeros like"])  # not like a float
def test_a_matrix_of_traced_numbers_at_work(spelling, gradient_of):
    def height(angle, point):
        matrix = rotation(angle)[spelling]()
        return (autodiff.array(matrix) @ point)[1]

    x, y = 2.0, 1.0
    c, s = math.cos(0.3), math.sin(0.3)
    same(gradient_of(height, [0.3, np.array([x, y])]), [c * x - s * y, np.array([s, c])])


@GRADIENTS
@pytest.mark.parametrize("meeting", [
    lambda w, x: np.sum(w * x),
    lambda w, x: np.sum(x * w),
    lambda w, x: w @ x,
    lambda w, x: x @ w,
    lambda w, x: np.dot(x, w),
    lambda w, x: np.einsum("i,i->", x, w),
    lambda w, x: np.trace(np.outer(w, x)) if hasattr(np.outer(w, x), "trace") else np.sum(np.outer(w, x) * np.eye(2)),
    lambda w, x: np.sum(np.where(x > 0, x * w, w)),
    lambda w, x: np.prod(np.concatenate([x, w])[::2]) + np.prod(np.concatenate([w, x])[1::2]),
    lambda w, x: np.sum(np.stack([x, w])[0] * np.stack([w, x])[0]),
    lambda w, x: np.sum(fill(np.zeros_like(x), w) * x),
    lambda w, x: np.sum(assigned(np.zeros_like(x), w) * x),
    lambda w, x: np.sum(np.square(w + x) - np.square(x) - np.square(w)) / 2,
], ids=range(13))  # fmt: skip
def test_an_object_array_becomes_a_traced_one_where_it_meets_one(meeting, gradient_of):
    def f(x):
        return meeting(np.array([x[0], x[1] * 2]), x)  # x₀² + 2 x₁²

    same(gradient_of(f, [np.array([0.5, 0.25])]), [np.array([1.0, 1.0])])


def assigned(y, values):
    y[:] = values
    return y


@GRADIENTS
def test_object_arrays_among_themselves(gradient_of):
    def f(x):
        weights = np.array([x[0], x[1] * 2])
        return np.sum(np.exp(weights)) + weights @ weights + np.max(weights)

    a, b = 0.5, 0.4
    same(gradient_of(f, [np.array([a, b])]), [np.array([math.exp(a) + 2 * a, 2 * math.exp(2 * b) + 8 * b + 2.0])])


@JACOBIANS
def test_a_system_of_equations_built_of_numbers(jacobian_of):
    def f(x):
        return np.linalg.solve(np.array([[x[0], 1.0], [0.0, x[1]]]), x)  # (1 - 1/x₀, 1)

    np.testing.assert_allclose(jacobian_of(f)(np.array([2.0, 4.0])), [[0.25, 0.0], [0.0, 0.0]], atol=1e-16)


@JACOBIANS
def test_returned_lists_are_arrays(jacobian_of):
    found = jacobian_of(lambda x: [x[0] + 4 * x[1], 10 * x[1] + dmath.sin(x[2]) ** 2])(np.array([1.0, 2.0, 0.5]))
    np.testing.assert_allclose(found, [[1, 4, 0], [0, 10, math.sin(1.0)]], rtol=1e-15)


# ------------------------------------------------------------------------------------------------ nested arguments


class Layer(NamedTuple):
    weights: np.ndarray
    bias: float


def network(parameters, x):
    first, rest = parameters["layers"]
    hidden = np.tanh(x @ first.weights + first.bias)
    for layer in rest:
        hidden = np.tanh(hidden @ layer.weights + layer.bias)
    return np.sum(hidden) * parameters["scale"][0]


PARAMETERS = {
    "layers": (Layer(np.array([[0.1, -0.2], [0.3, 0.4]]), 0.5), [Layer(np.array([[1.0, 0.5], [-0.5, 1.0]]), -0.1)]),
    "scale": [2.0, ()],
}


@GRADIENTS
def test_gradients_have_the_structure_of_the_argument(gradient_of):
    x = np.array([0.5, -0.25])
    found, by_x = gradient_of(network, [PARAMETERS, x])
    h1 = np.tanh(x @ PARAMETERS["layers"][0].weights + 0.5)
    h2 = np.tanh(h1 @ PARAMETERS["layers"][1][0].weights - 0.1)
    d2 = 2 * (1 - h2**2)
    d1 = (PARAMETERS["layers"][1][0].weights @ d2) * (1 - h1**2)
    expected = {
        "layers": (Layer(np.outer(x, d1), float(np.sum(d1))), [Layer(np.outer(h1, d2), float(np.sum(d2)))]),
        "scale": [float(np.sum(h2)), ()],
    }
    same(found, expected)
    same(by_x, PARAMETERS["layers"][0].weights @ d1)


def test_every_operator_takes_nested_arguments():
    def f(p):
        return p["a"] * np.sum(p["b"][0] ** 2), {"twice": 2 * p["a"]}

    p = {"a": 3.0, "b": (np.array([1.0, 2.0]),)}
    t = {"a": 1.0, "b": (np.array([1.0, 0.0]),)}
    value, tangent = (15.0, {"twice": 6.0}), (5.0 + 6.0, {"twice": 2.0})
    for found_value, found_tangent in (jvp(f, [p], [t]), (linearize(f, p)[0], linearize(f, p)[1](t))):
        assert (found_value[0], found_value[1]) == value
        assert (found_tangent[0], found_tangent[1]) == tangent
    out, pullback = vjp(f, p)
    assert out == value
    same(pullback((1.0, {"twice": 0.5}))[0], {"a": 6.0, "b": (np.array([6.0, 12.0]),)})
    for jacobian_of in (jacfwd, jacrev, jacobian):
        by_first, by_second = jacobian_of(f)(p)
        assert by_first["a"] == 5.0
        assert by_first["b"][0].tolist() == [6.0, 12.0]
        assert (by_second["twice"]["a"], by_second["twice"]["b"][0].tolist()) == (2.0, [0.0, 0.0])
    by_a = derivative(lambda p: p["a"] * np.sum(p["b"][0] ** 2), 0, [p])
    same(by_a["b"][0], np.array([6.0, 12.0]))
    curvature = hessian(lambda p: f(p)[0])(p)
    assert curvature["a"]["a"] == 0.0
    assert curvature["b"][0]["b"][0].tolist() == [[6.0, 0.0], [0.0, 6.0]]
    assert curvature["a"]["b"][0].tolist() == [2.0, 4.0]
    same(hvp(lambda p: f(p)[0])(p, t), {"a": 2.0, "b": (np.array([2 * 1.0 + 6.0, 4.0]),)})


def test_what_is_not_differentiated_reaches_the_function_untouched():
    seen = []

    def f(x, label, table):
        seen.append((label, table))
        return x * table["n"]

    table = {"n": 3}
    assert grad(f)(2.0, "a label", table) == 3.0
    assert derivative(f, 0, [2.0, None, table]) == 3.0
    assert seen == [("a label", table), (None, table)]
    assert all(given is table for _, given in seen)


# ------------------------------------------------------------------------------------------------ options


def test_argnums_keywords_and_auxiliary_results():
    def f(x, y, *, power=2, shift=0.0):
        return x**power * y + shift, {"note": "kept", "x": x}

    assert grad(f, has_aux=True)(3.0, 2.0)[0] == 12.0
    slope, aux = grad(f, has_aux=True)(3.0, 2.0, power=3)
    assert slope == 54.0
    assert (aux["note"], aux["x"], type(aux["x"])) == ("kept", 3.0, float)
    (value, aux), slopes = value_and_grad(f, argnums=(1, 0), has_aux=True)(3.0, 2.0, shift=1.0)
    assert (value, slopes) == (19.0, (9.0, 12.0))
    assert grad(lambda x, y: x * y, argnums=-1)(3.0, 2.0) == 3.0
    assert value_and_grad(lambda x, y: x * y)(3.0, 2.0) == (6.0, 2.0)
    assert jacobian(lambda x, y: x * y, argnums=(0, 1))(3.0, 2.0) == (2.0, 3.0)


def test_values_are_of_the_type_that_the_function_returns():
    assert type(value_and_grad(lambda x: x * x)(3.0)[0]) is float
    assert type(value_and_grad(lambda x: np.sum(x * x))(np.ones(2))[0]) is np.float64
    assert type(jvp(lambda x: x * x, [3.0], [1.0])[1]) is float


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
@pytest.mark.parametrize(("inputs", "outputs"), [(1, 4), (4, 1), (3, 3)])
def test_jacobian_modes(mode, inputs, outputs):
    matrix = np.arange(float(inputs * outputs)).reshape(outputs, inputs)
    found = jacobian(lambda x: np.sin(matrix @ x), mode=mode)(np.ones(inputs))
    np.testing.assert_allclose(found, np.cos(matrix.sum(1))[:, None] * matrix, rtol=1e-15)


def test_the_full_partial_of_an_array_by_an_array():
    found = derivative(lambda x: np.outer(x, x), 0, [np.array([1.0, 2.0])])
    np.testing.assert_allclose(found, [[[2, 0], [2, 1]], [[2, 1], [0, 4]]])
    same(derivative(lambda x, y: x * y**3, (0, 1, 1), [2.0, 3.0]), 18.0)


def test_linearize_takes_no_tangent_of_a_mask():
    """`where` is locally constant in its condition, which may be a number that is differentiated."""
    f = lambda x, y: np.where(x, y * y, 5.0 * y)
    x, y, t = np.array([3.0, 0.0]), np.array([2.0, 2.0]), (np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    assert linearize(f, x, y)[1](*t).tolist() == jvp(f, [x, y], t)[1].tolist() == [4.0, 5.0]


def test_linearize_runs_the_function_once():
    calls = []

    def f(x, y):
        calls.append(x)
        return np.sin(x) * y

    x = np.array([0.5, 1.0])
    value, push = linearize(f, x, 2.0)
    for t, u in ((np.array([1.0, 0.0]), 0.0), (np.array([0.0, 1.0]), 3.0)):
        np.testing.assert_allclose(push(t, u), np.cos(x) * 2 * t + np.sin(x) * u, rtol=1e-15)
    np.testing.assert_array_equal(value, np.sin(x) * 2)
    assert len(calls) == 1


def test_a_pullback_can_be_used_again():
    value, pullback = vjp(lambda x, y: x * np.sum(y), 2.0, np.array([1.0, 3.0]))
    assert value == 8.0
    for cotangent in (1.0, -2.0):
        same(pullback(cotangent), (4.0 * cotangent, np.full(2, 2.0 * cotangent)))


def test_a_point_changed_after_linearisation_does_not_matter():
    x = np.array([1.0, 2.0])
    _, pullback = vjp(lambda x: np.sum(x**2), x)
    _, push = linearize(lambda x: np.sum(x**2), x)
    x[:] = 100.0
    same(pullback(1.0), (np.array([2.0, 4.0]),))
    assert push(np.array([1.0, 0.0])) == 2.0


@GRADIENTS
def test_stop_gradient_and_value_of(gradient_of):
    same(gradient_of(lambda x: x * stop_gradient(x * x), [3.0]), [9.0])
    seen = []
    same(gradient_of(lambda x: np.sum(x * value_of(seen.append(value_of(x)) or x)), [np.ones(2)]), [np.ones(2)])
    assert type(seen[0]) is np.ndarray
    with pytest.raises(ValueError, match="read-only"):
        seen[0][0] = 3.0
    assert value_of({"a": (1.0, "b")}) == {"a": (1.0, "b")}


# ------------------------------------------------------------------------------------------------ complex numbers


@JACOBIANS
@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda z: z * z, lambda z: 2 * z),
        (lambda z: np.exp(1j * z), lambda z: 1j * np.exp(1j * z)),
        (lambda z: 1 / z, lambda z: -1 / z**2),
        (lambda z: np.sin(z) / (z + 2), lambda z: np.cos(z) / (z + 2) - np.sin(z) / (z + 2) ** 2),
        (lambda z: np.sqrt(z) * np.log(z), lambda z: np.log(z) / (2 * np.sqrt(z)) + np.sqrt(z) / z),
        (lambda z: z**3 * 2**z, lambda z: 3 * z**2 * 2**z + z**3 * 2**z * np.log(2)),
    ],
)
def test_holomorphic_functions(function, slope, jacobian_of):
    z = 0.5 + 0.25j
    assert jacobian_of(function)(z) == pytest.approx(slope(z), rel=1e-14)
    points = np.array([z, 1 - 1j])
    np.testing.assert_allclose(jacobian_of(function)(points), np.diag(slope(points)), rtol=1e-13, atol=1e-15)


@JACOBIANS
@pytest.mark.parametrize("function", [np.conj, np.real, np.imag, np.abs, lambda z: z * np.conj(z)])
def test_functions_that_are_not_holomorphic_have_no_complex_derivative(function, jacobian_of):
    with pytest.raises(ValueError, match="not holomorphic"):
        jacobian_of(function)(0.5 + 0.25j)


@JACOBIANS
def test_beside_large_elements_what_is_not_holomorphic_is_seen(jacobian_of):
    """A tolerance for the whole column let an element of 1 pass beside one of 10¹²."""
    points = np.array([1.0 + 2.0j, 3.0 - 1.0j])
    with pytest.raises(ValueError, match="not holomorphic"):
        jacobian_of(lambda z: np.stack([1e12 * z[0], z[0] * np.conj(z[1])]))(points)
    whole = jacobian_of(lambda z: np.stack([1e12 * z[0] ** 2, np.sin(z[1]) / z[0]]))(points)
    np.testing.assert_allclose(whole[1, 1], np.cos(points[1]) / points[0], rtol=1e-13)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda z: np.abs(z) ** 2, lambda z: 2 * z),
        (lambda z: np.abs(z), lambda z: z / abs(z)),
        (lambda z: np.real(z * z), lambda z: 2 * np.conj(z)),
        (lambda z: np.imag(np.exp(z)), lambda z: np.conj(np.exp(z)) * 1j),
        (lambda z: np.real(z) * np.imag(z), lambda z: z.imag + 1j * z.real),
    ],
)
@GRADIENTS
def test_the_gradient_of_a_real_function_of_complex_numbers_ascends(function, slope, gradient_of):
    z = 0.6 - 0.8j
    (found,) = gradient_of(function, [z])
    assert type(found) is complex
    assert found == pytest.approx(slope(z), rel=1e-14)
    for t in (1.0, 1j, 0.3 - 2j):  # Re conj(g) t is the directional derivative
        tangent = jvp(function, [z], [t + 0j])[1]
        assert tangent == pytest.approx((np.conj(found) * t).real, rel=1e-14)


def test_forward_and_adjoint_agree_in_the_real_inner_product():
    rng = np.random.default_rng(2)
    a, z, t = (rng.normal(size=shape) + 1j * rng.normal(size=shape) for shape in ((3, 3), 3, 3))
    g = rng.normal(size=3)

    def f(z):
        return np.abs(np.linalg.solve(a, z * z[::-1])) + np.real(np.exp(a @ z))

    tangent = jvp(f, [z], [t])[1]
    (adjoint,) = vjp(f, z)[1](g)
    assert np.vdot(g, tangent) == pytest.approx(np.vdot(adjoint, t).real, rel=1e-12)


@JACOBIANS
def test_complex_functions_of_a_real_argument(jacobian_of):
    assert jacobian_of(lambda x: np.exp(1j * x))(0.5) == pytest.approx(1j * np.exp(0.5j), rel=1e-15)
    found = jacobian_of(lambda x: np.exp(1j * x) * x[0])(np.array([0.5, 1.0]))
    a, b = np.exp(0.5j), np.exp(1j)
    np.testing.assert_allclose(found, [[a + 0.5j * a, 0], [b, 0.5j * b]], rtol=1e-15)


@GRADIENTS
def test_complex_numbers_on_the_way_of_a_real_function(gradient_of):
    def f(x):
        z = np.exp(1j * x) * (1 + x)
        return np.abs(z) + np.real(z * np.conj(z))

    same(gradient_of(f, [0.5]), [1.0 + 2 * 1.5])


@GRADIENTS
def test_real_and_imag_of_a_real_argument_carry_the_derivative(gradient_of):
    same(gradient_of(lambda x: x.real * x, [3.0]), [6.0])
    same(gradient_of(lambda x: x * x.conjugate() + x.imag, [3.0]), [6.0])


# ------------------------------------------------------------------------------------------------ special points


@GRADIENTS
@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (lambda x: x**2, 0.0, 0.0),
        (lambda x: x**0, 0.0, 0.0),
        (lambda x: x**1, 0.0, 1.0),
        (lambda x: 0.0**x, 1.0, 0.0),
        (lambda x: abs(x), 0.0, 0.0),
        (lambda x: np.where(x > 0, np.sqrt(x), 0.0), 0.0, 0.0),
        (lambda x: np.maximum(x, 0.0), 0.0, 0.5),
        (lambda x: x * math.inf, 1.0, math.inf),
        (lambda x: np.exp(x), -math.inf, 0.0),
        (lambda x: np.tanh(x), 20.0, 1.6993417021166355e-17),
    ],
)
def test_special_points(function, x, slope, gradient_of):
    same(gradient_of(function, [x]), [slope])


@GRADIENTS
def test_where_is_safe_on_the_branch_not_taken(gradient_of):
    x = np.array([0.0, 4.0, -1.0])

    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)) + np.where(x > 0, np.sqrt(abs(x)), 0.0), 0.0))

    same(gradient_of(f, [x]), [np.array([0.0, 0.5, 0.0])])
    with np.errstate(invalid="ignore"):
        same(gradient_of(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)), [x]), [np.array([0.0, 0.25, 0.0])])
