"""Irrational constants in the precision of an argument: a Python float would cost a ``longdouble`` its last digits."""

import math
from functools import partial

import numpy as np

from ..forms import dtype_of, type_of
from ..messages.errors import user_line
from ..number_types import number_type, wrapped


def constant(value, extended):
    """Return the function that gives ``value`` for any x, but for a longdouble, or a number of another type, its own.

    That is ``extended(kind, function)``: ``kind`` makes such a number of an int, ``function("log")`` is its logarithm.
    """

    def beside(x):
        if type(x) is float:
            return value
        own = number_type(type_of(x))
        if own is not None:
            return wrapped(extended(own.exact, partial(_needed, own, type_of(x))))
        return extended(np.longdouble, OF_LONG_DOUBLES.get) if dtype_of(x).char in "gG" else value

    return beside


def _needed(own, kind, name):
    found = own.function(name)
    if found is None:
        raise TypeError(f"{name} is not there for numbers of type {kind.__name__}, and this derivative needs it: give "
                        f"floats{user_line()}")  # fmt: skip
    return found


OF_LONG_DOUBLES = {"log": np.log, "sqrt": np.sqrt, "pi": np.arctan2(np.longdouble(0), np.longdouble(-1))}

ln2 = constant(math.log(2.0), lambda kind, function: function("log")(kind(2)))
ln10 = constant(math.log(10.0), lambda kind, function: function("log")(kind(10)))
log2e = constant(1.0 / math.log(2.0), lambda kind, function: 1 / function("log")(kind(2)))
log10e = constant(1.0 / math.log(10.0), lambda kind, function: 1 / function("log")(kind(10)))
DEGREE = math.pi / 180.0
degrees_per_radian = constant(180.0 / math.pi, lambda kind, function: 180 / function("pi"))
radians_per_degree = constant(DEGREE, lambda kind, function: function("pi") / 180)
two_by_root_pi = constant(2.0 / math.sqrt(math.pi), lambda kind, function: 2 / function("sqrt")(function("pi")))
