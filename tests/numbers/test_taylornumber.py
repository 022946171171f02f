"""Taylor numbers made by hand: what they are made of, how they read, compare, are written to and refused."""

import copy
import math
import operator
import pickle
import sys

import numpy as np
import pytest

from autodiff import Variable, value_of
from dualnumbers import DualNumber, TaylorNumber, dmath


def test_what_it_is_made_of():
    x = TaylorNumber([2.0, 1.0], order=3)
    assert (x.coefficients, x.order) == ((2.0, 1.0, 0.0, 0.0), 3)
    assert TaylorNumber([2.0]).coefficients == (2.0,)
    assert TaylorNumber(np.array([1.0, 2.0])).coefficients == (1.0, 2.0)
    y = TaylorNumber([np.ones(2), 3.0, [1.0, 2.0]])
    assert [c.tolist() for c in y.coefficients] == [[1.0, 1.0], [3.0, 3.0], [1.0, 2.0]]
    assert (y.shape, y.dtype, len(y), y.ndim) == ((2,), float, 2, 1)


def test_how_it_reads():
    assert repr(TaylorNumber([3, 0.5, -2.0])) == "TaylorNumber([3, 0.5, -2.0])"
    assert str(TaylorNumber([3, 0.5, -2.0])) == "3 + 0.5t - 2.0t²"
    assert f"{TaylorNumber([3, 0.5] + [0.0] * 9 + [1.25]):.1f}".endswith(" + 0.0t¹⁰ + 1.2t¹¹")
    assert str(TaylorNumber([1.0, 1j])) == "1.0 + (1j)t"
    assert str(TaylorNumber([DualNumber(1.0, 2.0), 3.0])) == "(1.0 + 2.0ε) + 3.0t"
    assert repr(TaylorNumber([np.ones(2), np.zeros(2)])) == "TaylorNumber([array([1., 1.]), array([0., 0.])])"
    assert str(TaylorNumber([np.ones(2), np.zeros(2)])) == "[1. 1.] + [0. 0.]t"


@pytest.mark.parametrize("op", [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge])
def test_it_compares_by_its_value(op):
    for a, b in ((1.0, 2.0), (2.0, 2.0), (3.0, 2.0)):
        assert op(TaylorNumber([a, 5.0]), b) is op(a, b)
        assert op(a, TaylorNumber([b, 5.0])) is op(a, b)
        assert op(TaylorNumber([a, 1.0]), TaylorNumber([b, 5.0])) is op(a, b)
    assert hash(TaylorNumber([2.0, 1.0])) == hash(2.0)
    assert bool(TaylorNumber([0.0, 1.0])) is False
    assert round(TaylorNumber([2.7, 1.0])) == 3
    assert value_of(TaylorNumber([2.7, 1.0])) == 2.7


def test_it_does_not_become_a_plain_number():
    x = TaylorNumber([2.0, 1.0])
    for call in (float, int, complex, math.sin):
        with pytest.raises(TypeError, match="of a TaylorNumber"):
            call(x)
    with pytest.raises(TypeError, match="of a TaylorNumber"):
        np.asarray(TaylorNumber([np.ones(2), np.ones(2)]))
    with pytest.raises(AttributeError, match="TaylorNumber"):
        x.grad  # noqa: B018


def test_wrong_coefficients():
    for none in ([], (), np.zeros(0)):
        with pytest.raises(ValueError, match="a TaylorNumber has one coefficient at least: that of the power 0"):
            TaylorNumber(none)
    assert TaylorNumber([1.0, 2.0], np.int64(3)).coefficients == (1.0, 2.0, 0.0, 0.0)
    for wrong in (2.0, None, "ab", {1.0: 2.0}, np.array(1.0)):
        with pytest.raises(TypeError, match="a TaylorNumber has a list of coefficients"):
            TaylorNumber(wrong)
    with pytest.raises(TypeError, match="numbers or arrays as coefficients, not str: 'b'"):
        TaylorNumber([1.0, "b"])
    with pytest.raises(TypeError, match="numbers or arrays as coefficients, not NoneType"):
        TaylorNumber([1.0, None])
    with pytest.raises(
        ValueError, match=r"coefficient 1, of shape \(3,\), does not fit the first one, of shape \(2,\)"
    ):
        TaylorNumber([np.ones(2), np.ones(3)])
    for order in (0, -1, 2.0, "2", True, np.float64(2.0)):
        with pytest.raises(ValueError, match="the last of 2 coefficients is that of the power 1"):
            TaylorNumber([1.0, 2.0], order)


def test_the_result_has_the_lower_order():
    short, long = TaylorNumber([1.0, 2.0]), TaylorNumber([1.0, 2.0, 3.0])
    assert (short * long).coefficients == (1.0, 4.0)
    assert (long - short).order == 1


def test_arithmetic_is_that_of_polynomials():
    a, b = TaylorNumber([1, 2, 3]), TaylorNumber([4, 5, 6])
    assert (a * b).coefficients == (4, 13, 28)
    assert (a + 1).coefficients == (2, 2, 3)
    assert (1 - a).coefficients == (0, -2, -3)
    assert (+a).coefficients == (0 - (-a)).coefficients == (1, 2, 3)
    assert (1 / TaylorNumber([1, -1], 4)).coefficients == (1.0,) * 5
    assert dmath.exp(TaylorNumber([0.0, 1.0], 3)).coefficients == (1.0, 1.0, 0.5, 1.0 / 6.0)
    assert abs(TaylorNumber([-2.0, 3.0])).coefficients == (2.0, -3.0)
    assert divmod(TaylorNumber([7.5, 1.0]), 2.0)[1].coefficients == (1.5, 1.0)


def test_an_integer_beyond_all_floats_beside_a_number_of_numpy():
    """It fails as the plain product does."""
    for x in (np.float64(2.0), 2.0):
        for plain, found in ((x, TaylorNumber([x, 1.0])), (3, TaylorNumber([3, 1]))):
            for operate in (lambda y: y * 10**400, lambda y: 10**400 - y, lambda y: y / 10**400):
                try:
                    expected = operate(plain)
                except (OverflowError, TypeError) as error:
                    with pytest.raises(type(error)):
                        operate(found)
                else:
                    assert operate(found).coefficients[0] == expected


def test_a_copy_and_a_pickle():
    for x in (TaylorNumber([1.0, 2.0], 3), TaylorNumber([np.arange(2.0), np.ones(2)], 3)):
        for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert repr(again) == repr(x)
            assert again.level is x.level
    x = TaylorNumber([np.arange(2.0), np.ones(2)])
    again = copy.copy(x)
    again[0] = 7.0
    assert x.coefficients[0].tolist() == [0.0, 1.0]


def test_writing_into_an_array():
    x = TaylorNumber([np.arange(4.0), np.ones(4)], 2)
    same, view, part = x, x[1:3], x.reshape(2, 2)[0]
    kept = x * 1.0
    view *= x[0] + 10.0
    x[3] = 5.0
    part[0] = TaylorNumber([8.0, 1.0, 2.0])
    assert [c.tolist() for c in same.coefficients] == [
        [8.0, 10.0, 20.0, 5.0],
        [1.0, 11.0, 12.0, 0.0],
        [2.0, 1.0, 1.0, 0.0],
    ]
    assert [c.tolist() for c in part.coefficients] == [[8.0, 10.0], [1.0, 11.0], [2.0, 1.0]]
    assert kept.coefficients[0].tolist() == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="could not broadcast"):
        x[:] = np.ones(3)
    assert x.coefficients[0].tolist() == [8.0, 10.0, 20.0, 5.0]


def test_writing_complex_coefficients_into_real_ones():
    """Where the value is real nothing is cut off; where it is complex, NumPy's own rules hold."""
    for item in (TaylorNumber([5.0, 2j]), TaylorNumber([np.full(1, 5.0), np.full(1, 2j)])):
        x = TaylorNumber([np.zeros(2), np.ones(2)])
        view, kept = x[:1], x * 1.0
        x[0 if np.ndim(item.coefficients[0]) == 0 else slice(0, 1)] = item
        assert [c.tolist() for c in x.coefficients] == [[5.0, 0.0], [2j, 1.0]]
        assert view.coefficients[1].tolist() == [2j]
        assert kept.coefficients[1].tolist() == [1.0, 1.0]
    x = TaylorNumber([np.zeros(2), np.ones(2)], 2)
    x[0] = TaylorNumber([5.0, 3.0])
    assert [c.tolist() for c in x.coefficients] == [[5.0, 0.0], [3.0, 1.0]]
    x = TaylorNumber([np.zeros(2), np.ones(2)])
    with pytest.raises(TypeError, match="complex"):
        x[0] = 1j
    with pytest.warns(np.exceptions.ComplexWarning):
        x[:] = np.array([1j, 2.0])


def test_a_coefficient_that_the_user_holds_is_not_written_to():
    first, second = np.arange(3.0), np.ones(3)
    x = TaylorNumber([first, second])
    given = x.coefficients
    for k in range(3):
        x[k] = 9.0
    assert first.tolist() == given[0].tolist() == [0.0, 1.0, 2.0]
    assert second.tolist() == given[1].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.skipif(not hasattr(sys, "getrefcount"), reason="references are not counted")
def test_a_loop_that_fills_an_array_writes_in_place():
    x = TaylorNumber([0.5, 1.0], 3)
    y = np.zeros(3, like=x * np.ones(3))
    y[0] = x**3
    places = [c.ctypes.data for c in y.series.found]
    assert len(places) == 4
    y[1] = x
    y[2] = 2.0 * x**2
    assert [c.ctypes.data for c in y.series.found] == places
    assert [c.tolist() for c in y.coefficients] == [
        [0.125, 0.5, 0.5],
        [0.75, 1.0, 2.0],
        [1.5, 0.0, 2.0],
        [1.0, 0.0, 0.0],
    ]


def test_methods_of_ufuncs_and_arrays():
    x = TaylorNumber([np.arange(1.0, 4.0), np.ones(3)], 2)
    assert np.multiply.reduce(x).coefficients == (6.0, 11.0, 6.0)
    assert [c.tolist() for c in np.add.accumulate(x).coefficients] == [[1, 3, 6], [1, 2, 3], [0, 0, 0]]
    assert [c.tolist() for c in np.multiply.outer(x, [2.0]).coefficients[:2]] == [[[2], [4], [6]], [[2], [2], [2]]]
    np.add.at(x, [0, 0], 1.0)
    assert x.coefficients[0].tolist() == [3.0, 2.0, 3.0]
    assert x.max().coefficients == (3.0, 1.0, 0.0)
    assert [c.tolist() for c in x.T[::-1].astype(np.float32).coefficients] == [[3, 2, 3], [1, 1, 1], [0, 0, 0]]
    assert (x @ x).coefficients == (22.0, 16.0, 3.0)


def test_a_strong_zero_stays_zero_against_an_infinite_slope():
    """As of dual numbers made by hand; a zero that was never moved has none to meet."""
    assert np.sqrt(DualNumber(0.0, 0.0)).dual == 0.0
    assert np.sqrt(TaylorNumber([0.0, 0.0, 0.0])).coefficients == (0.0, 0.0, 0.0)
    assert np.sqrt(TaylorNumber([0.0], 2)).coefficients == (0.0, 0.0, 0.0)


def test_a_variable_of_a_series_beside_a_series_of_a_variable():
    """The Variable leads."""
    v, s = Variable(TaylorNumber([3.0, 1.0])), TaylorNumber([Variable(2.0), 1.0])
    y = v * s
    y.backward()
    assert value_of(y) == 6.0
    assert value_of(v.grad) == 2.0
