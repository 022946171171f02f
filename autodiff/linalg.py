"""A few functions of matrices by short names: quadratic forms, inverses, linear and Lyapunov equations, programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array

from .calls.values import value_of

__all__ = ["inv", "quadratic_form", "solve", "solve_continuous_lyapunov", "solve_qp"]


def quadratic_form(Q: Any, x: Any) -> Any:
    """Return ½ xᵀ Q x. Raises ValueError where the shapes do not fit.

    >>> from autodiff import grad
    >>> grad(quadratic_form, 1)(np.eye(2), np.array([3.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    x = array(x)
    return 0.5 * (x @ array(Q) @ x)


def inv(A: Any) -> Any:
    """Return the inverse of a matrix, as ``np.linalg.inv``. Raises LinAlgError where it is singular or not square.

    >>> import numpy as np
    >>> inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return np.linalg.inv(array(A))


def solve(A: Any, b: Any) -> Any:
    """Return the solution of A x = b, as ``np.linalg.solve``.

    Raises LinAlgError where A is singular or not square, ValueError where the shapes do not fit.

    >>> import numpy as np
    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    return np.linalg.solve(array(A), array(b))


def solve_continuous_lyapunov(A: Any, Q: Any) -> Any:
    """Solve A X + X Aᴴ = Q for X, as ``scipy.linalg.solve_continuous_lyapunov``; it needs SciPy.

    Raises ValueError where a matrix is not square, or the shapes do not fit.

    >>> import numpy as np
    >>> solve_continuous_lyapunov(-np.eye(1), -np.eye(1))
    array([[0.5]])
    """
    from .scipy.linalg import solve_continuous_lyapunov

    return solve_continuous_lyapunov(array(A), array(Q))


def solve_qp(P: Any, q: Any, G: Any = None, h: Any = None, A: Any = None, b: Any = None, **settings: Any) -> Any:
    """Return the x at which ½ xᵀ P x + qᵀ x is least, where G x ≤ h and A x = b; needs OSQP (``dualautodiff[qp]``).

    P is positive semidefinite; only its symmetric part counts. OSQP (Stellato et al. 2020) finds which inequalities
    hold with equality. These are locally constant, so x solves a linear equation, the optimality conditions, and is
    differentiated as its solution (Amos & Kolter 2017). ``settings`` are OSQP's. An inequality that holds with
    equality but does not press is left out, and so is one that depends on others which press, such as a second copy:
    there the derivative is one-sided.

    Raises ValueError where no x satisfies the constraints or none is best; LinAlgError where more than one is best, or
    one only for constraints that do not press, and where rows of A depend on one another.

    >>> import numpy as np
    >>> x = solve_qp(np.eye(2), np.zeros(2), G=-np.eye(2), h=np.array([-1.0, 1.0]))
    >>> print(np.round(x, 6) + 0.0)
    [1. 0.]
    """
    P, q = array(P), array(q)
    G, h = _constraints(G, h, len(q), "G", "h")
    A, b = _constraints(A, b, len(q), "A", "b")
    _check_shapes({"P": (P, (len(q), len(q))), "h": (h, (len(G),)), "b": (b, (len(A),))})
    problem = P, q, G, h, A, b
    active = _active(_scaled(*_plain(problem)), settings)
    return _where_equal(active, *problem)[: len(q)]


def _constraints(matrix: Any, bound: Any, n: int, left: str, right: str) -> tuple[Any, Any]:
    """Return both sides of some constraints as arrays, of no rows where there are none."""
    if matrix is None and bound is None:
        return np.zeros((0, n)), np.zeros(0)
    if matrix is None or bound is None:
        raise TypeError(f"solve_qp needs {left} and {right} together{user_line()}")
    matrix = array(matrix)
    if shape(matrix) != (len(matrix), n):
        raise ValueError(f"{left} has shape {shape(matrix)}; with {n} unknowns it needs {n} columns{user_line()}")
    return matrix, array(bound)


def _check_shapes(wanted: dict[str, tuple[Any, tuple[int, ...]]]) -> None:
    for name, (x, needed) in wanted.items():
        if shape(x) != needed:
            raise ValueError(f"{name} has shape {shape(x)}; it must have {needed}{user_line()}")


def _where_equal(active: Any, P: Any, q: Any, G: Any, h: Any, A: Any, b: Any) -> Any:
    """Solve for x and the multipliers where C x = d holds with equality: [P Cᵀ; C 0] [x; y] = [−q; d]."""
    C, d = np.concatenate([G[active], A]), np.concatenate([h[active], b])
    nothing = np.zeros((len(C), len(C)))
    matrix = np.concatenate([np.concatenate([0.5 * (P + P.T), C.T], 1), np.concatenate([C, nothing], 1)])
    return np.linalg.solve(matrix, np.concatenate([-q, d]))


def _plain(problem: tuple[Any, ...]) -> list[Any]:
    """Return the parts as plain arrays. ValueError where one is empty or not finite, TypeError where one is complex."""
    parts = [np.asarray(value_of(part)) for part in problem]
    for name, part in zip("PqGhAb", parts, strict=True):
        if np.iscomplexobj(part):
            raise TypeError(f"{name} is complex; a quadratic program is of real numbers{user_line()}")
        if np.any(np.isnan(part)) or (name != "h" and not np.all(np.isfinite(part))):
            raise ValueError(f"{name} has elements that are not finite{user_line()}")
    if not len(parts[1]):
        raise ValueError(f"solve_qp of no unknowns: q is empty{user_line()}")
    return parts


def _scaled(P: Any, q: Any, G: Any, h: Any, A: Any, b: Any) -> list[Any]:
    """Scale the program to other units: a diagonal of 1, rows of length 1, forces or bounds of about 1.

    The inequalities that press are the same, and OSQP's tolerances are absolute.
    """
    P = 0.5 * (P + P.T)
    curvature = np.linalg.eigvalsh(P)
    if curvature[0] < -ROUNDING * np.max(np.abs(curvature)):
        raise ValueError(f"P must be positive semidefinite; its least eigenvalue is {curvature[0]:.3g}{user_line()}")
    diagonal = np.diagonal(P)
    unit = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, np.max(diagonal) or 1.0))
    sides = []
    for rows, bound in ((G, h), (A, b)):
        lengths = np.linalg.norm(rows * unit, axis=1)
        lengths[lengths == 0.0] = 1.0
        sides += [rows * unit / lengths[:, None], bound / lengths]
    reach = np.concatenate([sides[1][np.isfinite(sides[1])], sides[3]])
    size = min(np.max(np.abs(part), initial=0.0) or np.inf for part in (unit * q, reach))
    size = size if np.isfinite(size) else 1.0
    return [unit[:, None] * P * unit, unit * q / size, sides[0], sides[1] / size, sides[2], sides[3] / size]


ROUNDING = 1e-12
"""What is smaller than this, beside what it was computed from, is 0."""


def _active(problem: list[Any], settings: dict[str, Any]) -> Any:
    """Return the numbers of the inequalities that press at the solution, independent of one another."""
    P, q, G, _, A, _ = problem
    press, excess = _by_osqp(problem, settings)
    equalities, basis = _independent(A, range(len(A)), np.zeros((0, len(q))))
    if len(equalities) < len(A):
        raise np.linalg.LinAlgError(f"rows of A depend on one another: leave the redundant ones out{user_line()}")
    active = _by_steps(problem, press, press + excess > 0, basis)
    if active is None:
        raise np.linalg.LinAlgError(
            "solve_qp finds no set of constraints that press: let OSQP be more accurate, by "
            f"eps_abs=1e-12, eps_rel=1e-12{user_line()}"
        )
    if _is_flat(P, _independent(G, active, basis)[1]):
        raise np.linalg.LinAlgError(
            "more than one x is best, or one only for constraints that do not press: P is "
            f"singular along those that do, make it definite{user_line()}"
        )
    return np.array(active, int)


def _by_steps(problem: list[Any], press: Any, doubtful: Any, basis: Any) -> list[int] | None:
    """Find which inequalities press, as OSQP says or, where its accuracy leaves a doubt, others; None for none.

    Steps of the primal-dual active set method (Hintermüller, Ito & Kunisch 2002): each takes the multiplier of an
    inequality for its excess. The rows of G have the length 1.
    """
    P, q, G, h, _, _ = problem
    excess = np.zeros(len(h))
    for step in range(2 * len(h) + 2):
        active, spanned = _independent(G, [k for k in np.lexsort((-press, -excess)) if doubtful[k]], basis)
        if _is_flat(P, spanned):
            return None if step else active
        found = _where_equal(active, *problem)
        x = found[: len(q)]
        excess, rounding = G @ x - h, ROUNDING * (np.linalg.norm(x) + np.abs(h))
        if np.all(excess <= rounding):
            pressing = _pressing(G, np.flatnonzero(excess >= -rounding), 0.5 * (P + P.T) @ x, q, basis)
            if pressing is not None:
                return pressing
        press, excess = np.zeros(len(h)), np.where(excess > rounding, excess, 0.0)
        press[active] = found[len(q) : len(q) + len(active)]
        doubtful = (press > 0) | (excess > 0)
    return None


def _pressing(G: Any, holding: Any, Px: Any, q: Any, basis: Any) -> list[int] | None:
    """Choose those of the holding inequalities that balance −P x − q, none pulling; None where they do not.

    These are the conditions of Karush, Kuhn and Tucker. What lies in the span of A, whose basis is given, A balances.
    """
    from scipy.optimize import nnls

    size = np.linalg.norm(Px) + np.linalg.norm(q)
    force, rows = ((v - (v @ basis.T) @ basis) for v in (-Px - q, G[holding]))
    forces, rest = nnls(rows.T, force) if len(holding) else ((), np.linalg.norm(force))
    if rest > 1e-9 * size:
        return None
    return [int(k) for k, y in zip(holding, forces, strict=True) if y > ROUNDING * size]


def _independent(rows: Any, order: Any, basis: Any) -> tuple[list[int], Any]:
    """Find which rows, in this order, depend neither on an orthonormal basis nor on those before; and all's basis."""
    taken = []
    for k in order:
        rest = rows[k] - (basis @ rows[k]) @ basis
        if np.linalg.norm(rest) > 1e-9 * np.linalg.norm(rows[k]):
            taken.append(int(k))
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    return sorted(taken), basis


def _is_flat(P: Any, basis: Any) -> bool:
    """Return whether P, positive semidefinite, is singular on what is orthogonal to the basis."""
    P = 0.5 * (P + P.T)
    size = np.max(np.abs(P)) or 1.0
    return bool(np.linalg.eigvalsh(P + size * (basis.T @ basis))[0] <= ROUNDING * size)


def _by_osqp(problem: list[Any], settings: dict[str, Any]) -> tuple[Any, Any]:
    """Find the inequalities' multipliers and by how much each is exceeded. ValueError where there is no solution."""
    try:
        import osqp
    except ImportError as error:
        raise ImportError("solve_qp needs OSQP: pip install dualautodiff[qp]") from error
    from scipy.sparse import csc_matrix

    P, q, G, h, A, b = problem
    solver = osqp.OSQP()
    accurate = {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100_000, "verbose": False}
    lower = np.concatenate([np.full(len(h), -np.inf), b])
    solver.setup(csc_matrix(np.triu(P)), q.astype(float), csc_matrix(np.concatenate([G, A])), lower,
                 np.concatenate([h, b]), **(accurate | settings))  # fmt: skip
    found = solver.solve(raise_error=False)
    status = found.info.status
    if status.startswith(("solved", "maximum iterations")):  # the steps that follow go on from where it is
        return found.y[: len(h)], G @ found.x - h
    if status.startswith("primal infeasible") and _is_feasible(G, h, A, b):
        return np.zeros(len(h)), np.zeros(len(h))
    raise ValueError(f"the quadratic program has no solution: OSQP says {status}{user_line()}")


def _is_feasible(G: Any, h: Any, A: Any, b: Any) -> bool:
    """Return whether an x satisfies the constraints, by a linear program: OSQP may take some for none that has."""
    from scipy.optimize import linprog

    bounded = np.isfinite(h)
    equal = {"A_eq": A, "b_eq": b} if len(b) else {}
    return bool(linprog(np.zeros(G.shape[1]), G[bounded], h[bounded], bounds=(None, None), **equal).status == 0)
