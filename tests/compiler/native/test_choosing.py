"""Elements that arrays of places choose, in machine code: read, written and added to, in loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("llvmlite")

from autodiff import grad, jit, value_and_grad
from autodiff.compiler.native.instructions.instruction import lines_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
FIRST, SECOND = np.triu_indices(20, 1)


def paths(compiled):
    return [path for form in compiled._programs.forms.values() for path in form.paths]


def is_whole(compiled):
    found = paths(compiled)
    return bool(found) and all(path.source.native and path.source.native.whole for path in found)


def lines(compiled):
    """How many instructions a program has, each loop's body once."""
    (path,) = paths(compiled)
    return sum(len(lines_of(group)) for block in path.source.native.parts.blocks.values() for group in block.groups)


def energy(x):
    apart = x[FIRST] - x[SECOND]
    attraction = (0.1 + np.sum(apart * apart, 1)) ** -3
    return 4.0 * np.sum(attraction * attraction - attraction)


def test_pairs_of_particles():
    compiled = jit(value_and_grad(energy))
    for scale in (1.0, 2.0, -0.5):
        for found, expected in zip(compiled(scale * X), value_and_grad(energy)(scale * X), strict=True):
            assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * np.max(np.abs(expected)))
    assert is_whole(compiled)


@pytest.mark.parametrize("index", [
    np.array([2, 2, 2]), np.array([[0, 1], [1, 2]]), np.array([-1, 0, 5]), [19, 3], np.arange(20) % 3 == 0,
    (np.array([1, 1, 4]), np.array([0, 0, 2])), (slice(None), np.array([2, 0])), X > 0.0,
    (np.array([[1], [2]]), np.array([0, 2])), (..., np.array([1])), (np.array([3, 3]), slice(None, None, -1)),
    (np.array([0, 4]), None, 1), (slice(2, 9, 3), np.array([0, 0, 1])), np.array([], int), np.array(3),
    np.array([250, 251], np.uint8) % 20,
])  # fmt: skip
def test_reading_writing_and_adding(index):
    """At places that are chosen once, twice, by arrays of integers or truth values, beside slices."""

    def read(x):
        return np.sin(x[index]) * 2.0

    def added(x):
        z = x * 2.0
        np.add.at(z, index, np.cos(z[index]))
        np.subtract.at(z, index, 0.5)
        return z * z

    def written(x):
        z = x * 2.0
        z[index] *= 3.0
        z[index] = np.tanh(z[index])
        return z

    for f in (read, added, written, *(grad(lambda x, g=g: np.sum(np.sin(g(x)))) for g in (read, added, written))):
        compiled = jit(f)
        for x in (X, X[::-1] + 1.0, X):
            assert_allclose(compiled(x), f(x), rtol=1e-12, atol=1e-12)


def test_of_single_precision_and_truth_values():
    at = np.array([4, 4, 0, 19])
    f = lambda x: (x[at] * np.float32(2.0), (x > 0.0)[at], np.sum(x[at], 0))
    for x in (X.astype(np.float32), X.astype(np.float32)[:, :1]):
        for found, expected in zip(jit(f)(x), f(x), strict=True):
            assert found.dtype == expected.dtype
            assert_allclose(found, expected, rtol=1e-6)
    slope = grad(lambda x: np.sum(x[at] ** 2))
    found = jit(slope)(X.astype(np.float32))
    assert found.dtype == np.float32
    assert_allclose(found, slope(X.astype(np.float32)), rtol=1e-6)


def test_places_out_of_bounds_raise():
    compiled = jit(lambda x: x[np.array([0, 25])])
    for _ in range(2):
        with pytest.raises(IndexError):
            compiled(X)
    assert_array_equal(compiled(np.ones((30, 2))), np.ones((2, 2)))
    with pytest.raises(IndexError):
        compiled(X)


def test_loops_by_places_that_no_stride_leads_through_are_rolled():
    places, n = RNG.permutation(200).tolist(), 200

    def visited(x):
        s = x[0]
        for k in range(n):
            s = np.sin(0.5 * s + x[places[k]] * x[places[n - 1 - k]])
        return s

    x, compiled = RNG.normal(size=200), jit(value_and_grad(visited))
    for found, expected in zip(compiled(x), value_and_grad(visited)(x), strict=True):
        assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert is_whole(compiled)
    assert lines(compiled) < 80


def test_batches_drawn_in_a_loop():
    """Another set of rows in each step of a descent."""
    table, targets, batches = RNG.normal(size=(60, 3)), RNG.normal(size=60), RNG.integers(0, 60, (25, 8))

    def descended(w):
        for batch in batches:
            error = table[batch] @ w - targets[batch]
            w = w - 0.05 * (table[batch].T @ error)
        return np.sum(w * w), w

    compiled, w = jit(descended), np.ones(3)
    for found, expected in zip(compiled(w), descended(w), strict=True):
        assert_allclose(found, expected, rtol=1e-11)
    assert lines(compiled) < 40
