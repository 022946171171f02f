"""Sums of many short rows: a total and what rounding has lost of it, which is added at the end.

Of a million rows that are added one after the other to a number in memory, single precision would keep three digits.
The sum of two numbers and its rounding error, which is a number as well, are exact together (Knuth, The Art of Computer
Programming 2, theorem 4.2.2 B).
"""

from __future__ import annotations

from typing import NamedTuple

from ..elementary.code import NAMES, Code, Value
from ..instructions.areas import Address
from .memory import SIZES


class Total(NamedTuple):
    """A sum that is being added up, to be added to what is at an address, and the places that it is kept at."""

    address: Address
    kind: str
    sum: str
    lost: str

    def begin(self, c: Code) -> None:
        """Write that nothing has been added up."""
        for place in (self.sum, self.lost):
            self._keep(c, c.constant(0.0, self.kind), place)

    def add(self, c: Code, x: Value) -> None:
        """Write the addition of a number."""
        before, lost = self._kept(c, self.sum), self._kept(c, self.lost)
        after = c.add(before, x)
        shift = c.subtract(after, before)
        error = c.add(c.subtract(before, c.subtract(after, shift)), c.subtract(x, shift))
        self._keep(c, after, self.sum)
        self._keep(c, c.add(lost, error), self.lost)

    def end(self, c: Code) -> Value:
        """Write what was added up; an infinite sum has lost nothing that is a number."""
        total = self._kept(c, self.sum)
        whole = c.add(total, self._kept(c, self.lost))
        of = c.type(self.kind)
        is_number = c.write("b1", f"fcmp ord {of} {whole.text}, {whole.text}")
        return c.write(self.kind, f"select i1 {is_number.text}, {of} {whole.text}, {of} {total.text}")

    def _kept(self, c: Code, place: str) -> Value:
        return c.write(self.kind, f"load {NAMES[self.kind]}, ptr {place}, align {SIZES[NAMES[self.kind]]}")

    def _keep(self, c: Code, x: Value, place: str) -> None:
        c.lines.append(f"store {NAMES[self.kind]} {x.text}, ptr {place}, align {SIZES[NAMES[self.kind]]}")
