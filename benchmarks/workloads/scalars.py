"""Python code of single numbers: one formula, and loops."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from workloads import ARRAYS, LOOPS, Workload, random, workload


@workload("d/dx sin(x)**sin(x), one call", tiny={})
def power() -> Workload:
    """Differentiate a power of a formula by a formula."""
    return Workload(
        lambda np, x: np.sin(x) ** np.sin(x),
        (math.pi / 4,),
        question="derivative",
        options={"order": 1},
        peers=(*ARRAYS, "num_dual"),
        scalars=True,
        remark="derivative",
        hand=lambda: (s := math.sin(math.pi / 4)) ** s * math.cos(math.pi / 4) * (math.log(s) + 1.0),
    )


def line_loss(np: Any, slope: Any, intercept: Any, xs: list[float], ys: list[float]) -> Any:
    """Return the squared error of a line, by a loop over points."""
    total = 0.0
    for x, y in zip(xs, ys, strict=True):
        total += (y - (slope * x + intercept)) ** 2
    return total


def points(n: int) -> tuple[list[float], list[float]]:
    """Return points near a line, as lists."""
    rng = random()
    xs = rng.random(n)
    return xs.tolist(), (2.0 * xs + 1.0 + rng.normal(0.0, 0.1, n)).tolist()


@workload("regression loop, {n} points, grad wrt slope+intercept", {"n": 500}, tiny={"n": 5})
def regression(n: int) -> Workload:
    """Differentiate a loop over points."""
    xs, ys = points(n)

    def hand() -> list[float]:
        by_slope = by_intercept = 0.0
        for x, y in zip(xs, ys, strict=True):
            error = 2.0 * (1.5 * x + 0.5 - y)
            by_slope += error * x
            by_intercept += error
        return [by_slope, by_intercept]

    return Workload(
        line_loss,
        (1.5, 0.5),
        (xs, ys),
        peers=(*LOOPS, "jax"),
        scalars=True,
        hand=hand,
    )


@workload("regression loop, {n} points, by objects and backward()", {"n": 500}, tiny={"n": 5})
def regression_by_objects(n: int) -> Workload:
    """Differentiate the same loop by numbers that are made beforehand."""
    return Workload(
        line_loss,
        (1.5, 0.5),
        points(n),
        question="by_objects",
        peers=("torch", "mygrad", "micrograd"),
        scalars=True,
        remark="Variable",
    )


def rosenbrock_loop(np: Any, xs: Any) -> Any:
    """Return Rosenbrock's function, by a loop over neighbours."""
    total = 0.0
    for a, b in pairwise(xs):
        total += 100.0 * (b - a**2) ** 2 + (1.0 - a) ** 2
    return total


def rosenbrock_slopes(xs: list[float]) -> list[float]:
    """Return the gradient, written out."""
    slopes = [0.0] * len(xs)
    for k, (a, b) in enumerate(pairwise(xs)):
        error = 200.0 * (b - a * a)
        slopes[k] -= 2.0 * a * error + 2.0 * (1.0 - a)
        slopes[k + 1] += error
    return slopes


@workload(
    "Rosenbrock Python loop, gradient, n={n}",
    {"n": 10},
    {"n": 100},
    {"n": 1000},
    {"n": 10000},
    tiny={"n": 4},
)
def rosenbrock(n: int) -> Workload:
    """Differentiate a loop over neighbours in a list."""
    xs = random().uniform(-1.0, 1.0, n).tolist()
    peers = ("torch",) if n > 1000 else LOOPS
    return Workload(rosenbrock_loop, (xs,), peers=peers, scalars=True, hand=lambda: rosenbrock_slopes(xs))


@workload("chain of sin, {n} iterations, gradient", {"n": 100000}, tiny={"n": 20})
def chain(n: int) -> Workload:
    """Differentiate a long chain by its one input."""

    def iterate(np: Any, x: Any) -> Any:
        for _ in range(n):
            x = np.sin(x) * 1.0001 + 0.1
        return x

    def hand() -> float:
        x, slope = 0.5, 1.0
        for _ in range(n):
            slope *= math.cos(x) * 1.0001
            x = math.sin(x) * 1.0001 + 0.1
        return slope

    return Workload(
        iterate,
        (0.5,),
        question="derivative",
        options={"order": 1},
        peers=("torch", "num_dual"),
        scalars=True,
        remark="derivative",
        hand=hand,
    )


def minors(rows: list[list[Any]]) -> Any:
    """Return a determinant by minors, along the first row."""
    if len(rows) == 1:
        return rows[0][0]
    total = 0.0
    for k, x in enumerate(rows[0]):
        minor = x * minors([row[:k] + row[k + 1 :] for row in rows[1:]])
        total = total - minor if k % 2 else total + minor
    return total


@workload("det by minors gradient ell={ell} (scalar recursion)", {"ell": 5}, {"ell": 7}, tiny={"ell": 3})
def determinant(ell: int) -> Workload:
    """Differentiate a recursion by all elements."""

    def det(np: Any, xs: Any) -> Any:
        numbers = list(xs)
        return minors([numbers[i : i + ell] for i in range(0, ell * ell, ell)])

    peers = LOOPS if ell < 7 else ("torch", "num_dual", "micrograd")
    return Workload(det, (random().normal(size=ell * ell).tolist(),), peers=peers, scalars=True)
