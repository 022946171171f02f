"""A function runs once, however many elements it is differentiated by: random numbers, and what it writes to."""

import tracemalloc

import numpy as np
import pytest

from autodiff import derivative, forward, hessian, hvp, jacfwd, jacobian, jacrev, jvp, vjp
from autodiff.calls import directions
from autodiff.check.gradcheck import gradcheck

X = np.array([0.5, -1.0, 2.0])
BY_ARRAYS = {
    "jacfwd": lambda f: jacfwd(f)(X),
    "derivative": lambda f: derivative(f, 0, [X]),
    "jacrev": lambda f: jacrev(f)(X),
    "jacobian": lambda f: jacobian(f)(X),
    "jacobian, more outputs": lambda f: jacobian(lambda x: np.stack([f(x)] * 4))(X)[0],
}
BY_NUMBERS = {
    "hessian": lambda f: hessian(f)(X),
    "jacfwd of jacrev": lambda f: jacfwd(jacrev(f))(X),
    "jacfwd of jacfwd": lambda f: jacfwd(jacfwd(f))(X),
    "mixed partial": lambda f: derivative(f, (0, 0), [X]),
    "hvp": lambda f: np.stack([hvp(f)(X, v) for v in np.eye(3)[:1]]),
}


class Drawn:
    """A random vector function that notes the matrices it has drawn."""

    def __init__(self):
        self.rng, self.matrices = np.random.default_rng(3), []

    def __call__(self, x):
        self.matrices.append(self.rng.normal(size=(3, 3)))
        return np.sin(self.matrices[-1] @ x)


@pytest.mark.parametrize("by", BY_ARRAYS.values(), ids=BY_ARRAYS)
def test_the_columns_are_those_of_one_function(by):
    f = Drawn()
    found = by(f)
    (A,) = f.matrices
    np.testing.assert_allclose(found, np.cos(A @ X)[:, None] * A, rtol=1e-13)


@pytest.mark.parametrize("by", BY_NUMBERS.values(), ids=BY_NUMBERS)
def test_the_rows_of_a_hessian_are_those_of_one_function(by):
    f = Drawn()
    found = by(lambda x: np.sum(f(x)))
    (A,) = f.matrices
    wanted = -(A.T * np.sin(A @ X)) @ A
    np.testing.assert_allclose(found, wanted[: len(found)], rtol=1e-12, atol=1e-14)


def test_the_gradient_by_several_numbers():
    draws = []

    def f(a, b, c):
        draws.append(np.random.default_rng(len(draws)).normal(size=3))
        return np.sin(np.dot(draws[-1], np.stack([a, b, c])))

    found = forward.gradient(f, [0.5, -1.0, 2.0])
    (w,) = draws
    assert all(type(g) is float for g in found)
    np.testing.assert_allclose(found, np.cos(w @ X) * w, rtol=1e-14)


def test_the_partials_of_complex_numbers():
    draws = []

    def f(z):
        draws.append(np.random.default_rng(len(draws)).normal(size=2))
        return draws[-1] * np.exp(z)

    z = np.array([0.5 + 1.0j, -0.3j])
    found = jacfwd(f)(z)
    (w,) = draws
    np.testing.assert_allclose(found, np.diag(w * np.exp(z)), rtol=1e-14)


@pytest.mark.parametrize("by", [jacfwd, jacrev, jacobian, hessian])
@pytest.mark.parametrize("argnums", [0, (0,)])
def test_what_it_writes_to_is_written_once(by, argnums):
    def f(a, b):
        b *= 2.0
        return np.sum(a**3 * b)

    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    found = by(f, argnums)(a, b)
    while isinstance(found, tuple):
        (found,) = found
    np.testing.assert_array_equal(b, [6.0, 8.0])
    np.testing.assert_allclose(found, np.diag(6 * a * b) if by is hessian else 3 * a**2 * b)


def test_two_arguments_of_which_one_is_written():
    def f(a, b):
        b *= 2.0
        return np.sum(a * b)

    for by in (jacfwd, jacrev):
        by_a, by_b = by(f, (0, 1))(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        np.testing.assert_array_equal(by_a, [6.0, 8.0])
        np.testing.assert_array_equal(by_b, [2.0, 4.0])


# ------------------------------------------------------------------------------------------------ chunks


def program(x):
    """Views, writing, choices, a product, a fold."""
    y = np.outer(x, np.cos(x))
    y[0] = x**2
    y.T[1, 1:] *= x[0]
    total = 0.0
    for value in np.where(y > 0, np.sqrt(np.abs(y) + 1.0), y).ravel():
        total = total + value * x[1]
    return np.stack([total, np.linalg.det(y + 3 * np.eye(3)), x[2]])


@pytest.fixture(params=[1, 2, 5])
def directions_a_chunk(request, monkeypatch):
    """Room for so many directions of the three elements of X, or of a tape of some hundred."""
    monkeypatch.setattr(directions, "CHUNK", 3 * request.param)
    monkeypatch.setattr(directions, "ONE_RUN", 3 * request.param)


@pytest.mark.usefixtures("directions_a_chunk")
def test_chunks_give_the_same():
    np.testing.assert_allclose(jacfwd(program)(X), jacrev(program)(X), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(
        hessian(lambda x: program(x)[0])(X), jacrev(jacrev(lambda x: program(x)[0]))(X), rtol=1e-12, atol=1e-13
    )
    z = X + 1j
    np.testing.assert_allclose(jacfwd(lambda z: np.exp(z) * z[0])(z), jacrev(lambda z: np.exp(z) * z[0])(z), rtol=1e-13)
    assert gradcheck(program, [X])


def test_no_run_sees_what_another_wrote_to_an_argument(monkeypatch):
    """An argument that has no direction in a chunk is the function's to write to as one that has."""
    monkeypatch.setattr(directions, "ONE_RUN", 1)

    def f(x, y):
        x.sort()
        y[0] = x[0] * y[1]
        return np.sum(x * [1, 2, 3]) * np.sum(y)

    def by_runs(x, y):
        return forward.gradient(f, (x, y))

    x, y = np.array([3.0, 1.0, 2.0]), np.array([5.0, 7.0])
    expected = [[42.0, 14.0 + 98.0, 28.0], [0.0, 28.0]]
    for found in (by_runs(x, y), vjp(by_runs, x, y)[0], jvp(by_runs, (x, y), (x, y))[0]):
        np.testing.assert_allclose(np.concatenate(found), np.concatenate(expected))
    assert x.tolist() == [3.0, 1.0, 2.0]
    assert y.tolist() == [5.0, 7.0]


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 100])
@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_the_columns_of_all_chunks_are_those_of_one_function(mode, chunk_size):
    f = Drawn()
    found = jacobian(f, mode=mode, chunk_size=chunk_size)(X)
    (A,) = f.matrices
    np.testing.assert_allclose(found, np.cos(A @ X)[:, None] * A, rtol=1e-13)


@pytest.mark.parametrize("chunk_size", [0, -1, 1.5, "2", True])
@pytest.mark.parametrize("operator", [jacobian, jacfwd, jacrev, hessian])
def test_a_chunk_size_is_a_positive_whole_number(operator, chunk_size):
    with pytest.raises((TypeError, ValueError), match="chunk_size is a number of directions, 1 or more; got"):
        operator(np.sin, chunk_size=chunk_size)


def test_a_loop_that_fills_an_array_stays_linear():
    def filled(x):
        y = np.zeros(2000, like=x)
        before = []
        for i in range(2000):
            y[i] = x[i % 3] * i
            if i % 500 == 0:
                before.append(y.copy())
        y[:3] = x
        y[3:6] = x[1]
        return np.stack([y, *before])

    found, wanted = jacfwd(filled)(X), np.zeros((5, 2000, 3))
    for i in range(2000):
        wanted[[0, *(1 + k for k in range(4) if 500 * k >= i)], i, i % 3] = i
    wanted[0, :6] = [*np.eye(3), *[[0.0, 1.0, 0.0]] * 3]
    np.testing.assert_array_equal(found, wanted)


def test_an_array_of_no_elements():
    assert jacfwd(lambda x: np.sum(x) * np.ones(2))(np.zeros(0)).shape == (2, 0)
    assert hessian(lambda x: np.sum(x**2))(np.zeros(0)).shape == (0, 0)


def test_a_number_beside_an_array_of_no_elements():
    by_x, by_y = jacfwd(lambda x, y: (x, y), (0, 1))(1.5, np.zeros((0, 2)))
    assert by_x[0] == 1.0
    assert [np.shape(part) for part in (*by_x, *by_y)] == [(), (0, 2), (0, 2), (0, 2, 0, 2)]


def test_a_jacobian_takes_little_more_than_its_own_memory():
    x, of = np.linspace(0.1, 1.0, 1000), jacobian(lambda x: np.sin(x) * np.exp(-x * x) + x)
    found = of(x)
    tracemalloc.start()
    try:
        of(x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * found.nbytes
