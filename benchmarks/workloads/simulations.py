"""Simulations: differential equations by Runge and Kutta, heat on a grid, particles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from timing import np as numpy

from workloads import ARRAYS, WITHOUT_JAX, Workload, random, workload


def runge_kutta(slope: Callable[[Any], Any], state: Any, dt: float, steps: int) -> Any:
    """Return the state, an array, after so many steps of the classical method."""
    for _ in range(steps):
        k1 = slope(state)
        k2 = slope(state + 0.5 * dt * k1)
        k3 = slope(state + 0.5 * dt * k2)
        k4 = slope(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


def runge_kutta_of_numbers(slope: Callable[..., tuple[Any, ...]], state: tuple[Any, ...], dt: float, steps: int) -> Any:
    """Return the same of a state that is a tuple of numbers."""

    def moved(k: tuple[Any, ...], by: float) -> tuple[Any, ...]:
        return tuple(x + by * y for x, y in zip(state, k, strict=True))

    for _ in range(steps):
        k1 = slope(*state)
        k2 = slope(*moved(k1, 0.5 * dt))
        k3 = slope(*moved(k2, 0.5 * dt))
        k4 = slope(*moved(k3, dt))
        state = tuple(
            x + dt / 6.0 * (a + 2.0 * b + 2.0 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4, strict=True)
        )
    return state


@workload("ODE (RK4) gradient n={n} s={s}", {"n": 1000, "s": 10}, {"n": 1000, "s": 100}, tiny={"n": 3, "s": 2})
def nonlinear_decay(n: int, s: int) -> Workload:
    """Differentiate through uncoupled equations, one for each element."""

    def energy(np: Any, start: Any, rates: Any) -> Any:
        end = runge_kutta(lambda y: np.sin(y) * rates, start, 0.01, s)
        return np.sum(end * end)

    rng = random()
    peers = ARRAYS if s < 100 else WITHOUT_JAX
    return Workload(energy, (rng.normal(size=n), rng.normal(size=n)), peers=peers)


@workload("RK4 of an orbit, {steps} steps, 4 states: gradient wrt start and mass", {"steps": 1000}, tiny={"steps": 2})
def orbit(steps: int) -> Workload:
    """Differentiate the end of a planet's path, in Python's numbers."""

    def missed(np: Any, x: Any, y: Any, u: Any, v: Any, mass: Any) -> Any:
        def slope(x: Any, y: Any, u: Any, v: Any) -> tuple[Any, ...]:
            pull = -mass * (x * x + y * y) ** -1.5
            return u, v, pull * x, pull * y

        x, y, u, v = runge_kutta_of_numbers(slope, (x, y, u, v), 0.01, steps)
        return (x - 1.0) ** 2 + (y - 0.5) ** 2

    return Workload(missed, (1.0, 0.0, 0.1, 1.0, 1.0), peers=("torch", "num_dual", "micrograd"), scalars=True)


@workload("pendulum by RK4, {steps} steps: gradient wrt angle, speed, length", {"steps": 200}, tiny={"steps": 2})
def pendulum(steps: int) -> Workload:
    """Differentiate the last angle of a pendulum, in Python's numbers."""

    def last_angle(np: Any, angle: Any, speed: Any, length: Any) -> Any:
        slope = lambda angle, speed: (speed, -9.81 / length * np.sin(angle))
        return runge_kutta_of_numbers(slope, (angle, speed), 0.01, steps)[0]

    peers = ("torch", "autograd", "mygrad", "num_dual")
    return Workload(last_angle, (1.0, 0.0, 1.5), peers=peers, scalars=True)


@workload("Lorenz by RK4, {steps} steps of an array: gradient wrt start", {"steps": 200}, tiny={"steps": 2})
def lorenz(steps: int) -> Workload:
    """Differentiate through Lorenz's equations, in arrays of three."""

    def distance(np: Any, start: Any) -> Any:
        def slope(state: Any) -> Any:
            x, y, z = state
            return np.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

        end = runge_kutta(slope, start, 0.005, steps)
        return np.sum(end * end)

    return Workload(distance, (numpy.array([1.0, 2.0, 20.0]),), peers=WITHOUT_JAX)


def neighbours(u: Any) -> Any:
    """Return the five-point Laplacian, inside."""
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]


@workload(
    "heat equation {n}x{n}, {steps} steps, slices, u[1:-1, 1:-1] += ...: gradient wrt start and diffusivity",
    {"n": 64, "steps": 100},
    tiny={"n": 4, "steps": 2},
)
def heat_by_slices(n: int, steps: int) -> Workload:
    """Differentiate through a grid with cold walls, which is written into."""

    def heat(np: Any, start: Any, diffusivity: Any) -> Any:
        u = start * 1.0
        for _ in range(steps):
            u[1:-1, 1:-1] += diffusivity * neighbours(u)
        return np.sum(u * u)

    def by_jax(np: Any, start: Any, diffusivity: Any) -> Any:
        u = start
        for _ in range(steps):
            u = u.at[1:-1, 1:-1].add(diffusivity * neighbours(u))
        return np.sum(u * u)

    def by_autograd(np: Any, start: Any, diffusivity: Any) -> Any:
        u = start
        for _ in range(steps):
            u = u + np.pad(diffusivity * neighbours(u), 1, "constant")
        return np.sum(u * u)

    return Workload(
        heat,
        (random().normal(size=(n, n)), 0.1),
        phrased={"jax": by_jax, "autograd": by_autograd},
    )


@workload(
    "heat equation {n}x{n}, {steps} steps, periodic by np.roll: gradient wrt start and diffusivity",
    {"n": 64, "steps": 100},
    tiny={"n": 4, "steps": 2},
)
def heat_by_rolls(n: int, steps: int) -> Workload:
    """Differentiate through a grid on a torus."""

    def heat(np: Any, start: Any, diffusivity: Any) -> Any:
        u = start
        for _ in range(steps):
            around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
            u = u + diffusivity * (around - 4.0 * u)
        return np.sum(u * u)

    return Workload(heat, (random().normal(size=(n, n)), 0.1))


@workload("Lennard-Jones energy of {n} particles: forces", {"n": 100}, tiny={"n": 3})
def lennard_jones(n: int) -> Workload:
    """Differentiate a sum over all pairs, taken by index arrays."""
    first, second = numpy.triu_indices(n, 1)
    side = numpy.arange(numpy.ceil(n ** (1 / 3)))
    lattice = numpy.stack(numpy.meshgrid(side, side, side), axis=-1).reshape(-1, 3)[:n]
    positions = 1.2 * lattice + random().uniform(-0.1, 0.1, (n, 3))

    def energy(np: Any, positions: Any, first: Any, second: Any) -> Any:
        apart = positions[first] - positions[second]
        attraction = np.sum(apart * apart, 1) ** -3
        return 4.0 * np.sum(attraction * attraction - attraction)

    def hand() -> numpy.ndarray:
        apart = positions[first] - positions[second]
        squares = numpy.sum(apart * apart, axis=1)
        attraction = squares**-3
        slopes = (-24.0 * (2.0 * attraction * attraction - attraction) / squares)[:, None] * apart
        forces = numpy.zeros_like(positions)
        numpy.add.at(forces, first, slopes)
        numpy.subtract.at(forces, second, slopes)
        return forces

    return Workload(energy, (positions,), (first, second), hand=hand)


def brusselator(np: Any, state: Any) -> Any:
    """Return the rates of the reaction and diffusion of two substances on a ring: u, then v."""
    half = state.shape[0] // 2
    u, v = state[:half], state[half:]
    reaction = u * u * v
    spread = lambda w: np.roll(w, 1, 0) + np.roll(w, -1, 0) - 2.0 * w
    return np.concatenate([1.0 + reaction - 4.0 * u + 2.0 * spread(u), 3.0 * u - reaction + 2.0 * spread(v)])


@workload("sparse Jacobian of 1-D Brusselator, {n} cells, by 6 seeds", {"n": 1000}, tiny={"n": 6})
def sparse_jacobian(n: int) -> Workload:
    """Push seeds of columns that share no row, those of every third cell."""
    seeds = [
        numpy.concatenate([(numpy.arange(n) % 3 == k) * (w == 0), (numpy.arange(n) % 3 == k) * (w == 1)]).astype(float)
        for w in (0, 1)
        for k in range(3)
    ]
    state = random().uniform(0.5, 1.5, 2 * n)
    return Workload(
        brusselator,
        (state,),
        question="pushes",
        options={"directions": seeds},
        peers=("torch.func", "autograd", "jax"),
        remark="linearize",
    )
