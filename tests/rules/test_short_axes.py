"""What is done at once along short last axes gives what NumPy gives, to the bit; and has the same derivatives."""

import itertools
import operator

import numpy as np
import pytest

from autodiff import grad, jacfwd, value_and_grad, vjp
from dualnumbers.rules import short_axes
from dualnumbers.rules.statistics import logarithmic_sums

ARITHMETIC = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide}

PAIRS = {
    "points and centres": ((90, 1, 3), (1, 40, 3)),
    "as many of both": ((60, 1, 2), (1, 60, 2)),
    "centres without the axis": ((90, 1, 3), (40, 3)),
    "a row": ((700, 4), (4,)),
    "a matrix of one row": ((700, 4), (1, 4)),
    "a row beside three axes": ((30, 40, 2), (2,)),
    "weights of points": ((5, 1, 2), (5, 1000, 2)),
    "one of a kind": ((1, 1, 2), (5, 1000, 2)),
    "two leading axes": ((4, 1, 1, 3), (1, 20, 30, 3)),
    "rows of one": ((3000, 1), (1,)),
    "long rows": ((90, 1, 17), (1, 40, 17)),
    "none": ((0, 1, 3), (1, 4000, 3)),
}


@pytest.mark.parametrize("count", [1, 2, 3, 8, 10, 16, 17])
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("function", [np.max, np.min])
def test_extrema_along_a_short_axis_are_numpys_to_the_bit(function, precision, count):
    rng = np.random.default_rng(count)
    x = rng.normal(size=(900, 20, count)).astype(precision)
    x[2, :5], x[3], x[4, :5], x[5], x[7, 1, -1] = 1.0, np.inf, -np.inf, -0.0, np.nan
    x[6] = np.where(rng.random((20, count)) < 0.5, -0.0, 0.0)
    for axis, keepdims in itertools.product((-1, 2), (False, True)):
        plain = function(x, axis, keepdims=keepdims)
        value = vjp(lambda x, k=keepdims, a=axis: function(x, axis=a, keepdims=k), x)[0]
        assert (value.dtype, value.shape) == (plain.dtype, plain.shape)
        assert value.tobytes() == plain.tobytes()


@pytest.mark.parametrize("count", range(1, 18))
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("function", [np.sum, np.mean])
def test_sums_along_a_short_axis_are_numpys_to_the_bit(function, precision, count):
    rng = np.random.default_rng(count)
    x = (rng.normal(size=(900, 40, count)) * 10.0 ** rng.integers(-9, 9, (900, 40, count))).astype(precision)
    x[2, :5], x[3], x[4, :5, 0], x[4, 3:, -1], x[5], x[7, 1, -1] = np.inf, 1e38, np.inf, -np.inf, -0.0, np.nan
    for axis, keepdims in itertools.product((-1, 2), (False, True)):
        with np.errstate(all="ignore"):
            plain = function(x, axis, keepdims=keepdims)
            value = vjp(lambda x, k=keepdims, a=axis: function(x, axis=a, keepdims=k), x)[0]
        assert (value.dtype, value.shape) == (plain.dtype, plain.shape)
        assert value.tobytes() == plain.tobytes()


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("shapes", PAIRS.values(), ids=PAIRS)
def test_arithmetic_of_repeated_rows_is_numpys_to_the_bit(shapes, precision):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=shape).astype(precision) for shape in shapes)
    if x.size:
        x.flat[0], y.flat[0], y.flat[-1] = np.nan, np.inf, -0.0
    with np.errstate(all="ignore"):
        for (function, ufunc), (a, b) in itertools.product(ARITHMETIC.items(), ((x, y), (y, x))):
            plain, found = function(a, b), short_axes.of_rows(function, ufunc, a, b)
            assert (found.dtype, found.shape, found.strides) == (plain.dtype, plain.shape, plain.strides)
            assert found.tobytes() == plain.tobytes()
            assert not np.shares_memory(found, a)
            assert not np.shares_memory(found, b)


@pytest.mark.parametrize("shapes", [PAIRS["points and centres"], PAIRS["a row"], PAIRS["weights of points"]])
def test_rows_are_repeated_only_where_the_result_is_the_same(shapes):
    """Of other types and orders in memory NumPy decides."""
    x, y = (np.random.default_rng(0).normal(size=shape) for shape in shapes)
    assert short_axes.of_rows(None, np.multiply, x, y).tobytes() == (x * y).tobytes()
    for a, b in (
        (x.astype(np.float32), y),
        (x + 0j, y + 0j),
        (x.astype(int), y.astype(int)),
        (x, np.asfortranarray(y)),
        (x[..., ::-1], y),
    ):
        a, b = (a, b) if b.ndim > 1 or a is x else (a, b[::-1])
        found = short_axes.of_rows(operator.mul, np.multiply, a, b)
        assert (found.dtype, found.strides) == ((a * b).dtype, (a * b).strides)
        assert found.tobytes() == (a * b).tobytes()


def test_shapes_that_do_not_fit_are_those_of_the_message():
    with pytest.raises(ValueError, match=r"\(4,1,1,2\) \(3,50,900,2\)"):
        short_axes.of_rows(operator.add, np.add, np.ones((4, 1, 1, 2)), np.ones((3, 50, 900, 2)))


@pytest.mark.parametrize("shapes", [pair for name, pair in PAIRS.items() if name not in ("none", "long rows")])
def test_gradients_through_repeated_rows_are_those_without(shapes, monkeypatch):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=shape) for shape in shapes)
    weights = rng.normal(size=np.broadcast_shapes(*shapes))

    def f(x, y):
        return np.sum(weights * ((x - y) * x + x / (2.0 + y * y)))

    value, found = value_and_grad(f, (0, 1))(x, y)
    monkeypatch.setattr(short_axes, "MANY", 1 << 60)
    assert value == f(x, y)
    for a, b in zip(found, value_and_grad(f, (0, 1))(x, y)[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def test_forward_and_reverse_mode_agree_on_repeated_rows(monkeypatch):
    monkeypatch.setattr(short_axes, "MANY", 0)
    centres, points = np.random.default_rng(0).normal(size=(2, 5, 3))

    def loss(centres):
        apart = points[:, None] - centres
        return np.sum(np.min(np.sum(apart * apart * centres, 2), 1) ** 2)

    np.testing.assert_allclose(grad(loss)(centres), jacfwd(loss)(centres), rtol=1e-12)
    np.testing.assert_allclose(jacfwd(grad(loss))(centres), jacfwd(jacfwd(loss))(centres), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("count", range(1, 8))
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("function", [logarithmic_sums.softmax, logarithmic_sums.softmax2])
def test_softmax_of_few_classes_is_by_columns_what_it_is_by_rows(function, precision, count, monkeypatch):
    rng = np.random.default_rng(count)
    usual = 10.0 * rng.normal(size=(30, 40, count)).astype(precision)
    special = usual.copy()
    special[0, 1], special[2, 3], special[4, 5, 0], special[6, 7] = np.inf, -np.inf, np.nan, 1e30
    for x, axis in itertools.product((usual, special), (-1, 2)):
        g, found = rng.normal(size=x.shape).astype(precision), []
        for narrow in (0, 5):
            monkeypatch.setattr(logarithmic_sums, "NARROW", narrow)
            with np.errstate(invalid="ignore"):
                value, pullback = vjp(lambda x, a=axis: function(x, a), x)
                found.append((value, *pullback(g)))
        for by_rows, by_columns in zip(*found, strict=True):
            assert (by_columns.dtype, by_columns.shape) == (by_rows.dtype, by_rows.shape)
            assert by_columns.tobytes() == by_rows.tobytes()
            assert by_columns.flags.c_contiguous
