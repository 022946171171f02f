"""Irrational constants in the precision of an argument: a Python float would cost a ``longdouble`` its last digits."""

import math

import numpy as np

from ..forms import dtype_of


def constant(value, extended):
    """Return the function that gives ``value`` for any x, but ``extended(np.longdouble)`` for a longdouble."""

    def beside(x):
        return extended(np.longdouble) if dtype_of(x).char in "gG" else value

    return beside


def _pi(kind):
    return np.arctan2(kind(0), kind(-1))


ln2 = constant(math.log(2.0), lambda kind: np.log(kind(2)))
ln10 = constant(math.log(10.0), lambda kind: np.log(kind(10)))
log2e = constant(1.0 / math.log(2.0), lambda kind: 1 / np.log(kind(2)))
log10e = constant(1.0 / math.log(10.0), lambda kind: 1 / np.log(kind(10)))
DEGREE = math.pi / 180.0
degrees_per_radian = constant(180.0 / math.pi, lambda kind: 180 / _pi(kind))
radians_per_degree = constant(DEGREE, lambda kind: _pi(kind) / 180)
