"""The continuous adjoint: what a function of y at several times depends on, by one problem backward in time.

For L = Σ gₖ · y(tₖ) of y′ = f(t, y, θ) the adjoint a(t) obeys a′ = −(∂f/∂y)ᵀ a backward from the last time, and rises
by gₖ at each tₖ; then ∂L/∂y₀ = a(t₀), ∂L/∂t₀ = −a(t₀) · f, and ∂L/∂θ = ∫ (∂f/∂θ)ᵀ a dt (Cao, Li, Petzold & Serban,
*Adjoint sensitivity analysis*, SIAM J. Sci. Comput. 24, 2003). The y in it is the dense output of the problem itself:
computed backward it would be unstable wherever it is stable forward. The integral is a quadrature of its own, to the
tolerances in each component, so an implicit method has n unknowns and not n + p.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line
from dualnumbers.rules.linalg.products import matmul

from ...reverse import gradient, jacrev
from ._solvers import Solver

Function = Callable[..., Any]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(7)
_OUTER = NODES[NODES != 0.0]
FEWER = np.insert(np.linalg.solve(np.vander(_OUTER, increasing=True).T, [2.0, 0.0, 2 / 3, 0.0, 2 / 5, 0.0]), 3, 0.0)
"""Weights of the rule without the node in the middle, of degree 5 beside 13: their difference bounds the error."""
MOST_HALVINGS = 40


def adjoints(slope: Function, y: Function, theta: Any, t0: float, t: Any, g: Any, solver: Solver) -> tuple[Any, Any]:
    """Return a(t₀), shape ``(k, n)``, and ∂L/∂θ, shape ``(k, p)``, for ``g`` of shape ``(k, m, n)`` at the m times.

    ``slope(t, y, θ)`` is f, ``y`` the solution as a function of the time.
    """
    size = np.max(np.abs(g), (1, 2), initial=0.0)  # tolerances are those of a y of size 1
    size[size == 0.0] = 1.0
    g = g / size[:, None, None]
    form, a, q, now, step = g[:, 0].shape, np.zeros(g[:, 0].shape), np.zeros((len(g), len(theta))), t0, None

    def change(t: float, a: Any) -> Any:
        return -_pulled(lambda y: slope(t, y, theta), y(t), a.reshape(form)).ravel()

    back = -1.0 if np.max(t) > t0 else 1.0
    times, places = np.unique(back * t, return_inverse=True)
    jumps = [np.sum(g[:, places == k], 1) for k in range(len(times))]
    for time, jump in zip([*(back * times), t0], [*jumps, 0.0], strict=True):
        if np.any(a) and now != time:
            found = solver.adjoint(change, a.ravel(), now, time, y, step)
            a, step = found.y[:, -1].reshape(form), np.max(np.abs(np.diff(found.t)))
            if len(theta):
                q = q - integral(_by_theta(slope, y, theta, found.sol, form), found.t, *solver.tolerances, q)
        a, now = a + jump, time
    return a * size[:, None], q * size[:, None]


def _by_theta(slope: Function, y: Function, theta: Any, a: Function, form: tuple[int, ...]) -> Function:
    """Return aᵀ ∂f/∂θ as a function of the time."""
    return lambda t: _pulled(lambda theta: slope(t, y(t), theta), theta, a(t).reshape(form))


def _pulled(function: Function, x: Any, a: Any) -> Any:
    """Return aᵀ ∂f/∂x for the rows of ``a``."""
    if len(a) == 1:
        return gradient(lambda x: matmul(a[0], function(x)), [x])[0][None]
    return jacrev(lambda x: matmul(a, function(x)))(x)


def integral(f: Function, t: Any, rtol: float, atol: float, so_far: Any) -> Any:
    """Integrate f, which gives arrays, over the intervals between the times by Gauss's rule of seven points.

    Intervals are halved until the error of each is at most its share of ``atol + rtol · |value|`` in each component, by
    its length or as one of many; the value is that with what there is ``so_far``. Raises RuntimeError where 40 halvings
    do not do.
    """
    intervals, least = np.stack([t[:-1], t[1:]], 1), 1.0 / (16.0 * len(t))
    done = np.zeros(so_far.shape)
    for _ in range(MOST_HALVINGS):
        found = [_gauss(f, *interval) for interval in intervals]
        values, wrong = (np.stack(each) for each in zip(*found, strict=True))
        total = done + np.sum(values, 0)
        bound = atol + max(rtol, 1e-13) * np.maximum(np.abs(total), np.abs(total - so_far))
        shares = np.maximum(np.abs(np.diff(intervals)[:, 0] / (t[-1] - t[0])), least)
        good = np.all(wrong <= bound * shares[:, None, None], (1, 2))
        if np.all(good):
            return total
        done = done + np.sum(values[good], 0)
        left, right = intervals[~good].T
        middle = (left + right) / 2.0
        intervals = np.concatenate([np.stack([left, middle], 1), np.stack([middle, right], 1)])
    raise RuntimeError(
        f"the integral of an adjoint from t = {t[0]:g} to {t[-1]:g} does not come to rtol={rtol:.2g}, atol={atol:.2g}: "
        f"has the right-hand side noise? Give larger tolerances{user_line()}"
    )


def _gauss(f: Function, left: float, right: float) -> tuple[Any, Any]:
    """Return the integral over one interval, and a bound of its error."""
    half = (right - left) / 2.0
    values = np.stack([f(left + half * (1.0 + node)) for node in NODES])
    return half * np.tensordot(WEIGHTS, values, 1), np.abs(half * np.tensordot(WEIGHTS - FEWER, values, 1))
