"""Linear programs: the solution is a vertex, where as many constraints press as there are unknowns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

from dualnumbers.forms import shape
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.linalg.systems import solve
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, reshape, transpose

from ...calls.closures import holds_numbers
from .._counterpart import counterpart, double
from ._problem import dense, reported

SMALL = 1e-9
"""A multiplier this small, beside the largest cost, does not press."""


@counterpart("optimize.linprog", always=True, plain=True)
def linprog(c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, bounds: Any = (0, None),
            method: str = "highs", callback: Any = None, options: Any = None, x0: Any = None, integrality: Any = None
            ) -> Any:  # fmt: skip
    """As ``scipy.optimize.linprog``: SciPy's result, differentiable in the costs, the constraints and their limits.

    So are ``x``, ``fun``, ``slack``, ``con``, and the multipliers ``ineqlin.marginals``, ``eqlin.marginals``,
    ``lower.marginals`` and ``upper.marginals``. x is the vertex where the constraints that press hold with equality: by
    the costs it is locally constant, the multipliers are by the limits.

    Raises RuntimeError with SciPy's message where there is no solution, LinAlgError where more than one x is best or
    constraints meet there that do not press: then derivatives are one-sided or none. TypeError for ``integrality``.
    """
    given = (c, A_ub, b_ub, A_eq, b_eq, bounds)
    rest = (method, callback, options, x0, integrality)
    if not holds_numbers(given):
        return scipy.optimize.linprog(*given, *rest)
    if integrality is not None and np.any(integrality):
        raise TypeError(f"linprog with integrality has no derivative here: integers do not vary{user_line()}")
    c = reshape(double(c), -1, "C")
    n = shape(c)[0]
    (A_ub, b_ub), (A_eq, b_eq) = _rows(A_ub, b_ub, n), _rows(A_eq, b_eq, n)
    lower, upper = _bounds(bounds, n)
    plain = [read(x) for x in (c, A_ub, b_ub, A_eq, b_eq)]
    found = scipy.optimize.linprog(*plain, np.stack([read(lower), read(upper)], 1), *rest)
    if not found.success:
        raise RuntimeError(f"linprog: {' '.join(found.message.split())}{user_line()}")
    forces = [found.ineqlin.marginals, found.eqlin.marginals, found.lower.marginals, found.upper.marginals]
    pressing = [np.flatnonzero(np.abs(y) > SMALL * np.max(np.abs(plain[0]), initial=0.0)) for y in forces]
    pressing[1] = np.arange(len(plain[4]))
    eye = np.eye(n)
    rows = concatenate(A_ub[pressing[0]], A_eq, eye[pressing[2]], eye[pressing[3]], 0)
    limits = concatenate(b_ub[pressing[0]], b_eq, lower[pressing[2]], upper[pressing[3]], 0)
    if shape(rows)[0] != n or np.linalg.matrix_rank(read(rows)) < n:
        raise np.linalg.LinAlgError(
            f"linprog: {shape(rows)[0]} constraints press on {n} unknowns; at a vertex with "
            f"derivatives it is as many, none depending on others{user_line()}"
        )
    x = solve(rows, limits)
    y = solve(transpose(rows, (1, 0)), c)
    return _reported(found, x, c, b_ub - matmul(A_ub, x), b_eq - matmul(A_eq, x), y, forces, pressing, (lower, upper))


def _rows(matrix: Any, limit: Any, n: int) -> tuple[Any, Any]:
    """Return constraints as a matrix and a vector, of no rows where there are none."""
    if matrix is None:
        return np.zeros((0, n)), np.zeros(0)
    return double(dense(matrix)), reshape(double(limit), -1, "C")


def _bounds(bounds: Any, n: int) -> tuple[Any, Any]:
    """Return the lower and the upper bounds, each a vector; None is an infinite one."""
    pairs = [(None, None)] if bounds is None else bounds if isinstance(bounds, (list, tuple)) else list(array(bounds))
    pairs = [pairs] if len(pairs) == 2 and not any(map(_is_pair, pairs)) else pairs
    limits = []
    for k, none in ((0, -np.inf), (1, np.inf)):
        limit = double([none if pair[k] is None else pair[k] for pair in pairs])
        limits.append(broadcast_to(limit, (n,)) if shape(limit) == (1,) else limit)
    return limits[0], limits[1]


def _is_pair(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or bool(shape(x) if x is not None else ())


def _reported(found: Any, x: Any, c: Any, slack: Any, con: Any, y: Any, forces: Any, pressing: Any, bounds: Any) -> Any:
    """Return the result; the multipliers are 0 where nothing presses, and the residuals those of the bounds."""
    marginals, begin = [], 0
    for force, places in zip(forces, pressing, strict=True):
        part, begin = y[begin : begin + len(places)], begin + len(places)
        marginals.append(matmul(np.eye(len(force))[:, places], part))
    rests = [slack, con, x - bounds[0], bounds[1] - x]
    sides = [scipy.optimize.OptimizeResult(residual=r, marginals=m) for r, m in zip(rests, marginals, strict=True)]
    names = dict(zip(("ineqlin", "eqlin", "lower", "upper"), sides, strict=True))
    return reported(found, x=x, fun=matmul(c, x), slack=slack, con=con, **names)
