"""Derivatives inside derivatives: every published case of perturbation confusion, every order of the two modes."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest

from autodiff import derivative, grad, gradient, hessian, hvp, jacfwd, jacobian, jacrev, jvp, vjp
from dualnumbers import DualNumber, dmath


def forward(f):
    """f′ by forward mode."""
    return lambda x: derivative(f, 0, [x])


def reverse(f):
    """f′ by reverse mode."""
    return lambda x: gradient(f, [x])[0]


MODES = {"forward": forward, "reverse": reverse}


def nestings(order):
    """A parameter for every way to nest ``order`` differentiations, outermost first."""
    ways = [list(way) for way in product(MODES, repeat=order)]
    return pytest.mark.parametrize("modes", ways, ids="-".join)


def differentiated(f, modes):
    """f differentiated once per mode, the innermost differentiation last in the list."""
    for mode in reversed(modes):
        f = MODES[mode](f)
    return f


# ------------------------------------------------------------------------------------------------ confusion


@nestings(2)
@pytest.mark.parametrize(("program", "x", "expected"), [
    # Siskind & Pearlmutter, "Perturbation confusion and referential transparency", IFL 2005; ForwardDiff.jl #83
    (lambda D, d: D(lambda x: x * d(lambda y: x + y)(1.0)), 1.0, 1.0),
    # Siskind & Pearlmutter, "Nesting forward-mode AD in a functional framework", HOSC 21 (2008)
    (lambda D, d: D(lambda x: x * d(lambda y: x * y)(2.0)), 1.0, 2.0),
    # ReverseDiff.jl #45
    (lambda D, d: D(lambda x: x * d(lambda y: x * y)(1.0)), 4.0, 8.0),
    # ForwardDiff.jl #83, the cases that close over nothing, and over a plain number
    (lambda D, d: D(lambda x: x * d(lambda y: y**2)(1.0)), 1.0, 2.0),
    (lambda D, d: D(lambda x: x / d(lambda y: y**3)(1.0)), 1.0, 1 / 3),
    # the inner function ignores its own argument, then the outer one
    (lambda D, d: D(lambda x: x + d(lambda y: x * x)(1.0)), 3.0, 1.0),
    (lambda D, d: D(lambda x: d(lambda y: y * y)(5.0)), 3.0, 0.0),
    # the point of the inner differentiation depends on the outer argument
    (lambda D, d: D(lambda x: d(lambda y: x * y**3)(x)), 2.0, 36.0),
    (lambda D, d: D(lambda x: d(lambda y: dmath.sin(x * y))(x * x)), 1.5,
     math.cos(1.5**3) - 3 * 1.5**3 * math.sin(1.5**3)),
])  # fmt: skip
def test_an_inner_derivative_does_not_see_the_outer_perturbation(program, x, expected, modes):
    outer, inner = (MODES[mode] for mode in modes)
    assert program(outer, inner)(x) == pytest.approx(expected, rel=1e-14)


@nestings(2)
def test_an_inner_function_may_close_over_an_array(modes):
    """ForwardDiff.jl #83, its second example: gradient of v ↦ Σv · |v|."""
    outer, inner = (MODES[mode] for mode in modes)
    v = np.array([1.0, 2.0, -0.5])
    found = outer(lambda v: np.sum(v) * inner(lambda y: y * np.sqrt(np.sum(v * v)))(1.0))(v)
    size = math.sqrt(5.25)
    np.testing.assert_allclose(found, size + 2.5 * v / size, rtol=1e-14)


@nestings(2)
def test_an_inner_gradient_that_is_linear_in_the_outer_argument(modes):
    """From the tests of ForwardDiff.jl: ∂/∂x ∂/∂y (y · A x) is Aᵀ, transposed for the order of the axes."""
    outer, inner = (MODES[mode] for mode in modes)
    a = np.arange(12.0).reshape(3, 4) - 5
    y, x = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0, 1.0])
    assert inner(lambda y: y @ (a @ x))(y).tolist() == (a @ x).tolist()
    by_rows = {"forward": jacfwd, "reverse": jacrev}[modes[0]]
    np.testing.assert_array_equal(by_rows(lambda x: inner(lambda y: y @ (a @ x))(y))(x), a)
    weights = np.array([1.0, 0.0, -2.0])
    np.testing.assert_allclose(outer(lambda x: weights @ inner(lambda y: y @ (a @ x))(y))(x), weights @ a)


@nestings(2)
def test_one_callable_nested_in_itself(modes):
    """ForwardDiff.jl #313: levels belong to calls, not to functions or their types."""
    outer, inner = (MODES[mode] for mode in modes)

    class Confuse:
        def __init__(self, outermost, x):
            self.outermost, self.x = outermost, x

        def __call__(self, xy):
            return xy * inner(Confuse(False, xy))(1.0) if self.outermost else self.x + xy

    assert outer(Confuse(True, 0.0))(1.0) == 1.0


@nestings(3)
def test_one_function_that_differentiates_itself(modes):
    def f(x, depth=0):
        """x · d/dx(x · d/dx(x²)) = 4x²"""
        return x * x if depth == len(modes) - 1 else x * MODES[modes[depth + 1]](lambda y: f(y, depth + 1))(x)

    assert MODES[modes[0]](f)(3.0) == pytest.approx(24.0, rel=1e-15)


@nestings(2)
@pytest.mark.parametrize("store", [lambda z: z, lambda z: [z], lambda z: {"z": z}], ids=["number", "list", "dict"])
def test_a_stateful_closure_is_found_out(store, modes):
    """ForwardDiff.jl #443: the inner function overwrites what it closes over; a wrong number would be 2."""
    outer, inner = (MODES[mode] for mode in modes)

    def program(x):
        kept = [store(x)]

        def f(y):
            (z,) = kept[0] if isinstance(kept[0], list) else kept[0].values() if isinstance(kept[0], dict) else kept
            kept[0] = store(z * y)
            return z * y

        inner(f)(1.0)
        return inner(f)(1.0)

    with pytest.raises(RuntimeError, match="outlived its differentiation"):
        outer(program)(1.0)


def test_a_closure_that_keeps_values_only_is_no_problem():
    """The same program with the product of plain values: the answer is that of #443."""

    def program(x):
        factor = 1.0

        def f(y):
            nonlocal factor
            result = x * factor * y
            factor *= 1.0
            return result

        forward(f)(1.0)
        return forward(f)(1.0)

    assert forward(program)(1.0) == 1.0


@nestings(2)
def test_the_amazing_bug(modes):
    """Manzyuk et al., "Perturbation confusion in forward AD of higher-order functions", JFP 29 (2019).

    There D̂ f is the derivative of u ↦ (x ↦ f(x + u)) at 0, so D̂ (D̂ exp) is exp; naively nested it is 0.
    """

    def shifted(mode):
        return lambda f: lambda x: MODES[mode](lambda u: f(x + u))(0.0)

    outer, inner = map(shifted, modes)
    assert outer(inner(dmath.exp))(1.0) == pytest.approx(math.e, rel=1e-15)
    assert outer(inner(lambda x: x**4))(2.0) == pytest.approx(48.0, rel=1e-15)


@pytest.mark.parametrize("mode", MODES)
def test_a_function_is_no_value_to_be_differentiated(mode):
    """The curried form of that paper: a derivative whose value is a function is refused, not confused."""
    with pytest.raises(TypeError, match="returned function"):
        MODES[mode](lambda u: lambda x: dmath.exp(x + u))(0.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_function_that_escapes_takes_no_perturbation_along(mode):
    escaped = []

    def f(u):
        escaped.append(lambda x: dmath.exp(x + u))
        return u

    MODES[mode](f)(0.0)
    for other in MODES.values():
        with pytest.raises(RuntimeError, match="outlived its differentiation"):
            other(escaped[0])(1.0)


@nestings(2)
def test_the_mixed_derivatives_of_a_lagrangian(modes):
    """ForwardDiff.jl #238: ∂²L/∂q̇∂q of a falling mass is zero, of a pendulum it is not."""
    jacobian_of = {"forward": jacfwd, "reverse": jacrev}[modes[0]]
    inner = MODES[modes[1]]
    q, v = np.array([1.0, 2.0]), np.array([3.0, 4.0])

    def mixed(lagrangian):
        return jacobian_of(lambda q: inner(lambda v: lagrangian(q, v))(v))(q)

    assert mixed(lambda q, v: 0.5 * v @ v - 9.8 * q[1]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    np.testing.assert_allclose(mixed(lambda q, v: q[0] ** 2 * (v @ v) / 2), [[6.0, 0.0], [8.0, 0.0]], rtol=1e-15)


def test_the_hamiltonian_by_a_legendre_transformation():
    """ForwardDiff.jl #238, second program: a Hessian, a gradient and a linear solve inside a gradient."""

    def hamiltonian(q, p):
        def lagrangian(v):
            return 0.5 * v @ v - 9.8 * q[1]

        rest = np.zeros(2)
        v = np.linalg.solve(hessian(lagrangian)(rest), p - grad(lagrangian)(rest))
        return p @ v - lagrangian(v)

    q, p = np.array([1.0, 2.0]), np.array([5.0, 6.0])
    by_q, by_p = gradient(hamiltonian, [q, p])
    np.testing.assert_allclose(by_q, [0.0, 9.8], rtol=1e-14)
    np.testing.assert_allclose(by_p, p, rtol=1e-14)


# ------------------------------------------------------------------------------------------------ third order

FUNCTIONS = {
    "sin(x)**sin(x)": (lambda x: dmath.sin(x) ** dmath.sin(x), lambda x: mpmath.sin(x) ** mpmath.sin(x)),
    "exp(x)/x": (lambda x: np.exp(x) / x, lambda x: mpmath.exp(x) / x),
    "x**2.5": (lambda x: x**2.5, lambda x: x ** mpmath.mpf(2.5)),
    "2**x": (lambda x: 2**x, lambda x: mpmath.mpf(2) ** x),
    "atan2": (lambda x: dmath.atan2(x * x, 3 - x), lambda x: mpmath.atan2(x * x, 3 - x)),
    "loop": (lambda x: sum(x**k / (k + 1) for k in range(6)), lambda x: sum(x**k / (k + 1) for k in range(6))),
}


@nestings(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_third_derivatives_of_scalar_functions(name, modes):
    function, reference = FUNCTIONS[name]
    with mpmath.workdps(50):
        expected = float(mpmath.diff(reference, mpmath.mpf(0.8), 3))
    assert differentiated(function, modes)(0.8) == pytest.approx(expected, rel=1e-13)


RNG = np.random.default_rng(0)
MATRIX, DIRECTION, POINT = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)
CUBE = RNG.normal(size=(3, 3, 3))
DEFINITE = 4 * np.eye(3) + 0.3 * (MATRIX + MATRIX.T)
INDEX = np.array([0, 1, 1, 2])


def assigned(x):
    """x with its middle element overwritten by a product, its last one doubled in place."""
    y = np.zeros_like(x)
    y[...] = x
    y[1] = x[0] * x[1] * x[2]
    y[2:] *= 2
    return np.sum(y)


def _resolvent(x, v):
    """bᵀ M⁻¹ b with M = A + diag(x): the third derivative along v is −6 bᵀ (M⁻¹V)³ M⁻¹ b."""
    inverse = np.linalg.inv(DEFINITE + np.diag(x))
    step = inverse * v
    return -6 * DIRECTION @ step @ step @ step @ inverse @ DIRECTION


def _log_det(x, v):
    """log det(A + diag(x)): the third derivative along v is 2 tr (M⁻¹V)³."""
    step = np.linalg.inv(DEFINITE + np.diag(x)) * v
    return 2 * np.trace(step @ step @ step)


EYE = np.eye(3)
ARRAY_FUNCTIONS = {
    "exp of a product": (
        lambda x: np.sum(np.exp(MATRIX @ x)),
        lambda x, v: np.sum((MATRIX @ v) ** 3 * np.exp(MATRIX @ x)),
    ),
    "einsum": (
        lambda x: np.einsum("ijk,i,j,k->", CUBE, x, x, x),
        lambda x, v: 6 * np.einsum("ijk,i,j,k->", CUBE, v, v, v),
    ),
    "tensordot": (
        lambda x: np.tensordot(np.tensordot(CUBE, x, 1), np.outer(x, x)),
        lambda x, v: 6 * np.einsum("ijk,i,j,k->", CUBE, v, v, v),
    ),
    "product": (lambda x: np.prod(x), lambda x, v: 6 * np.prod(v)),
    "indexing": (lambda x: np.sum(x[INDEX] ** 3), lambda x, v: 6 * np.sum(v[INDEX] ** 3)),
    "item assignment": (assigned, lambda x, v: 6 * np.prod(v)),
    "broadcasting": (lambda x: np.sum(x[:, None] * x * x[:, None]), lambda x, v: 6 * (v @ v) * np.sum(v)),
    "where": (
        lambda x: np.sum(np.where(x > 0, x**3, np.exp(x))),
        lambda x, v: np.sum(np.where(x > 0, 6, np.exp(x)) * v**3),
    ),
    "stack and concatenate": (
        lambda x: np.sum(np.concatenate([np.stack([x, x**3])[1], x * x])),
        lambda x, v: 6 * np.sum(v**3),
    ),
    "solve": (lambda x: DIRECTION @ np.linalg.solve(DEFINITE + EYE * x, DIRECTION), _resolvent),
    "inverse": (lambda x: DIRECTION @ np.linalg.inv(DEFINITE + EYE * x) @ DIRECTION, _resolvent),
    "determinant": (lambda x: np.log(np.linalg.det(DEFINITE + EYE * x)), _log_det),
    "sum of a reshaped transpose": (
        lambda x: np.sum(np.outer(x, x).T.reshape(9)[::4] * x),
        lambda x, v: 6 * np.sum(v**3),
    ),
}
"""A scalar function of a vector, and its third derivative at x along v."""


@nestings(3)
@pytest.mark.parametrize("name", ARRAY_FUNCTIONS)
def test_third_derivatives_of_array_functions(name, modes):
    function, third = ARRAY_FUNCTIONS[name]

    def along(f, mode):
        if mode == "forward":
            return lambda x: jvp(f, [x], [DIRECTION])[1]
        return lambda x: grad(f)(x) @ DIRECTION

    f = function
    for mode in reversed(modes):
        f = along(f, mode)
    assert f(POINT) == pytest.approx(third(POINT, DIRECTION), rel=1e-11)


@pytest.mark.parametrize(
    "operators",
    list(product([jacfwd, jacrev, jacobian], repeat=3)),
    ids=lambda operators: "-".join(f.__name__ for f in operators),
)
def test_third_derivative_tensors(operators):
    outer, middle, inner = operators
    tensor = outer(middle(inner(lambda x: np.einsum("ijk,i,j,k->", CUBE, x, x, x))))(POINT)
    permutations = [CUBE.transpose(axes) for axes in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]]
    np.testing.assert_allclose(tensor, sum(permutations), rtol=1e-12, atol=1e-13)


@nestings(2)
def test_mixed_partials_are_symmetric(modes):
    def f(x, y):
        return dmath.exp(x * y) / y

    def mixed(first, second):
        def inner(*point):
            return derivative(f, second, point) if modes[1] == "forward" else gradient(f, point)[second]

        return derivative(inner, first, [0.7, 1.3]) if modes[0] == "forward" else gradient(inner, [0.7, 1.3])[first]

    expected = 0.7 * math.exp(0.7 * 1.3)  # ∂f/∂x = exp(xy)
    assert mixed(0, 1) == pytest.approx(expected, rel=1e-14)
    assert mixed(1, 0) == pytest.approx(expected, rel=1e-14)
    assert derivative(f, (0, 1), [0.7, 1.3]) == pytest.approx(expected, rel=1e-14)
    assert derivative(f, (1, 0), [0.7, 1.3]) == pytest.approx(expected, rel=1e-14)


def test_derivatives_of_high_order():
    f = dmath.sin
    for order in range(1, 8):
        f = [forward, reverse][order % 2](f)
        assert f(1.0) == pytest.approx(math.sin(1.0 + order * math.pi / 2), rel=1e-13)


@pytest.mark.parametrize("product_of", [lambda f, x, v: hvp(f)(x, v), lambda f, x, v: hessian(f)(x) @ v,
                                        lambda f, x, v: vjp(grad(f), x)[1](v)[0],
                                        lambda f, x, v: grad(lambda y: grad(f)(y) @ v)(x),
                                        lambda f, x, v: grad(lambda y: jvp(f, [y], [v])[1])(x),
                                        lambda f, x, v: jacfwd(jacfwd(f))(x) @ v],
                         ids=["hvp", "hessian", "vjp of grad", "reverse over reverse", "reverse over forward",
                              "forward over forward"])  # fmt: skip
def test_hessian_vector_products_agree(product_of):
    x, v = POINT, DIRECTION
    found = product_of(lambda x: np.sum(np.exp(MATRIX @ x)), x, v)
    np.testing.assert_allclose(found, MATRIX.T @ ((MATRIX @ v) * np.exp(MATRIX @ x)), rtol=1e-12)


# ------------------------------------------------------------------------------------------------ unequal depths


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("function", "slope"), [
    (lambda x: (y := dmath.sin(x)) * dmath.exp(y * y + x) + y, lambda x: (
        math.cos(x) * math.exp(math.sin(x) ** 2 + x) * (1 + 2 * math.sin(x) ** 2)
        + math.sin(x) * math.exp(math.sin(x) ** 2 + x) + math.cos(x))),
    (lambda x: x + dmath.exp(dmath.exp(x) * x), lambda x: 1 + math.exp(math.exp(x) * x) * math.exp(x) * (1 + x)),
    (lambda x: (y := x * x) * (z := y * x) + z * (y + x), lambda x: 5 * x**4 + 5 * x**4 + 4 * x**3),
    (lambda x: (((x * x) * x) * x) * x + x, lambda x: 5 * x**4 + 1),
])  # fmt: skip
def test_a_value_that_is_used_at_unequal_depths(function, slope, mode):
    """A sweep must not leave a line before all its adjoints have arrived."""
    for x in (0.3, 1.0, -0.7):
        assert MODES[mode](function)(x) == pytest.approx(slope(x), rel=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_a_value_that_doubles_at_every_step_is_visited_once(mode):
    def f(x):
        for _ in range(60):
            x = x + x
        return x

    assert MODES[mode](f)(1.0) == 2.0**60


@nestings(2)
def test_unequal_depths_of_arrays(modes):
    def f(x):
        y = np.sin(x)
        z = y * np.sum(x * y)
        return np.sum(z * y) + y[0] * z[1]

    outer, inner = (MODES[mode] for mode in modes)
    x = np.array([0.4, 1.1])
    found = outer(lambda x: inner(f)(x) @ np.array([1.0, -2.0]))(x)

    def by_hand(a, b):
        sines = mpmath.sin(a), mpmath.sin(b)
        inside = a * sines[0] + b * sines[1]
        return inside * (sines[0] ** 2 + sines[1] ** 2) + sines[0] * sines[1] * inside

    with mpmath.workdps(40):
        second = {k: mpmath.diff(by_hand, (0.4, 1.1), k) for k in [(2, 0), (1, 1), (0, 2)]}
        expected = [float(second[2, 0] - 2 * second[1, 1]), float(second[1, 1] - 2 * second[0, 2])]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


# ------------------------------------------------------------------------------------------------ numbers made by hand


@pytest.mark.parametrize("mode", MODES)
def test_a_number_made_by_hand_inside_a_differentiation(mode):
    """It stands below every later differentiation: a parameter whose derivative rides along."""
    t = DualNumber(2.0, 1.0)
    slope = MODES[mode](lambda x: dmath.exp(t * x))(0.5)
    assert slope.real == pytest.approx(2 * math.exp(1.0), rel=1e-15)
    assert slope.dual == pytest.approx(math.exp(1.0) * (1 + 2.0 * 0.5), rel=1e-15)


@nestings(2)
def test_a_number_made_by_hand_inside_two_differentiations(modes):
    t = DualNumber(2.0, 1.0)
    curvature = differentiated(lambda x: dmath.sin(t * x), modes)(0.5)
    assert curvature.real == pytest.approx(-4 * math.sin(1.0), rel=1e-14)
    assert curvature.dual == pytest.approx(-4 * math.sin(1.0) - 4 * 0.5 * math.cos(1.0), rel=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_a_number_made_by_hand_as_the_point(mode):
    """Differentiating at a dual number gives the derivative as a dual number: f′(a) + f″(a) ε."""
    slope = MODES[mode](lambda x: x**3)(DualNumber(2.0, 1.0))
    assert (slope.real, slope.dual) == (12.0, 12.0)


@pytest.mark.parametrize("mode", MODES)
def test_nested_numbers_made_by_hand_inside_a_differentiation(mode):
    x = DualNumber(DualNumber(2.0, 1.0), DualNumber(1.0, 0.0))
    slope = MODES[mode](lambda y: y * y * x**3)(3.0)
    assert repr(slope) == "DualNumber(DualNumber(48.0, 72.0), DualNumber(72.0, 72.0))"


@pytest.mark.parametrize("mode", MODES)
def test_arrays_made_by_hand_inside_a_differentiation(mode):
    weights = DualNumber(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    slope = MODES[mode](lambda x: np.sum(weights * x * x))(np.array([3.0, 4.0]))
    assert slope.real.tolist() == [6.0, 16.0]
    assert slope.dual.tolist() == [6.0, 0.0]


@pytest.mark.parametrize("mode", MODES)
def test_a_dual_number_made_inside_of_traced_numbers(mode):
    """Built from the traced argument, it stands one level above it: its components carry the derivative on."""
    assert MODES[mode](lambda x: (DualNumber(x, x * x) * DualNumber(x, 1.0)).dual)(3.0) == pytest.approx(27.0 + 1.0)


SPREAD = {
    "repeat": lambda t: np.repeat(t, 3),
    "tile": lambda t: np.tile(t, 3),
    "roll": lambda t: np.roll(t, 1),
    "take": lambda t: np.take(t, 0),
    "resize": lambda t: np.resize(t, 3),
    "insert": lambda t: np.insert(np.atleast_1d(t), 0, t),
    "expand_dims": lambda t: np.expand_dims(t, 0),
    "flip": lambda t: np.flip(t),
    "broadcast_to": lambda t: np.broadcast_to(t, (2, 2)),
}


@pytest.mark.parametrize("x", [2.0, np.float64(2.0), np.array(2.0)], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("name", SPREAD)
def test_third_derivatives_of_a_number_that_is_spread(name, x):
    """Of t³ taken n times, by pull-backs alone: the adjoint of an array of one number is a number."""

    def pulled(f):
        return lambda t: vjp(f, t)[1](1.0)[0]

    n = np.size(SPREAD[name](x))
    cubes = lambda t: np.sum(SPREAD[name](t) ** 3)
    assert pulled(pulled(pulled(cubes)))(x) == grad(grad(grad(cubes)))(x) == 6.0 * n
