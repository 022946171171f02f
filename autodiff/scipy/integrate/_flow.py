"""The solution of y′ = f(t, y, θ) at given times, as a function of where it begins: three rows, one for each map.

`flow` gives y at times. Its derivative by the start, S, obeys the sensitivity equations S′ = ∂f/∂y S + ∂f/∂θ (Hairer,
Nørsett & Wanner, *Solving Ordinary Differential Equations I*, §I.14). `flow_tangents` applies it to changes of the
start, `flow_adjoints` its transpose to cotangents of y, and each is the transpose of the other. The pair of y and k
tangents is a problem of the same kind (`Problem.along`), whose own flow the rows are differentiated by: so every order
is solved by SciPy's solver, to the tolerances given.

A *start* is y₀, t₀ and θ in one vector, of 1 + n + p elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dualnumbers.forms import shape, size
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.linalg.products import matmul, tensordot
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import concatenate, expand_dims, reshape, stack, transpose
from dualnumbers.table import smooth
from dualnumbers.table.kinds import Linear, Smooth

from ...calls.closures import plain_result
from ...forward import jvp, value_and_columns
from ...reverse import jacrev, value_and_rows, vjp
from ._adjoint import adjoints
from ._solvers import Solver

Function = Callable[..., Any]

FEW = 16
"""Elements of the start for each cotangent up to which the tangents of all take less time than the adjoint."""


@dataclass(frozen=True, eq=False)
class Problem:
    """An initial value problem: ``slope(t, y, θ)`` for ``n`` unknowns, and the solver; its last solution is kept."""

    slope: Function
    n: int
    solver: Solver
    known: list[tuple[Any, Any, Any]] = field(default_factory=list)
    """Start, times, and y at these."""
    last: list[tuple[Any, float, Function]] = field(default_factory=list)
    """Start, end, and y as a function of the time between them."""

    def parts(self, start: Any) -> tuple[Any, Any, Any]:
        """Return y₀, t₀ and θ."""
        return start[: self.n], start[self.n], start[self.n + 1 :]

    def first_slope(self, start: Any) -> Any:
        """Return y′ where it begins."""
        y, t, theta = self.parts(start)
        return self.slope(t, y, theta)

    def plain_slope(self, theta: Any) -> Function:
        """Return the right-hand side for plain parameters."""
        return lambda t, y: plain_result(self.solver.call, self.slope(t, y, theta))

    def check(self, start: Any) -> None:
        """Raise ValueError where y′ is not finite at a plain start: SciPy's solvers would not end."""
        if not np.all(np.isfinite(self.plain_slope(start[self.n + 1 :])(start[self.n], start[: self.n]))):
            raise ValueError(
                f"{self.solver.call}: the right-hand side is not finite at the beginning, "
                f"t = {start[self.n]:g}{user_line()}"
            )

    def values(self, start: Any, t: Any) -> Any:
        """Return y at plain times of any order, all on one side of t₀, shape ``(m, n)``."""
        for begun, times, values in self.known:
            if np.array_equal(begun, start) and np.array_equal(times, t):
                return values.copy()
        y, t0, theta = self.parts(start)
        back = self._direction(t0, t)
        times, places = np.unique(back * t, return_inverse=True)
        for begun, end, solution in self.last:
            if np.array_equal(begun, start) and times.size and times[-1] <= back * end:
                return solution(back * times).T[places]
        if not times.size or times[-1] == back * t0:
            return np.tile(y, (len(t), 1))
        return self.solver.values(self.plain_slope(theta), y, t0, back * times)[places]

    def dense(self, start: Any, t: Any) -> Function:
        """Return y as a function of the time, from t₀ to the last of plain times."""
        y, t0, theta = self.parts(start)
        back = self._direction(t0, t)
        far = back * np.max(back * t)
        for begun, end, solution in self.last:
            if np.array_equal(begun, start) and back * far <= back * end:
                return solution
        solution = self.solver.dense(self.plain_slope(theta), y, t0, far)
        self.last[:] = [(start, far, solution)]
        return solution

    def _direction(self, t0: float, t: Any) -> float:
        """Return 1.0 for times after the beginning, -1.0 for times before it."""
        if np.any(t < t0) and np.any(t > t0):
            raise ValueError(
                f"{self.solver.call}: the times lie on both sides of the beginning, {t0:g}: make a call "
                f"for each side{user_line()}"
            )
        return -1.0 if np.any(t < t0) else 1.0

    def along(self, count: int) -> Problem:
        """Return the problem of y and so many of its tangents, with the parameters (θ, θ̇)."""
        n = self.n

        def augmented(t: Any, state: Any, thetas: Any) -> Any:
            y, tangents = state[:n], reshape(state[n:], (count, n), "C")
            p = shape(thetas)[0] // (1 + count)
            moves = reshape(thetas[p:], (count, p), "C")
            slope, change = _pushed(lambda y, theta: self.slope(t, y, theta), (y, thetas[:p]), (tangents, moves))
            return concatenate(slope, reshape(change, -1, "C"), 0)

        return Problem(augmented, n * (1 + count), self.solver)

    def start_along(self, start: Any, d: Any) -> Any:
        """Return the start of y and of its tangents for the changes ``d`` of the start, shape ``(k, 1 + n + p)``."""
        n = self.n
        begun = d[:, :n] - d[:, n : n + 1] * expand_dims(self.first_slope(start), 0)
        both = reshape(begun, -1, "C"), start[n : n + 1], start[n + 1 :], reshape(d[:, n + 1 :], -1, "C")
        return concatenate(start[:n], *both, 0)


def _pushed(f: Function, xs: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Return f and its tangents, shape ``(k, n)``, for k tangents of each of two arguments."""
    (y, theta), (dy, dtheta) = xs, tangents
    count, n = shape(dy)
    if count == 1:
        z, change = jvp(f, xs, [dy[0], dtheta[0]])
        return z, expand_dims(change, 0)
    if count <= n:
        moved = lambda along: f(y + matmul(along, dy), theta + matmul(along, dtheta))
        z, change = value_and_columns(moved, 0, None, False)(np.zeros(count))
        return z, transpose(change, (1, 0))
    partials = value_and_rows if size(theta) > n else value_and_columns
    z, (by_y, by_theta) = partials(f, (0, 1), None, False)(y, theta)
    return z, matmul(dy, transpose(by_y, (1, 0))) + matmul(dtheta, transpose(by_theta, (1, 0)))


# ------------------------------------------------------------------------------------------------------- the flow


def _start_push(dstart: Any, z: Any, start: Any, t: Any, problem: Problem) -> Any:
    return flow_tangents(expand_dims(dstart, 0), start, t, problem)[0]


def _start_pull(g: Any, z: Any, start: Any, t: Any, problem: Problem) -> Any:
    g = expand_dims(g, 0)
    few = shape(start)[0] <= FEW or not problem.solver.is_dense
    return (_by_tangents if few else flow_adjoints)(g, start, t, problem)[0]


def _slopes(z: Any, start: Any, t: Any, problem: Problem) -> Any:
    """Return y′ at each of the times."""
    theta = problem.parts(start)[2]
    if not shape(t)[0]:
        return np.zeros((0, problem.n))
    return stack(*(problem.slope(t[k], z[k], theta) for k in range(shape(t)[0])), 0)


def _time_push(dt: Any, z: Any, start: Any, t: Any, problem: Problem) -> Any:
    return _slopes(z, start, t, problem) * expand_dims(dt, -1)


def _time_pull(g: Any, z: Any, start: Any, t: Any, problem: Problem) -> Any:
    return total(_slopes(z, start, t, problem) * g, -1, False)


@smooth(Smooth(_start_push, _start_pull), Smooth(_time_push, _time_pull))
def flow(start: Any, t: Any, problem: Problem) -> Any:
    """The solution at the m times, in any order, shape ``(m, n)``; it is that of SciPy's solver."""
    return problem.values(start, t)


# ------------------------------------------------------------------------------------------ its tangents and adjoints


def _by_flow(d: Any, start: Any, t: Any, problem: Problem) -> Any:
    """Return the tangents of y, shape ``(k, m, n)``, by the flow of y and them."""
    count, n = shape(d)[0], problem.n
    both = flow(problem.start_along(start, d), t, problem.along(count))
    return transpose(reshape(both[:, n:], (shape(t)[0], count, n), "C"), (1, 0, 2))


def _members_of_the_first(apply: Function, xs: Sequence[Any], members: Sequence[bool], problem: Problem) -> Any:
    """Take members of the first operand as more of its rows, which share all that is solved for."""
    if any(members[1:]):
        return None
    count, rows, *rest = shape(xs[0])
    z = apply(reshape(xs[0], (count * rows, *rest), "C"), *xs[1:], problem)
    return reshape(z, (count, rows, *shape(z)[1:]), "C")


def _tangents_adjoint(g: Any, d: Any, start: Any, t: Any, problem: Problem) -> Any:
    return flow_adjoints(g, start, t, problem)


@smooth(
    Linear(_tangents_adjoint),
    Smooth(lambda dx, z, d, x, t, problem: jvp(lambda x: _by_flow(d, x, t, problem), [x], [dx])[1],
           lambda g, z, d, x, t, problem: vjp(lambda x: _by_flow(d, x, t, problem), x)[1](g)[0]),
    Smooth(lambda dt, z, d, x, t, problem: jvp(lambda t: _by_flow(d, x, t, problem), [t], [dt])[1],
           lambda g, z, d, x, t, problem: vjp(lambda t: _by_flow(d, x, t, problem), t)[1](g)[0]),
    batched=_members_of_the_first,
)  # fmt: skip
def flow_tangents(d: Any, start: Any, t: Any, problem: Problem) -> Any:
    """The derivative of the flow along k changes ``d`` of the start: ``(k, 1 + n + p)`` to ``(k, m, n)``."""
    return _by_flow(d, start, t, problem)


def _adjoints_adjoint(h: Any, g: Any, start: Any, t: Any, problem: Problem) -> Any:
    return flow_tangents(h, start, t, problem)


def _moved(push: Function) -> Function:
    """Return the change of the adjoints by that of the start or of the times: the adjoints of the change of y."""

    def moved(change: Any, z: Any, g: Any, start: Any, t: Any, problem: Problem) -> Any:
        pushed: Function = lambda start: push(change, flow(start, t, problem), start, t, problem)
        if shape(g)[0] == 1:
            return expand_dims(vjp(pushed, start)[1](g[0])[0], 0)
        weighted: Function = lambda start: tensordot(g, pushed(start), ((1, 2), (0, 1)))
        return jacrev(weighted)(start)

    return moved


@smooth(
    Linear(_adjoints_adjoint),
    Smooth(_moved(_start_push), lambda h, z, g, x, t, problem: vjp(lambda x: _by_flow(h, x, t, problem), x)[1](g)[0]),
    Smooth(_moved(_time_push), lambda h, z, g, x, t, problem: vjp(lambda t: _by_flow(h, x, t, problem), t)[1](g)[0]),
    batched=_members_of_the_first,
)
def flow_adjoints(g: Any, start: Any, t: Any, problem: Problem) -> Any:
    """The transpose of `flow_tangents`: k cotangents of y, ``(k, m, n)``, to those of the start, ``(k, 1 + n + p)``."""
    if len(start) <= FEW * len(g) or not problem.solver.is_dense:
        return _by_tangents(g, start, t, problem)
    used = np.any(g, (0, 2))
    if not np.any(used):
        return np.zeros((len(g), len(start)))
    t0, theta = problem.parts(start)[1:]
    y = problem.dense(start, t[used])
    a, by_theta = adjoints(problem.slope, y, theta, t0, t[used], g[:, used], problem.solver)
    return np.concatenate([a, -(a @ problem.first_slope(start))[:, None], by_theta], 1)


def _by_tangents(g: Any, start: Any, t: Any, problem: Problem) -> Any:
    """Return what `flow_adjoints` does, by the tangents along all elements of y₀ and θ, which are solved for once."""
    n, count = problem.n, shape(start)[0]
    tangents = flow_tangents(np.delete(np.eye(count), n, 0), start, t, problem)
    both = tensordot(g, tangents, ((1, 2), (1, 2)))
    a = both[:, :n]
    return concatenate(a, expand_dims(-matmul(a, problem.first_slope(start)), 1), both[:, n:], 1)
