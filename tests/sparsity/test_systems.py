"""Sparse linear systems of numbers: against dense ones; how often a matrix is factorised; what is refused."""

import pickle
import threading

import numpy as np
import pytest

from autodiff import check_gradient, grad, gradient, hessian, jacfwd, jacobian, jacrev, record, sparsity, taylor

sparse = pytest.importorskip("scipy.sparse")
from autodiff.scipy.sparse import coo_array, csc_array, csr_array, diags_array  # noqa: E402
from autodiff.scipy.sparse.linalg import factorized, splu, spsolve  # noqa: E402
from dualnumbers.rules.of_scipy.linalg import sparse_equations  # noqa: E402

ROW, COLUMN = np.array([0, 1, 2, 0, 2, 2, 3, 1]), np.array([0, 1, 2, 2, 1, 2, 3, 3])
DATA, RIGHT = np.array([3.0, 4.0, 5.0, -1.0, 0.5, 1.0, 2.0, 0.3]), np.array([1.0, -2.0, 0.5, 3.0])


def dense(d):
    a = np.zeros((4, 4), d.dtype, like=d)
    np.add.at(a, (ROW, COLUMN), d)
    return a


SOLVERS = {
    "elements": lambda d, b: spsolve((d, (ROW, COLUMN)), b),
    "coo": lambda d, b: spsolve(coo_array((d, (ROW, COLUMN))), b),
    "csr": lambda d, b: spsolve(csr_array((d, (ROW, COLUMN))), b),
    "sum": lambda d, b: spsolve(csc_array((d - 1.0, (ROW, COLUMN))) + sparse.coo_array((np.ones(8), (ROW, COLUMN))), b),
    "splu": lambda d, b: splu(csc_array((d, (ROW, COLUMN)))).solve(b),
    "factorized": lambda d, b: factorized(csr_array((d, (ROW, COLUMN))))(b),
    "transposed twice": lambda d, b: splu(csr_array((d, (COLUMN, ROW)))).solve(b, "T"),
}


@pytest.mark.parametrize("right", [RIGHT, np.stack([RIGHT, RIGHT[::-1] ** 2], 1)], ids=["vector", "matrix"])
@pytest.mark.parametrize("name", SOLVERS)
def test_solutions_are_those_of_the_dense_system(name, right):
    f = lambda d, b: np.sum(np.sin(SOLVERS[name](d, b)))
    g = lambda d, b: np.sum(np.sin(np.linalg.solve(dense(d), b)))
    assert f(DATA, right) == pytest.approx(g(DATA, right), rel=1e-13)
    for found, wanted in zip(gradient(f, [DATA, right]), gradient(g, [DATA, right]), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-13)
    second = jacfwd(jacfwd(lambda d: g(d, right)))(DATA)
    for outer, inner in ((jacfwd, grad), (jacrev, jacfwd), (jacrev, grad)):
        np.testing.assert_allclose(outer(inner(lambda d: f(d, right)))(DATA), second, atol=1e-13)
    along = lambda h: lambda t: h(DATA + t, right * (1.0 + t * t))
    np.testing.assert_allclose(taylor(along(f), 0.0, 6), taylor(along(g), 0.0, 6), atol=1e-12)


def test_a_gradient_is_that_of_differences():
    f = lambda d, b: np.sum(spsolve(csr_array((d, (ROW, COLUMN))), b) ** 3)
    assert check_gradient(f, [DATA, RIGHT], gradient(f, [DATA, RIGHT]))


@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("of", ["real", "complex"])
def test_complex_systems(of, trans):
    """Of a real matrix the parts of a complex right side are solved for by themselves."""
    turned = DATA * (1.0 + 0.3j) if of == "complex" else DATA
    b = RIGHT * (1.0 - 0.5j)
    whole = lambda d: {"N": dense(d), "T": dense(d).T, "H": np.conj(dense(d).T)}[trans]
    f = lambda t: np.sum(np.abs(splu((turned * t[0], (ROW, COLUMN))).solve(b * t[1:], trans)) ** 2)
    g = lambda t: np.sum(np.abs(np.linalg.solve(whole(turned * t[0]), b * t[1:])) ** 2)
    t = np.array([1.2, 0.7, 0.9, 1.1, 1.3])
    np.testing.assert_allclose(grad(f)(t), grad(g)(t), rtol=1e-12)
    np.testing.assert_allclose(hessian(f)(t), hessian(g)(t), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(jacfwd(f)(t), grad(g)(t), rtol=1e-12)


@pytest.fixture
def factorisations(monkeypatch):
    """How often SuperLU factorises."""
    original, calls = sparse_equations.imported, []

    def noted(path):
        if path == "sparse.linalg.splu":
            calls.append(path)
        return original(path)

    monkeypatch.setattr(sparse_equations, "imported", noted)
    return calls


def test_one_factorisation_for_value_and_adjoint(factorisations):
    grad(lambda d: np.sum(spsolve((d, (ROW, COLUMN)), RIGHT) ** 2))(DATA)
    assert len(factorisations) == 1
    jacobian(lambda d: spsolve((d, (ROW, COLUMN)), RIGHT))(DATA)
    assert len(factorisations) == 2
    hessian(lambda d: np.sum(spsolve((d, (ROW, COLUMN)), RIGHT) ** 2))(DATA)
    assert len(factorisations) == 3
    taylor(lambda t: spsolve((DATA + t, (ROW, COLUMN)), RIGHT), 0.0, 5)
    assert len(factorisations) == 4


def test_one_factorisation_for_many_steps(factorisations):
    solve = factorized(sparse.csc_array(dense(DATA)))

    def after(u):
        for _ in range(10):
            u = solve(u) * 3.0
        return np.sum(u**2)

    expected = np.linalg.matrix_power(3.0 * np.linalg.inv(dense(DATA)), 10)
    np.testing.assert_allclose(grad(after)(RIGHT), 2.0 * expected.T @ expected @ RIGHT, rtol=1e-12)
    np.testing.assert_allclose(hessian(after)(RIGHT), 2.0 * expected.T @ expected, rtol=1e-12, atol=1e-13)
    assert len(factorisations) == 1


def test_types_and_plain_values():
    single = DATA.astype(np.float32)
    assert spsolve((single, (ROW, COLUMN)), RIGHT.astype(np.float32)).dtype == np.float32
    assert grad(lambda d: np.sum(spsolve((d, (ROW, COLUMN)), RIGHT.astype(np.float32))))(single).dtype == np.float32
    whole = sparse.csc_array(np.array([[2, 0], [1, 4]]))
    assert spsolve(whole, np.array([2, 5])).tolist() == [1.0, 1.0]
    factors = splu(whole)
    assert (factors.shape, factors.nnz, factors.solve([2.0, 5.0]).tolist()) == ((2, 2), 6, [1.0, 1.0])
    assert type(csr_array((DATA, (ROW, COLUMN)))) is sparse.csr_array


def test_a_singular_matrix():
    data = np.where(ROW == 3, 0.0, DATA)
    with pytest.warns(sparse.linalg.MatrixRankWarning):
        assert np.isnan(grad(lambda b: np.sum(spsolve((data, (ROW, COLUMN)), b)))(RIGHT)).all()
    with pytest.raises(RuntimeError, match="singular"):
        splu((data, (ROW, COLUMN)))


def test_in_threads_that_share_factors():
    solve, found = factorized(sparse.csc_array(dense(DATA))), {}
    f = lambda b: np.sum(solve(b) ** 3)

    def work(k):
        found[k] = grad(f)(RIGHT + k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        np.testing.assert_array_equal(found[k], grad(f)(RIGHT + k))


def test_a_recording_runs_again_and_is_pickled():
    tape, _ = record(lambda d: spsolve((d, (ROW, COLUMN)), RIGHT), [DATA])
    again = pickle.loads(pickle.dumps(tape))
    for one in (tape, again):
        np.testing.assert_allclose(one.run([DATA + 1.0]), np.linalg.solve(dense(DATA + 1.0), RIGHT), rtol=1e-13)


def test_a_sparse_jacobian_of_an_implicit_function():
    """Which elements of the right side each of a solution depends on: those of the inverse."""
    a = sparse.csc_array(dense(DATA))
    pattern = sparsity(lambda b: spsolve(a, b), RIGHT).pattern.toarray()
    assert np.all(pattern | (np.abs(np.linalg.inv(a.toarray())) < 1e-15))
    found = jacobian(lambda b: spsolve(a, b) * b, sparse=True)(RIGHT).toarray()
    np.testing.assert_allclose(found, jacobian(lambda b: np.linalg.solve(a.toarray(), b) * b)(RIGHT), atol=1e-14)


def test_the_coefficient_of_a_boundary_problem():
    """−(k u')' = 1 with k in every cell, and the misfit of u, by differences of the third order of magnitude."""
    n, h = 20, 1.0 / 21

    def misfit(k):
        a = diags_array([-k[1:-1], k[:-1] + k[1:], -k[1:-1]], offsets=[-1, 0, 1], format="csc") / h**2
        return np.sum((spsolve(a, np.ones(n)) - 0.1) ** 2)

    k = 1.0 + np.linspace(0.0, 1.0, n + 1) ** 2
    assert check_gradient(misfit, [k], [grad(misfit)(k)])
    np.testing.assert_allclose(jacfwd(misfit)(k), grad(misfit)(k), rtol=1e-10)


REFUSED = {
    "square": (lambda b: spsolve(sparse.csr_array(np.ones((2, 3))), b), ValueError, r"square, not of shape \(2, 3\)"),
    "dense": (lambda b: spsolve(np.eye(4), b), TypeError, r"call np.linalg.solve\(A, b\)"),
    "length": (lambda b: spsolve(sparse.eye_array(3), b), ValueError, r"b has 3 rows, .* not the shape \(4,\)"),
    "axes": (lambda b: splu(sparse.eye_array(4)).solve(b.reshape(4, 1, 1)), ValueError, "one or two axes"),
    "trans": (lambda b: splu(sparse.eye_array(4)).solve(b, "C"), ValueError, 'trans is "N", "T" or "H"'),
    "elements": (
        lambda b: spsolve((b, (ROW, COLUMN)), RIGHT),
        ValueError,
        r"of one length, not of shapes \(4,\), \(8,\)",
    ),
    "places": (lambda b: coo_array((b, (ROW, COLUMN))), ValueError, "of one length"),
    "outside": (
        lambda b: coo_array((b, (ROW[:4], COLUMN[:4])), shape=(2, 2)),
        ValueError,
        r"outside of the shape \(2, 2\)",
    ),
    "indptr": (lambda b: csr_array((b, COLUMN[:4], [0, 2, 1])), ValueError, "indptr begins at 0, does not fall"),
    "whole places": (lambda b: coo_array((b, (ROW[:4] * 1.0, COLUMN[:4]))), TypeError, "whole numbers, not of float64"),
    "vector": (lambda b: csr_array(b), ValueError, r"two axes, not the shape \(4,\)"),
    "diagonals": (lambda b: diags_array([b], offsets=[1, 2]), ValueError, "1 diagonals and 2 offsets"),
    "diagonal": (lambda b: diags_array([b, b], offsets=[0, 1]), ValueError, r"the diagonal 1 of .* has 3 elements"),
    "format": (lambda b: diags_array(b).asformat("lil"), ValueError, "format coo, csr or csc, not 'lil'"),
}


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name, mode):
    f, error, said = REFUSED[name]
    with pytest.raises(error, match=said):
        mode(f)(RIGHT)
