"""Sums, products, quotients and remainders. Source: elementary calculus.

Each row: Python's function, NumPy's, then one partial per argument, as a function of the arguments and the output z.
"""

import math
import operator as op

import numpy as np

from ...forms import PYTHON, type_of
from ...table import BY_NUMPY, elementwise
from ..constants import degrees_per_radian, radians_per_degree
from ..domains import nonzero_second, off_half_steps, off_integers, off_powers_of_two, off_steps, whole_second
from ..step_functions import mantissa_scale, rint

add = elementwise(1.0, 1.0)(op.add, np.add)
subtract = elementwise(1.0, -1.0)(op.sub, np.subtract)
multiply = elementwise(lambda x, y, z: y, lambda x, y, z: x)(op.mul, np.multiply)
divide = elementwise(lambda x, y, z: 1.0 / y, lambda x, y, z: -z / y, domain=nonzero_second, singular=True)(
    op.truediv, np.divide
)
negative = elementwise(-1.0)(op.neg, np.negative)
positive = elementwise(1.0)(op.pos, np.positive)


def _whole_quotient(x, y, z):
    """−n of z = x − n y, from the output: x / y itself may round up to the next integer."""
    return -rint((x - z) / y)


mod = elementwise(1.0, _whole_quotient, domain=off_steps, name="mod", singular=True)(op.mod, np.remainder)
fmod = elementwise(1.0, _whole_quotient, domain=off_steps, singular=True)(math.fmod, np.fmod)
remainder = elementwise(1.0, _whole_quotient, domain=off_half_steps, singular=True)(math.remainder)
quotient_and_rest = elementwise(
    (None, 1.0), (None, lambda x, y, z: _whole_quotient(x, y, z[1])), domain=off_steps, singular=True
)(divmod, np.divmod)


def _unfused(x, y, w):
    """x y + w rounded twice, where Python has no ``math.fma`` (before 3.13), and of arrays."""
    return x * y + w


ldexp = elementwise(lambda x, i, z: 2.0**i, 0.0, domain=whole_second)(math.ldexp, np.ldexp)
frexp = elementwise((lambda x, z: mantissa_scale(x), None), domain=off_powers_of_two)(math.frexp, np.frexp)
modf = elementwise((1.0, None), domain=off_integers)(math.modf, np.modf)
fma = elementwise(lambda x, y, w, z: y, lambda x, y, w, z: x, 1.0, name="fma")(getattr(math, "fma", _unfused), _unfused)
nextafter = elementwise(1.0, 0.0)(math.nextafter, np.nextafter)
degrees = elementwise(lambda x, z: degrees_per_radian(x))(math.degrees, np.degrees)
radians = elementwise(lambda x, z: radians_per_degree(x))(math.radians, np.radians)
BY_NUMPY[np.deg2rad], BY_NUMPY[np.rad2deg] = BY_NUMPY[np.radians], BY_NUMPY[np.degrees]


def _item(x):
    """Return a scalar of NumPy's as a number of Python's; an array as it is."""
    if x.shape:
        return +x
    return complex(x) if x.dtype.kind == "c" else float(x) if x.dtype.kind == "f" else x.item()


python_number = elementwise(1.0, name="_python_number", shown="float")(
    lambda x: x if type(x) is complex else float(x), _item
)
numpy_scalar = elementwise(1.0, name="_numpy_scalar", shown="numpy_scalar")(
    lambda x: np.complex128(x) if type(x) is complex else np.float64(x), lambda x: +x
)


def as_numpy(x):
    """Return a number, where it is one of Python's, as NumPy's functions give it."""
    return numpy_scalar(x) if type_of(x) in PYTHON else x
