"""What `benchmarks/compiled.py` runs, first part: loops of Python over single numbers, and over steps in time.

Where JAX's users would write a loop again as `jax.lax.scan`, that stands beside it. JAX is not asked for what it would
unroll to more than some 2,000 operations: it compiles these for minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from timing import np as numpy

from workloads import COMPILED, Workload, random, workload
from workloads.learning import long_short_term
from workloads.learning import recurrent as recurrent_network
from workloads.limits import in_c
from workloads.linalg import filtered, kalman
from workloads.scalars import chain as chain_of_sines
from workloads.scalars import line_loss, minors, points, power, rosenbrock_slopes
from workloads.scalars import regression as regression_of_lists
from workloads.simulations import heat_by_slices, neighbours, nonlinear_decay, runge_kutta, runge_kutta_of_numbers

compiled = partial(workload, among=COMPILED)

SCALARS = ("eager", "jax jit", "jax scan", "casadi SX", "autograd")
UNROLLED = ("eager", "jax scan", "casadi SX", "autograd")
"""Without JAX on the loop as it stands."""
STEPS = ("eager", "jax jit", "jax scan", "autograd")


def repeated(step: Callable[[Any], Any], state: Any, times: int) -> Any:
    """Return where so many steps lead, by `jax.lax.scan`."""
    import jax

    return jax.lax.scan(lambda now, _: (step(now), None), state, None, length=times)[0]


@compiled("derivative of sin(x)**sin(x)", tiny={})
def formula() -> Workload:
    """Differentiate a formula of one number."""
    return replace(power(), peers=("eager", "jax jit", "casadi SX", "autograd"))


@compiled("regression loop, {n} points: value and gradient", {"n": 500}, tiny={"n": 5})
def regression(n: int) -> Workload:
    """Differentiate a loop over points, which are captured lists."""
    xs, ys = (numpy.array(values) for values in points(n))

    def by_scan(np: Any, slope: Any, intercept: Any, xs: Any, ys: Any) -> Any:
        import jax

        add = lambda total, point: (total + (point[1] - (slope * point[0] + intercept)) ** 2, None)
        return jax.lax.scan(add, 0.0, (jax.numpy.array(xs), jax.numpy.array(ys)))[0]

    def hand() -> list[float]:
        error = 1.5 * xs + 0.5 - ys
        return [error @ error, 2.0 * (error @ xs), 2.0 * numpy.sum(error)]

    return replace(
        regression_of_lists(n),
        function=line_loss,
        question="value_and_gradient",
        peers=SCALARS,
        phrased={"jax scan": by_scan},
        hand=hand,
        limit=in_c("regression", n, xs, ys, numpy.array([1.5, 0.5]), result=3),
    )


def rosenbrock_loop(np: Any, x: Any) -> Any:
    """Return Rosenbrock's function of an array, by a loop over its elements."""
    total = 0.0
    for k in range(x.shape[0] - 1):
        total += 100.0 * (x[k + 1] - x[k] ** 2) ** 2 + (1.0 - x[k]) ** 2
    return total


@compiled("Rosenbrock, Python loop, n={n}: gradient", {"n": 10}, {"n": 100}, {"n": 1000}, tiny={"n": 4})
def rosenbrock(n: int) -> Workload:
    """Differentiate a loop over neighbours in an array."""
    x = random().uniform(-1.0, 1.0, n)

    def by_scan(np: Any, x: Any) -> Any:
        import jax

        return jax.lax.fori_loop(
            0, n - 1, lambda k, total: total + 100.0 * (x[k + 1] - x[k] ** 2) ** 2 + (1.0 - x[k]) ** 2, 0.0
        )

    return Workload(
        rosenbrock_loop,
        (x,),
        peers=tuple(peer for peer in SCALARS if n <= 100 or peer not in ("jax jit", "autograd")),
        phrased={"jax scan": by_scan},
        hand=lambda: numpy.array(rosenbrock_slopes(x.tolist())),
        limit=in_c("rosenbrock", n, x, result=n),
    )


@compiled("recursive filter, in place over {n} elements: gradient", {"n": 1000}, tiny={"n": 5})
def recursion(n: int) -> Workload:
    """Differentiate a loop that writes to the elements of an array one after the other, and reads those before."""
    signal = random().normal(size=n)

    def energy(np: Any, signal: Any, first: Any, second: Any) -> Any:
        y = signal * 1.0
        for k in range(2, n):
            y[k] += first * y[k - 1] + second * y[k - 2]
        return np.sum(y * y)

    def by_scan(np: Any, signal: Any, first: Any, second: Any) -> Any:
        import jax

        def step(last: Any, x: Any) -> Any:
            y = x + first * last[0] + second * last[1]
            return (y, last[0]), y

        y = jax.lax.scan(step, (signal[1], signal[0]), signal[2:])[1]
        return signal[0] ** 2 + signal[1] ** 2 + np.sum(y * y)

    coefficients = numpy.array([0.6, -0.3])
    return Workload(
        energy,
        (signal, *coefficients.tolist()),
        peers=("eager", "jax scan"),
        phrased={"jax scan": by_scan},
        limit=in_c("filter", n, signal, coefficients, numpy.zeros(2 * n), result=n + 2),
    )


@compiled("chain of {n} sines: derivative", {"n": 1000}, tiny={"n": 20})
def chain(n: int) -> Workload:
    """Differentiate a long chain by its one input."""
    by_scan = lambda np, x: repeated(lambda x: np.sin(x) * 1.0001 + 0.1, x, n)
    return replace(chain_of_sines(n), scalars=False, peers=SCALARS, phrased={"jax scan": by_scan})


@compiled("pendulum by RK4, {steps} steps of numbers: gradient", {"steps": 100}, tiny={"steps": 2})
def pendulum(steps: int) -> Workload:
    """Differentiate the last angle by angle, speed and length."""

    def written(loop: Callable[..., Any]) -> Callable[..., Any]:
        def last_angle(np: Any, angle: Any, speed: Any, length: Any) -> Any:
            slope = lambda angle, speed: (speed, -9.81 / length * np.sin(angle))
            return loop(lambda state: runge_kutta_of_numbers(slope, state, 0.01, 1), (angle, speed), steps)[0]

        return last_angle

    return Workload(written(in_python), (1.0, 0.0, 1.5), peers=UNROLLED, phrased={"jax scan": written(repeated)})


@compiled("Lorenz by RK4, {steps} steps of numbers: gradient", {"steps": 100}, tiny={"steps": 2})
def lorenz(steps: int) -> Workload:
    """Differentiate the distance of the end from the origin by the start."""
    slope = lambda x, y, z: (10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z)

    def written(loop: Callable[..., Any]) -> Callable[..., Any]:
        def distance(np: Any, x: Any, y: Any, z: Any) -> Any:
            x, y, z = loop(lambda state: runge_kutta_of_numbers(slope, state, 0.005, 1), (x, y, z), steps)
            return x * x + y * y + z * z

        return distance

    return Workload(written(in_python), (1.0, 2.0, 20.0), peers=UNROLLED, phrased={"jax scan": written(repeated)})


def in_python(step: Callable[[Any], Any], state: Any, times: int) -> Any:
    """Return where so many steps lead, by a loop."""
    for _ in range(times):
        state = step(state)
    return state


@compiled("determinant by minors, {n}x{n}: gradient", {"n": 5}, {"n": 6}, tiny={"n": 3})
def determinant(n: int) -> Workload:
    """Differentiate a recursion by all elements."""
    matrix = random().normal(size=n * n)

    def by_minors(np: Any, x: Any) -> Any:
        return minors([[x[n * i + k] for k in range(n)] for i in range(n)])

    def hand() -> numpy.ndarray:
        square = matrix.reshape(n, n)
        return numpy.linalg.det(square) * numpy.linalg.inv(square).T

    peers = ("eager", "casadi SX", "autograd", *(["jax jit"] if n < 6 else []))
    return Workload(by_minors, (matrix,), peers=peers, hand=hand)


@compiled("ODE by RK4, {n} states, {steps} steps: gradient", {"n": 1000, "steps": 10}, tiny={"n": 3, "steps": 2})
def decay(n: int, steps: int) -> Workload:
    """Differentiate through uncoupled equations, one for each element."""

    def by_scan(np: Any, start: Any, rates: Any) -> Any:
        step = lambda y: runge_kutta(lambda y: np.sin(y) * rates, y, 0.01, 1)
        end = repeated(step, start, steps)
        return np.sum(end * end)

    return replace(nonlinear_decay(n, steps), peers=(*STEPS, "torch.compile"), phrased={"jax scan": by_scan})


@compiled(
    "heat equation {n}x{n} by slices, {steps} steps: gradient", {"n": 64, "steps": 100}, tiny={"n": 4, "steps": 2}
)
def heat(n: int, steps: int) -> Workload:
    """Differentiate through a grid that is written into."""
    work = heat_by_slices(n, steps)

    def by_scan(np: Any, start: Any, diffusivity: Any) -> Any:
        u = repeated(lambda u: u.at[1:-1, 1:-1].add(diffusivity * neighbours(u)), start, steps)
        return np.sum(u * u)

    start, diffusivity = work.arguments
    grids = numpy.zeros((steps + 3) * n * n)
    limit = in_c("heat", n, steps, start, numpy.array(diffusivity), grids, result=n * n + 1)
    return replace(
        work,
        peers=("eager", "jax scan", "autograd"),
        phrased={**work.phrased, "jax scan": by_scan},
        limit=limit,
    )


@compiled("LSTM, 2 layers, {length} steps: gradient", {"length": 10, "width": 14}, {"length": 1024, "width": 14},
          tiny={"length": 3, "width": 2})  # fmt: skip
def recurrent(length: int, width: int) -> Workload:
    """Differentiate a network of diagonal cells, as in ADBench."""

    def by_scan(np: Any, main: Any, extra: Any, state: Any, sequence: Any) -> Any:
        import jax

        sigmoid = lambda z: 1.0 / (1.0 + np.exp(-z))

        def step(carried: Any, pair: Any) -> Any:
            x, cells, hidden = pair[0] * extra[0], list(carried[0]), list(carried[1])
            for k in range(2):
                gates = np.concatenate([x, hidden[k], x, hidden[k]]) * main[2 * k] + main[2 * k + 1]
                forget, accept, emit, change = (gates[k * width : (k + 1) * width] for k in range(4))
                cells[k] = cells[k] * sigmoid(forget) + sigmoid(accept) * np.tanh(change)
                x = hidden[k] = sigmoid(emit) * np.tanh(cells[k])
            predicted = x * extra[1] + extra[2]
            normed = predicted - np.log(np.sum(np.exp(predicted)) + 2.0)
            return (cells, hidden), np.sum(pair[1] * normed)

        first = [state[1], state[3]], [state[0], state[2]]
        terms = jax.lax.scan(step, first, (sequence[:-1], sequence[1:]))[1]
        return -np.sum(terms) / ((length - 1) * width)

    peers = STEPS if length <= 10 else tuple(peer for peer in STEPS if peer != "jax jit")
    return replace(long_short_term(2, length, width), peers=peers, phrased={"jax scan": by_scan})


@compiled("recurrent network, {steps} steps of 16x32: gradient", {"steps": 100}, tiny={"steps": 3})
def recurrent_of_matrices(steps: int) -> Workload:
    """Differentiate a network whose steps are products of matrices."""

    def by_scan(np: Any, by_input: Any, by_state: Any, bias: Any, sequence: Any, target: Any) -> Any:
        import jax

        step = lambda h, x: (np.tanh(x @ by_input + h @ by_state + bias), None)
        return np.mean((jax.lax.scan(step, target * 0.0, sequence)[0] - target) ** 2)

    work = recurrent_network(steps, 16, 8, 32)
    peers = ("eager", "jax scan", "autograd")
    return replace(work, peers=peers, phrased={"jax scan": by_scan}, limit=work.hand)


@compiled("Kalman filter, {steps} steps: gradient", {"steps": 100}, tiny={"steps": 3})
def filter_of(steps: int) -> Workload:
    """Differentiate through a loop over small matrices."""

    def by_scan(np: Any, transition: Any, log_q: Any, log_r: Any, measured: Any, observe: Any, unit: Any) -> Any:
        import jax

        process, error = np.exp(log_q) * unit, np.exp(log_r) * (observe @ observe.T)

        def step(carried: Any, z: Any) -> Any:
            state, covariance = carried
            state, covariance = transition @ state, transition @ covariance @ transition.T + process
            innovation, spread = z - observe @ state, observe @ covariance @ observe.T + error
            gain = np.linalg.solve(spread, observe @ covariance).T
            term = innovation @ np.linalg.solve(spread, innovation) + np.linalg.slogdet(spread)[1]
            return (state + gain @ innovation, covariance - gain @ observe @ covariance), term

        return -0.5 * np.sum(jax.lax.scan(step, (observe[0] * 0.0, unit), measured)[1])

    work = kalman(steps)
    return replace(work, function=filtered, peers=("eager", "jax scan", "autograd"), phrased={"jax scan": by_scan})
