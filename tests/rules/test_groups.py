"""Eigenvectors of equal eigenvalues: what depends on no basis of their spaces has derivatives, others have none."""

import numpy as np
import pytest
from test_linear_algebra import TURN

import autodiff.scipy.linalg
from autodiff import Variable, grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, value_and_grad, vjp
from dualnumbers.messages.shortening import LONGEST

RNG = np.random.default_rng(11)
WEIGHTS, OTHER = RNG.normal(size=(2, 4, 4))
SPECTRA = {
    "double": [1.0, 1.0, 2.0, 3.5],
    "triple": [1.0, 1.0, 1.0, 3.0],
    "two groups": [1.0, 1.0, 3.0, 3.0],
    "near": [1.0, 1.0 + 4e-15, 1.0 - 2e-15, 3.0],
}


def matrix(name):
    x = TURN @ np.diag(SPECTRA[name]) @ TURN.T
    return (x + x.T) / 2


def vectors(a):
    return np.linalg.eigh((a + np.swapaxes(a, -1, -2)) / 2)


def first_group(a, name):
    v = vectors(a)[1][:, : sum(np.abs(np.array(SPECTRA[name]) - 1.0) < 0.5)]
    return v @ v.T


def by_contour(a, name, nodes=96):
    """The projector on the eigenvalues within ½ of 1: the integral of (z − A)⁻¹ / 2πi around them."""
    a, turns = (a + a.T) / 2, np.exp(2j * np.pi * (np.arange(nodes) + 0.5) / nodes)
    return sum(np.linalg.inv((1.0 + 0.5 * t) * np.eye(4) - a) * (0.5 * t / nodes) for t in turns).real


def of_function(g):
    def f(a):
        w, v = vectors(a)
        return (v * g(w)) @ v.T

    return f


def symmetric(f):
    return lambda a, name: f((a + a.T) / 2)


FUNCTIONS = {
    "projector": (first_group, by_contour),
    "exp": (symmetric(of_function(np.exp)), symmetric(autodiff.scipy.linalg.expm)),
    "inverse": (symmetric(of_function(lambda w: 1.0 / w)), symmetric(np.linalg.inv)),
    "itself": (symmetric(of_function(lambda w: w)), symmetric(lambda a: a)),
    "all": (lambda a, name: (lambda v: v @ v.T)(vectors(a)[1]), lambda a, name: 0.0 * a + np.eye(4)),
}
"""A matrix that depends on no basis, by eigenvectors and by other means."""

SCALARS = {
    "linear": lambda p: np.sum(p * WEIGHTS),
    "quadratic": lambda p: np.sum((p @ WEIGHTS @ p) * OTHER),
    "transcendental": lambda p: np.sum(np.sin(p @ OTHER) * WEIGHTS) + np.exp(p[0, 1]),
}


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("scalar", SCALARS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_depend_on_no_basis(name, scalar, spectrum):
    by_vectors, otherwise = FUNCTIONS[name]
    x, f = matrix(spectrum), lambda a: SCALARS[scalar](by_vectors(a, spectrum))
    expected = grad(lambda a: SCALARS[scalar](otherwise(a, spectrum)))(x)
    close = {"rtol": 1e-10, "atol": 1e-11 * max(1.0, np.abs(expected).max())}
    value, found = value_and_grad(f)(x)
    assert value == f(x)
    np.testing.assert_allclose(found, expected, **close)
    np.testing.assert_allclose(jacrev(f)(x), expected, **close)
    w = Variable(x)
    f(w).backward()
    np.testing.assert_allclose(w.grad, expected, **close)


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("scalar", SCALARS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_their_second_derivatives(name, scalar, spectrum):
    by_vectors, otherwise = FUNCTIONS[name]
    x, f = matrix(spectrum), lambda a: SCALARS[scalar](by_vectors(a, spectrum))
    expected = hessian(lambda a: SCALARS[scalar](otherwise(a, spectrum)))(x)
    along = np.tensordot(expected, OTHER)
    close = {"rtol": 1e-9, "atol": 1e-10 * max(1.0, np.abs(expected).max())}
    np.testing.assert_allclose(hessian(f)(x), expected, **close)
    np.testing.assert_allclose(hvp(f)(x, OTHER), along, **close)
    np.testing.assert_allclose(jvp(grad(f), [x], [OTHER])[1], along, **close)
    np.testing.assert_allclose(jacfwd(grad(f))(x), expected, **close)
    for how in (jacrev(grad(f)), jacfwd(jacfwd(f)), jacrev(jacfwd(f))):
        with pytest.raises(np.linalg.LinAlgError, match="equal"):
            how(x)


@pytest.mark.parametrize("step", [1e-3])
def test_second_derivatives_by_differences(step):
    """Of the plain function, where eigenvalues part."""
    x, f = matrix("triple"), lambda a: SCALARS["quadratic"](of_function(np.exp)((a + a.T) / 2))
    along, nodes = OTHER + OTHER.T, np.arange(-4, 5)
    values = [f(x + step * k * along) for k in nodes]
    weights = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
    np.testing.assert_allclose(np.sum(hvp(f)(x, along) * along), weights @ values / step**2, rtol=1e-7)


@pytest.mark.parametrize(
    "f",
    [
        lambda w, v: np.sum(v[:, :2] @ v[:, :2].T * WEIGHTS) + (w[0] - w[1]) ** 2 * v[0, 0] ** 2,
        lambda w, v: np.sum(v[:, :2] @ v[:, :2].T * WEIGHTS) + (w[0] - 1.0) ** 2,
        lambda w, v: np.sum(v[:, :2] @ v[:, :2].T * WEIGHTS) * np.exp((w[0] - w[1]) * (w[0] - 3.0 * w[2])),
        lambda w, v: np.sum((v * (w - w[0]) ** 2) @ v.T * WEIGHTS),
    ],
)
def test_functions_that_have_a_first_derivative_alone(f):
    with pytest.raises(np.linalg.LinAlgError, match="eigenvalues"):
        hessian(lambda a: f(*vectors(a)))(matrix("double"))


def test_at_a_minimum():
    """Where the gradient, and the adjoint of the vectors, is rounding."""
    x = matrix("double")
    target = first_group(x, "double")

    def distance(projector):
        return lambda a: np.sum((projector(a, "double") - target) ** 2)

    np.testing.assert_allclose(grad(distance(first_group))(x), np.zeros((4, 4)), atol=1e-14)
    found, expected = hessian(distance(first_group))(x), hessian(distance(by_contour))(x)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_with_other_arguments():
    x, t = matrix("triple"), 0.3
    f, g = (
        lambda a, t, e=e: np.sum(np.sin(t * e((a + a.T) / 2)) * WEIGHTS) + t**2 * np.sum(a @ a)
        for e in (of_function(np.exp), autodiff.scipy.linalg.expm)
    )
    for found, expected in zip(sum(hessian(f, (0, 1))(x, t), ()), sum(hessian(g, (0, 1))(x, t), ()), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    for how in (jacfwd, jacrev):
        found, expected = (how(lambda t, h=h: grad(h)(x, t))(t) for h in (f, g))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


DEPENDENT = {
    "an element": lambda v: v[0, 0],
    "a power that is flat": lambda v: v[1, 0] ** 4,
    "a form of one vector": lambda v: v[:, 0] @ WEIGHTS @ v[:, 0],
    "a projector on one": lambda v: np.sum(np.outer(v[:, 0], v[:, 0]) * WEIGHTS),
    "a part of a sum": lambda v: np.sum(v @ v.T * WEIGHTS) + 1e-6 * v[0, 1],
    "moduli": lambda v: np.sum(np.abs(v) * WEIGHTS),
}


@pytest.mark.parametrize("x", [2.0 * np.eye(4), np.diag([1.0, 1.0, 2.0, 3.0]), matrix("double")], ids="abc")
@pytest.mark.parametrize("name", DEPENDENT)
def test_functions_of_one_of_their_bases_have_none(name, x):
    def f(a):
        return DEPENDENT[name](vectors(a)[1])

    for how in (grad, jacrev, jacfwd, hessian, lambda f: lambda x: linearize(f, x)[1](WEIGHTS)):
        with pytest.raises(np.linalg.LinAlgError, match="equal") as caught:
            how(f)(x)
        assert len(str(caught.value).partition(" (at ")[0]) <= LONGEST
        assert caught.type.__name__ == "LinAlgError"


@pytest.mark.parametrize(
    "f",
    [
        lambda w, v: np.sum((v * np.arange(4.0)) @ v.T * WEIGHTS),
        lambda w, v: np.sum((v[:, :2] @ v[:, :2].T) * WEIGHTS) + w[0],
        lambda w, v: np.sum((v * (w - w[0])) @ v.T * WEIGHTS),
        lambda w, v: np.exp(w[1]) * np.sum((v @ v.T) * WEIGHTS),
    ],
)
def test_slopes_that_differ_between_bases_are_none(f):
    with pytest.raises(np.linalg.LinAlgError, match="are not determined"):
        grad(lambda a: f(*vectors(a)))(matrix("double"))


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.complex128])
def test_of_other_types(dtype):
    real = np.finfo(dtype).dtype
    parts = RNG.normal(size=(2, 3, 4, 4)) * [[[[1.0]]], [[[1j if np.dtype(dtype).kind == "c" else 0.0]]]]
    u, *along = np.sum(parts, 0) if np.dtype(dtype).kind == "c" else parts[0].real
    u = np.linalg.qr(u)[0]
    start = u @ np.diag([1.0, 1.0, 2.0, 3.0]) @ u.conj().T

    def hermitian(x, kind):
        z = start.astype(kind) + x[0] * along[0].astype(kind) + x[1] * along[1].astype(kind)
        return (z + np.conj(z.T)) / 2

    def by_vectors(x):
        w, v = np.linalg.eigh(hermitian(x, dtype))
        p = v[:, :2] @ np.conj(v[:, :2].T) + (v * np.exp(w)) @ np.conj(v.T)
        return np.sum(np.real(p @ p) * WEIGHTS.astype(real))

    def otherwise(x):
        a, turns = hermitian(x, complex), np.exp(2j * np.pi * (np.arange(96) + 0.5) / 96)
        p = sum(np.linalg.inv((1.0 + 0.5 * t) * np.eye(4) - a) * (0.5 * t / 96) for t in turns)
        p = p + autodiff.scipy.linalg.expm(a)
        return np.sum(np.real(p @ p) * WEIGHTS)

    for how in (grad, hessian):
        found = how(by_vectors)(np.zeros(2, real))
        assert found.dtype == real
        close = 1e-10 if dtype is np.complex128 else 1e-4
        np.testing.assert_allclose(found, how(otherwise)(np.zeros(2)), rtol=close)


def test_stacks_of_which_some_repeat():
    stack = np.stack([matrix("double"), matrix("triple"), np.eye(4), np.diag([1.0, 2.0, 4.0, 7.0])])

    def f(a):
        w, v = vectors(a)
        return (v * np.exp(w)[..., None, :]) @ np.swapaxes(v, -1, -2)

    found = grad(lambda a: np.sum(f(a) * WEIGHTS))(stack)
    for one, x in zip(found, stack, strict=True):
        expected = grad(lambda a: np.sum(autodiff.scipy.linalg.expm((a + a.T) / 2) * WEIGHTS))(x)
        np.testing.assert_allclose(one, expected, rtol=1e-10, atol=1e-12)


def test_several_decompositions_on_one_tape():
    x = [matrix("double"), matrix("two groups")]

    def f(a, b, first, second):
        return np.sum((first(a, "double") @ second(b, "two groups") @ a) * WEIGHTS)

    found = grad(lambda a, b: f(a, b, first_group, first_group), (0, 1))(*x)
    expected = grad(lambda a, b: f(a, b, by_contour, by_contour), (0, 1))(*x)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_arrays_that_are_filled_and_signs_that_are_fixed():
    x = matrix("double")

    def f(a):
        v = vectors(a)[1]
        v = v * np.sign(v[np.argmax(np.abs(v), axis=0), range(4)])
        out = np.zeros(4, like=a)
        for i in range(4):
            out[i] = a[i, 0]
            out[i] += v[i, :2] @ v[0, :2] * np.sign(v[0, 0]) ** 2
        return np.sum(out * WEIGHTS[0])

    expected = grad(lambda a: np.sum((a[:, 0] + by_contour(a, "double")[:, 0]) * WEIGHTS[0]))(x)
    np.testing.assert_allclose(grad(f)(x), expected, rtol=1e-10, atol=1e-12)


def test_the_adjoint_of_another_argument():
    x, found = matrix("double"), []
    for projector in (first_group, by_contour):
        found.append(grad(lambda t, p=projector: np.sum(np.exp(t * p(x, "double")) * WEIGHTS))(0.3))
    np.testing.assert_allclose(*found, rtol=1e-12)


@pytest.mark.parametrize("how", [jacfwd, jacrev, grad, lambda f: lambda x: jvp(f, [x], [WEIGHTS])[1]])
def test_eigenvalues_beside_vectors_that_are_not_used(how):
    x = matrix("triple")
    found = how(lambda a: np.sum(vectors(a)[0] ** 3))(x)
    expected = how(lambda a: (lambda s: np.trace(s @ s @ s))((a + a.T) / 2))(x)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_vectors_that_turn_in_forward_mode():
    """Beside a diagonal direction within the group, coupling with other vectors turns them at a finite rate."""
    x, along = np.diag([1.0, 1.0, 2.0]), np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 1.0, 0.0]])
    with pytest.raises(np.linalg.LinAlgError, match="are not determined"):
        jvp(lambda a: np.linalg.eigh(a)[1], [x], [along])
    _, found = jvp(lambda a: np.linalg.eigh(a)[1][:, 2], [x], [along])
    np.testing.assert_allclose(found, [1.0, 1.0, 0.0], atol=1e-15)


def test_second_derivatives_of_eigenvalues_beside_vectors():
    x = matrix("triple")
    expected = hessian(lambda a: np.sum((a + a.T) ** 2) / 4)(x)
    np.testing.assert_allclose(hessian(lambda a: np.sum(vectors(a)[0] ** 2))(x), expected, atol=1e-12)
    along = np.tensordot(expected, WEIGHTS)
    np.testing.assert_allclose(hvp(lambda a: np.sum(vectors(a)[0] ** 2))(x, WEIGHTS), along, atol=1e-12)
    np.testing.assert_allclose(
        vjp(lambda a: first_group(a, "triple"), x)[1](WEIGHTS)[0],
        vjp(lambda a: by_contour(a, "triple"), x)[1](WEIGHTS)[0],
        atol=1e-12,
    )


# --------------------------------------------------------------------------------------------- singular vectors

TALL = np.linalg.qr(RNG.normal(size=(4, 3)))[0]
SINGULAR = {
    "all": 2.0 * np.linalg.qr(RNG.normal(size=(3, 3)))[0],
    "one apart": np.linalg.qr(RNG.normal(size=(3, 3)))[0] @ np.diag([3.0, 3.0, 1.0]),
    "tall": TALL @ np.diag([3.0, 1.0, 1.0]) @ np.linalg.qr(RNG.normal(size=(3, 3)))[0],
    "wide": TALL.T,
}


def polar(a):
    """The factors Q and P of A = Q P, of wide matrices those of A = P Q."""
    if a.shape[0] < a.shape[1]:
        root = autodiff.scipy.linalg.sqrtm(a @ a.T)
        return np.linalg.inv(root) @ a, root
    root = autodiff.scipy.linalg.sqrtm(a.T @ a)
    return a @ np.linalg.inv(root), root


def by_polar_factors(a):
    q, p = polar(a)
    grown = autodiff.scipy.linalg.expm(p)
    return q @ grown if a.shape[0] >= a.shape[1] else grown @ q


OF_SINGULAR = {
    "polar factor": (lambda u, s, vh: u @ vh, lambda a: polar(a)[0]),
    "exp": (lambda u, s, vh: (u * np.exp(s)) @ vh, by_polar_factors),
    "itself": (lambda u, s, vh: (u * s) @ vh, lambda a: a),
}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", SINGULAR)
@pytest.mark.parametrize("name", OF_SINGULAR)
def test_functions_of_singular_vectors(name, shape, full):
    (by_vectors, otherwise), x = OF_SINGULAR[name], SINGULAR[shape]
    weights, along = RNG.normal(size=(2, *x.shape))

    def f(a):
        u, s, vh = np.linalg.svd(a, full)
        return np.sum(np.sin(by_vectors(u[:, :3], s, vh[:3])) * weights)

    def g(a):
        return np.sum(np.sin(otherwise(a)) * weights)

    assert f(x) == value_and_grad(f)(x)[0]
    for how in (grad, hessian, lambda f: lambda x: hvp(f)(x, along)):
        expected = how(g)(x)
        close = {"rtol": 1e-9, "atol": 1e-10 * max(1.0, np.abs(expected).max())}
        np.testing.assert_allclose(how(f)(x), expected, **close)


@pytest.mark.parametrize("shape", SINGULAR)
@pytest.mark.parametrize(
    "f",
    [
        lambda u, s, vh: u[0, 0] + u[1, 1] ** 2,
        lambda u, s, vh: np.sum(u**2 @ np.arange(1.0, 4.0)) + np.sum(vh**3),
        lambda u, s, vh: np.sum(np.sin(u @ np.diag([1.0, 2.0, 4.0]) @ vh)),
    ],
)
def test_functions_of_one_basis_of_singular_vectors(f, shape):
    for how in (grad, jacfwd, hessian):
        with pytest.raises(np.linalg.LinAlgError, match="equal"):
            how(lambda a: f(*np.linalg.svd(a, False)))(SINGULAR[shape])


def test_singular_values_beside_vectors_that_are_not_used():
    for x in SINGULAR.values():
        for how in (jacfwd, jacrev, hessian):
            found = how(lambda a: np.sum(np.linalg.svd(a).S ** 4))(x)
            np.testing.assert_allclose(found, how(lambda a: np.sum((a.T @ a) ** 2))(x), rtol=1e-11, atol=1e-11)


def test_stacks_and_complex_matrices_of_which_singular_values_repeat():
    parts, weights = RNG.normal(size=(4, 2, 3, 3)), RNG.normal(size=(3, 3))
    units = np.linalg.qr(parts[0] + 1j * parts[1])[0] * np.array([2.0, 1.0])[:, None, None]
    along = parts[2] + 1j * parts[3]

    def f(t, factor):
        return sum(np.sum(np.real(q) * weights) for q in factor(units + t[0] * along + t[1] * 1j * along.mT))

    def by_vectors(a):
        u, _, vh = np.linalg.svd(a)
        return u @ vh

    def otherwise(a):
        return [x @ np.linalg.inv(autodiff.scipy.linalg.sqrtm(np.conj(x.T) @ x)) for x in a]

    for how in (grad, hessian):
        found, expected = (how(lambda t, by=by: f(t, by))(np.zeros(2)) for by in (by_vectors, otherwise))
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
