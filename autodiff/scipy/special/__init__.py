"""The functions of ``scipy.special`` that are no ufuncs, for numbers; its ufuncs are differentiated as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as original

from dualnumbers.foreign import as_like, largest
from dualnumbers.forms import asked, dtype_of, shape, type_of
from dualnumbers.levels import holds_somewhere, is_lazy, known, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.elementwise.gamma import polygamma as polygamma_of_order
from dualnumbers.rules.statistics.logarithmic_sums import log_softmax as row_of_log_softmax
from dualnumbers.rules.statistics.logarithmic_sums import log_sum_exp
from dualnumbers.rules.statistics.logarithmic_sums import softmax as row_of_softmax
from dualnumbers.rules.stopping import stopped
from dualnumbers.rules.strong import strong
from dualnumbers.rules.where import nowhere

from ...calls.closures import holds_numbers
from ...tape.fast_paths import ACTIVE
from .._counterpart import Array, counterpart, counterpart_of_row, missing
from ._counting import comb, factorial, perm
from ._spherical import spherical_in, spherical_jn, spherical_kn, spherical_yn

__all__ = ["comb", "diric", "factorial", "log_softmax", "logsumexp", "multigammaln", "perm", "polygamma", "softmax",
           "spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]  # fmt: skip
__getattr__ = missing(__name__)


def _peak(a: Any, axis: Any) -> Any:
    """Return the largest element along the axes, 0 where it is infinite: the result does not depend on it."""
    values = stopped(a)
    peak = largest(values.real, -np.inf, axis, True)
    return np.where(np.isfinite(peak), peak, 0.0).astype(values.real.dtype)


@counterpart("special.logsumexp")
def logsumexp(a: Array, axis: Any = None, b: Array = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    """As ``scipy.special.logsumexp``: log Σ b exp(a), of real arrays, and with ``return_sign`` the sign of the sum.

    What is −∞ adds nothing and has the slope 0; where b is 0 the slope in a is 0 as well. Beside +∞ all else has the
    slope 0: the sum is the largest element there, which elements that are equal share.
    """
    if b is None and not return_sign and type(a) in ACTIVE and _is_usual(a.primal):
        z = log_sum_exp(a, axis, keepdims)
        if _is_finite(z):
            return z
    elif b is None and 0 not in shape(a) and not is_lazy(type_of(a)):
        with np.errstate(divide="ignore", invalid="ignore"):
            found = _of_finite(a, axis, b, keepdims, return_sign)
        if _is_finite(found[0] if return_sign else found):
            return found
    weights = 1.0 if b is None else known(b)
    x = np.broadcast_to(known(a), np.broadcast_shapes(shape(a), shape(weights)))
    empty = np.all(np.equal(x, -np.inf), axis=axis, keepdims=True)
    infinite = np.any(np.equal(x, np.inf) & np.not_equal(weights, 0), axis=axis, keepdims=True)
    apart = empty | infinite
    if nowhere(apart):
        return _of_finite(a, axis, b, keepdims, return_sign)
    inner = _of_finite(
        np.where(apart, 0.0, a), axis, b if b is None else np.where(apart, 1.0, b), keepdims, return_sign
    )
    outer = _of_infinite(a, axis, b, keepdims, return_sign)
    apart, empty = (part if keepdims else np.squeeze(part, axis=axis) for part in (apart, empty))
    if return_sign:
        value = np.where(apart, np.where(empty, -np.inf, outer[0]), inner[0])
        return value, np.where(apart, np.where(empty, 0.0, outer[1]), inner[1]).astype(inner[1].dtype)
    return np.where(apart, np.where(empty, -np.inf, outer), inner)


def _is_usual(x: Any) -> bool:
    """Return whether this is an array of NumPy's floats, with elements."""
    return type(x) is np.ndarray and x.size > 0 and x.dtype.kind == "f"


def _is_finite(z: Any) -> Any:
    """Return whether all of a sum's logarithms are finite: then so is the largest element of each."""
    z = known(z)
    return math.isfinite(z) if isinstance(z, float) else np.isfinite(z).all()


def _of_infinite(a: Any, axis: Any, b: Any, keepdims: bool, return_sign: bool) -> Any:
    """Return the logarithm of the sum where some element is +∞: of weights of both signs it is no number."""
    infinite = np.equal(a, np.inf)
    if b is None:
        largest = np.max(a, axis=axis, keepdims=keepdims)
        return (largest, np.ones(shape(largest))) if return_sign else largest
    largest = np.max(np.where(np.equal(b, 0), -np.inf, a), axis=axis, keepdims=keepdims)
    used = infinite & np.not_equal(b, 0)
    with np.errstate(invalid="ignore"):
        sign = np.sign(np.sum(np.where(used, np.copysign(np.inf, read(b)), 0.0), axis=axis, keepdims=keepdims))
    total = np.sum(np.where(used, b, 0.0), axis=axis, keepdims=keepdims)
    proper = np.not_equal(sign, 0) & (np.equal(np.abs(sign), 1) if return_sign else np.greater(sign, 0))
    value = np.where(proper, largest + np.log(np.where(proper, np.abs(total), 1.0)), np.nan)
    return (value, sign) if return_sign else value


def _of_finite(a: Any, axis: Any, b: Any, keepdims: bool, return_sign: bool) -> Any:
    """Return it where the sum is finite; of positive weights with their logarithms, which does not cancel."""
    if b is None or nowhere(np.logical_not(np.greater(b, 0))):
        whole = dtype_of(a).kind != "f"
        z = log_sum_exp(a + np.log(b) if b is not None else a + 0.0 if whole else a, axis, keepdims)
        return (z, asked(np.ones_like, z)) if return_sign else z
    peak = _peak(np.where(np.equal(b, 0), -np.inf, read(a)), axis)
    back = peak if keepdims else np.squeeze(peak, axis=axis)
    with np.errstate(over="ignore", invalid="ignore"):  # of an element that does not count
        beyond = np.equal(b, 0) & np.isposinf(np.exp(read(a) - peak))
        terms = strong(np.exp(np.where(beyond, stopped(a), a) - peak), b)  # its slope is infinite in b, and 0 in a
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    return (np.log(np.abs(total)) + back, np.sign(read(total))) if return_sign else np.log(total) + back


softmax = counterpart_of_row("special.softmax", row_of_softmax)
log_softmax = counterpart_of_row("special.log_softmax", row_of_log_softmax)


@counterpart("special.polygamma")
def polygamma(n: Array, x: Array) -> Any:
    """As ``scipy.special.polygamma``; an array of orders is a derivative of its own at each place.

    Raises TypeError where an order carries a derivative, ValueError where it is no whole number from 0 on.
    """
    if holds_numbers(n):
        raise TypeError(f"polygamma has no derivative in its order n, a whole number{user_line()}")
    orders = np.unique(n)
    if np.any((orders < 0) | (orders != np.floor(orders))):
        raise ValueError(f"polygamma: the orders n are whole numbers that are not negative; got {n}")
    if len(orders) == 1:
        return polygamma_of_order(int(orders[0]))(x + as_like(np.zeros(np.shape(n)), x))
    return sum(np.where(np.equal(n, order), polygamma_of_order(int(order))(x), 0.0) for order in orders)


@counterpart("special.multigammaln")
def multigammaln(a: Array, d: int) -> Any:
    """As ``scipy.special.multigammaln``: log Γ_d(a) = d (d − 1)/4 log π + Σ log Γ(a − j/2), j = 0 … d − 1.

    Raises ValueError where a is not above (d − 1) / 2.
    """
    if holds_somewhere(known(a) <= 0.5 * (d - 1)):
        raise ValueError(f"multigammaln: condition a > 0.5 * (d-1) not met, d = {d}")
    terms = sum((original.gammaln(a - 0.5 * j) for j in range(1, d)), original.gammaln(a))
    return terms + 0.25 * d * (d - 1) * np.log(np.pi)


@counterpart("special.diric")
def diric(x: Array, n: Array) -> Any:
    """As ``scipy.special.diric``: sin(n x/2) / (n sin(x/2)), as a sum of cosines, which has no quotient of zeros.

    Raises ValueError where n is no positive whole number.
    """
    n = read(n)
    if np.ndim(n) or n != int(n) or n < 1:
        raise ValueError(f"diric: n is one positive whole number here, not {n}")
    n = int(n)
    return sum(np.cos((k - 0.5 * (n - 1)) * x) for k in range(n)) / n
