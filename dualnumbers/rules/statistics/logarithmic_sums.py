"""Logarithms of sums of exponentials: the reduction of ``np.logaddexp``, softmax, its logarithm, cross entropy."""

import math
from functools import partial

import numpy as np

from ...foreign import as_array, as_like, is_foreign, largest
from ...forms import dtype_of, shape
from ...levels import known
from ...table import smooth
from ...table.batching import by_axis, by_stacks
from ...table.kinds import Smooth
from ..comparisons import equal, greater
from ..complexes import conj, real
from ..constants import ln2
from ..elementwise.exponential import exp, expm1
from ..elementwise.kinks import absolute
from ..indexing import getitem, scatter
from ..reductions import PLAIN, kept, mean, sum
from ..short_axes import by_columns, extreme, is_short
from ..strong import strong
from ..where import nowhere, where

WORTH = 1 << 11
"""Of fewer elements to choose some takes longer than `expm1` of all."""

NEAR = 32.0
"""Where the largest elements are from 0 to so much, the exponentials of a large array are added as they are."""

LARGE = 1 << 14
"""Of fewer elements a difference takes less time than to find out that none is needed."""

NARROW, FEW = 5, 1 << 8
"""Up to so many classes, and from so many elements on, softmax is computed by columns, to the same bits."""

MANY = 2.0
"""From so many times its largest term on a sum has the digits of its logarithm, and no term need be apart."""


_all = np.logical_and.reduce


def _are_finite(x):
    """Return whether all elements of an array are finite; of one number without NumPy."""
    return math.isfinite(x.item()) if x.size == 1 else _all(np.isfinite(x), None)


def _from_largest(x, axis):
    """Return the largest elements and the differences from them; None twice where some are not finite, or none is."""
    if type(x) is not np.ndarray or x.dtype.kind != "f" or not x.size or not x.ndim:
        return None, None
    peak = extreme(np.maximum.reduce, x, axis, True)
    return (peak, x - peak) if _are_finite(peak) else (None, None)


def _terms(x, axis, power=np.exp):
    """Return the largest elements, their terms bˣ, those of all and the sums of these, which have a factor in common.

    It is 1 or b to the power of less the largest, whose terms are 1 then. None where some of these are not finite.
    """
    if type(x) is np.ndarray and x.size >= LARGE and x.dtype.char in "fd" and x.ndim:
        peak = extreme(np.maximum.reduce, x, axis, True)
        if _all(peak >= 0.0, None) and _all(peak <= NEAR, None):
            terms = power(x)
            return peak, power(peak), terms, np.add.reduce(terms, axis, None, None, True)
    peak, terms = _from_largest(x, axis)
    if terms is None:
        return None
    power(terms, out=terms)
    return peak, 1.0, terms, np.add.reduce(terms, axis, None, None, True)


def _below_largest(x, axis):
    """Return the differences from the largest element, whose exponentials do not overflow; of integers, too."""
    _, below = _from_largest(x, axis)
    if below is not None:
        return below
    x = x + 0.0
    peak = largest(np.real(x), -np.inf, axis, True)
    return x - np.where(np.isfinite(peak), peak, 0.0).astype(peak.dtype)


def _beside_largest(dx, highest, axis):
    """Return the tangents less that of the element that has more than half of the weight, if one has.

    Weights whose sum is 1 lose nothing by it, and the one that may be 1 to the last bit meets a 0: else nothing is left
    of 1 − z where the others have e⁻⁴⁰.
    """
    return dx - sum(dx * highest, axis, True)


def _softmax_row(power, rate, name):
    """Return the row of bˣⁱ / Σ bˣᵏ, ``power`` the function bˣ, ``rate`` the logarithm of b.

    A row of its own, with the pull-back written out: half the time of the composition.
    """

    def value(x, axis=None):
        if is_short(x, axis, NARROW, FEW):
            return by_columns(value, x)  # along the first axis, which is not short
        usual = _terms(x, axis, power)
        if usual is not None:
            return np.divide(usual[2], usual[3], out=usual[2])
        weights = power(_below_largest(x, axis))
        return weights / np.sum(weights, axis=axis, keepdims=True)

    def push(dx, z, x, axis):
        """log b (diag z − z zᵀ) ẋ."""
        part = z * _beside_largest(rate(x) * dx, greater(absolute(known(z)), 0.5), axis)
        return part - z * sum(part, axis, True)

    def pull(g, z, x, axis):
        if is_short(z, axis, NARROW, FEW) and is_short(g, axis, NARROW, FEW) and z.shape == g.shape:
            return by_columns(lambda g, z, axis: push(g, z, z, axis), g, z)
        return push(g, conj(z), x, axis)

    return smooth(Smooth(push, pull), name=name, batched=by_axis(0))(value)


softmax = _softmax_row(np.exp, lambda x: 1.0, "softmax")
softmax2 = _softmax_row(np.exp2, ln2, "softmax2")


def _row(ufunc, weights, rate):
    """Return the row of ``ufunc.reduce``, ``rate`` the logarithm of the base."""

    def partials(z, x, axis):
        """Return the weights e^(x − z), whose derivatives cancel in that form; of −∞ alone 0, of +∞ equal shares."""
        z = kept(z, x, axis)
        empty, infinite = equal(z, -math.inf), equal(z, math.inf)
        found = where(empty, 0.0, weights(where(empty | infinite, 0.0, x), axis))
        if nowhere(infinite):
            return found
        largest = equal(x, math.inf) + 0.0
        return where(infinite, largest / where(infinite, sum(largest, axis, True), 1.0), found)

    def push(dx, z, x, axis, keepdims):
        return sum(strong(partials(z, x, axis), dx), axis, keepdims)

    def pull(g, z, x, axis, keepdims):
        return kept(g, x, axis) * conj(partials(z, x, axis))

    def value(x, axis, keepdims):
        if is_foreign(type(x)):  # NumPy alone reduces by it
            return log_sum_exp(rate * x, axis, keepdims) / rate
        return ufunc.reduce(x, axis=axis, keepdims=keepdims)

    return smooth(Smooth(push, pull), name=f"{ufunc.__name__}_reduce", batched=by_axis(0))(value)


logaddexp_reduce = _row(np.logaddexp, softmax, 1.0)
logaddexp2_reduce = _row(np.logaddexp2, softmax2, math.log(2.0))


def _log_softmax_push(dx, z, x, axis):
    """(I − 1 pᵀ) ẋ with p = exp z."""
    part = _beside_largest(dx, greater(real(known(z)), -math.log(2.0)), axis)
    return part - sum(exp(z) * part, axis, True)


def _log_softmax_pull(g, z, x, axis):
    """(I − p̄ 1ᵀ) z̄, the diagonal apart: there 1 − p keeps the digits."""
    z = conj(z)
    p = exp(z)
    return p * (g - sum(g, axis, True)) - _less_one(p, z) * g


def _less_one(p, z):
    """p − 1 of p = exp z; of a plain array by expm1, which takes longer than exp, only where p is above ½."""
    if type(p) is not np.ndarray or p.dtype.kind != "f" or p.size < WORTH:
        return expm1(z)
    rest, near = p - 1.0, p > 0.5
    rest[near] = np.expm1(z[near])
    return rest


@smooth(Smooth(_log_softmax_push, _log_softmax_pull), batched=by_axis(0))
def log_softmax(x, axis=None):
    """xᵢ − log Σ exp xₖ, the largest element apart: the logarithm of 1 + e⁻⁴⁰ would be 0."""
    peak, below = _from_largest(x, axis)
    x = _below_largest(x, axis) if below is None else below
    highest = x == 0
    terms = np.where(highest, 0.0, np.exp(x))
    if peak is not None:
        others = np.add.reduce(terms, axis, None, None, True)
        if np.count_nonzero(highest) == others.size:  # one in each sum
            return x - np.log1p(others)
    others = np.sum(terms, axis=axis, keepdims=True)
    others = others + (np.sum(highest, axis=axis, keepdims=True, dtype=x.dtype) - 1.0)
    with np.errstate(divide="ignore"):  # as SciPy's does, where all are −∞
        return x - np.log1p(others)


def _log_sum_push(dx, z, x, axis, keepdims):
    """Σ pᵢ ẋᵢ with p the softmax of x."""
    return sum(strong(softmax(x, axis), dx), axis, keepdims)


def _log_sum_pull(g, z, x, axis, keepdims):
    """x̄ᵢ = z̄ p̄ᵢ; of plain numbers e^(xᵢ − z) over the sum of these, for z has fewer digits where it is large."""
    if type(x) is np.ndarray and x.ndim and x.dtype.kind == "f" and type(g) in PLAIN and _all(np.isfinite(z), None):
        z = kept(z, x, axis) if type(z) is np.ndarray else z
        weights = x - z
        np.exp(weights, out=weights)
        return _pull_by_terms(weights, np.add.reduce(weights, axis, None, None, True), g)
    return kept(g, x, axis) * conj(softmax(x, axis))


def _pull_by_terms(terms, total, g):
    """x̄ᵢ = z̄ tᵢ / Σ tₖ, in the memory of the terms, which are e^xᵢ up to a common factor."""
    terms *= (g.reshape(total.shape) if type(g) is np.ndarray else g) / total
    return terms


def _with_pull(x, axis, keepdims):
    """Return log Σ exp xᵢ, and its pull-back by the terms of the sum; None in place of that where not all is finite."""
    x = as_array(x)
    usual = _terms(x, axis)
    if usual is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            z = _log_sum_of_any(x, axis)
        return (z if keepdims else np.squeeze(z, axis))[()], None
    peak, unit, terms, total = usual
    if total.item() >= MANY * unit if total.size == 1 else _all(total >= MANY * unit, None):
        z = peak + np.log(total) if type(unit) is float else np.log(total)
    else:
        highest = x == peak
        others = np.where(highest, 0.0, terms)
        if np.count_nonzero(highest) == total.size:  # one in each sum
            z = peak + np.log1p(np.add.reduce(others, axis, None, None, True) / unit)
        else:
            z = _apart(peak, unit, highest, others, total, axis)
    return (z if keepdims else z.squeeze(axis))[()], partial(_pull_by_terms, terms, total)


def _log_sum_of_any(x, axis):
    """log Σ exp xᵢ of any numbers, also where some are infinite."""
    peak = largest(x.real, -np.inf, axis, True)
    peak = np.where(np.isfinite(peak), peak, 0.0).astype(peak.dtype)
    terms, highest = np.exp(x - peak), x == peak
    return _apart(peak, 1.0, highest, np.where(highest, 0.0, terms), np.sum(terms, axis=axis, keepdims=True), axis)


def _apart(peak, unit, highest, others, total, axis):
    """Add the largest element's logarithm to that of the rest where it is alone, else to that of the whole sum."""
    alone, rest = (np.sum(part, axis=axis, keepdims=True) for part in (highest, others))
    return peak + np.where(alone == 1, np.log1p(rest / unit), np.log(np.where(alone == 1, 1.0, total / unit)))


@smooth(Smooth(_log_sum_push, _log_sum_pull, with_pull=_with_pull), batched=by_axis(0))
def log_sum_exp(x, axis, keepdims):
    """log Σ exp xᵢ, the largest element apart where it is alone: the logarithm of 1 + e⁻⁴⁰ would be 0."""
    return _with_pull(x, axis, keepdims)[0]


# ------------------------------------------------------------------------------------------- the loss of classes


def _at_classes(logs, classes):
    """Return of each point the element of its class, with the sign of a loss; the mean of these."""
    return -mean(getitem(logs, (..., np.arange(len(classes)), classes)), -1, False)


def _cross_entropy_push(dx, z, x, classes):
    """A point with NaN among its logarithms makes NaN of the loss where it moves itself, not where others do."""
    logs = log_softmax(x, -1)
    moved, lost = _log_softmax_push(dx, logs, x, -1), np.any(np.isnan(logs), axis=-1, keepdims=True)
    return _at_classes(moved if nowhere(lost) else where(lost, sum(strong(math.nan, dx), -1, True), moved), classes)


def _cross_entropy_pull(g, z, x, classes):
    """x̄ᵢ = z̄ (pᵢ − [i is the class]) / n, where 1 − p at the class, with all digits, is the sum of the other p."""
    pull = _cross_entropy_with_pull(x, classes)[1] if type(x) is np.ndarray and type(g) in PLAIN else None
    if pull is not None:
        return pull(g)
    n = len(classes)
    chosen = scatter(as_like(np.ones(n, dtype_of(x)), x), shape(x)[-2:], (np.arange(n), classes))
    others = softmax(x, -1) * (1.0 - chosen)
    return kept(g, x, (-2, -1)) * ((others - chosen * sum(others, -1, True)) / max(n, 1))


def _cross_entropy_with_pull(x, classes):
    """Return the loss and its pull-back, where x is finite: the terms that are not of the largest are added apart.

    With these, t, and their sum r, the one at the class c is 1 − p = (r + 1 − t) / (1 + r): 1 − t is 0 of the largest.
    """
    if type(x) is not np.ndarray or x.ndim != 2 or x.dtype.char not in "fd" or not x.size:
        return _at_classes(log_softmax(x, -1), classes), None
    rows, count = np.arange(0, x.size, x.shape[1]), len(x)
    highest, chosen = rows + x.argmax(-1), rows + classes.astype(np.intp, copy=False)  # in the order C, as one vector
    peak = x.take(highest)
    if not math.isfinite(np.add.reduce(peak)):  # as it is, too, of some that are too large to be added
        return _at_classes(log_softmax(x, -1), classes), None
    terms = np.subtract(x, peak[:, None], order="C")
    vector = terms.reshape(-1)
    below = vector.take(chosen)
    np.exp(terms, out=terms)
    own = vector.take(chosen)
    vector[highest] = 0.0
    others = np.add.reduce(terms, 1)
    vector[highest] = 1.0
    z = np.add.reduce(np.log1p(others) - below) / count

    def pull(g):
        vector[chosen] = (own - 1.0) - others
        return np.multiply(terms, (g / count / (1.0 + others))[:, None], out=terms)

    return z, pull


@smooth(Smooth(_cross_entropy_push, _cross_entropy_pull, with_pull=_cross_entropy_with_pull), batched=by_stacks(2))
def cross_entropy(x, classes):
    """The mean of −log softmax over points, the rows of x, each at its class: one line in place of four."""
    return _cross_entropy_with_pull(as_array(x), classes)[0]
