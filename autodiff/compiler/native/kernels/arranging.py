"""A block's kernels in the order in which they run, and where in its memory is what is in between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from ..instructions.areas import DTYPES, Area, Space
from ..instructions.instruction import Block
from .fusing import Kernel, collapsed, without_unread
from .in_place import in_place
from .joining import joined
from .narrow_products import by_stretches
from .pieces import in_pieces
from .sinking import kernels_of
from .turns import Turns
from .unrolling import written_out

SMALL = 1 << 16
"""Up to how many bytes the memory for what is in between is on the stack."""


class Arrangement:
    """The kernels of a block that gives some areas, and the spaces that they use."""

    def __init__(
        self, block: Block, results: list[Area], constants: dict[Space, np.ndarray], may_share: bool = False
    ) -> None:
        self.block = block
        self.failed = block.space((), DTYPES["b1"]).space
        """Whether a function of Python would raise."""
        self.constants = {space: np.ascontiguousarray(x) for space, x in {**constants, **block.tables}.items()}
        """Arrays that are part of the code."""
        kept = {area.space.number for area, _, _ in block.guards} | {area.space.number for area in results}
        self._kept = kept | {self.failed.number}
        self.kernels = kernels_of(block.groups, kept)
        read_only = {space.number for space in (*block.given.values(), *self.constants)}
        in_place(self.kernels, block.spaces, sorted({area.space.number for area in results}), kept | read_only)
        for kernel in self.kernels:
            collapsed(kernel)
        self.length = sum(len(kernel.nodes) for kernel in self.kernels)
        if may_share:
            found = without_unread(joined(written_out(self.kernels)), self._kept)
            self.kernels = in_pieces(by_stretches(found), block)
        turns = Turns(self.kernels, block, kept | read_only)
        self.constants |= turns.tables
        used = sorted(set().union(self._kept, *(kernel.spaces() for kernel in self.kernels)))
        self.spaces = [turns.spaces.get(number, block.spaces[number]) for number in used]
        """The spaces that the kernels use, in their order in the table of pointers."""

    def loops(self) -> Iterator[list[tuple[int, Kernel]]]:
        """Yield the kernels with their numbers, those together that are run round by round."""
        for _, loop in groupby(enumerate(self.kernels), lambda numbered: (numbered[1].rounds, numbered[1].loop)):
            yield list(loop)

    def places(self, elsewhere: set[Space]) -> tuple[dict[Space, int], int]:
        """Return where in the block's memory each space is that is not elsewhere, and the size of that memory.

        What no kernel needs any more makes room: a space has its place from the first kernel that uses it to the last,
        those of a loop counting as one.
        """
        end, first, last = len(self.kernels), dict[int, int](), dict[int, int]()
        for together in self.loops():
            for k, kernel in together:
                repeated = kernel.rounds > 1
                for number in kernel.spaces():
                    first.setdefault(number, together[0][0] if repeated else k)
                    last[number] = together[-1][0] if repeated else k
        places: dict[Space, int] = {}
        taken: list[tuple[int, int, int]] = []
        """Of the places in use the start, the end, and the last kernel."""
        size = 0
        for space in sorted(self.spaces, key=lambda space: first.get(space.number, -1)):
            if space in elsewhere:
                continue
            now = first.get(space.number, -1)
            taken = sorted(one for one in taken if one[2] >= now)
            start, length = 0, -(-max(space.array.nbytes, 8) // 64) * 64
            for begin, stop, _ in taken:
                if begin - start >= length:
                    break
                start = max(start, stop)
            kept = space.number in self._kept
            taken.append((start, start + length, end if kept else last.get(space.number, end)))
            places[space] = start
            size = max(size, start + length)
        return places, size
