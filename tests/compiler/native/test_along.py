"""Moments, norms, cumulative sums and the like are machine code, and give what NumPy gives."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from autodiff import grad, jit
from autodiff.scipy import special

pytest.importorskip("llvmlite")

ROWS = {
    "var": lambda x, axis: np.var(x, axis=axis),
    "var of a sample": lambda x, axis: np.var(x, axis=axis, ddof=1, keepdims=True),
    "std": lambda x, axis: np.std(x, axis=axis),
    "norm": lambda x, axis: np.linalg.norm(x, axis=axis),
    "cumsum": lambda x, axis: np.cumsum(x, axis=axis),
    "cumprod": lambda x, axis: np.cumprod(x, axis=axis),
    "prod": lambda x, axis: np.prod(x, axis=axis),
    "softmax": lambda x, axis: special.softmax(x, axis),
    "logsumexp": lambda x, axis: special.logsumexp(x, axis),
    "diff": lambda x, axis: np.diff(x, 2, axis=-1 if axis is None else axis),
    "pad": lambda x, axis: np.pad(x, ((1, 2),) * x.ndim, ("constant", "edge", "wrap", "reflect")[x.shape[-1] % 4]),
    "round": lambda x, axis: np.round(x) * x,
    "heaviside": lambda x, axis: np.heaviside(x, 0.5) * x,
}
OF_ALL_AXES = {"pad", "round", "heaviside"}
"""Those that have no axis."""


def weighted(f, x):
    return np.sum(np.sin(f(x)) * f(x))


def native(compiled):
    """Return whether the whole program is machine code, for each path of each form."""
    return [path.direct is not None for form in compiled._programs.forms.values() for path in form.paths]


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 9), (9, 3), (2, 3, 17), (300,)])
@pytest.mark.parametrize("name", ROWS)
def test_values_and_gradients(name, shape, dtype):
    rng = np.random.default_rng(len(shape) + shape[-1])
    for axis in (None, 0, -1)[: 1 if name in OF_ALL_AXES else 1 + len(shape)]:  # of one axis, 0 is -1
        if name == "diff" and shape[-1 if axis is None else axis] < 3:
            continue
        if name == "var of a sample" and shape == (1,):
            continue
        f = partial(ROWS[name], axis=axis)
        slope = grad(partial(weighted, f))
        compiled, compiled_slope = jit(f), jit(slope)
        for _ in range(2):
            x = rng.uniform(0.9, 1.1, shape).astype(dtype)
            near = 1e-4 if dtype == "f" else 1e-11
            value, expected = compiled(x), f(x)
            assert np.shape(value) == np.shape(expected)
            assert np.result_type(value) == np.result_type(expected)
            assert_allclose(value, expected, rtol=near, atol=near)
            expected = slope(x)
            assert_allclose(compiled_slope(x), expected, rtol=near, atol=near * max(1.0, np.max(np.abs(expected))))
        assert all(native(compiled))


@pytest.mark.parametrize("name", [name for name in ROWS if name != "logsumexp"])
def test_numbers_at_the_ends_of_the_range(name):
    special_ones = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e-310, 2.5, 1e200])
    compiled = jit(lambda x: ROWS[name](x, 0))
    ends = np.zeros(5), np.full(3, 1e200), np.full(4, 1e-200), np.array([np.inf, 1.0])
    for x in (special_ones, special_ones[:4], *ends):
        with np.errstate(all="ignore"):
            expected = ROWS[name](x, 0)
            assert_allclose(compiled(x), expected, rtol=1e-13)


def test_a_cumulative_sum_is_that_of_numpy_to_the_bit():
    x = np.random.default_rng(0).normal(size=(5, 1001))
    for axis in (None, 0, 1):
        compiled = jit(lambda x, axis=axis: np.cumsum(x, axis=axis))
        assert np.array_equal(compiled(x), np.cumsum(x, axis=axis))
        assert np.array_equal(compiled(x[:, ::-1].copy()), np.cumsum(x[:, ::-1], axis=axis))


OF_SEVERAL = ["ij,jk,kl->il", "ij,jk,ki->", "i,j,k->ijk", "ij,ik,jk->ijk", "ij,j,j,ij->i", "ii,ij,j->"]


@pytest.mark.parametrize("of", OF_SEVERAL)
def test_products_of_several(of):
    rng = np.random.default_rng(3)
    shapes = [(4,) * len(term) for term in of.partition("->")[0].split(",")]
    f = lambda *xs: np.sum(np.sin(np.einsum(of, *xs)))
    slope = grad(f, tuple(range(len(shapes))))
    compiled, compiled_slope = jit(f), jit(slope)
    for _ in range(2):
        xs = [rng.normal(size=shape) for shape in shapes]
        assert_allclose(compiled(*xs), f(*xs), rtol=1e-11, atol=1e-11)
        for one, other in zip(compiled_slope(*xs), slope(*xs), strict=True):
            assert_allclose(one, other, rtol=1e-11, atol=1e-11 * max(1.0, np.max(np.abs(other))))
    assert all(native(compiled) + native(compiled_slope))


@pytest.mark.parametrize(("of", "shapes"), [
    ("i,i->i", [(3,), (1,)]), ("i,i->i", [(1,), (3,)]), ("i,i->", [(3,), (1,)]), ("ij,jk->ik", [(20, 1), (20, 20)]),
    ("ij,jk->ik", [(20, 20), (1, 20)]), ("ij,ij,j->i", [(1, 4), (3, 1), (4,)]),
    ("ij,jk,ik->k", [(3, 1), (4, 2), (1, 2)]), ("i,i->i", [(0,), (1,)]),
])  # fmt: skip
def test_axes_of_length_1_stand_for_all(of, shapes):
    f = lambda *xs: np.einsum(of, *xs)
    compiled, rng = jit(f), np.random.default_rng(1)
    slope = grad(lambda *xs: np.sum(np.sin(f(*xs))), tuple(range(len(shapes))))
    compiled_slope = jit(slope)
    for _ in range(2):
        xs = [rng.normal(size=shape) for shape in shapes]
        assert_allclose(compiled(*xs), f(*xs), rtol=1e-12, atol=1e-12)
        for one, other in zip(compiled_slope(*xs), slope(*xs), strict=True):
            assert_allclose(one, other, rtol=1e-11, atol=1e-11)


STEP = st.tuples(st.sampled_from(sorted(ROWS)), st.sampled_from([0, -1]), st.booleans())


@given(st.lists(STEP, min_size=1, max_size=4), st.sampled_from([(5,), (3, 4), (4, 9), (2, 3, 8)]), st.integers(0, 99))
def test_one_after_the_other(steps, shape, seed):
    """What is joined along an axis is subtracted from what it is of; sums go through slices on the way."""

    def f(x):
        v = x
        for name, axis, turned in steps:
            if name in ("diff", "pad", "var of a sample"):
                continue
            w = ROWS[name](v, axis)
            v = v - np.tanh(w if np.shape(w) == np.shape(v) else np.expand_dims(w, axis))
            v = v[..., ::-1] if turned else v
        return np.sum(v * np.cos(v))

    rng, slope = np.random.default_rng(seed), grad(f)
    compiled = jit(slope)
    for _ in range(2):
        x = rng.uniform(0.5, 1.5, shape)
        expected = slope(x)
        assert_allclose(compiled(x), expected, rtol=1e-8, atol=1e-8 * max(1.0, np.max(np.abs(expected))))
