"""The integral of a function, by Leibniz's rule: ∂/∂b ∫ f = f(b), ∂/∂a ∫ f = −f(a), ∂/∂θ ∫ f = ∫ ∂f/∂θ."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from dualnumbers.forms import shape
from dualnumbers.levels import is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import stack
from dualnumbers.table import smooth

from ...calls.closures import closure_converted, plain_result
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


def _parameter_push(dtheta: Any, z: Any, a: Any, b: Any, theta: Any, at: Any, options: Any) -> Any:
    slopes = [integral(a, b, theta, _partial(at, k), options) for k in range(shape(theta)[0])]
    return total(stack(*slopes, 0) * dtheta, -1, False)


@smooth(
    lambda da, z, a, b, theta, at, options: -_end(da, a, theta, at),
    lambda db, z, a, b, theta, at, options: _end(db, b, theta, at),
    _parameter_push,
)
def integral(a: Any, b: Any, theta: Any, at: Callable[[Any], Function], options: tuple[tuple[str, Any], ...]) -> float:
    """Integrate ``at(theta)``, a function of x, from a to b, by QUADPACK."""
    integrand = at(theta)
    return float(scipy.integrate.quad(lambda x: plain_result("quad", integrand(x)), a, b, **dict(options))[0])


@counterpart("integrate.quad", always=True)
def quad(func: Function, a: Any, b: Any, args: Any = (), full_output: Any = 0, *positional: Any, **options: Any) -> Any:
    """As ``scipy.integrate.quad``: the integral and SciPy's estimate of its error.

    Differentiable in the limits, in ``args`` and in numbers that ``func`` closes over, each derivative to the same
    tolerances by a quadrature of its own.
    """
    names = ("epsabs", "epsrel", "limit", "points", "weight", "wvar", "wopts", "maxp1", "limlst", "complex_func")
    options = {**dict(zip(names, positional, strict=False)), **options}
    args = args if isinstance(args, tuple) else (args,)
    theta, at = closure_converted(func, args)
    ends = any(is_number(type(x)) for x in (a, b))
    if (ends or is_number(type(theta))) and (options.get("complex_func") or (ends and options.get("weight"))):
        raise TypeError("quad with complex_func=True, or with weight= and differentiated limits, has no derivative "
                        f"here; write the integrand out{user_line()}")  # fmt: skip
    found = at(read(theta))
    inner = lambda x: plain_result("quad", found(x))
    _, *rest = result = scipy.integrate.quad(inner, read(a), read(b), (), full_output, **options)
    if not ends and not is_number(type(theta)):
        return result
    return integral(a, b, theta, at, tuple(options.items())), *rest
