"""Functions of whole matrices and axes at arrays of Dask: in one task for each block of the other axes."""

import re

import numpy as np
import pytest
from samples.determinants import SINGULAR

from autodiff import grad, hvp, jvp, value_and_grad, vjp
from autodiff.scipy import linalg, signal

da = pytest.importorskip("dask.array", reason="Dask is not installed (extra dask)")
dask = pytest.importorskip("dask")

A = np.random.default_rng(3).normal(size=(4, 4)) + 3.0 * np.eye(4)
W = np.arange(1.0, 5.0)


def spd(x):
    return x @ np.swapaxes(x, -1, -2) + np.eye(x.shape[-1])


FUNCTIONS = {
    "solve": lambda x: np.linalg.solve(x, W) ** 2,
    "solve, a matrix": lambda x: np.linalg.solve(x, x.T) ** 2,
    "inv": lambda x: np.linalg.inv(x) ** 2,
    "det": np.linalg.det,
    "slogdet": lambda x: np.linalg.slogdet(x)[1],
    "cholesky": lambda x: np.linalg.cholesky(spd(x)) ** 3,
    "cholesky, upper": lambda x: np.linalg.cholesky(spd(x), upper=True) ** 3 * W,
    "qr": lambda x: np.abs(np.linalg.qr(x)[1]) ** 3,
    "eigh": lambda x: np.linalg.eigh(spd(x))[1] ** 4 * np.linalg.eigh(spd(x))[0],
    "eigvalsh": lambda x: np.linalg.eigvalsh(spd(x)) ** 2,
    "svd": lambda x: np.linalg.svd(x)[0] ** 4 * np.linalg.svd(x)[1],
    "svd, full": lambda x: np.linalg.svd(x[:2])[2][:2] ** 4,
    "svdvals": lambda x: np.linalg.svdvals(x) ** 3,
    "pinv": lambda x: np.linalg.pinv(x[:, :2]) ** 3,
    "norm": lambda x: np.linalg.norm(x, 2) * np.linalg.norm(x, "nuc"),
    "expm": lambda x: linalg.expm(0.1 * x) ** 2,
    "eig": lambda x: np.abs(np.linalg.eig(x + 0j)[1]) ** 4 * np.abs(np.linalg.eig(x + 0j)[0]),
    "eigvals": lambda x: np.abs(np.linalg.eigvals(x + 0j)) ** 3,
    "logm": lambda x: np.abs(linalg.logm(spd(x) + 0j)) ** 2,
    "sqrtm": lambda x: np.abs(linalg.sqrtm(spd(x) + 0j)) ** 3,
    "signm": lambda x: np.abs(linalg.signm(x - 2.5 * np.eye(4) + 0j)) ** 2,
    "a power": lambda x: np.abs(linalg.fractional_matrix_power(spd(x) + 0j, 0.3)) ** 3,
    "a power by an element": lambda x: np.abs(linalg.fractional_matrix_power(spd(x) + 0j, x[0, 0])) ** 2,
    "lyapunov": lambda x: linalg.solve_continuous_lyapunov(x, spd(x)) ** 2,
    "banded": lambda x: linalg.solve_banded((1, 1), x[:3] + 5.0, W) ** 2,
    "toeplitz": lambda x: linalg.solve_toeplitz(x[0] + 9.0, W) ** 2,
    "triangular": lambda x: linalg.solve_triangular(x + 3.0 * np.eye(4), W, lower=True) ** 2,
    "lfilter": lambda x: signal.lfilter([1.0, 0.5], [1.0, -0.2], x) ** 2,
    "sort": lambda x: np.sort(x, 0) ** 3 * W,
    "argsort": lambda x: np.take_along_axis(x, np.argsort(-x, 1), 1) ** 3 * W,
    "lexsort": lambda x: x[:, 0][np.lexsort(x.T)] ** 2 * W,
    "lexsort, of columns": lambda x: np.take_along_axis(x, np.lexsort(np.stack([x, -x]), 0), 0) ** 3 * W,
    "median": lambda x: np.median(x, 1) ** 3,
    "quantiles": lambda x: np.quantile(x, [0.2, 0.7], axis=0) ** 3,
    "fft": lambda x: np.abs(np.fft.fft(x, axis=0)) ** 2,
    "convolve": lambda x: np.convolve(x[0], x[1]) ** 2,
    "gradient": lambda x: np.gradient(x, axis=0) ** 2,
    "interp": lambda x: np.interp(0.3 + 0.0 * x[0, 0], np.linspace(0.0, 1.0, 4), x[1]),
    "polyfit": lambda x: np.polyfit(W, x[0], 1) ** 2,
}


def refused(*_, **__):
    raise AssertionError("computed")


@pytest.mark.parametrize("chunks", [4, 2, (1, 3)], ids=["whole", "squares", "of other lengths"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_at_arrays_of_numpy(name, chunks):
    f = lambda x: np.sum(FUNCTIONS[name](x))
    x, v = (da.from_array(part, chunks=chunks) for part in (A, np.cos(A)))
    with dask.config.set(scheduler=refused):
        found = *value_and_grad(f)(x), hvp(f)(x, v)
        assert all(isinstance(part, da.Array) for part in found)
    expected = *value_and_grad(f)(A), hvp(f)(A, np.cos(A))
    for z, leaf in zip(dask.compute(*found, scheduler="synchronous"), expected, strict=True):
        assert np.shape(z) == np.shape(leaf)
        np.testing.assert_allclose(z, leaf, 1e-9, 1e-9 * np.max(np.abs(leaf), initial=1.0))


def test_a_stack_is_done_block_by_block():
    stack = np.stack([A, A.T, A @ A])
    x = da.from_array(stack, chunks=(1, 2, 4))
    solved = lambda x: np.linalg.solve(x, np.swapaxes(x, -1, -2))
    for f in (np.linalg.det, np.linalg.eigvalsh, np.linalg.svdvals, solved):
        slope = grad(lambda x, f=f: np.sum(f(spd(x)) ** 2))
        found = slope(x)
        assert found.chunks[0] == (1, 1, 1)
        expected = slope(stack)
        np.testing.assert_allclose(found.compute(scheduler="threads"), expected, 1e-8, 1e-9 * np.max(np.abs(expected)))


def test_vectors_of_equal_eigenvalues_are_nan_and_no_error():
    """Nobody asks whether they are equal; functions of the values alone have their derivatives."""
    x, f = da.from_array(np.eye(3), chunks=2), lambda x: np.sum(np.linalg.eigh(x)[1][:, 0] * W[:3])
    assert np.isnan(grad(f)(x).compute(scheduler="synchronous")).any()
    trace = lambda x: np.sum(np.linalg.eigvalsh(x) ** 2)
    np.testing.assert_allclose(grad(trace)(x).compute(scheduler="synchronous"), 2.0 * np.eye(3))


def test_a_parameter_that_is_an_array_belongs_to_the_whole_stack():
    x = da.from_array(np.stack([A, A.T]), chunks=(1, 4, 4))
    with pytest.raises(TypeError, match="lacks what pinv needs of it"):
        grad(lambda x: np.sum(np.linalg.pinv(x, np.array([1e-3, 1e-1]))))(x)


@pytest.mark.parametrize("matrix", SINGULAR)
def test_a_singular_matrix_has_all_derivatives_of_the_determinant(matrix):
    """Nobody asks whether it is singular before a task has it."""
    a = np.array(SINGULAR[matrix])
    f = lambda x: np.linalg.det(x) ** 2 + np.linalg.det(x)
    product = lambda x, v: hvp(f)(x, v)
    third = lambda x, v: hvp(lambda y: np.sum(product(y, v) * v))(x, v)
    x, v = (da.from_array(part, chunks=-(-len(a) // 2)) for part in (a, np.cos(a)))
    for derivative in (product, third):
        with dask.config.set(scheduler=refused):
            found = derivative(x, v)
        expected = derivative(a, np.cos(a))
        size = np.max(np.abs(expected), initial=1.0)
        np.testing.assert_allclose(found.compute(scheduler="synchronous"), expected, 1e-9, 1e-12 * size)


TALL = np.random.default_rng(4).normal(size=(12, 3))


@pytest.mark.parametrize("chunks", [(12, 3), (4, 3), (6, 3), ((5, 3, 4), 3), (3, 3)], ids=str)
def test_derivatives_of_qr_are_those_of_the_factors_that_dask_gives(chunks):
    """Blocks of rows may give other signs than LAPACK: against differences, and the equation of the factors."""
    x, v = (da.from_array(part, chunks=chunks) for part in (TALL, np.cos(TALL)))
    factors = lambda x: np.concatenate([part.ravel() for part in dask.compute(*np.linalg.qr(x), scheduler="sync")])
    both = lambda x: np.concatenate([np.ravel(part) for part in np.linalg.qr(x)])
    h = 1e-3
    near = [factors(x + k * h * v) for k in (-2, -1, 1, 2)]
    differences = (near[0] - 8.0 * near[1] + 8.0 * near[2] - near[3]) / (12.0 * h)
    q, r = np.split(factors(x), [TALL.size])
    q, r = q.reshape(TALL.shape), r.reshape(3, 3)
    np.testing.assert_allclose(q @ r, TALL, 1e-13, 1e-13)
    with dask.config.set(scheduler=refused):
        value, tangent = jvp(both, [x], [v])
        pulled = vjp(both, x)[1](np.cos(np.arange(value.size * 1.0)))[0]
    value, tangent, pulled = dask.compute(value, tangent, pulled, scheduler="sync")
    np.testing.assert_array_equal(value, factors(x))
    np.testing.assert_allclose(tangent, differences, 1e-9, 1e-9)
    assert np.sum(pulled * np.cos(TALL)) == pytest.approx(np.cos(np.arange(value.size)) @ differences, rel=1e-9)


OF_OTHER_SHAPES = {
    "solve: shapes (4, 4) and (3,) do not go together as (i,i),(i)->(i) says, i is 4 and 3": lambda x: np.linalg.solve(
        x, x[:3, 0]
    ),
    "solve: shapes (4, 4) and (3, 2) do not": lambda x: np.linalg.solve(x, np.ones((3, 2))),
    "solve: a square matrix is needed, or a stack of them, not an array of shape (3, 4)": lambda x: np.linalg.solve(
        x[:3], x[:3]
    ),
    "inv: a square matrix is needed": lambda x: np.linalg.inv(x[:3]),
    "det: a square matrix is needed": lambda x: np.linalg.det(x[:, 1:]),
    "slogdet: a square matrix is needed": lambda x: np.linalg.slogdet(x[0])[1],
    "expm: a square matrix is needed": lambda x: linalg.expm(x[:3]),
    "qr: a matrix is needed": lambda x: np.linalg.qr(x[0])[1],
    "solve_triangular: shapes (4, 4) and (3, 1) do not": lambda x: linalg.solve_triangular(x, x[:3, 0]),
    "solve_sylvester: shapes (4, 4) and (4, 4) and (3, 4) do not": lambda x: linalg.solve_sylvester(x, x, x[:3]),
}


@pytest.mark.parametrize("message", OF_OTHER_SHAPES)
def test_shapes_that_do_not_go_together_are_told_before_anything_is_computed(message):
    """By an error of the class that NumPy's is of, which names the line."""
    f = OF_OTHER_SHAPES[message]
    kind = np.linalg.LinAlgError if "is needed" in message else ValueError
    for differentiate in (lambda x: grad(lambda x: np.sum(f(x)))(x), lambda x: jvp(f, [x], [x])):
        with dask.config.set(scheduler=refused), pytest.raises(kind, match=re.escape(message)) as raised:
            differentiate(da.from_array(A, chunks=2))
        assert "test_dask_whole_axes.py:" in str(raised.value)
    with pytest.raises((ValueError, np.linalg.LinAlgError), match=r"square|shape|core dimension|two-dim"):  # as NumPy
        f(A)


def test_the_stack_of_one_matrix_may_have_a_length_that_nobody_knows():
    x = da.from_array(np.stack([A, A.T, A @ A]), chunks=(1, 2, 4))
    f = lambda x: np.sum(np.linalg.det(x[x[:, 0, 0] > np.min(x[:, 0, 0])]) ** 2)
    np.testing.assert_allclose(grad(f)(x).compute(scheduler="sync"), grad(f)(x.compute(scheduler="sync")), 1e-9)
