"""A function whose results are kept in a file, so that a long run that was broken off goes on with the same numbers."""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Callable
from hashlib import sha256
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.files import path_of
from ..calls.given import no_function
from ..calls.structures import flatten
from ..calls.values import name_of
from ..tape.outline import outline_key

MAGIC = b"autodiff journal 1\n"
HEAD = struct.Struct("<QI32s")
"""Before each result: its length, its checksum, and the digest of the arguments."""


class Journal:
    """A function with a file of its results, in the order of the calls; `checkpointed` makes it."""

    def __init__(self, function: Callable[..., Any], path: Any) -> None:
        if not callable(function):
            raise no_function("checkpointed(f, path)", function)
        self.function, self.path, self.calls = function, path_of(path, "checkpointed: the second argument is a file"), 0
        self.__name__ = name_of(function)
        self.places: list[int] = []
        """Where in the file each result begins."""
        self.path.touch()
        with self.path.open("rb") as file:
            start = file.read(len(MAGIC))
            if start != MAGIC[: len(start)]:
                raise ValueError(f"{self.path} is no file of checkpointed{user_line()}")
            if start == MAGIC:
                self.end = self._whole(file)
        if start != MAGIC:
            self.end = 0
            self._append(MAGIC)

    def __call__(self, *arguments: Any) -> Any:
        """Return what the function returns, or returned at this call of the run that was broken off."""
        digest = _digest(arguments)
        if self.calls < len(self.places):
            known, found = self._read(self.places[self.calls])
            if known != digest:
                raise ValueError(
                    f"call {self.calls} has other arguments than in the run that {self.path} is of: go on "
                    f"with that one's start, or give another file{user_line()}"
                )
        else:
            found = self.function(*arguments)
            result = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
            self.places.append(self._append(HEAD.pack(len(result), crc32(result), digest) + result))
        self.calls += 1
        return found

    def __repr__(self) -> str:
        return f"<checkpointed {self.__name__}: {len(self.places)} results in {self.path}>"

    def _whole(self, file: BinaryIO) -> int:
        """Find the results that are whole; return where they end, before one that was broken off in writing."""
        end, size = len(MAGIC), self.path.stat().st_size
        while size - end >= HEAD.size:
            file.seek(end)
            length, checksum, _ = HEAD.unpack(file.read(HEAD.size))
            if length > size - end - HEAD.size or crc32(file.read(length)) != checksum:
                break
            self.places.append(end)
            end += HEAD.size + length
        return end

    def _read(self, place: int) -> tuple[bytes, Any]:
        with self.path.open("rb") as file:
            file.seek(place)
            length, _, digest = HEAD.unpack(file.read(HEAD.size))
            return digest, pickle.loads(file.read(length))

    def _append(self, data: bytes) -> int:
        """Append to what is whole, on the disk when this returns, and return where; OSError where the disk is full."""
        place = self.end
        try:
            with self.path.open("r+b") as file:
                file.seek(place)
                file.write(data)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            what = f"{self.path} takes no more, {error.strerror}: its results so far are whole{user_line()}"
            raise OSError(error.errno, what) from error
        self.end += len(data)
        return place


def _digest(arguments: tuple[Any, ...]) -> bytes:
    """Return a digest of the bits of arguments."""
    digest = sha256(repr(outline_key(list(arguments))).encode())
    for x in map(np.asarray, flatten(list(arguments))[0]):
        digest.update(f"{x.dtype.str}{x.shape}".encode())
        digest.update(x.tobytes())
    return digest.digest()


def checkpointed(function: Callable[..., Any], path: Any) -> Journal:
    """Return ``function`` with its results kept in a file, for a run that may be broken off, by ``kill -9`` also.

    Start the run again as it was: the calls that the broken one made are answered from the file, bit for bit, and the
    next ones are computed. Whatever calls it, such as ``scipy.optimize.minimize``, then goes on where it was, with the
    numbers of an unbroken run; nothing of its state has to be known. A result is on the disk before it is returned, and
    one that was broken off in writing is dropped. The file grows by one result a call, of a gradient the size of θ. It
    is pickled: open no file of somebody whom you do not trust.

    Raises ValueError where a call has other arguments than the broken run had, OSError where the disk is full: the
    file then ends with the result before, and the run goes on from there when there is room.

    >>> import tempfile
    >>> from autodiff import value_and_grad
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     both = checkpointed(value_and_grad(lambda x: x**3), folder + "/run")
    ...     both(2.0)
    ...     checkpointed(both.function, folder + "/run")
    (8.0, 12.0)
    <checkpointed value_and_gradient: 1 results in ...>
    """
    return Journal(function, path)
