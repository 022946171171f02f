"""Where the elements of arrays are: pieces of memory, and areas in them that are stepped through by strides.

A view, `x[1:]`, `x.T`, costs nothing in native code: it is another area of the same space. What area that is, NumPy
says: the view is taken of an array of the space's size, whose elements nobody reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

KINDS = {"d": "f8", "f": "f4", "?": "b1"}
"""NumPy's letter of a dtype → the kind of values in native code."""

DTYPES: dict[str, np.dtype[Any]] = {"f8": np.dtype("d"), "f4": np.dtype("f"), "b1": np.dtype("?")}


class Space:
    """A piece of memory: an argument, a constant, a result, or a value in between."""

    __slots__ = ("array", "constant", "kind", "number")

    def __init__(self, number: int, array: np.ndarray, constant: bool = False) -> None:
        self.number, self.array, self.constant = number, array, constant
        self.kind = KINDS[array.dtype.char]


class Address(NamedTuple):
    """Elements of a space along loops: from an offset on, by a stride for each loop, in elements."""

    space: int
    kind: str
    offset: int
    strides: tuple[int, ...]
    round: int = 0
    """By how much it goes on from round to round of a loop around, in elements."""


class Area(NamedTuple):
    """Elements in a space: from an offset on, by strides, both in elements; and NumPy's picture of them."""

    space: Space
    picture: np.ndarray

    @property
    def offset(self) -> int:
        picture, whole = self.picture, self.space.array
        start, own = whole.__array_interface__["data"][0], picture.__array_interface__["data"][0]
        return int(own - start) // whole.itemsize

    @property
    def shape(self) -> tuple[int, ...]:
        return self.picture.shape

    @property
    def kind(self) -> str:
        return self.space.kind

    def along(self, shape: tuple[int, ...]) -> Address:
        """Return its elements along loops over a shape that it is broadcast to."""
        size, own = self.space.array.itemsize, self.picture
        ahead = len(shape) - own.ndim
        strides = (0,) * ahead + tuple(s // size if n > 1 else 0 for n, s in zip(own.shape, own.strides, strict=True))
        return Address(self.space.number, self.space.kind, self.offset, strides)

    def viewed(self, view: Callable[..., Any], *static: Any) -> Area | None:
        """Return what a function of arrays gives of it, if that is a view, else None."""
        found = view(self.picture, *static)
        if not isinstance(found, np.ndarray):
            return None
        inside = found.size == 0 or np.may_share_memory(found, self.space.array)
        return Area(self.space, found) if inside and found.dtype == self.space.array.dtype else None
