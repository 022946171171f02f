"""The operands of a block's instructions as columns of numbers, so that those of all rounds are looked at together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..instructions.areas import Address
from ..instructions.instruction import Block, Instruction

NOWHERE = -1
"""In the place of a space: there is no operand, or it is a number."""

ABSENT = Address(NOWHERE, "", 0, ())
"""What stands for both."""


class Columns:
    """For each instruction the space and the offset of its result, in column 0, and of its operands; the numbers too.

    And for each space its size, the first and the last instruction that write to it, and where its value is now, as
    that changes when it is laid out elsewhere.
    """

    def __init__(self, block: Block, lines: Sequence[Instruction]) -> None:
        shape = len(lines), 1 + max((len(line.operands) for line in lines), default=0)
        self.spaces, self.offsets = np.full(shape, NOWHERE), np.zeros(shape, int)
        self.numbers, self.has_places = np.zeros(shape), np.zeros(shape[1], bool)
        for k in range(shape[1] if lines else 0):
            taken = [line.out if k == 0 else line.operands[k - 1] if len(line.operands) >= k else 0.0 for line in lines]
            where = [x if x.__class__ is Address else ABSENT for x in taken]
            self.spaces[:, k], _, self.offsets[:, k], _, _, places = zip(*where, strict=True)
            if k:
                self.numbers[:, k] = [x if x.__class__ is float else 0.0 for x in taken]
            self.has_places[k] = any(places)
        count, at, outs = len(block.spaces), np.arange(len(lines)), self.spaces[:, 0]
        self.sizes = np.array([space.array.size for space in block.spaces], int)
        self.first, self.last = np.full(count, len(lines)), np.full(count, NOWHERE)
        np.minimum.at(self.first, outs, at)
        np.maximum.at(self.last, outs, at)
        self.reads = np.bincount(self.spaces[:, 1:][self.spaces[:, 1:] != NOWHERE], minlength=count)
        """For each space how often it is read."""
        self.space, self.offset = np.arange(count), np.zeros(count, int)
        """For each space the one where its value is now, and the place there."""

    def now(self, x: Address) -> Address:
        """Return where a value is now."""
        space = int(self.space[x.space])
        return x if space == x.space else x._replace(space=space, offset=int(self.offset[x.space]) + x.offset)
