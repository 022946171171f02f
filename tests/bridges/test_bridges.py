"""Functions of PyTorch and JAX here, and ours there, against the same function written in the library at hand."""

import numpy as np
import pytest

import autodiff as ad
from autodiff import bridges

pytestmark = pytest.mark.filterwarnings(  # PyTorch's, of its own code
    "ignore::DeprecationWarning", "ignore:`torch.jit.script` is deprecated:FutureWarning"
)

X, W = np.array([0.5, 1.0]), np.array([[1.0, 2.0], [3.0, 4.0]])


def ours(x, w):
    return np.sin(w @ x) * x


class _Torch:
    def __init__(self):
        self.library = pytest.importorskip("torch")
        self.imported = bridges.from_torch
        self.integers = lambda x: x.int()


class _Jax:
    def __init__(self):
        pytest.importorskip("jax")
        import jax.numpy

        self.library = jax.numpy
        self.imported = bridges.from_jax
        self.integers = lambda x: x.astype(int)


@pytest.fixture(params=[_Torch, _Jax])
def side(request):
    return request.param()


def _close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)


def test_imported_functions_in_both_modes(side):
    f = side.imported(lambda x, w: side.library.sin(w @ x) * x)
    _close(f(X, W), ours(X, W))
    for operator in (ad.jacfwd, ad.jacrev, ad.jacobian):
        for argnum in (0, 1):
            _close(operator(f, argnum)(X, W), operator(ours, argnum)(X, W))
    assert ad.gradcheck(f, [X, W])


def test_imported_functions_to_any_order(side):
    f = side.imported(lambda x, w: side.library.sin(w @ x) * x)
    sums = [lambda a, f=f: np.sum(f(a * X, W)) for f in (f, ours)]
    _close(*(ad.hessian(lambda x, f=f: np.sum(f(x, W)))(X) for f in (f, ours)))
    _close(*(ad.grad(ad.grad(ad.grad(g)))(0.7) for g in sums))
    _close(*(ad.derivative(g, (0, 0, 0), [0.7]) for g in sums))
    _close(*(ad.taylor(g, 0.7, 3) for g in sums))
    _close(*(ad.jvp(ad.grad(g), [0.7], [1.0])[1] for g in sums))


def test_imported_functions_of_structures(side):
    f = side.imported(lambda p, n: {"y": p["a"] ** n, "parts": (p["a"], p["b"][0] * 2)})
    p = {"a": X, "b": [W[0], W[1]]}
    found = ad.grad(lambda p: np.sum(f(p, 3)["y"]) + np.sum(f(p, 3)["parts"][1]))(p)
    _close(found["a"], 3 * X**2)
    _close(found["b"], [[2.0, 2.0], [0.0, 0.0]])
    g = side.imported(lambda pair: pair[0] * pair[1])
    _close(ad.grad(lambda pair: np.sum(g(pair)))((X, W[0])), [W[0], X])
    value, tangent = ad.jvp(side.imported(lambda x: (x, {"b": x * x})), [X], [X])
    _close([value[0], value[1]["b"], tangent[0], tangent[1]["b"]], [X, X * X, X, 2 * X * X])


def test_types_and_indices(side):
    exp = side.imported(side.library.exp)
    assert exp(X.astype("f4")).dtype == np.float32
    assert type(ad.grad(exp)(1.5)) is float
    assert type(ad.grad(exp)(np.float32(1.5))) is np.float32
    _close(exp(X.astype(">f8")), np.exp(X))
    _close(exp(X[::-1]), np.exp(X[::-1]))
    _close(ad.jacobian(exp)(1j * X), np.diag(np.exp(1j * X)))
    _close(ad.jacobian(side.imported(lambda x, i: x[i]))(X, np.array([1, 0, 1])), np.eye(2)[[1, 0, 1]])
    assert side.imported(side.integers)(X).dtype.kind == "i"
    x = X.copy()
    side.imported(lambda x: x)(x)[0] = 7.0
    assert x[0] == X[0]


def test_what_cannot_cross_is_refused(side):
    bfloat16 = side.library.bfloat16
    with pytest.raises(TypeError, match="bfloat16"):
        side.imported(lambda x: x.to(bfloat16) if hasattr(x, "to") else x.astype(bfloat16))(X)
    with pytest.raises(TypeError):  # a number that is differentiated, closed over
        ad.grad(lambda a: np.sum(side.imported(lambda x: x * a)(X)))(2.0)


def test_modules_of_torch():
    torch = pytest.importorskip("torch")
    net = torch.nn.Linear(2, 1).double()
    weight, bias = (p.detach().numpy() for p in net.parameters())
    _close(ad.grad(lambda x: bridges.from_torch(net)(x)[0])(X), weight[0])
    called = bridges.from_torch(lambda p, x: torch.func.functional_call(net, p, (x,)))
    found = ad.grad(lambda p: called(p, X)[0])({"weight": weight, "bias": bias})
    _close(found["weight"], [X])
    _close(found["bias"], [1.0])


def test_compiled_functions_of_jax():
    jax = pytest.importorskip("jax")
    f = bridges.from_jax(jax.jit(lambda x: jax.numpy.sum(jax.numpy.sin(x) * x)))
    assert f(X).dtype == np.float64
    _close(ad.grad(f)(X), np.cos(X) * X + np.sin(X))


def test_exported_to_torch():
    torch = pytest.importorskip("torch")
    f, theirs = bridges.to_torch(ours), lambda x, w: torch.sin(w @ x) * x
    x, w = (torch.tensor(a, requires_grad=True) for a in (X, W))
    f(x, w).sum().backward()
    _close(x.grad, torch.func.grad(lambda x: theirs(x, w.detach()).sum())(x.detach()))
    assert torch.autograd.gradcheck(f, (x, w), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, (x, w))
    x, w = x.detach(), w.detach()
    _close(*(torch.func.hessian(lambda x, g=g: g(x, w).sum())(x) for g in (f, theirs)))
    _close(*(torch.func.jacfwd(g)(x, w) for g in (f, theirs)))
    _close(*(torch.func.vmap(g, (None, 0))(x, torch.stack([w, w + 1])) for g in (f, theirs)))


def test_exported_to_torch_with_structures():
    torch = pytest.importorskip("torch")
    x = torch.tensor(X, requires_grad=True)
    f = bridges.to_torch(lambda p, n=2: {"y": p["a"] ** n, "at": np.argmax(p["a"])})
    out = f({"a": x}, n=3)
    assert (out["at"].dtype, out["y"].requires_grad, out["at"].requires_grad) == (torch.int64, True, False)
    _close(torch.autograd.grad(out["y"].sum(), x)[0], 3 * X**2)
    chosen = bridges.to_torch(lambda x, i: x[i])(x, torch.tensor([1, 1]))
    _close(torch.autograd.grad(chosen.sum(), x)[0], [0.0, 2.0])
    assert bridges.to_torch(np.linalg.norm)(x.float()).dtype == torch.float32


@pytest.fixture
def double():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        yield jax


def test_exported_to_jax(double):
    jax, jnp = double, double.numpy
    f, theirs = bridges.to_jax(ours), lambda x, w: jnp.sin(w @ x) * x
    x, w = jnp.asarray(X), jnp.asarray(W)
    _close(*(jax.jit(g)(x, w) for g in (f, theirs)))
    _close(*(jax.jacrev(g)(x, w) for g in (f, theirs)))
    _close(*(jax.jacrev(jax.jacrev(g))(x, w) for g in (f, theirs)))
    _close(*(jax.jit(jax.grad(lambda x, g=g: g(x, w).sum()))(x) for g in (f, theirs)))
    _close(*(jax.vmap(jax.jacrev(g), (None, 0))(x, jnp.stack([w, w + 1])) for g in (f, theirs)))
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(lambda x: f(x, w), (x,), (x,))


def test_exported_to_jax_with_structures(double):
    jax, jnp = double, double.numpy
    f = bridges.to_jax(lambda p, n=2: {"y": p["a"] ** n, "at": np.argmax(p["a"])})
    assert f({"a": X}, n=3)["at"].dtype.kind == "i"
    _close(jax.grad(lambda a: f({"a": a}, n=3)["y"].sum())(X), 3 * X**2)
    _close(jax.grad(lambda x: bridges.to_jax(lambda x, i: x[i])(x, jnp.array([1, 1])).sum())(X), [0.0, 2.0])
    with pytest.raises(ZeroDivisionError) as error:
        bridges.to_jax(lambda x: 1 / 0)(X)
    assert "at ones" in error.value.__notes__[0]


def test_neither_library_is_imported_with_the_bridges():
    import subprocess
    import sys

    program = "import sys, autodiff.bridges; print({'torch', 'jax'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"
