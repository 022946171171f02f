"""MappedNumber: the values of many calls at a time, so that a function runs once for all of them, as by `vmap`.

It holds its members along a first axis of ``data``, as a batch of tangents does, and a row is applied to them in the
same way. But these are values, and a function may look at values: branch on one, round it, use it as an index. Then
there is no one answer. A question that all members answer alike has that answer; any other raises `ManyValuesError`,
and so does whoever wants the value itself. ``level.looked_at`` tells of it, for the function may have caught the error.

>>> from dualnumbers.levels import Level
>>> x = mapped(np.array([[1.0, 2.0], [3.0, 4.0]]), Level())
>>> y = np.sum(x * x)
>>> y.shape, y.data.tolist()
((), [5.0, 25.0])
>>> bool(y > 0.0), bool(y > 10.0)
Traceback (most recent call last):
    ...
dualnumbers.numbers.mapped.ManyValuesError: a value that is another one for each member
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from copy import deepcopy
from functools import lru_cache
from typing import Any

import numpy as np

from ..forms import is_array, shape
from ..levels import Level, decided, plain
from ..memory import axes_by_stride
from ..rules.indexing import getitem
from ..table.row import Face
from .array import ArrayNumber
from .batch import MembersNumber
from .views import ArrayView

new = object.__new__


class ManyValuesError(TypeError):
    """Somebody wants one value of what has many."""

    def __init__(self) -> None:
        super().__init__("a value that is another one for each member")


class MappedNumber(MembersNumber, operators=True):
    """A value of each member."""

    __slots__ = ("primal",)
    primal: Any
    """An array or number that shows the shape and type of a member, and none of the values."""
    errors = nullcontext  # warnings are those of NumPy

    @classmethod
    def gathered(cls, data: Any, level: Level) -> Any:
        return mapped(data, level)

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the row applied to every member; a view of one element, as ``x[0, ...]``, is refused.

        It is an array of no axes, through which a function may write, and a number of many members is none.
        """
        applied = super().lift(face)
        if face.row is not getitem.row:
            return applied

        def element(x: Any, index: Any) -> Any:
            z = applied(x, index)
            if type(z) is MappedNumber and isinstance(x, MappedArray) and is_array(x.primal[index]):
                return z.reading()
            return z

        return element

    def reading(self) -> Any:
        self.level.looked_at = True
        raise ManyValuesError

    def asked(self, question: Callable[..., Any], static: tuple[Any, ...]) -> Any:
        """Return the answer of all members; ManyValuesError where they have not the same."""
        answers = [decided(question, getitem(self.data, place), *static) for place in range(shape(self.data)[0])]
        if not answers or not all(_is_same(answer, answers[0]) for answer in answers):
            return self.reading()
        return answers[0]

    def is_noted(self) -> bool:
        return True

    def __bool__(self) -> bool:
        return bool(self.asked(bool, ()))

    def __format__(self, spec: str) -> str:
        return format(self.reading(), spec) if spec else str(self)

    def constant(self, value: Any) -> Any:
        of = (shape(self.data)[0], *shape(value))
        return mapped(np.array(np.broadcast_to(value, of)), self.level)

    def __deepcopy__(self, memo: Any) -> Any:
        return mapped(deepcopy(self.data, memo), self.level)


class MappedArray(MappedNumber, ArrayNumber, operators=True):
    """An array of each member."""

    __slots__ = ()

    def become(self, value: Any) -> None:
        self.data, self.primal = value.data, value.primal

    def snapshot(self) -> Any:
        return mapped(self.data, self.level)

    def tied(self, base: Any, function: Callable[..., Any], static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(MappedView), self, base, function, static)


class MappedView(ArrayView, MappedArray):
    """A view of the arrays of all members: writing through it writes these."""

    __slots__ = ("path", "root", "seen", "source")
    data = property(lambda self: self.current().data)
    primal = property(lambda self: self.current().primal)
    level = property(lambda self: self.root.level)


def _is_same(answer: Any, other: Any) -> bool:
    if isinstance(answer, tuple) and isinstance(other, tuple) and len(answer) == len(other):
        return all(map(_is_same, answer, other))
    return bool(np.array_equal(answer, other))


@lru_cache(maxsize=1024)
def _nothing(of_shape: tuple[int, ...], dtype: Any, axes: tuple[int, ...] | None) -> Any:
    """Return an array of NaN, or of zeros of a type that has no NaN, that lies in memory in the order of ``axes``."""
    value = np.nan if dtype.kind in "fc" else 0
    if axes is None:
        return np.full(of_shape, value, dtype) if of_shape else np.full((), value, dtype)[()]
    return np.full([of_shape[axis] for axis in axes], value, dtype).transpose(np.argsort(axes))


def _stand_in(members: Any) -> Any:
    """Return what a member of an array looks like; another object each time, if it is an array."""
    of_shape = members.shape[1:]
    if not of_shape:
        return _nothing((), members.dtype, None)
    in_order = type(members) is not np.ndarray or len(of_shape) == 1 or members.flags.c_contiguous
    axes = None if in_order else tuple(axis - 1 for axis in axes_by_stride(members) if axis)
    return _nothing(of_shape, members.dtype, axes).view()


def mapped(data: Any, level: Level) -> Any:
    """Return the members of an array along its first axis as the values of one number of a level."""
    z: Any = new(MappedArray if len(shape(data)) > 1 else MappedNumber)
    z.data, z.level, z.primal = data, level, _stand_in(plain(data))
    return z
