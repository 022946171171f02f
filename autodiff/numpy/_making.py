"""Making arrays: of numbers with derivatives, and such as take them later."""

from __future__ import annotations

from inspect import unwrap
from itertools import islice
from types import FunctionType
from typing import Any

import numpy as np

from dualnumbers.forms import dtype_of, is_array, shape
from dualnumbers.levels import is_number, plain, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.shaping import array as joined
from dualnumbers.rules.shaping import astype, cast, copied, expand_dims, in_order

from ._held import HOLDERS, held, holds_number
from ._holder import holder, keeping
from ._taking import as_array, within


def _giving_holders(function: Any) -> None:
    """Let a function that makes an array of plain arguments give a holder."""

    within(function)(lambda *arguments, **keywords: keeping(function(*arguments, **keywords)))


_function: Any
for _function in (np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.fromfunction, np.indices):
    _giving_holders(_function)


def _like(function: Any) -> None:
    """Let a function that makes an array of another one's shape and type take numbers and give a holder."""

    @within(function)
    def made(prototype: Any, *arguments: Any, **keywords: Any) -> Any:
        if isinstance(prototype, (list, tuple)):
            prototype = as_array(prototype)
        return keeping(function(plain(held(prototype)), *arguments, **keywords))


for _function in (np.zeros_like, np.ones_like, np.empty_like):
    _like(_function)


def _is_of_objects(dtype: Any) -> bool:
    return dtype is not None and np.dtype(dtype) == object


def _array(object: Any, dtype: Any, copy: Any, order: Any, ndmin: int = 0) -> Any:
    """Return an array of numbers, or a holder: the one given, where that is one and nothing else is asked for."""
    z = given = object if type(object) in HOLDERS else joined(object)
    copy = copy.value if isinstance(copy, np._CopyMode) else copy
    if not is_array(z):
        z = copied(z, "K")
    if dtype is not None and np.dtype(dtype) != z.dtype:
        z = z.astype(dtype) if type(z) in HOLDERS else cast(z, np.dtype(dtype), "unsafe")
    z = in_order(z, order or "K")
    if z is not object and copy is False:
        raise ValueError(f"Unable to avoid copy while creating an array as requested.{user_line()}")
    if z is given is object and copy is True:
        z = z.copy(order=order or "K")
    return expand_dims(z, tuple(range(ndmin - len(shape(z))))) if len(shape(z)) < ndmin else z


def _refuse(**others: Any) -> None:
    """Raise TypeError where an argument is given that means nothing to an array of numbers."""
    for name, value in others.items():
        if value not in (None, False, "cpu"):
            raise TypeError(f"{name}={value!r} is not for arrays of numbers with derivatives{user_line()}")


def _is_ours(x: Any, dtype: Any) -> bool:
    """Return whether an argument is made an array here and not by NumPy: a holder, or what holds numbers."""
    return (type(x) in HOLDERS or holds_number(x)) and not _is_of_objects(dtype)


@within(np.array)
def array(object: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", subok: bool = False,
          ndmin: int = 0, **others: Any) -> Any:  # fmt: skip
    """Make an array of its own, unless ``copy`` says otherwise. No subclass holds numbers."""
    if not _is_ours(object, dtype) or others.get("like") is not None:
        z = np.array(held(object), dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, **others)
        return keeping(z, object)
    _refuse(**others)
    return _array(object, dtype, copy, order, ndmin)


def _converting(function: Any) -> Any:
    """Let a function that makes an array of what may be none take numbers and holders."""

    @within(function)
    def made(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, **others: Any) -> Any:
        if not _is_ours(a, dtype) or others.get("like") is not None:
            return keeping(function(held(a), dtype, order, copy=copy, **others), a)
        _refuse(**others)
        return _array(a, dtype, copy, order)

    return made


asarray, asanyarray = _converting(np.asarray), _converting(np.asanyarray)


def _lying(function: Any, order: str, ndmin: int) -> None:
    """Let a function that makes an array lie in an order in memory take numbers and holders."""

    @within(function)
    def made(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
        if not _is_ours(a, dtype) or like is not None:
            return keeping(function(held(a), dtype, like=like), a)
        return _array(a, dtype, None, order, ndmin)


_lying(np.ascontiguousarray, "C", 1)
_lying(np.asfortranarray, "F", 0)


def _written_in_python(function: Any, **ours: Any) -> None:
    """Run the Python code of a NumPy function again with ``ours`` in place of what it calls, which is enough."""
    code = unwrap(function)
    again = FunctionType(code.__code__, {**code.__globals__, **ours}, code.__name__, code.__defaults__)
    again.__kwdefaults__ = code.__kwdefaults__
    within(function)(again)


_written_in_python(np.require, array=array, asanyarray=asanyarray)
_written_in_python(np.asarray_chkfinite, asarray=asarray)
_written_in_python(np.copy, array=array)


@within(np.full)
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    """Make an array of equal elements, or of the rows that a list gives, which may carry derivatives."""
    fill_value = as_array(fill_value)
    of = dtype_of(fill_value) if dtype is None else dtype
    z = holder(np.empty(shape, of, order))
    z[...] = fill_value
    return z if is_number(type(fill_value)) else keeping(z.primal)


@within(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None,
              *, device: Any = None) -> Any:  # fmt: skip
    """Make an array of another's shape and type with equal elements, which may carry derivatives."""
    fill_value, like = as_array(fill_value), plain(held(as_array(a)))
    z = holder(np.empty_like(like, dtype, order, subok, shape))
    z[...] = fill_value
    return z if is_number(type(fill_value)) else keeping(z.primal)


@within(np.arange)
def arange(*arguments: Any, **keywords: Any) -> Any:
    """Make evenly spaced numbers; by how many there are, the values of the limits decide."""
    if not any(is_number(type(x)) for x in (*arguments, *keywords.values())):
        return keeping(np.arange(*arguments, **keywords))
    steps = np.arange(*map(read, arguments), **{name: read(value) for name, value in keywords.items()})
    named = dict(zip(("start", "stop", "step") if len(arguments) > 1 else ("stop",), arguments, strict=False))
    named |= keywords
    z = named.get("start", 0) + np.arange(len(steps)) * named.get("step", 1)
    if not is_number(type(z)) or steps.dtype.kind not in "fc":
        return keeping(steps)
    z = astype(z, steps.dtype) if z.dtype != steps.dtype else z
    return z + (steps - read(z))  # exact, and NumPy's bits: it adds a step that is rounded to the spacing of the start


@within(np.fromiter)
def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """Make an array of what an iterable gives."""
    values = list(iter) if count < 0 else list(islice(iter, count))
    if len(values) < count:
        return np.fromiter([0.0] * len(values), float, count)  # its error
    if not holds_number(values):
        return keeping(np.fromiter(values, dtype, count))
    if any(map(shape, values)):
        raise ValueError("setting an array element with a sequence.")
    return _array(values, dtype, None, "C")
