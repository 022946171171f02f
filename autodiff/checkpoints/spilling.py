"""The states that are kept until the sweep comes to them, in memory or on the disk."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self, cast

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.structures import map_leaves


class Kept:
    """A stack of states, each before a block of steps; with a ``folder`` their plain arrays lie there.

    They are in one file, one after the other, since a process may have few files open; its place is used again where a
    state was dropped. The file has no name where the system allows that, and is gone on leaving.
    """

    def __init__(self, first: Any, folder: Path | None) -> None:
        self._states, self._end = [(0, first, 0)], 0
        """Blocks, their states, where those begin in the file; and where the next one will."""
        self._folder, self._file = folder, cast(Any, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._file is not None:
            self._file.close()

    def keep(self, block: int, state: Any) -> None:
        """Put the state before a block on the stack; OSError where the folder takes no file."""
        start = self._end
        self._states.append((block, state if self._folder is None else map_leaves(self._written, state), start))

    def before(self, block: int) -> Any:
        """Return the state before a block, and drop those before later ones."""
        while self._states[-1][0] > block:
            self._end = self._states.pop()[2]
        return map_leaves(self._read, self._states[-1][1])

    def _written(self, x: Any) -> Any:
        """Return where a plain array was written to, anything else as it is."""
        if type(x) is not np.ndarray or x.dtype.kind not in "biufc":
            return x
        start = self._end
        try:
            if self._file is None:
                self._file = TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115 - open as long as this is
            self._file.seek(start)
            np.save(_Whole(self._file), x, allow_pickle=False)
            self._end = self._file.tell()
        except OSError as error:
            what = f"{self._folder} takes no state of checkpointed_loop, {error.strerror or error}{user_line()}"
            raise OSError(error.errno, what) from error
        return _Place(start)

    def _read(self, x: Any) -> Any:
        if type(x) is not _Place:
            return x
        self._file.seek(x.start)
        return np.load(self._file, allow_pickle=False)


class _Whole:
    """A file that is written to without a buffer: all of what is given, or OSError.

    `numpy.save` to a file itself says nothing of a disk that is full.
    """

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, given: bytes) -> int:
        left = memoryview(given)
        while left:
            left = left[self._file.write(left) :]
        return len(given)


class _Place:
    """Where an array begins in the file."""

    __slots__ = ("start",)

    def __init__(self, start: int) -> None:
        self.start = start
