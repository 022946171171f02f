"""Networks of dense layers with ReLU: their gradients, and steps of gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from timing import np as numpy

from workloads import ARRAYS, Workload, random, workload


def first_parameters(sizes: str, precision: str = "float64") -> list[numpy.ndarray]:
    """Return the weights ``(m, n)`` and biases ``(n,)`` of all layers, in turn."""
    rng, parameters = random(), []
    for m, n in pairwise(int(size) for size in sizes.split("-")):
        parameters += [rng.normal(size=(m, n)) * numpy.sqrt(2.0 / m), 0.1 * rng.normal(size=n)]
    return [parameter.astype(precision) for parameter in parameters]


def outputs(np: Any, parameters: Any, z: Any) -> Any:
    """Return the last layer's outputs, before softmax."""
    last = len(parameters) - 2
    for k in range(0, last + 1, 2):
        z = z @ parameters[k] + parameters[k + 1]
        z = np.relu(z) if k < last else z
    return z


def cross_entropy(np: Any, *arguments: Any) -> Any:
    """Return the mean cross entropy; arguments are the parameters, the data, their classes."""
    *parameters, x, classes = arguments
    return np.cross_entropy(outputs(np, parameters, x), classes)


def squared_error(np: Any, *arguments: Any) -> Any:
    """Return the mean squared error of the softmax; arguments are the parameters, the data, their targets."""
    *parameters, x, targets = arguments
    z = outputs(np, parameters, x)
    e = np.exp(z - np.amax(z, axis=1, keepdims=True))
    return np.mean((e / np.sum(e, axis=1, keepdims=True) - targets) ** 2)


def slopes_by_hand(parameters: list[Any], x: Any, targets: Any) -> list[numpy.ndarray]:
    """Return the gradient: of the cross entropy where targets are classes, else of the squared error."""
    zs, layers = [x], range(0, len(parameters), 2)
    inputs = []
    for k in layers:
        inputs.append(numpy.maximum(zs[-1], 0.0) if k else x)
        zs.append(inputs[-1] @ parameters[k] + parameters[k + 1])
    e = numpy.exp(zs[-1] - zs[-1].max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    if targets.ndim == 1:
        p[numpy.arange(len(p)), targets] -= 1.0
        g = p / len(p)
    else:
        g = (2.0 / p.size) * (p - targets)
        g = p * (g - (g * p).sum(1, keepdims=True))
    slopes: list[numpy.ndarray] = []
    for k in reversed(layers):
        slopes[:0] = [inputs[k // 2].T @ g, g.sum(0)]
        if k:
            g = (g @ parameters[k].T) * (zs[k // 2] > 0.0)
    return slopes


@workload(
    "MLP {sizes} batch {batch} {precision}",
    {"sizes": "2-25-25-25-2", "batch": 100, "precision": "float64"},
    {"sizes": "784-256-128-10", "batch": 128, "precision": "float64"},
    {"sizes": "2-25-25-25-2", "batch": 100, "precision": "float32"},
    {"sizes": "784-256-128-10", "batch": 128, "precision": "float32"},
    tiny={"sizes": "2-3-2", "batch": 4, "precision": "float64"},
)
def gradient(sizes: str, batch: int, precision: str) -> Workload:
    """Differentiate the cross entropy by all weights and biases, written in functions of arrays."""
    parameters, rng = first_parameters(sizes, precision), random(1)
    x = rng.normal(size=(batch, len(parameters[0]))).astype(precision)
    classes = rng.integers(0, len(parameters[-1]), batch)
    return Workload(
        cross_entropy,
        tuple(parameters),
        (x, classes),
        hand=lambda: slopes_by_hand(parameters, x, classes),
        tolerance=1e-4 if precision == "float32" else 1e-7,
    )


def descent_by_hand(parameters: list[Any], x: Any, targets: Any, rate: float) -> Callable[[], list[numpy.ndarray]]:
    """Return a call that steps down, from where the last call was, and returns the parameters."""
    own = [parameter.copy() for parameter in parameters]

    def step() -> list[numpy.ndarray]:
        for parameter, slope in zip(own, slopes_by_hand(own, x, targets), strict=True):
            parameter -= rate * slope
        return own

    return step


@workload(
    "SGD step of an MLP {sizes}, batch {batch}, ReLU, {loss}",
    {"sizes": "64-128-128-10", "batch": 128, "loss": "cross entropy"},
    {"sizes": "784-256-128-10", "batch": 128, "loss": "cross entropy"},
    {"sizes": "2-25-25-25-2", "batch": 1000, "loss": "squared error of softmax"},
    tiny={"sizes": "2-3-2", "batch": 4, "loss": "cross entropy"},
)
def step(sizes: str, batch: int, loss: str) -> Workload:
    """Step down once, by the modules, losses and optimiser of a library that has them."""
    parameters, rng = first_parameters(sizes), random(1)
    x, classes = rng.normal(size=(batch, len(parameters[0]))), rng.integers(0, len(parameters[-1]), batch)
    entropy = loss == "cross entropy"
    targets = classes if entropy else numpy.eye(len(parameters[-1]))[classes]
    return Workload(
        cross_entropy if entropy else squared_error,
        tuple(parameters),
        (x, targets),
        question="step",
        options={"x": x, "targets": targets, "rate": 0.1},
        peers=ARRAYS,
        remark="nn",
        hand=descent_by_hand(parameters, x, targets, 0.1),
    )
