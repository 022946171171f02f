"""Adjoints that come element by element and are numbers: of x[0], x[1], … in a sweep that is differentiated itself.

Each of them as a whole array of zeros but for one element, added up, would take n² for n elements. So they are kept
apart, and scattered into one array, by one line, when the adjoint of x is needed.
"""

from __future__ import annotations

from typing import Any

from dualnumbers.rules.indexing import scatter_all


class Pieces:
    """An adjoint of a shape: pieces of it at their indices, and the rest, which came whole; None where none did."""

    __slots__ = ("indices", "pieces", "rest", "shape")

    def __init__(self, shape: tuple[int, ...], rest: Any) -> None:
        self.shape, self.rest = shape, rest
        self.pieces: list[Any] = []
        self.indices: list[Any] = []

    def add(self, piece: Any, index: Any) -> None:
        """Add a piece of the adjoint."""
        self.pieces.append(piece)
        self.indices.append(index)

    def __add__(self, whole: Any) -> Pieces:
        """Return these pieces, with an adjoint that came whole added to them."""
        self.rest = whole if self.rest is None else self.rest + whole
        return self

    def joined(self) -> Any:
        """Return the adjoint as one value."""
        whole = scatter_all(*self.pieces, self.shape, tuple(self.indices))
        return whole if self.rest is None else self.rest + whole
