"""Events of an initial value problem: the times at which g(t, y(t), θ) = 0, by the implicit function theorem.

ṫ = −ġ / (dg/dt), where ġ is the change of g at the time that was found, by y there and by θ, and dg/dt = ∂g/∂t +
∂g/∂y f is its slope along the solution. Both are written in the derivatives of the flow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dualnumbers.forms import shape, size
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.shaping import array, reshape, stack
from dualnumbers.table import smooth
from dualnumbers.table.kinds import Smooth

from ...forward import jvp
from ...reverse import gradient, vjp
from ._flow import Problem, flow

Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Events:
    """The events that were found: the k-th is one of the function ``which[k]``, at the plain time ``times[k]``."""

    problem: Problem
    g: Callable[[int, Any, Any, Any], Any]
    """The value of a function, by its number, at t, y and θ."""
    which: Sequence[int]
    times: Any

    def values(self, t: Any, start: Any) -> Any:
        """Return what the function of each event is at its time, of a solution from ``start``."""
        y, theta = flow(start, t, self.problem), self.problem.parts(start)[2]
        return stack(*(self._value(which, t[k], y[k], theta) for k, which in enumerate(self.which)), 0)

    def _value(self, which: int, t: Any, y: Any, theta: Any) -> Any:
        z = array(joined(self.g(which, t, y, theta)))
        if size(z) != 1:
            raise ValueError(
                f"solve_ivp: an event is a function that gives one number; number {which} gives shape "
                f"{shape(z)}{user_line()}"
            )
        return reshape(z, (), "C")

    def rates(self, t: Any, start: Any) -> Any:
        """Return the slope dg/dt of each along the solution."""
        return jvp(lambda t: self.values(t, start), [t], [np.ones(shape(t))])[1]

    def check(self, start: Any) -> None:
        """Raise LinAlgError where, within the tolerances, g may only touch 0: a time that has no derivative.

        With slope and curvature ġ, g̈ the function goes beyond 0 by ġ² / 2|g̈|; that is to be more than the tolerance
        lets g differ.
        """
        rates, bends = jvp(lambda t: self.rates(t, start), [self.times], [np.ones(len(self.times))])
        rtol, atol = self.problem.solver.tolerances
        y, theta = flow(start, self.times, self.problem), self.problem.parts(start)[2]
        for k, which in enumerate(self.which):
            by_y = gradient(lambda y, k=k, which=which: self._value(which, self.times[k], y, theta), [y[k]])[0]
            within = np.sum(np.abs(by_y) * (atol + rtol * np.abs(y[k])))
            if rates[k] ** 2 <= 2.0 * abs(bends[k]) * within:
                raise np.linalg.LinAlgError(
                    f"solve_ivp: event {which} at t = {self.times[k]:.6g} is grazing: within rtol and atol it may not "
                    f"happen, so its time has no derivative; give smaller ones, or no such event{user_line()}"
                )


def _push(dstart: Any, t: Any, start: Any, events: Events, plain_start: Any) -> Any:
    events.check(plain_start)
    return -jvp(lambda start: events.values(t, start), [start], [dstart])[1] / events.rates(t, start)


def _pull(g: Any, t: Any, start: Any, events: Events, plain_start: Any) -> Any:
    events.check(plain_start)
    forces = -g / events.rates(t, start)
    return vjp(lambda start: events.values(t, start), start)[1](forces)[0]


@smooth(Smooth(_push, _pull))
def event_times(start: Any, events: Events, plain_start: Any) -> Any:
    """The times of the events, as SciPy found them."""
    return events.times.copy()
