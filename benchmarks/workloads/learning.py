"""Learning: clusters and mixtures, regression, recurrent networks."""

from __future__ import annotations

from typing import Any

from timing import np as numpy

from workloads import ARRAYS, TRANSFORMS, WITHOUT_JAX, Workload, random, workload


@workload(
    "GMM gradient d={d} K={k} n={n}",
    {"d": 2, "k": 5, "n": 1000},
    {"d": 10, "k": 25, "n": 1000},
    {"d": 32, "k": 25, "n": 2500},
    tiny={"d": 2, "k": 2, "n": 3},
)
def gaussian_mixture(d: int, k: int, n: int) -> Workload:
    """Differentiate a mixture's likelihood, with Wishart's prior, by weights, means and factors, as in ADBench."""
    rng = random()
    lower = d * (d - 1) // 2
    places = numpy.full((d, d), lower)  # of the elements below the diagonal; all others are a zero behind these
    places[numpy.tril_indices(d, -1)] = numpy.arange(lower)
    places = places.ravel()
    parameters = rng.normal(size=k), rng.normal(size=(k, d)), 0.5 * rng.normal(size=(k, d + lower))

    def loss(np: Any, alphas: Any, means: Any, factors: Any, x: Any, zeros: Any, places: Any) -> Any:
        logs = factors[:, :d]
        diagonal, sums = np.exp(logs), np.sum(logs, 1)
        below = np.concatenate([factors[:, d:], zeros], 1)[:, places].reshape((k, d, d))
        centred = x[None, :, :] - means[:, None, :]
        white = diagonal[:, None, :] * centred + np.matmul(centred, np.swapaxes(below, 1, 2))
        terms = (alphas + sums)[:, None] - 0.5 * np.sum(white * white, 2)
        prior = 0.5 * (np.sum(diagonal * diagonal) + np.sum(factors[:, d:] ** 2)) - np.sum(logs)
        return np.sum(np.logsumexp(terms, 0)) - n * np.logsumexp(alphas, 0) - prior

    return Workload(loss, parameters, (rng.normal(size=(n, d)), numpy.zeros((k, 1)), places))


def distances(np: Any, centres: Any, points: Any) -> Any:
    """Return the sum of the squared distances of points to their nearest centres."""
    apart = points[:, None, :] - centres[None, :, :]
    return np.sum(np.amin(np.sum(apart * apart, 2), 1))


def nearest(centres: numpy.ndarray, points: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return how many points are nearest to each centre, and their sums."""
    closest = numpy.argmin(numpy.sum(centres**2, axis=1) - 2.0 * points @ centres.T, axis=1)
    belongs = numpy.zeros((len(centres), len(points)))
    belongs[closest, numpy.arange(len(points))] = 1.0
    return numpy.sum(belongs, axis=1), belongs @ points


@workload(
    "kmeans grad + Hessian diagonal k={k} n={n} d={d}", {"k": 100, "n": 1000, "d": 8}, tiny={"k": 2, "n": 5, "d": 2}
)
def clusters_to_second_order(k: int, n: int, d: int) -> Workload:
    """Find the gradient and the Hessian, which is diagonal, along ones."""
    rng = random()
    points, centres = rng.normal(size=(n, d)), rng.normal(size=(k, d))

    def hand() -> list[numpy.ndarray]:
        counts, sums = nearest(centres, points)
        return [2.0 * (counts[:, None] * centres - sums), 2.0 * numpy.repeat(counts, d)]

    return Workload(
        distances,
        (centres,),
        (points,),
        question="gradient_and_hvp",
        options={"vector": numpy.ones((k, d))},
        peers=TRANSFORMS,
        remark="jvp of grad",
        hand=hand,
    )


@workload(
    "k-means loss, {n} points, {k} centres, {d} dimensions: gradient",
    {"n": 10000, "k": 10, "d": 8},
    tiny={"n": 5, "k": 2, "d": 2},
)
def clusters(n: int, k: int, d: int) -> Workload:
    """Differentiate by the centres."""
    rng = random()
    points, centres = rng.normal(size=(n, d)), rng.normal(size=(k, d))

    def hand() -> numpy.ndarray:
        counts, sums = nearest(centres, points)
        return 2.0 * (counts[:, None] * centres - sums)

    return Workload(distances, (centres,), (points,), hand=hand)


def logistic_loss(np: Any, weights: Any, x: Any, signs: Any) -> Any:
    """Return the mean logistic loss of labels ±1."""
    return np.mean(np.log1p(np.exp(-signs * (x @ weights))))


@workload("logistic regression {n}x{d}, full-batch gradient", {"n": 10000, "d": 50}, tiny={"n": 5, "d": 2})
def logistic(n: int, d: int) -> Workload:
    """Differentiate a loss of a matrix of data by the weights."""
    rng = random()
    x, signs, weights = rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], n), 0.1 * rng.normal(size=d)

    def hand() -> numpy.ndarray:
        return x.T @ (-signs / (1.0 + numpy.exp(signs * (x @ weights)))) / n

    return Workload(logistic_loss, (weights,), (x, signs), hand=hand)


@workload(
    "RNN {steps} steps, batch {batch}, {inputs} inputs, {hidden} hidden: gradient",
    {"steps": 100, "batch": 16, "inputs": 8, "hidden": 32},
    tiny={"steps": 2, "batch": 2, "inputs": 2, "hidden": 3},
)
def recurrent(steps: int, batch: int, inputs: int, hidden: int) -> Workload:
    """Differentiate the error of a recurrent network's last state."""
    rng = random()
    sizes = (inputs, hidden), (hidden, hidden), (hidden,)
    parameters = tuple(rng.normal(size=size) / numpy.sqrt(hidden) for size in sizes)

    def loss(np: Any, by_input: Any, by_state: Any, bias: Any, sequence: Any, target: Any) -> Any:
        h = target * 0.0
        for x in sequence:
            h = np.tanh(x @ by_input + h @ by_state + bias)
        return np.mean((h - target) ** 2)

    def hand() -> list[numpy.ndarray]:
        by_input, by_state, bias = parameters
        states = [numpy.zeros((batch, hidden))]
        for x in sequence:
            states.append(numpy.tanh(x @ by_input + states[-1] @ by_state + bias))
        g = 2.0 / target.size * (states[-1] - target)
        slopes = [numpy.zeros(size) for size in sizes]
        for k in range(steps - 1, -1, -1):
            g = g * (1.0 - states[k + 1] ** 2)
            slopes[0] += sequence[k].T @ g
            slopes[1] += states[k].T @ g
            slopes[2] += g.sum(0)
            g = g @ by_state.T
        return slopes

    sequence, target = rng.normal(size=(steps, batch, inputs)), rng.uniform(-0.5, 0.5, (batch, hidden))
    return Workload(loss, parameters, (sequence, target), hand=hand, peers=WITHOUT_JAX)


@workload("LSTM gradient l={layers} c={length} b={width}", {"layers": 2, "length": 10, "width": 14},
          {"layers": 2, "length": 1024, "width": 14}, tiny={"layers": 2, "length": 3, "width": 2})  # fmt: skip
def long_short_term(layers: int, length: int, width: int) -> Workload:
    """Differentiate the error of a network of diagonal cells that predicts a sequence, as in ADBench."""
    rng = random()

    def loss(np: Any, main: Any, extra: Any, state: Any, sequence: Any) -> Any:
        sigmoid = lambda z: 1.0 / (1.0 + np.exp(-z))
        cells, hidden = [state[2 * k + 1] for k in range(layers)], [state[2 * k] for k in range(layers)]
        total = 0.0
        for t in range(length - 1):
            x = sequence[t] * extra[0]
            for k in range(layers):
                gates = np.concatenate([x, hidden[k], x, hidden[k]]) * main[2 * k] + main[2 * k + 1]
                forget, accept = sigmoid(gates[:width]), sigmoid(gates[width : 2 * width])
                emit, change = sigmoid(gates[2 * width : 3 * width]), np.tanh(gates[3 * width :])
                cells[k] = cells[k] * forget + accept * change
                x = hidden[k] = emit * np.tanh(cells[k])
            predicted = x * extra[1] + extra[2]
            normed = predicted - np.log(np.sum(np.exp(predicted)) + 2.0)
            total = total + np.sum(sequence[t + 1] * normed)
        return -total / ((length - 1) * width)

    shapes = (2 * layers, 4 * width), (3, width), (2 * layers, width)
    main, extra, state = (rng.normal(size=shape) for shape in shapes)
    sequence = rng.integers(0, 2, (length, width)).astype(float)
    peers = ARRAYS if length < 100 else ("torch", "autograd")
    return Workload(loss, (main, extra), (state, sequence), peers=peers)
