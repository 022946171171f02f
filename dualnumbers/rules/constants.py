"""Irrational constants in the precision of an argument: a Python float would cost a ``longdouble`` its last digits."""

import math

import numpy as np

from ..forms import dtype_of, type_of
from ..number_types import number_type, wrapped


def constant(value, extended):
    """Return the function that gives ``value`` for any x, but for a longdouble, or a number of another type, its own.

    That is ``extended(kind, log)``: ``kind`` makes such a number of an int, ``log`` is its logarithm.
    """

    def beside(x):
        if type(x) is float:
            return value
        own = number_type(type_of(x))
        if own is not None:
            return wrapped(extended(own.exact, own.function("log")))
        return extended(np.longdouble, np.log) if dtype_of(x).char in "gG" else value

    return beside


def _pi(kind):
    return np.arctan2(kind(0), kind(-1))


ln2 = constant(math.log(2.0), lambda kind, log: log(kind(2)))
ln10 = constant(math.log(10.0), lambda kind, log: log(kind(10)))
log2e = constant(1.0 / math.log(2.0), lambda kind, log: 1 / log(kind(2)))
log10e = constant(1.0 / math.log(10.0), lambda kind, log: 1 / log(kind(10)))
DEGREE = math.pi / 180.0
degrees_per_radian = constant(180.0 / math.pi, lambda kind, log: 180 / _pi(kind))
radians_per_degree = constant(DEGREE, lambda kind, log: _pi(kind) / 180)
