"""What `benchmarks/compiled.py` runs, second part: programs of arrays, and other derivatives than a gradient."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contenders import moved_by_adam
from timing import np as numpy

from workloads import Workload, random
from workloads.arrays import black_scholes, horner, log_sum_exp, rosenbrock
from workloads.derivatives import perceptron_jacobian, rosenbrock_hessian, rosenbrock_product
from workloads.learning import clusters_to_second_order, gaussian_mixture, logistic
from workloads.limits import in_c
from workloads.linalg import gaussian_process
from workloads.loops import compiled
from workloads.simulations import brusselator, lennard_jones
from workloads.training import gradient
from workloads.vision import bundle_adjustment, hand_tracking

ARRAYS = ("eager", "jax jit", "torch.compile", "autograd")
SMALL = ("eager", "jax jit", "autograd")
"""Where a call of what torch compiled takes longer than JAX's whole gradient."""


@compiled(
    "Rosenbrock, vectorised, n={n}: gradient",
    {"n": 10}, {"n": 100}, {"n": 1000}, {"n": 10000}, {"n": 100000}, {"n": 1000000},
    tiny={"n": 5},
)  # fmt: skip
def rosenbrock_of_array(n: int) -> Workload:
    """Differentiate a sum over two slices of a vector."""
    work = rosenbrock(n)
    peers = ARRAYS if n in (10000, 1000000) else SMALL
    return replace(work, peers=peers, limit=in_c("rosenbrock", n, *work.arguments, result=n))


@compiled("Black-Scholes, {n} options: value and 5 gradients", {"n": 100}, {"n": 10000}, {"n": 1000000}, tiny={"n": 3})
def options(n: int) -> Workload:
    """Differentiate the prices of options, which take the error function."""
    work = black_scholes(n)
    limit = in_c("black_scholes", n, *work.arguments, result=5 * n + 1)
    return replace(work, question="value_and_gradient", peers=ARRAYS, limit=limit)


@compiled("sum of exp·log·tanh + sin, n={n}: gradient", {"n": 1000}, {"n": 1000000}, tiny={"n": 4})
def elementary(n: int) -> Workload:
    """Differentiate a sum of elementary functions."""
    x = random().uniform(0.5, 2.0, n)

    def hand() -> numpy.ndarray:
        e, l, t = numpy.exp(x), numpy.log(x), numpy.tanh(x)
        return e * (l * t + t / x + l * (1.0 - t * t)) + numpy.cos(x)

    return Workload(
        lambda np, x: np.sum(np.exp(x) * np.log(x) * np.tanh(x) + np.sin(x)),
        (x,),
        peers=ARRAYS if n > 1000 else SMALL,
        hand=hand,
        limit=in_c("elementwise", n, x, result=n),
    )


@compiled("log-sum-exp, n={n}: gradient", {"n": 1000}, {"n": 1000000}, tiny={"n": 4})
def log_sum(n: int) -> Workload:
    """Differentiate log Σ exp of a vector."""
    work = log_sum_exp(n)
    peers = ARRAYS if n > 1000 else SMALL
    return replace(work, peers=peers, limit=in_c("log_sum_exp", n, *work.arguments, result=n))


@compiled(
    "MLP {sizes}, batch {batch}: gradient",
    {"sizes": "2-25-25-25-2", "batch": 100},
    {"sizes": "784-256-128-10", "batch": 128},
    tiny={"sizes": "2-3-2", "batch": 4},
)
def network(sizes: str, batch: int) -> Workload:
    """Differentiate the cross entropy by all weights and biases."""
    work = gradient(sizes, batch, "float64")
    return replace(work, peers=ARRAYS, limit=work.hand if sizes.startswith("784") else None)


@compiled(
    "MLP {sizes}, batch {batch}: step of Adam",
    {"sizes": "2-25-25-25-2", "batch": 100},
    {"sizes": "784-256-128-10", "batch": 128},
    tiny={"sizes": "2-3-2", "batch": 4},
)
def training_step(sizes: str, batch: int) -> Workload:
    """Take a whole step of a training: the gradient, the means of it and of its squares, the new parameters."""
    work, rng = gradient(sizes, batch, "float64"), random(2)
    means = tuple(0.01 * rng.normal(size=x.shape) for x in work.arguments)
    squares = tuple(1e-4 * rng.uniform(size=x.shape) for x in work.arguments)
    options = {"count": len(means), "rate": 0.001}
    arguments = (*work.arguments, *means, *squares)
    slopes = work.hand
    assert slopes is not None
    hand = lambda: moved_by_adam(numpy, arguments, slopes(), options["rate"])
    return replace(work, arguments=arguments, question="trained", options=options, peers=ARRAYS, hand=hand,
                   limit=hand if sizes.startswith("784") else None)  # fmt: skip


@compiled("GMM, d={d}, K={k}, n={n}: gradient", {"d": 2, "k": 5, "n": 1000}, {"d": 10, "k": 25, "n": 1000},
          {"d": 32, "k": 25, "n": 2500}, tiny={"d": 2, "k": 2, "n": 3})  # fmt: skip
def mixture(d: int, k: int, n: int) -> Workload:
    """Differentiate a mixture's likelihood, as in ADBench."""
    return replace(gaussian_mixture(d, k, n), peers=ARRAYS)


@compiled(
    "k-means, {n} points, {k} centres, {d} dimensions: gradient and Hessian's diagonal",
    {"k": 100, "n": 1000, "d": 8},
    tiny={"k": 2, "n": 5, "d": 2},
)
def centres(k: int, n: int, d: int) -> Workload:
    """Differentiate by the centres, twice."""
    return replace(clusters_to_second_order(k, n, d), peers=SMALL)


@compiled(
    "bundle adjustment, {cameras} cameras, {points} points, {seen} observations: gradient",
    {"cameras": 30, "points": 500, "seen": 2500},
    tiny={"cameras": 2, "points": 3, "seen": 4},
)
def adjustment(cameras: int, points: int, seen: int) -> Workload:
    """Differentiate the squares of 5,000 residuals and of 2,500 weights, as in ADBench."""
    return replace(bundle_adjustment(cameras, points, seen), peers=ARRAYS)


@compiled(
    "hand tracking, {bones} bones, {vertices} vertices, {seen} points: Jacobian",
    {"bones": 22, "vertices": 544, "seen": 100},
    tiny={"bones": 3, "vertices": 5, "seen": 2},
)
def tracking(bones: int, vertices: int, seen: int) -> Workload:
    """Differentiate the distances of a hand's vertices from points, as in ADBench."""
    return replace(hand_tracking(bones, vertices, seen), peers=SMALL)


@compiled("Lennard-Jones, {n} particles: forces", {"n": 100}, tiny={"n": 3})
def forces(n: int) -> Workload:
    """Differentiate a sum over all pairs."""
    work = lennard_jones(n)
    return replace(work, peers=ARRAYS, limit=in_c("lennard_jones", n, *work.arguments, result=3 * n))


@compiled("GP marginal likelihood, n={n}: gradient", {"n": 100}, tiny={"n": 4})
def process(n: int) -> Workload:
    """Differentiate through a factor of a matrix of the points."""
    work = gaussian_process(n)
    return replace(work, peers=SMALL, limit=work.hand)


@compiled(
    "least squares by Horner, {n} points, {m} coefficients: gradient", {"n": 1024, "m": 128}, tiny={"n": 6, "m": 3}
)
def polynomial(n: int, m: int) -> Workload:
    """Differentiate by the coefficients of a polynomial."""

    def by_scan(np: Any, coefficients: Any, t: Any, y: Any) -> Any:
        import jax

        step = lambda p, coefficient: (p * t + coefficient, None)
        p = jax.lax.scan(step, coefficients[-1] + 0.0 * t, coefficients[:-1], reverse=True)[0]
        return np.mean((p - y) ** 2)

    return replace(horner(n, m), peers=("eager", "jax jit", "jax scan", "autograd"), phrased={"jax scan": by_scan})


@compiled("logistic regression {n}x{d}: gradient", {"n": 10000, "d": 50}, tiny={"n": 5, "d": 2})
def classes(n: int, d: int) -> Workload:
    """Differentiate a loss of a matrix of data by the weights."""
    work = logistic(n, d)
    return replace(work, peers=ARRAYS, limit=work.hand)


@compiled("Hessian of Rosenbrock, n={n}", {"n": 100}, tiny={"n": 4})
def curvature(n: int) -> Workload:
    """Differentiate twice: a full matrix."""
    return replace(rosenbrock_hessian(n), peers=("eager", "jax jit", "casadi SX", "autograd"))


@compiled("Hessian of Rosenbrock times a vector, n={n}", {"n": 10000}, tiny={"n": 4})
def product(n: int) -> Workload:
    """Multiply the Hessian by a vector."""
    return replace(rosenbrock_product(n), peers=SMALL)


@compiled("Jacobian of a tanh net {sizes}", {"sizes": "50-100-100-50"}, tiny={"sizes": "2-3-3-2"})
def jacobian(sizes: str) -> Workload:
    """Differentiate a network's outputs by its inputs."""
    work = perceptron_jacobian(sizes)
    return replace(work, peers=SMALL, limit=work.hand)


@compiled("sparse Jacobian of the Brusselator, {n} unknowns", {"n": 2000}, tiny={"n": 12})
def sparse(n: int) -> Workload:
    """Differentiate a reaction and diffusion on a ring."""
    state, half = random().uniform(0.5, 1.5, n), n // 2
    cells = numpy.arange(half)
    places = numpy.stack([(cells - 1) % half, cells, (cells + 1) % half, cells + half], axis=1)
    below = numpy.stack([cells, *(half + (cells + k) % half for k in (-1, 0, 1))], axis=1)
    orders = numpy.argsort(places, axis=1), numpy.argsort(below, axis=1)

    def hand() -> numpy.ndarray:
        u, v = state[:half], state[half:]
        twos, square, both = numpy.full(half, 2.0), u * u, 2.0 * u * v
        upper = numpy.stack([twos, both - 8.0, twos, square], axis=1)
        lower = numpy.stack([3.0 - both, twos, -square - 4.0, twos], axis=1)
        sorted_ = (numpy.take_along_axis(part, order, 1) for part, order in zip((upper, lower), orders, strict=True))
        return numpy.concatenate([part.ravel() for part in sorted_])

    return Workload(brusselator, (state,), question="sparse_jacobian", peers=("eager", "casadi SX"), hand=hand)
