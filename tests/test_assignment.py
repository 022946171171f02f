"""Item assignment: programs of writes and reads, drawn at random, mean to both modes what they mean to NumPy."""

import copy
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table import rarely, repeatable

from autodiff import gradcheck, jacfwd, jacrev, jvp, record, value_of, vjp

N = 4
X = np.array([0.5, -1.0, 2.0, 3.0])

INDICES = st.sampled_from([0, -1, slice(0, 2), slice(None, None, -2), slice(1, 1), ..., np.array([0, 2]),
                           np.array([True, False, False, True])])  # fmt: skip


def assign_number(names, k, index):
    names[k][index] = 1.5


def assign_element(names, k, index):
    names[k][index] = names[0][1] * names[-1][2]


def assign_own(names, k, index):
    names[k][index] = names[k][index] * names[k][index] + 0.3


def add(names, k, index):
    names[k][index] += names[-1][0] * 0.7


def multiply_all(names, k, index):
    names[k] *= 0.9


def copied(names, k, index):
    names.append(copy.copy(names[k]))


def shown(names, k, index):
    names.append(names[k][::-1])


def computed(names, k, index):
    names.append(names[k] * names[0] + 0.1)


def looked_at(names, k, index):
    names.append(names[k] * np.max(np.abs(value_of(names[k]))) ** 0)


def mask_of(index):
    mask = np.zeros(N, bool)
    mask[index] = True
    return mask


def put_along_axis(names, k, index):
    np.put_along_axis(names[k], np.array([2, 0, 2]), names[0][:3] * names[-1][1], 0)


def put(names, k, index):
    np.put(names[k], np.flatnonzero(mask_of(index)), names[-1][1:3] * 0.9)


def fill_diagonal(names, k, index):
    np.fill_diagonal(names[k].reshape(2, 2), names[-1][:2] * names[0][3])


def place(names, k, index):
    np.place(names[k], mask_of(index), names[-1][::2] * 0.8)


def putmask(names, k, index):
    np.putmask(names[k], mask_of(index), names[-1][:3] * names[0][2])


def written_through_a_view(names, k, index):
    np.putmask(names[k][1:], [True, False, True], names[-1][-1] * 0.5)


STEPS = [assign_number, assign_element, assign_own, add, multiply_all, copied, shown, computed, looked_at,
         put_along_axis, put, fill_diagonal, place, putmask, written_through_a_view]  # fmt: skip


def program(steps):
    def run(x):
        names = [x * 1.0, np.zeros(N, like=x) + x[0]]
        for step, k, index in steps:
            step(names, k % len(names), index)
        return np.concatenate([name * name for name in names])

    return run


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5), INDICES), min_size=1, max_size=9))
@repeatable
def test_programs_of_assignments_are_those_of_numpy(steps):
    run = program(steps)
    expected = run(X)
    assert np.array_equal(jvp(run, [X], [np.ones(N)])[0], expected)
    assert np.array_equal(vjp(run, X)[0], expected)
    assert np.array_equal(record(run, [X])[1].primal, expected)
    forward, reverse = jacfwd(run)(X), jacrev(run)(X)
    np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-12 * np.max(np.abs(forward)))


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5), INDICES), min_size=4, max_size=5))
@rarely
def test_second_derivatives_of_programs_of_assignments(steps):
    run = program(steps)
    assert gradcheck(lambda x: np.sum(run(x)), [X], order=2, raises=True)


def filled(x):
    y = np.zeros(len(x), like=x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] * x[i]
    return np.sum(y)


def trajectory(x):
    states = np.zeros((len(x), 3), like=x)
    states[0] = x[:3]
    for i in range(1, len(x)):
        before = states[i - 1]
        states[i] = 0.9 * before + 0.1 * np.sin(before)
    return np.sum(states)


@pytest.mark.parametrize("f", [filled, trajectory])
@pytest.mark.parametrize("derivative_of", [lambda f, x: vjp(f, x)[1](1.0), lambda f, x: jvp(f, [x], [x])])
def test_filling_an_array_takes_linear_memory(f, derivative_of):
    peaks = []
    for n in (200, 1600):
        x = np.linspace(0.1, 1.0, n)
        derivative_of(f, x)
        tracemalloc.start()
        derivative_of(f, x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 16 * peaks[0]


def test_a_recorded_tape_shows_every_value():
    tape, _ = record(filled, [X])
    assert not any(np.any(np.isnan(value)) for value in tape.values)


@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_a_value_that_was_looked_at_stays_what_it_was(jacobian):
    def f(x):
        y = x * 1.0
        y[0] = 2.0
        seen = value_of(y)
        y[1] = 7.0
        return y * seen

    assert np.array_equal(jacobian(f)(X), np.diag([0.0, 0.0, X[2], X[3]]))
    assert jvp(f, [X], [X])[0][1] == -7.0


METHODS_IN_PLACE = {
    "sort": lambda y: y.sort(),
    "sort, axis": lambda y: y.sort(0),
    "partition": lambda y: y.partition(2, 1),
    "fill": lambda y: y.fill(y[0, 0]),
    "put": lambda y: y.put([1, 2], y[1, :2]),
    "itemset by a view": lambda y: np.flip(y)[0].fill(2.0),
    "a view of a view": lambda y: np.rot90(y.T)[1].sort(),
}


@pytest.mark.parametrize("name", METHODS_IN_PLACE)
def test_methods_write_in_place(name):
    def run(x):
        y = np.cos(x)
        first = y[0]  # a view: it sees what is written
        METHODS_IN_PLACE[name](y)
        return y * np.sum(first)

    x = np.random.default_rng(3).normal(size=(3, 3))
    assert np.array_equal(record(run, [x])[1], run(x))
    assert gradcheck(lambda x: np.sum(run(x) ** 2), [x], order=2, raises=True)


def test_an_array_of_numbers_is_not_resized_in_place():
    with pytest.raises(AttributeError, match=r"np\.resize"):
        jacfwd(lambda x: x.resize((2, 2)))(np.ones(4))


def test_a_number_is_the_cotangent_of_an_array_of_no_axes():
    def halved(y):
        y /= 0.5
        return y

    assert vjp(halved, np.array(0.3))[1](0.7) == (1.4,)
