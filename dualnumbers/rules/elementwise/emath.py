"""NumPy's functions that leave the real line where they must: ``np.emath.sqrt(-1.0)`` is 1j."""

import numpy as np

from ...foreign import as_array
from ...forms import dtype_of, is_unreal
from ...levels import is_number, known
from ...table import BY_NUMPY, composition
from ..shaping import astype


def _widened(x, beyond):
    """``x``, as complex if ``beyond`` holds of any real element."""
    x = x if is_number(type(x)) else as_array(x)
    if is_unreal(x) or not np.any(beyond(known(x))):
        return x
    return astype(x, np.complex64 if dtype_of(x) == np.float32 else complex)


def _negative(x):
    return x < 0


def _outside_one(x):
    return np.abs(x) > 1


def _of_one(ufunc, emath, beyond):
    @composition(emath, by_values=True)
    def function(x):
        return BY_NUMPY[ufunc](_widened(x, beyond))

    return function


sqrt = _of_one(np.sqrt, np.emath.sqrt, _negative)
log = _of_one(np.log, np.emath.log, _negative)
log2 = _of_one(np.log2, np.emath.log2, _negative)
log10 = _of_one(np.log10, np.emath.log10, _negative)
arccos = _of_one(np.arccos, np.emath.arccos, _outside_one)
arcsin = _of_one(np.arcsin, np.emath.arcsin, _outside_one)
arctanh = _of_one(np.arctanh, np.emath.arctanh, _outside_one)


@composition(np.emath.logn, by_values=True)
def logn(n, x):
    """The logarithm of ``x`` to the base ``n``."""
    return log(x) / log(n)


@composition(np.emath.power, by_values=True)
def power(x, p):
    """``x`` to the power ``p``; complex where an ``x`` is negative."""
    return BY_NUMPY[np.power](_widened(x, _negative), p if is_number(type(p)) else as_array(p))
