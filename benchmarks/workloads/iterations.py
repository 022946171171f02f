"""What `benchmarks/compiled.py` runs, third part: whole iterations, as descents and Newton's within steps in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from contenders import descended_by_adam
from timing import np as numpy

from workloads import Workload
from workloads.learning import logistic
from workloads.limits import in_c
from workloads.loops import UNROLLED, compiled, in_python, repeated


@compiled(
    "logistic regression {n}x{d}, {steps} steps of descent",
    {"n": 100, "d": 5, "steps": 10000},
    tiny={"n": 5, "d": 2, "steps": 3},
)
def descent(n: int, d: int, steps: int) -> Workload:
    """Descend from given weights; each step takes a gradient."""
    work, rate = logistic(n, d), 0.1
    (start,), (x, signs) = work.arguments, work.constants

    def hand() -> numpy.ndarray:
        weights = start
        for _ in range(steps):
            weights = weights + rate / n * (x.T @ (signs / (1.0 + numpy.exp(signs * (x @ weights)))))
        return weights

    return replace(
        work,
        question="descent",
        options={"rate": rate, "steps": steps},
        peers=("eager", "jax scan", "autograd"),
        hand=hand,
        limit=in_c("descent", n, d, steps, numpy.array(rate), start, x, signs, result=d),
    )


@compiled(
    "logistic regression {n}x{d}, {steps} steps of Adam",
    {"n": 100, "d": 5, "steps": 1000},
    tiny={"n": 5, "d": 2, "steps": 3},
)
def by_adam(n: int, d: int, steps: int) -> Workload:
    """Descend from given weights by Adam, whose means and mean squares go from step to step; each takes a gradient."""
    work, rate = logistic(n, d), 0.01
    (start,), (x, signs) = work.arguments, work.constants
    slope = lambda weights: -(x.T @ (signs / (1.0 + numpy.exp(signs * (x @ weights))))) / n
    return replace(
        work,
        question="adam",
        options={"rate": rate, "steps": steps},
        peers=("eager", "jax scan", "autograd"),
        hand=lambda: descended_by_adam(numpy, slope, start, rate, steps),
        limit=in_c("adam", n, d, steps, numpy.array(rate), start, x, signs, result=d),
    )


@compiled(
    "Van der Pol's oscillator, {steps} implicit steps by Newton: gradient", {"steps": 100}, tiny={"steps": 2}
)  # fmt: skip
def implicit_steps(steps: int) -> Workload:
    """Differentiate the last position by the start and the stiffness, through Euler's implicit method."""
    dt, iterations = 0.02, 4

    def step(state: Any, stiffness: Any) -> Any:
        start, before = position, speed = state
        for _ in range(iterations):
            moved = position - start - dt * speed
            turned = speed - before - dt * (stiffness * (1.0 - position * position) * speed - position)
            by_position = dt * (2.0 * stiffness * position * speed + 1.0)
            by_speed = 1.0 - dt * stiffness * (1.0 - position * position)
            change = (by_position * moved - turned) / (by_speed + dt * by_position)
            position, speed = position - moved + dt * change, speed + change
        return position, speed

    def written(loop: Callable[..., Any]) -> Callable[..., Any]:
        def last_position(np: Any, position: Any, speed: Any, stiffness: Any) -> Any:
            return loop(lambda state: step(state, stiffness), (position, speed), steps)[0]

        return last_position

    return Workload(
        written(in_python),
        (2.0, 0.0, 50.0),
        peers=UNROLLED,
        phrased={"jax scan": written(repeated)},
        limit=in_c("implicit_steps", steps, iterations, numpy.array(dt), numpy.array([2.0, 0.0, 50.0]), result=3),
    )
