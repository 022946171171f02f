"""Second derivatives where singular values are 0: even functions of them are smooth there, others have a kink."""

import contextlib

import numpy as np
import pytest
from table import nestings
from test_linear_algebra import JACOBIANS, TURN

import autodiff.scipy.linalg
from autodiff import Variable, grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, vjp

RNG = np.random.default_rng(8)
LEFT, RIGHT = RNG.normal(size=(4, 2)), RNG.normal(size=(2, 3))
DEFICIENT = {
    "one zero": np.diag([1.0, 0.0]),
    "ones": np.ones((3, 3)),
    "zeros": np.zeros((2, 2)),
    "zeros, tall": np.zeros((3, 2)),
    "a number": np.zeros((1, 1)),
    "tall": LEFT @ RIGHT,
    "wide": (LEFT @ RIGHT).T,
    "rank 1": np.outer(LEFT[:, 0], RIGHT[0]),
    "rank 2 of 4": LEFT @ RNG.normal(size=(2, 4)),
    "equal values": TURN @ np.diag([2.0, 2.0, 0.0, 0.0]) @ TURN.T,
    "a stack": np.stack([np.diag([1.0, 0.0]), np.diag([1.0, 2.0]), np.zeros((2, 2)), np.eye(2)]),
    "small": np.full((3, 3), 1e-2),
    "large": 100.0 * LEFT @ RIGHT,
}


def transposed(a):
    return np.swapaxes(a, -1, -2)


def log_det(a):
    return np.sum(np.linalg.slogdet(np.eye(a.shape[-1]) + transposed(a) @ a)[1])


def values_of(a):
    return np.linalg.svdvals(a)


EVEN = {
    "squares": (lambda a: np.sum(values_of(a) ** 2), lambda a: np.sum(a * a)),
    "of svd": (lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 2), lambda a: np.sum(a * a)),
    "of SciPy": (lambda a: np.sum(autodiff.scipy.linalg.svdvals(a) ** 2), lambda a: np.sum(a * a)),
    "fourth powers": (lambda a: np.sum(values_of(a) ** 4), lambda a: np.sum((transposed(a) @ a) ** 2)),
    "logarithms": (lambda a: np.sum(np.log1p(values_of(a) ** 2)), log_det),
    "a product": (
        lambda a: np.sum(values_of(a) ** 2) * np.sum(np.log1p(values_of(a) ** 2)),
        lambda a: np.sum(a * a) * log_det(a),
    ),
    "length": (lambda a: np.sqrt(1.0 + np.sum(values_of(a) ** 2)), lambda a: np.sqrt(1.0 + np.sum(a * a))),
    "cosines": (lambda a: np.sum(np.cos(1e-4 * values_of(a))), None),
}


def expected_of(name, x):
    """By the matrix itself; else by differences of the gradient, which is that of a smooth function."""
    f, of_the_matrix = EVEN[name]
    if of_the_matrix is not None:
        return hessian(of_the_matrix)(x)
    step = 1e-2 * max(1.0, np.abs(x).max())
    units = step * np.eye(x.size).reshape(x.size, *x.shape)
    columns = [(8 * (grad(f)(x + e) - grad(f)(x - e)) - grad(f)(x + 2 * e) + grad(f)(x - 2 * e)) for e in units]
    return np.stack(columns, -1).reshape(*x.shape, *x.shape) / (12 * step)


@pytest.mark.parametrize("matrix", DEFICIENT)
@pytest.mark.parametrize("name", EVEN)
def test_even_functions_are_smooth_where_singular_values_are_0(name, matrix):
    f, x = EVEN[name][0], DEFICIENT[matrix]
    expected, v = expected_of(name, x), RNG.normal(size=x.shape)
    close = {"rtol": 1e-9, "atol": (1e-10 if EVEN[name][1] else 1e-6) * np.abs(expected).max()}
    for how, second in nestings(f, (0, 0), JACOBIANS):
        if how != "forward in forward":
            np.testing.assert_allclose(second(x), expected, **close, err_msg=how)
        elif x.size < 6:  # it does not see of which function: NaN, no other number
            found = second(x)
            np.testing.assert_allclose(np.where(np.isnan(found), expected, found), expected, **close, err_msg=how)
    np.testing.assert_allclose(hessian(f)(x), expected, **close)
    along = np.tensordot(expected, v, x.ndim)
    np.testing.assert_allclose(hvp(f)(x, v), along, **close)
    np.testing.assert_allclose(linearize(grad(f), x)[1](v), along, **close)
    np.testing.assert_allclose(vjp(grad(f), x)[1](v)[0], along, **close)
    np.testing.assert_allclose(grad(lambda x: jvp(f, [x], [v])[1])(x), along, **close)
    w = Variable(x)
    np.sum(grad(f)(w) * v).backward()
    np.testing.assert_allclose(w.grad, along, **close)


ODD = {
    "nuclear norm": lambda a: np.linalg.norm(a, "nuc"),
    "the smallest": lambda a: np.linalg.norm(a, -2),
    "weights": lambda a: 0.25 * values_of(a)[-1] + np.sum(values_of(a) ** 2),
    "of svd": lambda a: np.linalg.svd(a, compute_uv=False)[-1],
    "exp": lambda a: np.sum(np.exp(values_of(a))),
}


@pytest.mark.parametrize("matrix", ["one zero", "tall", "wide"])
@pytest.mark.parametrize("name", ODD)
def test_others_have_no_second_derivative_there(name, matrix):
    """The slope stays 0 by convention."""
    f, x = ODD[name], DEFICIENT[matrix]
    for how, second in nestings(f, (0, 0), JACOBIANS):
        if how == "forward in forward":
            with contextlib.suppress(np.linalg.LinAlgError):
                assert x.size > 4 or np.any(np.isnan(second(x)))
            continue
        with pytest.raises(np.linalg.LinAlgError, match="is 0 has a kink"):
            second(x)
    with pytest.raises(np.linalg.LinAlgError, match=r"is 0 has a kink.*np.sum\(a \* a\)"):
        hessian(f)(x)
    with pytest.raises(np.linalg.LinAlgError, match="is 0 has a kink"):
        hvp(f)(x, np.ones(x.shape))
    np.testing.assert_allclose(jacfwd(f)(x), grad(f)(x), atol=1e-13)


def test_directions_along_which_no_singular_value_leaves_0():
    """The nuclear norm of a product of thin factors is smooth in them; of one matrix by a number it is linear."""

    def nuclear(p):
        return np.linalg.norm(p[:8].reshape(4, 2) @ p[8:].reshape(2, 3), "nuc")

    x = np.concatenate([LEFT.ravel(), RIGHT.ravel()])
    steps = 1e-3 * np.eye(x.size)
    slopes = [
        8 * (grad(nuclear)(x + e) - grad(nuclear)(x - e)) - grad(nuclear)(x + 2 * e) + grad(nuclear)(x - 2 * e)
        for e in steps
    ]
    for how, second in nestings(nuclear, (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(x), np.array(slopes).T / 12e-3, atol=1e-8, err_msg=how)
    found = hessian(lambda t: t * np.linalg.norm(t * np.ones((3, 3)), "nuc"))(2.0)
    np.testing.assert_allclose(found, 6.0, rtol=1e-13)


def _first_vectors(a):
    u, _, vh = np.linalg.svd(a)
    return np.sum(np.outer(u[:, 0], vh[0]) * np.arange(9.0).reshape(3, 3) ** 2)


BESIDE = {
    "spectral norm": lambda a: np.linalg.norm(a, 2),
    "the first": lambda a: np.exp(values_of(a)[0]),
    "the first vectors": _first_vectors,
}


@pytest.mark.parametrize("name", BESIDE)
def test_what_belongs_to_other_singular_values_than_those_that_are_0(name):
    f, x = BESIDE[name], RNG.normal(size=(3, 2)) @ RNG.normal(size=(2, 3))
    steps = 1e-3 * np.eye(9).reshape(9, 3, 3)
    slopes = [8 * (grad(f)(x + e) - grad(f)(x - e)) - grad(f)(x + 2 * e) + grad(f)(x - 2 * e) for e in steps]
    expected = np.stack(slopes, -1).reshape(3, 3, 3, 3) / 12e-3
    for how, second in nestings(f, (0, 0), JACOBIANS):
        np.testing.assert_allclose(second(x), expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max(), err_msg=how)


@pytest.mark.parametrize("compute_uv", [False, True])
def test_of_hermitian_matrices(compute_uv):
    def f(a):
        found = np.linalg.svd((a + a.T) / 2, compute_uv=compute_uv, hermitian=True)
        return np.sum((found.S if compute_uv else found) ** 2)

    expected = hessian(lambda a: np.sum((a + a.T) ** 2) / 4)(np.eye(3))
    np.testing.assert_allclose(hessian(f)(np.diag([1.0, -2.0, 0.0])), expected, atol=1e-14)


def test_of_complex_and_single_matrices():
    start, along = np.outer([1, 1j, 2], [1, 2j, 0.5]), RNG.normal(size=(2, 3, 3)) * [[[1]], [[1j]]]

    def squares(x, of):
        a = start + x[0] * along[0] + x[1] * along[1]
        return np.sum(of(a) ** 2)

    expected = hessian(lambda x: squares(x, np.abs))(np.zeros(2))
    np.testing.assert_allclose(hessian(lambda x: squares(x, np.linalg.svdvals))(np.zeros(2)), expected, atol=1e-13)
    found = hessian(EVEN["squares"][0])(np.ones((3, 3), np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 2 * np.eye(9).reshape(3, 3, 3, 3), atol=1e-5)


@pytest.mark.parametrize("seed", range(30))
def test_sweeps_of_one_recording_one_after_the_other(seed):
    """The vectors of equal values that one sweep chose may do for the next: those of σ and −σ then match as well."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))[0]
    x = turn @ np.diag([2.0, 2.0, 2.0, 2.0]) @ turn.T
    f = lambda a: np.sqrt(np.sum(np.linalg.svdvals((a + a.T) / 2) ** 2))
    expected = hessian(lambda a: np.linalg.norm((a + a.T) / 2))(x)
    np.testing.assert_allclose(jacrev(grad(f))(x), expected, rtol=0, atol=1e-12)
