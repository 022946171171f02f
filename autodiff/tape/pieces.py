"""Adjoints that come element by element and are numbers: of x[0], x[1], … in a sweep that is differentiated itself.

Each of them as a whole array of zeros but for one element, added up, would take n² for n elements. So they are kept
apart, and scattered into one array, by one line, when the adjoint of x is needed.
"""

from __future__ import annotations

from typing import Any

from dualnumbers.forms import shape
from dualnumbers.rules.indexing import scatter_all
from dualnumbers.rules.shaping import broadcast_to


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
