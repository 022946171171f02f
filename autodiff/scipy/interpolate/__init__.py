"""Piecewise polynomials through points, for numbers: differentiable in data, knots and where they are evaluated.

On a knot a derivative that jumps is that of the interval which begins there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate

from dualnumbers.foreign import largest
from dualnumbers.forms import asked, is_unreal, shape, size, type_of, zeros_like
from dualnumbers.levels import holds_somewhere, is_lazy, known, read
from dualnumbers.rules.arrays.searching import argsort
from dualnumbers.rules.of_scipy.linalg.tridiagonal import tridiagonal
from dualnumbers.rules.shaping import array, astype, concatenate, expand_dims, reshape, stack
from dualnumbers.rules.signals.convolution import move_axis
from dualnumbers.rules.where import nowhere, where

from ...calls.closures import holds_numbers
from .._counterpart import COUNTERPARTS, double, missing
from ._piecewise import PPoly, upright

__all__ = ["Akima1DInterpolator", "CubicHermiteSpline", "CubicSpline", "PPoly", "PchipInterpolator", "interp1d"]
__getattr__ = missing(__name__)


def _row(x: Any) -> Any:
    return expand_dims(x, 0)


# ------------------------------------------------------------------------------------------- through points


def _data(x: Any, y: Any, axis: int) -> tuple[Any, Any, int]:
    """Check the data: return knots, values along the first axis, and that axis."""
    x, y = double(x), double(y)
    axis = axis % max(len(shape(y)), 1)
    if is_unreal(x) or len(shape(x)) != 1 or shape(x)[0] < 2 or holds_somewhere(np.logical_not(np.diff(known(x)) > 0)):
        raise ValueError("x must be a strictly increasing vector of at least 2 real numbers")
    if not shape(y) or shape(y)[axis] != shape(x)[0]:
        raise ValueError(f"y, shape {shape(y)}, is as long along axis={axis} as x, which has {shape(x)[0]} elements")
    if any(holds_somewhere(np.logical_not(np.isfinite(known(given)))) for given in (x, y)):
        raise ValueError("x and y must contain only finite values")
    return x, move_axis(y, axis, 0), axis


def _slopes(x: Any, y: Any) -> tuple[Any, Any]:
    """Return the lengths of the intervals, to multiply y's, and the slopes of the chords."""
    steps = upright(x[1:] - x[:-1], len(shape(y)))
    return steps, (y[1:] - y[:-1]) / steps


class CubicHermiteSpline(PPoly):
    """As ``scipy.interpolate.CubicHermiteSpline``: cubics with the values y and the derivatives dydx."""

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        knots, y, axis = _data(x, y, axis)
        self._set(knots, y, _data(x, dydx, axis)[1], axis, True if extrapolate is None else extrapolate)

    def _set(self, x: Any, y: Any, d: Any, axis: int, extrapolate: Any) -> None:
        steps, slope = _slopes(x, y)
        bend = (d[:-1] + d[1:] - 2.0 * slope) / steps
        self.c = stack(bend / steps, (slope - d[:-1]) / steps - bend, d[:-1], y[:-1], 0)
        self.x, self.axis, self.extrapolate = x, axis, extrapolate


class PchipInterpolator(CubicHermiteSpline):
    """As ``scipy.interpolate.PchipInterpolator``: monotone where the data are (Fritsch & Butland 1984).

    Raises ValueError for complex y.
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        x, y, axis = _data(x, y, axis)
        if is_unreal(y):
            raise ValueError("PchipInterpolator takes real values of y")
        self._set(x, y, _monotone(x, y), axis, True if extrapolate is None else extrapolate)


def _monotone(x: Any, y: Any) -> Any:
    """Find the derivatives at the knots: 0 at an extremum of the data, else a harmonic mean of the slopes beside it."""
    h, m = _slopes(x, y)
    if shape(y)[0] == 2:
        return concatenate(m, m, 0)
    first, second = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    signs = np.sign(known(m))
    flat = (signs[1:] != signs[:-1]) | (signs[1:] == 0)
    left, right = where(flat, 1.0, m[:-1]), where(flat, 1.0, m[1:])
    inner = where(flat, 0.0, (first + second) / (first / left + second / right))
    ends = [_end(h[i], h[j], m[i], m[j]) for i, j in ((0, 1), (-1, -2))]
    return concatenate(_row(ends[0]), inner, _row(ends[1]), 0)


def _end(h: Any, beyond: Any, m: Any, following: Any) -> Any:
    """Return a three-point estimate, kept monotone (Moler, *Numerical Computing with MATLAB*, §3.6)."""
    d = ((2.0 * h + beyond) * m - h * following) / (h + beyond)
    d_known, m_known = known(d), known(m)
    turned = np.sign(d_known) != np.sign(m_known)
    steep = (np.sign(m_known) != np.sign(known(following))) & (np.abs(d_known) > 3.0 * np.abs(m_known))
    return where(turned, 0.0, where(steep, 3.0 * m, d))


class Akima1DInterpolator(CubicHermiteSpline):
    """As ``scipy.interpolate.Akima1DInterpolator`` (Akima 1970; "makima" as in MATLAB).

    Raises NotImplementedError for another ``method``, ValueError for complex y.
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None) -> None:
        if method not in ("akima", "makima"):
            raise NotImplementedError(f"method={method!r} is not 'akima' or 'makima'")
        x, y, axis = _data(x, y, axis)
        if is_unreal(y):
            raise ValueError("Akima1DInterpolator takes real values of y")
        self._set(x, y, _akima(x, y, method), axis, False if extrapolate is None else extrapolate)


def _akima(x: Any, y: Any, method: str) -> Any:
    """Find the slopes on either side of a knot, weighed by how little the slopes beyond bend; their mean if none do."""
    _, m = _slopes(x, y)
    if shape(y)[0] == 2:
        return concatenate(m, m, 0)
    before, after = 2.0 * m[0] - m[1], 2.0 * m[-1] - m[-2]
    m = concatenate(_row(2.0 * before - m[0]), _row(before), m, _row(after), _row(2.0 * after - m[-1]), 0)
    bends = np.abs(m[1:] - m[:-1])
    if method == "makima":
        bends = bends + 0.5 * np.abs(m[1:] + m[:-1])
    left, right = bends[:-2], bends[2:]
    both = left + right
    even = known(both) <= 1e-9 * largest(known(both), -np.inf)
    weighed = m[1:-2] + left / where(even, 1.0, both) * (m[2:-1] - m[1:-2])
    return where(even, 0.5 * (m[3:] + m[:-3]), weighed)


# ------------------------------------------------------------------------------------------- splines


class CubicSpline(CubicHermiteSpline):
    """As ``scipy.interpolate.CubicSpline``: two continuous derivatives; also differentiable in the end derivatives."""

    def __init__(self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> None:
        x, y, axis = _data(x, y, axis)
        ends = _end_conditions(bc_type, y)
        if extrapolate is None:
            extrapolate = "periodic" if ends[0] == "periodic" else True
        self._set(x, y, _smooth_derivatives(x, y, ends) if size(y) else y, axis, extrapolate)


_NAMED = {"clamped": 1, "natural": 2}


def _end_conditions(bc_type: Any, y: Any) -> list[Any]:
    """Return for each end "not-a-knot", "periodic", or the order of a derivative and its value."""
    ends = [bc_type, bc_type] if isinstance(bc_type, str) else list(bc_type)
    if len(ends) != 2:
        raise ValueError(f"bc_type={bc_type!r} has one condition for each end")
    if "periodic" in [end for end in ends if isinstance(end, str)]:
        if ends[0] is not ends[1] and ends[0] != ends[1]:
            raise ValueError("'periodic' is a condition for both ends")
        if not is_lazy(type_of(y)) and not np.allclose(read(y)[0], read(y)[-1], rtol=1e-15, atol=1e-15):
            raise ValueError("for bc_type='periodic' the first and last values of y are equal")
    return [_end_condition(end, y) for end in ends]


def _end_condition(end: Any, y: Any) -> Any:
    if isinstance(end, str):
        if end not in ("not-a-knot", "periodic", *_NAMED):
            raise ValueError(f"bc_type={end!r} is not one of 'not-a-knot', 'periodic', 'clamped', 'natural'")
        return (_NAMED[end], zeros_like(y[0])) if end in _NAMED else end
    order, value = end
    value = double(value)
    if order not in (1, 2) or shape(value) != shape(y)[1:]:
        raise ValueError(
            f"an end condition is (1 or 2, a derivative of shape {shape(y)[1:]}); got order {order}, "
            f"shape {shape(value)}"
        )
    return order, value


def _smooth_derivatives(x: Any, y: Any, ends: list[Any]) -> Any:
    """Find the slopes at the knots of cubics with continuous second derivatives (de Boor 1978, chapter IV)."""
    h, m = _slopes(x, y)
    n = shape(y)[0]
    if n == 2:
        ends = [(1, m[0]) if isinstance(end, str) else end for end in ends]
    elif n == 3 and ends == ["not-a-knot", "not-a-knot"]:
        middle = (h[0] * m[1] + h[1] * m[0]) / (h[0] + h[1])
        return stack(2.0 * m[0] - middle, middle, 2.0 * m[1] - middle, 0)
    elif ends[0] == "periodic":
        return _periodic_derivatives(h, m)
    dx = x[1:] - x[:-1]
    start = _end_equation(ends[0], dx[0], dx[1:2], h[:2], m[:2], 1.0)
    end = _end_equation(ends[1], dx[-1], dx[-2:-1], h[:-3:-1], m[:-3:-1], -1.0)
    zero = np.zeros(1)
    bands = stack(
        concatenate(zero, _row(start[1]), dx[:-1], 0),
        concatenate(_row(start[0]), 2.0 * (dx[:-1] + dx[1:]), _row(end[0]), 0),
        concatenate(dx[1:], _row(end[1]), zero, 0),
        0,
    )
    inner = 3.0 * (h[1:] * m[:-1] + h[:-1] * m[1:])
    return tridiagonal(bands, concatenate(_row(start[2]), inner, _row(end[2]), 0))


def _end_equation(end: Any, step: Any, beyond: Any, h: Any, m: Any, towards: float) -> tuple[Any, Any, Any]:
    """Return coefficients of the derivative at the end and at its neighbour, and the right-hand side.

    ``h`` and ``m`` are lengths and slopes of the intervals from that end on, ``towards`` is 1 or −1, inwards.
    """
    one = np.ones(())
    if isinstance(end, str):
        both = h[0] + h[1]
        right = ((h[0] + 2.0 * both) * h[1] * m[0] + h[0] * h[0] * m[1]) / both
        return beyond[0], step + beyond[0], right
    order, value = end
    if order == 1:
        return one, 0.0 * one, value
    return 2.0 * step, step, 3.0 * h[0] * m[0] - 0.5 * towards * value * h[0] * h[0]


def _periodic_derivatives(h: Any, m: Any) -> Any:
    """Solve a cyclic system: two tridiagonal ones, with the last unknown as a parameter."""
    n = shape(m)[0]
    if n == 2:
        t = (m[0] / h[0] + m[1] / h[1]) / (1.0 / h[0] + 1.0 / h[1])
        return stack(t, t, t, 0)
    dx = reshape(h, -1, "C")
    before = concatenate(dx[-1:], dx[:-1], 0)  # unknown k lies between the intervals k − 1 and k
    h, last = (upright(v, len(shape(m))) for v in (dx, before))
    right = 3.0 * (h * concatenate(m[-1:], m[:-1], 0) + last * m)
    middle = 2.0 * (before + dx)
    zero = np.zeros(1)
    bands = stack(concatenate(zero, before[: n - 2], 0), middle[: n - 1], concatenate(dx[1 : n - 1], zero, 0), 0)
    corner = concatenate(-dx[:1], np.zeros(n - 3), -before[n - 2 : n - 1], 0)
    first, second = tridiagonal(bands, right[:-1]), tridiagonal(bands, corner)
    rest = right[-1] - dx[-1] * first[-1] - before[-1] * first[0]
    t = rest / (middle[-1] + dx[-1] * second[-1] + before[-1] * second[0])
    rows = first + upright(second, len(shape(m))) * t
    return concatenate(rows, _row(t), rows[:1], 0)


def _of_other_kind(kind: Any) -> TypeError:
    return TypeError(f"interp1d with kind={kind!r} has no derivative here; there are 'linear' and 'cubic'")


class interp1d:  # noqa: N801  SciPy's name
    """As ``scipy.interpolate.interp1d`` with ``kind`` "linear" or "cubic"; ``fill_value`` as SciPy has it.

    Raises TypeError for another ``kind`` of numbers that carry a derivative, ValueError where x lies outside.
    """

    def __init__(self, x: Any, y: Any, kind: Any = "linear", axis: int = -1, copy: bool = True,
                 bounds_error: Any = None, fill_value: Any = np.nan, assume_sorted: bool = False) -> None:  # fmt: skip
        self._curve: Any
        self._plainly = kind if kind not in ("linear", "cubic") and not holds_numbers(x, y, fill_value) else None
        if self._plainly is not None:
            self._curve = scipy.interpolate.interp1d(x, y, kind, axis, copy, bounds_error, fill_value, assume_sorted)
            return
        if kind not in ("linear", "cubic"):
            raise _of_other_kind(kind)
        self._kind = asked(np.result_type, array(y), np.float32 if kind == "linear" else np.float64)
        x, y = double(x), double(y)
        if not assume_sorted:
            order = argsort(known(x), -1, "stable")
            x, y = x[order], move_axis(move_axis(y, axis, 0)[order], 0, axis)
        knots, values, axis = _data(x, y, axis)
        slopes = _slopes(knots, values)[1]
        self._curve = PPoly(stack(slopes, values[:-1], 0), knots) if kind == "linear" else CubicSpline(x, y, axis)
        self._curve.axis, self._fill = axis, fill_value
        self._extrapolated = isinstance(fill_value, str) and fill_value == "extrapolate"
        self._bounded = bool(bounds_error) or (bounds_error is None and not self._extrapolated)

    def __call__(self, x: Any) -> Any:
        """Return the value at ``x``."""
        if self._plainly is not None:
            if holds_numbers(x):
                raise _of_other_kind(self._plainly)
            return self._curve(x)
        x, ends = double(x), known(self._curve.x)
        below, above = x < ends[0], x > ends[-1]
        if self._bounded and (holds_somewhere(below) or holds_somewhere(above)):
            raise ValueError(f"interp1d: x lies outside the interpolation range from {ends[0]} to {ends[-1]}")
        z = astype(self._curve(x, 0, True), self._kind)
        if self._extrapolated or (nowhere(below) and nowhere(above)):
            return z
        low, high = self._fill if isinstance(self._fill, tuple) else (self._fill, self._fill)
        more = (1,) * (len(shape(z)) - self._curve.axis - len(shape(x)))
        below, above = (np.reshape(mask, (*np.shape(mask), *more)) for mask in (below, above))
        return where(below, low, where(above, high, z))


COUNTERPARTS.update({f"scipy.interpolate.{kind.__name__}": kind for kind in (
    Akima1DInterpolator, CubicHermiteSpline, CubicSpline, PPoly, PchipInterpolator, interp1d)})  # fmt: skip
