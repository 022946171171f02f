"""SciPy's sparse matrices beside numbers, and sparse matrices of numbers: against the same with dense arrays."""

import threading

import numpy as np
import pytest
from grids import brusselator

from autodiff import (
    Variable,
    check_gradient,
    derivative,
    grad,
    gradient,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    record,
    sparsity,
    taylor,
    vjp,
)
from dualnumbers import DualNumber, TaylorNumber

sparse = pytest.importorskip("scipy.sparse")

FORMATS = [
    f"{name}_{kind}" for name in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok") for kind in ("array", "matrix")
]
ARRAYS = [name for name in FORMATS if name.endswith("array")]


def values(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape)


DENSE = np.where(np.random.default_rng(3).random((4, 6)) < 0.5, values(4, 6), 0.0)

PRODUCTS = {
    "A @ x": (lambda a, x: a @ x, (6,)),
    "A @ X": (lambda a, x: a @ x, (6, 3)),
    "A @ column": (lambda a, x: a @ x, (6, 1)),
    "A @ nothing": (lambda a, x: a @ x, (6, 0)),
    "x @ A": (lambda a, x: x @ a, (4,)),
    "X @ A": (lambda a, x: x @ a, (3, 4)),
    "X.T @ A": (lambda a, x: x.T @ a, (4, 3)),
    "A.T @ x": (lambda a, x: a.T @ x, (4,)),
    "A.T @ (A @ x)": (lambda a, x: a.T @ (a @ x), (6,)),
    "(A * 2) @ x": (lambda a, x: (a * 2) @ x, (6,)),
    "-A @ x / 3": (lambda a, x: -a @ x / 3.0, (6,)),
}


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("name", FORMATS)
def test_products_are_those_of_the_dense_array(name, product):
    f, shape = PRODUCTS[product]
    a, x = getattr(sparse, name)(DENSE), values(*shape)
    of_sparse, of_dense = (lambda x: f(a, x) ** 2), (lambda x: f(DENSE, x) ** 2)
    np.testing.assert_array_equal(jvp(lambda x: f(a, x), [x], [x])[0], f(a, x))
    expected = jacfwd(of_dense)(x)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(of_sparse)(x), expected, atol=1e-13)
    second = hessian(lambda x: np.sum(of_dense(x)))(x)
    for outer, inner in ((jacfwd, grad), (jacrev, grad), (jacrev, jacfwd)):
        np.testing.assert_allclose(outer(inner(lambda x: np.sum(of_sparse(x))))(x), second, atol=1e-12)
    for found, wanted in zip(taylor(of_sparse, x, 3, direction=x), taylor(of_dense, x, 3, direction=x), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


ELEMENT_BY_ELEMENT = {
    "A * M": (lambda a, x: a * x, (4, 6)),
    "M * A": (lambda a, x: x * a, (4, 6)),
    "A * row": (lambda a, x: a * x, (6,)),
    "A * column": (lambda a, x: a * x, (4, 1)),
    "row * A": (lambda a, x: x * a, (1, 6)),
    "A / M": (lambda a, x: a / x, (4, 6)),
    "number * A": (lambda a, x: x[0] * a, (1,)),
    "number * A + A": (lambda a, x: x[0] * a + a, (1,)),
    "A - number * A": (lambda a, x: a - x[0] * a * x[0], (1,)),
}


@pytest.mark.parametrize("product", ELEMENT_BY_ELEMENT)
@pytest.mark.parametrize("name", ARRAYS)
def test_products_of_elements_are_sparse(name, product):
    f, shape = ELEMENT_BY_ELEMENT[product]
    a, x, v = getattr(sparse, name)(DENSE), values(*shape) + 3.0, values(6)
    expected = jacfwd(lambda x: f(DENSE, x))(x)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(lambda x: f(a, x).toarray())(x), expected, atol=1e-13)
        np.testing.assert_allclose(mode(lambda x: f(a, x) @ v)(x), jacfwd(lambda x: f(DENSE, x) @ v)(x), atol=1e-12)


SUMS = {
    "A + x": lambda a, x: a + x,
    "x + A": lambda a, x: x + a,
    "A - x": lambda a, x: a - x,
    "x - A": lambda a, x: x - a,
}


@pytest.mark.parametrize("sum_", SUMS)
@pytest.mark.parametrize("name", ARRAYS)
def test_sums_with_dense_arrays_are_dense(name, sum_):
    f, a, x = SUMS[sum_], getattr(sparse, name)(DENSE), values(4, 6)
    np.testing.assert_array_equal(jvp(lambda x: f(a, x), [x], [x])[0], f(DENSE, x))
    np.testing.assert_array_equal(jacrev(lambda x: f(a, x))(x), jacfwd(lambda x: f(DENSE, x))(x))


def test_of_a_matrix_the_asterisk_is_the_product_of_matrices():
    a, x = sparse.csr_matrix(DENSE), values(6)
    np.testing.assert_allclose(jacrev(lambda x: a * x)(x), DENSE, atol=1e-15)
    np.testing.assert_allclose(jacfwd(lambda x: x * a.T)(x), DENSE, atol=1e-15)
    np.testing.assert_allclose(jacrev(lambda x: (x[0] * a) * x)(x), jacfwd(lambda x: x[0] * (DENSE @ x))(x), atol=1e-14)
    with pytest.raises(TypeError, match=r"is np.matrix, .*csr_array\(A\)"):
        jacfwd(lambda x: np.sum(a + x))(values(4, 6))


def test_complex_matrices_and_vectors():
    turned = DENSE * (1.0 + 0.5j)
    a, x = sparse.csr_array(turned), values(6)
    f, g = lambda x: np.sum(np.abs(a @ x) ** 2), lambda x: np.sum(np.abs(turned @ x) ** 2)
    np.testing.assert_allclose(grad(f)(x), grad(g)(x), rtol=1e-13)
    z = x + 1j * x[::-1]
    for modes in (jacfwd, jacrev):
        np.testing.assert_allclose(modes(lambda z: a @ z * z[0])(z), jacfwd(lambda z: turned @ z * z[0])(z), atol=1e-13)


def test_types_of_elements():
    single = sparse.csr_array(DENSE.astype(np.float32))
    x = values(6).astype(np.float32)
    assert jvp(lambda x: single @ x, [x], [x])[1].dtype == grad(lambda x: np.sum(single @ x))(x).dtype == np.float32
    whole = sparse.csc_array(np.rint(2.0 * DENSE).astype(int))
    np.testing.assert_array_equal(jacrev(lambda x: whole @ x)(values(6)), whole.toarray())
    truth = sparse.coo_array(DENSE != 0)
    np.testing.assert_array_equal(jacfwd(lambda x: truth @ x)(values(6)), DENSE != 0)


def test_numbers_made_by_hand():
    a, x = sparse.csr_array(DENSE), values(6)
    assert (a @ DualNumber(x, 2.0 * x)).dual.tolist() == (2.0 * (a @ x)).tolist()
    assert (a @ TaylorNumber([x, x])).coefficients[1].tolist() == (a @ x).tolist()
    v = Variable(x)
    np.sum((a @ v) ** 2).backward()
    np.testing.assert_allclose(v.grad, 2.0 * DENSE.T @ DENSE @ x)


def test_arrays_that_take_numbers_by_assignment():
    """Of ``a @ y`` SciPy reads such an array by itself, and raises."""
    import autodiff.numpy

    def f(x):
        y = autodiff.numpy.zeros(6)
        y[:3], y[3:] = x[:3] ** 2, x[3:]
        return np.sum(y @ a.T)

    a, x = sparse.csr_array(DENSE), values(6)
    np.testing.assert_allclose(grad(f)(x), np.sum(DENSE, axis=0) * np.append(2.0 * x[:3], np.ones(3)))


def test_in_threads():
    a, found = sparse.csr_array(DENSE), {}

    def work(k):
        found[k] = grad(lambda x: np.sum((a @ x) ** 3))(values(6, seed=k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        np.testing.assert_array_equal(found[k], grad(lambda x: np.sum((a @ x) ** 3))(values(6, seed=k)))


def test_a_matrix_that_changes_after_its_use():
    """A small one was copied; of a large one the sweep would be that of another function, and says so."""
    a, x = sparse.csr_array(DENSE), values(6)
    tape, out = record(lambda x: np.sum((a @ x) ** 2), [x])
    a.data[:] = 0.0
    np.testing.assert_allclose(tape.adjoints(out)[0], 2.0 * DENSE.T @ DENSE @ x)
    large = sparse.eye_array(1_100_000, format="csr")
    tape, out = record(lambda x: np.sum((large @ x) ** 2), [np.ones(1_100_000)])
    large.data[0] = 2.0
    with pytest.raises(RuntimeError, match="was changed after it was used"):
        tape.adjoints(out)


def test_a_recording_runs_at_other_inputs():
    a, x, y = sparse.dia_array(DENSE), values(6), values(6, seed=1)
    tape, _ = record(lambda x: np.tanh(a @ x), [x])
    np.testing.assert_array_equal(tape.run([y]), np.tanh(a @ y))


# --------------------------------------------------------------------------------------------- patterns


def with_laplacian(n, form):
    """The Brusselator of grids.py with its second difference as a sparse matrix."""
    spread = (n + 1) ** 2 / 50
    second = sparse.diags_array([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(n, n)).asformat(form)
    ends = np.zeros(n)
    ends[[0, -1]] = 1.0

    def f(y, a=1.0, b=3.0):
        u, v = y[:n], y[n:]
        return np.concatenate([a + u**2 * v - (b + 1) * u + spread * (second @ u + a * ends),
                               b * u - u**2 * v + spread * (second @ v + b / a * ends)])  # fmt: skip

    return f


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia"])
def test_the_brusselator_with_a_laplacian_stays_sparse(form):
    y = np.random.default_rng(0).uniform(0.5, 1.5, 100)
    f = with_laplacian(50, form)
    found, expected = jacobian(f, sparse=True)(y), jacobian(brusselator, sparse=True)(y)
    np.testing.assert_allclose(f(y), brusselator(y), rtol=1e-12)
    assert found.nnz == expected.nnz == 4 * 100 - 4
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-12)
    assert not sparsity(f, y).dense


def test_patterns_of_products_with_matrices_and_by_elements():
    a = sparse.csr_array(DENSE)
    pattern = lambda f, x: sparsity(f, x).pattern.toarray()
    mask = DENSE != 0
    np.testing.assert_array_equal(pattern(lambda x: a @ x, values(6, 2)), np.kron(mask, np.eye(2)) != 0)
    np.testing.assert_array_equal(pattern(lambda x: x @ a, values(2, 4)), np.kron(np.eye(2), mask.T) != 0)
    of_data = pattern(lambda d: (d[:, None] * a) @ np.ones(6), values(4))
    np.testing.assert_array_equal(of_data, np.eye(4) != 0)


def test_another_matrix_is_another_pattern():
    held = [sparse.csr_array(np.eye(4)), sparse.csr_array(np.eye(4)[::-1])]
    derivative_ = jacobian(lambda x: held[0] @ x**2, sparse=True)
    x = values(4)
    np.testing.assert_allclose(derivative_(x).toarray(), np.diag(2.0 * x))
    held.reverse()
    np.testing.assert_allclose(derivative_(x).toarray(), np.diag(2.0 * x)[::-1])


# --------------------------------------------------------------------------------------------- matrices of numbers

ROW, COLUMN = np.array([0, 1, 2, 0, 2, 2, 3]), np.array([0, 1, 2, 2, 1, 2, 3])
OTHER = np.where(np.random.default_rng(5).random((4, 4)) < 0.6, values(4, 4), 0.0)


def of_elements(d):
    """A sparse matrix of numbers, two of them at one place; and the dense one."""
    ones = sparse.coo_array((np.ones(7), (ROW, COLUMN)))
    dense = np.zeros((4, 4), like=d)
    np.add.at(dense, (ROW, COLUMN), d)
    weights = np.zeros((4, 4), like=d)
    for k in range(7):
        weights[ROW[k], COLUMN[k]] += d[k] * (0.5 if k in (2, 5) else 1.0)
    return ones * weights, dense


OPERATIONS = {
    "A @ A": lambda a, s: a @ a,
    "A @ B": lambda a, s: a @ s(OTHER),
    "B @ A": lambda a, s: s(OTHER) @ a,
    "A + B": lambda a, s: a + s(OTHER),
    "B - A": lambda a, s: s(OTHER) - a,
    "A * B": lambda a, s: a * s(OTHER),
    "A.T @ A": lambda a, s: a.T @ a,
    "(2 A - 3 B) @ A": lambda a, s: (2.0 * a - 3.0 * s(OTHER)) @ a,
    "A**2": lambda a, s: a**2,
    "abs(-A)": lambda a, s: abs(-a),
    "rows": lambda a, s: a[1:3],
    "chosen": lambda a, s: a[:, [2, 0, 2]],
    "mask": lambda a, s: a[np.array([True, False, True, True])],
    "reshape": lambda a, s: a.reshape(2, 8),
    "conj": lambda a, s: a.conj() + 0,
}
FORMED = {
    "coo": lambda a: a,
    "csr": lambda a: a.tocsr(),
    "csc": lambda a: a.tocsc(),
    "sorted": lambda a: a.sum_duplicates(),
}


@pytest.mark.parametrize("form", FORMED)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_of_sparse_matrices_of_numbers(name, form):
    of, d = OPERATIONS[name], values(7) + 2.0
    f = lambda d: of(FORMED[form](of_elements(d)[0]), sparse.csr_array).toarray()
    g = lambda d: of(of_elements(d)[1], np.asarray)
    np.testing.assert_allclose(jvp(f, [d], [d])[0], g(d), atol=1e-13)
    expected = jacfwd(g)(d)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(f)(d), expected, atol=1e-13)


REDUCED = {
    "sum": lambda a: a.sum(), "columns": lambda a: a.sum(axis=0), "rows": lambda a: a.sum(axis=-1),
    "mean": lambda a: a.mean(axis=0), "trace": lambda a: a.trace(), "diagonal": lambda a: a.diagonal(),
    "element": lambda a: a[2, 2] + a[1, 0], "by a vector": lambda a: np.ones(4) @ a @ np.arange(4.0),
    "dot": lambda a: a.dot(np.arange(4.0)), "of numbers": lambda a: a @ a.sum(axis=1),
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCED)
def test_reductions_of_sparse_matrices_of_numbers(name):
    of, d = REDUCED[name], values(7) + 2.0
    f, g = (lambda d, k=k: of(of_elements(d)[k]) ** 2 for k in (0, 1))
    np.testing.assert_allclose(jvp(f, [d], [d])[0], g(d), rtol=1e-13)
    for mode in (jacfwd, jacrev):
        np.testing.assert_allclose(mode(f)(d), jacfwd(g)(d), atol=1e-12)
    np.testing.assert_allclose(jacrev(jacfwd(f))(d), jacfwd(jacrev(g))(d), atol=1e-12)


@pytest.mark.parametrize("k", [-4, -3, -1, 0, 2, 4, 5, 7])
def test_diagonals(k):
    a = lambda x: x[0] * sparse.csr_array(DENSE)
    expected = DENSE.diagonal(k) if -4 <= k <= 6 else np.zeros(0)
    np.testing.assert_array_equal(jacfwd(lambda x: a(x).diagonal(k))(np.ones(1))[:, 0], expected)


def test_the_gradient_of_a_quadratic_form_by_elements_and_vector():
    a = sparse.csr_array(DENSE[:, :4])
    f = lambda w, x: np.sum(x @ ((w[:, None] * a) @ x) + np.sin(a.T @ (w * x)))
    by_both = gradient(f, [values(4), values(4, seed=2)])
    assert check_gradient(f, [values(4), values(4, seed=2)], by_both)
    for k in (0, 1):
        np.testing.assert_allclose(by_both[k], jacfwd(f, k)(values(4), values(4, seed=2)), atol=1e-13)


def test_an_implicit_step_differentiated_by_its_length():
    a = sparse.csr_array(OTHER)
    step = lambda dt: (sparse.eye_array(4) - dt * a) @ np.arange(4.0)
    np.testing.assert_allclose(derivative(step, 0, [0.1]), -OTHER @ np.arange(4.0), atol=1e-14)
    _, pull = vjp(step, 0.1)
    np.testing.assert_allclose(pull(np.ones(4))[0], np.sum(-OTHER @ np.arange(4.0)), atol=1e-14)


# --------------------------------------------------------------------------------------------- what is refused

REFUSED = {
    "shapes": (lambda a, x: a @ x, ValueError, r"shape \(4, 6\) and an array of shape \(4,\) do not match"),
    "shapes of a left factor": (lambda a, x: x[:3] @ a, ValueError, r"shape \(3,\) and a sparse array of shape"),
    "three axes": (lambda a, x: a.T @ x.reshape(4, 1, 1), ValueError, r"\(4, 1, 1\) do not match"),
    "broadcast": (lambda a, x: a * x, ValueError, r"is not broadcast to .* write A.toarray\(\) \* x"),
    "dot": (lambda a, x: x.dot(a), TypeError, r"write A @ x or x @ A"),
    "number first": (lambda a, x: a * x[0], TypeError, r"write x \* scipy.sparse.csr_array\(A\)"),
    "multiply": (lambda a, x: a.multiply(x), TypeError, r"write x \* scipy.sparse.csr_array\(A\)"),
    "assignment": (lambda a, x: a.__setitem__((0, 0), x[0]), TypeError, "or autodiff.scipy.sparse.coo_array"),
    "elements": (
        lambda a, x: sparse.csr_array((x, (ROW[:4], COLUMN[:4]))),
        TypeError,
        "autodiff.scipy.sparse.csr_array",
    ),
    "ufunc": (lambda a, x: np.sin(x[0] * a), TypeError, "does not support ufuncs"),
    "joined": (
        lambda a, x: sparse.vstack([a, x[0] * a]),
        TypeError,
        r"or call the function of autodiff",
    ),
    "comparison": (lambda a, x: x[0] * a == a, TypeError, r"not compared: write A.toarray\(\)"),
    "added number": (lambda a, x: x[0] + a, NotImplementedError, r"write A.toarray\(\) \+ x"),
    "power": (lambda a, x: (x[0] * a) ** -1, NotImplementedError, r"A.toarray\(\) \*\* n"),
    "quotient": (lambda a, x: (x[0] * a) / a, TypeError, r"A.toarray\(\) / B.toarray\(\)"),
    "remainder": (lambda a, x: x % a, TypeError, r"write A.toarray\(\) in its place for mod"),
    "sums": (lambda a, x: x[0] * a + a.T, ValueError, "give both one shape"),
    "factors": (lambda a, x: (x[0] * a) @ a, ValueError, r"shapes \(4, 6\) and \(4, 6\) do not match"),
    "indices": (lambda a, x: (x[0] * a).tocoo().indices, AttributeError, r"call tocsr\(\)"),
    "one axis": (lambda a, x: sparse.coo_array(np.ones(4)) @ x, ValueError, r"write A.reshape\(1, -1\)"),
}


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_the_remedy(name, mode):
    f, error, said = REFUSED[name]
    a = sparse.csr_array(DENSE)
    with pytest.raises(error, match=said):
        mode(lambda x: f(a, x))(values(4))
