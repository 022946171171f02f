"""Arrays of a loop that are read in the rounds just after they were written take turns in the memory of a few.

The adjoints of a simulation's state are those of the round before and of this one: two arrays, in turns, which stay in
the cache, in place of one for each round. Of how many rounds an array is read, its addresses say: from round to round
each goes on by the same step, and what it leads to lies in one cell of that many elements. So in each round n cells are
in use, one further than in the round before, and a cell has the memory of that which is n before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..instructions.areas import DTYPES, Address, Space
from ..instructions.instruction import Block
from ..instructions.uses import span_of
from .fusing import Kernel

LEAST = 1 << 15
"""From how many bytes on it pays that there are less."""

Touch = tuple[int, Address, tuple[int, ...]]
"""A kernel that touches elements of a space, their address, and the loops."""


class _Turns(NamedTuple):
    """How the arrays in a space take turns: cells of so many elements from a first element on, so many of them."""

    start: int
    size: int
    cells: int
    loop: int
    rounds: int
    step: int
    """By how many cells an address goes on from round to round: 1 or -1."""

    def cell(self, x: Address, shape: tuple[int, ...]) -> int | None:
        """Return the cell in which all is that an address leads to in the first round; None where that is several."""
        span = span_of(x, shape, frozenset())
        low, high = (int(end - self.start) // self.size for end in (span.low, span.high))
        return low if low == high else None

    def within(self, x: Address, cell: int, turn: int) -> Address:
        """Return an address in the cell that is used in a turn."""
        return x._replace(offset=x.offset - self.start - (cell - turn) * self.size, round=0)


class Turns:
    """The kernels of a block, changed so that arrays take turns, and the spaces that are smaller then."""

    def __init__(self, kernels: Sequence[Kernel], block: Block, kept: set[int]) -> None:
        self.block = block
        self.spaces: dict[int, Space] = {}
        """Those that are smaller, by their numbers."""
        self.tables: dict[Space, np.ndarray] = {}
        """Where the cell of a round begins, for each round of a loop."""
        self._known: dict[tuple[int, ...], Space] = {}
        touched: dict[int, list[Touch]] = {}
        for k, kernel in enumerate(kernels):
            for x in kernel.addresses():
                touched.setdefault(x.space, []).append((k, x, kernel.shape))
        places = {x.places.space for kernel in kernels for x in kernel.addresses() if x.places is not None}
        found = {space: turns for space in touched.keys() - kept - places if (turns := _turns(kernels, touched[space]))}
        for kernel in kernels if found else ():
            self._change(kernel, found)
        for number, turns in found.items():
            self.spaces[number] = Space(number, np.empty(turns.cells * turns.size, block.spaces[number].array.dtype))

    def _change(self, kernel: Kernel, found: dict[int, _Turns]) -> None:
        """Write where the elements are now into a kernel."""

        def now(x: Address) -> Address:
            if x.space not in found:
                return x
            turns = found[x.space]
            cell = turns.cell(x, kernel.shape)
            assert cell is not None
            if kernel.rounds == 1:
                return turns.within(x, cell, cell % turns.cells)
            places = Address(self._table(turns, cell).number, "i8", 0, (0,) * len(x.strides), 1)
            return turns.within(x, cell, 0)._replace(places=places)

        kernel.nodes = [node._replace(address=now(node.address)) if node.address else node for node in kernel.nodes]
        kernel.stores = [store._replace(address=now(store.address)) for store in kernel.stores]

    def _table(self, turns: _Turns, cell: int) -> Space:
        """Return where in each round the cell is in which an address begins."""
        key = cell % turns.cells, *turns[1:]
        if key not in self._known:
            numbers = (turns.step * np.arange(turns.rounds) + cell) % turns.cells * turns.size
            made = self.block.space(numbers.shape, DTYPES["i8"]).space
            self._known[key], self.tables[made] = made, numbers
        return self._known[key]


def _turns(kernels: Sequence[Kernel], touched: Sequence[Touch]) -> _Turns | None:
    """Return how the arrays in a space may take turns; None where each round is to have its own."""
    inside = [one for one in touched if kernels[one[0]].rounds > 1]
    around = {(kernels[k].loop, kernels[k].rounds, x.round) for k, x, _ in inside}
    if len(around) != 1 or any(x.places is not None for _, x, _ in touched):
        return None
    ((loop, rounds, step),) = around
    if not step:
        return None
    low = min(int(span_of(x, shape, frozenset()).low) for _, x, shape in inside)
    # cells begin where the loop begins to touch, or, if that is within an array, where the array does
    for start in dict.fromkeys((low, low - low % abs(step))):
        found = _Turns(start, abs(step), 0, loop, rounds, 1 if step > 0 else -1)
        cells = [found.cell(x, shape) for _, x, shape in inside]
        if None in cells:
            continue
        count = 1 + max(cell for cell in cells if cell is not None)
        found = found._replace(cells=count)
        saved = (rounds - count) * abs(step) * DTYPES[inside[0][1].kind].itemsize
        if saved >= LEAST and all(_are_there(found, *ends, inside[0][0]) for ends in _outside(kernels, touched, found)):
            return found
    return None


def _outside(kernels: Sequence[Kernel], touched: Sequence[Touch], turns: _Turns) -> Iterator[tuple[int, int | None]]:
    """Yield the kernels that touch a space before or after the loop, and the cell in which they do."""
    return ((k, turns.cell(x, shape)) for k, x, shape in touched if kernels[k].rounds == 1)


def _are_there(turns: _Turns, at: int, cell: int | None, loop: int) -> bool:
    """Return whether a cell that is touched by kernel ``at`` is in use beside the loop, which begins with ``loop``.

    Before it those of its first round are, after it those of its last.
    """
    lowest = 0 if at < loop else turns.step * (turns.rounds - 1)
    return cell is not None and 0 <= cell - lowest < turns.cells
