"""Making arrays: of numbers with derivatives, and such as take them later."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.levels import is_number, plain
from dualnumbers.rules.shaping import array as joined
from dualnumbers.rules.shaping import astype, cast, expand_dims, shape

from ..holder import held, holder, keeping
from ._taking import as_array, holds_number, within


def _giving_holders(function: Any) -> None:
    """A function that makes an array of plain arguments."""

    within(function)(lambda *arguments, **keywords: keeping(function(*arguments, **keywords)))


_function: Any
for _function in (np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.fromfunction, np.indices):
    _giving_holders(_function)


def _like(function: Any) -> None:
    """A function that makes an array of the shape and type of another one."""

    @within(function)
    def made(prototype: Any, *arguments: Any, **keywords: Any) -> Any:
        if isinstance(prototype, (list, tuple)):
            prototype = as_array(prototype)
        return keeping(function(plain(held(prototype)), *arguments, **keywords))


for _function in (np.zeros_like, np.ones_like, np.empty_like):
    _like(_function)


def _converting(function: Any) -> None:
    """A function that makes an array of what it is given."""

    @within(function)
    def made(object: Any, dtype: Any = None, *arguments: Any, **keywords: Any) -> Any:
        x = held(object)
        if holds_number(x) and not _is_of_objects(dtype):
            return _array(x, dtype, **{"copy": function is np.array, **keywords})
        z = function(x, dtype, *arguments, **keywords)
        return object if z is x else keeping(z, x)


def _is_of_objects(dtype: Any) -> bool:
    return dtype is not None and np.dtype(dtype) == object


def _array(object: Any, dtype: Any, copy: Any = None, ndmin: int = 0, **options: Any) -> Any:
    """An array of numbers: the one that was given, where that is one and no copy is asked for."""
    z = joined(object)
    if not isinstance(plain(z), np.ndarray):
        z = z.reshape(())
    elif (copy is True or copy is np._CopyMode.ALWAYS) and z is object:
        z = z.copy()
    if dtype is not None and np.dtype(dtype) != z.dtype:
        z = cast(z, np.dtype(dtype), "unsafe")
    return expand_dims(z, tuple(range(ndmin - len(shape(z))))) if len(shape(z)) < ndmin else z


for _function in (np.array, np.asarray, np.asanyarray):
    _converting(_function)


def _lying(x: Any, order: str) -> Any:
    """An array of numbers in this order: itself, or else a copy."""
    return x if x.flags[f"{order}_CONTIGUOUS"] else x.copy(order=order)


@within(np.ascontiguousarray)
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """An array of at least one axis, whose elements lie together in memory."""
    if holds_number(a):
        return _lying(_array(held(a), dtype, ndmin=1), "C")
    return np.ascontiguousarray(held(a), dtype, like=like)


@within(np.asfortranarray)
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """An array whose elements lie together in memory, the columns one after the other."""
    if holds_number(a):
        return _lying(_array(held(a), dtype), "F")
    return np.asfortranarray(held(a), dtype, like=like)


@within(np.require)
def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """An array of numbers, or a plain one that lies in memory as required."""
    if holds_number(a):
        return _array(held(a), dtype)
    return np.require(held(a), dtype, requirements, like=like)


@within(np.asarray_chkfinite)
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """An array; ValueError where an element is infinite or NaN."""
    if holds_number(a):
        z = _array(held(a), dtype)
        np.asarray_chkfinite(plain(z))
        return z
    return np.asarray_chkfinite(held(a), dtype, order)


@within(np.copy)
def copy(a: Any, order: Any = "K", subok: Any = False) -> Any:
    """An array of its own."""
    if not is_number(type(a)):
        a = as_array(a)
        return a if is_number(type(a)) else keeping(np.copy(a, order=order, subok=subok))
    return np.copy(a, order=order, subok=subok)


@within(np.full)
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    """An array of equal elements, or of the rows that a list gives, which may carry derivatives."""
    fill_value = as_array(fill_value)
    of = np.result_type(plain(fill_value)) if dtype is None else dtype
    z = holder(np.empty(shape, of, order))
    z[...] = fill_value
    return z if is_number(type(fill_value)) else keeping(z.primal)


@within(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None,
              *, device: Any = None) -> Any:  # fmt: skip
    """An array of another one's shape and type with equal elements, which may carry derivatives."""
    fill_value, like = as_array(fill_value), plain(held(as_array(a)))
    z = holder(np.empty_like(like, dtype, order, subok, shape))
    z[...] = fill_value
    return z if is_number(type(fill_value)) else keeping(z.primal)


@within(np.arange)
def arange(*arguments: Any, **keywords: Any) -> Any:
    """Evenly spaced numbers; by how many there are, the values of the limits decide."""
    if not any(is_number(type(x)) for x in (*arguments, *keywords.values())):
        return keeping(np.arange(*arguments, **keywords))
    steps = np.arange(*map(plain, arguments), **{name: plain(value) for name, value in keywords.items()})
    named = dict(zip(("start", "stop", "step") if len(arguments) > 1 else ("stop",), arguments, strict=False))
    named |= keywords
    z = named.get("start", 0) + np.arange(len(steps)) * named.get("step", 1)
    return astype(z, steps.dtype) if len(steps) and z.dtype != steps.dtype else z


@within(np.fromiter)
def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """The array of what an iterable gives."""
    values = [x for x, _ in zip(iter, range(count), strict=False)] if count >= 0 else list(iter)
    if holds_number(values):
        return _array(values, dtype)
    return keeping(np.fromiter(values, dtype, count))
