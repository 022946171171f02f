"""Sums, products, quotients and remainders. Source: elementary calculus.

Each row: Python's function, NumPy's, then one partial per argument, as a function of the arguments and the output z.
"""

import math
import operator as op

import numpy as np

from ..elementary import PYTHON, elementwise
from ..forms import type_of
from .constants import degrees_per_radian, radians_per_degree
from .domains import nonzero_second, off_half_steps, off_integers, off_powers_of_two, off_steps, whole_second
from .steps import mantissa_scale, rint

add = elementwise(op.add, np.add, 1.0, 1.0, operator=True)
subtract = elementwise(op.sub, np.subtract, 1.0, -1.0, operator=True)
multiply = elementwise(op.mul, np.multiply, lambda x, y, z: y, lambda x, y, z: x, operator=True)
divide = elementwise(op.truediv, np.divide, lambda x, y, z: 1.0 / y, lambda x, y, z: -z / y,
                     domain=nonzero_second, singular=True, operator=True)  # fmt: skip
negative = elementwise(op.neg, np.negative, -1.0, operator=True)
positive = elementwise(op.pos, np.positive, 1.0, operator=True)


def _whole_quotient(x, y, z):
    """−n of z = x − n y, from the output: x / y itself may round up to the next integer."""
    return -rint((x - z) / y)


mod = elementwise(op.mod, np.remainder, 1.0, _whole_quotient, domain=off_steps, name="mod", singular=True,
                  operator=True)  # fmt: skip
fmod = elementwise(math.fmod, np.fmod, 1.0, _whole_quotient, domain=off_steps, singular=True)
remainder = elementwise(math.remainder, None, 1.0, _whole_quotient, domain=off_half_steps, singular=True)


def _unfused(x, y, w):
    """x y + w rounded twice, where Python has no ``math.fma`` (before 3.13), and of arrays."""
    return x * y + w


ldexp = elementwise(math.ldexp, np.ldexp, lambda x, i, z: 2.0**i, 0.0, domain=whole_second)
mantissa = elementwise(lambda x: math.frexp(x)[0], lambda x: np.frexp(x)[0], lambda x, z: mantissa_scale(x),
                       name="mantissa", domain=off_powers_of_two)  # fmt: skip
fraction = elementwise(lambda x: math.modf(x)[0], lambda x: np.modf(x)[0], 1.0, name="fraction", domain=off_integers)
fma = elementwise(getattr(math, "fma", _unfused), _unfused, lambda x, y, w, z: y, lambda x, y, w, z: x, 1.0, name="fma")
nextafter = elementwise(math.nextafter, np.nextafter, 1.0, 0.0)
degrees = elementwise(math.degrees, np.degrees, lambda x, z: degrees_per_radian(x))
radians = elementwise(math.radians, np.radians, lambda x, z: radians_per_degree(x))


def _item(x):
    """A scalar of NumPy's as a number of Python's; an array as it is."""
    if x.shape:
        return +x
    return complex(x) if x.dtype.kind == "c" else float(x) if x.dtype.kind == "f" else x.item()


python_number = elementwise(lambda x: x if type(x) is complex else float(x), _item, 1.0, name="_python_number",
                            shown="float")  # fmt: skip
numpy_scalar = elementwise(lambda x: np.complex128(x) if type(x) is complex else np.float64(x), lambda x: +x, 1.0,
                           name="_numpy_scalar", shown="numpy_scalar")  # fmt: skip


def as_numpy(x):
    """A number, where it is one of Python's, as NumPy's functions give it."""
    return numpy_scalar(x) if type_of(x) in PYTHON else x
