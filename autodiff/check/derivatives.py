"""Derivatives that somebody claims, judged by difference quotients: `check_derivative` and `check_gradient`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..calls.given import no_function
from ..calls.places import Which, arguments
from ..calls.structures import kind_of
from ..calls.values import scalar_output
from ..differences.quotients import quotients
from ..differences.tableau import Quotient, Values

RELATIVE = 1e-7
"""The relative tolerance of the checks: a derivative right to 7 digits passes, one wrong in the sixth does not."""


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
    if not callable(f):
        raise no_function("check_derivative(f, 0, [x], suspect)", f)
    found, xs = quotients(f, wrt, args)
    return _confirmed(suspect, iter(found), xs, "suspect")


def check_gradient(f: Callable[..., Any], args: Sequence[Any], suspect: Sequence[Any]) -> bool:
    """Return whether ``suspect``, a sequence of partials, one per argument, is the gradient of a scalar ``f``.

    Tolerance as `autodiff.check_derivative`'s. Raises ValueError where the number of partials, the shape or the
    structure of one is another than the argument's, TypeError where f returns an array.

    >>> check_gradient(lambda x, y: x * y**2, [3.0, 2.0], [4.0, 12.0])
    True
    """
    if not callable(f):
        raise no_function("check_gradient(f, [x], suspect)", f)
    args = arguments(f, args)
    if isinstance(suspect, (str, dict)) or not hasattr(suspect, "__len__"):
        raise TypeError(f"suspect is a sequence of partials, one per argument; got {type(suspect).__name__}")
    if len(suspect) != len(args):
        raise ValueError(f"suspect has {len(suspect)} partials, the function was given {len(args)} argument(s)")

    def scalar(*xs: Any) -> Any:
        return scalar_output(f(*xs), f)

    parts = [quotients(scalar, k, args) for k in range(len(args))]
    return all(
        _confirmed(part, iter(found), xs, f"suspect[{k}]")
        for k, (part, (found, xs)) in enumerate(zip(suspect, parts, strict=True))
    )


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
