"""BatchNumber: several tangents of one value at a time, so that a function runs once for all of them.

A batch is a number like any other, of a level of its own: ``data`` holds its members along a first axis, and its shape
is that of one member. Only tangents and adjoints are batches. What happens to them does not depend on their values, so
that nothing reads these: a batch has none to be compared, rounded or branched on.

How a row extends to it: broadcast where it acts element by element, applied to one member after the other elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..forms import shape
from ..levels import Level, is_number, level_of, plain
from ..memory import is_free
from ..rules.indexing import getitem
from ..rules.shaping import reshape, stack
from ..several import each
from ..table import TABLE, Row
from ..table.dispatch import lead, leading
from ..table.row import Face
from .array import ArrayNumber
from .number import Number

new = object.__new__

SCALARS = (float, np.float64, int)

BROADCASTING = frozenset(TABLE[name].row for name in ("real", "imag", "conj", "astype", "copy", "strong", "where"))
"""Rows of other kinds that act element by element all the same."""


def _split(row: Row, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the operands and the static parameters, apart."""
    count = len(arguments) - row.statics
    return arguments[:count], arguments[count:]


def _broadcast(face: Face) -> Callable[..., Any]:
    """Extend a row of elements: batches of lower rank get axes of length 1 behind that of the members."""
    row, evaluate = face.row, face.evaluate

    def broadcast(*arguments: Any) -> Any:
        operands, static = _split(face.row, arguments)
        leader = leading(operands)
        if not isinstance(leader, BatchNumber):
            return lead(face, *arguments)
        level, rank = leader.level, max(len(shape(x)) for x in operands)
        aligned = [_aligned(x, level, rank) for x in operands]
        with np.errstate(all="ignore"):
            return each(lambda z: batch(z, level), evaluate(*aligned, *static))

    return _of_two(broadcast, evaluate) if row.arity == 2 and not (row.statics or row.several) else broadcast


def _of_two(general: Callable[..., Any], evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Evaluate the usual operands at once, two batches of one level and rank or one and a number; else ``general``."""

    def broadcast(x: Any, y: Any) -> Any:
        a = x.data if isinstance(x, BatchNumber) else x
        b = y.data if isinstance(y, BatchNumber) else y
        if type(a) is np.ndarray and isinstance(x, BatchNumber):
            level = x.level
            usual = type(b) in SCALARS or (type(b) is np.ndarray and b.ndim == a.ndim and level_of(y) is level)
        else:
            level = level_of(y)
            usual = type(b) is np.ndarray and isinstance(y, BatchNumber) and type(a) in SCALARS
        if not usual:
            return general(x, y)
        with np.errstate(all="ignore"):
            return batch(evaluate(a, b), level)

    return broadcast


def _aligned(x: Any, level: Level, rank: int) -> Any:
    """Return an operand as the plain function broadcasts it beside batches of ``rank`` axes."""
    if not (is_number(type(x)) and x.level is level):
        return x
    count, *dims = shape(x.data)
    return x.data if len(dims) == rank else reshape(x.data, (count, *(1,) * (rank - len(dims)), *dims), "C")


def _member_by_member(face: Face) -> Callable[..., Any]:
    """Extend any row, by applying it to one member after the other."""

    def applied(*arguments: Any) -> Any:
        operands, static = _split(face.row, arguments)
        leader = leading(operands)
        return over_members(leader, face.evaluate, operands, static) if isinstance(leader, BatchNumber) else lead(
            face, *arguments)  # fmt: skip

    return applied


def over_members(leader: BatchNumber, function: Callable[..., Any], operands: Any, static: Any = ()) -> Any:
    """Apply a function of operands, of which ``leader`` leads, to one member after the other."""
    level, found = leader.level, []
    with np.errstate(all="ignore"):
        for place in range(shape(leader.data)[0]):
            ours = (getitem(x.data, place) if is_number(type(x)) and x.level is level else x for x in operands)
            found.append(function(*ours, *static))
        return each(lambda *members: batch(stack(*members, 0), level), *found)


def _as_tuple(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _is_simple(index: Any) -> bool:
    """Return whether an index has no arrays, whose axes NumPy may put in front."""
    return all(type(part) in (int, slice) or part is None or part is Ellipsis for part in _as_tuple(index))


def _indexed(x: Any, index: Any) -> Any:
    """Return elements of every member, all at once where that is an index."""
    if not _is_simple(index):
        return over_members(x, getitem, (x,), (index,))
    return batch(getitem(x.data, (slice(None), *_as_tuple(index))), x.level)


class BatchNumber(Number, operators=True):
    """A batch of numbers."""

    __slots__ = ("data", "level")
    data: Any
    level: Level

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the row applied to every member."""
        row = face.row
        if row.is_elementwise or row in BROADCASTING:
            return _broadcast(face)
        return _indexed if row is getitem.row else _member_by_member(face)

    @property
    def primal(self) -> Any:
        """An array or number that shows the shape and type of a member, and none of the values."""
        value = plain(self.data)
        return _stand_in(value.shape[1:], value.dtype)

    def parts(self) -> tuple[Any, ...]:
        return (self.data,)

    def __bool__(self) -> bool:
        raise TypeError("a batch of tangents has no value that a rule may look at")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.data!r})"


class BatchArray(BatchNumber, ArrayNumber, operators=True):
    """A batch of arrays."""

    __slots__ = ()

    def viewed(self, function: Any, *static: Any) -> Any:
        return function(self, *static)

    def become(self, value: Any) -> None:
        self.data = value.data

    def snapshot(self) -> Any:
        return batch(self.data, self.level)

    def takes(self, along: Any, index: Any, dtype: Any) -> bool:
        """Return whether a number can be written into every member in place, which are of the type ``dtype``."""
        data = self.data
        simple = _is_simple(index) and (type(along) is BatchNumber or not is_number(type(along)))
        return bool(simple and is_free(data) and data.dtype == dtype)

    def write(self, along: Any, index: Any) -> None:
        """Write a number into every member in place."""
        target = self.data[(slice(None), *_as_tuple(index))]
        target[...] = along.data.reshape(-1, *(1,) * (target.ndim - 1)) if type(along) is BatchNumber else along


@lru_cache(maxsize=1024)
def _stand_in(of_shape: tuple[int, ...], dtype: Any) -> Any:
    """Return an array of NaN, or of zeros of a type that has no NaN, that takes no memory."""
    nothing = np.full((), np.nan if dtype.kind in "fc" else 0, dtype)
    return np.broadcast_to(nothing, of_shape) if of_shape else nothing[()]


def batch(data: Any, level: Level) -> Any:
    """Return the members of an array along its first axis as one number of a level."""
    z: Any = new(BatchArray if len(shape(data)) > 1 else BatchNumber)
    z.data, z.level = data, level
    return z
