"""What `benchmarks/derivatives.py` runs: derivatives of vectors of vectors and of second order, each with a promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from timing import np as numpy

from workloads import PROMISED, Workload, random, workload
from workloads.derivatives import (
    banded_jacobian,
    logistic_product,
    perceptron_jacobian,
    rosenbrock_hessian,
    rosenbrock_product,
    ten_operations,
)
from workloads.scalars import rosenbrock_loop
from workloads.simulations import brusselator

TRANSFORMING = ("torch.func", "autograd", "jax jit", "casadi")
PEERS = (*TRANSFORMING, "differences")
QUOTIENTS = {"peers": ("differences",), "promises": {"differences": 1.0}}
"""Of the rows of sizes: beside difference quotients alone, which must not be faster."""

promise = partial(workload, among=PROMISED)


@promise("Jacobian of {sizes} tanh MLP", {"sizes": "50-100-100-50"}, tiny={"sizes": "2-3-3-2"})
def network(sizes: str) -> Workload:
    """Differentiate a network's outputs by its inputs."""
    return replace(perceptron_jacobian(sizes), peers=PEERS, promises={"autograd": 15.0, "torch.func": 2.5})


@promise("Hessian of Rosenbrock n={n}", {"n": 100}, tiny={"n": 4})
def curvature(n: int) -> Workload:
    """Differentiate twice: a full matrix."""
    return replace(rosenbrock_hessian(n), peers=PEERS, promises={"autograd": 15.0, "torch.func": 4.0})


@promise("Hessian of Rosenbrock n={n}, a Python loop", {"n": 50}, tiny={"n": 3})
def curvature_of_loop(n: int) -> Workload:
    """Differentiate a loop over the elements twice."""
    return replace(rosenbrock_hessian(n), function=rosenbrock_loop, peers=("autograd",), promises={"autograd": 15.0})


@promise("HVP of logistic regression {n}x{d}", {"n": 1000, "d": 100}, tiny={"n": 5, "d": 2})
def product(n: int, d: int) -> Workload:
    """Multiply the Hessian by a vector, once."""
    return replace(logistic_product(n, d), peers=TRANSFORMING, promises={"autograd": 2.0})


@promise("HVP of Rosenbrock n={n}", {"n": 10000}, tiny={"n": 4})
def product_of_elements(n: int) -> Workload:
    """Multiply the Hessian by a vector, once."""
    return replace(rosenbrock_product(n), peers=TRANSFORMING, promises={"autograd": 2.0})


@promise("HVP of logistic regression {n}x{d}, by operator", {"n": 1000, "d": 100}, tiny={"n": 5, "d": 2})
def products(n: int, d: int) -> Workload:
    """Multiply the Hessian at one point by a vector after another."""
    work = replace(logistic_product(n, d), question="product", remark="hessian_operator")
    return replace(work, peers=TRANSFORMING, promises={"autograd": 3.0})


@promise("HVP of Rosenbrock n={n}, by operator", {"n": 10000}, tiny={"n": 4})
def products_of_elements(n: int) -> Workload:
    """Multiply the Hessian at one point by a vector after another."""
    work = replace(rosenbrock_product(n), question="product", remark="hessian_operator")
    return replace(work, peers=TRANSFORMING, promises={"autograd": 3.0})


@promise("{order} derivatives of 50 operations", {"order": 20}, tiny={"order": 2})
def many_orders(order: int) -> Workload:
    """Expand a function of one number in a power series."""

    def formula(np: Any, x: Any) -> Any:
        for _ in range(5):
            x = ten_operations(np, x)
        return x

    return Workload(
        formula, (0.7,), question="series", options={"order": order}, peers=(), scalars=True, remark="taylor",
        promises={"ms": 10.0},
    )  # fmt: skip


@promise("sparse Jacobian of 1-D Brusselator, {n} unknowns, an evaluation", {"n": 2000}, {"n": 100_000}, tiny={"n": 6})
def sparse(n: int) -> Workload:
    """Differentiate a reaction and diffusion on a ring, again and again."""
    state = random().uniform(0.5, 1.5, n)
    promises = {"ms": 0.5 if n <= 2000 else 50.0}
    return Workload(
        brusselator, (state,), question="sparse_jacobian", peers=("casadi",), remark="jacobian, sparse=True",
        promises=promises,
    )  # fmt: skip


SIZES = [{"n": n} for n in (1, 2, 3, 5, 10, 30, 100, 300, 1000)]


@promise("Jacobian {n}x{n}, elementwise and a neighbour", *SIZES, tiny={"n": 3})
def elements(n: int) -> Workload:
    """Differentiate a cheap function of elements."""
    return replace(banded_jacobian(n), **QUOTIENTS)


@promise("Jacobian {n}x{n}, a layer", *SIZES, tiny={"n": 3})
def layer(n: int) -> Workload:
    """Differentiate a product with a matrix and tanh."""
    rng = random()
    matrix, x = rng.normal(size=(n, n)) / numpy.sqrt(n), rng.normal(size=n)

    def hand() -> numpy.ndarray:
        return (1.0 - numpy.tanh(matrix @ x) ** 2)[:, None] * matrix

    function = lambda np, x, matrix: np.tanh(matrix @ x)
    return Workload(function, (x,), (matrix,), question="jacobian", remark="jacobian", hand=hand, **QUOTIENTS)


@promise("Hessian {n}x{n}, a sum over elements", *SIZES[:-1], tiny={"n": 3})
def diagonal(n: int) -> Workload:
    """Differentiate a cheap sum twice."""
    x = random().normal(size=n)

    def hand() -> numpy.ndarray:
        sine, cosine = numpy.sin(x), numpy.cos(x)
        return numpy.diag(numpy.exp(-x * x) * ((4.0 * x * x - 3.0) * sine - 4.0 * x * cosine))

    function = lambda np, x: np.sum(np.sin(x) * np.exp(-x * x))
    return Workload(function, (x,), question="hessian", remark="hessian", hand=hand, **QUOTIENTS)


@promise("Hessian {n}x{n}, Rosenbrock", *SIZES[1:-1], tiny={"n": 3})
def tridiagonal(n: int) -> Workload:
    """Differentiate Rosenbrock's function twice."""
    return replace(rosenbrock_hessian(n), **QUOTIENTS)


def reaction(steps: int, states: int) -> tuple[Callable[[int, Any], Any], numpy.ndarray]:
    """Return a step of a reaction with diffusion, and the state that it begins with."""
    dt = 1.0 / steps
    first = 0.5 + 0.1 * random().normal(size=states)
    spread = lambda u: numpy.roll(u, 1) + numpy.roll(u, -1) - 2.0 * u
    return lambda k, u: u + dt * (u * (1.0 - u) + spread(u)), first
