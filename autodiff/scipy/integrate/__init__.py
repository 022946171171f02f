"""Integrals for numbers: rules for samples, adaptive quadrature, initial and boundary value problems."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, shape
from dualnumbers.levels import decided, holds_somewhere
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.comparisons import equal
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, stack
from dualnumbers.rules.signals.convolution import flip, move_axis, recursion
from dualnumbers.rules.where import where
from dualnumbers.table import smooth

from .._counterpart import Array, counterpart, double, missing
from ._boundary_value import solve_bvp
from ._initial_value import odeint, solve_ivp
from ._quadrature import quad

__all__ = [
    "cumulative_simpson",
    "cumulative_trapezoid",
    "odeint",
    "quad",
    "romb",
    "simpson",
    "solve_bvp",
    "solve_ivp",
    "trapezoid",
]
__getattr__ = missing(__name__)

# ---------------------------------------------------------------------------------------------- of samples


def _sampled(call: str, y: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """Return the samples along the last axis, and their places, a vector or what broadcasts; None where absent."""
    y, rank = array(y), len(shape(array(y)))
    if not rank or not -rank <= axis < rank:
        raise ValueError(f"{call}: axis={axis} is not one of y, shape {shape(y)}")
    if x is not None:
        x = array(x)
        if len(shape(x)) not in (1, rank) or shape(x)[-1 if len(shape(x)) == 1 else axis] != shape(y)[axis]:
            raise ValueError(
                f"{call}: x is a vector as long as y along the axis, or of y's shape {shape(y)}; got shape {shape(x)}"
            )
        x = x if len(shape(x)) == 1 else move_axis(x, axis, -1)
    return move_axis(y, axis, -1), x


def _steps(x: Any) -> Any:
    return x[..., 1:] - x[..., :-1]


def _running(z: Any) -> Any:
    """Return the sums of the elements so far along the last axis: the recursion sₖ = sₖ₋₁ + zₖ."""
    return recursion(z, np.array([1.0, -1.0], dtype_of(z)))


@counterpart("integrate.trapezoid")
def trapezoid(y: Array, x: Array = None, dx: Array = 1.0, axis: int = -1) -> Any:
    """As ``scipy.integrate.trapezoid``: the integral of the straight lines between the samples.

    Raises ValueError where y has no such axis, or x is no vector along it and not of y's shape.
    """
    y, x = _sampled("trapezoid", y, x, axis)
    return total((dx if x is None else _steps(x)) * (y[..., 1:] + y[..., :-1]) / 2.0, -1, False)


@counterpart("integrate.cumulative_trapezoid")
def cumulative_trapezoid(y: Array, x: Array = None, dx: Array = 1.0, axis: int = -1, initial: Array = None) -> Any:
    """As ``scipy.integrate.cumulative_trapezoid``: the integral up to each sample but the first.

    Raises ValueError as `trapezoid`, and for an ``initial`` other than None and 0.
    """
    if initial is not None and (not np.isscalar(initial) or initial != 0):
        raise ValueError(f"cumulative_trapezoid: initial={initial!r} is not None or 0")
    y, x = _sampled("cumulative_trapezoid", y, x, axis)
    z = _running((dx if x is None else _steps(x)) * (y[..., 1:] + y[..., :-1]) / 2.0)
    if initial is not None:
        z = concatenate(np.zeros((*shape(z)[:-1], 1), dtype_of(z)), z, -1)
    return move_axis(z, -1, axis)


def _divisor_push(db: Any, z: Any, b: Any) -> Any:
    if decided(_has_zero, b, usual=False):
        raise ValueError(
            f"simpson: places of x are equal, where the integral jumps and has no derivative by x; leave "
            f"one of them out, or write trapezoid{user_line()}"
        )
    return db


def _has_zero(x: Any) -> bool:
    return bool(np.any(x == 0))


@smooth(_divisor_push)
def _divisor(b: Any) -> Any:
    """Return a length; what is differentiated by one that is 0 raises ValueError."""
    return b + 0.0


def _quotient(a: Any, b: Any) -> Any:
    """Return a / b, and 0 where b is 0, as SciPy takes it."""
    b, is_zero = _divisor(b), equal(b, 0.0)
    return where(is_zero, 0.0, a / where(is_zero, 1.0, b))


def _parabolas(y: Any, x: Any, dx: Any) -> Any:
    """Simpson's rule for an odd number of samples."""
    left, middle, right = y[..., :-2:2], y[..., 1:-1:2], y[..., 2::2]
    if x is None:
        return total(left + 4.0 * middle + right, -1, False) * (dx / 3.0)
    h = double(_steps(x))
    first, second = h[..., ::2], h[..., 1::2]
    both = first + second
    return total(both / 6.0 * (left * (2.0 - _quotient(second, first))
                               + middle * (_quotient(both, first) * _quotient(both, second))
                               + right * (2.0 - _quotient(first, second))), -1, False)  # fmt: skip


@counterpart("integrate.simpson", always=True)
def simpson(y: Array, x: Array = None, *, dx: Array = 1.0, axis: int = -1) -> Any:
    """As ``scipy.integrate.simpson``; of an even number of samples the last interval by Cartwright's rule (2017).

    Raises ValueError where a derivative by x is asked for and places of x are equal: the integral jumps there.
    """
    y, x = _sampled("simpson", y, x, axis)
    n = shape(y)[-1]
    if n % 2:
        return _parabolas(y, x, dx)
    if n == 2:
        return (dx if x is None else x[..., 1] - x[..., 0]) * 0.5 * (y[..., 1] + y[..., 0])
    if x is None:
        last = dx * (5.0 * y[..., -1] + 8.0 * y[..., -2] - y[..., -3]) / 12.0
        return _parabolas(y[..., :-1], None, dx) + last
    h = double(_steps(x))
    return _parabolas(y[..., :-1], x[..., :-1], dx) + _last_interval(y, h[..., -2], h[..., -1])


def _last_interval(y: Any, before: Any, last: Any) -> Any:
    """Return the integral over the last interval, of the parabola through the last three samples."""
    square = last * last + 3.0 * before * last
    return (
        _quotient(last * last + square, 6.0 * (last + before)) * y[..., -1]
        + _quotient(square, 6.0 * before) * y[..., -2]
        - _quotient(last * last, 6.0 * before) * _quotient(last, before + last) * y[..., -3]
    )


def _first_intervals(y: Any, h: Any) -> Any:
    """Return for each three neighbours the integral of their parabola over the first of the two intervals."""
    left, middle, right, first, second = y[..., :-2], y[..., 1:-1], y[..., 2:], h[..., :-1], h[..., 1:]
    part = first / (first + second)
    beyond = part * first / second
    return first / 6.0 * ((3.0 - part) * left + (3.0 + beyond + part) * middle - beyond * right)


def _alternating(forward: Any, backward: Any) -> Any:
    """Join first of one, first of the other, third of one, third of the other …, and the last of the other."""
    n = shape(forward)[-1]
    each = [forward[..., k] if k % 2 == 0 else backward[..., k - 1] for k in range(n)]
    return stack(*each, backward[..., n - 1], -1)


@counterpart("integrate.cumulative_simpson")
def cumulative_simpson(y: Array, *, x: Array = None, dx: Array = 1.0, axis: int = -1, initial: Array = None) -> Any:
    """As ``scipy.integrate.cumulative_simpson``: parabolas through three neighbours, the integral up to each sample.

    Raises ValueError as `trapezoid`, and where x does not increase.
    """
    y, x = _sampled("cumulative_simpson", y, x, axis)
    if shape(y)[-1] < 3:
        z = _running((dx if x is None else _steps(x)) * (y[..., 1:] + y[..., :-1]) / 2.0)
    else:
        step = move_axis(dx, axis, -1) if shape(dx) else dx
        h = step * np.ones(shape(y)[-1] - 1, dtype_of(y)) if x is None else _steps(x)
        if x is not None and holds_somewhere(h <= 0):
            raise ValueError("cumulative_simpson: x must be strictly increasing")
        backward = flip(_first_intervals(flip(y, (-1,)), flip(h, (-1,))), (-1,))
        z = _running(_alternating(_first_intervals(y, h), backward))
    if initial is not None:
        start = move_axis(initial, axis, -1) if shape(initial) else initial
        start = broadcast_to(start, (*shape(y)[:-1], 1))
        z = concatenate(start, z + start, -1)
    return move_axis(z, -1, axis)


@counterpart("integrate.romb")
def romb(y: Array, dx: Array = 1.0, axis: int = -1, show: Any = False) -> Any:
    """As ``scipy.integrate.romb``: trapezoidal sums, extrapolated to step 0, of 2ᵏ + 1 samples.

    Raises ValueError for another number of samples, TypeError for ``show`` with numbers.
    """
    if show:
        raise TypeError("romb with show= has no derivative here; leave show= away")
    y, _ = _sampled("romb", y, None, axis)
    count = shape(y)[-1] - 1
    if count < 1 or count & (count - 1):
        raise ValueError(f"romb: {count + 1} samples are not one more than a power of 2")
    rows: list[Any] = [(y[..., 0] + y[..., -1]) / 2.0 * (count * dx)]
    step = count
    while step > 1:
        halved = [0.5 * (rows[0] + step * dx * total(y[..., step // 2 : count : step], -1, False))]
        for j, coarse in enumerate(rows):
            halved.append(halved[j] + (halved[j] - coarse) / (4 ** (j + 1) - 1))
        rows, step = halved, step // 2
    return rows[-1]
