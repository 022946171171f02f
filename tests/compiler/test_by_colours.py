"""Sparse Jacobians and Hessians in compiled functions, and dense Hessians whose pattern is thin."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from autodiff import hessian, jacobian, jit, value_grad_and_hessian

pytest.importorskip("llvmlite")
scipy_sparse = pytest.importorskip("scipy.sparse")

X = np.linspace(-1.0, 2.0, 60)


def chain(x):
    return x[1:] * x[:-1] + np.sin(x[1:])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def check(f, *points):
    """Compare at points, after the recording at the first of them."""
    compiled = jit(f)
    for x in (points[0], *points):
        found, expected = compiled(x), f(x)
        assert type(found) is type(expected)
        assert_allclose(found.toarray(), expected.toarray(), rtol=1e-13, atol=1e-13)
        assert (found.indices == expected.indices).all()
    assert [form["eager"] for form in compiled.stats()] == [""]
    return compiled


@pytest.mark.parametrize("f", [chain, lambda x: np.sum(chain(x)) * x[:3], lambda x: x[::-1] ** 3])
@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_sparse_jacobians_are_programs(f, mode):
    check(jacobian(f, mode=mode, sparse=True), X, X * 2.0, np.zeros(60))


def test_a_sparse_result_is_the_callers_own():
    compiled = check(jacobian(chain, sparse=True), X)
    one = compiled(X)
    one.data[:], one.indices[:], one.indptr[:] = 0.0, 0, 0
    assert_allclose(compiled(X).toarray(), jacobian(chain, sparse=True)(X).toarray(), rtol=1e-13, atol=1e-13)
    both = jit(lambda x: {"matrix": jacobian(chain, sparse=True)(x), "value": chain(x)})
    for x in (X, X + 1.0):
        found = both(x)
        assert_allclose(found["matrix"].toarray(), jacobian(chain, sparse=True)(x).toarray(), rtol=1e-13, atol=1e-13)
        assert_allclose(found["value"], chain(x), rtol=1e-13)


def test_a_pattern_that_rests_on_an_argument_is_not_taken_from_its_values():
    """The matrix is 0 where it is recorded, and dense where the program is called again."""
    f = lambda a, x: jacobian(lambda x: a @ np.sin(x), sparse=True)(x).toarray()
    compiled = jit(lambda a, x: jacobian(lambda x: a @ np.sin(x), sparse=True)(x).data)
    x, a = X[:4], np.diag([1.0, 2.0, 0.0, 3.0])
    compiled(a, x)
    full = np.arange(1.0, 17.0).reshape(4, 4)
    assert_allclose(compiled(full, x).reshape(4, 4), f(full, x), rtol=1e-13)


@pytest.mark.parametrize(
    "of",
    [
        rosenbrock,
        lambda x: np.sum(np.sin(x) * x),
        lambda x: np.sum(np.where(x > 0.5, x**3, x)),
        lambda x: np.sum(np.exp(x.reshape(6, 10)[1:] - x.reshape(6, 10)[:-1])),
        lambda x: np.sum(x) ** 2,
        lambda x: np.sum(np.abs(x)) * 2.0,
    ],
)
def test_dense_hessians(of):
    all_three, dense, lone = value_grad_and_hessian(of), hessian(of), value_grad_and_hessian(of, (0,))
    compiled = jit(all_three), jit(dense), jit(lone)
    for x in (X, X * 2.0, X[::-1].copy()):
        value, slope, curvature = all_three(x)
        found = compiled[0](x)
        assert_allclose(found[0], value, rtol=1e-13)
        assert_allclose(found[1], slope, rtol=1e-12, atol=1e-12)
        assert_allclose(found[2], curvature, rtol=1e-12, atol=1e-12)
        assert_allclose(compiled[1](x), curvature, rtol=1e-12, atol=1e-12)
        (slopes,), ((other,),) = compiled[2](x)[1:]
        assert_allclose(slopes, slope, rtol=1e-12, atol=1e-12)
        assert_allclose(other, curvature, rtol=1e-12, atol=1e-12)


def test_a_thin_hessian_takes_as_many_products_as_it_has_colours():
    compiled = jit(hessian(rosenbrock))
    assert "3 × 59" in compiled.program(X)
    assert "60 × 59" not in compiled.program(X)


def test_a_hessian_that_is_not_finite_at_other_values():
    """Where an infinite element meets a zero of a direction, the directions go by themselves."""
    f = hessian(lambda x: np.sum(np.sqrt(x[1:]) * x[:-1]))
    compiled = jit(f)
    for x in (X + 2.0, np.where(X > 0.0, X, 0.0), X + 3.0):
        assert_allclose(compiled(x), f(x), rtol=1e-12, atol=1e-12)
