"""Roots of several equations, and fixed points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from dualnumbers.levels import read
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.shaping import array

from ...calls.closures import checked
from ...forward import jacfwd
from ...implicit.krylov import Krylov
from ...implicit.roots import Dense, Equation, MatrixFree, solution
from ...implicit.solutions import start
from ._problem import Details, converted, further, is_plain, reported, solved, solver

Function = Callable[..., Any]

BY_JACOBIAN = ("hybr", "lm")
"""The methods that take a Jacobian, and else make one of difference quotients; the others are for large systems."""


@solver("optimize.root")
def root(fun: Function, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, tol: Any = None,
         callback: Any = None, options: Any = None) -> Any:  # fmt: skip
    """As ``scipy.optimize.root``: SciPy's result, whose ``x`` is differentiable.

    It is so in ``args`` and in the numbers that ``fun`` and ``jac`` close over, to every order, for `implicit.root` is;
    ``x0`` is a constant. ``x`` is brought to rounding by Newton's method. ``hybr`` and ``lm`` get the exact Jacobian
    where ``jac`` is not given; with the methods for large systems, ``krylov`` and its like, products with the Jacobian
    alone give the derivatives, by GMRES to a residual of 1e-12.

    Raises RuntimeError with SciPy's message where the method does not converge, LinAlgError where ∂fun/∂x is singular.
    """
    args = further(args)
    if is_plain(fun, x0, args, jac):
        return scipy.optimize.root(checked("root", fun), x0, args, method, jac, tol, callback, options)
    x0, (theta, at) = start("root", x0), converted(fun, jac, args)
    is_dense = method in BY_JACOBIAN

    def residual(theta: Any) -> Function:
        fun, jac, args = at(theta)
        return lambda x: fun(x, *args)[0] if jac is True else fun(x, *args)

    fun, jac, args = at(read(theta))
    if not jac and is_dense:
        fun = residual(read(theta))
        jac, args = jacfwd(lambda x: array(joined(fun(x)))), ()
    result = scipy.optimize.root(checked("root", fun), x0, args, method, jac, tol, callback, options)
    slope = (
        Dense() if is_dense else MatrixFree(Krylov(call="root", remedy="take method='hybr', which goes by a matrix"))
    )
    x = solved("root", theta, residual, result, slope, result.x)
    return reported(result, x=x, fun=result.fun)


@solver("optimize.fsolve")
def fsolve(func: Function, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, col_deriv: Any = 0,
           xtol: float = 1.49012e-8, maxfev: int = 0, band: Any = None, epsfcn: Any = None, factor: float = 100,
           diag: Any = None) -> Any:  # fmt: skip
    """As ``scipy.optimize.fsolve``: the x of `root`'s result by the method ``hybr``; it raises what `root` does.

    With ``full_output`` the report has ``fvec``, which is differentiable as x is, ``nfev`` and ``njev``; the rest, the
    method's own, raises KeyError.
    """
    args = further(args)
    if is_plain(func, x0, args, fprime):
        return scipy.optimize.fsolve(
            checked("fsolve", func), x0, args, fprime, full_output, col_deriv, xtol, maxfev, band, epsfcn, factor, diag
        )
    options = {"col_deriv": col_deriv if fprime else 0, "xtol": xtol, "maxfev": maxfev, "band": band, "eps": epsfcn,
               "factor": factor, "diag": diag}  # fmt: skip
    result = root(func, np.ravel(start("fsolve", x0)), args, "hybr", fprime, options=options)
    details = Details(nfev=result.nfev, fvec=result.fun, **({"njev": result.njev} if "njev" in result else {}))
    return (result.x, details, result.status, result.message) if full_output else result.x


@solver("optimize.fixed_point")
def fixed_point(
    func: Function, x0: Any, args: Any = (), xtol: float = 1e-8, maxiter: int = 500, method: str = "del2"
) -> Any:
    """As ``scipy.optimize.fixed_point``: the x of ``func(x, *args) = x``, differentiable as `root`'s.

    Raises RuntimeError where the iteration does not converge, LinAlgError where 1 is an eigenvalue of ∂func/∂x.
    """
    args = further(args)
    if is_plain(func, x0, args):
        return scipy.optimize.fixed_point(checked("fixed_point", func), x0, args, xtol, maxiter, method)
    x0, (theta, at) = start("fixed_point", x0), converted(func, args)

    def residual(theta: Any) -> Function:
        func, args = at(theta)
        return lambda x: x - array(joined(func(x, *args)))

    def search(theta: Any) -> Any:
        func, args = at(theta)
        return scipy.optimize.fixed_point(checked("fixed_point", func), x0, args, xtol, maxiter, method)

    return solution(theta, Equation("fixed_point", residual, search, Dense()))
