"""Products of matrices in machine code, large ones by BLAS: against NumPy's, in loops, and without SciPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("llvmlite")
pytest.importorskip("scipy")

from autodiff import grad, jit, value_and_grad
from autodiff.compiler.native.machine import blas
from autodiff.compiler.native.machine.blas import as_columns
from autodiff.compiler.native.rows import products

RNG = np.random.default_rng(0)
A, B, V = RNG.normal(size=(30, 40)), RNG.normal(size=(40, 20)), RNG.normal(size=40)
STACK = RNG.normal(size=(3, 30, 40))
LONG = RNG.normal(size=5000)


def paths(compiled):
    return [path for form in compiled._programs.forms.values() for path in form.paths]


def is_whole(compiled):
    found = paths(compiled)
    return bool(found) and all(path.source.native and path.source.native.whole for path in found)


@pytest.mark.parametrize("arguments", [
    (A, B), (A[::-1], B), (A, B[:, ::-2]), (np.asfortranarray(A), B), (A, np.asfortranarray(B)), (A.T.copy().T, B),
    (np.tile(A, (3, 1)), V), (V, np.tile(B, 4)), (LONG, LONG), (LONG[::-1], LONG), (LONG[::7], np.tile(LONG[::7], 1)),
    (STACK, B), (STACK, RNG.normal(size=(2, 1, 40, 20))), (STACK, V), (V, RNG.normal(size=(2, 40, 60))),
    (A[:, :1], RNG.normal(size=(1, 90))), (A[:1], RNG.normal(size=(40, 60))), (A.astype(np.float32), B),
    (A.astype(np.float32), B.astype(np.float32)), (np.broadcast_to(V, (70, 40)), B), (A, np.broadcast_to(1.0, (40, 9))),
    (A[:0], B), (A[:, :0], B[:0]), (np.full((50, 50), np.inf), np.eye(50)), (np.eye(50) * np.nan, np.eye(50)),
    (A.reshape(30, 4, 10)[:, 0], RNG.normal(size=(10, 30))), (A * 1e300, B * 1e300),
])  # fmt: skip
def test_products(arguments):
    """Of any layout; their gradients, too."""

    def both(x, y):
        return x @ y, (np.sin(x) @ np.cos(y)) * 0.5

    slope = grad(lambda x, y: np.sum(np.cos(x @ y)), (0, 1))
    with np.errstate(all="ignore"):
        for f in (both, slope):
            compiled = jit(f)
            for _ in range(2):
                for found, expected in zip(compiled(*arguments), f(*arguments), strict=True):
                    assert np.shape(found) == np.shape(expected)
                    assert np.result_type(found) == np.result_type(expected)
                    near = 1e-5 if any(x.dtype == np.float32 for x in arguments) else 1e-11
                    size = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
                    assert_allclose(found, expected, rtol=near, atol=near * size)
            if all(0.0 < np.max(np.abs(x), initial=0.0) < 1e9 for x in arguments):
                assert is_whole(compiled)


def test_what_a_product_takes_from_python_and_gives_to_it():
    """Between steps that have no machine code, and with a decision by its value."""

    def f(x):
        y = x @ A.T
        if np.sum(y) > 0.0:
            y = np.sort(y, -1)
        return y[::2] @ (A @ np.cumsum(B, 0)), y @ y.T

    compiled = jit(f)
    for sign in (1.0, -1.0, 1.0):
        x = sign * np.abs(np.tile(A, (2, 1))) * np.sign(np.sum(A.T, 1))
        for found, expected in zip(compiled(x), f(x), strict=True):
            assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


def recurrent(by_input, by_state, bias):
    h = np.zeros((16, 32))
    for x in np.linspace(-1.0, 1.0, 40 * 16 * 8).reshape(40, 16, 8):
        h = np.tanh(x @ by_input + h @ by_state + bias)
    return np.sum(h * h)


def descended(w, v):
    """Steps of gradient descent down the error of a network."""
    x, y = np.linspace(-1.0, 1.0, 400).reshape(50, 8), np.linspace(0.0, 1.0, 50)
    loss = lambda w, v: np.mean((np.tanh(x @ w) @ v - y) ** 2)
    slopes = grad(loss, (0, 1))
    for _ in range(30):
        dw, dv = slopes(w, v)
        w, v = w - 0.1 * dw, v - 0.1 * dv
    return loss(w, v), w


@pytest.mark.parametrize(("f", "shapes"), [
    (value_and_grad(recurrent, (0, 1, 2)), [(8, 32), (32, 32), (32,)]), (descended, [(8, 20), (20,)]),
])  # fmt: skip
def test_loops_of_products_are_loops_of_machine_code(f, shapes):
    compiled = jit(f)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        xs = [0.2 * rng.normal(size=shape) for shape in shapes]
        found, expected = (np.concatenate([np.ravel(x) for x in flat(part)]) for part in (compiled(*xs), f(*xs)))
        assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
    assert is_whole(compiled)
    (path,) = paths(compiled)
    groups = path.source.native.parts.blocks[0].groups
    calls = sum(line.form == "matmul" for group in groups for line in getattr(group, "lines", [group]))
    assert 3 <= calls <= 25


def flat(tree):
    return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, (tuple, list)) else [tree]


def test_without_blas_products_are_left_to_numpy(monkeypatch):
    monkeypatch.setattr(blas, "address", lambda name, kind: 0)
    compiled = jit(lambda x, y: np.sin(x @ y) + 1.0)
    assert_allclose(compiled(A, B), np.sin(A @ B) + 1.0, rtol=1e-13)
    assert not is_whole(compiled)
    assert paths(compiled)[0].source.native_steps


def test_exact_products_are_those_of_numpy():
    assert_array_equal(jit(lambda x, y: x @ y, exact=True)(A, B), A @ B)


def test_addresses_of_other_signatures_are_not_taken(monkeypatch):
    monkeypatch.setitem(blas.BEGINNINGS, "gemm", b"void (int64_t *")
    blas.address.cache_clear()
    try:
        assert not blas.is_there("f8")
    finally:
        blas.address.cache_clear()


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 3), (4, 4)])
def test_matrices_by_columns(shape):
    """What BLAS would read is the matrix."""
    whole = np.arange(4000.0)
    for strides in [(a, b) for a in (-1, 0, 1, 2, 3, 4, 5, 9) for b in (-1, 0, 1, 2, 3, 4, 5, 9)]:
        steps = [s * 8 for s in strides]
        matrix = np.lib.stride_tricks.as_strided(whole[2000:], shape, steps)
        found = as_columns(shape, strides)
        if found is None:
            continue
        how, leading = found
        rows, columns = shape if how == "N" else shape[::-1]
        assert leading >= max(1, rows)
        read = np.lib.stride_tricks.as_strided(whole[2000:], (rows, columns), (8, 8 * leading))
        assert_array_equal(read if how == "N" else read.T, matrix)


WHOLE = ("ij,jk->ik", "ij,kj->ki", "ij,ij->i", "bij,bjk->bik", "abi,abj->ij", "i,j->ji")
SUBSCRIPTS = (*WHOLE, "ij,ij->", "ii->i", "ii->", "ij->j", "ij->ji", "ijk,kj->i", "bij,bjk->kbi", "ii,ij->j", "ij,j->",
              "i,i->", "ijj,jk->ik", "ab,cd->", ",ij->ji", "ijb,kjb->bik")  # fmt: skip


@pytest.mark.parametrize("small", [products.SMALL, 0])
@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
def test_einsum(subscripts, small, monkeypatch):
    """Of operands in several layouts; and their gradients."""
    monkeypatch.setattr(products, "SMALL", small)
    terms = subscripts.split("->")[0].split(",")
    rng, extents = np.random.default_rng(0), dict(zip("ijkabcd", (5, 4, 6, 3, 2, 1, 3), strict=True))
    operands = [rng.normal(size=[extents[label] for label in term]) for term in terms]
    flipped = [x[::-1] if x.ndim else x for x in operands]
    slopes = grad(lambda *xs: np.sum(np.sin(np.einsum(subscripts, *xs))), tuple(range(len(terms))))
    for f in (lambda *xs: np.einsum(subscripts, *xs), slopes):
        compiled = jit(f)
        for xs in (operands, [np.array(x, order="F") for x in operands], flipped, operands):
            for x, y in zip(flat(compiled(*xs)), flat(f(*xs)), strict=True):
                assert_allclose(x, y, rtol=1e-11, atol=1e-11 * np.max(np.abs(y)))
        assert is_whole(compiled) or subscripts not in WHOLE


@pytest.mark.parametrize("f", [
    lambda x: np.dot(x, x.T), lambda x: np.inner(x, x[::-1]), lambda x: np.vdot(x, x), lambda x: np.dot(x[0], x.T),
    lambda x: np.trace(x[:, :30], 2), lambda x: np.inner(x[0], x), lambda x: np.tensordot(x, x, 2),
    lambda x: np.outer(x, x[0]), lambda x: np.linalg.multi_dot([x, x.T, x]), lambda x: np.clip(x, -0.5, 0.25),
    lambda x: np.clip(x, x[::-1] - 1.0, 2.0), lambda x: np.mod(np.abs(x), np.inf) * 0.5,
    lambda x: np.mod(x, 0.3) + np.remainder(x, -0.7),
])  # fmt: skip
def test_products_by_other_names(f):
    for g in (f, grad(lambda x: np.sum(np.sin(f(x))))):
        compiled = jit(g)
        for x in (A, -A, A[::-1]):
            assert_allclose(compiled(x), g(x), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("f", [np.vdot, lambda x, y: np.einsum(",", x, y), lambda x, y: np.einsum(",->", x, y)])
def test_products_of_arrays_of_no_axes(f):
    x, y = np.array(2.0), np.array(3.0)
    for g in (f, grad(f, (0, 1))):
        compiled = jit(g)
        assert_array_equal(compiled(x, y), g(x, y))
        assert is_whole(compiled)
