"""The logarithm of a sum of exponentials along axes, the reduction of ``np.logaddexp``; and its gradient, softmax."""

import math

import numpy as np

from ..elementary import smooth
from .complexes import conj
from .exponential import exp, exp2
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


def _softmax(x, axis):
    """exp xᵢ / Σ exp xₖ, of the differences from the largest, which do not overflow."""
    largest = np.max(np.real(x), axis=axis, keepdims=True, initial=-np.inf)
    weights = np.exp(x - np.where(np.isfinite(largest), largest, 0.0).astype(largest.dtype))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def _softmax_push(dx, z, x, axis):
    """(diag z − z zᵀ) ẋ."""
    part = z * dx
    return part - z * sum(part, axis, True)


# a row of its own, with the pull-back of a symmetric matrix written out: half the time of the composition
softmax = smooth(None, lambda x, axis=None: (x, axis), _softmax_push, name="softmax", statics=1, evaluate=_softmax,
                 pulls=(lambda g, z, x, axis: _softmax_push(g, conj(z), x, axis),))  # fmt: skip
