"""A batch of few floats is a list of Python's: its short ways give what the array of them gives, bit for bit."""

import operator
import warnings

import numpy as np
import pytest

from autodiff import forward
from dualnumbers.levels import Level
from dualnumbers.numbers.batch import FEW, BatchNumber, FloatBatch, batch

LEVEL = Level()
FIRST = np.array([1.5, -0.0, 0.0, np.inf, np.nan, 1e308, 5e-324, -2.25])
SECOND = np.array([0.1, 0.0, -0.0, -np.inf, 1.0, 1e308, 0.3, 3.0])
FACTORS = (2.5, -0.0, np.inf, np.nan, 1e-300, np.float64(3.5), 3, True)


def assert_same(found, expected):
    assert isinstance(found, FloatBatch)
    assert found.level is LEVEL
    np.testing.assert_array_equal(found.data, expected)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(found.data[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("operation", [operator.add, operator.sub])
def test_two_batches(operation):
    with np.errstate(all="ignore"):
        expected = operation(FIRST, SECOND)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(operation(batch(FIRST, LEVEL), batch(SECOND, LEVEL)), expected)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("operation", [operator.mul, operator.add, operator.sub, operator.truediv])
def test_a_batch_and_a_number(operation, factor):
    with np.errstate(all="ignore"):
        expected, reflected = operation(FIRST, factor), operation(factor, FIRST)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(operation(batch(FIRST, LEVEL), factor), expected)
        assert_same(operation(factor, batch(FIRST, LEVEL)), reflected)


def test_a_negated_batch():
    assert_same(-batch(FIRST, LEVEL), -FIRST)


def test_a_longer_batch_and_one_of_single_precision_are_arrays():
    for data in (np.ones(FEW + 1), np.ones(2, np.float32), np.ones(2, complex)):
        found = batch(data, LEVEL)
        assert type(found) is BatchNumber
        assert (2.0 * found).data.dtype == data.dtype


@pytest.mark.parametrize("n", [2, FEW, FEW + 1])
def test_a_gradient_of_few_and_of_many(n):
    """Of Σ xₖ³ / (k + 1) − x₀ x₁: 3 xₖ² / (k + 1), less the other factor."""
    xs = [0.5 + 0.25 * k for k in range(n)]
    slopes = [3 * x**2 / (k + 1) for k, x in enumerate(xs)]
    slopes[0], slopes[1] = slopes[0] - xs[1], slopes[1] - xs[0]
    f = lambda *xs: sum(x**3 / (k + 1) for k, x in enumerate(xs)) - xs[0] * xs[1]
    assert forward.gradient(f, xs) == pytest.approx(slopes, rel=1e-14)
