"""Operators built on both modes, against the Jacobian and the Hessian as arrays, analytic results and differences."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, cg, lsmr

import autodiff
from autodiff import (
    black_box,
    curl,
    divergence,
    elementwise_grad,
    gauss_newton_operator,
    gnvp,
    grad,
    hessian,
    hessian_diagonal,
    hessian_operator,
    hvp,
    jacfwd,
    jacobian,
    jacobian_operator,
    jacrev,
    jit,
    jvp,
    laplacian,
    linear,
    linear_transpose,
    linearize,
    multilinear,
    smooth,
    value_and_grad,
    value_and_jacobian,
    value_grad_and_hessian,
    vjp,
)
from autodiff.calls.structures import flatten

X = np.array([0.3, -1.2, 2.0])
V = np.array([1.0, -2.0, 0.5])


@dataclass
class Parameters:
    scale: float
    weights: np.ndarray


def field(x):
    return np.array([x[0] * x[1], np.sin(x[2]) + x[0] ** 2, x[1] * x[2] ** 2])


def energy(x):
    return np.sum(np.cosh(x)) + x[0] * x[1] * x[2] ** 2


def close(found, expected, rtol=1e-13):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-13)


# ---------------------------------------------------------------------------------------- values, auxiliary results


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_value_and_jacobian(mode):
    calls = []

    def noted(x):
        calls.append(1)
        return field(x)

    value, slopes = value_and_jacobian(noted, mode=mode)(X)
    assert len(calls) == 1
    close(value, field(X))
    close(slopes, jacfwd(field)(X))


VECTORS = {"few": np.array([2.0, 0.0, 1.0]), "many": np.linspace(-1.0, 1.0, 81), "complex": np.array([1.0 + 1j, 0.0]),
           "a number": 0.0}  # fmt: skip


@pytest.mark.parametrize("x", VECTORS.values(), ids=VECTORS)
@pytest.mark.parametrize("f", [np.cos, lambda x: -(x**2), lambda x: -np.stack([x, x**2])])
@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
@pytest.mark.parametrize("chunk_size", [None, 2])
def test_a_jacobian_has_no_negative_zero(mode, f, x, chunk_size):
    """What is shown and compared has none; a product with a zero has the sign of the other factor."""
    assert_no_negative_zero(jacobian(f, mode=mode, chunk_size=chunk_size)(x))


def test_what_is_made_of_jacobians_has_no_negative_zero():
    x, f = np.array([2.0, 0.0, 1.0]), lambda x: -(x**2)
    assert np.signbit(grad(lambda x: f(x)[1])(x))[1]  # a gradient has the sign of the formula
    assert_no_negative_zero(jacobian(f, sparse=True)(x).data)
    assert_no_negative_zero(jacobian(jacobian(lambda x: -(x**3)))(x))
    assert_no_negative_zero(hessian(lambda x: np.sum(f(x) ** 2))(x))
    assert_no_negative_zero(hessian(lambda x: np.sum(np.diff(x) ** 2), chunk_size=2)(x))
    for exact in (True, False):
        assert_no_negative_zero(jit(jacobian(f), exact=exact)(x))


def assert_no_negative_zero(found):
    found = np.asarray(found)
    for part in (found.real, found.imag):
        assert not found.shape or not np.any(np.signbit(part) & (part == 0.0))


def test_value_and_jacobian_of_structures():
    f = lambda p: {"sum": p.scale * np.sum(p.weights), "square": p.weights**2}
    point = Parameters(2.0, V)
    value, slopes = value_and_jacobian(f)(point)
    assert value["sum"] == f(point)["sum"]
    assert slopes["sum"].scale == np.sum(V)
    assert slopes["sum"].weights.tolist() == [2.0, 2.0, 2.0]
    close(slopes["square"].weights, np.diag(2 * V))
    assert slopes["square"].scale.tolist() == [0.0, 0.0, 0.0]


def test_value_grad_and_hessian():
    value, gradient, curvature = value_grad_and_hessian(energy)(X)
    assert value == energy(X)
    close(gradient, grad(energy)(X))
    close(curvature, jacrev(jacrev(energy))(X))
    scale = lambda a, x: a * energy(x)
    _, gradients, blocks = value_grad_and_hessian(scale, argnums=("a", "x"))(2.0, X)
    assert gradients[0] == energy(X)
    close(blocks[1][1], 2 * curvature)
    close(blocks[0][1], gradient)


def both(x):
    return energy(x), {"doubled": 2 * x, "name": "energy"}


def both_of_field(x):
    return field(x), both(x)[1]


def both_of_elements(x):
    return np.sinh(x), both(x)[1]


def vector(x):
    return field(x), 2 * x


AUXILIARY = {
    "grad": lambda: grad(both, has_aux=True)(X),
    "value_and_grad": lambda: value_and_grad(both, has_aux=True)(X)[0],
    "jacfwd": lambda: jacfwd(both, has_aux=True)(X),
    "jacrev": lambda: jacrev(both, has_aux=True)(X),
    "jacobian": lambda: jacobian(both, has_aux=True)(X),
    "jacobian, in chunks": lambda: jacobian(both, has_aux=True, mode="forward", chunk_size=1)(X),
    "value_and_jacobian": lambda: value_and_jacobian(both, has_aux=True)(X)[0],
    "hessian": lambda: hessian(both, has_aux=True)(X),
    "value_grad_and_hessian": lambda: value_grad_and_hessian(both, has_aux=True)(X)[0],
    "hvp": lambda: hvp(both, has_aux=True)(X, V),
    "jvp": lambda: jvp(both, [X], [V], has_aux=True),
    "vjp": lambda: vjp(both, X, has_aux=True),
    "linearize": lambda: linearize(both, X, has_aux=True),
    "gnvp": lambda: gnvp(both_of_field, has_aux=True)(X, V),
    "hessian_diagonal": lambda: hessian_diagonal(both, has_aux=True)(X),
    "laplacian": lambda: laplacian(both, has_aux=True)(X),
    "divergence": lambda: divergence(both_of_field, has_aux=True)(X),
    "curl": lambda: curl(both_of_field, has_aux=True)(X),
    "elementwise_grad": lambda: elementwise_grad(both_of_elements, has_aux=True)(X),
    "grad of grad": lambda: jvp(lambda x: grad(both, has_aux=True)(x), [X], [V], has_aux=True),
}


@pytest.mark.parametrize("call", AUXILIARY.values(), ids=AUXILIARY)
def test_auxiliary_results_are_plain(call):
    *_, auxiliary = call()
    assert auxiliary["name"] == "energy"
    assert type(auxiliary["doubled"]) is np.ndarray
    assert auxiliary["doubled"].tolist() == (2 * X).tolist()


PLAIN = {
    "hvp": (hvp, energy, (X, V)),
    "gnvp": (gnvp, field, (X, V)),
    "hessian_diagonal": (hessian_diagonal, energy, (X,)),
    "laplacian": (laplacian, energy, (X,)),
    "divergence": (divergence, field, (X,)),
    "curl": (curl, field, (X,)),
    "elementwise_grad": (elementwise_grad, np.sinh, (X,)),
    "grad": (grad, energy, (X,)),
    "hessian": (hessian, energy, (X,)),
}


@pytest.mark.parametrize(("operator", "f", "given"), PLAIN.values(), ids=PLAIN)
def test_an_auxiliary_result_beside_a_keyword(operator, f, given):
    found, auxiliary = operator(lambda x, k=1.0: (k * f(x), 2 * x), has_aux=True)(*given, k=3.0)
    close(found, operator(lambda x: 3.0 * f(x))(*given))
    np.testing.assert_array_equal(auxiliary, 2 * X)


@pytest.mark.parametrize("operator", [grad, jacfwd, jacrev, jacobian, hessian, hessian_diagonal, laplacian])
def test_without_an_auxiliary_result(operator):
    with pytest.raises(TypeError, match=r"with has_aux, energy returns \(value, auxiliary\); it returned"):
        operator(energy, has_aux=True)(X)


# --------------------------------------------------------------------------------------------------------- products


def test_gauss_newton_product():
    J = jacfwd(field)(X)
    close(gnvp(field)(X, V), J.T @ J @ V)
    loss = lambda z: np.sum(np.cosh(z)) + z[0] * z[1]
    H = hessian(loss)(field(X))
    close(gnvp(field, loss)(X, V), J.T @ H @ J @ V)
    close(gauss_newton_operator(field, X, loss=loss) @ np.eye(3), J.T @ H @ J)
    close(gauss_newton_operator(field, X) @ V, J.T @ J @ V)


def test_a_gauss_newton_product_at_complex_points_is_by_the_adjoint():
    f = lambda z: np.stack([z[0] ** 2 * z[1], np.exp(z[2]) * z[0]])
    z, v = X * (1.0 + 0.5j), V * (0.5 - 2j)
    J = np.array([[2 * z[0] * z[1], z[0] ** 2, 0.0], [np.exp(z[2]), 0.0, z[0] * np.exp(z[2])]])
    close(gnvp(f)(z, v), J.conj().T @ J @ v)
    close(gnvp(f, lambda r: np.sum(np.abs(r) ** 2) * 1.5)(z, v), 3.0 * J.conj().T @ J @ v)
    turning = np.diag(1j * np.exp(1j * X))
    close(
        gnvp(lambda x: np.exp(1j * x) + 0.5 * x)(X, V),
        np.real((turning + 0.5 * np.eye(3)).conj().T @ (turning + 0.5 * np.eye(3)) @ V),
    )


def test_the_transpose_of_a_linear_function():
    A = np.arange(6.0).reshape(2, 3)
    transpose = linear_transpose(lambda x, y: A @ x + y[0], np.zeros(3), np.zeros(2))
    of_x, of_y = transpose(np.array([1.0, 10.0]))
    close(of_x, A.T @ [1.0, 10.0])
    close(of_y, [11.0, 0.0])
    (of_z,) = linear_transpose(lambda z: (1 + 2j) * z, np.zeros(2, complex))(np.array([1.0, 1j]))
    close(of_z, (1 - 2j) * np.array([1.0, 1j]))


@pytest.mark.parametrize("f", [np.sin, np.abs, lambda x: x + 1.0, lambda x: np.max(x), lambda x: x * x[0]])
def test_what_is_not_linear_has_no_transpose(f):
    with pytest.raises(ValueError, match="is not linear"):
        linear_transpose(f, X)


# ------------------------------------------------------------------------------------------ diagonals, vector fields


def test_the_diagonal_of_a_hessian():
    close(hessian_diagonal(energy)(X), np.diag(hessian(energy)(X)))
    close(hessian_diagonal(energy, chunk_size=2)(X), np.diag(hessian(energy)(X)))
    f = lambda p: p.scale**3 * np.sum(p.weights**2) + p.weights[0]
    found = hessian_diagonal(f)(Parameters(2.0, V))
    assert found.scale == 12 * np.sum(V**2)
    close(found.weights, np.full(3, 16.0))
    assert hessian_diagonal(lambda x: 3.0 * np.sum(x))(X).tolist() == [0.0, 0.0, 0.0]
    repeated = lambda x: np.sum(np.linalg.eigvalsh(np.diag(x) + 0.0 * np.outer(x, x)) ** 3)
    close(hessian_diagonal(repeated)(np.ones(2)), [6.0, 6.0])
    at_zero = lambda x: np.sum(np.sqrt(x[:1]) * 0.0) + np.sum(x**2)
    assert hessian_diagonal(at_zero)(X)[1:].tolist() == [2.0, 2.0]


def test_divergence_curl_and_laplacian():
    x, y, z = X
    close(divergence(field)(X), y + 0.0 + 2 * y * z)
    close(curl(field)(X), [z**2 - np.cos(z), 0.0, 2 * x - x])
    close(laplacian(energy)(X), np.trace(hessian(energy)(X)))
    close(laplacian(field)(X), [0.0, 2.0 - np.sin(z), 2 * y])
    close(curl(lambda p: np.array([-p[1], p[0] ** 2]))(X[:2]), 2 * x + 1)
    assert laplacian(lambda p: np.sum(p))(X) == 0.0
    assert laplacian(lambda p: p[0] ** 4)(np.array([2.0])) == 48.0
    close(laplacian(lambda p, k: k * np.sum(p**2))(X, 3.0), 18.0)


def test_a_laplacian_by_no_coordinates_is_zero():
    for f in (lambda x: np.sum(x**2), lambda x: np.sum(x[::2]) * 2.0 + np.ones(3), lambda x: 1.0):
        found = laplacian(f)(np.zeros(0))
        assert np.shape(found) == np.shape(f(np.zeros(0)))
        assert not np.any(found)


def test_fields_can_be_differentiated_again():
    close(curl(grad(energy))(X), np.zeros(3))
    close(divergence(curl(field))(X), 0.0)
    close(divergence(grad(energy))(X), laplacian(energy)(X))
    close(grad(laplacian(energy))(X), jacfwd(laplacian(energy))(X))
    biharmonic = laplacian(laplacian(lambda p: np.sum(p**4) + p[0] ** 2 * p[1] ** 2))
    close(biharmonic(X), 3 * 24.0 + 8.0)


def test_a_laplacian_of_repeated_eigenvalues():
    """A rule that needs to know the direction gets one after the other."""
    f = lambda x: np.sum(np.linalg.eigvalsh(np.diag(x)) ** 3)
    close(laplacian(f)(np.ones(3)), 18.0)


RULES = {
    "a push-forward": smooth(lambda t, z, a: t * np.cos(a))(np.sin),
    "a pull-back": smooth(pull=lambda g, z, a: (g * np.cos(a),))(np.sin),
    "beside a product": lambda x: multilinear(lambda g, a, b: g * b, lambda g, a, b: g * a)(np.multiply)(x, np.sin(x)),
    "beside a linear map": lambda x: np.exp(linear(lambda g, a: g * 2.0)(lambda a: a * 2.0)(x)),
    "a black box": black_box(lambda a: np.sin(a) * 1.0),
}


@pytest.mark.parametrize("f", RULES.values(), ids=RULES)
def test_a_laplacian_of_a_rule_of_the_users(f):
    total = lambda x: np.sum(f(x))
    close(laplacian(total)(X), np.trace(jacfwd(jacfwd(total))(X)), 1e-7)


def test_a_laplacian_checks_a_linear_rule():
    f = linear(lambda g, a: g * 3.0)(lambda a: a * 2.0)
    with pytest.raises(ValueError, match="adjoint map 0 is not its adjoint"):
        laplacian(lambda x: np.sum(f(x) ** 2))(X)


def test_a_laplacian_of_a_structure_is_refused():
    with pytest.raises(ValueError, match=r"laplacian: <lambda> is to return a number or an array: np\.stack"):
        laplacian(lambda x: [x[0] ** 2, x[1] ** 2])(X)


def test_a_laplacian_at_a_singular_point():
    with np.errstate(all="ignore"):
        assert laplacian(lambda x: np.sum(x**1.5))(np.zeros(2)) == np.inf
        weighted = lambda x: np.sum(np.sqrt(x) * np.array([0.0, 1.0, 1.0]))
        close(laplacian(weighted)(np.array([0.0, 1.0, 4.0])), -0.25 - 0.25 / 8)


def test_elementwise_derivatives():
    close(elementwise_grad(np.tanh)(X), 1 / np.cosh(X) ** 2)
    close(elementwise_grad(elementwise_grad(np.sin))(X), -np.sin(X))
    close(elementwise_grad(np.hypot, 1)(X, V), V / np.hypot(X, V))
    assert elementwise_grad(np.sin)(0.0) == 1.0
    matrix = np.outer(X, V)
    close(elementwise_grad(lambda m: m**3 / 2)(matrix), 1.5 * matrix**2)
    assert elementwise_grad(lambda x: 0.0 * x)(X).tolist() == [0.0, 0.0, 0.0]


NOT_HOLOMORPHIC = {
    "conj": np.conj,
    "square of the absolute value": lambda z: np.abs(z) ** 2,
    "real": np.real,
    "beside an analytic one": lambda z: np.sin(z) + np.imag(z),
}


@pytest.mark.parametrize("x", [X * 1j, 0.5 + 1j], ids=["array", "number"])
@pytest.mark.parametrize("f", NOT_HOLOMORPHIC.values(), ids=NOT_HOLOMORPHIC)
def test_what_is_not_holomorphic_has_no_elementwise_derivative(f, x):
    with pytest.raises(ValueError, match="not holomorphic"):
        elementwise_grad(f)(x)


ROUNDED = {
    "half precision": (lambda x: np.exp(np.sin(x) - x * x), np.float16),
    "a step in single precision": (lambda x: (x.astype(np.float32) ** 2).astype(float) + x, float),
    "a result in single precision": (lambda x: (np.sin(x) ** 2 + x).astype(np.float32), float),
    "the least numbers": (lambda x: np.exp(-100.0 + x - x * x), np.float32),
    "terms that cancel": (lambda x: 1e6 * np.sin(x) - 1e6 * np.sin(x) + x, np.float32),
}


@pytest.mark.parametrize(("f", "dtype"), ROUNDED.values(), ids=ROUNDED)
def test_rounding_is_no_reason_to_refuse_an_elementwise_derivative(f, dtype):
    x = np.linspace(-1.5, 1.5, 40).astype(dtype)
    slopes = elementwise_grad(f)(x)
    assert slopes.shape == x.shape
    mixed = lambda x: f(x) + 0.01 * np.sum(f(x))
    with pytest.raises(ValueError, match="does not act element by element"):
        elementwise_grad(mixed if dtype is float else lambda x: x + np.sum(x))(x)


def test_an_elementwise_derivative_at_complex_points():
    close(elementwise_grad(np.sin)(X * 1j), np.cos(X * 1j))
    close(elementwise_grad(elementwise_grad(np.exp))(X * 1j), np.exp(X * 1j))
    assert elementwise_grad(np.abs)(X).tolist() == np.sign(X).tolist()


def test_a_number_of_which_an_array_is_made_has_no_elementwise_derivative():
    with pytest.raises(ValueError, match=r"elementwise_grad: <lambda> of a number returned one of shape \(3,\)"):
        elementwise_grad(lambda a: a * np.ones(3))(2.0)


MIXING = {
    "reversed": lambda x: x[::-1] * 1.0,
    "rolled": lambda x: np.roll(x, 1),
    "cumsum": np.cumsum,
    "sum beside": lambda x: x**2 + np.sum(x),
    "normalised": lambda x: x / np.linalg.norm(x),
    "one element": lambda x: x * x[0],
}


@pytest.mark.parametrize("f", MIXING.values(), ids=MIXING)
def test_what_mixes_elements_has_no_elementwise_derivative(f):
    with pytest.raises(ValueError, match="does not act element by element"):
        elementwise_grad(f)(X)


SCALES = np.array([1e12, 1.0, 1e-9])


def test_a_large_element_does_not_hide_a_small_one_that_is_wrong():
    mixing = lambda x: np.stack([1e12 * x[0], x[1] + 1e-3 * x[2], x[2]])
    with pytest.raises(ValueError, match="does not act element by element"):
        elementwise_grad(mixing)(X)
    with pytest.raises(ValueError, match="is not linear"):
        linear_transpose(lambda x: SCALES * x * np.array([1.0, x[1], 1.0]), X)
    with pytest.raises(ValueError, match="is not linear"):
        linear_transpose(lambda x: np.sqrt(SCALES**2 * x**2 + 1e-18), X)


CANCELLING = {
    "squares": lambda x: np.sin(x) ** 2 + np.cos(x) ** 2,
    "large terms": lambda x: 1e12 * x**3 - 1e12 * x * x * x + 1e-6 * x,
    "a logarithm": lambda x: np.log(np.exp(x) * 3.7e10) - x,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", CANCELLING.values(), ids=CANCELLING)
def test_rounding_where_terms_cancel_is_no_other_element(f, dtype):
    x = np.random.default_rng(3).normal(size=5000).astype(dtype)
    found = elementwise_grad(f)(x)
    assert (found.shape, found.dtype) == (x.shape, dtype)
    random = np.random.default_rng(4).normal(size=(60, 60))
    cancelling = lambda v: SCALES[0] * (random @ v) - (SCALES[0] * random) @ v
    (back,) = linear_transpose(cancelling, np.zeros(60))(np.ones(60))
    assert np.max(np.abs(back)) < 1e-2


def test_wrong_arguments():
    with pytest.raises(ValueError, match=r"divergence: the first argument of field is a point, an array of"):
        divergence(field)(np.ones((3, 3)))
    with pytest.raises(ValueError, match="curl: energy is to return a vector of the 3 components"):
        curl(energy)(X)
    with pytest.raises(ValueError, match="curl is of fields in two or three dimensions, not in 4"):
        curl(np.sin)(np.ones(4))
    for argnum in ((0, 1), (0,)):
        with pytest.raises(TypeError, match="elementwise_grad is by one argument, its index or name, not by argnum="):
            elementwise_grad(np.hypot, argnum)
    with pytest.raises(ValueError, match=r"sum of an array of shape \(3,\) returned one of shape \(\)"):
        elementwise_grad(np.sum)(X)
    for operator in (hessian_diagonal, laplacian):
        with pytest.raises(TypeError, match="real"):
            operator(lambda z: np.sum(z * z))(X + 1j)
    with pytest.raises(TypeError, match="a gradient needs a number"):
        hessian_operator(field, X)
    with pytest.raises(ValueError, match="mode is one of 'auto', 'forward', 'reverse'; got 'backward'"):
        value_and_jacobian(field, mode="backward")


# ------------------------------------------------------------------------------------------------ SciPy's operators


def test_a_jacobian_as_a_linear_operator():
    calls = []

    def noted(x, k):
        calls.append(1)
        return k * field(x)[:2]

    J, dense = jacobian_operator(noted, X, 2.0), 2.0 * jacfwd(field)(X)[:2]
    assert isinstance(J, LinearOperator)
    assert J.shape == (2, 3)
    close(J @ V, dense @ V)
    close(J @ np.eye(3), dense)
    close(J.T @ np.eye(2), dense.T)
    close(J.H @ np.ones(2), dense.T @ np.ones(2))
    close(J.value, 2 * field(X)[:2])
    assert len(calls) == 1
    close(lsmr(J, np.ones(2))[0], np.linalg.pinv(dense) @ np.ones(2), rtol=1e-6)


def test_operators_of_structures_and_complex_numbers():
    f = lambda p: {"sum": p.scale * np.sum(p.weights), "square": p.weights**2}
    J = jacobian_operator(f, Parameters(2.0, V))
    dense = np.block([[np.sum(V), np.full((1, 3), 2.0)], [np.zeros((3, 1)), np.diag(2 * V)]])
    close(J @ np.eye(4), dense)
    close(J.T @ np.eye(4), dense.T)
    close(J.T @ np.ones(4), dense.T @ np.ones(4))
    A = np.array([[1.0, 2j], [3.0 + 1j, 0.0]])
    K = jacobian_operator(lambda z: A @ np.exp(z), np.zeros(2, complex))
    close(K @ np.eye(2), A)
    close(K.H @ np.eye(2), A.conj().T)
    close(K.T @ np.array([1.0, 1j]), A.T @ [1.0, 1j])


@pytest.mark.parametrize("n", [3, 0])
def test_operators_and_matrices_without_columns(n):
    x = X[:n]
    for made in (jacobian_operator(lambda x: np.outer(x, x), x), gauss_newton_operator(lambda x: x**2, x),
                 hessian_operator(lambda x: np.sum(x**3), x), jacobian_operator(lambda z: z**2, 1j * x)):  # fmt: skip
        m, width = made.shape
        for operator, size in ((made, width), (made.T, m), (made.H, m)):
            for dtype in (float, complex):
                found = operator @ np.zeros((size, 0), dtype)
                assert found.shape == (operator.shape[0], 0)


def test_a_hessian_as_a_linear_operator():
    H, dense = hessian_operator(energy, X), hessian(energy)(X)
    close(H @ np.eye(3), dense)
    close(H.T @ V, dense @ V)
    close(H.value, grad(energy)(X))
    bowl = hessian_operator(lambda x: np.sum(np.cosh(x)) + 0.5 * np.sum(x) ** 2, X)
    solution, info = cg(bowl, V, rtol=1e-12)
    assert info == 0
    close(bowl @ solution, V, rtol=1e-9)


def test_what_operators_return_pickles():
    for made in (value_and_jacobian(field), value_grad_and_hessian(energy), hessian_diagonal(energy), laplacian(energy),
                 divergence(field), curl(field), elementwise_grad(np.sin), gnvp(field)):  # fmt: skip
        given = (X, V) if made.__name__ == "product" else (X,)
        again = pickle.loads(pickle.dumps(made))
        for found, expected in zip(flatten(again(*given))[0], flatten(made(*given))[0], strict=True):
            assert np.array_equal(found, expected)


def test_every_operator_is_public():
    assert set(autodiff.OPERATORS) <= set(autodiff.__all__)


def test_operators_are_linear_over_the_complex_numbers():
    w = np.stack([[1j, 0.0, 2.0], [1.0 - 2j, 3.0, 0.5j]], 1)
    f = lambda x: (x[0] * x[1:], np.exp(1j * x) * x[2])
    J, dense = jacobian_operator(f, V), np.concatenate(jacfwd(f)(V))
    close(J @ w, dense @ w)
    close(J @ w[:, 0], dense @ w[:, 0])
    for g in (np.vstack([w, w[:2]]), np.vstack([w, w[:2]]).real):
        close(J.H @ g, dense.conj().T @ g)
        close(J.T @ g, dense.T @ g)
    H = hessian_operator(lambda x: np.sum(x**3) * x[0], V)
    close(H @ w, hessian(lambda x: np.sum(x**3) * x[0])(V) @ w)
    empty = jacobian_operator(lambda x: 2.0 * x, np.zeros(0))
    assert (empty @ w[:0]).shape == (0, 2)
    square = np.diag(2.0 * V)
    close(gauss_newton_operator(lambda x: x**2, V) @ w, square @ square @ w)


def test_an_operator_within_another_differentiation_is_refused():
    J = jacobian_operator(lambda x: x**2, V)
    for f in (lambda y: np.sum(J @ y), lambda y: np.sum(jacobian_operator(lambda x: x**2 * y, V) @ np.ones(3))):
        with pytest.raises(TypeError, match="write linearize, jvp, vjp or hvp"):
            grad(f)(V)


def test_a_curl_of_components_in_a_tuple_and_diagonals_by_two_arguments():
    assert curl(lambda x: (x[1] ** 2, x[0] ** 2))(np.array([1.0, 2.0])) == -2.0
    by_x, by_y = hessian_diagonal(lambda x, y: np.sum(x**2 * y**3), argnum=(0, 1))(np.ones(2), 2.0 * np.ones(2))
    np.testing.assert_allclose(by_x, 2.0 * 8.0)
    np.testing.assert_allclose(by_y, 6.0 * 2.0)
