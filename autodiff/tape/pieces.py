"""Adjoints that are not kept whole: of pieces, and 0 but at few places.

`Pieces` come element by element and are numbers: of x[0], x[1], … in a sweep that is differentiated itself. Each as a
whole array of zeros but for one element, added up, would take n² for n elements. So they are kept apart, and scattered
into one array, by one line, when the adjoint of x is needed.

`Few` is what passes to the extrema of many elements, and on to what these were computed from, element by element.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dualnumbers.forms import shape
from dualnumbers.levels import is_number, plain
from dualnumbers.rules.indexing import scatter, scatter_all
from dualnumbers.rules.shaping import broadcast_to, reshape


class Pieces:
    """An adjoint of a shape: what came whole, None where nothing did, and pieces that came later, at their indices.

    They are added up in the order in which they came, as by a sweep that is not differentiated: to the same bits.
    """

    __slots__ = ("indices", "pieces", "shape")

    def __init__(self, of: tuple[int, ...], whole: Any) -> None:
        self.shape = of
        self._begin(whole)

    def _begin(self, whole: Any) -> None:
        self.pieces: list[Any] = []
        self.indices: list[Any] = []
        if type(whole) is Few:
            whole = whole.joined()
        if whole is not None:
            self.add(whole if shape(whole) == self.shape else broadcast_to(whole, self.shape), ...)

    def add(self, piece: Any, index: Any) -> None:
        """Add a piece of the adjoint."""
        self.pieces.append(piece)
        self.indices.append(index)

    def __add__(self, whole: Any) -> Pieces:
        """Return these pieces, with an adjoint that came whole added to them."""
        self._begin(self.joined() + whole)
        return self

    def joined(self) -> Any:
        """Return the adjoint as one value."""
        if len(self.pieces) == 1 and self.indices[0] is ...:
            return self.pieces[0]
        return scatter_all(*self.pieces, self.shape, tuple(self.indices))


class Few:
    """An adjoint of the array ``x`` that is 0 but at few rows: ``part`` is what is there, of shape ``(rows, *rest)``.

    ``rest`` are the last axes of x; the rows are numbered along all axes before them, in the order C, each named once.
    """

    __slots__ = ("part", "rest", "rows", "x")

    def __init__(self, rows: np.ndarray[Any, Any], part: Any, x: Any) -> None:
        self.rows, self.part, self.x, self.rest = rows, part, x, shape(part)[1:]

    def __add__(self, other: Any) -> Any:
        """Return the sum with another adjoint, whole."""
        return self.joined() + other

    def joined(self) -> Any:
        """Return the adjoint as one value."""
        dims = shape(self.x)
        lengths = dims[: len(dims) - len(self.rest)]
        if is_number(type(self.part)):
            return reshape(scatter(self.part, (math.prod(lengths), *self.rest), self.rows), dims, "C")
        whole = np.zeros_like(plain(self.x))
        whole[np.unravel_index(self.rows, lengths)] = self.part
        return whole
