"""Functions of NumPy that are no ufuncs: those that act element by element, and ufuncs with two results."""

import math
from functools import cache

import numpy as np

from ..elementary import BY_NUMPY, PYTHON, composition, elementwise, locally_constant, locally_constant_of_array, smooth
from ..levels import plain
from . import arithmetic
from .complexes import imag, is_unreal, real
from .constants import degrees_per_radian
from .domains import between
from .from_scipy import scipy_function
from .kinks import maximum, minimum, no_order, share
from .selection import where
from .steps import equal, isfinite, not_equal

for _alias, _ufunc in ((np.deg2rad, np.radians), (np.rad2deg, np.degrees), (np.fix, np.trunc)):
    BY_NUMPY[_alias] = BY_NUMPY[_ufunc]

# ------------------------------------------------------------------------------------------------- two results

exponent = locally_constant(lambda x: math.frexp(x)[1], lambda x: np.frexp(x)[1], name="exponent")


@composition(np.frexp)
def frexp(x):
    """Mantissa, which carries the derivative, and exponent: x = m · 2ᵉ."""
    return arithmetic.mantissa(x), exponent(x)


@composition(np.modf)
def modf(x):
    """Fractional part, which carries the derivative, and integral part, both with the sign of ``x``."""
    return arithmetic.fraction(x), BY_NUMPY[np.trunc](x)


@composition(np.divmod)
def divmod(x1, x2):
    """Quotient rounded down, and remainder, which carries the derivative."""
    return BY_NUMPY[np.floor_divide](x1, x2), BY_NUMPY[np.remainder](x1, x2)


# ------------------------------------------------------------------------------------------------- bounds

# the shares of minimum(maximum(x, a), b), so that it does not matter which of the two is written
_clip = elementwise(None, lambda x, a, b: np.clip(x, a, b),
                    lambda x, a, b, z: share(x, a) * share(b, maximum(x, a)),
                    lambda x, a, b, z: share(a, x) * share(b, maximum(x, a)),
                    lambda x, a, b, z: share(maximum(x, a), b),
                    name="clip", domain=between, singular=True, unreal=no_order)  # fmt: skip


@composition(np.clip)
def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    """The nearest number between the bounds; a bound that is None is absent. At a tie the two share equally."""
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError("clip takes each bound once: as a_min or min=, as a_max or max=")
    low, high = a_min if min is None else min, a_max if max is None else max
    if low is None:
        return +a if high is None else minimum(a, high)
    return maximum(a, low) if high is None else _clip(a, low, high)


def _finite_arguments(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        raise TypeError("np.nan_to_num with copy=False would write its argument: leave copy= away")
    return x, nan, posinf, neginf


def _finite_push(dx, z, x, *replacements):
    if is_unreal(x):
        return where(isfinite(real(x)), real(dx), 0.0) + 1j * where(isfinite(imag(x)), imag(dx), 0.0)
    return where(isfinite(x), dx, 0.0)


nan_to_num = smooth(np.nan_to_num, _finite_arguments, _finite_push, statics=3,
                    evaluate=lambda x, nan, posinf, neginf: np.nan_to_num(x, True, nan, posinf, neginf))  # fmt: skip


# ------------------------------------------------------------------------------------------------- steps


def _round(x, decimals):
    z = np.round(x, decimals)
    return z.item() if type(x) in PYTHON else z


round = locally_constant_of_array(np.round, lambda a, decimals=0: (a, decimals), _round)
BY_NUMPY[np.around] = BY_NUMPY[np.round]

isposinf = locally_constant(None, np.isposinf)
isneginf = locally_constant(None, np.isneginf)


@composition(np.isreal)
def isreal(x):
    """Where the imaginary part is 0."""
    return equal(imag(x), 0)


@composition(np.iscomplex)
def iscomplex(x):
    """Where the imaginary part is not 0."""
    return not_equal(imag(x), 0)


# ------------------------------------------------------------------------------------------------- complex numbers

_angle_of_real = locally_constant(None, lambda x: np.arctan2(0.0, x), name="angle_of_real")


@composition(np.angle)
def angle(z, deg=False):
    """The angle from the positive real axis, in (−π, π], in radians or degrees; of a real number 0 or π."""
    theta = BY_NUMPY[np.arctan2](imag(z), real(z)) if is_unreal(z) else _angle_of_real(z)
    return theta * degrees_per_radian(theta) if deg else theta


@composition(np.real_if_close)
def real_if_close(a, tol=100):
    """The real part, if every imaginary part is below ``tol`` units of rounding, or below ``tol`` itself up to 1."""
    return a if not is_unreal(a) or np.iscomplexobj(np.real_if_close(plain(a), tol)) else real(a)


# ------------------------------------------------------------------------------------------------- Bessel's I


@cache
def bessel_i(order):
    """The row of Iₙ, n = ``order``, the modified Bessel function. It needs SciPy. Source: NIST DLMF §10.29."""
    iv = scipy_function("special.iv")
    return elementwise(None, lambda x: iv(order, x),
                       lambda x, z: 0.5 * (bessel_i(order - 1)(x) + bessel_i(order + 1)(x)),
                       name=f"bessel_i_{order}", singular=True)  # fmt: skip


i0 = elementwise(None, lambda x: np.i0(x)[()], lambda x, z: bessel_i(1)(x), name="np_i0", singular=True)
BY_NUMPY[np.i0] = i0
