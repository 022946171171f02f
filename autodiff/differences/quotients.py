"""Difference quotients of functions of any arguments.

They evaluate the user's function on plain values and know no rule of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dualnumbers.levels import is_number

from ..calls.given import no_function
from ..calls.places import Which, arguments, places
from ..calls.structures import flatten, map_leaves
from ..calls.values import differentiable, plain_output, without_leaves
from .slope import Measure, slope
from .tableau import Quotient, Values


def as_double(x: Any) -> Any:
    """Return a number or array in at least double precision, where differences have digits to lose."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype.itemsize < (16 if x.dtype.kind == "c" else 8):
        return x.astype(complex if x.dtype.kind == "c" else float)
    return x


def _measured(f: Callable[..., Any]) -> Measure:
    """Return a user's function with its rounding error."""

    def measure(*args: Any) -> Quotient:
        out = without_leaves(plain_output(f(*map_leaves(_copied, args)), f))
        if is_number(type(out)):
            raise TypeError("a difference quotient is of plain values; f returned a number that carries a derivative")
        value = np.asarray(out)
        value = value.astype(float) if value.dtype.kind in "biu" else value
        kind = np.finfo(value.dtype)
        return Quotient(as_double(value), np.abs(as_double(value)) * kind.eps + kind.smallest_subnormal, np.nan)

    return measure


def _copied(x: Any) -> Any:
    """Copy an argument, so that f may write to it without harm to the next call."""
    return x.copy(order="K") if isinstance(x, np.ndarray) else x


def _partial(measure: Measure, index: int, k: int) -> Measure:
    """Return the partial of ``measure`` by leaf ``k`` of argument ``index``, of shape out.shape + leaf.shape."""

    def quotient(*args: Any) -> Quotient:
        leaves, rebuild = flatten(args[index])
        leaves = [as_double(differentiable(leaf, f"argument {index}")) for leaf in leaves]
        if any(is_number(type(leaf)) for leaf in leaves):
            raise TypeError("a difference quotient is of plain values: use autodiff.value_of(x)")

        def at(x: Any) -> Quotient:
            return measure(*args[:index], rebuild([*leaves[:k], x, *leaves[k + 1 :]]), *args[index + 1 :])

        return _of_array(at, leaves[k]) if np.ndim(leaves[k]) else _of_number(at, leaves[k])

    return quotient


def _of_array(at: Measure, x: Values) -> Quotient:
    def at_element(position: tuple[int, ...]) -> Measure:
        def at_value(t: Any) -> Quotient:
            moved = x.copy(order="K")
            moved[position] = t
            return at(moved)

        return at_value

    parts = [_of_number(at_element(position), x[position]) for position in np.ndindex(x.shape)]
    dims = (parts[0].value if parts else at(x).value).shape + x.shape
    if not parts:
        return Quotient(np.zeros(dims), np.zeros(dims), np.zeros(dims))
    return Quotient(
        *(np.stack([getattr(part, name) for part in parts], -1).reshape(dims) for name in ("value", "error", "step"))
    )


def _of_number(at: Measure, x: Any) -> Quotient:
    """Return the derivative at a number; at a complex one, from those along 1 and along i."""
    if not np.iscomplexobj(x):
        return slope(at, x)
    kind = type(x) if isinstance(x, (complex, np.generic)) else complex
    along_one = slope(lambda t: at(kind(complex(t, x.imag))), x.real)
    along_i = slope(lambda t: at(kind(complex(x.real, t))), x.imag)
    a, b, error = along_one.value, along_i.value, along_one.error + along_i.error
    if not np.iscomplexobj(at(x).value):
        return Quotient(a + 1j * b, error, along_one.step)
    return Quotient((a - 1j * b) / 2, (error + np.abs(a + 1j * b)) / 2, along_one.step)


def quotients(f: Callable[..., Any], wrt: Which, args: Sequence[Any]) -> tuple[list[Quotient], list[Any]]:
    """Return the partials by each leaf of ``args[wrt]``, and ``[args[wrt]]``, which has their structure.

    For a tuple ``wrt``, for each leaf of the first argument those of all leaves of the next, and all these arguments.
    """
    args = arguments(f, args)
    indices = places(wrt, f, len(args), "wrt")
    if not indices:
        raise TypeError(
            "wrt is the index of an argument or a parameter's name, or a tuple of those; got an empty tuple"
        )

    def taken(measure: Measure, others: list[int]) -> list[Quotient]:
        if not others:
            return [measure(*args)]
        leaves = range(len(flatten(args[others[0]])[0]))
        return [q for k in leaves for q in taken(_partial(measure, others[0], k), others[1:])]

    return taken(_measured(f), indices), [args[index] for index in indices]


def _put_together(values: Iterator[Any], xs: list[Any]) -> Any:
    """Put values that come as `quotients` into their structure."""
    if not xs:
        return next(values)
    leaves, rebuild = flatten(xs[0])
    return rebuild([_put_together(values, xs[1:]) for _ in leaves])


def difference_quotient(f: Callable[..., Any], wrt: Which, args: Sequence[Any]) -> tuple[Any, Any]:
    """Return ``(value, error)``: the partial ∂f/∂args[wrt] by differences, and an estimate of its error.

    Both have the shape and structure of `autodiff.derivative`'s result; a tuple ``wrt`` gives the mixed partial, and
    single precision is evaluated in double. The error is half the gap between the one-sided slopes at a kink; the value
    is infinite where the quotients grow at every halving of the step, NaN with error ∞ where f is not finite. At a
    complex point it is the derivative of a holomorphic f, with the failure of Cauchy-Riemann as part of the error; of
    a real f it is ∂f/∂Re x + i ∂f/∂Im x, as `autodiff.grad`.

    Raises what `autodiff.derivative` raises for wrong arguments.

    >>> value, error = difference_quotient(lambda x: x**3, 0, [2.0])
    >>> abs(value - 12.0) <= error < 1e-10
    True
    """
    if not callable(f):
        raise no_function("difference_quotient(f, 0, [x])", f)
    found, xs = quotients(f, wrt, args)
    return (
        _put_together((_as_number(q.value) for q in found), xs),
        _put_together((_as_number(q.error) for q in found), xs),
    )


def _as_number(x: Any) -> Any:
    return x if np.ndim(x) else x.item()
