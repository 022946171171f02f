"""What the loops over samples cannot know: repeated eigenvalues and singular values, kinks, refusals, types."""

import itertools

import mpmath
import numpy as np
import pytest
from table import JACOBIANS, nestings

from autodiff import grad, hessian, hvp, jacfwd, jacrev, jvp, vjp
from dualnumbers.rules.linalg.systems import inverse_of_upper

REPEATED = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])  # eigenvalues 1, 3, 3
MODES = pytest.mark.parametrize("mode", JACOBIANS.values(), ids=JACOBIANS)


def lower(matrix):
    """The gradient by a symmetric matrix as one by its lower triangle, which alone is read."""
    return np.tril(matrix) + np.tril(matrix, -1)


@MODES
def test_symmetric_functions_of_repeated_eigenvalues(mode):
    found = mode(lambda a: np.sum(np.linalg.eigvalsh(a) ** 3))(REPEATED)
    np.testing.assert_allclose(found, lower(3.0 * REPEATED @ REPEATED), rtol=1e-13, atol=1e-13)
    found = mode(lambda a: np.sum(np.linalg.eigvals(a) ** 3))(REPEATED)
    np.testing.assert_allclose(found, 3.0 * REPEATED @ REPEATED, rtol=1e-13, atol=1e-13)
    found = mode(lambda a: np.sum(np.linalg.svdvals(a) ** 4))(REPEATED)
    np.testing.assert_allclose(found, 4.0 * REPEATED @ REPEATED @ REPEATED, rtol=1e-13, atol=1e-12)


def test_reverse_mode_does_not_reach_vectors_that_are_not_used():
    found = grad(lambda a: np.sum(np.linalg.eigh(a).eigenvalues ** 2))(REPEATED)
    np.testing.assert_allclose(found, lower(2.0 * REPEATED), rtol=1e-13, atol=1e-13)
    found = grad(lambda a: np.sum(np.linalg.svd(a).S ** 2))(REPEATED)
    np.testing.assert_allclose(found, 2.0 * REPEATED, rtol=1e-13, atol=1e-13)


@MODES
@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda a: np.linalg.eigh(a)[1], "equal up to rounding.*eigvalsh.*expm"),
        (lambda a: np.linalg.eig(a)[1], "eigenvalues . and ., which are equal"),
        (lambda a: np.linalg.svd(a)[0], "singular values that are equal.*svdvals"),
        (lambda a: np.linalg.svd(a)[2], "singular values that are equal"),
        (
            lambda a: (lambda w, v: (v * np.arange(3.0)) @ v.T)(*np.linalg.eigh(a)),
            "rounding are not determined",
        ),
    ],
)
def test_vectors_of_repeated_values_are_refused(mode, f, message):
    with pytest.raises(np.linalg.LinAlgError, match=message):
        mode(f)(REPEATED)


# symmetric functions of eigenvalues or singular values, and the same of the matrix itself
SYMMETRIC = {
    "squares": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 2), lambda a: np.sum(a * a)),
    "cubes": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 3), lambda a: np.trace(a @ a @ a)),
    "logarithms": (lambda a: np.sum(np.log(np.linalg.eigvalsh(a))), lambda a: np.linalg.slogdet(a)[1]),
    "product": (lambda a: np.prod(np.linalg.eigvalsh(a)), np.linalg.det),
    "reciprocals": (lambda a: np.sum(1.0 / np.linalg.eigvalsh(a)), lambda a: np.trace(np.linalg.inv(a))),
    "sum times squares": (
        lambda a: (lambda w: np.sum(w) * np.sum(w**2))(np.linalg.eigvalsh(a)),
        lambda a: np.trace(a) * np.sum(a * a),
    ),
    "fourth powers": (lambda a: np.sum(np.linalg.svdvals(a) ** 4), lambda a: np.sum((a @ a.T) ** 2)),
    "squares of singular values": (lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 2), lambda a: np.sum(a * a)),
    "Frobenius": (lambda a: np.sqrt(np.sum(np.linalg.svdvals(a) ** 2)), lambda a: np.linalg.norm(a)),
}
TURN = np.linalg.qr(np.random.default_rng(3).normal(size=(4, 4)))[0]
SPECTRA = ([1.0, 1.0, 3.0, 3.0], [2.0, 2.0, 2.0, 5.0], [2.0, 2.0, 2.0, 2.0], [1.0, 2.0, 3.0, 4.0])


def symmetrised(f):
    return lambda a: f((a + a.T) / 2)


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("name", SYMMETRIC)
def test_second_derivatives_of_symmetric_functions_of_repeated_values(name, spectrum):
    f, of_the_matrix = map(symmetrised, SYMMETRIC[name])
    x = TURN @ np.diag(spectrum) @ TURN.T
    expected = hessian(of_the_matrix)(x)
    close = {"rtol": 1e-11, "atol": 1e-12 * np.abs(expected).max()}
    for how, second in nestings(f, (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(x), expected, **close, err_msg=how)
    np.testing.assert_allclose(hessian(f)(x), expected, **close)
    v, u = np.random.default_rng(4).normal(size=(2, 4, 4))
    np.testing.assert_allclose(hvp(f)(x, v), np.tensordot(expected, v, 2), **close)
    np.testing.assert_allclose(vjp(grad(f), x)[1](v)[0], np.tensordot(v, expected, 2), **close)
    along = jvp(lambda x: jvp(f, [x], [v])[1], [x], [u])[1]
    np.testing.assert_allclose(along, np.sum(u * np.tensordot(expected, v, 2)), **close)


@pytest.mark.parametrize("shape", [(4, 4), (4, 3), (3, 4)])
def test_second_derivatives_of_the_nuclear_norm(shape):
    """Its gradient is the polar factor X (XᵀX)^(−1/2), which depends on no singular vectors."""
    m, n = shape
    x = TURN[:m, :m] @ np.eye(m, n) * 3.0 if m != n else TURN @ np.diag([3.0, 3.0, 1.0, 1.0]) @ TURN[::-1]

    def polar(x):
        y = x / np.linalg.norm(x, 2)
        for _ in range(60):  # Newton and Schulz
            y = 1.5 * y - 0.5 * y @ y.T @ y
        return y

    x = np.linalg.qr(x.T)[0].T * 3.0 if m < n else np.linalg.qr(x)[0] * 3.0 if m > n else x
    expected = jacfwd(polar)(x)
    for how, second in nestings(lambda x: np.linalg.norm(x, "nuc"), (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(x), expected, atol=1e-12, err_msg=how)


def test_complex_matrices_and_stacks_of_which_eigenvalues_repeat():
    rng = np.random.default_rng(5)
    u = np.linalg.qr(rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)))[0]
    start, *along = u @ np.diag([1.0, 1.0, 2.0]) @ u.conj().T, *(rng.normal(size=(2, 3, 3)) + 1j)

    def matrix(x):
        a = start + x[0] * along[0] + x[1] * along[1]
        return (a + np.conj(a.T)) / 2

    def cubes(x):
        return np.sum(np.linalg.eigvalsh(matrix(x)) ** 3)

    expected = hessian(lambda x: np.trace(matrix(x) @ matrix(x) @ matrix(x)).real)(np.zeros(2))
    for how, second in nestings(cubes, (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(np.zeros(2)), expected, rtol=1e-12, err_msg=how)
    stack = np.stack([REPEATED, np.eye(3), np.diag([1.0, 2.0, 3.0])])
    expected = np.stack([hessian(lambda a: np.sum(np.linalg.eigvalsh(a) ** 3))(a) for a in stack])
    found = hessian(lambda a: np.sum(np.linalg.eigvalsh(a) ** 3))(stack)
    np.testing.assert_allclose(found[range(3), :, :, range(3)], expected, atol=1e-12)


NOT_SYMMETRIC = {
    "one": lambda w: w[1],
    "weights": lambda w: np.arange(3.0) @ w,
}


@pytest.mark.parametrize("name", NOT_SYMMETRIC)
@pytest.mark.parametrize("function", [np.linalg.eigvalsh, np.linalg.svdvals])
def test_second_derivatives_of_other_functions_of_repeated_values_are_refused(function, name):
    def f(a):
        w = function(a @ TURN[:3, :3] @ TURN[:3, :3].T) if function is np.linalg.svdvals else function(a)
        return NOT_SYMMETRIC[name](w)

    x = REPEATED if function is np.linalg.eigvalsh else 3.0 * np.linalg.inv(TURN[:3, :3] @ TURN[:3, :3].T)
    for _, second in nestings(f, (0, 0), JACOBIANS):
        with pytest.raises(np.linalg.LinAlgError, match="equal up to rounding"):
            second(x)


def test_one_call_swept_for_several_directions_at_a_time():
    """Right, or refused where each of them asks for vectors of its own."""

    def powers(a):
        w = np.linalg.eigvalsh((a + a.T) / 2)
        return np.stack([np.sum(w**2), np.sum(w**3)])

    def of_the_matrix(a):
        a = (a + a.T) / 2
        return np.stack([np.sum(a * a), np.trace(a @ a @ a)])

    rng = np.random.default_rng(6)
    x, weights = TURN @ np.diag([2.0, 2.0, 2.0, 5.0]) @ TURN.T, rng.normal(size=(2, 4, 4))
    for how, second in nestings(powers, (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(x), jacrev(jacrev(of_the_matrix))(x), atol=1e-11, err_msg=how)

    def both(f):
        return lambda a: np.sum(weights * jacrev(f)(a) ** 2)

    np.testing.assert_allclose(jacfwd(both(powers))(x), grad(both(of_the_matrix))(x), rtol=1e-10)
    with pytest.raises(np.linalg.LinAlgError, match="equal up to rounding"):
        grad(both(powers))(x)


def test_third_derivatives_of_repeated_values_are_refused():
    with pytest.raises(np.linalg.LinAlgError, match="third derivative"):
        jacfwd(hessian(lambda a: np.sum(np.linalg.eigvalsh(a) ** 3)))(REPEATED)
    with pytest.raises(np.linalg.LinAlgError, match="equal"):
        jacfwd(hessian(lambda a: np.sum((lambda w, v: (v * np.exp(w)) @ v.T)(*np.linalg.eigh(a)))))(REPEATED)


def test_a_direction_that_keeps_the_vectors_is_not_refused():
    along = np.diag([1.0, 2.0, 3.0])
    _, (dw, dv) = jvp(lambda a: tuple(np.linalg.eigh(a)), [np.eye(3)], [along])
    np.testing.assert_array_equal(dw, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(dv, np.zeros((3, 3)))


@MODES
def test_a_defective_matrix_is_refused(mode):
    for function in (np.linalg.eigvals, lambda a: np.linalg.eig(a)[1]):
        with pytest.raises(np.linalg.LinAlgError, match=r"defective|equal up to rounding"):
            mode(function)(np.array([[1.0, 1.0], [0.0, 1.0]]))


SMOOTH_THERE = {
    "eig": lambda a: (lambda w, v: (v * np.exp(w)) @ np.linalg.inv(v))(*np.linalg.eig(a)),
}


@MODES
@pytest.mark.parametrize("name", SMOOTH_THERE)
@pytest.mark.parametrize("x", [np.diag([2.0, 2.0, 3.0]), 2.0 * np.eye(2)], ids=["two", "all"])
def test_no_wrong_number_where_the_adjoints_of_repeated_vectors_cancel(name, x, mode):
    """The derivative of exp is e² there; the cotangent of the vectors is 0, as if they were not used."""
    with pytest.raises(np.linalg.LinAlgError, match="equal up to rounding"):
        mode(SMOOTH_THERE[name])(x)


@MODES
def test_close_eigenvalues_against_50_digits(mode):
    """A gap of 1e-6 costs six digits of the vectors' derivatives, no more."""
    x = REPEATED + np.diag([0.0, 0.0, 1e-6])
    with mpmath.workdps(50):
        step = mpmath.mpf(10) ** -25

        def vector(t):
            matrix = mpmath.matrix(x.tolist())
            matrix[2, 0] = matrix[0, 2] = t
            v = mpmath.eigsy(matrix)[1][:, 2]
            return v * mpmath.sign(v[2])

        expected = np.array(((vector(step) - vector(-step)) / (2 * step)).tolist(), dtype=float).ravel()
    v = np.linalg.eigh(x)[1][:, 2]
    found = mode(lambda a: np.linalg.eigh(a)[1][:, 2])(x)[:, 2, 0] * np.sign(v[2])
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_phases_of_complex_vectors():
    """vᴴ dv = 0 for Hermitian matrices; for general ones the largest component stays real."""
    rng = np.random.default_rng(2)
    a, da = rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))
    v, dv = jvp(lambda a: np.linalg.eigh(a)[1], [a], [da])
    np.testing.assert_allclose(np.sum(v.conj() * dv, axis=0), 0.0, atol=1e-14)
    v, dv = jvp(lambda a: np.linalg.eig(a)[1], [a], [da])
    np.testing.assert_allclose(np.sum(v.conj() * dv, axis=0).real, 0.0, atol=1e-14)
    np.testing.assert_allclose(dv.imag[np.argmax(np.abs(v), axis=0), range(3)], 0.0, atol=1e-14)


# --------------------------------------------------------------------------------------------- norms at their kinks


@pytest.mark.parametrize("ord", [None, 1, 2, 3, 1.5, np.inf])
def test_norms_of_a_zero_vector(ord):
    for _, first in nestings(lambda x: np.linalg.norm(x, ord), (0,), JACOBIANS):
        np.testing.assert_array_equal(first(np.zeros(3)), np.zeros(3))
    for _, second in nestings(lambda x: np.linalg.norm(x, ord), (0, 0), JACOBIANS):
        np.testing.assert_array_equal(second(np.zeros(3)), np.zeros((3, 3)))


@MODES
@pytest.mark.parametrize("ord", [-2, -1, -0.5, 0.3, 0.5])
def test_norms_of_small_and_negative_order_where_an_element_is_0(mode, ord):
    """Beside an element that is 0 one of negative order is 0 for all others; one below 1 has a kink at that alone."""
    x = np.array([[2.0, -3.0, 0.0], [0.0, 2.0, 0.0], [1.0, 2.0, -3.0]])
    with np.errstate(divide="ignore"):
        f = lambda x: np.linalg.norm(x, ord, axis=1)
        steps = 1e-6 * np.eye(9).reshape(9, 3, 3)
        differences = np.stack([(f(x + d) - f(x - d)) / 2e-6 for d in steps], -1).reshape(3, 3, 3)
        np.testing.assert_allclose(mode(f)(x), differences, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("first", "second"), list(itertools.product((jacfwd, jacrev), repeat=2)))
def test_an_infinite_second_derivative_of_a_norm_is_not_0(first, second):
    """|x|^1.5 has one at 0."""
    with np.errstate(all="ignore"):
        found = first(second(lambda x: np.linalg.norm(x, 1.5)))(np.array([2.0, -3.0, 0.0]))
    assert not np.isfinite(found[2, 2])


@MODES
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, 2, -2, np.inf])
def test_norms_of_a_zero_matrix(mode, ord):
    np.testing.assert_array_equal(mode(lambda x: np.linalg.norm(x, ord))(np.zeros((2, 3))), np.zeros((2, 3)))


@MODES
@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (2, 0)])
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, 2, np.inf])
def test_norms_of_no_elements(mode, ord, shape):
    x = np.zeros(shape)
    assert jvp(lambda x: np.linalg.norm(x, ord), [x], [x]) == (0.0, 0.0)
    assert mode(lambda x: np.linalg.norm(x, ord))(x).shape == shape
    assert mode(lambda x: np.linalg.vector_norm(x, ord=np.inf))(x).shape == shape


@MODES
def test_norms_where_singular_values_repeat_or_vanish(mode):
    np.testing.assert_allclose(mode(lambda x: np.linalg.norm(x, 2))(np.eye(3)), np.eye(3) / 3, atol=1e-15)
    u, v = np.array([0.6, 0.8]), np.array([1.0, 2.0, 2.0]) / 3
    found = mode(lambda x: np.linalg.norm(x, "nuc"))(5.0 * np.outer(u, v))
    np.testing.assert_allclose(found, np.outer(u, v), atol=1e-15)


# --------------------------------------------------------------------------------------------- refusals, types


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda a: np.linalg.qr(a, "complete")[0], TypeError, "mode='complete'.*mode='reduced'"),
        (lambda a: np.linalg.qr(a[:, [0, 0]])[0], np.linalg.LinAlgError, "linearly dependent.*svd"),
        (lambda a: np.linalg.lstsq(a[:, [0, 0]], np.ones(3))[0], np.linalg.LinAlgError, "rank 1.*pinv"),
        (lambda a: np.linalg.eigvals(a), np.linalg.LinAlgError, "square matrix"),
        (lambda a: np.linalg.matrix_power(a[:2], 0.5), TypeError, "integer exponent"),
        (lambda a: np.linalg.matrix_power(a, 0), np.linalg.LinAlgError, "must be square"),
        (lambda a: np.linalg.matrix_power(a[:, 0], 2), np.linalg.LinAlgError, "a square matrix is needed"),
        (lambda a: np.linalg.svdvals(a[0]), np.linalg.LinAlgError, "at least two-dimensional"),
        (lambda a: np.linalg.cond(a[0]), np.linalg.LinAlgError, "at least two-dimensional"),
        (lambda a: np.linalg.norm(a, 3), ValueError, "Invalid norm order"),
        (lambda a: np.linalg.norm(a, "fro", axis=0), ValueError, "ord='fro' is of one axis or of two"),
        (lambda a: np.linalg.outer(a, a), ValueError, "np.outer"),
        (lambda a: np.matmul(a.T, a, axis=0), TypeError, "axes="),
    ],
)
@MODES
def test_refusals_name_the_remedy(mode, f, error, message):
    with pytest.raises(error, match=message):
        mode(f)(np.arange(6.0).reshape(3, 2))


def test_results_have_names():
    x = np.array([[4.0, 1.0], [1.0, 3.0]])
    names = {"eigh": ("eigenvalues", "eigenvectors"), "eig": ("eigenvalues", "eigenvectors"), "qr": ("Q", "R"),
             "svd": ("U", "S", "Vh"), "slogdet": ("sign", "logabsdet")}  # fmt: skip
    for name, fields in names.items():
        function = getattr(np.linalg, name)
        for result in (jvp(function, [x], [x])[1], jacrev(function)(x)):
            assert type(result) is type(function(x))
            assert result._fields == fields


def test_the_path_of_einsum_is_a_constant():
    x = np.ones((2, 3))
    found = jacfwd(lambda a: np.einsum_path("ij,kj->ik", a, a)[0][1][0] + np.sum(a))(x)
    np.testing.assert_array_equal(found, np.ones((2, 3)))


def test_hessian_of_the_logarithm_of_a_determinant():
    """−tr(A⁻¹ E A⁻¹ F), the Fisher information of a covariance."""
    x = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 2.0]])
    inverse = np.linalg.inv(x)
    expected = -np.einsum("jk,li->ijkl", inverse, inverse)
    np.testing.assert_allclose(hessian(lambda a: np.linalg.slogdet(a).logabsdet)(x), expected, rtol=1e-12, atol=1e-15)


@MODES
def test_the_power_0_is_constant_beside_infinite_elements(mode):
    a = np.array([[np.inf, 1.0], [2.0, 3.0]])
    np.testing.assert_array_equal(mode(lambda a: np.linalg.matrix_power(a, 0))(a), np.zeros((2, 2, 2, 2)))


@MODES
def test_the_logarithm_of_the_determinant_of_a_singular_matrix_of_a_stack_has_no_derivative(mode):
    stack = np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]])
    found = mode(lambda a: np.linalg.slogdet(a).logabsdet)(stack)
    np.testing.assert_allclose(found[0, 0], np.linalg.inv(stack[0]).T, rtol=1e-14)
    assert np.all(np.isnan(found[1, 1]))


@pytest.mark.parametrize("shape", [(33,), (100,), (2, 65)])
def test_large_triangular_matrices_are_inverted_by_halves(shape):
    """To the digits that substitution has: row by row, as LAPACK solves a triangular system."""
    *stack, n = shape
    upper = np.triu(np.random.default_rng(n).normal(size=(*stack, n, n))) / n + np.eye(n)
    found = inverse_of_upper(upper)
    np.testing.assert_array_equal(found, np.triu(found))
    np.testing.assert_allclose(found, np.linalg.inv(upper), rtol=0, atol=4e-16 * n)


@pytest.mark.parametrize("n", [70, 131])  # whole products, and those of halves
@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_the_gradient_through_a_large_cholesky_factor_is_the_derivative_along_each_direction(n, turn):
    parts = np.random.default_rng(6).normal(size=(4, n, n))
    a, along = (x + turn * 1j * y if turn else x for x, y in (parts[:2], parts[2:]))
    a = a @ a.conj().T + n * np.eye(n)
    along = along + along.conj().T
    cubes = lambda a, upper=False: np.sum(np.real(np.linalg.cholesky(a, upper=upper) ** 3))
    slope = jvp(cubes, [a], [along])[1]
    for upper in (False, True):
        if upper and turn:
            slope = jvp(lambda a: cubes(a, True), [a], [along])[1]
        found = grad(lambda a: cubes(a, upper))(a)  # noqa: B023
        np.testing.assert_allclose(np.sum((found.conj() * along).real), slope, rtol=1e-12)
