"""Logarithms of sums of exponentials along axes: the reduction of ``np.logaddexp``, softmax and its logarithm."""

import math

import numpy as np

from ...foreign import as_array, largest
from ...levels import is_lazy, known
from ...table import smooth
from ...table.batching import by_axis
from ...table.kinds import Smooth
from ..comparisons import equal, greater
from ..complexes import conj, real
from ..constants import ln2
from ..elementwise.exponential import exp, expm1
from ..elementwise.extrema import absolute
from ..reductions import kept, sum
from ..where import where


def _below_largest(x, axis):
    """Return the differences from the largest element, whose exponentials do not overflow; of integers, too."""
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
        weights = power(_below_largest(x, axis))
        return weights / np.sum(weights, axis=axis, keepdims=True)

    def push(dx, z, x, axis):
        """log b (diag z − z zᵀ) ẋ."""
        part = z * _beside_largest(rate(x) * dx, greater(absolute(known(z)), 0.5), axis)
        return part - z * sum(part, axis, True)

    return smooth(Smooth(push, lambda g, z, x, axis: push(g, conj(z), x, axis)), name=name, batched=by_axis(0))(value)


softmax = _softmax_row(np.exp, lambda x: 1.0, "softmax")
softmax2 = _softmax_row(np.exp2, ln2, "softmax2")


def _row(ufunc, weights):
    """Return the row of ``ufunc.reduce``."""

    def partials(z, x, axis):
        """Return the weights e^(x − z), whose derivatives cancel in that form; of −∞ alone 0."""
        empty = equal(kept(z, x, axis), -math.inf)
        return where(empty, 0.0, weights(where(empty, 0.0, x), axis))

    def push(dx, z, x, axis, keepdims):
        return sum(dx * partials(z, x, axis), axis, keepdims)

    def pull(g, z, x, axis, keepdims):
        return kept(g, x, axis) * conj(partials(z, x, axis))

    return smooth(Smooth(push, pull), name=f"{ufunc.__name__}_reduce", batched=by_axis(0))(
        lambda x, axis, keepdims: ufunc.reduce(x, axis=axis, keepdims=keepdims)
    )


logaddexp_reduce = _row(np.logaddexp, softmax)
logaddexp2_reduce = _row(np.logaddexp2, softmax2)


def _log_softmax_push(dx, z, x, axis):
    """(I − 1 pᵀ) ẋ with p = exp z."""
    part = _beside_largest(dx, greater(real(known(z)), -math.log(2.0)), axis)
    return part - sum(exp(z) * part, axis, True)


def _log_softmax_pull(g, z, x, axis):
    """(I − p̄ 1ᵀ) z̄, the diagonal apart: there 1 − p keeps the digits."""
    z = conj(z)
    return -expm1(z) * g - exp(z) * (sum(g, axis, True) - g)


@smooth(Smooth(_log_softmax_push, _log_softmax_pull), batched=by_axis(0))
def log_softmax(x, axis=None):
    """xᵢ − log Σ exp xₖ, the largest element apart: the logarithm of 1 + e⁻⁴⁰ would be 0."""
    x = _below_largest(x, axis)
    highest = x == 0
    others = np.sum(np.where(highest, 0.0, np.exp(x)), axis=axis, keepdims=True)
    if is_lazy(type(x)) or np.count_nonzero(highest) != np.size(others) or not np.all(np.isfinite(x)):
        # not one in each sum
        others = others + (np.sum(highest, axis=axis, keepdims=True, dtype=x.dtype) - 1.0)
    with np.errstate(divide="ignore"):  # as SciPy's does, where all are −∞
        return x - np.log1p(others)


def _log_sum_push(dx, z, x, axis, keepdims):
    """Σ pᵢ ẋᵢ with p the softmax of x."""
    return sum(dx * softmax(x, axis), axis, keepdims)


def _log_sum_pull(g, z, x, axis, keepdims):
    """x̄ᵢ = z̄ p̄ᵢ."""
    return kept(g, x, axis) * conj(softmax(x, axis))


@smooth(Smooth(_log_sum_push, _log_sum_pull), batched=by_axis(0))
def log_sum_exp(x, axis, keepdims):
    """log Σ exp xᵢ, the largest elements apart: the logarithm of 1 + e⁻⁴⁰ would be 0."""
    x = as_array(x)
    peak = largest(x.real, -np.inf, axis, True)
    peak = np.where(np.isfinite(peak), peak, 0.0).astype(peak.dtype)
    terms, highest = np.exp(x - peak), x == peak
    count = np.sum(highest, axis=axis, keepdims=True).astype(peak.dtype)
    rest = np.sum(np.where(highest, 0.0, terms), axis=axis, keepdims=True)
    above = np.maximum(count, 1.0)
    z = peak + np.where(count > 0, np.log(above) + np.log1p(rest / above), np.log(np.where(count > 0, 1.0, rest)))
    return (z if keepdims else np.squeeze(z, axis))[()]
