"""Linear systems, inverses and Cholesky factors in machine code: values, derivatives, and what is singular."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("llvmlite")
pytest.importorskip("scipy")

from autodiff import grad, jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler.native.instructions.instruction import lines_of
from autodiff.compiler.native.machine import blas
from autodiff.scipy.linalg import solve_triangular

SIZES = (1, 2, 3, 4, 7, 8, 9, 33)


def paths(compiled):
    return [path for form in compiled._programs.forms.values() for path in form.paths]


def is_whole(compiled):
    found = paths(compiled)
    return bool(found) and all(path.source.native and path.source.native.whole for path in found)


def matrices(n, seed=0, *ahead):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*ahead, n, n)) + n * np.eye(n), rng.normal(size=(*ahead, n, 3)), rng.normal(size=n)


def assert_same(found, expected, near=1e-10):
    for x, y in zip(flatten(found)[0], flatten(expected)[0], strict=True):
        assert np.shape(x) == np.shape(y)
        assert np.result_type(x) == np.result_type(y)
        assert_allclose(x, y, rtol=near, atol=near * np.max(np.abs(y), initial=1e-300))


FUNCTIONS = {
    "solve": lambda a, b, v: (np.linalg.solve(a, b), np.linalg.solve(a.T, v), np.linalg.solve(a[::-1, ::-1], b[::-1])),
    "inv": lambda a, b, v: (np.linalg.inv(a), np.linalg.inv(2.0 * a.T) @ b),
    "constants": lambda a, b, v: (np.linalg.solve(a, np.ones(len(v))), np.linalg.solve(a, np.eye(len(v)))),
    "cholesky": lambda a, b, v: (np.linalg.cholesky(a @ a.T), np.linalg.cholesky(a.T @ a, upper=True)),
    "triangular": lambda a, b, v: (
        solve_triangular(a, b),
        solve_triangular(a, b, lower=True),
        solve_triangular(a.T, v, trans=1),
        solve_triangular(a[:, ::-1][::-1], v, lower=True, trans="T"),
    ),
    "determinants": lambda a, b, v: (*np.linalg.slogdet(a), np.linalg.slogdet(2.0 * a.T)[1], np.sum(b * v[0])),
    "the determinants themselves": lambda a, b, v: np.linalg.det(a[::-1]) / np.linalg.det(a + np.diag(0.1 * v)) + b[0],
    "determinant": lambda a, b, v: np.linalg.slogdet(a[::-1])[0] * np.linalg.slogdet(a @ a.T)[1] * v[0],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(name):
    f = FUNCTIONS[name]
    total = lambda a, b, v: sum(np.sum(np.sin(x)) for x in flatten(f(a, b, v))[0])
    for n in SIZES:
        for g in (f, grad(total, (0, 1, 2))):
            compiled = jit(g)
            for seed in range(2):
                assert_same(compiled(*matrices(n, seed)), g(*matrices(n, seed)))
            assert is_whole(compiled) or g is not f
            assert g is f or paths(compiled)[0].source.native_steps


def test_stacks_and_single_precision():
    f = lambda a, b: (np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.cholesky(a @ np.swapaxes(a, -1, -2)))
    for ahead in ((4,), (2, 3)):
        a, b, _ = matrices(3, 1, *ahead)
        compiled = jit(f)
        assert_same(compiled(a, b), f(a, b))
        assert is_whole(compiled)
        a, b = a.astype(np.float32), b.astype(np.float32)
        assert_same(compiled(a, b), f(a, b), 1e-4)
    assert_same(jit(f)(a[0, 0], b), f(a[0, 0], b), 1e-4)


def outcome(f, *xs):
    with np.errstate(all="ignore"):
        try:
            return flatten(f(*xs))[0]
        except (np.linalg.LinAlgError, ValueError) as error:
            return str(error)


@pytest.mark.parametrize("f", [
    lambda a: np.linalg.solve(a, np.ones(3)), np.linalg.inv, lambda a: np.linalg.cholesky(a + a.T),
    lambda a: solve_triangular(a, np.ones(3)), lambda a: np.linalg.slogdet(a)[1],
    grad(lambda a: np.sum(np.linalg.inv(a))), grad(lambda a: np.linalg.slogdet(a)[1]),
    np.linalg.det, grad(np.linalg.det),
])  # fmt: skip
def test_what_is_singular_is_as_it_is_without_a_program(f):
    """And a matrix that is not singular is solved for again after that."""
    good = matrices(3)[0]
    compiled = jit(f)
    expected = compiled(good)
    singular = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])
    for bad in (singular, np.zeros((3, 3)), -np.eye(3), np.full((3, 3), np.nan), good * np.inf, good * 1e-320,
                np.diag([1.0, 1e-300, 1.0]), np.ones((3, 3)), np.diag([1.0, np.inf, 1.0])):  # fmt: skip
        found, right = outcome(compiled, bad), outcome(f, bad)
        assert type(found) is type(right)
        if isinstance(right, str):
            assert found == right
        else:
            assert_allclose(found, right, rtol=1e-9)
        assert_allclose(compiled(good), expected, rtol=1e-14)


def filtered(transition, log_q, log_r):
    """A Kalman filter's likelihood."""
    measured, observe = np.sin(np.arange(60.0)).reshape(30, 2), np.eye(2, 4)
    state, covariance, total = np.zeros(4), np.eye(4), 0.0
    process, error = np.exp(log_q) * np.eye(4), np.exp(log_r) * np.eye(2)
    for z in measured:
        state, covariance = transition @ state, transition @ covariance @ transition.T + process
        innovation, spread = z - observe @ state, observe @ covariance @ observe.T + error
        gain = np.linalg.solve(spread, observe @ covariance).T
        total = total - 0.5 * (innovation @ np.linalg.solve(spread, innovation) + np.linalg.slogdet(spread)[1])
        state, covariance = state + gain @ innovation, covariance - gain @ observe @ covariance
    return total


def test_a_loop_of_systems_is_a_loop_of_machine_code():
    f = value_and_grad(filtered, (0, 1, 2))
    compiled = jit(f)
    for shift in (0.0, 0.05):
        arguments = np.eye(4) + 0.1 * np.eye(4, k=2) - 0.05 - shift, -1.0 + shift, 0.5
        assert_same(compiled(*arguments), f(*arguments), 1e-8)
    assert is_whole(compiled)
    groups = paths(compiled)[0].source.native.parts.blocks[0].groups
    assert sum(line.form == "solve" for group in groups for line in lines_of(group)) < 20


def test_without_lapack_systems_are_left_to_numpy(monkeypatch):
    monkeypatch.setattr(blas, "address", lambda name, kind: 0)
    a, b, _ = matrices(4)
    compiled = jit(lambda a, b: np.linalg.solve(a, np.sin(b)) + 1.0)
    assert_same(compiled(a, b), np.linalg.solve(a, np.sin(b)) + 1.0)
    assert not is_whole(compiled)
