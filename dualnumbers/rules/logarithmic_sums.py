"""The logarithm of a sum of exponentials along axes: the reduction of ``np.logaddexp``."""

import math

import numpy as np

from ..elementary import smooth
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
