"""A tape that is an ordinary one until a large value comes up; from then on it promises values.

So a program of small arrays is recorded as fast as ever, and one that makes large arrays of small arguments does not
compute them. Handles on values that are there stay ordinary ones, whose operations are computed; those on what is
promised, or large, are lazy. Where a promised value is written into an array that has an ordinary handle, all that was
promised is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dualnumbers.table.row import Face

from .handles import CLASS
from .keeping import LARGE
from .lazy import LazyRecorder, is_large, makes_large
from .program import line_of
from .recorder import Recorder


class LazyWhenLarge(LazyRecorder):
    """A tape whose large values are promised from the first one on."""

    __slots__ = ("_looked_at",)
    has_begun = False
    classes: dict[tuple[type, bool], type] = CLASS
    append = Recorder.append
    as_input = Recorder.as_input

    def __init__(self) -> None:
        super().__init__()
        self._looked_at = 0
        """Up to which line is known what depends on the inputs."""

    def add_input(self, value: Any) -> int:
        line = Recorder.add_input(self, value)
        self.moving.add(line)
        return line

    def handle_on(self, value: Any, line: int) -> Any:
        if type(value) is not np.ndarray or value.nbytes < LARGE:
            return Recorder.handle_on(self, value, line)
        self.__class__ = _Begun
        return self.handle_on(value, line)

    def computed(self, face: Face, operands: Sequence[int | None], xs: list[Any], static: tuple[Any, ...]) -> Any:
        if not (face.row.is_elementwise and makes_large(xs)):
            return face.evaluate(*xs, *static)
        self.__class__ = _Begun
        return self.computed(face, operands, xs, static)

    def compute(self) -> None:
        if self.promised:
            super().compute()


class _Begun(LazyWhenLarge):
    """Such a tape when a large value has come up."""

    __slots__ = ()
    has_begun = True
    classes = LazyRecorder.classes
    append = LazyRecorder.append

    def handle_on(self, value: Any, line: int) -> Any:
        if is_large(value) or line in self.promised:
            return LazyRecorder.handle_on(self, value, line)
        return Recorder.handle_on(self, value, line)

    def computed(self, face: Face, operands: Sequence[int | None], xs: list[Any], static: tuple[Any, ...]) -> Any:
        for line in range(self._looked_at, len(self.values)):  # those of ordinary handles are not noted elsewhere
            if not self.moving.isdisjoint(map(line_of, self.operands(line))):
                self.moving.add(line)
        self._looked_at = len(self.values)
        return LazyRecorder.computed(self, face, operands, xs, static)
