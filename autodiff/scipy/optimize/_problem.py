"""What all solvers share: the numbers that a problem depends on, plain calls, a solver's report.

Where no argument holds a number, SciPy's solver is called with what it was given. Else it finds the solution from plain
values, and `autodiff.implicit` says what the derivative is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from scipy.optimize import Bounds, OptimizeResult
from scipy.sparse import issparse

from dualnumbers.foreign import is_foreign
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.shaping import array

from ...calls.closures import holds_numbers, in_numpy, parameters_converted
from ...calls.running import is_rerun, rerunning
from ...implicit.roots import Equation, Slope, newton, newton_step, solution
from .._counterpart import counterpart

Function = Callable[..., Any]
Solver = TypeVar("Solver", bound=Function)


def solver(path: str, plain: bool = False) -> Callable[[Solver], Solver]:
    """Let a function stand for SciPy's solver of that path, ``plain`` as in `counterpart`.

    In a program that is run again with numbers, as by `checkpoint`, a plain solution is brought to rounding as it will
    be then, where it can be: the two are to agree.
    """

    def register(function: Solver) -> Solver:
        @wraps(function)
        def refined(*given: Any, **named: Any) -> Any:
            if any(is_foreign(type(x)) for x in (*given, *named.values())) and holds_numbers(given, named):
                in_numpy("an argument is", *given, *named.values())
            if is_rerun() and not holds_numbers(given, named):
                try:
                    return function(*given, **named)
                except (ArithmeticError, RuntimeError, TypeError, ValueError):
                    with rerunning(False):
                        return function(*given, **named)
            return function(*given, **named)

        return cast(Solver, counterpart(path, always=True, plain=plain)(refined))

    return register


def is_plain(*values: Any) -> bool:
    """Return whether SciPy's own solution is wanted: no derivative comes through the values, now or in another run."""
    return not is_rerun() and not holds_numbers(*values)


def _parts(*parts: Any) -> tuple[Any, ...]:
    return parts


def converted(*parts: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return the vector θ of the numbers in the parts of a problem, and ``at``: ``at(θ)`` is the parts with these."""
    theta, at = parameters_converted(_parts, parts)
    return theta, lambda theta: at(theta)()


def further(args: Any) -> tuple[Any, ...]:
    """Return SciPy's ``args``, which may be one that is no tuple."""
    return args if isinstance(args, tuple) else (args,)


def dense(matrix: Any) -> Any:
    """Return a sparse matrix of SciPy as an array, anything else as it is."""
    return matrix.toarray() if issparse(matrix) else matrix


def limits_of(bounds: Any) -> tuple[Any, Any]:
    """Return the lower and the upper limits of SciPy's bounds."""
    lower, upper = (bounds.lb, bounds.ub) if isinstance(bounds, Bounds) else bounds
    return array(joined(lower)), array(joined(upper))


def solved(call: str, theta: Any, residual: Callable[[Any], Function], result: Any, slope: Slope, start: Any) -> Any:
    """Return the solution of ``residual(θ)(x) = 0`` that SciPy's ``result`` is, by Newton's method from ``start``.

    What SciPy calls no success is taken where two steps confirm it; elsewhere RuntimeError with SciPy's message.
    """
    equation = Equation(call, residual, lambda theta: start, slope)
    if not result.success:
        at = read(theta)
        step = newton_step(slope, equation.residual, at)
        try:
            newton(lambda x: equation.residual(x, at), step, start, call, most=2)
        except (RuntimeError, ArithmeticError, ValueError) as error:
            raise RuntimeError(f"{call}: {' '.join(result.message.split())}{user_line()}") from error
    return solution(theta, equation)


PLAIN = (
    *("success", "status", "message", "method", "nit", "niter", "nfev", "njev", "nhev", "execution_time", "optimality"),
    *("active_mask", "unbounded_mask", "maxcv", "constr_violation", "constr_penalty", "constr_nfev", "constr_njev"),
    *("constr_nhev", "cg_niter", "cg_stop_cond", "tr_radius", "barrier_parameter", "barrier_tolerance"),
    *("mip_node_count", "mip_gap", "mip_dual_bound", "crossover_nit"),
)
"""What a result tells of the run; the rest of it depends on the parameters, and is computed anew or left out."""
LEFT_OUT = (
    *("hess_inv", "multipliers", "v", "constr", "lagrangian_grad", "final_simplex", "direc"),
    *("qtf", "fjac", "r", "cov_x", "ipvt", "jac", "unbounded_sol"),
)
"""What SciPy's results have besides: where it is left out an error says so."""


class Result(OptimizeResult):  # type: ignore[misc]
    """A result as SciPy's, without what depends on the parameters and is not computed anew."""

    def __getattr__(self, name: str) -> Any:
        """Return a field; AttributeError for one that is not there."""
        if name in LEFT_OUT and name not in self:
            raise AttributeError(
                f"{name} of SciPy's result has no derivative here: read it from a call outside of "
                f"every differentiation, or compute it from x{user_line()}"
            )
        return super().__getattr__(name)


class Details(dict[str, Any]):
    """The report of a solver's run as SciPy's, without what depends on the parameters and is not computed anew."""

    def __missing__(self, name: str) -> Any:
        """Raise KeyError for a field that is not there."""
        if name in LEFT_OUT:
            raise KeyError(
                f"{name} of SciPy's report has no derivative here: read it from a call outside of every "
                f"differentiation{user_line()}"
            )
        raise KeyError(name)


def reported(result: Any, **found: Any) -> Any:
    """Return a result with what was found, and what SciPy's tells of its run."""
    names = PLAIN if holds_numbers(found) else result
    kept = {name: result[name] for name in names if name in result and name not in found}
    return Result(**found, **kept)
