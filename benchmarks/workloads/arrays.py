"""Vector code: elementwise functions and reductions, from ten elements to a million."""

from __future__ import annotations

from typing import Any

from timing import np as numpy

from workloads import TRANSFORMS, WITHOUT_JAX, Workload, random, workload


def rosenbrock_value(np: Any, x: Any) -> Any:
    """Return Rosenbrock's function of a vector."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_gradient(x: numpy.ndarray) -> numpy.ndarray:
    """Return the gradient of Rosenbrock's function, written out."""
    a, b = x[:-1], x[1:]
    error = 200.0 * (b - a * a)
    slopes = numpy.zeros_like(x)
    slopes[:-1] = -2.0 * a * error - 2.0 * (1.0 - a)
    slopes[1:] += error
    return slopes


@workload(
    "Rosenbrock vectorised, gradient, n={n}",
    {"n": 10}, {"n": 100}, {"n": 1000}, {"n": 10000}, {"n": 100000}, {"n": 1000000},
    tiny={"n": 5},
)  # fmt: skip
def rosenbrock(n: int) -> Workload:
    """Differentiate a sum over two slices of a vector."""
    x = random().uniform(-1.0, 1.0, n)
    return Workload(rosenbrock_value, (x,), hand=lambda: rosenbrock_gradient(x))


@workload("regression: {steps} GD steps, total", {"steps": 1000, "n": 500}, tiny={"steps": 2, "n": 5})
def descent(steps: int, n: int) -> Workload:
    """Descend to the line through points, step by step; the loss is one of vectors."""
    rng = random()
    xs = rng.random(n)
    ys = 2.0 * xs + 1.0 + rng.normal(0.0, 0.1, n)

    def loss(np: Any, line: Any, xs: Any, ys: Any) -> Any:
        return np.mean((ys - (line[0] * xs + line[1])) ** 2)

    def by_hand() -> numpy.ndarray:
        slope = intercept = 0.0
        for _ in range(steps):
            error = slope * xs + intercept - ys
            slope, intercept = slope - 0.2 * (error @ xs) / n, intercept - 0.2 * numpy.mean(error)
        return numpy.array([slope, intercept])

    return Workload(
        loss, (numpy.zeros(2),), (xs, ys), question="descent", options={"rate": 0.1, "steps": steps}, hand=by_hand
    )


@workload("300 NumPy calls of {n} elements, gradient", {"n": 10}, {"n": 1000}, tiny={"n": 3})
def calls(n: int) -> Workload:
    """Differentiate a chain of sin, multiply and add in turn."""

    def chain(np: Any, x: Any) -> Any:
        y = x
        for _ in range(100):
            y = np.sin(y) * x + x
        return np.sum(y)

    return Workload(chain, (random().random(n),), peers=WITHOUT_JAX)


@workload("LSE gradient n={n}", {"n": 1000}, {"n": 1000000}, tiny={"n": 4})
def log_sum_exp(n: int) -> Workload:
    """Differentiate log Σ exp of a vector."""
    x = random().normal(size=n)

    def value(np: Any, x: Any) -> Any:
        highest = np.amax(x)
        return highest + np.log(np.sum(np.exp(x - highest)))

    def hand() -> numpy.ndarray:
        e = numpy.exp(x - numpy.max(x))
        return e / numpy.sum(e)

    whole = lambda np, x: np.logsumexp(x, 0)
    having = ("dualautodiff", "torch", "torch.func", "autograd", "jax")
    return Workload(value, (x,), phrased=dict.fromkeys(having, whole), hand=hand)


@workload("sum of logsumexp over the rows of {n}x{n}: gradient", {"n": 1000}, tiny={"n": 3})
def log_sum_exp_by_rows(n: int) -> Workload:
    """Differentiate log Σ exp of each row."""
    x = random().normal(size=(n, n))

    def hand() -> numpy.ndarray:
        e = numpy.exp(x - numpy.max(x, axis=1, keepdims=True))
        return e / numpy.sum(e, axis=1, keepdims=True)

    return Workload(lambda np, x: np.sum(np.logsumexp(x, 1)), (x,), hand=hand)


@workload("LLSQ gradient n={n} m={m} (Horner)", {"n": 1024, "m": 128}, tiny={"n": 6, "m": 3})
def horner(n: int, m: int) -> Workload:
    """Differentiate the squared error of a polynomial, by Horner's scheme, by its coefficients."""
    rng = random()
    t, y, coefficients = rng.uniform(-1.0, 1.0, n), rng.normal(size=n), rng.normal(size=m)

    def loss(np: Any, coefficients: Any, t: Any, y: Any) -> Any:
        p = coefficients[m - 1]
        for k in range(m - 2, -1, -1):
            p = p * t + coefficients[k]
        return np.mean((p - y) ** 2)

    def hand() -> numpy.ndarray:
        powers = numpy.vander(t, m, increasing=True)
        return powers.T @ (2.0 / n * (powers @ coefficients - y))

    return Workload(loss, (coefficients,), (t, y), hand=hand)


def call_prices(np: Any, spot: Any, strike: Any, rate: Any, volatility: Any, time: Any) -> Any:
    """Return the sum of the prices of European calls, by Black and Scholes."""
    root = volatility * np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / root
    d2 = d1 - root
    normal = lambda d: 0.5 * (1.0 + np.erf(d / 2.0**0.5))
    return np.sum(spot * normal(d1) - strike * np.exp(-rate * time) * normal(d2))


@workload(
    "Black-Scholes value+gradient wrt 5 inputs, {n} elements",
    {"n": 100},
    {"n": 10000},
    {"n": 1000000},
    tiny={"n": 3},
)
def black_scholes(n: int) -> Workload:
    """Differentiate the prices of options, which take the error function."""
    low, high = (80.0, 80.0, 0.01, 0.1, 0.2), (120.0, 120.0, 0.05, 0.4, 2.0)
    inputs = tuple(random(k).uniform(a, b, n) for k, (a, b) in enumerate(zip(low, high, strict=True)))
    return Workload(call_prices, inputs, peers=TRANSFORMS)
