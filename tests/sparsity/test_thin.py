"""Dense Jacobians that are found by the colours of a thin pattern: the same array as without, whatever f does."""

import numpy as np
import pytest

pytest.importorskip("scipy.sparse")

from grids import bratu, brusselator, point

from autodiff import jacfwd, jacobian, jvp, sparsity, value_and_jacobian
from autodiff.operators import jacobians
from autodiff.sparse import jacobians as of_sparse

MATRIX = np.random.default_rng(0).normal(size=(60, 64))


@pytest.fixture(autouse=True)
def answers(monkeypatch):
    """Take arrays of few elements for large; yield what was found by colours, None where it was not."""
    found = []

    def noted(*arguments):
        found.append(of_sparse.dense_by_colours(*arguments))
        return found[-1]

    monkeypatch.setattr(of_sparse, "LARGE", 1000)
    monkeypatch.setattr(jacobians, "dense_by_colours", noted)
    return found


def neighbours(x):
    return np.sin(x) * np.roll(x, 1) + x[::-1] ** 2


def by_blocks(x):
    return np.linalg.inv(x.reshape(-1, 2, 2) + 3.0 * np.eye(2)).ravel()


THIN = {
    "neighbours": neighbours,
    "brusselator": brusselator,
    "bratu": bratu,
    "turned": lambda x: np.cos(x).reshape(16, -1).T,
    "blocks": by_blocks,
}
FULL = {
    "a layer": lambda x: np.tanh(MATRIX @ x[:64]),
    "cumsum": np.cumsum,
    "softmax": lambda x: np.exp(x) / np.sum(np.exp(x)),
}


@pytest.mark.parametrize("f", THIN.values(), ids=THIN)
def test_a_thin_one(f, answers):
    x = point(256)
    value, found = value_and_jacobian(f)(x)
    assert answers[-1] is not None
    assert type(found) is np.ndarray
    assert found.flags.writeable
    np.testing.assert_array_equal(value, f(x))
    np.testing.assert_allclose(found, jacfwd(f, chunk_size=7)(x), rtol=1e-13, atol=1e-13)
    found[...] = 7.0
    np.testing.assert_allclose(jacobian(f)(2.0 * x), jacfwd(f, chunk_size=7)(2.0 * x), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("f", FULL.values(), ids=FULL)
def test_one_that_is_not_thin(f, answers):
    x = point(256)
    for scale in (1.0, 2.0):
        np.testing.assert_allclose(jacobian(f)(scale * x), jacfwd(f, chunk_size=7)(scale * x), rtol=1e-12, atol=1e-13)
    assert answers == [None] * len(answers)


def test_another_program_has_another_pattern(answers):
    def f(x):
        return np.sin(x) if x[0] > 0 else x * np.roll(x, 3)

    matrix = jacobian(f)
    for sign in (1.0, -1.0, 1.0):
        x = sign * point(256)
        np.testing.assert_allclose(matrix(x), jacfwd(f, chunk_size=7)(x), rtol=1e-13, atol=1e-13)
    assert None not in answers


def test_a_sparse_pattern_does_not_depend_on_a_dense_jacobian_before():
    bands = np.eye(80) + np.roll(np.eye(80), 1, 0)
    f = lambda x: np.concatenate([2.0 * x[:-80], bands @ x[-80:]])
    x = point(512)
    jacobian(f)(x)
    assert jacobian(f, sparse=True)(x).nnz == sparsity(f, x).pattern.nnz == 512 - 80 + 160


def test_slopes_that_are_infinite_are_found_otherwise(answers):
    x = np.arange(256.0)
    with np.errstate(divide="ignore"):
        found = jacobian(lambda x: np.sqrt(x) + np.roll(x, 1))(x)
    assert answers == [None]
    assert found[0, 0] == np.inf
    assert not np.isnan(found).any()


def test_a_pattern_that_does_not_hold_is_not_used(monkeypatch, answers):
    wrong = of_sparse.Sparsity(np.eye(256))
    monkeypatch.setattr(of_sparse.Programs, "sparsity", lambda *_: wrong)
    x = point(256)
    np.testing.assert_allclose(jacobian(neighbours)(x), jacfwd(neighbours, chunk_size=7)(x), rtol=1e-13, atol=1e-13)
    assert answers == [None]


def test_what_is_no_large_array_of_doubles_is_found_otherwise(answers):
    x = point(256)
    jacobian(lambda x: np.sin(x))(x.astype(np.float32))
    jacobian(lambda x: {"a": np.sin(x)})(x)
    jacobian(lambda x, y: x * y, (0, 1))(x, x)
    jacobian(np.sin, chunk_size=5)(x)
    jacobian(np.sin, mode="forward")(x)
    moved = jvp(jacobian(lambda y: y**3), [x], [x])[1]
    np.testing.assert_allclose(np.diag(moved), 6.0 * x * x)
    assert answers == [None] * len(answers)
