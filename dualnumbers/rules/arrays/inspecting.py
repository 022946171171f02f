"""Array functions that look at values or make plain ones: they carry no derivative."""

from functools import partial
from typing import Any

import numpy as np

from ...forms import asked, dtype_of
from ...levels import is_number, level_of, read
from ...table import BY_NUMPY, composition, locally_constant_of_arrays
from ..shaping import array, cast, copied


def _of_array(numpy_function):
    return locally_constant_of_arrays(
        of=numpy_function, call=lambda a, axis=None, *, keepdims=False: (a, axis, keepdims)
    )(lambda x, axis, keepdims: numpy_function(x, axis=axis, keepdims=keepdims))


def _of_chosen(numpy_function):
    return locally_constant_of_arrays(
        of=numpy_function, call=lambda a, axis=None, *, keepdims=False, where=True: (a, axis, keepdims, read(where))
    )(lambda x, axis, keepdims, where: numpy_function(x, axis=axis, keepdims=keepdims, where=where))


any = _of_chosen(np.any)
all = _of_chosen(np.all)
argmax = _of_array(np.argmax)
argmin = _of_array(np.argmin)
nanargmax = _of_array(np.nanargmax)
nanargmin = _of_array(np.nanargmin)
count_nonzero = _of_array(np.count_nonzero)


@locally_constant_of_arrays(
    of=np.argsort,
    call=lambda a, axis=-1, kind=None, order=None, *, stable=None: (a, axis, "stable" if stable else kind),
)
def argsort(x, axis, kind):
    return np.argsort(x, axis=axis, kind=kind)


@locally_constant_of_arrays(of=np.argpartition, call=lambda a, kth=0, axis=-1, kind="introselect": (a, read(kth), axis))
def argpartition(x, kth, axis):
    return np.argpartition(x, kth, axis=axis)


@locally_constant_of_arrays(of=np.lexsort, call=lambda keys, axis=-1: (array(keys), axis))
def lexsort(keys, axis):
    return np.lexsort(keys, axis=axis)


@locally_constant_of_arrays(2, of=np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    return np.searchsorted(a, v, side, sorter)


READING: set[Any] = set()
"""What functions of NumPy become that are given the plain values."""


def _of_form(numpy_function):
    """Asked of the forms of its arguments."""
    BY_NUMPY[numpy_function] = ask = partial(asked, numpy_function)
    READING.add(ask)


def _reading(numpy_function):
    """Called with the plain values of its arguments."""

    def reading(*arguments, **keywords):
        return numpy_function(*map(read, arguments), **{name: read(value) for name, value in keywords.items()})

    BY_NUMPY[numpy_function] = reading
    READING.add(reading)


for _function in (np.einsum_path, np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type,
                  np.can_cast, np.common_type, np.diag_indices_from, np.tril_indices_from, np.triu_indices_from,
                  np.shares_memory, np.may_share_memory):  # fmt: skip
    _of_form(_function)
for _reader in (np.min_scalar_type, np.isin, np.nonzero, np.flatnonzero, np.argwhere, np.digitize,
                  np.isclose, np.allclose, np.array_equal, np.array_equiv):  # fmt: skip
    _reading(_reader)


def _filled(numpy_function):
    """zeros_like and its kin give an array of the prototype's kind, to be filled by assignment."""

    def fill(prototype, *arguments, **keywords):
        return prototype.constant(asked(numpy_function, prototype, *arguments, **keywords))

    BY_NUMPY[numpy_function] = fill
    READING.add(fill)


for _creator in (np.zeros_like, np.ones_like, np.empty_like):
    _filled(_creator)


@composition(np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """An array of the prototype's shape, each element ``fill_value``, which may carry a derivative."""
    if not is_number(type(fill_value)):
        return a.constant(asked(np.full_like, a, fill_value, dtype, shape=shape))
    z = max((a, fill_value), key=lambda x: level_of(x).number).constant(asked(np.zeros_like, a, dtype, shape=shape))
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
    return full_like(x, fill_value, dtype or dtype_of(fill_value), shape=shape)


LIKE[np.array] = _array_of_kind
LIKE[np.asarray] = LIKE[np.asanyarray] = lambda x, a, dtype=None, **options: _array_of_kind(x, a, dtype, copy=None)
LIKE[np.full] = _full_of_kind
