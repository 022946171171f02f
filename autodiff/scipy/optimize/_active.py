"""Minima with bounds and constraints: those that press are equations there, for they keep pressing nearby.

The solution x and the multipliers y of the pressing constraints, g(x) = 0, make the Lagrangian f(x) − y · g(x)
stationary (Karush 1939, Kuhn & Tucker 1951). Which ones press is found at the solution and held: the derivative is
that of the equations (Fiacco, *Introduction to Sensitivity and Stability Analysis in Nonlinear Programming*, 1983). A
constraint that holds with equality and does not press is left out: the derivative is one-sided there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from dualnumbers.forms import shape
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, reshape

from ...forward import jacfwd
from ...implicit.roots import Dense
from ...reverse import grad
from ._problem import solved

Function = Callable[..., Any]

NEAR = 1e-4
"""A constraint this close to equality, beside 1 and its limit, may press: solvers stop as far from it."""
SMALL = 1e-6
"""A multiplier this small, beside the slope of the objective, does not press; so much may a constraint be violated."""


@dataclass(frozen=True)
class Constraint:
    """lower ≤ function(x) ≤ upper, for each element of what the function gives."""

    function: Function
    lower: Any
    upper: Any

    def value(self, x: Any) -> Any:
        """Return the function at x, as a vector."""
        return reshape(array(joined(self.function(x))), -1, "C")

    def limits(self, n: int) -> tuple[Any, Any]:
        """Return both limits for n elements; None where there is none is an infinite one."""
        return broadcast_to(_limit(self.lower, -np.inf), (n,)), broadcast_to(_limit(self.upper, np.inf), (n,))


def _limit(limit: Any, none: float) -> Any:
    limit = array([none if x is None else x for x in limit]) if isinstance(limit, (list, tuple)) else limit
    limit = array(joined(none if limit is None else limit))
    return limit if not shape(limit) else reshape(limit, -1, "C")


Problem = tuple[Function, list[Constraint]]
"""An objective, a function of x, and its constraints."""
Pressing = list[tuple[Any, Any]]
"""For each constraint the places of the elements that press at the lower limit, equations among them, at the upper."""


def minimum(call: str, theta: Any, problem: Callable[[Any], Problem], result: Any, x0: Any) -> Any:
    """Return the x at which ``problem(θ)`` is least, which SciPy's ``result`` has found."""
    at, n = read(theta), len(result.x)
    f, constraints = problem(at)
    pressing, multipliers = _pressing(f, constraints, result.x, x0)

    def stationary(theta: Any) -> Function:
        f, constraints = problem(theta)

        def lagrangian(z: Any) -> Any:
            value = f(z[:n])
            return value - total(z[n:] * _gaps(z[:n], constraints, pressing), -1, False) if len(multipliers) else value

        return grad(lagrangian)

    z = solved(call, theta, stationary, result, Dense(), np.concatenate([result.x, multipliers]))
    _check(call, constraints, pressing, read(z), n)
    return z[:n]


def _gaps(x: Any, constraints: list[Constraint], pressing: Pressing) -> Any:
    """Return by how much the pressing constraints are off their limits."""
    parts = []
    for constraint, (low, high) in zip(constraints, pressing, strict=True):
        if len(low) or len(high):
            value = constraint.value(x)
            lower, upper = constraint.limits(shape(value)[0])
            parts += [value[low] - lower[low], value[high] - upper[high]]
    return concatenate(*parts, 0)


def _pressing(f: Function, constraints: list[Constraint], x: Any, x0: Any) -> tuple[Pressing, Any]:
    """Return which elements of plain constraints press at x, and their multipliers, in the order of `_gaps`.

    Of those that are near to equality it is the ones that balance the slope of f, none pulling.
    """
    if not constraints:
        return [], np.zeros(0)
    slope = grad(f)(x)
    scale = max(np.linalg.norm(slope), np.linalg.norm(grad(f)(x0)))
    places, rows, free = [], [np.zeros((0, len(x)))], []
    for constraint in constraints:
        value, jacobian = constraint.value(x), jacfwd(constraint.value)(x)
        lower, upper = constraint.limits(len(value))
        low = np.flatnonzero(value - lower <= NEAR * (1.0 + np.abs(value)))
        high = np.flatnonzero((upper - value <= NEAR * (1.0 + np.abs(value))) & (lower < upper))
        places += [low, high]
        rows += [jacobian[low], -jacobian[high]]
        free += [lower[low] == upper[low], np.zeros(len(high), bool)]
    matrix, equal = np.concatenate(rows), np.concatenate(free)
    forces = nnls(np.concatenate([matrix, -matrix[equal]]).T, slope)[0] if len(matrix) else np.zeros(0)
    y = forces[: len(matrix)]
    y[equal] -= forces[len(matrix) :]
    presses = equal | (y * np.linalg.norm(matrix, axis=1) > SMALL * scale)
    parts = np.split(np.arange(len(y)), np.cumsum([len(p) for p in places])[:-1])
    kept = [place[presses[part]] for place, part in zip(places, parts, strict=True)]
    signed = [(1.0 - 2.0 * (k % 2)) * y[part][presses[part]] for k, part in enumerate(parts)]
    return list(zip(kept[::2], kept[1::2], strict=True)), np.concatenate(signed)


def _check(call: str, constraints: list[Constraint], pressing: Pressing, z: Any, n: int) -> None:
    """Raise RuntimeError where the equations led to an x that violates a constraint, or one would have to pull."""
    x, y = z[:n], z[n:]
    for constraint, (low, high) in zip(constraints, pressing, strict=True):
        value = constraint.value(x)
        lower, upper = constraint.limits(len(value))
        allowed = SMALL * (1.0 + np.abs(value))
        forces, y = (y[: len(low)], y[len(low) : len(low) + len(high)]), y[len(low) + len(high) :]
        pulls = np.any(forces[0][lower[low] < upper[low]] < 0.0) or np.any(forces[1] > 0.0)
        if pulls or np.any(value < lower - allowed) or np.any(value > upper + allowed):
            raise RuntimeError(
                f"{call}: it cannot be told at SciPy's solution which constraints press; let the method go on with a "
                f"smaller tolerance{user_line()}"
            )
