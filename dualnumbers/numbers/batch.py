"""BatchNumber: several tangents of one value at a time, so that a function runs once for all of them.

A batch is a number like any other, of a level of its own: ``data`` holds its members along a first axis, and its shape
is that of one member. Only tangents and adjoints are batches. What happens to them does not depend on their values, so
that nothing reads these: a batch has none to be compared, rounded or branched on.

A row of elements extends to it by broadcasting, another one as the row itself says (`table.batching`), or by being
applied to one member after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..forms import shape
from ..levels import Level, is_number, level_of, plain
from ..memory import is_free
from ..rules.indexing import getitem
from ..rules.shaping import stack
from ..several import each
from ..table import Row
from ..table.batching import Batched, by_elements
from ..table.dispatch import lead, leading
from ..table.row import Face
from .array import ArrayNumber
from .number import Number

new = object.__new__

SCALARS = (float, np.float64, int)

FEW = 16
"""Up to so many floats a batch is a list, which is faster than an array up to about 50 of them."""

NOTHING = np.float64(np.nan)


def _split(row: Row, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the operands and the static parameters, apart."""
    count = len(arguments) - row.statics
    return arguments[:count], arguments[count:]


def _at_once(face: Face, batched: Batched, kind: type[MembersNumber]) -> Callable[..., Any]:
    """Extend a row by its rule for all members, or member by member where that knows no way."""
    row, evaluate, errors, gathered = face.row, face.evaluate, kind.errors, kind.gathered

    def applied(*arguments: Any) -> Any:
        operands, static = _split(row, arguments)
        leader = leading(operands)
        if not isinstance(leader, kind):
            return lead(face, *arguments)
        level = leader.level
        members = tuple([is_number(type(x)) and x.level is level for x in operands])
        xs = [x.data if of_members else x for x, of_members in zip(operands, members, strict=True)]
        with errors():
            z = batched(evaluate, xs, members, *static)
            if z is not None:
                return each(lambda data: gathered(data, level), z)
        return over_members(leader, evaluate, operands, static)

    return applied


def _broadcast(face: Face, kind: type[MembersNumber]) -> Callable[..., Any]:
    """Extend a row of elements."""
    row, general = face.row, _at_once(face, by_elements, kind)
    plain_pair = row.arity == 2 and not (row.statics or row.several)
    return _of_two(general, face.evaluate, kind) if plain_pair else general


def _of_two(general: Callable[..., Any], evaluate: Callable[..., Any], kind: type[MembersNumber]) -> Callable[..., Any]:
    """Evaluate the usual operands at once, two batches of one level and rank or one and a number; else ``general``."""
    errors, gathered = kind.errors, kind.gathered

    def broadcast(x: Any, y: Any) -> Any:
        a = x.data if isinstance(x, kind) else x
        b = y.data if isinstance(y, kind) else y
        level, usual = (y if a is x else x).level, False
        if type(a) is np.ndarray is type(b):
            usual = a.ndim < b.ndim if a is x else b.ndim < a.ndim if b is y else (
                a.ndim == b.ndim and level_of(y) is level)  # fmt: skip
        elif type(a) is np.ndarray:
            usual = type(b) in SCALARS
        elif type(b) is np.ndarray:
            usual = type(a) in SCALARS
        if not usual:
            return general(x, y)
        with errors():
            return gathered(evaluate(a, b), level)

    return broadcast


def _no_way(*_: Any) -> None:
    """Do what a row does that says nothing of batches."""


def over_members(leader: MembersNumber, function: Callable[..., Any], operands: Any, static: Any = ()) -> Any:
    """Apply a function of operands, of which ``leader`` leads, to one member after the other."""
    level, gathered, found = leader.level, leader.gathered, []
    with leader.errors():
        for place in range(shape(leader.data)[0]):
            ours = (getitem(x.data, place) if is_number(type(x)) and x.level is level else x for x in operands)
            found.append(function(*ours, *static))
        return each(lambda *members: gathered(stack(*members, 0), level), *found)


def of_all(index: Any) -> tuple[Any, ...]:
    """Return the index that takes the same elements of every member."""
    return (slice(None), *(index if isinstance(index, tuple) else (index,)))


def is_simple(index: Any) -> bool:
    """Return whether an index has no arrays, whose axes NumPy may put in front."""
    return all(type(part) in (int, slice) or part is None or part is Ellipsis for part in of_all(index))


class MembersNumber(Number):
    """A kind of number that holds many members along the first axis of ``data``, to all of which a row is applied."""

    __slots__ = ("data", "level")
    data: Any
    level: Level
    errors: Callable[[], Any]
    """Return the context in which members are computed: what NumPy warns of there."""

    @classmethod
    def gathered(cls, data: Any, level: Level) -> Any:
        """Return members as a number of this kind."""
        raise NotImplementedError(f"{cls.__name__}.gathered")

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the row applied to every member."""
        row, kind = face.row, next(kind for kind in cls.__mro__ if "gathered" in kind.__dict__)
        if row.is_elementwise or row.batched is by_elements or (row.is_constant and face.scalar is not None):
            return _broadcast(face, kind)
        return _at_once(face, row.batched or _no_way, kind)

    def parts(self) -> tuple[Any, ...]:
        return (self.data,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.data!r})"


class BatchNumber(MembersNumber, operators=True):
    """A batch of tangents or adjoints."""

    __slots__ = ()
    errors = staticmethod(partial(np.errstate, all="ignore"))

    @classmethod
    def gathered(cls, data: Any, level: Level) -> Any:
        return batch(data, level)

    @property
    def primal(self) -> Any:
        """An array or number that shows the shape and type of a member, and none of the values."""
        value = plain(self.data)
        return _stand_in(value.shape[1:], value.dtype)

    def __bool__(self) -> bool:
        raise TypeError("a batch of tangents has no value that a rule may look at")

    def __deepcopy__(self, memo: Any) -> Any:
        from copy import deepcopy

        return batch(deepcopy(self.data, memo), self.level)


class FloatBatch(BatchNumber):
    """A batch of few floats, as Python's own: of two, a product takes a fifth of the time that it takes as an array's.

    Their sums and products raise and warn of nothing; whatever else is done to them is done to the array.
    """

    __slots__ = ("members",)
    members: list[float]

    @property
    def data(self) -> Any:
        return np.array(self.members)

    @property
    def primal(self) -> Any:
        return NOTHING

    def __add__(self, other: Any) -> Any:
        if type(other) is FloatBatch and other.level is self.level:
            return _of_floats([a + b for a, b in zip(self.members, other.members, strict=True)], self.level)
        return super().__add__(other)

    def __sub__(self, other: Any) -> Any:
        if type(other) is FloatBatch and other.level is self.level:
            return _of_floats([a - b for a, b in zip(self.members, other.members, strict=True)], self.level)
        return super().__sub__(other)

    def __mul__(self, other: Any) -> Any:
        return (
            _of_floats([a * other for a in self.members], self.level)
            if type(other) is float
            else (super().__mul__(other))
        )

    def __rmul__(self, other: Any) -> Any:
        return (
            _of_floats([other * a for a in self.members], self.level)
            if type(other) is float
            else (super().__rmul__(other))
        )

    def __neg__(self) -> Any:
        return _of_floats([-a for a in self.members], self.level)


def _of_floats(members: list[float], level: Level) -> FloatBatch:
    z: FloatBatch = new(FloatBatch)
    z.members, z.level = members, level
    return z


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
        of_numbers = isinstance(along, BatchNumber) and not isinstance(along, BatchArray)
        simple = is_simple(index) and (of_numbers or not is_number(type(along)))
        return bool(simple and is_free(data) and data.dtype == dtype)

    def write(self, along: Any, index: Any) -> None:
        """Write a number into every member in place."""
        target = self.data[of_all(index)]
        target[...] = along.data.reshape(-1, *(1,) * (target.ndim - 1)) if isinstance(along, BatchNumber) else along


@lru_cache(maxsize=1024)
def _stand_in(of_shape: tuple[int, ...], dtype: Any) -> Any:
    """Return an array of NaN, or of zeros of a type that has no NaN, that takes no memory."""
    nothing = np.full((), np.nan if dtype.kind in "fc" else 0, dtype)
    return np.broadcast_to(nothing, of_shape) if of_shape else nothing[()]


def batch(data: Any, level: Level) -> Any:
    """Return the members of an array along its first axis as one number of a level."""
    if type(data) is np.ndarray and data.ndim == 1 and len(data) <= FEW and data.dtype.char == "d":
        return _of_floats(data.tolist(), level)
    z: Any = new(BatchArray if len(shape(data)) > 1 else BatchNumber)
    z.data, z.level = data, level
    return z


def of_units(count: int, dims: tuple[int, ...], level: Level) -> Any:
    """Return the unit arrays of a shape with so many elements, as a batch of a level; of one element that array."""
    return batch(units(count, dims), level) if count > 1 else units(count, dims)[0]


@lru_cache(maxsize=64)
def units(count: int, dims: tuple[int, ...]) -> Any:
    """Return the unit arrays of a shape, along a first axis; nobody writes to them."""
    units = np.eye(count).reshape(count, *dims)
    units.flags.writeable = False
    return units
