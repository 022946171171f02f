"""Initial value problems: SciPy's solvers, whose solutions are differentiated by the rows of `_flow` and `_events`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.integrate

from dualnumbers.forms import is_unreal, shape, size
from dualnumbers.levels import is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array, concatenate, reshape, transpose

from ...calls.closures import closure_converted, plain_result
from .._counterpart import counterpart, double
from ._events import Events, event_times
from ._flow import Problem, flow
from ._jacobians import derived, jacobians
from ._solvers import Odeint, Solver, reported

Function = Callable[..., Any]


def _slope(call: str, at: Callable[[Any], Function], n: int) -> Function:
    """Return f(t, y, θ) as a vector of n elements."""

    def slope(t: Any, y: Any, theta: Any) -> Any:
        z = array(at(theta)(t, y))
        z = reshape(z, -1, "C") if shape(z) != (n,) else z
        if shape(z) != (n,):
            raise ValueError(f"{call}: for y of {n} elements the function returned {shape(z)[0]}{user_line()}")
        return z

    return slope


def _traced(*values: Any) -> bool:
    return any(is_number(type(x)) for x in values)


def _start(call: str, y0: Any, t0: Any, theta: Any) -> tuple[Any, int]:
    """Return y₀, t₀ and θ in one vector, and the number of elements of y₀."""
    y0 = reshape(double(y0), -1, "C")
    if is_unreal(y0):
        raise TypeError(f"{call} has no derivative of complex y; give its real and imaginary parts{user_line()}")
    read(y0)  # the slope is a program, of which a recording cannot tell whether it would be another one elsewhere
    return concatenate(y0, _vector(t0), theta, 0), shape(y0)[0]


def _vector(x: Any) -> Any:
    return reshape(double(x), -1, "C")


# --------------------------------------------------------------------------------------------------------- odeint

_ODEINT = ("rtol", "atol", "tcrit", "h0", "hmax", "hmin", "ixpr", "mxstep", "mxhnil", "mxordn", "mxords", "printmessg")
_IN_SOLVE_IVP = {"h0": "first_step", "hmax": "max_step", "hmin": "min_step"}
_TOLERANCE = 1.49012e-8
"""The one of ``odeint`` where none is given."""


@counterpart("integrate.odeint", always=True, plain=True)
def odeint(func: Function, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0, full_output: Any = 0,
           ml: Any = None, mu: Any = None, *positional: Any, tfirst: bool = False, **options: Any) -> Any:  # fmt: skip
    """As ``scipy.integrate.odeint``, differentiable in y0, t, args and numbers that ``func`` closes over.

    Raises RuntimeError with SciPy's report where a derivative is asked for and the end was not reached.
    """
    options = {**dict(zip(_ODEINT, positional, strict=False)), **options}
    args = args if isinstance(args, tuple) else (args,)
    theta, at = closure_converted(func, args)
    y0, t = array(y0), double(t)
    if not _traced(y0, t, theta):
        checked = lambda *xs: plain_result("odeint", func(*xs))
        return scipy.integrate.odeint(
            checked, y0, t, args, Dfun, col_deriv, full_output, ml, mu, tfirst=tfirst, **options
        )
    times = reshape(t, -1, "C")
    if not size(times):
        raise ValueError(f"odeint: t holds no time; the first one is that of y0{user_line()}")
    start, n = _start("odeint", y0, times[0], theta)
    ordered = at if tfirst else lambda theta: lambda t, y: at(theta)(y, t)
    slope, plain, when, known = _slope("odeint", ordered, n), read(start), read(times), read(theta)
    tolerances = {name: options[name] if options.get(name) is not None else _TOLERANCE for name in ("rtol", "atol")}
    steps = {new: options[name] for name, new in _IN_SOLVE_IVP.items() if options.get(name)}
    solver = Odeint("odeint", n, "LSODA", tolerances | steps, derived(slope, known), given=options)
    problem = Problem(slope, n, solver)
    problem.check(plain)
    y, report = reported(problem.plain_slope(known), plain[:n], when, tfirst=True, **options)
    problem.known.append((plain, when, y))
    return (flow(start, times, problem), report) if full_output else flow(start, times, problem)


# ------------------------------------------------------------------------------------------------------ solve_ivp


@counterpart("integrate.solve_ivp", always=True, plain=True)
def solve_ivp(fun: Function, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: bool = False,
              events: Any = None, vectorized: bool = False, args: Any = None, **options: Any) -> Any:  # fmt: skip
    """As ``scipy.integrate.solve_ivp``, differentiable in y0, t_span, t_eval, args and what functions close over.

    So are its y, what ``sol`` gives between the ends, ``t_events`` and ``y_events``; and the last of t, be it the end
    of ``t_span`` or a terminal event. Without ``t_eval`` the other times are the solver's steps, which are constants.

    Raises ValueError where y0 is no vector. Where a derivative is asked for, RuntimeError with SciPy's report if the
    end was not reached, LinAlgError where an event grazes, TypeError for complex y.
    """
    try:
        args = () if args is None else tuple(args)
    except TypeError as error:
        raise TypeError(f"solve_ivp: args is a tuple, such as args=(a,){user_line()}") from error
    watched = () if events is None else (events,) if callable(events) else tuple(events)
    functions = (fun, *watched)
    theta, at = closure_converted(lambda which, *xs: functions[which](*xs), args)
    (t0, end), y0 = t_span, array(y0)
    t_eval = None if t_eval is None else double(t_eval)
    is_plain = not _traced(t0, end, y0, t_eval, theta)
    if len(shape(y0)) != 1:
        raise ValueError(
            f"solve_ivp: y0 is a vector, of one element for one equation; got shape {shape(y0)}{user_line()}"
        )
    if is_plain:
        checked = lambda *xs: plain_result("solve_ivp", fun(*xs))
        found = scipy.integrate.solve_ivp(
            checked, t_span, y0, method, t_eval, dense_output, events, vectorized, args or None, **options
        )
        if not dense_output or is_unreal(y0):
            return found
    start, n = _start("solve_ivp", y0, t0, theta)
    plain, known = read(start), read(theta)
    right = lambda theta: lambda t, y: at(theta)(0, t, reshape(y, (-1, 1), "C") if vectorized else y)
    slope = _slope("solve_ivp", right, n)
    own, block = jacobians(method, options, args, slope, known)
    problem = Problem(slope, n, Solver("solve_ivp", n, method, options, block, own))
    if is_plain:
        found.sol = Solution(start, problem, found.sol)
        return found
    problem.check(plain)
    seen = [_plain_event(event, at(known), k) for k, event in enumerate(watched, 1)]
    found = problem.solver.solved(problem.plain_slope(known), plain[:n], (plain[n], read(end)), t_eval=read(t_eval),
                                  dense_output=True, events=seen or None)  # fmt: skip
    solution = Solution(start, problem, found.sol)
    last = _with_events(found, watched, start, problem, lambda k, *xs: at(xs[-1])(k + 1, *xs[:-1]))
    if t_eval is None:
        problem.known.append((plain, found.t, found.y.T))
        found.t = concatenate(_vector(t0), found.t[1:-1], _vector(end) if last is None else last, 0)
    else:
        found.t = t_eval[: len(found.t)]
    found.y = transpose(flow(start, found.t, problem), (1, 0))
    found.sol = solution if dense_output else None
    return found


def _plain_event(event: Function, functions: Function, k: int) -> Function:
    """Return a function of events for the solver, with what SciPy reads of it."""

    def seen(t: Any, y: Any) -> Any:
        z = plain_result("solve_ivp", functions(k, t, y))
        return z.item() if size(z) == 1 else z

    vars(seen).update({name: getattr(event, name) for name in ("terminal", "direction") if hasattr(event, name)})
    return seen


def _with_events(found: Any, watched: Sequence[Function], start: Any, problem: Problem, g: Function) -> Any:
    """Give a result of SciPy's events that carry derivatives; return the time of that which ended it, or None."""
    which = [k for k, times in enumerate(found.t_events or ()) for _ in times]
    if not which:
        return None
    plain = np.concatenate(found.t_events)
    t = event_times(start, Events(problem, g, which, plain), read(start))
    y = flow(start, t, problem)
    last = None
    for k, event in enumerate(watched):
        mine = [place for place, other in enumerate(which) if other == k]
        if not mine:
            continue
        found.t_events[k], found.y_events[k] = t[mine[0] : mine[-1] + 1], y[mine[0] : mine[-1] + 1]
        if found.status == 1 and getattr(event, "terminal", False) and plain[mine[-1]] == found.sol.ts[-1]:
            last = t[mine[-1] : mine[-1] + 1]
    return last


def _plain_solution(held: dict[str, Any]) -> Any:
    """Return SciPy's solution that holds this."""
    made = object.__new__(scipy.integrate.OdeSolution)
    vars(made).update(held)
    return made


class Solution(scipy.integrate.OdeSolution):  # type: ignore[misc]
    """The solution as a function of the time, as SciPy's; between its ends differentiable as the result is.

    What is pickled is SciPy's own, which knows no right-hand side, and so has no derivative.
    """

    def __init__(self, start: Any, problem: Problem, plain: Any) -> None:
        self.__dict__.update(vars(plain))
        self._start, self._problem = start, problem
        problem.last[:] = [(read(start), plain.ts[-1], plain)]

    def __copy__(self) -> Solution:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Solution:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if _traced(self._start):
            raise TypeError(
                f"sol carries derivatives, which are not pickled: pickle it outside of the differentiation{user_line()}"
            )
        return _plain_solution, ({name: x for name, x in vars(self).items() if name not in ("_start", "_problem")},)

    def __call__(self, t: Any) -> Any:
        """Return y at a time, shape ``(n,)``, or at a vector of m times, ``(n, m)``.

        Raises ValueError outside of the ends where a derivative is asked for: there is no solution.
        """
        t = double(t)
        if not _traced(t, self._start):
            return super().__call__(t)
        outside = np.any((read(t) < self.t_min) | (read(t) > self.t_max))
        if len(shape(t)) > 1 or outside:
            raise ValueError(
                f"sol: t is a number or a vector of times from {self.t_min:g} to {self.t_max:g}; got "
                f"{read(t)}{user_line()}"
            )
        y = flow(self._start, reshape(t, -1, "C"), self._problem)
        return transpose(y, (1, 0)) if shape(t) else y[0]
