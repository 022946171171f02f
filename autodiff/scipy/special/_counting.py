"""``comb``, ``perm`` and ``factorial`` of ``scipy.special``, as the functions of real numbers that they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as original

from dualnumbers.levels import is_number, known

from .._counterpart import Array, counterpart


def _whole_numbers(name: str, *arguments: Any, **keywords: Any) -> Any:
    """Return SciPy's exact count, which has no derivative."""
    if any(is_number(type(x)) for x in arguments):
        raise TypeError(f"{name}: with exact=True it is of whole numbers and has no derivative; leave exact out")
    return getattr(original, name)(*arguments, exact=True, **keywords)


def _where(condition: Any, value: float, x: Any) -> Any:
    """Return ``value`` where the condition holds, else x: a number where that is one."""
    found = np.where(condition, value, x)
    return found[()] if isinstance(found, np.ndarray) else found


def _chosen(function: Any, total: Any, k: Any, first: Any) -> Any:
    """``function(first, k)``, 0 where there is nothing to choose."""
    n, m = known(total), known(k)
    none = np.greater(m, n) | np.less(n, 0) | np.less(m, 0)
    return _where(none, 0.0, function(_where(none, 1.0, first), _where(none, 0.0, k)))


@counterpart("special.comb")
def comb(N: Array, k: Array, *, exact: bool = False, repetition: bool = False) -> Any:
    """As ``scipy.special.comb``: N! / (k! (N − k)!) by gamma functions, 0 where k > N, N < 0 or k < 0."""
    if exact:
        return _whole_numbers("comb", N, k, repetition=repetition)
    if not repetition:
        return _chosen(original.binom, N, k, N)
    nothing = np.equal(N, 0) & np.equal(k, 0)
    return _where(nothing, 1.0, original.binom(_where(nothing, 1.0, np.add(N, k) - 1.0), k))


@counterpart("special.perm")
def perm(N: Array, k: Array, exact: bool = False) -> Any:
    """As ``scipy.special.perm``: N! / (N − k)! by gamma functions, 0 where k > N, N < 0 or k < 0."""
    return _whole_numbers("perm", N, k) if exact else _chosen(original.poch, N, k, np.subtract(N, k) + 1.0)


@counterpart("special.factorial")
def factorial(n: Array, exact: bool = False, extend: str = "zero") -> Any:
    """As ``scipy.special.factorial``: Γ(n + 1), 0 where n < 0.

    Raises ValueError for ``extend`` of another kind.
    """
    if exact:
        return _whole_numbers("factorial", n, extend=extend)
    if extend != "zero":
        raise ValueError(f"factorial: extend={extend!r} has no derivative here; scipy.special.gamma(n + 1) has")
    negative = np.less(n, 0)
    return _where(negative, 0.0, original.gamma(_where(negative, 0.0, n) + 1.0))
