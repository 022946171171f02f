"""Piecewise polynomials for numbers, by their coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate

from dualnumbers.forms import is_unreal, shape, zeros_like
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.arrays.computed_places import elements
from dualnumbers.rules.shaping import concatenate, reshape
from dualnumbers.rules.signals.convolution import move_axis, recursion
from dualnumbers.rules.signals.interpolation import interval
from dualnumbers.rules.where import nowhere, where

from ...calls.closures import holds_numbers
from .._counterpart import double


def upright(x: Any, rank: int) -> Any:
    """Return a vector as the first of ``rank`` axes."""
    return reshape(x, (-1,) + (1,) * (rank - 1), "C")


class PPoly:
    """As ``scipy.interpolate.PPoly``: on interval j the polynomial Σᵢ c[i, j] (x − x[j])ᵏ⁻¹⁻ⁱ, shape of c (k, m, …)."""

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        c, x = double(c), double(x)
        if len(shape(c)) < 2 or len(shape(x)) != 1 or shape(c)[axis + 1 if axis else 1] != shape(x)[0] - 1:
            raise ValueError(
                f"c has the shape (k, m, …) and x, increasing, m + 1 elements; got shapes {shape(c)} and {shape(x)}"
            )
        for _ in range(2 if axis else 0):
            c = move_axis(c, axis + 1, 0)
        self.c, self.x, self.axis = c, x, axis
        self.extrapolate = True if extrapolate is None else extrapolate

    def _with(self, c: Any, extrapolate: Any) -> PPoly:
        made = object.__new__(PPoly)
        made.c, made.x, made.axis, made.extrapolate = c, self.x, self.axis, extrapolate
        return made

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Evaluate the ``nu``-th derivative; outside the knots it is NaN unless ``extrapolate``, True or "periodic"."""
        if nu:
            return self.derivative(nu)(x, 0, self.extrapolate if extrapolate is None else extrapolate)
        x, extrapolate, c = double(x), self.extrapolate if extrapolate is None else extrapolate, self.c
        if is_unreal(x):
            raise TypeError(f"a piecewise polynomial is evaluated at real numbers{user_line()}")
        start, end = self.x[0], self.x[-1]
        if isinstance(extrapolate, str) and extrapolate == "periodic":
            x = start + (x - start) % (end - start)
        j = interval(self.x, x)
        z, rest = elements(c[0], j), len(shape(c)) - 2
        step = reshape(x - elements(self.x, j), (*shape(x), *(1,) * rest), "C")
        for k in range(1, shape(c)[0]):
            z = z * step + elements(c[k], j)
        outside = (x < start) | (x > end)
        undefined = np.isnan(x) if extrapolate else np.isnan(x) | outside
        if not nowhere(undefined):
            z = z * reshape(where(undefined, np.nan, 1.0), (*shape(x), *(1,) * rest), "C")
        for k in range(self.axis):
            z = move_axis(z, len(shape(x)) + k, k)
        return z

    def derivative(self, nu: int = 1) -> PPoly:
        """Return the piecewise polynomial of the ``nu``-th derivative."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            n = shape(c)[0]
            c = c[:-1] * upright(np.arange(n - 1.0, 0.0, -1.0), len(shape(c))) if n > 1 else 0.0 * c
        return self._with(c, self.extrapolate)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """Return the piecewise polynomial of the ``nu``-th integral, which is 0 at the first knot and continuous."""
        if nu < 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            rank = len(shape(c))
            c = c / upright(np.arange(shape(c)[0], 0.0, -1.0), rank)
            steps, ends = upright(self.x[1:] - self.x[:-1], rank - 1), c[0]
            for k in range(1, shape(c)[0]):
                ends = ends * steps + c[k]
            ends = (ends * steps)[:-1]
            before = concatenate(zeros_like(c[0][:1]), move_axis(recursion(move_axis(ends, 0, -1), _SUM), -1, 0), 0)
            c = concatenate(c, reshape(before, (1, *shape(before)), "C"), 0)
        periodic = isinstance(self.extrapolate, str)
        return self._with(c, False if nu and periodic else self.extrapolate)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral from ``a`` to ``b``, also differentiable in these."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        whole = self.antiderivative()
        whole.axis = 0
        if not (isinstance(extrapolate, str) and extrapolate == "periodic"):
            return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)
        start, period = self.x[0], self.x[-1] - self.x[0]
        turns = np.floor((b - start) / period) - np.floor((a - start) / period)
        return turns * whole(self.x[-1], 0, True) + whole(b, 0, "periodic") - whole(a, 0, "periodic")

    def solve(self, y: Any = 0.0, discontinuity: bool = True, extrapolate: Any = None) -> Any:
        """Return where it has the value ``y``, of plain coefficients: SciPy's."""
        if holds_numbers(self.c, self.x, y):
            raise TypeError(f"the roots of a piecewise polynomial have no derivative here{user_line()}")
        whole = scipy.interpolate.PPoly(self.c, self.x, self.extrapolate)
        whole.axis = self.axis
        return whole.solve(y, discontinuity, extrapolate)

    def roots(self, discontinuity: bool = True, extrapolate: Any = None) -> Any:
        """Return where it is 0, of plain coefficients: SciPy's."""
        return self.solve(0.0, discontinuity, extrapolate)


_SUM = np.array([1.0, -1.0])
"""The recursion sₖ = sₖ₋₁ + zₖ."""
