"""How plain arrays lie in memory: copies that lie as the original does, and arrays that may be written in place.

Where NumPy makes a view, ``z.reshape(-1)`` say, depends on how ``z`` lies in memory. A copy that stands for the
caller's array must lie as that does, or a function would write to a view of the one and to a copy of the other.

>>> z = np.zeros((2, 3, 4)).transpose(1, 0, 2)
>>> z.strides, detached(z).strides, z.copy().strides
((32, 96, 8), (32, 96, 8), (64, 32, 8))

A value may be written in place, instead of copied, if nobody else can see it: if it has no more references than
its one holder and the variables of the code that asks (`is_free`). And the memory of freed arrays is held for the next
ones (`hold_freed_memory`).
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def detached(z: Array) -> Array:
    """Copy an array so that the copy lies in memory as it does, and NumPy makes views of the one as of the other.

    The order of the axes, their directions, and which of them lie together are the same; gaps are smaller.
    """
    if z.flags.forc:
        copy = z.copy("K")
        if copy.strides == z.strides:
            return copy
    copy = _lying_as(z)
    copy[...] = z
    return copy


def numbered(z: Array, parts: bool = False) -> Array:
    """Number the elements of an array, 0, 1, …, in an array that lies in memory as it does.

    With ``parts`` the two parts of a complex element have numbers of their own, those of real parts from 1 on, then
    those of imaginary parts; 0 stands for a part that a real number has not.
    """
    parts = parts and z.dtype.kind == "c"
    numbers = _lying_as(z, complex if parts else np.intp)
    numbers[...] = np.arange(z.size).reshape(z.shape)
    if parts:
        numbers.real += 1
        numbers.imag = numbers.real + z.size
    return numbers


def _lying_as(z: Array, dtype: Any = None) -> Array:
    """Make an empty array that lies in memory as ``z`` does."""
    dtype = z.dtype if dtype is None else np.dtype(dtype)
    place, size, strides = _compressed(z.shape, z.strides, z.itemsize, dtype.itemsize)
    return np.ndarray(z.shape, dtype, np.empty(size, dtype), place, strides)


def written_out(x: Any) -> Any:
    """Return a vector that repeats one number in memory of its own, as BLAS takes it; anything else as it is."""
    return x.copy() if type(x) is np.ndarray and x.strides == (0,) else x


def without_repeats(z: Array) -> Array:
    """Return the part of an array that holds each place in memory once: the first along axes that repeat it.

    >>> without_repeats(np.broadcast_to(3.0, (1000, 1000)))
    array([[3.]])
    """
    return z[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in z.strides)] if 0 in z.strides else z


def unsigned_zeros(z: Array, out: Array | None = None) -> Array:
    """Return a copy in the order C, or write it to ``out``, in which no zero is -0.: that of a Jacobian tells nothing.

    >>> unsigned_zeros(np.array([[-1.0, -0.0], [-0.0, 2.0]]))
    array([[-1.,  0.],
           [ 0.,  2.]])
    """
    return np.add(z, 0.0, out, order="C")


def axes_by_stride(z: Array) -> tuple[int, ...]:
    """Order the axes from that of the farthest elements to that of the nearest, as NumPy's order K has them.

    An axis whose elements lie nowhere else, of length 1 or repeated, stays where it is.
    """
    order: list[int] = []
    for axis in reversed(range(z.ndim)):
        place = len(order)
        for before in reversed(range(len(order))):
            steps = [abs(z.strides[i]) * (z.shape[i] > 1) for i in (order[before], axis)]
            if all(steps):
                if steps[0] <= steps[1]:
                    break
                place = before
        order.insert(place, axis)
    return tuple(reversed(order))


CLOSE = 1 << 16
"""An array with gaps is copied with them up to so many bytes."""


@lru_cache
def _compressed(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, wanted: int
) -> tuple[int, int, tuple[int, ...]]:
    """Return the byte where an array's first element lies, the elements of its buffer, and its strides.

    That is of an array of elements of ``wanted`` bytes that lies as one of this shape and these strides does. Gaps that
    take much memory shrink to one element or row; elements that overlap, as repeated ones, lie apart. A loop asks for
    the same slices again and again: to look them up takes a tenth of the time.
    """
    steps, overlap = [1] * len(shape), False
    reach, together, apart = itemsize, 1, 2
    for axis in sorted(range(len(shape)), key=lambda i: (abs(strides[i]), -i)):
        count, stride = shape[axis], strides[axis]
        if count > 1:
            overlap |= abs(stride) < reach or stride % itemsize != 0
            step = together if abs(stride) == reach else apart
            reach, together, apart = abs(stride) * count, step * count, step * (count + 1)
            steps[axis] = -step if stride < 0 else step
    if not overlap and reach <= max(CLOSE, 4 * math.prod(shape) * itemsize):
        steps = [stride // itemsize if count > 1 else 1 for stride, count in zip(strides, shape, strict=True)]
        together = reach // itemsize
    first = sum(step * (1 - count) for step, count in zip(steps, shape, strict=True) if step < 0)
    found = [step * wanted if count > 1 else stride for step, count, stride in zip(steps, shape, strides, strict=True)]
    return first * wanted, together, tuple(found)


# --------------------------------------------------------------------------------------------------- reuse

LONGEST = (1 << 25) - (1 << 16)
"""The bytes up to which the C library takes an array from its own memory, a little less than 32 MiB, its most."""

HELD = 1 << 28
"""The bytes of freed memory that it holds: what a gradient of an expression in arrays of a million numbers takes."""

MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1
"""The numbers of two settings of glibc's, as its malloc.h has them."""


def hold_freed_memory() -> None:
    """Let the C library hold the memory of freed arrays for the next ones, up to `HELD` in place of 256 KiB.

    A derivative frees many large arrays together. glibc gives such memory back to the system, and gets it again page by
    page, each cleared: that was more than half of the time of a gradient that makes thirty arrays of 2 MB, and a third
    of one that makes thirty of 8 MB. What the environment sets stays (mallopt(3), M_TRIM_THRESHOLD); another C library
    is left as it is. No page is touched, so that it takes no memory.
    """
    set_there = "MALLOC_TRIM_THRESHOLD_" in os.environ or "MALLOC_MMAP_THRESHOLD_" in os.environ
    if set_there or "malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return
    with suppress(OSError, TypeError):  # of Windows
        library = ctypes.CDLL(None)
        if hasattr(library, "gnu_get_libc_version"):
            library.mallopt(MMAP_THRESHOLD, LONGEST)
            library.mallopt(TRIM_THRESHOLD, HELD)


hold_freed_memory()


# --------------------------------------------------------------------------------------------------- ownership


def _references(array: Any) -> int:
    """Count the references to an object; many where Python does not count them."""
    return sys.getrefcount(array) if hasattr(sys, "getrefcount") else 1 << 30


def is_free(array: Any) -> bool:
    """Return whether only one holder and local variables refer to a plain array: writing it changes no other value."""
    if type(array) is not np.ndarray or not array.flags.writeable or _references(array) > ALONE:
        return False
    owner = array.base
    return owner is None or (type(owner) is np.ndarray and owner.base is None and _references(owner) < ALONE)


def is_alone(value: Any) -> bool:
    """Return whether only one holder and local variables refer to a value."""
    return _references(value) <= ALONE


def is_temporary(array: Any) -> bool:
    """Return whether only local variables, of a function and of the one that called it with it, refer to an array."""
    return _references(array) <= PASSED and array.base is None and bool(array.flags.writeable)


def _references_of_one() -> tuple[int, int]:
    """Count the references that `is_free` sees of an array with one holder, and `is_temporary` of a local one.

    −1 where the count tells nothing.
    """

    def count(array: Any) -> int:
        return _references(array)

    def pass_on(array: Any) -> int:
        return count(array)

    holder = [np.zeros(1)]
    array = holder[0]
    alone = count(array)
    local = np.zeros(1)
    passed = pass_on(local)
    others = array, local
    return alone if count(array) > alone else -1, passed if pass_on(local) > passed and others else -1


ALONE, PASSED = _references_of_one()
