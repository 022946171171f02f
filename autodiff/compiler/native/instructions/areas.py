"""Where the elements of arrays are: pieces of memory, and areas in them that are stepped through by strides.

A view, `x[1:]`, `x.T`, costs nothing in native code: it is another area of the same space. What area that is, NumPy
says: the view is taken of an array of the space's size, whose elements nobody reads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

KINDS = {"d": "f8", "f": "f4", "?": "b1"}
"""NumPy's letter of a dtype → the kind of values in native code."""

DTYPES: dict[str, np.dtype[Any]] = {"f8": np.dtype("d"), "f4": np.dtype("f"), "b1": np.dtype("?"),
                                    "i8": np.dtype(np.int64)}  # fmt: skip
"""The kinds of values, and that of places, which are counted in elements."""


class Space:
    """A piece of memory: an argument, a constant, a result, or a value in between."""

    __slots__ = ("array", "constant", "kind", "number")

    def __init__(self, number: int, array: np.ndarray, constant: bool = False) -> None:
        self.number, self.array, self.constant = number, array, constant
        self.kind = KINDS.get(array.dtype.char, "i8")


class Address(NamedTuple):
    """Elements of a space along loops: from an offset on, by a stride for each loop, in elements."""

    space: int
    kind: str
    offset: int
    strides: tuple[int, ...]
    round: int = 0
    """By how much it goes on from round to round of a loop around, in elements."""
    places: Address | None = None
    """Where numbers are that the offset is to be increased by; None where there are none."""

    def along_with(self, change: Callable[[Address], Address]) -> Address:
        """Return what a function makes of it, and of where its places are."""
        return change(self)._replace(places=change(self.places) if self.places else None)

    @property
    def has_steps(self) -> bool:
        """Return whether its elements are at even distances along the innermost loop."""
        return self.places is None or self.places.is_fixed

    @property
    def is_fixed(self) -> bool:
        """Return whether it is one element along the innermost loop."""
        return not (self.strides and self.strides[-1]) and self.has_steps


ONE = {kind: np.empty((), dtype) for kind, dtype in DTYPES.items()}
"""The picture of an area of one element, for each kind."""


class Area(NamedTuple):
    """Elements in a space: from an offset on, by strides, both in elements; and NumPy's picture of their strides."""

    space: Space
    picture: np.ndarray
    offset: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.picture.shape

    @property
    def kind(self) -> str:
        return self.space.kind

    def along(self, shape: tuple[int, ...]) -> Address:
        """Return its elements along loops over a shape that it is broadcast to."""
        space, own, offset = self
        strides = _strides(own.shape, own.strides, own.itemsize, len(shape)) if shape else ()
        return Address(space.number, space.kind, offset, strides)

    def viewed(self, view: Callable[..., Any], *static: Any) -> Area | None:
        """Return what a function of arrays gives of it, if that is a view, else None."""
        own = self.picture
        found = view(own, *static)
        if not isinstance(found, np.ndarray) or found.dtype != own.dtype:
            return None
        if found.size and not np.may_share_memory(found, own):
            return None
        return Area(self.space, found, self.offset + (_start(found) - _start(own)) // own.itemsize)

    def element(self, place: int) -> Area:
        """Return one element of a row: what a view of it gives, in a tenth of the time."""
        (step,) = self.picture.strides
        offset = self.offset + place % len(self.picture) * (step // self.picture.itemsize)
        return Area(self.space, ONE[self.space.kind], offset)

    def at(self, index: Any) -> Area | None:
        """Return what a basic index takes; None of another one."""
        if type(index) is int and len(self.shape) == 1:
            return self.element(index)
        return self.viewed(lambda a: a[with_rest(index)])


def with_rest(index: Any) -> tuple[Any, ...]:
    """Return an index that gives a view of a single element, too."""
    parts = index if isinstance(index, tuple) else (index,)
    return parts if any(part is Ellipsis for part in parts) else (*parts, Ellipsis)


def _start(x: np.ndarray) -> int:
    """Return the address of the first element of an array."""
    address: int = x.__array_interface__["data"][0]
    return address


@lru_cache(1 << 12)
def _strides(shape: tuple[int, ...], strides: tuple[int, ...], size: int, rank: int) -> tuple[int, ...]:
    """Return strides in elements for loops over a shape of a rank; what is broadcast has none."""
    own = tuple(s // size if n > 1 else 0 for n, s in zip(shape, strides, strict=True))
    return (0,) * (rank - len(shape)) + own


class Chosen(NamedTuple):
    """Elements in a space at places: from an offset on, by strides, and by numbers that stand in an area of a shape."""

    space: Space
    offset: int
    strides: tuple[int, ...]
    numbers: Area
    shape: tuple[int, ...]

    def along(self, shape: tuple[int, ...]) -> Address:
        """Return its elements along loops over its shape."""
        return Address(self.space.number, self.space.kind, self.offset, self.strides, 0, self.numbers.along(shape))
