"""Linear programs with whole numbers: these are locally constant, and the others a linear program's."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize
from scipy.optimize import Bounds, LinearConstraint

from dualnumbers.forms import shape
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, reshape, stack

from ...calls.closures import holds_numbers
from .._counterpart import counterpart, double
from ._problem import dense, limits_of, reported
from ._programs import linprog


@counterpart("optimize.milp", always=True, plain=True)
def milp(c: Any, *, integrality: Any = None, bounds: Any = None, constraints: Any = None, options: Any = None) -> Any:
    """As ``scipy.optimize.milp``: SciPy's result, whose ``x`` and ``fun`` are differentiable.

    Of ``constraints`` what carries derivatives is given as tuples ``(A, lb, ub)``, and ``bounds`` as a pair. Whole
    numbers are held as they were found: x is locally constant in them, and ``fun`` linear in the costs. The others are
    those of `linprog` beside them. Where another choice of whole numbers is as good, derivatives are one-sided.

    Raises RuntimeError with SciPy's message where there is no solution, LinAlgError as `linprog`; TypeError for values
    of ``integrality`` above 1, whose variables are no whole numbers everywhere.
    """
    given = {"integrality": integrality, "bounds": bounds, "constraints": constraints, "options": options}
    if not holds_numbers(c, bounds, constraints):
        return scipy.optimize.milp(c, **given)
    c = reshape(double(c), -1, "C")
    n = shape(c)[0]
    whole = np.broadcast_to(np.asarray(0 if integrality is None else integrality), (n,))
    if np.any(whole > 1):
        raise TypeError(f"milp with integrality above 1 has no derivative here: give 0 and 1{user_line()}")
    lower, upper = (broadcast_to(double(x), (n,)) for x in ((0.0, np.inf) if bounds is None else limits_of(bounds)))
    rows = [_row(constraint, n) for constraint in _listed(constraints)]
    plain = [LinearConstraint(*map(_plain, row)) for row in rows]
    found = scipy.optimize.milp(
        _plain(c), integrality=whole, bounds=Bounds(_plain(lower), _plain(upper)), constraints=plain, options=options
    )
    if not found.success:
        raise RuntimeError(f"milp: {' '.join(found.message.split())}{user_line()}")
    fixed, free = np.flatnonzero(whole), np.flatnonzero(whole == 0)
    held = np.round(found.x[fixed])
    beside = np.zeros(0)
    if len(free):
        sides = [(A[:, free], lb - matmul(A[:, fixed], held), ub - matmul(A[:, fixed], held)) for A, lb, ub in rows]
        limits = stack(lower[free], upper[free], -1)
        beside = linprog(c[free], *_inequalities(sides, len(free)), bounds=limits).x
    x = concatenate(held, beside, 0)[np.argsort(np.concatenate([fixed, free]))]
    return reported(found, x=x, fun=matmul(c, x))


def _plain(x: Any) -> Any:
    return np.asarray(read(x))


def _listed(constraints: Any) -> list[Any]:
    """Return SciPy's constraints, of which one may be given alone, as a list."""
    if constraints is None:
        return []
    if isinstance(constraints, LinearConstraint):
        return [constraints]
    alone = len(constraints) and not isinstance(constraints[0], (LinearConstraint, tuple))
    return [constraints] if alone else list(constraints)


def _row(constraint: Any, n: int) -> tuple[Any, Any, Any]:
    """Return the matrix of a constraint and its limits, which are infinite where they are left out."""
    if isinstance(constraint, LinearConstraint):
        constraint = (constraint.A, constraint.lb, constraint.ub)
    matrix, lower, upper = list(constraint) + [None, -np.inf, np.inf][len(constraint) :]
    matrix = reshape(double(array(joined(dense(matrix)))), (-1, n), "C")
    count = shape(matrix)[:1]
    low, high = (broadcast_to(double(array(joined(x))), count) for x in (lower, upper))
    return matrix, low, high


def _inequalities(sides: list[tuple[Any, Any, Any]], n: int) -> tuple[Any, Any, Any, Any]:
    """Return ``A_ub``, ``b_ub``, ``A_eq``, ``b_eq`` of rows between limits; where these are equal it is an equation."""
    pressed: list[list[Any]] = [[np.zeros((0, n))], [np.zeros(0)], [np.zeros((0, n))], [np.zeros(0)]]
    for matrix, lower, upper in sides:
        low, high = read(lower), read(upper)
        equal, below, above = low == high, (low != high) & np.isfinite(high), (low != high) & np.isfinite(low)
        for place, part in enumerate((matrix[below], upper[below], matrix[equal], upper[equal])):
            pressed[place].append(part)
        pressed[0].append(-matrix[above])
        pressed[1].append(-lower[above])
    return tuple(concatenate(*parts, 0) for parts in pressed)
