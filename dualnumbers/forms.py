"""The form of a value, whatever kind of number it is: shape, type, order in memory. It is known without any value.

A rule may ask for a form wherever it likes. What it wants to know of *values* it computes by functions of the table, as
masks and places that are operands of what follows, or it reads them (`levels.read`).
"""

from __future__ import annotations

from math import nan, prod
from typing import Any

import numpy as np

from . import memory
from .foreign import is_foreign, is_unsized, laid_out
from .levels import is_lazy, is_number
from .levels import plain as _plain
from .number_types import alike, number_type

ndarray = np.ndarray
SCALARS = frozenset((float, np.float64, int, complex))

PYTHON = (int, float, complex)
"""Python's own numbers, whose type gives way to that of an array."""


def shape(x: Any) -> tuple[int, ...]:
    """Return the shape of a value of any kind."""
    kind = type(x)
    if kind is not ndarray:
        while is_number(kind):
            x = x.primal
            kind = type(x)
    if kind is ndarray:
        return x.shape  # type: ignore[no-any-return]
    return () if kind in SCALARS or number_type(kind) is not None else _with_one_nan(np.shape(x))


def _with_one_nan(dims: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a shape whose lengths that Dask does not know yet are all the same NaN: so a shape equals itself."""
    return tuple([n if n == n else nan for n in dims])


def size(x: Any) -> int:
    """Return how many elements a value has."""
    return prod(shape(x))


def type_of(x: Any) -> type:
    """Return the type of the plain value: float, np.float64, np.ndarray …"""
    return type(_plain(x))


def is_alike(x: Any, y: Any) -> bool:
    """Return whether two values have one type, and arrays one shape and dtype."""
    x, y = _plain(x), _plain(y)
    kind = type(x)
    if kind is not type(y):
        return False
    return kind in (float, np.float64) or (kind is np.ndarray and x.shape == y.shape and x.dtype == y.dtype)


def dtype_of(x: Any) -> Any:
    """Return the dtype of the elements; of Python's numbers and of a list that which NumPy gives them.

    Of a number of another type (`number_types`) it is that of a float, in whose place it stands.
    """
    value = _plain(x)
    if number_type(type(value)) is not None:
        return np.dtype(float)
    known = isinstance(value, (np.ndarray, np.generic)) or is_foreign(type(value))
    return value.dtype if known else np.asarray(value).dtype


def real_dtype_of(x: Any) -> Any:
    """Return the dtype of the real parts of the elements."""
    dtype = dtype_of(x)
    return np.finfo(dtype).dtype if dtype.kind == "c" else dtype


def asked(numpy_function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Ask a NumPy function that looks at forms alone, as np.result_type or zeros_like, about values of any kind."""
    return numpy_function(*map(_plain, arguments), **{name: _plain(x) for name, x in keywords.items()})


def form_of(x: Any) -> Any:
    """Return the plain value, but of a lazy array one of NumPy's of its form: NumPy would have it computed."""
    x = _plain(x)
    return laid_out(x) if is_lazy(type(x)) and not is_unsized(x) else x


def zeros_like(x: Any) -> Any:
    """Return a plain zero in the space of ``x``: its shape and type."""
    value = _plain(x)
    if isinstance(value, (*PYTHON, np.generic)):
        return type(value)(0)
    return np.zeros_like(value) if number_type(type(value)) is None else alike(0, type(value))


def is_unreal(x: Any) -> bool:
    """Return whether a value is of a complex type."""
    kind = type(x)
    if kind is not ndarray:
        while is_number(kind):
            x = x.primal
            kind = type(x)
    if kind is ndarray:
        return bool(x.dtype.kind == "c")
    return kind is not float and (isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "f") == "c")


def is_array(x: Any) -> bool:
    """Return whether a value is an array, also one of no axes, and no scalar."""
    value = _plain(x)
    return isinstance(value, np.ndarray) or is_foreign(type(value))


def flags(x: Any) -> Any:
    """Return how a value lies in memory, and whether it may be written to: the flags of an array."""
    return laid_out(_plain(x)).flags


def lies_along(x: Any, axes: tuple[int, ...]) -> bool:
    """Return whether the elements lie one after the other where the axes are taken in this order."""
    return bool(np.transpose(laid_out(_plain(x)), axes).flags.c_contiguous)


def axes_in_memory(x: Any) -> tuple[int, ...]:
    """Return the axes from that of the farthest elements to that of the nearest, as NumPy's order K has them."""
    return memory.axes_by_stride(laid_out(_plain(x)))


def numbered(x: Any, parts: bool = False) -> Any:
    """Return `memory.numbered` of an array of any kind: each element's number, 0, 1, …, laid out as the array is."""
    return memory.numbered(laid_out(_plain(x)), parts)
