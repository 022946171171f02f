"""Minima of functions of several numbers and of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.optimize

from dualnumbers.forms import shape, size
from dualnumbers.levels import read
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.shaping import array, reshape

from ...calls.closures import checked
from ...forward import jacfwd
from ...implicit.solutions import start
from ...reverse import grad
from ._active import Constraint, Problem, minimum
from ._problem import converted, dense, further, is_plain, reported, solver

Function = Callable[..., Any]

WITHOUT_GRADIENT = ("nelder-mead", "powell", "cobyla", "cobyqa")


@solver("optimize.minimize")
def minimize(fun: Function, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
             hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None,
             options: Any = None) -> Any:  # fmt: skip
    """As ``scipy.optimize.minimize``: SciPy's result, whose ``x``, ``fun``, ``jac`` and ``hess`` are differentiable.

    They are so in ``args``, in the numbers that ``fun`` closes over, and in those of ``bounds`` and ``constraints``;
    ``x0`` is a constant. ``fun`` is twice differentiable at the solution, and what presses there of bounds and
    constraints is held: where one holds with equality and does not press, the derivative is that of the side where it
    is left. Where ``jac`` is not given, a method that takes it gets the exact gradient. The Hessian is made: for many
    unknowns there is `implicit.argmin`.

    Raises RuntimeError with SciPy's message where the method does not converge, or is too far from the solution to tell
    what presses; LinAlgError where the Hessian, with the constraints, is singular.
    """
    args, bounds = further(args), list(bounds) if isinstance(bounds, Iterator) else bounds
    listed = list(constraints) if isinstance(constraints, (list, tuple)) else [constraints]
    described = [_described(c) for c in ([] if bounds is None else [bounds])], [_described(c) for c in listed]
    if is_plain(fun, x0, args, jac, hess, hessp, described):
        return scipy.optimize.minimize(
            checked("minimize", fun), x0, args, method, jac, hess, hessp, bounds, constraints, tol, callback, options
        )
    x0 = np.atleast_1d(start("minimize", x0))
    theta, at = converted(fun, jac, hess, hessp, args, described)

    def problem(theta: Any) -> Problem:
        fun, jac, _, _, args, (bounded, constrained) = at(theta)
        f = (lambda x: _number(fun(x, *args)[0])) if jac is True else (lambda x: _number(fun(x, *args)))
        return f, [_constraint(*c) for c in (*bounded, *constrained)]

    fun, jac, hess, hessp, args, (bounded, constrained) = at(read(theta))
    if jac is None and not (isinstance(method, str) and method.lower() in WITHOUT_GRADIENT):
        jac = lambda x, *_: grad(problem(read(theta))[0])(x)
    result = scipy.optimize.minimize(
        checked("minimize", fun), x0, args, method, jac, hess, hessp, _rebuilt(*bounded[0]) if bounded else None,
        [_rebuilt(*c) for c in constrained], tol, callback, options)  # fmt: skip
    x = minimum("minimize", theta, problem, result, x0.ravel())
    f = problem(theta)[0]
    slopes = {name: grad(f)(x) for name in ("jac", "grad") if isinstance(result.get(name), np.ndarray)}
    curvature = {"hess": jacfwd(grad(f))(x)} if "hess" in result else {}
    return reported(result, x=x, fun=f(x), **slopes, **curvature)


def _number(z: Any) -> Any:
    """Return the value of an objective, which may be an array of one element."""
    z = array(joined(z))
    return reshape(z, (), "C") if shape(z) and size(z) == 1 else z


def _described(constraint: Any) -> tuple[Any, Any]:
    """Return the type of bounds or of a constraint and what it holds, in which numbers are found."""
    if isinstance(constraint, dict):
        return dict, constraint
    if hasattr(constraint, "lb"):
        return type(constraint), vars(constraint)
    return list, [tuple(pair) for pair in constraint]


def _rebuilt(kind: Any, held: Any) -> Any:
    """Return bounds or a constraint for SciPy, of what they hold."""
    return held if kind in (dict, list) else kind(**held)


def _constraint(kind: Any, held: Any) -> Constraint:
    """Return bounds or a constraint of SciPy's as one of ours."""
    if kind is dict:
        function = lambda x: held["fun"](x, *further(held.get("args", ())))
        return Constraint(function, 0.0, 0.0 if held["type"].lower() == "eq" else None)
    if kind is list:
        lower, upper = zip(*held, strict=True)
        return Constraint(lambda x: x, list(lower), list(upper))
    if kind is scipy.optimize.Bounds:
        return Constraint(lambda x: x, held["lb"], held["ub"])
    if kind is scipy.optimize.LinearConstraint:
        matrix = array(joined(dense(held["A"])))
        return Constraint(lambda x: matmul(matrix, x), held["lb"], held["ub"])
    return Constraint(held["fun"], held["lb"], held["ub"])


@solver("optimize.minimize_scalar")
def minimize_scalar(fun: Function, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
                    tol: Any = None, options: Any = None) -> Any:  # fmt: skip
    """As ``scipy.optimize.minimize_scalar``: SciPy's result, whose ``x`` and ``fun`` are differentiable.

    They are so as those of `minimize`; a bound that the minimum lies at is a result like any other, and ``bracket`` is
    constant. It raises what `minimize` does.
    """
    args, call = further(args), "minimize_scalar"
    if is_plain(fun, bracket, bounds, args):
        return scipy.optimize.minimize_scalar(checked(call, fun), bracket, bounds, args, method, tol, options)
    theta, at = converted(fun, args, bounds)

    def problem(theta: Any) -> Problem:
        fun, args, bounds = at(theta)
        limits = [] if bounds is None else [Constraint(lambda x: x, bounds[0], bounds[1])]
        return lambda x: _number(fun(x[0], *args)), limits

    fun, args, bounds = at(read(theta))
    bracket = None if bracket is None else tuple(float(read(x)) for x in bracket)
    ends = (0.0, 1.0) if bounds is None and bracket is None else bracket if bounds is None else bounds
    result = scipy.optimize.minimize_scalar(checked(call, fun), bracket, bounds, args, method, tol, options)
    result.x, beginning = np.array([result.x], float), np.array([np.mean(ends)])
    x = minimum(call, theta, problem, result, beginning)
    return reported(result, x=x[0], fun=problem(theta)[0](x))
