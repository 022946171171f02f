"""Logarithms of sums of exponentials along axes: the reduction of ``np.logaddexp``, softmax and its logarithm."""

import math

import numpy as np

from ..elementary import smooth
from .complexes import conj
from .exponential import exp, exp2, expm1
from .reductions import kept, sum
from .selection import where
from .steps import equal


def _row(ufunc, power):
    """The row of ``ufunc.reduce``."""

    def push(dx, z, x, axis, keepdims):
        """The mean of the tangents with the weights e^(x − z); of −∞ alone the weights are 0."""
        top = kept(z, x, axis)
        weights = power(where(equal(top, -math.inf), -math.inf, x - where(equal(top, -math.inf), 0.0, top)))
        return sum(dx * weights, axis, keepdims)

    return smooth(None, None, push, name=f"{ufunc.__name__}_reduce", statics=2,
                  evaluate=lambda x, axis, keepdims: ufunc.reduce(x, axis=axis, keepdims=keepdims))  # fmt: skip


logaddexp_reduce = _row(np.logaddexp, exp)
logaddexp2_reduce = _row(np.logaddexp2, exp2)


def _below_largest(x, axis):
    """The differences from the largest element, whose exponentials do not overflow; of integers, too."""
    x = x + 0.0
    largest = np.max(np.real(x), axis=axis, keepdims=True, initial=-np.inf)
    return x - np.where(np.isfinite(largest), largest, 0.0).astype(largest.dtype)


def _softmax(x, axis):
    """exp xᵢ / Σ exp xₖ."""
    weights = np.exp(_below_largest(x, axis))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def _softmax_push(dx, z, x, axis):
    """(diag z − z zᵀ) ẋ."""
    part = z * dx
    return part - z * sum(part, axis, True)


# rows of their own, with the pull-back written out: half the time of the composition
softmax = smooth(None, lambda x, axis=None: (x, axis), _softmax_push, name="softmax", statics=1, evaluate=_softmax,
                 pulls=(lambda g, z, x, axis: _softmax_push(g, conj(z), x, axis),))  # fmt: skip


def _log_softmax(x, axis):
    """xᵢ − log Σ exp xₖ, the largest element apart: the logarithm of 1 + e⁻⁴⁰ would be 0."""
    x = _below_largest(x, axis)
    largest = x == 0
    others = np.sum(np.where(largest, 0.0, np.exp(x)), axis=axis, keepdims=True)
    if np.count_nonzero(largest) != np.size(others) or not np.all(np.isfinite(x)):  # not one in each sum
        others = others + (np.sum(largest, axis=axis, keepdims=True, dtype=x.dtype) - 1.0)
    with np.errstate(divide="ignore"):  # as SciPy's does, where all are −∞
        return x - np.log1p(others)


def _log_softmax_push(dx, z, x, axis):
    """(I − 1 pᵀ) ẋ with p = exp z, the diagonal apart: there 1 − p keeps the digits."""
    part = exp(z) * dx
    return -expm1(z) * dx - (sum(part, axis, True) - part)


def _log_softmax_pull(g, z, x, axis):
    """(I − p̄ 1ᵀ) z̄, likewise."""
    z = conj(z)
    return -expm1(z) * g - exp(z) * (sum(g, axis, True) - g)


log_softmax = smooth(None, lambda x, axis=None: (x, axis), _log_softmax_push, name="log_softmax", statics=1,
                     evaluate=_log_softmax, pulls=(_log_softmax_pull,))  # fmt: skip
