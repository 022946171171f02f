"""Sparse Jacobians and Hessians against dense ones; programs that change; wrong inputs."""

import gc
import threading
import weakref

import numpy as np
import pytest

scipy_sparse = pytest.importorskip("scipy.sparse")

from grids import arrowhead, bratu, brusselator, point, rosenbrock, surface  # noqa: E402

from autodiff import Sparsity, grad, hessian, jacobian, sparsity  # noqa: E402
from autodiff.sparse import evaluation  # noqa: E402
from autodiff.sparse.jacobians import MOST_PROGRAMS, Programs  # noqa: E402


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
@pytest.mark.parametrize("f", [brusselator, bratu], ids=lambda f: f.__name__)
def test_jacobians(f, mode):
    x = point(400)
    expected = jacobian(f)(x)
    for sparse in (True, sparsity(f, x)):
        found = jacobian(f, mode=mode, sparse=sparse)(x)
        assert isinstance(found, scipy_sparse.csr_array)
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize(("f", "n"), [(rosenbrock, 100), (arrowhead, 100), (surface, 144)])
def test_hessians(f, n):
    x = point(n)
    expected = hessian(f)(x)
    for sparse in (True, sparsity(grad(f), x)):
        found = hessian(f, sparse=sparse)(x)
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12, atol=1e-13 * np.max(np.abs(expected)))
        assert (found != found.T).nnz == 0


def test_minimal_surface_by_products():
    x, v = point(3600), np.random.default_rng(1).normal(size=3600)
    from autodiff import hvp

    product = hvp(surface)(x, v)
    np.testing.assert_allclose(
        hessian(surface, sparse=True)(x) @ v, product, rtol=0, atol=1e-13 * np.max(np.abs(product))
    )


def test_structures_and_arguments():
    def f(p, scale):
        return {"a": p["x"] ** 2 * scale, "b": np.sum(p["y"])}

    p = {"x": np.array([1.0, 2.0]), "y": np.ones((2, 2))}
    by_p, by_scale = jacobian(f, (0, 1), sparse=True)(p, 3.0)
    assert by_p["a"]["x"].toarray().tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert by_p["a"]["y"].shape == (2, 4)
    assert by_p["a"]["y"].nnz == 0
    assert by_p["b"]["y"].toarray().tolist() == [[1.0] * 4]
    assert by_scale["a"].toarray().tolist() == [[1.0], [4.0]]
    assert jacobian(f, "scale", sparse=True)(p, scale=3.0)["a"].toarray().tolist() == [[1.0], [4.0]]
    (first, mixed), (mirrored, _) = hessian(lambda x, y: np.sum(x**3 * y), (0, 1), sparse=True)(p["x"], 2.0)
    assert first.toarray().tolist() == [[12.0, 0.0], [0.0, 24.0]]
    assert mixed.toarray().tolist() == mirrored.T.toarray().tolist() == [[3.0], [12.0]]


def test_small_and_empty():
    assert jacobian(lambda x: x * x, sparse=True)(3.0).toarray().tolist() == [[6.0]]
    assert hessian(lambda x: x[0] ** 3, sparse=True)(np.array([2.0])).toarray().tolist() == [[12.0]]
    assert jacobian(lambda x: x * x, sparse=True)(np.zeros(0)).shape == (0, 0)
    assert jacobian(lambda x: x[:0], sparse=True)(np.ones(3)).shape == (0, 3)
    constant = jacobian(lambda x: np.ones(4), sparse=True)(np.ones(3))
    assert (constant.shape, constant.nnz) == ((4, 3), 0)
    assert jacobian(lambda x: x * x, sparse=True)(np.ones(2, np.float32)).dtype == np.float32


def test_half_precision_is_single_in_a_sparse_array():
    """SciPy can make no dense array of a sparse one of float16, nor add two."""
    x, f = np.arange(1.0, 4.0, dtype=np.float16), lambda x: x[1:] * x[:-1]
    for sparse in (True, sparsity(f, x)):
        found = jacobian(f, sparse=sparse)(x)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found.toarray(), jacobian(f)(x))
    np.testing.assert_array_equal(
        hessian(lambda x: np.sum(f(x)), sparse=True)(x).toarray(), np.eye(3, k=1) + np.eye(3, k=-1)
    )


def test_complex():
    x = point(3)
    for mode in ("forward", "reverse"):
        found = jacobian(lambda x: np.exp(1j * x) * x[::-1] + x, mode=mode, sparse=True)(x)
        np.testing.assert_allclose(found.toarray(), jacobian(lambda x: np.exp(1j * x) * x[::-1] + x)(x), rtol=1e-14)
    with pytest.raises(TypeError, match=r"by real numbers; .*give its real and imaginary parts \(at .*\.py:\d+\)"):
        jacobian(lambda z: z * z, sparse=True)(x + 1j)


def test_structural_zeros_meet_infinite_slopes():
    x = np.array([0.0, 4.0])
    assert jacobian(lambda x: np.sqrt(x)[1:], sparse=True)(x).toarray().tolist() == [[0.0, 0.25]]
    found = jacobian(lambda x: np.sqrt(x) * np.array([0.0, 1.0]), mode="reverse", sparse=True)(x)
    np.testing.assert_array_equal(found.toarray(), jacobian(lambda x: np.sqrt(x) * np.array([0.0, 1.0]))(x))


@pytest.mark.parametrize("size", [1, 2, 5])
def test_so_many_directions_go_at_a_time(size, monkeypatch):
    sizes = []
    batch = evaluation.batch
    monkeypatch.setattr(evaluation, "batch", lambda data, level: sizes.append(len(data)) or batch(data, level))
    x = point(100)
    for mode in ("forward", "reverse"):
        found = jacobian(brusselator, mode=mode, sparse=True, chunk_size=size)(x)
        np.testing.assert_allclose(found.toarray(), jacobian(brusselator)(x), rtol=1e-12, atol=1e-11)
    found = hessian(rosenbrock, sparse=True, chunk_size=size)(x)
    np.testing.assert_allclose(found.toarray(), hessian(rosenbrock)(x), rtol=1e-12, atol=1e-10)
    assert max(sizes, default=1) == min(size, 5)


def test_a_large_element_does_not_hide_one_outside_a_pattern():
    f = lambda x: np.stack([1e12 * x[0], 1e-4 * x[1], x[2]])
    lacking = Sparsity(scipy_sparse.coo_array((np.ones(2), ([0, 2], [0, 2])), shape=(3, 3)))
    for mode in ("forward", "reverse"):
        with pytest.raises(ValueError, match="elements outside its given pattern, in row 1"):
            jacobian(f, mode=mode, sparse=lacking)(np.ones(3))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_rounding_where_terms_cancel_is_no_element_outside_a_pattern(mode):
    n = 2000
    f = lambda x: np.concatenate([np.sin(x[1:]) ** 2 + np.cos(x[1:]) ** 2, x[:1] ** 2])
    pattern = scipy_sparse.coo_array((np.ones(1), ([n - 1], [0])), shape=(n, n))
    found = jacobian(f, mode=mode, sparse=Sparsity(pattern))(point(n))
    assert found.nnz == 1


# ------------------------------------------------------------------------------------------------ other programs


def branching(x):
    return x * x[::-1] if x[0] > 0 else x**2


def sorting(x):
    return x[np.argsort(x)] ** 2


def growing(x):
    total = x
    while np.sum(total) < 20.0:
        total = total + np.roll(total, 1)
    return total


def masked(x):
    z = x.copy()
    z[z < 0] = np.sum(x)
    return z


@pytest.mark.parametrize("f", [branching, sorting, growing, masked], ids=lambda f: f.__name__)
def test_a_changed_program_is_noticed(f):
    points = [np.array(x) for x in ([1.0, 2.0, 3.0, 4.0], [-1.0, 3.0, 2.0, 2.5], [5.0, -4.0, 9.0, 6.0])]
    derivative = jacobian(f, sparse=True)
    for x in [*points, *points[::-1]]:
        np.testing.assert_allclose(derivative(x).toarray(), jacobian(f)(x), rtol=1e-14)


def test_another_shape_or_constant_is_another_program():
    matrix = np.array([[1.0, 0.0], [0.0, 1.0]])

    def f(x):
        return matrix @ x[:2] + np.sum(x[2:])

    derivative = jacobian(f, sparse=True)
    for n in (2, 3, 4, 3):
        np.testing.assert_array_equal(derivative(np.arange(1.0, n + 1)).toarray(), jacobian(f)(np.arange(1.0, n + 1)))
    matrix[0, 1] = 5.0
    assert derivative(np.array([1.0, 2.0])).toarray().tolist() == [[1.0, 5.0], [0.0, 1.0]]


def test_the_same_program_is_looked_at_once(monkeypatch):
    looked = []
    monkeypatch.setattr("autodiff.sparse.jacobians.pattern_of", _counting(looked))
    f = lambda x: np.sin(x) * x[::-1]
    for k in range(3):
        jacobian(f, sparse=True)(np.full(4, float(k)))
    assert len(looked) == 1
    jacobian(f, sparse=True)(np.ones(5))
    assert len(looked) == 2


def _counting(looked):
    from autodiff.sparse.pattern import pattern_of

    def counted(*args):
        looked.append(args)
        return pattern_of(*args)

    return counted


def test_not_too_many_programs_are_kept():
    f = lambda x: x * x
    for n in range(MOST_PROGRAMS + 5):
        jacobian(f, sparse=True)(np.ones(n + 1))
    assert len(Programs.of(f).known) == MOST_PROGRAMS


def test_a_function_is_not_kept_alive():
    def f(x):
        return x * x

    jacobian(f, sparse=True)(np.ones(3))
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_callables_that_are_no_keys():
    class Squares:
        __hash__ = None

        def __call__(self, x):
            return x * x

    assert jacobian(Squares(), sparse=True)(np.ones(2)).toarray().tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_threads():
    derivative, wrong = jacobian(branching, sparse=True), []

    def work(seed):
        for _ in range(20):
            x = np.random.default_rng(seed).uniform(-1.0, 1.0, 5)
            if not np.allclose(derivative(x).toarray(), jacobian(branching)(x), rtol=1e-12):
                wrong.append(x)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# -------------------------------------------------------------------------------------------- patterns that are given


def test_a_given_pattern_is_checked():
    found = sparsity(branching, np.array([-1.0, 2.0, 3.0]))
    derivative = jacobian(branching, sparse=found)
    assert derivative(np.array([-2.0, 5.0, 1.0])).toarray().tolist() == np.diag([-4.0, 10.0, 2.0]).tolist()
    for mode in ("forward", "reverse"):
        with pytest.raises(ValueError, match=r"outside its given pattern, .*write sparse=True"):
            jacobian(branching, mode=mode, sparse=found)(np.array([2.0, 5.0, 1.0]))
    with pytest.raises(ValueError, match="outside its given pattern"):
        hessian(rosenbrock, sparse=Sparsity(np.eye(4)))(point(4))


def test_a_pattern_may_be_too_dense():
    x = point(6)
    found = jacobian(brusselator, sparse=Sparsity(np.ones((6, 6))))(x)
    np.testing.assert_allclose(found.toarray(), jacobian(brusselator)(x), rtol=1e-14)


def test_wrong_inputs():
    with pytest.raises(ValueError, match=r"the pattern given has shape \(3, 3\), the derivative \(4, 4\)"):
        jacobian(bratu, sparse=Sparsity(np.eye(3)))(point(4))
    with pytest.raises(TypeError, match=r"sparse is True, False or what autodiff.sparsity\(f, x\) returns; got str"):
        jacobian(bratu, sparse="csr")
    with pytest.raises(TypeError, match=r"write autodiff.Sparsity\(pattern\)"):
        hessian(surface, sparse=scipy_sparse.csr_array(np.eye(4)))
    with pytest.raises(TypeError, match="holds plain numbers, and inside another differentiation"):
        grad(lambda x: jacobian(bratu, sparse=True)(x).sum())(point(4))
    with pytest.raises(TypeError, match="an integer has no derivative"):
        jacobian(lambda x: 3, sparse=True)(point(4))
    with pytest.raises(TypeError, match="needs a number"):
        hessian(bratu, sparse=True)(point(4))
    with pytest.raises(ValueError, match="mode is one of"):
        jacobian(bratu, mode="backward", sparse=True)
    with pytest.raises(IndexError, match="argnums=3"):
        sparsity(bratu, point(4), argnums=3)


def test_a_given_pattern_is_checked_where_derivatives_are_infinite():
    turned, nowhere = Sparsity(np.eye(3)[::-1]), lambda a: np.sqrt(a[::-1]) * np.array([1.0, np.nan, 1.0])
    for mode in ("forward", "reverse"):
        for f in (lambda a: np.sqrt(a[::-1]), nowhere):
            with pytest.raises(ValueError, match=r"it lacks some: write sparse=True"):
                jacobian(f, mode=mode, sparse=Sparsity(np.eye(3)))(np.zeros(3))
        found = jacobian(lambda a: np.sqrt(a[::-1]), mode=mode, sparse=turned)(np.zeros(3))
        assert found.toarray().tolist() == np.where(np.eye(3)[::-1], np.inf, 0.0).tolist()


def test_the_pattern_by_an_argument_given_by_name():
    x = point(3)
    found = sparsity(lambda a, b: a[::-1] * b, a=x, b=x, argnums="b")
    assert found.pattern.toarray().tolist() == np.eye(3).tolist()
