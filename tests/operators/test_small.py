"""Jacobians of small arrays, and products with Hessians: the short ways give what the general ones do."""

import gc
import weakref

import numpy as np
import pytest

from autodiff import grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_jacobian
from autodiff.calls import captured
from dualnumbers.table.batching import first_unit

MATRIX = np.random.default_rng(0).normal(size=(4, 6))

FUNCTIONS = {
    "itself": lambda x: x,
    "elements": lambda x: np.sin(x) * np.exp(-x * x) + 2 * x,
    "negative": lambda x: 1.0 - x,
    "a scale": lambda x: x / (1.0 + np.sum(x * x)),
    "broadcast": lambda x: x[..., None] * np.arange(3.0),
    "constant": lambda x: np.ones(2) * 3.0,
    "in part constant": lambda x: np.concatenate([x.ravel(), np.ones(2)]),
    "one": lambda x: np.sum(x, keepdims=True).ravel()[:1],
    "none": lambda x: x.ravel()[:0],
    "a layer": lambda x: np.tanh(MATRIX[:, : x.size] @ x.ravel()),
    "turned": lambda x: np.transpose(x) ** 3,
    "choice": lambda x: np.where(x > 0.5, x**2, 3.0 * x),
    "a maximum": lambda x: np.maximum(x, 0.3) + np.max(x),
    "lists": lambda x: [x.ravel()[0], 2.0 * x.ravel()[0]],
}


@pytest.mark.parametrize("shape", [(1,), (2,), (5,), (2, 3), (1, 1), (0,)])
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_small_jacobian_is_that_of_dual_numbers(f, shape):
    x = np.random.default_rng(1).uniform(0.1, 1.0, shape)
    if f in (FUNCTIONS["lists"], FUNCTIONS["a maximum"]) and not x.size:
        return
    value, found = value_and_jacobian(f)(x)
    one_by_one = jacfwd(f, chunk_size=1)(x)
    assert found.shape == one_by_one.shape
    assert found.dtype == one_by_one.dtype
    np.testing.assert_allclose(found, one_by_one, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(found, jacrev(f)(x), rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(value, f(x))
    found[...] = 7.0
    np.asarray(value)[...] = 7.0
    np.testing.assert_array_equal(x, np.random.default_rng(1).uniform(0.1, 1.0, shape))


def test_what_is_no_small_array_of_doubles_goes_the_general_way():
    single = jacobian(np.sin)(np.ones(2, np.float32))
    assert single.dtype == np.float32
    turned = jacobian(lambda z: z * z)(np.array([1.0 + 2.0j, 3.0]))
    np.testing.assert_allclose(turned, np.diag([2.0 + 4.0j, 6.0]))
    of_dict = jacobian(lambda d: d["w"] * 2.0)({"w": np.ones(2)})
    np.testing.assert_array_equal(of_dict["w"], 2.0 * np.eye(2))
    of_both = jacobian(lambda x, y: x * y, (0, 1))(np.ones(2), np.full(2, 3.0))
    np.testing.assert_array_equal(of_both, [3.0 * np.eye(2), np.eye(2)])


def test_a_small_jacobian_is_differentiated_again():
    x = np.array([0.3, 0.7])
    trace = lambda x: np.trace(jacobian(lambda y: y**3 * y[0])(x))
    np.testing.assert_allclose(grad(trace)(x), grad(lambda x: 4.0 * x[0] ** 3 + 3.0 * x[1] ** 2 * x[0])(x), rtol=1e-14)
    moved = jvp(jacobian(np.sin), [x], [np.ones(2)])[1]
    np.testing.assert_allclose(moved, np.diag(-np.sin(x)), rtol=1e-14)


def test_structural_zeros_win_in_small_jacobians_and_products():
    x = np.array([0.0, 4.0])
    np.testing.assert_array_equal(jacobian(np.sqrt)(x), [[np.inf, 0.0], [0.0, 0.25]])
    product = hvp(lambda x: np.sum(x[1:] ** 2) + np.sum(np.sqrt(x)) * 0.0)
    assert product(np.array([1.0, 4.0]), np.ones(2)).tolist() == [0.0, 2.0]
    assert hvp(lambda x: np.sqrt(x[1]))(x, np.ones(2)).tolist() == [0.0, -1.0 / 32.0]


def test_a_product_is_the_hessian_times_the_vector():
    f = lambda x: np.sum(np.exp(x) * x[::-1] ** 3) + np.linalg.norm(x)
    x, v = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, -3.0])
    np.testing.assert_allclose(hvp(f)(x, v), hessian(f)(x) @ v, rtol=1e-13)
    single = hvp(lambda x: np.sum(x**3))(x.astype(np.float32), v.astype(np.float32))
    assert single.dtype == np.float32
    third = jvp(lambda x: hvp(lambda x: np.sum(x**4))(x, v), [x], [v])[1]
    np.testing.assert_allclose(third, 24.0 * x * v * v, rtol=1e-13)
    by_vector = grad(lambda v: np.sum(hvp(f)(x, v) * v))(v)
    np.testing.assert_allclose(by_vector, 2.0 * hessian(f)(x) @ v, rtol=1e-13)
    of_dict, aux = hvp(lambda d, c: (d["a"] ** 2 * c, "seen"), has_aux=True)({"a": 3.0}, {"a": 5.0}, 2.0)
    assert (of_dict, aux) == ({"a": 20.0}, "seen")
    assert hvp(lambda x: 1.0)(x, v).tolist() == [0.0, 0.0, 0.0]
    calls = []
    hvp(lambda x: (calls.append(0), np.sum(x**3))[1])(x, v)
    assert len(calls) == 1
    with pytest.raises(ValueError, match="the tangent has shape"):
        hvp(f)(x, np.ones(2))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [100, 1000, 8000])
def test_an_array_that_the_function_writes_to_is_used_as_it_was(n, order):
    """From one use to the next, and from one call to the next."""
    scratch = np.zeros((2, n), order=order)

    def f(x):
        total = 0.0
        for k in range(3):
            scratch[...] = k + 1.0
            total = total + np.sum(scratch * x * x)
        return total

    for _ in range(3):
        np.testing.assert_array_equal(grad(f)(np.ones(n)), np.full(n, 24.0))
        np.testing.assert_array_equal(hvp(f)(np.ones(n), np.ones(n)), np.full(n, 24.0))
    scratch[0, 0], scratch[1, 1] = 5.0, -0.0
    found = grad(lambda x: np.sum(scratch * x))(np.ones(n))
    np.testing.assert_array_equal(found, scratch.sum(0))


def test_an_array_exchanged_between_two_calls_is_seen():
    data = np.random.default_rng(0).normal(size=(100, 100))
    f = lambda w: np.sum((data @ w) ** 2)
    w = np.ones(100)
    grad(f)(w)
    for change in (lambda: data.sort(axis=0), lambda: data.__setitem__((3, 4), np.nan), lambda: data.fill(-0.0)):
        change()
        np.testing.assert_allclose(grad(f)(w), 2.0 * data.T @ (data @ w), rtol=1e-12)


def test_copies_go_with_their_arrays_and_are_few():
    for _ in range(3 * captured.ROOM):
        data = np.random.default_rng(0).normal(size=(100, 100))
        grad(lambda w, data=data: np.sum(data @ w))(np.ones(100))
    assert len(captured._COPIES) <= captured.ROOM
    (copy,) = (copy for alive, copy in captured._COPIES.values() if alive() is data)
    assert not copy.array.flags.writeable
    gone, name = weakref.ref(data), id(data)
    del data
    gc.collect()
    assert gone() is None
    assert name not in captured._COPIES


@pytest.mark.parametrize(
    "f",
    [
        lambda x, w: w @ x,
        lambda x, w: np.tanh(x @ w.T),
        lambda x, w: w.T @ np.sin(w @ x),
        lambda x, w: np.sin(np.stack([x, 2.0 * x])) @ w.T,
    ],
)
def test_a_product_with_unit_vectors_is_columns_of_the_matrix(f):
    rng = np.random.default_rng(2)
    w, x = rng.normal(size=(300, 400)), rng.normal(size=400)
    found = [
        jacobian(lambda x: f(x, w))(x),
        jacobian(lambda x: f(x, w), chunk_size=70)(x),
        jacrev(lambda x: f(x, w))(x),
        jacfwd(lambda x: f(x, w))(x),
    ]
    one_by_one = jacfwd(lambda x: f(x, w), chunk_size=1)(x)
    for each in found:
        np.testing.assert_allclose(each, one_by_one, rtol=1e-12, atol=1e-13)
        assert each.flags.writeable
        assert not np.shares_memory(each, w)


def test_vectors_that_are_nearly_unit_vectors_are_multiplied():
    w = np.random.default_rng(3).normal(size=(2000, 600))
    for change in ((0, 0, 2.0), (0, 1, 1.0), (599, 599, np.nan), (300, 300, -1.0), (5, 6, 1e-300)):
        rows = np.eye(600)
        rows[change[:2]] = change[2]
        assert first_unit(w, rows) is None
    assert first_unit(w, np.eye(600)) == 0
    assert first_unit(w, np.eye(600)[100:599]) == 100
    assert first_unit(w, np.eye(600)[::-1]) is None
    assert first_unit(w, np.eye(599, 600, 1)) == 1
    assert first_unit(w, np.eye(600, dtype=np.float32)) is None
