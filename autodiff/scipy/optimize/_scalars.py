"""Roots of one equation: bracketed ones, Newton's method, the secant method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line

from ...calls.closures import checked
from ...implicit.roots import Diagonal, Equation, solution
from ...implicit.solutions import start
from ._problem import converted, further, is_plain, solved, solver

Function = Callable[..., Any]

XTOL, RTOL = 2e-12, 4 * float(np.finfo(float).eps)
"""SciPy's defaults of the bracketed methods."""


@solver("optimize.root_scalar")
def root_scalar(f: Function, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
                fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None,
                maxiter: Any = None, options: Any = None) -> Any:  # fmt: skip
    """As ``scipy.optimize.root_scalar``: SciPy's result, whose ``root`` is differentiable.

    It is so in ``args`` and in the numbers that ``f`` and its derivatives close over, to every order; ``bracket``,
    ``x0`` and ``x1`` are constants. The root is brought to rounding by Newton's method.

    Raises RuntimeError where the method does not converge or where f changes its sign at no root, LinAlgError where
    ∂f/∂x is 0 at the root.
    """
    args, rest = further(args), (xtol, rtol, maxiter, options)
    if is_plain(f, args, bracket, fprime, fprime2, x0, x1):
        return scipy.optimize.root_scalar(
            checked("root_scalar", f), args, method, bracket, fprime, fprime2, x0, x1, *rest
        )
    theta, at = converted(f, fprime, fprime2, args)
    bracket = None if bracket is None else [float(read(x)) for x in bracket]
    x0, x1 = (None if x is None else start("root_scalar", x) for x in (x0, x1))

    def residual(theta: Any) -> Function:
        f, fprime, fprime2, args = at(theta)
        several = any(given and not callable(given) for given in (fprime, fprime2))  # f gives them, too
        return lambda x: f(x, *args)[0] if several else f(x, *args)

    f, fprime, fprime2, args = at(read(theta))
    found = scipy.optimize.root_scalar(checked("root_scalar", f), args, method, bracket, fprime, fprime2, x0, x1, *rest)
    return _rooted("root_scalar", theta, residual, found)


def _rooted(call: str, theta: Any, residual: Callable[[Any], Function], found: Any) -> Any:
    """Return a result of SciPy's with the root that is differentiable."""
    message = f"{found.method} stopped at {found.root:.6g} after {found.iterations} iterations: {found.flag}"
    result = scipy.optimize.OptimizeResult(success=found.converged, message=message)
    found.root = solved(call, theta, residual, result, Diagonal(), float(found.root))
    return found


def _bracketed(
    path: str, f: Function, args: Any, ends: tuple[Any, Any], settings: tuple[Any, ...], full_output: bool, disp: bool
) -> Any:
    """Find the root between two ends by one of SciPy's bracketed methods, which all take and give the same."""
    solver, call, args = getattr(scipy.optimize, path), path, further(args)
    if is_plain(f, args, ends):
        return solver(checked(call, f), *ends, args, *settings, full_output=full_output, disp=disp)
    theta, at = converted(f, args)
    low, high = (float(read(x)) for x in ends)

    def residual(theta: Any) -> Function:
        f, args = at(theta)
        return lambda x: f(x, *args)

    def search(theta: Any, **how: Any) -> Any:
        f, args = at(theta)
        return solver(checked(call, f), low, high, args, *settings, **how)

    if not full_output:
        return solution(theta, Equation(call, residual, search, Diagonal()))
    found = _rooted(call, theta, residual, search(read(theta), full_output=True, disp=False)[1])
    return found.root, found


def _method(name: str, said: str) -> Function:
    """Make the counterpart of a bracketed method."""

    def method(f: Function, a: Any, b: Any, args: Any = (), xtol: float = XTOL, rtol: float = RTOL, maxiter: int = 100,
               full_output: bool = False, disp: bool = True) -> Any:  # fmt: skip
        return _bracketed(name, f, args, (a, b), (xtol, rtol, maxiter), full_output, disp)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = (
        f"As ``scipy.optimize.{name}``: a root between a and b, by {said}; differentiable as the root of "
        "`root_scalar` is, a and b being constants.\n\n    Raises what that does, and ValueError "
        "where f has one sign at both."
    )
    return solver(f"optimize.{name}")(method)


bisect = _method("bisect", "halving the interval")
brenth = _method("brenth", "Brent's method with hyperbolic extrapolation")
brentq = _method("brentq", "Brent's method")
ridder = _method("ridder", "Ridder's method")


@solver("optimize.toms748")
def toms748(f: Function, a: Any, b: Any, args: Any = (), k: int = 1, xtol: float = XTOL, rtol: float = RTOL,
            maxiter: int = 100, full_output: bool = False, disp: bool = True) -> Any:  # fmt: skip
    """As ``scipy.optimize.toms748``, differentiable as `brentq`, and raising what that does."""
    return _bracketed("toms748", f, args, (a, b), (k, xtol, rtol, maxiter), full_output, disp)


@solver("optimize.newton")
def newton(func: Function, x0: Any, fprime: Any = None, args: Any = (), tol: float = 1.48e-8, maxiter: int = 50,
           fprime2: Any = None, x1: Any = None, rtol: float = 0.0, full_output: bool = False, disp: bool = True
           ) -> Any:  # fmt: skip
    """As ``scipy.optimize.newton``: a root near x0; of an array the root of each element's own equation.

    Differentiable as the root of `root_scalar` is. The search is not differentiated, and does not follow derivatives.

    Raises RuntimeError where an element does not converge, LinAlgError where a ∂func/∂x is 0 at the root, ValueError
    where an element of func depends on other elements of x.
    """
    args, rest = further(args), (tol, maxiter)
    if is_plain(func, x0, fprime, args, fprime2, x1):
        return scipy.optimize.newton(
            checked("newton", func), x0, fprime, args, *rest, fprime2, x1, rtol, full_output, disp
        )
    theta, at = converted(func, fprime, fprime2, args)
    x0, x1 = start("newton", x0), None if x1 is None else start("newton", x1)
    if full_output and np.ndim(x0):
        raise TypeError(f"newton with full_output=True of an array has no derivative here; leave it away{user_line()}")

    def residual(theta: Any) -> Function:
        func, _, _, args = at(theta)
        return lambda x: func(x, *args)

    def search(theta: Any) -> Any:
        func, fprime, fprime2, args = at(theta)
        return scipy.optimize.newton(
            checked("newton", func), x0, fprime, args, *rest, fprime2, x1, rtol, full_output, disp
        )

    if not full_output:
        return solution(theta, Equation("newton", residual, search, Diagonal()))
    found = _rooted("newton", theta, residual, search(read(theta))[1])
    return found.root, found
