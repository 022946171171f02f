"""Long loops that read other elements of an array in each round are compiled as short ones, and go on through all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from autodiff import jit, value_and_grad
from autodiff.calls.structures import flatten
from autodiff.compiler import making

pytest.importorskip("llvmlite")

N = 200
DATA = np.random.default_rng(0).normal(size=N).tolist()
FEW = [0, 1, 2, 7, 9, 60, 100, N - 3, N - 1]
"""Some rounds."""


def rosenbrock(x):
    total = 0.0
    for k in range(N - 1):
        total = total + 100.0 * (x[k + 1] - x[k] ** 2) ** 2 + (1.0 - x[k]) ** 2
    return total


def each(x):
    total = 0.0
    for k in range(N):
        total = total + np.sin(x[k]) * DATA[k]
    return total


def backward(x):
    t = 0.0
    for k in range(N):
        t = np.tanh(t) * x[k] + x[N - 1 - k]
    return t


def from_the_end(x):
    t = 0.0
    for k in range(N):
        t = np.cos(t) * x[k - 1] + x[-1 - k]
    return t


def every_second(x):
    t = 0.0
    for k in range(N):
        t = np.cos(t) * x[2 * k] + x[k] * x[2 * k + 1]
    return t


def each_twice(x):
    t = 0.0
    for k in range(N):
        t = np.cos(t) + x[k // 2] * DATA[k]
    return t


def neighbours_share_work(x):
    total = 0.0
    for k in range(N):
        total = total + (np.sin(x[k + 1]) - np.sin(x[k])) ** 2 * np.exp(x[k + 20])
    return total


def fixed_beside(x):
    t = x[5] * x[20]
    for k in range(N):
        t = np.cos(t) * x[k] + x[60] * x[20]
    return t * x[N // 2] * x[N - 1] * x[N - 2]


def other_ends(x):
    t = 0.0
    for k in range(N):
        t = np.cos(t) * x[max(k - 2, 0)] + x[min(k, N - 2)] * x[N if k == 1 else k]
    return t


def rows(x):
    z, h = x[: 2 * N].reshape(N, 2), x[:2] * 1.0
    for k in range(N):
        h = np.tanh(h + z[k]) * z[N - 1 - k, 0] + x[k : k + 2]
    return np.sum(h)


def computed(x):
    y, t = np.sin(x), 0.0
    for k in range(N):
        t = np.cos(t) * y[k] + y[k + 2]
    return t + np.sum(y * x)


def branches(x):
    t = 0.0
    for k in range(N):
        t = np.cos(t) * x[k] if k % 2 else t + x[k] * x[k + 1]
    return t


def kept(x):
    values, t = [], 0.0
    for k in range(N):
        t = np.cos(t) * x[k]
        values.append(t)
    for k in range(N):
        t = np.sin(t) + values[N - 1 - k] * x[k]
    return t


LOOPS = [rosenbrock, each, backward, from_the_end, every_second, each_twice, neighbours_share_work, fixed_beside,
         other_ends, rows, computed, branches, kept]  # fmt: skip
WHOLE = (neighbours_share_work,)
"""Those that no rounds are left out of: some values are those of the round before, but for the first one."""


@pytest.fixture
def made(monkeypatch):
    """Whether each program in a test was made of a short one."""
    found, of_short = [], making.Making._of_short

    def noted(self):
        source = of_short(self)
        found.append(source is not None)
        return source

    monkeypatch.setattr(making.Making, "_of_short", noted)
    return found


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
def test_elements_of_all_rounds_are_read(f, made):
    both = value_and_grad(f)
    compiled, rng = jit(both), np.random.default_rng(1)
    for _ in range(3):
        x = rng.normal(size=2 * N + 2)
        for found, expected in zip(flatten(compiled(x))[0], flatten(both(x))[0], strict=True):
            assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert made == [f not in WHOLE]


@pytest.mark.parametrize("which", FEW)
def test_one_other_element_is_not_overlooked(which, made):
    """Where it is that of the first or last round, this is kept; elsewhere no rounds are left out."""

    def f(x):
        t = 0.0
        for k in range(N):
            t = np.cos(t) * x[3 if k == which else k] + x[N - 1 - k]
        return t

    both, x = value_and_grad(f), np.random.default_rng(2).normal(size=N)
    for found, expected in zip(jit(both)(x), both(x), strict=True):
        assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert made == [which in (0, 1, N - 1)] or which == 2


def test_an_array_that_is_written_to_meanwhile_is_read_as_it_was():
    def f(x):
        y, t = np.sin(x), 0.0
        for k in range(N):
            t = np.cos(t) * y[k]
        y[7] = t
        for k in range(N):
            t = np.cos(t) * y[k] + y[N - 1 - k]
        return t

    both, x = value_and_grad(f), np.random.default_rng(3).normal(size=N)
    for found, expected in zip(jit(both)(x), both(x), strict=True):
        assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("when", [0, 7, 30, 100, N - 1])
def test_a_decision_about_an_element_is_looked_at_in_each_round(when):
    def f(x):
        total = 0.0
        for k in range(N):
            total = total + (x[k] ** 2 if x[k] > 0.0 else -x[k])
        return total

    both, x = value_and_grad(f), np.random.default_rng(4).uniform(0.1, 1.0, N)
    compiled = jit(both)
    compiled(x)
    x[when] = -0.5
    for found, expected in zip(compiled(x), both(x), strict=True):
        assert_allclose(found, expected, rtol=1e-12)
