"""`autodiff.implicit.linear_solve` beside `np.linalg.solve`, and on systems too large for a matrix."""

import numpy as np
import pytest

from autodiff import grad, gradcheck, hessian, hvp, jacfwd, jacrev, jvp, vjp
from autodiff.implicit import linear_solve

RNG = np.random.default_rng(5)
N = 3
GENERAL = 4.0 * np.eye(N) + RNG.normal(size=(N, N)) / 2.0
SYMMETRIC = GENERAL + GENERAL.T
INDEFINITE = SYMMETRIC - np.diag([0.0, 16.0, 0.0])
B, D = RNG.normal(size=N), RNG.uniform(0.5, 1.5, N)
WAYS = [("dense", GENERAL), ("gmres", GENERAL), ("cg", SYMMETRIC), ("minres", INDEFINITE)]


def by_products(method, matrix):
    return lambda d, b: linear_solve(lambda x: matrix @ x + d * x, b, method=method)


def by_matrix(matrix):
    return lambda d, b: np.linalg.solve(matrix + np.diag(d), b)


@pytest.mark.parametrize(("method", "matrix"), WAYS)
@pytest.mark.parametrize(
    "modes", [(jacfwd,), (jacrev,), (jacfwd, jacrev), (jacrev, jacfwd), (jacrev, jacrev), (jacfwd, jacrev, jacrev)]
)
def test_it_is_the_solution_with_the_matrix(method, matrix, modes):
    for which in (0, 1):
        found, expected = by_products(method, matrix), by_matrix(matrix)
        for mode in modes:
            found, expected = mode(found, which), mode(expected, which)
        np.testing.assert_allclose(found(D, B), expected(D, B), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("method", "matrix"), WAYS)
def test_both_modes_agree_with_differences(method, matrix):
    assert gradcheck(by_products(method, matrix), [D, B])


@pytest.mark.parametrize("method", ["dense", "gmres", "cg", "minres"])
def test_arrays_of_any_shape_args_and_lists(method):
    stencil = lambda x, k: 4.2 * x + k * (np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1))
    b = RNG.normal(size=(3, 4))
    f = lambda k, b: linear_solve(stencil, b, (k,), method=method)
    assert f(0.3, b).shape == (3, 4)
    np.testing.assert_allclose(stencil(f(0.3, b.tolist()), 0.3), b, rtol=1e-11)
    assert gradcheck(f, [0.3, b])


@pytest.mark.parametrize("method", ["dense", "gmres", "cg", "minres"])
def test_one_unknown(method):
    f = lambda k, b: linear_solve(lambda x: k * x, b, method=method)
    assert np.shape(f(2.0, 3.0)) == ()
    np.testing.assert_allclose(
        [jacfwd(f)(2.0, 3.0), jacrev(f)(2.0, 3.0), jacrev(jacrev(f))(2.0, 3.0)], [-0.75, -0.75, 0.75], rtol=1e-14
    )


def test_2500_unknowns_with_2500_coefficients():
    """−∇·(k ∇u) = b on a grid, k of each cell: the gradient by two solves, beside difference quotients."""
    n = 50
    b = np.ones((n, n)) / n**2
    products = []

    def flow(u, k):
        products.append(1)
        padded = np.pad(u, 1)
        down, right = np.diff(padded, axis=0)[:, 1:-1], np.diff(padded, axis=1)[1:-1]
        by_row, by_column = np.pad(k, ((0, 1), (0, 0)), mode="edge"), np.pad(k, ((0, 0), (0, 1)), mode="edge")
        return -np.diff(by_row * down, axis=0) - np.diff(by_column * right, axis=1)

    def energy(k):
        return np.sum(b * linear_solve(flow, b, (k,), method="cg")) * 1e3

    k, v = RNG.uniform(0.5, 2.0, (n, n)), RNG.normal(size=(n, n))
    gradient = grad(energy)(k)
    count, _ = len(products), products.clear()
    assert count < 700  # two runs of CG; one unknown at a time it would be 2500
    h = 1e-4
    quotient = (energy(k + h * v) - energy(k - h * v)) / (2 * h)
    np.testing.assert_allclose(np.sum(gradient * v), quotient, rtol=1e-6)
    np.testing.assert_allclose(jvp(energy, [k], [v])[1], np.sum(gradient * v), rtol=1e-10)
    products.clear()
    along = hvp(energy)(k, v)
    assert len(products) < 3000
    quotient = (grad(energy)(k + h * v) - grad(energy)(k - h * v)) / (2 * h)
    np.testing.assert_allclose(along, quotient, rtol=1e-5, atol=1e-7 * np.max(np.abs(along)))


def test_a_preconditioner_saves_products_and_changes_no_derivative():
    scales = np.logspace(0, 4, 40)
    coupling = RNG.normal(size=(40, 40)) / 200.0
    counts, found = [], []
    for preconditioner in (None, lambda v: v / scales):
        products = []

        def multiply(x, d, products=products):
            products.append(1)
            return (scales + d) * x + coupling @ x

        f = lambda d, A=multiply, m=preconditioner: np.sum(linear_solve(A, np.ones(40), (d,), preconditioner=m) ** 2)
        found.append(grad(f)(np.ones(40)))
        counts.append(len(products))
    assert counts[1] < counts[0] / 2
    np.testing.assert_allclose(found[0], found[1], rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("method", ["cg", "minres"])
def test_reverse_mode_with_a_method_for_symmetric_equations_checks_that_they_are(method):
    nearly = 4.0 * np.eye(N) + 1e-4 * RNG.normal(size=(N, N))
    f = lambda b: linear_solve(lambda x: nearly @ x, b, method=method)
    np.testing.assert_allclose(jacfwd(f)(B), np.linalg.inv(nearly), atol=1e-11)
    with pytest.raises(ValueError, match=f"is not symmetric, as '{method}' needs it: write 'gmres'"):
        jacrev(f)(B)


def test_a_right_hand_side_of_zeros():
    f = by_products("cg", SYMMETRIC)
    assert not f(D, np.zeros(N)).any()
    np.testing.assert_allclose(jacrev(f, 1)(D, np.zeros(N)), np.linalg.inv(SYMMETRIC + np.diag(D)), rtol=1e-10)


def test_the_pull_back_to_both_is_one_solve():
    products = []

    def multiply(x, d):
        products.append(1)
        return d * x + 0.1 * np.roll(x, 1)

    _, pull = vjp(lambda d, b: linear_solve(multiply, b, (d,)), D, B)
    both, _ = len(products), products.clear()
    pull(np.ones(N))
    assert 0 < len(products) <= both


@pytest.mark.parametrize("method", ["gmres", "cg", "minres"])
def test_maxiter_bounds_the_iterations_of_all_rounds_together(method):
    products = []

    def multiply(x):
        products.append(1)
        return x * np.arange(1.0, 201.0)

    with pytest.raises(RuntimeError, match=f"linear_solve: {method} came to a relative residual of .* maxiter"):
        linear_solve(multiply, np.ones(200), method=method, maxiter=60 if method == "gmres" else 20)
    assert len(products) <= (70 if method == "gmres" else 30)


SCALES = np.array([1e12, 1.0, 1.0])


def test_a_large_row_does_not_hide_that_a_matrix_is_not_symmetric():
    f = lambda b: linear_solve(lambda x: np.array([1e4, 1.0, 1.0]) * x + 1e-6 * x[2] * np.eye(3)[1], b, method="minres")
    with pytest.raises(ValueError, match="is not symmetric, as 'minres' needs it"):
        vjp(f, B)[1](B)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda b: linear_solve(GENERAL, b), TypeError, r"autodiff.linalg.solve\(A, b\)"),
        (lambda b: linear_solve(lambda x: x, b, method="lu"), ValueError, "method is one of 'dense'"),
        (lambda b: linear_solve(lambda x: x[:2], b), ValueError, r"shape \(2,\) for x of shape \(3,\)"),
        (lambda b: linear_solve(lambda x: x[:2], b, method="dense"), ValueError, r"shape \(2,\) for x of shape \(3,\)"),
        (lambda b: linear_solve(lambda x: 2.0 * x, b * 1j), TypeError, "real and imaginary parts"),
        (lambda b: linear_solve(lambda x: x + x**3, b, method="dense"), ValueError, "not linear"),
        (lambda b: linear_solve(lambda x: x + 1.0, b, method="dense"), ValueError, "not linear"),
        (lambda b: linear_solve(lambda x: 4.0 * x + 1e-3 * np.sin(x), b), ValueError, "not linear: .* by root"),
        (lambda b: linear_solve(lambda x: 4.0 * x + 1.0, b, method="cg"), ValueError, "not linear"),
        (lambda b: linear_solve(lambda x: 0.0 * x, b, method="dense"), np.linalg.LinAlgError, "ingular"),
        (lambda b: linear_solve(lambda x: np.concatenate([x[1:], 0.0 * x[:1]]), b), RuntimeError, "relative residual"),
        (lambda b: linear_solve(lambda x: x * np.arange(1.0, 4.0), b, method="cg", maxiter=1), RuntimeError, "maxiter"),
        (lambda b: linear_solve(lambda x: x * np.arange(1.0, 4.0), b, maxiter=0), ValueError, "maxiter is a number of"),
        (lambda b: linear_solve(lambda x: x, b * np.inf), ValueError, "b has elements that are not finite"),
        (lambda b: linear_solve(lambda x: SCALES * x + 1e-3 * x[2] ** 2, b), ValueError, "not linear"),
        (lambda b: linear_solve(lambda x: SCALES * x + 1e-3 * x[2] ** 2, b, method="dense"), ValueError, "not linear"),
    ],
)
def test_what_is_wrong_is_named(call, error, text):
    for given in (call, lambda b: jvp(call, [b], [b]), lambda b: vjp(call, b)):
        with pytest.raises(error, match=text):
            given(B)


def test_a_number_is_an_equation_of_one_unknown():
    for b in (1.0, np.array(1.0), np.float32(1.0)):
        for method in ("gmres", "cg", "minres", "dense"):
            f = lambda a, b=b, method=method: linear_solve(lambda x: a * x, b, method=method)
            np.testing.assert_allclose([f(2.0), grad(f)(2.0), jacfwd(f)(2.0)], [0.5, -0.25, -0.25], rtol=1e-12)
    half = lambda a: linear_solve(lambda x: a * x, 1.0, preconditioner=lambda v: 0.5 * v)
    np.testing.assert_allclose(hessian(half)(2.0), 0.25, rtol=1e-12)


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e-310])
@pytest.mark.parametrize("method", ["gmres", "cg"])
def test_right_sides_of_any_size(size, method):
    """The squares in their norms overflow, or vanish."""
    found = linear_solve(lambda x: 2.0 * x, np.full(2, size), method=method)
    np.testing.assert_allclose(found, size / 2.0, rtol=1e-12)
