"""Patterns are never too sparse: of every row and composition, of random programs, of programs that go by values."""

import sys

import numpy as np
import pytest
from array_samples import NAMES
from fuzz.generator import program
from samples import samples

from autodiff import elementwise, grad, jacobian, linear, smooth, sparsity, stop_gradient
from autodiff.calls.structures import flatten

EXACT = 1e-14
"""What a sum that is 0 may leave beside the largest element."""


def assert_same(found, expected, sizes):
    """The sparse and the dense Jacobians of several outputs by arguments of these sizes are equal, to rounding."""
    for k, n in enumerate(sizes):
        for one, other in zip(flatten(found[k])[0], flatten(expected[k])[0], strict=True):
            other = np.reshape(other, (one.shape[0], n))
            size = np.max(np.abs(other), initial=0.0)
            np.testing.assert_allclose(one.toarray(), other, rtol=1e-9, atol=EXACT * size)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_every_row(name):
    """An element outside the pattern would be missing, or in the place of another one of its colour."""
    for sample in samples(name):
        which = tuple(k for k, x in enumerate(sample.arrays) if x.dtype.kind == "f")
        try:
            expected = jacobian(sample.f, which)(*sample.arrays)
        except (TypeError, ValueError, NotImplementedError, np.linalg.LinAlgError):
            continue  # of whole numbers; or no derivative there
        found = jacobian(sample.f, which, sparse=True)(*sample.arrays)
        assert_same(found, expected, [sample.arrays[k].size for k in which])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_random_programs(first):
    compared = 0
    for drawn in map(program, range(first, first + 25)):
        f, args = drawn.function(), drawn.fresh()
        which = tuple(range(len(args)))
        try:
            expected = jacobian(f, which)(*args)
        except Exception:  # what it raises is tested elsewhere
            continue
        if any(
            np.isnan(x).any() or np.iscomplexobj(a) for e, a in zip(expected, args, strict=True) for x in flatten(e)[0]
        ):
            continue
        compared += 1
        assert_same(jacobian(f, which, sparse=True)(*drawn.fresh()), expected, list(map(np.size, args)))
    assert compared > 5


def pattern(f, *args):
    return sparsity(f, *args).pattern.toarray().astype(int).tolist()


X = np.array([3.0, 1.0, 2.0, 4.0])


def test_moves():
    assert pattern(lambda x: x[[2, 0, 2]], X) == [[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    assert pattern(lambda x: np.roll(x, 1) + x, X) == [[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert pattern(lambda x: np.sum(x.reshape(2, 2), axis=0), X) == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert pattern(lambda x: np.mean(x.reshape(2, 2), axis=1), X) == [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert pattern(lambda x: np.cumsum(x)[:3], X) == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]


def stacked(x):
    return np.stack([x[i] * x[i - 1] for i in range(len(x))])


def added(x):
    return grad(lambda x: sum((x[i] - x[i - 1] ** 2) ** 2 for i in range(len(x))))(x)


@pytest.mark.parametrize("f", [stacked, added])
def test_elements_that_are_put_together_are_asked_about_at_once(f):
    def calls(n):
        count = 0

        def note(frame, event, argument):
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            found = sparsity(f, np.ones(n))
        finally:
            sys.setprofile(before)
        assert found.pattern.toarray().tolist() == (jacobian(f)(np.linspace(1.0, 2.0, n)) != 0).tolist()
        return count

    calls(5)  # modules are read
    assert calls(80) < 5 * calls(20)


def test_assignment():
    def f(x):
        z = np.zeros(3, like=x)
        for k in range(3):
            z[k] = x[k] * x[k + 1]
        z[1] = x[0]
        return z

    assert pattern(f, X) == [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1]]


def test_products():
    band = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0]])
    assert pattern(lambda x: band @ x, X) == [[1, 1, 0, 0], [0, 0, 0, 1]]
    assert pattern(lambda x: x.reshape(2, 2) @ x[:2], X) == [[1, 1, 0, 0], [1, 1, 1, 1]]
    assert pattern(lambda x: np.einsum("i,i->i", x, x), X) == np.eye(4, dtype=int).tolist()
    assert pattern(lambda x: np.convolve(x, [1.0, 0.0, 1.0])[1:3], X) == [[0, 1, 0, 0], [1, 0, 1, 0]]


def test_zeros_at_the_point_count():
    """The pattern is that of the function, not of its values: 0 in a product, and the branch that was not taken."""
    zeros = np.zeros(4)
    assert pattern(lambda x: x * x[::-1], zeros)[0] == [1, 0, 0, 1]
    assert pattern(lambda x: np.prod(x.reshape(2, 2), axis=1), zeros) == [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert pattern(lambda x: np.where(x > 1.5, x, x[::-1]), X)[0] == [1, 0, 0, 1]
    assert pattern(lambda x: x.reshape(2, 2) @ np.stack([x[0], stop_gradient(x[1] - 1.0)]), X) == [
        [1, 1, 0, 0],
        [1, 0, 1, 1],
    ]


@pytest.mark.parametrize(
    "function",
    [np.max, np.min, np.sort, np.median, np.linalg.norm, np.ptp, np.cumprod, np.std],
    ids=lambda f: f.__name__,
)
def test_choices_go_by_axis(function):
    """Which element is the largest may be another one elsewhere; that of another row is none."""
    x = np.random.default_rng(0).uniform(1.0, 2.0, (40, 3))
    found = sparsity(lambda x: function(x, axis=1), x).pattern
    rows = found.tocoo()
    assert np.all(rows.row * x.size // found.shape[0] // 3 == rows.col // 3)
    assert found.nnz >= 3 * 40


def test_stacks_of_matrices():
    x = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2, 2))
    assert sparsity(np.linalg.det, x).pattern.nnz == 30 * 4
    assert sparsity(np.linalg.inv, x).pattern.nnz == 30 * 16


def test_what_is_taken_for_dense_is_named():
    found = sparsity(lambda x: np.sort(x) * 2.0, X)
    assert found.pattern.nnz == 16
    assert "dense: sort of (4,) at test_patterns.py" in str(found)


def test_custom_rules():
    scale = linear(lambda g, x: 3.0 * g)(lambda x: 3.0 * x)
    assert pattern(scale, X) == np.eye(4, dtype=int).tolist()
    last = linear(lambda g, x: np.concatenate([np.zeros(3), [np.sum(g)]]))(lambda x: np.full(4, x[3]))
    assert pattern(last, X) == [[0, 0, 0, 1]] * 4
    tripled = elementwise(3.0)(lambda x: 3.0 * x)
    assert pattern(tripled, X) == np.eye(4, dtype=int).tolist()


def test_a_custom_rule_is_the_same_program(monkeypatch):
    scale, looked = linear(lambda g, x: 3.0 * g)(lambda x: 3.0 * x), []
    derivative = jacobian(lambda x: scale(x) * x, sparse=True)
    derivative(X)
    monkeypatch.setattr("autodiff.sparse.jacobians.pattern_of", looked.append)
    assert derivative(2.0 * X).toarray().diagonal().tolist() == (12.0 * X).tolist()
    assert not looked


def test_a_smooth_rule_of_the_users_is_not_called_elsewhere():
    points = []

    @smooth(lambda t, z, x: 2.0 * x * t)
    def square(x):
        points.append(x.copy())
        return x * x

    found = sparsity(square, X)
    assert found.pattern.nnz == 16
    assert found.dense[0].startswith("square of (4,)")
    assert all(np.array_equal(x, X) for x in points)


def test_second_derivatives():
    assert pattern(grad(lambda x: np.sum(x[1:] ** 2 * x[:-1])), X[:3]) == [[0, 1, 0], [1, 1, 1], [0, 1, 1]]


def test_what_is_not_sparse_is_refused():
    with pytest.raises(ValueError, match=r"elements at line \d, multiply: it is not sparse; write jacobian\(f\)"):
        sparsity(lambda x: x * np.sum(x), np.ones(10_000))
