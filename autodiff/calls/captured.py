"""Plain arrays of the caller's: those that a function captures, and its arguments. Their owner may change them.

A tape needs the values of its operands until it is swept. An array that the recorded function took from outside, a data
set say, belongs to the caller, who may write to it in between; then the adjoints would be those of no function.

>>> from autodiff import record
>>> data = np.array([1.0, 2.0])
>>> tape, out = record(lambda x: x * data, [3.0])
>>> data[:] = 0.0
>>> tape.adjoints(out, np.ones(2))[0]
3.0

An array is copied, as here, and the copy serves the next tapes, too, as long as the two hold the same. Of a large one,
more than `SMALL` bytes, a checksum is taken, and compared later: copying would double the memory of a data set. There
the last line would raise RuntimeError, which says to give the function a copy.

That is `Captured`, compared when the tape is swept. `Given` is for the arguments of a differentiation: the function
gets a number that stands for the caller's array, and when it returns the caller's array must be as it was. It is not
if the function wrote to it by another name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any
from weakref import ref

import numpy as np

from dualnumbers.foreign import copy_of, holds_same, is_foreign
from dualnumbers.memory import detached, without_repeats

Array = np.ndarray[Any, Any]

TINY = 1 << 12
"""Up to so many bytes a tape copies an array: that is cheaper than to find out whether there is a copy already."""

SMALL = 1 << 23
"""Up to so many bytes an array is copied: to compare it with a copy takes half the time of two checksums."""

SHORT = 1 << 15
"""Up to so many bytes two arrays are compared as strings of bytes: to begin with words takes longer."""

WORDS = {4: np.uint32, 8: np.uint64, 16: np.uint64}
"""The words in which elements of a size are compared."""

FAR, PART = 1 << 21, 1 << 18
"""From so many bytes on a matrix is compared by parts of so many: each is in the cache when its rows are multiplied."""

HANDY = 1 << 20
"""Up to so many bytes an argument is copied: of a larger one two checksums take no longer, and no memory."""


COLUMNS = 1031, 1021
"""The words of a row, as an array is laid out for its checksum: the first of these that divides no length of the array.

By one that does, the array's own rows and columns would be summed, and the signs of two rows of two columns could
change unseen: each adds 2⁶³ to its sums, of which two are 0. So both are odd numbers, for where all signs change."""

ROWS = 127
"""The words of a column: an odd number, too, and so few that a block stays in the cache."""


def checksum(x: Array) -> int:
    """Sum the rows and the columns of an array's 8-byte words, modulo 2⁶⁴, laid out as `COLUMNS` says, by blocks.

    Every changed element is seen, and every exchange of two: they stand in two rows or in two columns, whose sums
    change.
    """
    data = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
    words = data[: data.size // 8 * 8].view(np.uint64)
    found = [data[words.nbytes :].tobytes()]
    columns = next((k for k in COLUMNS if all(length % k for length in x.shape)), max(COLUMNS))
    for start in range(0, words.size, ROWS * columns):
        block = words[start : start + ROWS * columns]
        whole = block.size // columns * columns
        rows = block[:whole].reshape(-1, columns)
        found += [np.add.reduce(rows, 0).tobytes(), np.add.reduce(rows, 1).tobytes(), block[whole:].tobytes()]
    return hash(tuple(found))


class Copy:
    """What an array held: a copy, and of one that lies in memory in the order C the bytes that it is made of."""

    __slots__ = ("array", "data")

    def __init__(self, array: Array, data: bytes | bytearray | None = None) -> None:
        self.array, self.data = array, data

    def holds(self, x: Array) -> bool:
        """Return whether an array holds the same bits still."""
        copy = self.array
        if self.data is None or not x.flags.c_contiguous:
            return not _differ(x, copy)
        same = x.shape == copy.shape and x.dtype == copy.dtype
        return same and self.data.startswith(x.data)  # half the time of `_differ`


class Captured:
    """The arrays that one tape captured.

    By the id of the caller's array, ``_kept`` has that and its `Copy`; ``_sums``, of a large one, its checksum;
    ``_fixed``, of one that nobody can write to, itself: a data set that is read-only costs nothing.
    """

    __slots__ = ("_fixed", "_kept", "_sums")

    def __init__(self) -> None:
        self._fixed: dict[int, Array] = {}
        self._kept: dict[int, tuple[Array, Copy]] = {}
        self._sums: dict[int, tuple[Array, int]] = {}

    def keep(self, x: Array) -> Array:
        """Return the array that stands for ``x`` on the tape: a copy, or ``x`` itself with its checksum noted."""
        foreign = is_foreign(type(x))
        if not foreign and is_fixed(x):
            self._fixed[id(x)] = x
            return x
        if not foreign and x.nbytes > SMALL:
            now = checksum(x)
            if self._sums.setdefault(id(x), (x, now))[1] != now:
                raise _changed(x)
            return x
        original, kept = self._kept.get(id(x), (None, None))
        if original is x and kept is not None and kept.holds(x):
            return kept.array
        copy = Copy(copy_of(x)) if foreign else _copied(x)
        self._kept[id(x)] = x, copy
        return copy.array

    def keep_by_rows(self, x: Array, use: Callable[[slice], object]) -> Array | None:
        """Return the copy of a large matrix, and call ``use`` on its rows as they are compared with those of the copy.

        They are compared part by part, so that each is in the cache when it is used. None where there is no copy that
        holds the same, whatever has been used by then: `keep` makes one.
        """
        alive, copy = _COPIES.get(id(x), (None, None))
        if alive is None or alive() is not x or copy is None or copy.data is None or not x.flags.c_contiguous:
            return None
        if x.shape != copy.array.shape or x.dtype != copy.array.dtype:
            return None
        whole, step, end = x.data.cast("B"), x.nbytes // len(x), len(x)  # the stride of a single row tells nothing
        rows = max(PART // step // 16, 1) * 16  # BLAS takes rows by fours or so: each sum has the bits of the whole
        for start in range(0, max(end - rows + 1, 1), rows)[::-1]:  # the first ones are read next, by the sweep
            if not copy.data.startswith(whole[start * step : end * step], start * step):
                return None
            use(slice(start, end))
            end = start
        self._kept[id(x)] = x, copy
        return copy.array

    def join(self, other: Captured) -> None:
        """Take over what another tape captured. Raise RuntimeError where an array changed between the two."""
        for name, (x, now) in other._sums.copy().items():
            if self._sums.setdefault(name, (x, now))[1] != now:
                raise _changed(x)
        self._kept |= other._kept.copy()
        self._fixed |= other._fixed.copy()

    def check(self) -> None:
        """Raise RuntimeError where a captured array no longer holds what was recorded."""
        for x, recorded in self._sums.values():
            if checksum(x) != recorded:
                raise _changed(x)
        for x in self._fixed.values():
            if not is_fixed(x):
                raise _changed(x)


def is_fixed(x: Array) -> bool:
    """Return whether nobody can write to an array, by itself or by what it is a view of: all of these are read-only."""
    memory: Any = x
    while type(memory) is np.ndarray:
        if memory.flags.writeable:
            return False
        memory = memory.base
    return memory is None or type(memory) in (bytes, Loan)


class Loan:
    """An array that is lent to be read: its owner may write to it, but does not as long as somebody has the loan.

    A view of the array's memory that is made of this is no view of the array: it cannot be made writeable.
    """

    __slots__ = ("__array_interface__", "array")

    def __init__(self, array: Array) -> None:
        self.array, known = array, array.__array_interface__
        self.__array_interface__ = known | {"data": (known["data"][0], True)}


def lent(x: Array) -> Array:
    """Return a view of an array that `is_fixed`, where its owner is known not to write to it meanwhile.

    >>> x = np.zeros(2)
    >>> is_fixed(x), is_fixed(lent(x)), x.flags.writeable
    (False, True, True)
    """
    return x if is_fixed(x) or x.dtype.kind not in "biufc" else np.asarray(Loan(x))


ROOM = 8
"""How many copies are kept for the next tape, each of up to `SMALL` bytes."""

_COPIES: dict[int, tuple[ref[Array], Copy]] = {}
"""By the id of an array that is alive, the copy that a tape made of it; for all threads."""


def _copied(x: Array) -> Copy:
    """Return a copy of an array for a tape: the one that an earlier tape made, if the array still holds the same."""
    if not x.flags.c_contiguous or x.dtype.hasobject:
        return Copy(detached(x))
    name = id(x)
    alive, copy = _COPIES.get(name, (None, None))
    if alive is not None and copy is not None and alive() is x and copy.holds(x):
        return copy
    data = x.tobytes()
    copy = Copy(np.frombuffer(data, x.dtype).reshape(x.shape), data)
    if x.nbytes > SHORT:
        _COPIES[name] = ref(x, lambda _: _COPIES.pop(name, None)), copy
        for oldest in list(_COPIES)[:-ROOM]:
            _COPIES.pop(oldest, None)
    return copy


class Given:
    """The arrays that a caller gives as arguments to be differentiated, each with a copy or a checksum: its mark.

    Several small ones, ``_small``, are compared with their copies together.
    """

    __slots__ = ("_marks", "_size", "_small")

    def __init__(self, copied: bool = False) -> None:
        self._marks: list[tuple[Array, Any]] = []
        self._small: list[tuple[Array, Array]] = []
        self._size = math.inf if copied else HANDY

    def keep(self, x: Any) -> Any:
        """Return what stands for an argument: a copy, which `check` compares with the caller's, or a large array."""
        known = type(x) is np.ndarray
        if known and x.nbytes <= SHORT:
            flags = x.flags
            if flags.writeable and flags.c_contiguous:
                kept = x.copy()
                if kept.strides != x.strides:  # along axes of one element, of which `_form` is to be the same, too
                    kept = detached(x)
                self._small.append((x, kept))
                return kept
        if not known and (type(x) is float or not is_foreign(type(x))):
            return x
        if known and x.nbytes > self._size:
            self._marks.append((x, checksum(x)))
            return x
        if known and x.nbytes > SHORT and x.flags.c_contiguous and x.flags.writeable and not x.dtype.hasobject:
            data = bytearray(x.data)
            copy = Copy(np.frombuffer(data, x.dtype).reshape(x.shape), data)
            self._marks.append((x, copy))
            return copy.array
        kept = copy_of(x) if not known else detached(x) if x.flags.writeable else _repeated(x)
        self._marks.append((x, kept))
        return kept

    def check(self) -> None:
        """Raise RuntimeError where the function wrote to the caller's array, past the number that stood for it."""
        small: Any = self._small
        if len(small) > 1 and not _differ_together(*zip(*small, strict=True)):
            small = ()
        for x, mark in (*small, *self._marks) if self._marks else small:
            kind = type(mark)
            if checksum(x) != mark if kind is int else not mark.holds(x) if kind is Copy else _differ(x, mark):
                raise RuntimeError(
                    f"the function wrote to the array of shape {x.shape} that it is differentiated at by another name "
                    "than its argument's: let it write to its argument or a copy"
                )


_form = attrgetter("shape", "strides", "dtype")


def _differ_together(xs: tuple[Any, ...], ys: tuple[Any, ...]) -> bool:
    """Return whether any arrays in the order C differ from those at the same places of others."""
    return list(map(_form, xs)) != list(map(_form, ys)) or b"".join(xs) != b"".join(ys)


def _repeated(x: Array) -> Array:
    """Copy a read-only argument, as one made by np.broadcast_to, so that elements which repeat do so in the copy."""
    kept: Array = np.broadcast_to(detached(without_repeats(x)), x.shape)
    return kept


def _differ(x: Array, y: Array) -> bool:
    """Return whether two arrays that lie alike differ in any bit. As numbers they would be compared twice, for NaN."""
    if type(x) is not np.ndarray and is_foreign(type(x)):
        return not holds_same(x, y)
    if x.shape != y.shape or x.dtype != y.dtype:  # set anew in place
        return True
    if x.nbytes <= SHORT or x.itemsize not in WORDS or x.dtype.hasobject:
        return x.tobytes() != y.tobytes()
    word = WORDS[x.itemsize]
    return bool((x.ravel("K").view(word) != y.ravel("K").view(word)).any())


def _changed(x: Array) -> RuntimeError:
    return RuntimeError(
        f"an array of shape {x.shape} that the function captured was changed after it was used, so the derivative "
        "cannot be computed; give the function a copy: x.copy()"
    )
