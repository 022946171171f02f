"""Arrays of CuPy, on a GPU: derivatives stay there, and are those of NumPy's arrays."""

import numpy as np
import pytest
import scipy.special
from foreign_programs import PROGRAMS, W, X, Y, of

from autodiff import checkpoint, grad, hessian, hvp, jacobian, jvp, nn, value_and_grad, vmap
from autodiff.scipy.linalg import expm, solve_triangular
from autodiff.scipy.special import logsumexp

cupy = pytest.importorskip("cupy", reason="CuPy is not installed (extra cupy)")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    pytest.skip("there is no GPU", allow_module_level=True)


def assert_same(found, wanted, digits=1e-11):
    """Check that an array of CuPy holds what one of NumPy's does, in the same precision."""
    assert isinstance(found, cupy.ndarray)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.get(), wanted, digits, digits)


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_whole_programs(name):
    f, place = PROGRAMS[name]
    there = of(f, place, [cupy.asarray(v) for v in (X, Y, W)])
    here, v = of(f, place, (X, Y, W)), (X, Y, W)[place]
    x, along = cupy.asarray(v), cupy.asarray(np.cos(v))
    assert_same(value_and_grad(there)(x)[1], grad(here)(v))
    assert_same(jvp(there, [x], [along])[1], jvp(here, [v], [np.cos(v)])[1])
    assert_same(hvp(there)(x, along), hvp(here)(v, np.cos(v)), 1e-9)


OTHERS = {
    "erf": lambda x: np.sum(scipy.special.erf(x) * scipy.special.gammaln(x + 3.0)),
    "zeta": lambda x: np.sum(scipy.special.zeta(x + 3.0, 2.0) + scipy.special.psi(x + 3.0)),
    "logsumexp": lambda x: logsumexp(x * x),
    "Cholesky": lambda x: np.sum(np.linalg.cholesky(x.T @ x + np.diag(x[0] ** 2))),
    "eigenvalues": lambda x: np.sum(np.linalg.eigvalsh(x.T @ x) ** 2),
    "singular values": lambda x: np.sum(np.linalg.svd(x)[1] ** 3),
    "determinant": lambda x: np.linalg.det(x.T @ x) + np.linalg.slogdet(x.T @ x)[1],
    "triangles": lambda x: np.sum(solve_triangular(np.tril(x[:3]) + 2 * np.diag(x[3]), x[4:7], lower=True) ** 2),
    "expm": lambda x: np.sum(expm(x[:3]) ** 2),
    "quantiles": lambda x: np.quantile(x, 0.3) + np.median(x, axis=0)[1],
    "spectrum": lambda x: np.sum(np.abs(np.fft.rfft(x, axis=0)) ** 3),
    "complex": lambda x: np.sum(np.abs(np.exp((1 + 2j) * x)[[0, 0, 1]])),
    "deviation": lambda x: np.sum(np.std(x, axis=0)) + np.var(x),
    "product": lambda x: np.prod(x[:, 0]) * np.cumsum(x[:, 1])[-1],
    "checkpoint": lambda x: np.sum(checkpoint(lambda y: np.sin(y) * y)(x)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_derivatives_of_other_functions(name):
    f, x = OTHERS[name], cupy.asarray(X)
    assert_same(grad(f)(x), grad(f)(X), 1e-9)
    assert_same(jvp(f, [x], [x])[1], np.asarray(jvp(f, [X], [X])[1]), 1e-9)


def test_of_elements_assigned_twice_the_last_wins():
    """A GPU writes them in no order, and CuPy says so of its own assignment."""
    places, x = np.arange(10_000) % 7, np.random.default_rng(0).normal(size=10_000)

    def of_places(places):
        def f(x):
            y = np.zeros_like(x[:7])
            y[places] = x * x
            return np.sum(y**3)

        return f

    value, slopes = value_and_grad(of_places(cupy.asarray(places)))(cupy.asarray(x))
    np.testing.assert_allclose(float(value), of_places(places)(x))
    assert_same(slopes, grad(of_places(places))(x))


def test_elements_taken_twice_have_both_adjoints():
    places = np.array([0, 0, 2, 0])
    for kind in (np.float32, float, complex):
        x = X[:, 0].astype(kind)
        f = lambda x, at: np.sum(np.abs(x[at]) ** 2)
        assert_same(grad(f)(cupy.asarray(x), cupy.asarray(places)), grad(f)(x, places), 1e-5)


def test_matrices():
    f = lambda x: np.sum(x**3) + x[0] * x[1]
    assert_same(hessian(f)(cupy.asarray(W)), hessian(f)(W))
    assert_same(jacobian(lambda x: np.sin(x) * x[0])(cupy.asarray(W)), jacobian(lambda x: np.sin(x) * x[0])(W))
    assert_same(vmap(grad(f))(cupy.asarray(X)), vmap(grad(f))(X))


def test_a_network_is_trained_there():
    """Weights, batches and the optimiser's moments are arrays of CuPy, and the curve is that of NumPy's."""

    def trained(made):
        net = nn.Sequential(nn.Linear(3, 8, rng=0), nn.ReLU(), nn.Linear(8, 2, rng=1))
        net.to(made)
        curves = nn.fit(net, nn.cross_entropy, nn.Adam(net.parameters(), lr=0.05), made(X), made(Y.astype(int)),
                        epochs=5, batch_size=4, rng=0)  # fmt: skip
        return curves["loss"], net.parameters()[0].data

    (there, weight), (here, wanted) = trained(cupy.asarray), trained(np.asarray)
    np.testing.assert_allclose([float(loss) for loss in there], here, 1e-9)
    assert_same(weight, wanted, 1e-9)


def test_what_the_library_lacks_is_named():
    with pytest.raises(TypeError, match=r"cupy\.ndarray lacks what jv needs of it"):
        grad(lambda x: np.sum(scipy.special.jv(1.0, x)))(cupy.asarray(W))


def test_plain_arrays_are_not_copied_there_unasked():
    with pytest.raises(TypeError, match=r"Unsupported type <class 'numpy\.ndarray'>"):
        grad(lambda x: np.sum(x * W))(cupy.asarray(W))


def test_a_constant_written_to_later_is_as_it_was():
    c = cupy.asarray(W)

    def f(x):
        y = x * c
        c[0] = 7.0
        return np.sum(y)

    assert_same(grad(f)(cupy.asarray(W)), W)
