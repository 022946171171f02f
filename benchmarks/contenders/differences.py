"""Difference quotients of the plain function, by SciPy: what a derivative must not be slower than."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy.optimize import approx_fprime

from contenders import Answer
from contenders.ours import Ours

STEP = 1e-4
"""The step of the outer quotient of a second derivative."""


class Differences:
    """Forward differences; of second order, of the gradient by forward differences."""

    name, by = "differences", "scipy"
    np, scalars = Ours.np, Ours.scalars
    tolerance = 1e-2

    def array(self, value: Any) -> Any:
        """Return NumPy's array itself."""
        return value

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `approx_fprime`."""
        (x,) = arguments
        return lambda: approx_fprime(x, f)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `approx_fprime` of itself."""
        (x,) = arguments
        return lambda: approx_fprime(x, lambda y: approx_fprime(y, f), STEP)
