"""Parts of grids that overlap, as the adjoints of a stencil, are summed in one loop; and that gives the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytest.importorskip("llvmlite")

from autodiff import grad, jit


def heat(u, a):
    u = u * 1.0
    for _ in range(6):
        u[1:-1, 1:-1] += a * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return np.sum(u * u)


def area(u, a):
    first, second = u[1:, 1:] - u[:-1, :-1], u[1:, :-1] - u[:-1, 1:]
    return np.sum(np.sqrt(1.0 + a * (first**2 + second**2)))


@pytest.mark.parametrize(("f", "inside"), [(heat, "18 × 18"), (area, "20 × 20")])
def test_what_all_parts_have_in_common_is_one_loop(f, inside):
    u = np.random.default_rng(0).normal(size=(22, 22))
    compiled = jit(grad(f, (0, 1)))
    sums = [loop for loop in compiled.program(u, 0.1).split("for i, j in ") if loop.startswith(inside)]
    assert len(sums) == 1
    assert sums[0].count("+ m") >= 2
    for found, expected in zip(compiled(u, 0.2), grad(f, (0, 1))(u, 0.2), strict=True):
        assert_allclose(found, expected, 1e-12, 1e-13)


def test_what_is_added_to_the_same_part_is_added_where_it_is_computed():
    def f(w, x):
        return sum(np.sum(np.sin(w * (k + x))) for k in range(3))

    w = np.random.default_rng(0).normal(size=(20, 20))
    compiled = jit(grad(f))
    assert compiled.program(w, np.ones((20, 1))).count("for i, j in 20 × 20:") == 1
    assert_allclose(compiled(w, np.ones((20, 1))), grad(f)(w, np.ones((20, 1))), 1e-13, 1e-13)


@st.composite
def stencils(draw):
    """Draw the rows and columns of a grid, shifts with their weights, and in how many rounds they are added."""
    shape = draw(st.integers(3, 12)), draw(st.integers(3, 20))
    shift = st.tuples(st.integers(-1, 1), st.integers(-1, 1), st.sampled_from([0.5, -1.0, 2.0]))
    return shape, draw(st.lists(shift, min_size=2, max_size=6)), draw(st.sampled_from([1, 2, 5])), draw(st.booleans())


@given(stencils(), st.integers(0, 99))
def test_random_stencils(stencil, seed):
    (n, m), shifts, rounds, is_in_place = stencil

    def f(u, a):
        for _ in range(rounds):
            parts = [weight * u[1 + down : n - 1 + down, 1 + along : m - 1 + along] for down, along, weight in shifts]
            inside = np.sin(a * sum(parts))
            u = u * 0.5
            if is_in_place:
                u[1:-1, 1:-1] += inside
            else:
                u[1:-1, 1:-1] = inside
        return np.sum(u * u) + np.sum(u[1:, :] * u[:-1, :])

    both, rng = grad(f, (0, 1)), np.random.default_rng(seed)
    compiled = jit(both)
    for _ in range(2):
        u, a = rng.normal(size=(n, m)), float(rng.normal())
        for found, expected in zip(compiled(u, a), both(u, a), strict=True):
            assert_allclose(found, expected, 1e-11, 1e-11 * np.max(np.abs(expected), initial=1.0))
