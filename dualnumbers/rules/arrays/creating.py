"""Arrays that are made: evenly spaced between two ends, and filled, like another array or ``like=`` one."""

from typing import Any

import numpy as np

from ...foreign import as_like, has_no_strides, one_of
from ...forms import asked, dtype_of, shape, type_of
from ...levels import is_lazy, is_number, level_of
from ...table import BY_NUMPY, composition, linear, smooth
from ..axes import rank
from ..elementwise.powers import power
from ..reductions import sum
from ..shaping import array, arrays, broadcast_to, cast, copied, expand_dims, in_common
from .inspecting import READING


def _weights(z, num, endpoint, axis):
    """Return how far places are from the first end, 0, to the second, 1; along ``axis`` of a result ``z``."""
    weights = np.linspace(0.0, 1.0, num, endpoint)
    return as_like(np.moveaxis(weights.reshape((num,) + (1,) * (rank(z) - 1)), 0, axis), z)


def _layers(x, z, axis):
    """Return a value for every pair of ends, with an axis for the numbers ``z`` between them."""
    axis %= rank(z)
    return expand_dims(broadcast_to(x, shape(z)[:axis] + shape(z)[axis + 1 :]), axis)


def _end_adjoint(second):
    def adjoint(g, start, stop, num, endpoint, axis):
        weights = _weights(g, num, endpoint, axis)
        return sum(g * (weights if second else 1.0 - weights), axis, False)

    return adjoint


@linear(_end_adjoint(False), _end_adjoint(True))
def _linspace(start, stop, num, endpoint, axis):
    if is_lazy(type(one_of((start, stop)))):  # Dask's is between two numbers of Python's
        start, stop = (np.expand_dims(x, axis) for x in np.broadcast_arrays(start, stop))
        weights = _weights(start, num, endpoint, axis)
        return np.where(weights == 1.0, stop, start + weights.astype(start.dtype) * (stop - start))
    return np.linspace(start, stop, num, endpoint, axis=axis)


@smooth(
    lambda dx, z, x, y, num, endpoint, axis: z * (1.0 - _weights(z, num, endpoint, axis)) * _layers(dx / x, z, axis),
    lambda dy, z, x, y, num, endpoint, axis: z * _weights(z, num, endpoint, axis) * _layers(dy / y, z, axis),
    needs=np.geomspace,
)
def _geomspace(start, stop, num, endpoint, axis):
    """zᵢ = x^(1−wᵢ) y^wᵢ."""
    return np.geomspace(start, stop, num, endpoint, axis=axis)


@composition(np.linspace, weak=True)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, *, axis=0):
    """Evenly spaced numbers from ``start`` to ``stop``; with ``retstep`` also their distance."""
    start, stop = in_common(arrays((start, stop)))
    z = _linspace(start, stop, num, endpoint, axis)
    z = BY_NUMPY[np.floor](z) if dtype is not None and np.issubdtype(dtype, np.integer) else z
    z = cast(z, dtype, "unsafe")
    parts = num - 1 if endpoint else num
    return (z, (stop - start) / parts if parts > 0 else np.nan) if retstep else z


@composition(np.logspace, weak=True)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, axis=0):
    """The powers of ``base``, a number or an array beside the two ends, with evenly spaced exponents."""
    start, stop = in_common(arrays((start, stop)))
    base = array(base)
    if shape(base):
        start = broadcast_to(start, np.broadcast_shapes(*map(shape, (start, stop, base))))
    exponents = _linspace(start, stop, num, endpoint, axis)
    z = power(_layers(base, exponents, axis) if shape(base) else base, exponents)
    return cast(z, dtype, "unsafe")


@composition(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, *, axis=0):
    """Numbers from ``start`` to ``stop``, each the same multiple of the one before."""
    z = _geomspace(start, stop, num, endpoint, axis)
    return cast(z, dtype, "unsafe")


# ------------------------------------------------------------------------------------------------- filled


def _filled(numpy_function):
    """zeros_like and its kin give an array of the prototype's kind, to be filled by assignment."""

    def fill(prototype, *arguments, **keywords):
        return prototype.constant(asked(numpy_function, prototype, *arguments, **keywords))

    BY_NUMPY[numpy_function] = fill
    READING.add(fill)


for _creator in (np.zeros_like, np.ones_like, np.empty_like):
    _filled(_creator)


def _like(numpy_function, a, *fill, order, **form):
    """Return a plain array like another; one of Dask, which tells no strides, in the order that it has."""
    return asked(numpy_function, a, *fill, **form, **({} if has_no_strides(type_of(a)) else {"order": order}))


@composition(np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """An array of the prototype's shape, each element ``fill_value``, which may carry a derivative."""
    if not is_number(type(fill_value)):
        return a.constant(_like(np.full_like, a, fill_value, order=order, dtype=dtype, shape=shape))
    z = max((a, fill_value), key=level_of).constant(_like(np.zeros_like, a, order=order, dtype=dtype, shape=shape))
    z[...] = fill_value
    return z


# ------------------------------------------------------------------------------------------------- like=

LIKE: dict[Any, Any] = {}
"""What a function of NumPy gives with ``like=x``: a function of ``x`` and of the other arguments."""


def _plain_of_kind(numpy_function):
    LIKE[numpy_function] = lambda x, *arguments, **keywords: x.constant(numpy_function(*arguments, **keywords))


for _maker in (np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.tri):
    _plain_of_kind(_maker)


def _array_of_kind(x, object, dtype=None, **options):
    z = array(object)
    if not is_number(type(z)):
        return x.constant(np.array(z, dtype, **options))
    return cast(copied(z, "K") if options.get("copy", True) else z, dtype, "unsafe")


def _full_of_kind(x, shape, fill_value, dtype=None, order="C", *, device=None):
    return full_like(x, fill_value, dtype or dtype_of(fill_value), order, shape=shape)


LIKE[np.array] = _array_of_kind
LIKE[np.asarray] = LIKE[np.asanyarray] = lambda x, a, dtype=None, **options: _array_of_kind(x, a, dtype, copy=None)
LIKE[np.full] = _full_of_kind
