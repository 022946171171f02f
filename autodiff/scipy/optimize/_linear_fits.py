"""Least squares of linear equations whose unknowns are bounded or in order: those that are free solve linear equations.

Which bounds press, and which unknowns are tied together, is found at the solution and held.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize
from scipy.sparse.linalg import LinearOperator

from dualnumbers.forms import asked, is_unreal, shape
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import array, astype, broadcast_to, reshape

from ...calls.closures import holds_numbers
from .._counterpart import Array, counterpart, double
from ._problem import dense, is_plain, limits_of, reported, solver

NEAR = 1e-6
"""A solution this close to a bound, beside 1 and the bound, may lie at it: SciPy stops as far from it."""
ROUNDING = 1e-12
"""What is smaller than this, beside what it was computed from, is 0."""


def _real(call: str, x: Any) -> Any:
    """Return a vector or matrix in double precision; TypeError for one that is complex, or an operator."""
    if isinstance(x, LinearOperator):
        raise TypeError(
            f"{call} has derivatives for a matrix, not for a LinearOperator: give the matrix, or write "
            f"autodiff.implicit.argmin{user_line()}"
        )
    x = double(dense(x))
    if is_unreal(x):
        raise TypeError(f"{call} is of real equations: give their real and imaginary parts{user_line()}")
    return x


def _of_columns(call: str, A: Any, b: Any, used: Any) -> Any:
    """Return the least squares solution by the columns that are used, 0 elsewhere; LinAlgError where it is not one."""
    if np.linalg.matrix_rank(read(A)[:, used]) < len(used):
        raise np.linalg.LinAlgError(
            f"{call}: the columns {used.tolist()} of A depend on one another, so x has no derivative{user_line()}"
        )
    return matmul(np.eye(shape(A)[1])[:, used], np.linalg.lstsq(A[:, used], b, rcond=None)[0])


@counterpart("optimize.nnls", always=True, plain=True)
def nnls(A: Array, b: Array, maxiter: Any = None, **options: Any) -> Any:
    """As ``scipy.optimize.nnls``: the x ≥ 0 at which ‖A x − b‖ is least, and that norm, differentiable in A and b.

    What is 0 in x stays so: where an element is 0 and nothing presses, the derivative is that of the side where it is.
    Raises LinAlgError where the columns of A that are used depend on one another.
    """
    if not holds_numbers(A, b):
        return scipy.optimize.nnls(A, b, maxiter=maxiter, **options)
    A, b = _real("nnls", A), _real("nnls", b)
    found = scipy.optimize.nnls(read(A), read(b), maxiter=maxiter, **options)[0]
    used = np.flatnonzero(found > 0.0)
    if not len(used):
        return 0.0 * A[0], np.linalg.norm(b)
    x = _of_columns("nnls", A, b, used)
    return x, np.linalg.norm(matmul(A, x) - b)


@solver("optimize.lsq_linear", plain=True)
def lsq_linear(A: Any, b: Array, bounds: Any = (-np.inf, np.inf), method: str = "trf", tol: float = 1e-10,
               lsq_solver: Any = None, lsmr_tol: Any = None, max_iter: Any = None, verbose: int = 0, *,
               lsmr_maxiter: Any = None) -> Any:  # fmt: skip
    """As ``scipy.optimize.lsq_linear``: SciPy's result; ``x``, ``fun`` and ``cost`` are differentiable.

    They are so in A, b and the bounds. What lies at a bound and presses is held there; where it does not press, the
    derivative is that of the side where it is left. A sparse A is taken as a dense one.

    Raises RuntimeError with SciPy's message where the method does not converge, LinAlgError where the columns of A that
    are free depend on one another.
    """
    call, how = "lsq_linear", {"lsq_solver": lsq_solver, "lsmr_tol": lsmr_tol, "max_iter": max_iter, "verbose": verbose,
                               "lsmr_maxiter": lsmr_maxiter}  # fmt: skip
    limits = limits_of(bounds)
    if is_plain(A, b, limits):
        return scipy.optimize.lsq_linear(A, b, bounds, method, tol, **how)
    single = asked(np.result_type, array(dense(A)), b) == np.float32
    A, b = _real(call, A), reshape(_real(call, b), -1, "C")
    n = shape(A)[1]
    lower, upper = (broadcast_to(_real(call, limit), (n,)) for limit in limits)
    plain = read(A), read(b), (read(lower), read(upper))
    found = scipy.optimize.lsq_linear(*plain, method, tol, **how)
    if not found.success:
        raise RuntimeError(f"{call}: {found.message}{user_line()}")
    low, high = _held(*plain, found.x)
    at_low, at_high, free = (np.flatnonzero(places) for places in (low, high, ~(low | high)))
    eye = np.eye(n)
    held = matmul(eye[:, at_low], lower[at_low]) + matmul(eye[:, at_high], upper[at_high])
    x = held + _of_columns(call, A, b - matmul(A, held), free) if len(free) else held
    rest = matmul(A, x) - b
    parts = x, rest, 0.5 * total(rest * rest, -1, False)
    x, rest, cost = (astype(part, np.float32) for part in parts) if single else parts
    return reported(found, x=x, fun=rest, cost=cost, active_mask=high.astype(int) - low)


def _held(A: Any, b: Any, bounds: tuple[Any, Any], x: Any) -> tuple[Any, Any]:
    """Return which unknowns press against their lower and their upper bounds at the solution, to which x is close.

    Steps of the primal-dual active set method (Hintermüller, Ito & Kunisch 2002): a free unknown beyond a bound is held
    there, one that its bound has to pull is let go.
    """
    lower, upper = bounds
    small = ROUNDING * np.linalg.norm(A, axis=0) * np.linalg.norm(b)
    slope = A.T @ (A @ x - b)
    low = (x - lower <= NEAR * (1.0 + np.abs(lower))) & (slope > small)
    high = (upper - x <= NEAR * (1.0 + np.abs(upper))) & (slope < -small)
    for _ in range(2 * len(x) + 2):
        free = ~(low | high)
        x = np.where(low, lower, np.where(high, upper, 0.0))
        x[free] = np.linalg.lstsq(A[:, free], b - A @ x, rcond=None)[0]
        slope, rounding = A.T @ (A @ x - b), ROUNDING * np.max(np.abs(x), initial=0.0)
        before = low, high
        low = np.where(free, x < lower - rounding, low & (slope > small))
        high = np.where(free, x > upper + rounding, high & (slope < -small))
        if np.array_equal(before, (low, high)):
            return before
    raise RuntimeError(
        f"lsq_linear: it cannot be told at SciPy's solution which bounds press; scale the columns of A{user_line()}"
    )


@counterpart("optimize.isotonic_regression", always=True, plain=True)
def isotonic_regression(y: Array, *, weights: Any = None, increasing: bool = True) -> Any:
    """As ``scipy.optimize.isotonic_regression``: ``x`` and ``weights`` of the result are differentiable in both.

    x is the weighted mean of y over each block; the blocks are held. Where two blocks have the same mean, or where
    elements of one are in order already, the derivative is that of the side of SciPy's blocks.
    """
    if not holds_numbers(y, weights):
        return scipy.optimize.isotonic_regression(y, weights=weights, increasing=increasing)
    call = "isotonic_regression"
    y = reshape(_real(call, y), -1, "C") if not shape(y) else _real(call, y)
    weights = np.ones(shape(y)) if weights is None else _real(call, array(weights))
    found = scipy.optimize.isotonic_regression(read(y), weights=read(weights), increasing=increasing)
    begins = found.blocks[:-1]
    sums = np.add.reduceat(weights, begins)
    x = np.repeat(np.add.reduceat(weights * y, begins) / sums, np.diff(found.blocks))
    return scipy.optimize.OptimizeResult(x=x, weights=sums, blocks=found.blocks)
