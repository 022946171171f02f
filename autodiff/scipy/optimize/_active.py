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

from ...calls.closures import in_numpy
from ...forward import jacfwd
from ...implicit.roots import Dense
from ...reverse import grad
from ._problem import solved

Function = Callable[..., Any]

NEAR = (1e-4, 1e-3, 1e-2)
"""Constraints this close to equality, beside 1 and their value, may press: solvers stop as far from it."""
SMALL = 1e-6
"""A multiplier this small, beside the slope of the objective, does not press; so much may a constraint be violated."""
FAR = 0.1
"""So far from SciPy's solution, beside 1 and its size, the equations may lead: what is farther is another one."""


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
    """Return the x at which ``problem(θ)`` is least, which SciPy's ``result`` has found.

    What presses is sought among what is near to equality at SciPy's solution, and then among what is less so, until the
    equations lead to an x nearby that violates nothing. Raises RuntimeError where they do not.
    """
    f, constraints = problem(read(theta))
    slope = grad(f)(result.x)
    in_numpy("the function returned", slope)
    least = SMALL * float(max(np.linalg.norm(slope), np.linalg.norm(grad(f)(x0))))
    sides = _sides(constraints, result.x)
    tried: list[list[Any]] = []
    failed: Exception | None = None
    for near in NEAR:
        press = _pressing(sides, slope, least, near)
        if not any(_same(press, other) for other in tried):
            tried.append(press)
            try:
                x = _solution(call, theta, problem, result, press, _multipliers(sides, press, slope), least)
            except (RuntimeError, np.linalg.LinAlgError) as error:
                failed = failed or error
            else:
                if not constraints or _is_solution(constraints, read(x), result.x):
                    return x
    raise failed or RuntimeError(
        f"{call}: it cannot be told at SciPy's solution which constraints press; let the "
        f"method go on with a smaller tolerance{user_line()}"
    )


def _same(press: list[Any], other: list[Any]) -> bool:
    return all(map(np.array_equal, press, other))


def _solution(
    call: str, theta: Any, problem: Callable[[Any], Problem], result: Any, press: list[Any], y: Any, least: float
) -> Any:
    """Return the x of the equations with what presses, less what does not by its multipliers; y is near to these."""
    n, constraints = len(result.x), problem(read(theta))[1]
    while True:
        places = [np.flatnonzero(part) for part in press]
        equations = _stationary(problem, list(zip(places[::2], places[1::2], strict=True)), n)
        z = solved(call, theta, equations, result, Dense(), np.concatenate([result.x, y]))
        sides, y = _sides(constraints, read(z[:n])), read(z[n:])
        before, press = press, _still_pressing(sides, press, y, least)
        if _same(before, press):
            return z[:n]
        y = y[np.concatenate([kept[held] for kept, held in zip(press, before, strict=True)])]


def _is_solution(constraints: list[Constraint], x: Any, found: Any) -> bool:
    """Return whether an x violates no constraint, and is as near to SciPy's solution as that may be off."""
    sides = _sides(constraints, x)
    is_near = np.max(np.abs(x - found), initial=0.0) <= FAR * (1.0 + np.max(np.abs(x), initial=0.0))
    return bool(is_near) and not any(np.any(side.gap < -SMALL * side.unit) for side in sides)


def _stationary(problem: Callable[[Any], Problem], pressing: Pressing, n: int) -> Callable[[Any], Function]:
    """Return the gradient of the Lagrangian by x and the multipliers together, as a function of θ."""
    held = any(len(low) or len(high) for low, high in pressing)

    def stationary(theta: Any) -> Function:
        f, constraints = problem(theta)

        def lagrangian(z: Any) -> Any:
            value = f(z[:n])
            return value - total(z[n:] * _gaps(z[:n], constraints, pressing), -1, False) if held else value

        return grad(lagrangian)

    return stationary


def _gaps(x: Any, constraints: list[Constraint], pressing: Pressing) -> Any:
    """Return by how much the pressing constraints are off their limits."""
    parts = []
    for constraint, (low, high) in zip(constraints, pressing, strict=True):
        if len(low) or len(high):
            value = constraint.value(x)
            lower, upper = constraint.limits(shape(value)[0])
            parts += [value[low] - lower[low], value[high] - upper[high]]
    return concatenate(*parts, 0)


@dataclass(frozen=True)
class Side:
    """The lower or the upper limits of a plain constraint, at some x; what follows is told of each of its elements."""

    sign: float
    """1 for lower limits, whose multipliers are positive where they press; −1 for upper ones."""
    gap: Any
    """By how much the value is within the limit."""
    unit: Any
    """What the gap is small beside."""
    rows: Any
    """The derivatives of the values, a matrix."""
    equal: Any
    """Whether it is an equation; these are lower limits."""


def _sides(constraints: list[Constraint], x: Any) -> list[Side]:
    """Return both sides of each plain constraint at x."""
    sides = []
    for constraint in constraints:
        value, jacobian = constraint.value(x), jacfwd(constraint.value)(x)
        lower, upper = constraint.limits(len(value))
        unit, equal = 1.0 + np.abs(value), lower == upper
        above = np.where(equal, np.inf, upper - value)
        sides += [Side(1.0, value - lower, unit, jacobian, equal), Side(-1.0, above, unit, jacobian, equal & False)]
    return sides


def _pressing(sides: list[Side], slope: Any, least: float, near: float) -> list[Any]:
    """Return for each side which of its elements press: of those near to equality the ones that balance the slope.

    None of them pulls, unless it is an equation.
    """
    press = [(side.gap <= near * side.unit) | side.equal for side in sides]
    rows = [side.sign * side.rows[places] for side, places in zip(sides, press, strict=True)]
    matrix = np.concatenate([np.zeros((0, len(slope))), *rows])
    if not len(matrix):
        return press
    equal = np.concatenate([side.equal[places] for side, places in zip(sides, press, strict=True)])
    forces = nnls(np.concatenate([matrix, -matrix[equal]]).T, slope)[0][: len(matrix)]
    presses = equal | (forces * np.linalg.norm(matrix, axis=1) > least)
    for places in press:
        count = np.count_nonzero(places)
        places[places], presses = presses[:count], presses[count:]
    return press


def _multipliers(sides: list[Side], press: list[Any], slope: Any) -> Any:
    """Return the multipliers of what presses that balance the slope best, in the order of `_gaps`."""
    rows = [side.rows[places] for side, places in zip(sides, press, strict=True)]
    return np.linalg.lstsq(np.concatenate([np.zeros((0, len(slope))), *rows]).T, slope, rcond=None)[0]


def _still_pressing(sides: list[Side], press: list[Any], y: Any, least: float) -> list[Any]:
    """Return what of that which was held presses by its multipliers y, which the equations led to."""
    found = []
    for side, places in zip(sides, press, strict=True):
        forces = np.zeros(len(places))
        forces[places], y = side.sign * y[: np.count_nonzero(places)], y[np.count_nonzero(places) :]
        found.append(places & (side.equal | (forces * np.linalg.norm(side.rows, axis=1) > least)))
    return found
