"""In which order a program of many blocks is reversed when few of its states can be kept.

A. Griewank, "Achieving logarithmic growth of temporal and spatial complexity in reverse automatic differentiation"
(1992); A. Griewank and A. Walther, "Algorithm 799: revolve" (2000). With room for s states, the first one among them,
C(s + r, s) blocks can be reversed if each may be run r times before its turn comes, and no schedule reverses more.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb


def binomial(count: int, snapshots: int) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, stop, last), what to do to reverse ``count`` blocks with ``snapshots`` states besides the first.

    From the kept state before block ``start``, which is the latest that is kept, the blocks up to ``stop`` are run.
    Then, if ``last``, block ``stop`` is reversed, and states kept behind the one before ``stop`` are dropped; else the
    state before block ``stop`` is kept.

    >>> list(binomial(3, 1))
    [(0, 1, False), (1, 2, True), (1, 1, True), (0, 0, True)]
    """
    kept, end = [0], count
    while end:
        start, free = kept[-1], snapshots + 1 - len(kept)
        if start == end:
            kept.pop()
        elif end - start == 1 or not free:
            end -= 1
            yield start, end, True
        else:
            kept.append(start + _first_part(end - start, free + 1))
            yield start, kept[-1], False


def _first_part(count: int, room: int) -> int:
    """Return behind how many of ``count`` blocks to keep the next of ``room`` states, for the fewest runs of blocks.

    With r the least number of runs for which the room suffices, the first part is to be reversed in r − 1 runs of each
    block, and what follows, with room for a state less, in r.
    """
    runs = 1
    while comb(room + runs, room) < count:
        runs += 1
    return min(comb(room + runs - 1, room), count - comb(room + runs - 2, room - 1))
