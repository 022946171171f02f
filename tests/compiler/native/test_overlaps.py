"""Sums of overlapping parts in machine code: one kernel for most elements, and what the function gives."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from autodiff import grad, jit, value_and_grad

pytest.importorskip("llvmlite")


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_by_elements(x):
    total = 0.0
    for k in range(len(x) - 1):
        total = total + 100.0 * (x[k + 1] - x[k] ** 2) ** 2 + (1.0 - x[k]) ** 2
    return total


@pytest.mark.parametrize("f", [rosenbrock, rosenbrock_by_elements])
def test_neighbours_are_summed_in_one_loop(f):
    """The gradient is written by one loop that reads the argument, and nothing in between goes through memory."""
    compiled, x = jit(grad(f)), np.linspace(-1.0, 2.0, 200)
    (loop,) = re.findall(r"^    for i in 19\d:\n((?:     .*\n?)*)", compiled.program(x), re.MULTILINE)
    assert "v0[i" in loop
    assert not re.search(r"\bm\d+\[[^]]*i", loop)
    for point in (x, -x, x + 0.5):
        assert_allclose(compiled(point), grad(f)(point), rtol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 9, 10, 100])
@pytest.mark.parametrize("f", [rosenbrock, rosenbrock_by_elements])
def test_few_elements(f, n):
    compiled = jit(value_and_grad(f))
    for point in (np.linspace(-1.0, 2.0, n), np.linspace(0.5, -0.5, n)):
        for found, expected in zip(compiled(point), value_and_grad(f)(point), strict=True):
            assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_assignments_to_places_one_after_the_other():
    """An element that both write to has what the second one writes."""
    places, turned = np.arange(40), np.arange(40)[::-1].copy()

    def f(a, b):
        z = a * 2.0 + b
        z[places] = a * 3.0
        z[turned] = b * 5.0
        return z

    compiled = jit(f)
    for a in (np.linspace(0.0, 1.0, 40), np.linspace(2.0, 3.0, 40)):
        assert_allclose(compiled(a, a + 1.0), f(a, a + 1.0), rtol=1e-15)


def test_what_a_later_loop_reads_is_not_written_over_by_an_earlier_one():
    """A value is read late, then early, and then written over in place."""

    def f(x, y):
        w = x * np.array([0.5, -1.5])
        v = np.sin(w) * w
        late = np.take(w, 0) * v
        early = v + 1.0
        v *= v
        v[np.array([True, False])] = x
        return late + y, early, v

    compiled = jit(f)
    for x, y in ((1.0, 0.5), (0.3, 2.0)):
        for found, expected in zip(compiled(x, y), f(x, y), strict=True):
            assert_allclose(found, expected, rtol=1e-14)


KINDS = ("difference", "stencil", "shifted", "added", "turned", "maximum", "masked", "scaled", "chosen", "loop")


@st.composite
def programs(draw):
    """Draw a function of an array and a number, of slices of what it computes, and the array's length."""
    n = draw(st.sampled_from([2, 3, 5, 8, 9, 17, 40]))
    number = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
    step = st.tuples(st.sampled_from(KINDS), st.integers(1, 3), number, number, st.integers(0, 99))
    return n, draw(st.lists(step, min_size=1, max_size=5))


def applied(kind, k, a, b, seed, v, y):
    """Return what one step makes of an array, and what it adds to the result."""
    m, some = len(v), np.random.default_rng(seed)
    if kind == "difference" and m > k:
        d = v[k:] - v[:-k] * a
        return v, np.sum(np.sin(d) * b + d * d)
    if kind == "stencil" and m > 2 * k:
        w = a * v[2 * k :] + b * v[k:-k] - v[: -2 * k]
        return w * w + 0.5, 0.0
    if kind in ("shifted", "added") and m > k:
        w = v * a
        w[k:] += v[:-k] * v[k:]
        w[: m - k] = w[: m - k] + b * v[k:] if kind == "added" else b
        return w, 0.0
    if kind == "turned":
        return v + a * v[::-1], 0.0
    if kind == "maximum":
        return v * np.exp(-v * v) + a * np.max(v), 0.0
    if kind == "masked":
        return np.where(v > a, v * b, v), 0.0
    if kind == "chosen":
        places = some.integers(0, m, m)
        return v + a * v[places], 0.0
    if kind == "loop":
        return v, sum(((v[q + 1] - a * v[q] ** 2) ** 2 for q in range(m - 1)), 0.0)
    return v * y + b, 0.0


@given(programs(), st.integers(0, 1000))
def test_random_programs_of_slices(program, seed):
    n, steps = program

    def f(x, y):
        v, total = x, 0.0
        for kind, k, a, b, own in steps:
            v, more = applied(kind, k, a, b, own, v, y)
            total = total + more
        return total + np.sum(v * v) + np.sum(v[1:] * v[:-1])

    both = value_and_grad(f, (0, 1))
    compiled, rng = jit(both), np.random.default_rng(seed)
    for _ in range(2):
        x, y = rng.uniform(-1.0, 1.0, n), float(rng.uniform(0.5, 1.5))
        (value, slopes), (expected, slopes_expected) = compiled(x, y), both(x, y)
        for one, other in zip((value, *slopes), (expected, *slopes_expected), strict=True):
            scale = max(1.0, np.max(np.abs(other), initial=0.0))
            assert_allclose(one, other, rtol=0.0, atol=1e-10 * scale)
