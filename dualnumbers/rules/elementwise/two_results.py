"""Functions with two results, one of which is constant between steps; further names of functions."""

import math

import numpy as np

from ...table import BY_NUMPY, composition, locally_constant
from . import arithmetic

for _alias, _ufunc in ((np.deg2rad, np.radians), (np.rad2deg, np.degrees), (np.fix, np.trunc)):
    BY_NUMPY[_alias] = BY_NUMPY[_ufunc]

exponent = locally_constant(name="exponent")(lambda x: math.frexp(x)[1], lambda x: np.frexp(x)[1])


@composition(np.frexp)
def frexp(x):
    """Mantissa, which carries the derivative, and exponent: x = m · 2ᵉ."""
    x = arithmetic.as_numpy(x)
    return arithmetic.mantissa(x), exponent(x)


@composition(np.modf)
def modf(x):
    """Fractional part, which carries the derivative, and integral part, both with the sign of ``x``."""
    return arithmetic.fraction(arithmetic.as_numpy(x)), BY_NUMPY[np.trunc](x)


@composition(np.divmod)
def divmod(x1, x2):
    """Quotient rounded down, and remainder, which carries the derivative."""
    return BY_NUMPY[np.floor_divide](x1, x2), BY_NUMPY[np.remainder](x1, x2)
