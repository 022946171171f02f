"""Foreign arrays: those of CuPy, or Dask, or of whoever speaks NEP 13 and NEP 18, and is not NumPy.

Rules compute with them by NumPy's functions. What such a function does not do is here: to make an array like another,
to copy one, to tell how it lies in memory, to compare what two hold. Their elements may be out of NumPy's reach, on a
device; so nothing converts one by ``np.asarray``, which raises there or copies all of it.
"""

from __future__ import annotations

import sys
from functools import cache
from itertools import accumulate
from operator import getitem, mul, setitem
from typing import Any

import numpy as np

from .levels import is_lazy, is_number, plain
from .memory import detached


class _Foreign(dict[type, bool]):
    """type → is it an array of another library?"""

    def __missing__(self, kind: type) -> bool:
        other = not is_number(kind) and not issubclass(kind, (np.ndarray, np.generic))
        speaks = all(getattr(kind, f"__array_{name}__", None) is not None for name in ("ufunc", "function"))
        self[kind] = answer = other and speaks
        return answer


is_foreign = _Foreign().__getitem__
"""Whether a type is one of arrays of another library. Plain arrays beside them become such, or that library raises."""


class _Sparse(dict[type, bool]):
    """A table: type → True if it is a sparse matrix, SciPy's or of numbers, which is asked without loading SciPy."""

    def __missing__(self, kind: type) -> bool:
        names = {f"{base.__module__}.{base.__name__}" for base in kind.__mro__}
        self[kind] = answer = not names.isdisjoint(("scipy.sparse._base._spbase", "dualnumbers.sparse.formats.Stored"))
        return answer


is_sparse = _Sparse().__getitem__
"""Return whether a type is one of sparse arrays or matrices, SciPy's or of numbers."""


@cache
def lacks(kind: type, function: Any) -> bool:
    """Return whether Dask, of whose arrays a type is, has none for a function of NumPy's: then it computes them for it.

    Another library says so itself.
    """
    if not is_lazy(kind) or isinstance(function, np.ufunc):
        return False
    own: Any = sys.modules.get(".".join(kind.__module__.split(".")[:2]))
    for name in [*function.__module__.split(".")[1:], function.__name__]:
        own = getattr(own, name, None)
    return own in (None, function)


def as_array(x: Any, dtype: Any = None) -> Any:
    """Return a plain value as an array, of a type if that is given: a foreign one stays of its library."""
    if not is_foreign(type(x)):
        return np.asarray(x, dtype)
    return x if dtype is None or x.dtype == dtype else x.astype(dtype)


def as_like(x: Any, like: Any) -> Any:
    """Return a plain array as one of the library that ``like`` is of, a value of any kind; a number as it is."""
    like = plain(like)
    given = is_foreign(type(x)) or is_number(type(x))
    return np.asarray(x, like=like) if is_foreign(type(like)) and not given else x


def of_one_library(*xs: Any, dtype: Any = None) -> list[Any]:
    """Return plain values as arrays of one library: of the foreign one's among them, if there is one."""
    like = one_of(xs)
    return [as_like(as_array(x, dtype), like) for x in xs]


def with_numbers(xs: Any) -> Any:
    """Return values that are to be stacked, the numbers beside arrays of a library as its arrays."""
    like = one_of(xs)
    return [x if np.ndim(x) else as_like(as_array(x), like) for x in xs] if is_foreign(type(like)) else xs


def new_like(x: Any, shape: Any, dtype: Any) -> Any:
    """Return zeros of a shape and type, in a plain array of the library that ``x`` is of, a value of any kind."""
    x = plain(x)
    return np.zeros(shape, dtype=dtype, like=x) if is_foreign(type(x)) else np.zeros(shape, dtype)


def is_unsized(x: Any) -> bool:
    """Return whether nobody knows yet how many elements a value of any kind has: Dask's, that a mask chose."""
    x = plain(x)
    return is_lazy(type(x)) and any(n != n for n in x.shape)


def ones_like(x: Any) -> Any:
    """Return True for each element of an array of which `is_unsized` holds."""
    return np.logical_or(plain(x), True)


def copy_of(x: Any) -> Any:
    """Copy a plain array, so that it lies in memory as before. Dask, which tells no strides, has no ``np.copy``."""
    if not is_foreign(type(x)):
        return detached(x)
    return np.copy(x) if hasattr(x, "strides") else x.copy()


def elements_of(x: Any, index: Any) -> Any:
    """Return ``x[index]`` of a foreign array; where Dask has no such index, the whole array is read by one task."""
    try:
        return _checked(x, index)[index]
    except Exception:  # whatever it is that a library raises of an index that NumPy may take
        if not _has_known_places(x, index):
            raise
    pairs = zip(_shape_at(x, index, 1), _shape_at(x, index, 2), strict=True)
    return _in_one_task(getitem, tuple(n if n == m else np.nan for n, m in pairs), x.dtype, x, index)


def assign(x: Any, index: Any, v: Any) -> None:
    """Do ``x[index] = v``; where Dask cannot, by one task that has the whole arrays."""
    try:
        _checked(x, index)[index] = v
        return
    except Exception:  # as in `elements_of`
        if not is_lazy(type(x)) or is_unsized(x):
            raise
        if not is_unsized(v):
            if not _has_known_places(x, index):
                raise
            np.empty(_shape_at(x, index, 1), bool)[...] = np.broadcast_to(False, np.shape(v))  # does it fit?
    if x.size:  # Dask assigns nothing to what is empty
        x[...] = _in_one_task(_changed, x.shape, x.dtype, setitem, x, index, v)


def _changed(change: Any, x: Any, index: Any, v: Any) -> Any:
    x = np.array(x)
    change(x, index, v)
    return x


def _checked(x: Any, index: Any) -> Any:
    """Return an array that takes an index as NumPy does; NotImplementedError where its library is known not to."""
    if is_lazy(type(x)) and moved_to_front(index):
        raise NotImplementedError("Dask leaves axes where they are that NumPy puts in front of all")
    return x


def moved_to_front(index: Any) -> int:
    """Return how many axes come of the arrays in an index, if these stand apart: NumPy puts them in front of all."""
    if type(index) is slice or type(index) is int:
        return 0
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [as_array(part) for part in parts if not isinstance(part, (slice, type(None), type(Ellipsis)))]
    if not any(part.ndim for part in arrays):
        return 0
    places = [k for k, part in enumerate(parts) if not isinstance(part, (slice, type(None), type(Ellipsis)))]
    if places[-1] - places[0] + 1 == len(places):
        return 0
    return max(part.ndim if part.dtype.kind != "b" else 1 for part in arrays)


def _has_known_places(x: Any, index: Any) -> bool:
    """Return whether it is known, of a lazy array, how many elements an index chooses."""
    parts = index if isinstance(index, tuple) else (index,)
    masks = (is_lazy(type(part)) and part.dtype.kind == "b" for part in parts)
    return is_lazy(type(x)) and not is_unsized(x) and not any(masks)


def _shape_at(x: Any, index: Any, count: int) -> Any:
    """Return the shape of ``x[index]``, with ``count`` for a number of places in the index that nobody knows yet."""

    def known(part: Any) -> Any:
        if not is_lazy(type(part)):
            return part
        return np.broadcast_to(np.intp(0), tuple(count if n != n else n for n in part.shape))

    return laid_out(x)[tuple(map(known, index)) if isinstance(index, tuple) else known(index)].shape


def added_at(total: Any, index: Any, part: Any) -> None:
    """Add to elements of an array, to one that is chosen twice both; of Dask, which lacks that, by one task."""
    if not is_lazy(type(total)):
        np.add.at(total, index, part)
    elif total.size:
        total[...] = _in_one_task(_changed, total.shape, total.dtype, np.add.at, total, index, part)


def whole_along(x: Any, axis: int) -> Any:
    """Return an array, a lazy one with one chunk along an axis."""
    return x.rechunk({axis % x.ndim: -1}) if is_lazy(type(x)) else x


def along(function: Any, x: Any, axis: int, dtype: Any = None, **keywords: Any) -> Any:
    """Return a function of one axis at a lazy array, of the same shape, in a task for each block of the others."""
    return whole_along(x, axis).map_blocks(function, axis=axis, dtype=x.dtype if dtype is None else dtype, **keywords)


def same_values(x: Any, y: Any) -> bool:
    """Return whether two arrays are equal; lazy ones, where they are to be computed in the same way."""
    return holds_same(x, y) if is_lazy(type(x)) else bool(np.array_equal(x, y))


def _in_one_task(function: Any, shape: Any, dtype: Any, *given: Any) -> Any:
    """Return an array of Dask, of one chunk, that a function makes of whole arrays."""
    from dask.array import from_delayed
    from dask.delayed import delayed

    return from_delayed(delayed(function, pure=True)(*given), shape, dtype)


def one_of(xs: Any) -> Any:
    """Return a foreign array among some values, else the first of them: what to make new arrays like."""
    return next((x for x in xs if is_foreign(type(x))), xs[0])


def in_index(index: Any) -> Any:
    """Return a foreign array that an index has; None where it has none."""
    return one_of((None, *(index if isinstance(index, tuple) else (index,))))


def by_default(kind: type, /, **keywords: Any) -> dict[str, Any]:
    """Return the keywords of one of NumPy's functions for arrays of a type: of a foreign one, no default of NumPy's.

    A library that has the function may lack some of its keywords, as Dask's ``var`` has no ``where``.
    """
    if not is_foreign(kind):
        return keywords
    return {name: value for name, value in keywords.items() if value is not DEFAULTS.get(name, "none")}


DEFAULTS: dict[str, Any] = {"where": True, "keepdims": False, "dtype": None, "initial": None, "order": "C",
                            "rtol": None, "rcond": None, "hermitian": False, "mode": "raise", "axis": -1,
                            "kind": None}  # fmt: skip
"""What NumPy's functions take where a keyword is left out."""


def reshaped(x: Any, to: Any, order: str) -> Any:
    """Return a foreign array with another shape, by the order C alone: Dask's takes a tuple and no order.

    Nor does Dask's divide axes unevenly, unless they are one before, or take what is empty.
    """
    to = tuple(to) if isinstance(to, (tuple, list)) else (to,)
    if any(n != n for n in to):  # nobody knows yet how many elements there are to be
        return x
    if is_unsized(x) and -1 not in to:
        return _in_one_task(np.reshape, to, x.dtype, x, to)
    if 0 in x.shape:
        return np.zeros(np.empty(x.shape, bool).reshape(to).shape, dtype=x.dtype, like=x)
    if order != "C":
        return np.transpose(reshaped(np.transpose(x), to[::-1], "C"))
    try:
        return np.reshape(x if x.shape else x[np.newaxis], to)  # of no axes Dask makes none
    except NotImplementedError:
        return np.reshape(np.reshape(x, (-1,)), to)


def zero_padded(x: Any, widths: Any) -> Any:
    """Return an array with zeros around; what is empty Dask's own leaves to a division by 0."""
    if is_lazy(type(x)) and 0 in x.shape:
        return np.zeros(np.pad(np.empty(x.shape, bool), widths).shape, dtype=x.dtype, like=x)
    return np.pad(x, widths)


def largest(x: Any, least: float, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the largest elements of a real plain array, ``least`` where there is none."""
    if not is_foreign(type(x)):
        return np.max(x, axis=axis, keepdims=keepdims, initial=least)
    if 0 in x.shape:
        none = np.max(laid_out(x), axis=axis, keepdims=keepdims, initial=least)
        return np.zeros(none.shape, none.dtype, like=x) + least
    return np.maximum(np.max(x, axis=axis, keepdims=keepdims), least)  # neither Dask's nor CuPy's takes ``initial``


def laid_out(x: Any) -> Any:
    """Return an array of NumPy's that lies in memory as ``x`` does, of which no element is to be read.

    One of a library that tells no strides lies in the order C.
    """
    if not is_foreign(type(x)):
        return np.asarray(x)
    steps = [*accumulate(reversed(x.shape[1:]), mul, initial=x.dtype.itemsize)][::-1] if x.shape else []
    strides = getattr(x, "strides", None) or steps
    return np.lib.stride_tricks.as_strided(np.empty((), x.dtype), x.shape, strides)


def has_no_strides(kind: type) -> bool:
    """Return whether a type is one of arrays that tell no strides: nobody knows their order, and none is a view."""
    return is_foreign(kind) and not hasattr(kind, "strides")


def may_share_memory(x: Any, y: Any) -> bool:
    """Return whether two arrays may show the same elements; those of a library that tells no strides do not."""
    return hasattr(x, "strides") and bool(np.may_share_memory(x, y))


def holds_same(x: Any, y: Any) -> bool:
    """Return whether two arrays hold the same values, zeros of one sign among them, and NaN at the same places.

    Lazy ones do where they are to be computed in the same way: an assignment gives an array of Dask another name.
    """
    if is_lazy(type(x)):
        return bool(x.name == y.name)
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if x.dtype.kind == "c":
        return holds_same(x.real, y.real) and holds_same(x.imag, y.imag)
    if hasattr(x, "view"):  # of an array whose elements lie in memory, to be asked for their bits
        bits = f"i{x.dtype.itemsize}"
        return bool(np.array_equal(x.view(bits), y.view(bits)))
    same = (x == y) | ((x != x) & (y != y))
    return bool(np.all(same & (np.signbit(x) == np.signbit(y)) if x.dtype.kind == "f" else same))
