"""Initial value problems: derivatives by the forward sensitivity equations, which SciPy's own solver integrates.

Of y′ = f(t, y, θ) the derivative S of y by (y₀, θ) obeys S′ = ∂f/∂y S + (0, ∂f/∂θ), S(t₀) = (1, 0) (Hairer, Nørsett &
Wanner, *Solving Ordinary Differential Equations I*, §I.14). The pair (y, S) is a problem of the same kind, so it is
solved to the tolerances given, and differentiated again in the same way. It has n (1 + n + p) unknowns for n of y and p
parameters: meant for small systems.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from dualnumbers.forms import is_unreal, shape
from dualnumbers.levels import is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.linalg.products import matmul, tensordot
from dualnumbers.rules.shaping import array, concatenate, expand_dims, reshape, stack
from dualnumbers.table import smooth
from dualnumbers.table.kinds import Smooth

from ...calls.closures import closure_converted, plain_result
from ...forward import jacfwd, jvp
from ...reverse import jacrev
from .._counterpart import counterpart, double

Function = Callable[..., Any]


def _slope(call: str, at: Callable[[Any], Function], n: int) -> Function:
    """Return f(t, y, θ) as a vector of n elements."""

    def slope(t: Any, y: Any, theta: Any) -> Any:
        z = array(at(theta)(t, y))
        z = reshape(z, -1, "C") if shape(z) != (n,) else z
        if shape(z) != (n,):
            raise ValueError(f"{call}: for y of {n} elements the function returned {shape(z)[0]}")
        return z

    return slope


def _along(slope: Function, n: int, count: int) -> Function:
    """Return the right-hand side for y and its derivative along one direction, with the parameters (θ, θ̇)."""

    def augmented(t: Any, state: Any, thetas: Any) -> Any:
        primals, tangents = (state[:n], thetas[:count]), (state[n:], thetas[count:])
        return concatenate(*jvp(lambda y, theta: slope(t, y, theta), primals, tangents), 0)

    return augmented


def _sensitivity(slope: Function, n: int, count: int) -> Function:
    """Return the right-hand side for y and S, shape ``(n, n + p)``, in one vector."""
    jacobian = (jacrev if count > n else jacfwd)(slope, (1, 2))

    def augmented(t: Any, state: Any, theta: Any) -> Any:
        y, s = state[:n], reshape(state[n:], (n, -1), "C")
        by_y, by_theta = jacobian(t, y, theta)
        change = matmul(by_y, s) + concatenate(np.zeros((n, n)), by_theta, 1)
        return concatenate(slope(t, y, theta), reshape(change, -1, "C"), 0)

    return augmented


def _sensitivities(start: Any, t: Any, slope: Function, n: int, solver: Function) -> Any:
    """Return S at each time, of shape ``(m, n, n + p)``."""
    count = shape(start)[0]
    first = concatenate(start[:n], np.eye(n, count).ravel(), start[n:], 0)
    states = flow(first, t, _sensitivity(slope, n, count - n), n * (1 + count), solver)
    return reshape(states[:, n:], (shape(t)[0], n, count), "C")


def _start_push(dstart: Any, z: Any, start: Any, t: Any, slope: Function, n: int, solver: Function) -> Any:
    """Solve along one direction: y and its derivative together."""
    count = shape(start)[0] - n
    both = concatenate(start[:n], dstart[:n], start[n:], dstart[n:], 0)
    return flow(both, t, _along(slope, n, count), 2 * n, solver)[:, n:]


def _start_pull(g: Any, z: Any, start: Any, t: Any, *static: Any) -> Any:
    """Solve along all directions, once: no problem that runs backward in time, which may be unstable."""
    return tensordot(g, _sensitivities(start, t, *static), ((0, 1), (0, 1)))


def _time_push(dt: Any, z: Any, start: Any, t: Any, slope: Function, n: int, solver: Function) -> Any:
    """Along the solution for its own time; a later beginning takes back what happened before it."""
    theta = start[n:]
    here = stack(*(slope(t[k], z[k], theta) for k in range(shape(t)[0])), 0)
    before = concatenate(here[0] * -dt[0], np.zeros(shape(theta)), 0)
    return here * expand_dims(dt, -1) + _start_push(before, z, start, t, slope, n, solver)


@smooth(Smooth(_start_push, _start_pull), _time_push)
def flow(start: Any, t: Any, slope: Function, n: int, solver: Function) -> Any:
    """The solution of y′ = slope(t, y, θ), shape ``(m, n)``, at the m times, the first of which is the beginning.

    ``start`` is y₀ and θ in one vector.
    """
    theta = start[n:]
    call = solver.__name__
    return solver(lambda t, y: plain_result(call, slope(t, y, theta)), start[:n], t)


def _traced(*values: Any) -> bool:
    return any(is_number(type(x)) for x in values)


def _start(call: str, y0: Any, theta: Any) -> tuple[Any, int]:
    y0 = reshape(double(y0), -1, "C")
    if is_unreal(y0):
        raise TypeError(f"{call} has no derivative of complex y; give its real and imaginary parts{user_line()}")
    read(y0)  # the slope is a program, of which a recording cannot tell whether it would be another one elsewhere
    return concatenate(y0, theta, 0), shape(y0)[0]


def _tolerances(options: dict[str, Any], n: int) -> Callable[[int], dict[str, Any]]:
    """Return options for a system of any size: one tolerance per element of y holds for these, its least for S."""

    def of(size: int) -> dict[str, Any]:
        fitted = dict(options)
        for name in ("atol", "rtol"):
            if name in fitted and np.ndim(fitted[name]) and size > n:
                fitted[name] = np.append(fitted[name], np.full(size - n, np.min(fitted[name])))
        return fitted

    return of


_ODEINT = ("rtol", "atol", "tcrit", "h0", "hmax", "hmin", "ixpr", "mxstep", "mxhnil", "mxordn", "mxords", "printmessg")


@counterpart("integrate.odeint", always=True)
def odeint(func: Function, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0, full_output: Any = 0,
           ml: Any = None, mu: Any = None, *positional: Any, tfirst: bool = False, **options: Any) -> Any:  # fmt: skip
    """As ``scipy.integrate.odeint``, differentiable in y0, t, args and numbers that ``func`` closes over."""
    options = {**dict(zip(_ODEINT, positional, strict=False)), **options}
    args = args if isinstance(args, tuple) else (args,)
    theta, at = closure_converted(func, args)
    y0, t = array(y0), double(t)
    if not _traced(y0, t, theta):
        checked = lambda *xs: plain_result("odeint", func(*xs))
        return scipy.integrate.odeint(checked, y0, t, args, Dfun, col_deriv, full_output, ml, mu, tfirst=tfirst,
                                      **options)  # fmt: skip
    if full_output:
        raise TypeError(f"odeint with full_output has no derivative here; leave it away{user_line()}")
    start, n = _start("odeint", y0, theta)
    fitted = _tolerances(options, n)

    def odeint(slope: Function, y: Any, t: Any) -> Any:
        return scipy.integrate.odeint(slope, y, t, tfirst=True, **fitted(len(y)))

    ordered = at if tfirst else lambda theta: lambda t, y: at(theta)(y, t)
    return flow(start, t, _slope("odeint", ordered, n), n, odeint)


@counterpart("integrate.solve_ivp", always=True)
def solve_ivp(fun: Function, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: bool = False,
              events: Any = None, vectorized: bool = False, args: Any = None, **options: Any) -> Any:  # fmt: skip
    """As ``scipy.integrate.solve_ivp``, its y differentiable in y0, t_span, t_eval, args and what ``fun`` closes over.

    Without ``t_eval`` the times are the steps of the solver, which are constants but for the ends.
    """
    theta, at = closure_converted(fun, tuple(args or ()))
    (t0, end), y0 = t_span, array(y0)
    t_eval = None if t_eval is None else double(t_eval)
    if not _traced(t0, end, y0, t_eval, theta):
        checked = lambda *xs: plain_result("solve_ivp", fun(*xs))
        return scipy.integrate.solve_ivp(checked, t_span, y0, method, t_eval, dense_output, events, vectorized, args,
                                         **options)  # fmt: skip
    if dense_output or events is not None:
        raise TypeError("solve_ivp with dense_output or events has no derivative here; give the times as "
                        f"t_eval{user_line()}")  # fmt: skip
    options = {name: value for name, value in options.items() if name not in ("jac", "jac_sparsity", "lband", "uband")}
    start, n = _start("solve_ivp", y0, theta)
    fitted, last, slope = _tolerances(options, n), read(end), _slope("solve_ivp", at, n)

    def solve_ivp(slope: Function, y: Any, t: Any) -> Any:
        found = scipy.integrate.solve_ivp(slope, (t[0], last), y, method, t[1:], **fitted(len(y)))
        if not found.success:
            raise ValueError(f"solve_ivp: {found.message}")
        return np.concatenate([y[None], found.y.T])

    inner = lambda t, y: plain_result("solve_ivp", slope(t, y, read(theta)))
    result = scipy.integrate.solve_ivp(inner, (read(t0), last), read(start)[:n], method, read(t_eval), **options)
    if t_eval is None:
        result.t = concatenate(_vector(t0), result.t[1:-1], _vector(end), 0)
        result.y = flow(start, result.t, slope, n, solve_ivp).T
    else:
        result.t = t_eval
        result.y = flow(start, concatenate(_vector(t0), t_eval, 0), slope, n, solve_ivp)[1:].T
    return result


def _vector(x: Any) -> Any:
    return reshape(double(x), -1, "C")
