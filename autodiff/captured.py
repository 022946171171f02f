"""Plain arrays that a function captures: their owner may change them between recording and sweep.

A small one is copied. Of a large one a checksum is taken, and compared when the tape is swept: copying would double
the memory of a data set. An array used again and again is kept once, as long as it holds the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

TINY = 1 << 12
"""Bytes up to which a copy is cheaper than finding out whether there is one already."""

SMALL = 1 << 20
"""Bytes up to which an array is copied: a checksum of it takes three times as long as the copy."""

_WEIGHTS = np.random.default_rng(1964).integers(0, 1 << 63, 4096, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def checksum(x: Array) -> int:
    """A weighted sum of an array's 8-byte words modulo 2⁶⁴: it sees every changed element and every exchange of two."""
    data = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
    words = data[: data.size // 8 * 8].view(np.uint64)
    whole = words[: words.size // 4096 * 4096].reshape(-1, 4096) @ _WEIGHTS
    places = np.arange(1, 2 * whole.size, 2, dtype=np.uint64)
    rest = words[words.size // 4096 * 4096 :]
    tail = data[data.size // 8 * 8 :].astype(np.uint64)
    return hash((int(whole @ places), int(rest @ _WEIGHTS[: rest.size]), int(tail @ _WEIGHTS[: tail.size])))


class Captured:
    """The arrays that one tape captured, by identity."""

    __slots__ = ("_kept", "_sums")

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Array, Array]] = {}
        self._sums: dict[int, tuple[Array, int]] = {}

    def keep(self, x: Array) -> Array:
        """The array that stands for ``x`` on the tape."""
        if x.nbytes <= TINY:
            return x.copy()
        if x.nbytes > SMALL:
            now = checksum(x)
            if self._sums.setdefault(id(x), (x, now))[1] != now:
                raise _changed(x)
            return x
        original, kept = self._kept.get(id(x), (None, None))
        if original is x and kept is not None and np.array_equal(x, kept, equal_nan=x.dtype.kind in "fc"):
            return kept
        kept = x.copy()
        self._kept[id(x)] = x, kept
        return kept

    def check(self) -> None:
        """Raises RuntimeError where a captured array no longer holds what was recorded."""
        for x, recorded in self._sums.values():
            if checksum(x) != recorded:
                raise _changed(x)


def _changed(x: Array) -> RuntimeError:
    return RuntimeError(
        f"an array of shape {x.shape} that the function captured was changed after it was used, so the derivative "
        "cannot be computed; give the function a copy: x.copy()"
    )
