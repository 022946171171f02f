"""The addresses that machine code uses: it reads them from a table of its own, which is filled when it is loaded.

So the code is the same in each process, and may be kept.
"""

from __future__ import annotations

TABLE = "addresses"
"""The name of the table."""


class Addresses:
    """The addresses that some code uses, each with its place in the table."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}

    def load(self, address: int) -> str:
        """Return the operation that reads an address, in LLVM's language."""
        place = self._places.setdefault(address, len(self._places))
        return f"load ptr, ptr getelementptr (ptr, ptr @{TABLE}, i64 {place})"

    @property
    def definition(self) -> str:
        """The table, in LLVM's language."""
        return f"@{TABLE} = global [{len(self._places)} x ptr] zeroinitializer, align 64"

    @property
    def values(self) -> list[int]:
        """The addresses, in their order in the table."""
        return list(self._places)
