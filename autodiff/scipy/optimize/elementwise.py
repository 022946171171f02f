"""SciPy's searches for a root or minimum of each element's own function: those of ``scipy.optimize.elementwise``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize.elementwise

from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line

from ...calls.closures import checked
from ...forward import jvp
from ...implicit.roots import Diagonal, Equation, solution
from .._counterpart import missing
from ._problem import converted, further, is_plain, solver

__all__ = ["find_minimum", "find_root"]
__getattr__ = missing(__name__)

Function = Callable[..., Any]


@solver("optimize.elementwise.find_root")
def find_root(
    f: Function, init: Any, /, *, args: Any = (), tolerances: Any = None, maxiter: Any = None, callback: Any = None
) -> Any:
    """As ``scipy.optimize.elementwise.find_root``: SciPy's result, whose ``x`` is differentiable.

    It is so in ``args`` and in the numbers that ``f`` closes over, to every order; ``init``, the bracket, is constant,
    and what else the result tells, plain. Each root is brought to rounding by Newton's method.

    Raises RuntimeError where a search does not converge, LinAlgError where ∂f/∂x is 0 at a root, ValueError where an
    element of f depends on other elements of x.
    """
    args, rest = further(args), {"tolerances": tolerances, "maxiter": maxiter, "callback": callback}
    if is_plain(f, args, init):
        return scipy.optimize.elementwise.find_root(checked("find_root", f), init, args=args, **rest)
    return _differentiated("find_root", f, args, init, rest, lambda f, args: lambda x: f(x, *args))


@solver("optimize.elementwise.find_minimum")
def find_minimum(
    f: Function, init: Any, /, *, args: Any = (), tolerances: Any = None, maxiter: Any = 100, callback: Any = None
) -> Any:
    """As ``scipy.optimize.elementwise.find_minimum``: SciPy's result, whose ``x`` and ``f_x`` are differentiable.

    They are as the roots of `find_root`: x is where ∂f/∂x is 0. It raises what that does, LinAlgError where ∂²f/∂x² is
    0 there.
    """
    args, rest = further(args), {"tolerances": tolerances, "maxiter": maxiter, "callback": callback}
    if is_plain(f, args, init):
        return scipy.optimize.elementwise.find_minimum(checked("find_minimum", f), init, args=args, **rest)

    def slope(f: Function, args: Any) -> Function:
        return lambda x: jvp(lambda x: f(x, *args), [x], [np.ones(np.shape(x)) if np.ndim(x) else 1.0])[1]

    found = _differentiated("find_minimum", f, args, init, rest, slope)
    found.f_x = f(found.x, *args)
    return found


def _differentiated(
    name: str, f: Function, args: Any, init: Any, rest: dict[str, Any], left: Callable[[Function, Any], Function]
) -> Any:
    """Return SciPy's result, whose x solves ``left(f, args)(x) = 0`` and is differentiable."""
    theta, at = converted(f, args)
    found = _found(name, at(read(theta)), init, rest)
    begin = found.x
    found.x = solution(theta, Equation(name, lambda theta: left(*at(theta)), lambda _: begin, Diagonal()))
    return found


def _found(name: str, problem: tuple[Function, Any], init: Any, rest: dict[str, Any]) -> Any:
    """Return SciPy's result for a plain problem; RuntimeError where a search of it failed."""
    f, args = problem
    search = getattr(scipy.optimize.elementwise, name)
    found = search(checked(name, f), tuple(map(read, init)), args=args, **rest)
    if not np.all(found.success):
        status = np.ravel(found.status)[np.argmin(np.ravel(found.success))]
        raise RuntimeError(
            f"{name}: a search ended with status {status} of scipy.optimize.elementwise.{name}: no "
            f"solution was found between the ends that init gives{user_line()}"
        )
    return found
