"""The integral of a function, by Leibniz's rule: ∂/∂b ∫ f = f(b), ∂/∂a ∫ f = −f(a), ∂/∂θ ∫ f = ∫ ∂f/∂θ."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from dualnumbers.forms import shape
from dualnumbers.levels import is_lazy, is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import concatenate, stack
from dualnumbers.table import smooth
from dualnumbers.table.dispatch import TO_DECIDE_BY, refuse
from dualnumbers.table.kinds import Smooth

from ...calls.closures import closure_converted, holds_numbers, plain_result
from ...forward import jvp
from .._counterpart import counterpart

Function = Callable[..., Any]


def _end(db: Any, b: Any, theta: Any, at: Callable[[Any], Function]) -> Any:
    """Return the integrand at an end; at an infinite one an integrable function has gone to 0."""
    return at(theta)(b) * db if math.isfinite(read(b)) else 0.0 * db


def _partial(at: Callable[[Any], Function], k: int) -> Callable[[Any], Function]:
    """∂f/∂θₖ in the place of f."""

    def slope_at(theta: Any) -> Function:
        along = np.zeros(shape(theta))
        along[k] = 1.0
        return lambda x: jvp(lambda theta: at(theta)(x), [theta], [along])[1]

    return slope_at


def _parameter_push(dtheta: Any, z: Any, a: Any, b: Any, theta: Any, at: Any, options: Any, found: Any) -> Any:
    slopes = [integral(a, b, theta, _partial(at, k), options, []) for k in range(shape(theta)[0])]
    return total(stack(*slopes, 0) * dtheta, -1, False)


@smooth(
    lambda da, z, a, b, theta, at, options, found: -_end(da, a, theta, at),
    lambda db, z, a, b, theta, at, options, found: _end(db, b, theta, at),
    _parameter_push,
)
def integral(
    a: Any, b: Any, theta: Any, at: Callable[[Any], Function], options: tuple[tuple[str, Any], ...], found: list[float]
) -> float:
    """Integrate ``at(theta)``, a function of x, from a to b, by QUADPACK; the first time it is what is ``found``."""
    if found:
        return found.pop()
    integrand = at(theta)
    return float(scipy.integrate.quad(lambda x: plain_result("quad", integrand(x)), a, b, **dict(options))[0])


# ------------------------------------------------------------------------------- limits and points that move


def _parts(*parts: Any) -> tuple[Any, ...]:
    return parts


def _node(x: Any) -> Any:
    return x if is_number(type(x)) else float(x)


def _taken(func: Function, args: tuple[Any, ...], *nodes: Any) -> tuple[Function, Any, Any, list[Any]]:
    a, b, points = nodes
    return lambda x: func(x, *args), a, b, points


def _is_singular(f: Function, *limits: Any) -> bool:
    """Return whether plain f, or one of its first three derivatives, is not finite at a limit that moves."""
    return any(is_number(type(x)) and not _is_smooth(f, float(read(x))) for x in limits if np.isfinite(read(x)))


def _is_smooth(f: Function, x: float) -> bool:
    with np.errstate(all="ignore"):
        try:
            return all(np.all(np.isfinite(plain_result("quad", z))) for z in _derivatives(f, x))
        except (ArithmeticError, ValueError):
            return False


def _derivatives(f: Function, x: float) -> tuple[Any, ...]:
    """Return f and its first three derivatives at x."""
    first: Function = lambda x: jvp(f, [x], [1.0])[1]
    second: Function = lambda x: jvp(first, [x], [1.0])[1]
    return f(x), first(x), *jvp(second, [x], [1.0])


def _velocity(nodes: list[Any], velocities: list[Any], x: Any) -> tuple[Any, Any]:
    """Return how fast x moves between nodes that do, and the slope of that: linear from a node to the next one.

    Where the one limit is infinite, all moves as the other.
    """
    plain = np.array([read(node) for node in nodes])
    if not np.all(np.isfinite(plain)):
        return velocities[int(np.argmax(np.isfinite(plain)))], 0.0
    order = np.argsort(plain, kind="stable")
    after = int(np.clip(np.searchsorted(plain[order], read(x), "right"), 1, len(nodes) - 1))
    left, right = order[after - 1], order[after]
    slope = (velocities[right] - velocities[left]) / (nodes[right] - nodes[left])
    return velocities[left] + slope * (x - nodes[left]), slope


def _moved(at: Function, along: Any) -> Function:
    """The integrand's derivative along a direction of θ, in which x moves as the nodes do: f′ẋ + ∂f/∂θ θ̇ + f dẋ/dx.

    With None for the direction it is the second half of the vector that is given.
    """

    def moved_at(theta: Any) -> tuple[Function, Any, Any, list[Any]]:
        n = shape(theta)[0] // 2
        theta, direction = (theta, along) if along is not None else (theta[:n], theta[n:])
        _, a, b, points = at(theta)
        nodes, velocities = [a, b, *points], []
        for k in range(len(nodes)):
            node = lambda theta, k=k: [*at(theta)[1:3], *at(theta)[3]][k]
            velocities.append(jvp(node, [theta], [direction])[1])

        def f(x: Any) -> Any:
            speed, slope = _velocity(nodes, velocities, x)
            z, dz = jvp(lambda x, theta: at(theta)[0](x), [x, theta], [speed, direction])
            return dz + z * slope

        return f, a, b, points

    return moved_at


def _moving_push(dtheta: Any, z: Any, theta: Any, at: Any, options: Any, found: Any) -> Any:
    if is_number(type(dtheta)):
        return moving(concatenate(theta, dtheta, 0), _moved(at, None), options, [])
    return moving(theta, _moved(at, dtheta), options, [])


def _moving_pull(g: Any, z: Any, theta: Any, at: Any, options: Any, found: Any) -> Any:
    return stack(*(moving(theta, _moved(at, along), options, []) for along in np.eye(shape(theta)[0])), 0) * g


@smooth(Smooth(_moving_push, _moving_pull))
def moving(theta: Any, at: Callable[[Any], Any], options: tuple[tuple[str, Any], ...], found: list[float]) -> float:
    """Integrate ``at(θ)``, a function, its limits and its points; RuntimeError where QUADPACK does not converge.

    The first time it is what is ``found``.
    """
    if found:
        return found.pop()
    f, a, b, _ = at(theta)
    z, _, _, *report = scipy.integrate.quad(lambda x: plain_result("quad", f(x)), a, b, full_output=1, **dict(options))
    if report:
        raise RuntimeError(
            f"quad: the derivative by a limit where the integrand is singular does not converge; let "
            f"both use one variable, such as a = p[0], or substitute x: {report[0].splitlines()[0]}"
            f"{user_line()}"
        )
    return float(z)


@counterpart("integrate.quad", always=True)
def quad(func: Function, a: Any, b: Any, args: Any = (), full_output: Any = 0, *positional: Any, **options: Any) -> Any:
    """As ``scipy.integrate.quad``: the integral and SciPy's estimate of its error.

    Differentiable in the limits, in ``args`` and in numbers that ``func`` closes over, each derivative to the same
    tolerances by a quadrature of its own. Numbers among ``points`` are places that move: of jumps and of singularities.
    Where the integrand, or a derivative of it, is infinite at a limit that moves, it is smooth between ``points``.

    Raises, where a derivative is asked for, TypeError for ``complex_func``, for ``weight`` with limits or points
    that move, and by ``wvar``; RuntimeError with SciPy's report where a limit or point moves and the derivative does
    not converge. In reverse mode that is so where a limit and a singularity there are moved by different variables, by
    none of which there is a derivative: ∂/∂a of 2 √(1 − c) − 2 √(a − c) is infinite at a = c.
    """
    names = ("epsabs", "epsrel", "limit", "points", "weight", "wvar", "wopts", "maxp1", "limlst", "complex_func")
    options = {**dict(zip(names, positional, strict=False)), **options}
    args = args if isinstance(args, tuple) else (args,)
    theta, at = closure_converted(func, args)
    points = [] if options.get("points") is None else list(map(_node, options["points"]))
    moves = any(is_number(type(x)) for x in (a, b, *points))
    depends = is_number(type(theta))
    if (moves or depends) and (options.get("complex_func") or (moves and options.get("weight"))):
        raise TypeError(
            "quad with complex_func=True, or with weight= and differentiated limits, has no derivative "
            f"here; write the integrand out{user_line()}"
        )
    if holds_numbers(options.get("wvar")):
        raise TypeError(f"quad has no derivative by wvar: write the weight into the integrand{user_line()}")
    if points:
        options["points"] = np.array([read(p) for p in points])
    refuse(is_lazy, "scipy.integrate.quad", TO_DECIDE_BY, (a, b, theta, points, args))
    plain_func = at(read(theta))
    inner = lambda x: plain_result("quad", plain_func(x))
    value, *rest = result = scipy.integrate.quad(inner, read(a), read(b), (), full_output, **options)
    if not moves and not depends:
        return result
    if any(is_number(type(p)) for p in points) or (depends and _is_singular(plain_func, a, b)):
        theta, parts = closure_converted(_parts, (func, args, _node(a), _node(b), points))
        return moving(theta, lambda theta: _taken(*parts(theta)()), tuple(options.items()), [value]), *rest
    return integral(a, b, theta, at, tuple(options.items()), [value]), *rest
