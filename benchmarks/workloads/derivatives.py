"""Other derivatives than a gradient: of higher order, many at once, Jacobians, Hessians, and products with them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from timing import np as numpy

from workloads import TRANSFORMS, Workload, random, workload
from workloads.arrays import rosenbrock_value
from workloads.learning import logistic_loss


def ten_operations(np: Any, x: Any) -> Any:
    """Return a formula of ten operations."""
    return np.exp(-0.5 * x * x) * np.sin(3.0 * x) / (1.0 + x * x) + x


@workload("derivative of order {order} of a scalar function, one call", {"order": 1}, {"order": 2}, {"order": 3},
          tiny={"order": 2})  # fmt: skip
def of_order(order: int) -> Workload:
    """Differentiate a formula at one number."""
    peers = (*TRANSFORMS, "num_dual", *(["mygrad"] if order == 1 else []))
    options = {"order": order}
    return Workload(
        ten_operations, (0.7,), question="derivative", options=options, peers=peers, scalars=True, remark="derivative"
    )


@workload("{n} derivatives of one scalar function (vmap-like)", {"n": 1000}, tiny={"n": 3})
def many(n: int) -> Workload:
    """Differentiate the same formula at many points."""
    x = random().uniform(-2.0, 2.0, n)

    def hand() -> numpy.ndarray:
        below, inner = 1.0 + x * x, numpy.sin(3.0 * x)
        outer = numpy.exp(-0.5 * x * x) / below
        return outer * (3.0 * numpy.cos(3.0 * x) - inner * x * (1.0 + 2.0 / below)) + 1.0

    peers = (*TRANSFORMS, "mygrad", "num_dual")
    return Workload(ten_operations, (x,), question="elementwise", peers=peers, remark="jvp along ones", hand=hand)


def rosenbrock_bands(x: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return the diagonal of the Hessian of Rosenbrock's function, and the one beside it."""
    a, b = x[:-1], x[1:]
    diagonal = numpy.zeros_like(x)
    diagonal[:-1] = 1200.0 * a * a - 400.0 * b + 2.0
    diagonal[1:] += 200.0
    return diagonal, -400.0 * a


@workload("Hessian of Rosenbrock n={n} (vectorised), dense result", {"n": 100}, tiny={"n": 4})
def rosenbrock_hessian(n: int) -> Workload:
    """Differentiate twice: a full matrix."""
    x = random().uniform(-1.0, 1.0, n)

    def hand() -> numpy.ndarray:
        diagonal, beside = rosenbrock_bands(x)
        return numpy.diag(diagonal) + numpy.diag(beside, 1) + numpy.diag(beside, -1)

    return Workload(rosenbrock_value, (x,), question="hessian", peers=TRANSFORMS, remark="hessian", hand=hand)


@workload("HVP of Rosenbrock n={n} (vectorised)", {"n": 10000}, tiny={"n": 4})
def rosenbrock_product(n: int) -> Workload:
    """Multiply the Hessian by a vector."""
    rng = random()
    x, v = rng.uniform(-1.0, 1.0, n), rng.normal(size=n)

    def hand() -> numpy.ndarray:
        diagonal, beside = rosenbrock_bands(x)
        product = diagonal * v
        product[:-1] += beside * v[1:]
        product[1:] += beside * v[:-1]
        return product

    options = {"vector": v}
    return Workload(rosenbrock_value, (x,), question="hvp", options=options, peers=TRANSFORMS, remark="hvp", hand=hand)


def logistic_data(n: int, d: int) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Return weights, data and labels ±1."""
    rng = random()
    return 0.1 * rng.normal(size=d), rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], n)


@workload("HVP of logistic regression {n}x{d}", {"n": 1000, "d": 100}, tiny={"n": 5, "d": 2})
def logistic_product(n: int, d: int) -> Workload:
    """Multiply the Hessian by a vector."""
    weights, x, signs = logistic_data(n, d)
    v = random(1).normal(size=d)

    def hand() -> numpy.ndarray:
        p = 1.0 / (1.0 + numpy.exp(-(x @ weights)))
        return x.T @ (p * (1.0 - p) * (x @ v)) / n

    options = {"vector": v}
    return Workload(
        logistic_loss, (weights,), (x, signs), question="hvp", options=options, peers=TRANSFORMS, remark="hvp",
        hand=hand,
    )  # fmt: skip


@workload("Hessian of a {d}-parameter negative log-likelihood, {n} data", {"n": 1000, "d": 20}, tiny={"n": 5, "d": 2})
def logistic_hessian(n: int, d: int) -> Workload:
    """Differentiate twice: a full matrix."""
    weights, x, signs = logistic_data(n, d)

    def hand() -> numpy.ndarray:
        p = 1.0 / (1.0 + numpy.exp(-(x @ weights)))
        return (x.T * (p * (1.0 - p) / n)) @ x

    return Workload(
        logistic_loss, (weights,), (x, signs), question="hessian", peers=TRANSFORMS, remark="hessian", hand=hand
    )


@workload("Jacobian of {sizes} tanh MLP", {"sizes": "50-100-100-50"}, tiny={"sizes": "2-3-3-2"})
def perceptron_jacobian(sizes: str) -> Workload:
    """Differentiate a network's outputs by its inputs."""
    rng = random()
    widths = [int(width) for width in sizes.split("-")]
    weights = [rng.normal(size=(m, n)) / numpy.sqrt(n) for n, m in pairwise(widths)]
    x = rng.normal(size=widths[0])

    def outputs(np: Any, x: Any, *weights: Any) -> Any:
        for w in weights[:-1]:
            x = np.tanh(w @ x)
        return weights[-1] @ x

    def hand() -> numpy.ndarray:
        z, jacobian = x, numpy.eye(len(x))
        for w in weights[:-1]:
            z = numpy.tanh(w @ z)
            jacobian = (1.0 - z * z)[:, None] * (w @ jacobian)
        return weights[-1] @ jacobian

    return Workload(outputs, (x,), tuple(weights), question="jacobian", peers=TRANSFORMS, remark="jacobian", hand=hand)


@workload("Jacobian R^{n} to R^{n}, elementwise and a neighbour, dense", {"n": 100}, tiny={"n": 4})
def banded_jacobian(n: int) -> Workload:
    """Differentiate a vector by a vector: a full matrix, of two diagonals."""
    x = random().normal(size=n)

    def hand() -> numpy.ndarray:
        jacobian = numpy.diag(numpy.cos(x) * numpy.roll(x, 1))
        places = numpy.arange(n)
        jacobian[places, places - 1] += numpy.sin(x)
        return jacobian

    function = lambda np, x: np.sin(x) * np.roll(x, 1)
    return Workload(function, (x,), question="jacobian", peers=TRANSFORMS, remark="jacobian", hand=hand)


def reprojection(np: Any, camera: Any, point: Any, weight: Any, seen: Any) -> Any:
    """Return the weighted errors ``(2, n)`` of points that cameras see, as in ADBench, one camera for each point.

    ``camera`` ``(11, n)`` is rotation, centre, focal length, principal point and radial distortion.
    """
    turn, centre = camera[:3], camera[3:6]
    angle = np.sqrt(np.sum(turn * turn, 0))
    cosine, sine = np.cos(angle), np.sin(angle)
    axis, p = turn / angle, point - centre
    cross = np.stack(
        [axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2], axis[0] * p[1] - axis[1] * p[0]]
    )
    turned = p * cosine + cross * sine + axis * (np.sum(axis * p, 0) * (1.0 - cosine))
    flat = turned[:2] / turned[2]
    square = np.sum(flat * flat, 0)
    distorted = flat * (1.0 + camera[9] * square + camera[10] * square * square)
    return weight * (distorted * camera[6] + camera[7:9] - seen)


@workload("BA: 2x15 Jacobian of {n} reprojection residuals", {"n": 5000}, tiny={"n": 2})
def bundle(n: int) -> Workload:
    """Pull back two cotangents, one for each coordinate."""
    rng = random()
    camera = rng.uniform(0.1, 1.0, (11, n))
    camera[9:] *= 0.1
    point, weight = rng.normal(size=(3, n)) + numpy.array([[0.0], [0.0], [6.0]]), rng.uniform(0.5, 1.0, n)
    rows = [numpy.stack([numpy.full(n, 1.0 - k), numpy.full(n, float(k))]) for k in range(2)]
    options = {"cotangents": rows}
    return Workload(
        reprojection, (camera, point, weight), (rng.normal(size=(2, n)),), question="pulls", options=options,
        peers=TRANSFORMS, remark="vjp",
    )  # fmt: skip
