"""Results that are written into arrays of the caller's."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from autodiff import grad, jit, value_and_grad

X = np.linspace(-1.0, 2.0, 50)


def loss(x):
    return np.sum(np.exp(np.sin(x)) * x)


def sorted_loss(x):
    """One of whose steps NumPy carries out."""
    return np.sum(np.sort(x) * np.cos(x))


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("f", [loss, sorted_loss])
def test_results_are_in_the_callers_arrays(f, exact):
    both, slope = jit(value_and_grad(f), exact=exact), jit(grad(f), exact=exact)
    place, number = np.empty(50), np.empty(())
    for x in (X, X + 0.5, X):
        expected = grad(f)(x)
        assert slope(x, out=place) is place
        assert_allclose(place, expected, rtol=1e-12)
        place[:] = np.nan
        value, found = both(x, out=(None, place))
        assert found is place
        assert_allclose((value, *place), (f(x), *expected), rtol=1e-12)
        found = both(x, out=(number, None))
        assert found[0] is number
        assert_allclose((number, *found[1]), (f(x), *expected), rtol=1e-12)
        assert_allclose(both(x, out=None)[1], expected, rtol=1e-12)


def test_large_results_take_no_new_memory():
    """Machine code writes to the caller's arrays, and makes none."""
    import tracemalloc

    pytest.importorskip("llvmlite")
    compiled, x = jit(grad(loss)), np.tile(X, 2000)
    place = np.empty_like(x)
    compiled(x, out=place)
    compiled(x, out=place)
    tracemalloc.start()
    compiled(x, out=place)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000
    assert_allclose(place, grad(loss)(x), rtol=1e-12)


@pytest.mark.parametrize("place", [
    lambda x: x, lambda x: np.empty(100)[::2], lambda x: np.empty(50)[::-1], lambda x: np.empty(51)[1:],
    lambda x: np.empty(50, ">f8"), lambda x: np.asfortranarray(np.empty((50, 1)))[:, 0],
    lambda x: np.frombuffer(bytearray(401), np.uint8)[1:].view("f8"),
])  # fmt: skip
def test_places_of_all_layouts(place):
    """An argument itself, or what is not in order, is written to when all is computed."""
    compiled = jit(lambda x: x[::-1] * 2.0 + np.sum(x))
    for _ in range(3):
        x = X.copy()
        to = place(x)
        if to.dtype != x.dtype:
            with pytest.raises(ValueError, match="dtype"):
                compiled(x, out=to)
            return
        assert compiled(x, out=to) is to
        assert_allclose(to, X[::-1] * 2.0 + np.sum(X), rtol=1e-14)


def test_arrays_that_overlap_an_argument():
    compiled, memory = jit(lambda x: x[::-1] * 2.0), np.arange(60.0)
    for shift in (0, 1, 7, 10):
        given = memory.copy()
        x, place = given[:50], given[shift : shift + 50]
        expected = x[::-1] * 2.0
        assert_array_equal(compiled(x, out=place), expected)


@dataclass
class State:
    position: object
    speed: object


def test_structures():
    step = jit(lambda s, t: {"state": State(s.position + t * s.speed, s.speed * 0.5), "time": [t + 1.0, "s"]})
    state = State(X.copy(), np.ones(50))
    out = {"state": State(np.empty(50), None), "time": [None, None]}
    for _ in range(3):
        found = step(state, 0.5, out=out)
        assert found["state"].position is out["state"].position
        assert_allclose(found["state"].position, X + 0.5)
        assert_allclose(found["state"].speed, 0.5)
        assert found["time"] == [1.5, "s"]


def test_another_way_and_exceptions():
    compiled, place = jit(lambda x: x * 2.0 if x[0] > 0 else x - 1.0), np.empty(3)
    for x in (np.ones(3), -np.ones(3), np.ones(3), -np.ones(3)):
        assert_array_equal(compiled(x, out=place), x * 2.0 if x[0] > 0 else x - 1.0)
    of_numbers = jit(lambda x: 1.0 / x)
    assert of_numbers(2.0, out=np.empty(())) == 0.5
    with pytest.raises(ZeroDivisionError):
        of_numbers(0.0, out=np.empty(()))
    written_to = jit(lambda x, n: np.exp(x) * n)
    assert_allclose(written_to(np.ones(3), n=2, out=place), 2 * np.e)
    assert_allclose(written_to(np.ones(3), 3, out=place), 3 * np.e)


@pytest.mark.parametrize(("out", "error", "said"), [
    (np.empty(49), ValueError, r"out\[1\] has shape \(49,\) and dtype float64: the result needs \(50,\) and float64"),
    (np.empty(50, "f"), ValueError, "dtype float32: the result needs"),
    ([0.0] * 50, TypeError, r"out\[1\] is a list for a ndarray: give an array, or None"),
    (np.broadcast_to(0.0, 50), ValueError, r"out\[1\] is read-only: give an array that may be written to"),
])  # fmt: skip
def test_what_does_not_fit(out, error, said):
    compiled = jit(value_and_grad(loss))
    for _ in range(3):
        with pytest.raises(error, match=said):
            compiled(X, out=(None, out))
        with pytest.raises(TypeError, match="the result is a tuple of 2, and out a ndarray"):
            compiled(X, out=np.empty(50))
    twice, place = jit(lambda x: (x * 2.0, x * 3.0)), np.empty(75)
    for _ in range(2):
        with pytest.raises(ValueError, match="two arrays in out share memory: give each result one of its own"):
            twice(X, out=(place[:50], place[25:]))


def test_a_parameter_of_that_name_is_the_functions():
    compiled = jit(lambda x, out=3.0: x * out)
    assert compiled(2.0, out=5.0) == 10.0
    assert compiled(2.0) == 6.0
    assert_array_equal(jit(np.sin)(X, out=np.empty(50)), np.sin(X))
