"""Difference quotients of functions of any arguments, and the checks of derivatives against them.

They evaluate the user's function on plain values and know no rule of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dualnumbers.levels import is_number

from ..calls.places import Which, arguments, places
from ..calls.structures import flatten, kind_of, map_leaves
from ..calls.values import differentiable, plain_output, scalar_output, settled
from .slope import Measure, Quotient, Values, slope

RELATIVE = 1e-7
"""The relative tolerance of the checks: a derivative right to 7 digits passes, one wrong in the sixth does not."""


def as_double(x: Any) -> Any:
    """Return a number or array in at least double precision, where differences have digits to lose."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype.itemsize < (16 if x.dtype.kind == "c" else 8):
        return x.astype(complex if x.dtype.kind == "c" else float)
    return x


def _measured(f: Callable[..., Any]) -> Measure:
    """Return a user's function with its rounding error."""

    def measure(*args: Any) -> Quotient:
        out = settled(plain_output(f(*map_leaves(_copied, args)), f))
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
    return Quotient(*(np.stack([getattr(part, name) for part in parts], -1).reshape(dims)
                      for name in ("value", "error", "step")))  # fmt: skip


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
    found, xs = quotients(f, wrt, args)
    return (_put_together((_as_number(q.value) for q in found), xs),
            _put_together((_as_number(q.error) for q in found), xs))  # fmt: skip


def _as_number(x: Any) -> Any:
    return x if np.ndim(x) else x.item()


# ---------------------------------------------------------------------------------------- the checks


def allowed(quotient: Quotient, precision: float, relative: float = RELATIVE) -> Values:
    """Return how far a derivative computed with ``precision`` (the eps of its type) may be from the quotient."""
    value = np.abs(quotient.value)
    rounding = 16 * precision * np.max(value, initial=0.0, where=np.isfinite(value)) if precision > 1e-10 else 0.0
    return np.asarray(max(relative, 100 * precision) * value + 4 * quotient.error + rounding)


def close(found: Any, expected: Any, within: Any) -> NDArray[np.bool_]:
    """Return where two values agree: equal (infinite ones too), both NaN, or no further apart than ``within``."""
    with np.errstate(invalid="ignore"):
        near = np.abs(found - expected) <= within
    return np.asarray(near & np.isfinite(expected) | (found == expected) | (np.isnan(found) & np.isnan(expected)))


def check_derivative(f: Callable[..., Any], wrt: Which, args: Sequence[Any], suspect: Any) -> bool:
    """Return whether ``suspect`` is the partial ∂f/∂args[wrt] at ``args``, judged by difference quotients.

    It is if every element lies within 1e-7 of the quotient, relatively, or within four times the quotient's error. At a
    kink, any slope between the one-sided ones passes. Where f is not finite NaN passes, and nothing else; where the
    derivative is infinite, that infinity. A suspect of less than double precision has 100 of its eps instead of 1e-7.

    Raises ValueError for a suspect of another shape or structure than the derivative's, even one that broadcasts,
    TypeError for one that is no number or array, and what `autodiff.derivative` raises for wrong arguments.

    >>> check_derivative(lambda x, y: x * y**2, 1, [3.0, 2.0], 12.0)
    True
    >>> check_derivative(lambda x, y: x * y**2, 1, [3.0, 2.0], 12.00001)
    False
    """
    found, xs = quotients(f, wrt, args)
    return _confirmed(suspect, iter(found), xs, "suspect")


def check_gradient(f: Callable[..., Any], args: Sequence[Any], suspect: Sequence[Any]) -> bool:
    """Return whether ``suspect``, a sequence of partials, one per argument, is the gradient of a scalar ``f``.

    Tolerance as `autodiff.check_derivative`'s. Raises ValueError where the number of partials, the shape or the
    structure of one is another than the argument's, TypeError where f returns an array.

    >>> check_gradient(lambda x, y: x * y**2, [3.0, 2.0], [4.0, 12.0])
    True
    """
    args = arguments(f, args)
    if isinstance(suspect, (str, dict)) or not hasattr(suspect, "__len__"):
        raise TypeError(f"suspect is a sequence of partials, one per argument; got {type(suspect).__name__}")
    if len(suspect) != len(args):
        raise ValueError(f"suspect has {len(suspect)} partials, the function was given {len(args)} argument(s)")

    def scalar(*xs: Any) -> Any:
        return scalar_output(f(*xs), f)

    parts = [quotients(scalar, k, args) for k in range(len(args))]
    return all(_confirmed(part, iter(found), xs, f"suspect[{k}]")
               for k, (part, (found, xs)) in enumerate(zip(suspect, parts, strict=True)))  # fmt: skip


def _confirmed(suspect: Any, found: Iterator[Quotient], xs: list[Any], name: str) -> bool:
    """Return whether every part of ``suspect`` agrees with its quotient; as `quotients` they and ``xs``."""
    if not xs:
        return _agrees(suspect, next(found), name)
    kind = kind_of(xs[0])
    if kind is None:
        return _confirmed(suspect, found, xs[1:], name)
    given = kind.matched(suspect, xs[0])
    if given is None and (isinstance(suspect, Sequence) or np.ndim(suspect)):
        given = kind.matched(list(suspect), xs[0])
    if given is None:
        raise ValueError(f"{name} has not the structure of the derivative: {kind.needed(xs[0])} is needed")
    named = zip(given, kind.parts(xs[0]), kind.paths(xs[0]), strict=True)
    return all(_confirmed(part, found, [x, *xs[1:]], name + path) for part, x, path in named)


def _agrees(suspect: Any, quotient: Quotient, name: str) -> bool:
    """Return whether a number or array is the derivative that a quotient is near."""
    value = np.asarray(suspect)
    if value.dtype.kind not in "fciub":
        raise TypeError(f"{name} is a number or array of numbers, not {type(suspect).__name__}: {suspect!r}")
    if value.shape != quotient.value.shape:
        raise ValueError(f"{name} has shape {value.shape}, the derivative has shape {quotient.value.shape}")
    precision = float(np.finfo(value.dtype).eps) if value.dtype.kind in "fc" else 0.0
    return bool(np.all(close(value, quotient.value, allowed(quotient, precision))))
