"""Composed functions of several numbers: gradients, Jacobians, Hessians, all derivatives to the fifth, in 50 digits.

Each function is written once, over the names of NumPy; given those of mpmath it is its own reference. What mpmath
differentiates is the function along lines, whose Taylor coefficients determine the partial derivatives.
"""

from itertools import combinations_with_replacement, permutations
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from mpmath import mp

from autodiff import derivative, derivative_tensor, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, taylor, vjp

EXACT = SimpleNamespace(sin=mp.sin, cos=mp.cos, tan=mp.tan, exp=mp.exp, log=mp.log, sqrt=mp.sqrt, tanh=mp.tanh,
                        sinh=mp.sinh, cosh=mp.cosh, arctan=mp.atan, arctan2=mp.atan2, hypot=mp.hypot, log1p=mp.log1p,
                        expm1=mp.expm1, sum=lambda v: mp.fsum(v), prod=lambda v: mp.fprod(v),
                        dot=lambda v, w: mp.fsum(a * b for a, b in zip(v, w, strict=True)), stack=list,
                        logaddexp=lambda x, y: mp.log(mp.exp(x) + mp.exp(y)))  # fmt: skip
"""The names of NumPy in mpmath; a vector is a list."""


def rosenbrock(m, v):
    return sum(100.0 * (v[i + 1] - v[i] ** 2) ** 2 + (1.0 - v[i]) ** 2 for i in range(2))


def layer(m, v):
    hidden = m.stack([m.tanh(a * v[0] + b * v[1] - 0.3 * v[2]) for a, b in ((0.5, -1.0), (1.5, 0.25), (-0.75, 0.5))])
    return m.dot(hidden, m.stack([0.2, -0.4, 0.6])) ** 2


def heron(m, v):
    s = (v[0] + v[1] + v[2]) / 2.0
    return m.sqrt(s * (s - v[0]) * (s - v[1]) * (s - v[2]))


def pendulum(m, v):
    angle, speed = v[0], v[1]
    for _ in range(3):
        speed = speed - 0.1 * v[2] * m.sin(angle)
        angle = angle + 0.1 * speed
    return angle * speed


def determinant(m, v):
    x, y, z = v
    rows = ((m.exp(x), y, 1.0), (z, m.cos(y), x), (x * y, 2.0, 3.0 + z))
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


SCALAR = {
    "product": lambda m, v: m.prod(v),
    "norm": lambda m, v: m.sqrt(m.dot(v, v)),
    "quotient": lambda m, v: v[0] / (v[1] ** 2 + v[2] ** 2),
    "log of sum of exp": lambda m, v: m.log(m.sum(m.stack([m.exp(2.0 * v[0]), m.exp(v[1]), m.exp(-v[2])]))),
    "logaddexp": lambda m, v: m.logaddexp(v[0] * v[1], v[2]),
    "Gauss": lambda m, v: m.exp(-(m.dot(v, v)) / 2.0),
    "powers": lambda m, v: v[0] ** v[1] * v[2] ** v[0],
    "polar": lambda m, v: m.hypot(v[0], v[1]) * m.arctan2(v[1], v[0]) + v[2] * v[0],
    "wave": lambda m, v: m.sin(v[0] * v[1]) * m.cos(v[2] + v[0]),
    "nested": lambda m, v: m.exp(m.sin(v[0] + m.cos(v[1] * v[2]))),
    "rational": lambda m, v: (v[0] - v[1]) * (v[1] - v[2]) / (1.0 + v[0] * v[1] * v[2]),
    "entropy": lambda m, v: -sum(x * m.log(x) for x in v),
    "Cobb-Douglas": lambda m, v: v[0] ** 0.3 * v[1] ** 0.5 * v[2] ** 0.2,
    "van der Waals": lambda m, v: v[0] * v[1] / (v[2] - 0.03) - 0.3 / v[2] ** 2,
    "Coulomb": lambda m, v: 1.0 / m.sqrt((v[0] - 2.0) ** 2 + v[1] ** 2 + v[2] ** 2),
    "log-odds": lambda m, v: m.log1p(m.exp(-(v[0] * 0.5 + v[1] * v[2]))),
    "damped": lambda m, v: m.exp(-v[0] * v[2]) * m.sin(v[1] * v[2]),
    "catenary": lambda m, v: v[0] * m.cosh(v[1] / v[0]) - v[2] * m.sinh(v[0]),
    "Planck": lambda m, v: v[0] ** 3 / m.expm1(v[1] * v[0] / v[2]),
    "tangents": lambda m, v: m.tan(v[0] * 0.5) * m.arctan(v[1] / v[2]),
    "Rosenbrock": rosenbrock,
    "layer": layer,
    "Heron": heron,
    "pendulum": pendulum,
    "determinant": determinant,
}

VECTORS = {
    "spherical": lambda m, v: m.stack(
        [v[0] * m.sin(v[1]) * m.cos(v[2]), v[0] * m.sin(v[1]) * m.sin(v[2]), v[0] * m.cos(v[1])]
    ),
    "Lorenz": lambda m, v: m.stack([10.0 * (v[1] - v[0]), v[0] * (28.0 - v[2]) - v[1], v[0] * v[1] - 8.0 * v[2] / 3.0]),
    "softmax": lambda m, v: m.stack([m.exp(x) / m.sum(m.stack([m.exp(y) for y in v])) for x in v]),
    "elementary symmetric": lambda m, v: m.stack([m.sum(v), v[0] * v[1] + v[0] * v[2] + v[1] * v[2], m.prod(v)]),
    "unit vector": lambda m, v: m.stack([x / m.sqrt(m.dot(v, v)) for x in v]),
    "kinetics": lambda m, v: m.stack([-v[0] * v[1] * m.exp(-1.0 / v[2]), v[0] * v[1] / (1.0 + v[2])]),
    "rotation": lambda m, v: m.stack(
        [m.cos(v[0]) * v[1] - m.sin(v[0]) * v[2], m.sin(v[0]) * v[1] + m.cos(v[0]) * v[2]]
    ),
}

POINT = np.array([0.7, 0.9, 1.1])


def exact(f, highest=5):
    """Return all derivatives of the orders 1 to ``highest`` in 50 digits, by Taylor coefficients along lines.

    A partial derivative is a sum of derivatives along sums of unit vectors, with signs: the polarization of a form.
    """
    lines = {}

    def along(places):
        direction = tuple(sorted(places))
        if direction not in lines:
            point = lambda t: [mp.mpf(x) + t * direction.count(k) for k, x in enumerate(POINT)]
            lines[direction] = mpmath.taylor(lambda t: f(EXACT, point(t)), 0, highest)
        return lines[direction]

    def partial(places):
        n = len(places)
        total = mp.zero
        for chosen in range(1, 1 << n):
            subset = [p for k, p in enumerate(places) if chosen >> k & 1]
            total += (-1) ** (n - len(subset)) * along(subset)[n]
        return total

    with mp.workdps(60):
        tensors = [np.zeros((3,) * n) for n in range(1, highest + 1)]
        for tensor in tensors:
            for places in combinations_with_replacement(range(3), tensor.ndim):
                tensor[tuple(np.array(list(permutations(places))).T)] = float(partial(places))
        return tensors


GRADIENTS = {"grad": grad, "jacfwd": jacfwd, "jacrev": jacrev, "tensor": lambda f: lambda v: derivative_tensor(f, v, 1),
             "jvp": lambda f: lambda v: np.stack([jvp(f, [v], [e])[1] for e in np.eye(3)]),
             "vjp": lambda f: lambda v: vjp(f, v)[1](1.0)[0],
             "taylor": lambda f: lambda v: np.stack([taylor(f, v, 1, direction=e)[1] for e in np.eye(3)])}  # fmt: skip
HESSIANS = {"hessian": hessian, "forward in forward": lambda f: jacfwd(jacfwd(f)),
            "forward of reverse": lambda f: jacfwd(grad(f)), "reverse of forward": lambda f: jacrev(jacfwd(f)),
            "reverse in reverse": lambda f: jacrev(grad(f)), "tensor": lambda f: lambda v: derivative_tensor(f, v, 2),
            "hvp": lambda f: lambda v: np.stack([hvp(f)(v, e) for e in np.eye(3)]),
            "sparse": lambda f: lambda v: hessian(f, sparse=True)(v).toarray()}  # fmt: skip
THIRDS = {
    "tensor": lambda f: lambda v: derivative_tensor(f, v, 3),
    "forward of hessian": lambda f: jacfwd(hessian(f)),
    "reverse of hessian": lambda f: jacrev(hessian(f)),
    "of tensor": lambda f: jacrev(lambda v: derivative_tensor(f, v, 2)),
}
FOURTHS = {
    "tensor": lambda f: lambda v: derivative_tensor(f, v, 4),
    "of hessian": lambda f: lambda v: derivative_tensor(hessian(f), v, 2),
}
FIFTHS = {
    "tensor": lambda f: lambda v: derivative_tensor(f, v, 5),
    "of gradient": lambda f: lambda v: derivative_tensor(grad(f), v, 4),
}
WAYS = ((GRADIENTS, 1e-12), (HESSIANS, 1e-11), (THIRDS, 1e-10), (FOURTHS, 1e-9), (FIFTHS, 1e-8))


@pytest.mark.parametrize("name", SCALAR)
def test_five_derivatives_of_functions_of_three_numbers(name):
    f = SCALAR[name]
    size = 0.0
    for (ways, tolerance), wanted in zip(WAYS, exact(f), strict=True):
        size = max(size, np.max(np.abs(wanted)))  # the fifth derivatives of a polynomial of degree 4 are 0
        for way, of in ways.items():
            found = of(lambda v: f(np, v))(POINT)
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * size, err_msg=way)


JACOBIANS = {"jacobian": jacobian, "jacfwd": jacfwd, "jacrev": jacrev,
             "sparse": lambda f: lambda v: jacobian(f, sparse=True)(v).toarray(),
             "by derivative": lambda f: lambda v: derivative(f, 0, [v]),
             "tensor": lambda f: lambda v: derivative_tensor(f, v, 1)}  # fmt: skip
SECONDS = {
    "tensor": lambda f: lambda v: derivative_tensor(f, v, 2),
    "forward of reverse": lambda f: jacfwd(jacrev(f)),
    "reverse of forward": lambda f: jacrev(jacfwd(f)),
}


@pytest.mark.parametrize("name", VECTORS)
def test_jacobians_and_their_derivatives(name):
    f = VECTORS[name]
    rows = len(f(EXACT, list(map(mp.mpf, POINT))))
    wanted = [exact(lambda m, v, k=k: f(m, v)[k], 2) for k in range(rows)]
    for ways, tolerance, order in ((JACOBIANS, 1e-12, 0), (SECONDS, 1e-11, 1)):
        expected = np.stack([by_row[order] for by_row in wanted])
        size = np.max(np.abs(expected))
        for way, of in ways.items():
            found = of(lambda v: f(np, v))(POINT)
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * size, err_msg=way)
