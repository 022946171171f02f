"""Where the lines of a tape come from: the user's line of code, and the part of it that was evaluated.

Only a tape made to note it does so, by a list of values that looks at the stack at each append: others pay nothing.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from dualnumbers.errors import is_users, stack

from .tape import Tape


class Source(NamedTuple):
    """A line of code without its indentation, of which ``text[start:end]`` was evaluated; ``where`` is "file:line"."""

    text: str
    start: int
    end: int
    where: str = ""


EVALUATORS: dict[CodeType, Callable[[FrameType], Source]] = {}
"""Code of ours that evaluates a text of the user's: how to find, in its frame, the part that is evaluated."""


class SourcedTape(Tape):
    """A tape that notes where each of its lines comes from."""

    __slots__ = ("sources",)

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[Source | None] = []
        self.values = _Noting(self.sources)


class _Noting(list[Any]):
    """The values of such a tape."""

    def __init__(self, sources: list[Source | None]) -> None:
        super().__init__()
        self.sources = sources

    def append(self, value: Any) -> None:
        self.sources.append(running())
        super().append(value)


def running() -> Source | None:
    """The user's code that runs now; None where none does, or its text is not to be had."""
    for frame in stack():
        evaluator = EVALUATORS.get(frame.f_code)
        if evaluator is not None:
            return evaluator(frame)
        if is_users(frame):
            return _of_frame(frame)
    return None


def part_of_line(line: str, start: int, end: int, where: str = "") -> Source:
    """A source from the columns of a line in UTF-8 bytes, as Python counts them."""
    before, inside = line.encode()[:start].decode(), line.encode()[start:end].decode()
    indented = len(line) - len(line.lstrip())
    begin = max(len(before) - indented, 0)
    return Source(line.strip(), begin, begin + len(inside.rstrip()), where)


def _of_frame(frame: FrameType) -> Source | None:
    """The line and, as far as it stands on that line, the part of it that a frame is at."""
    code = frame.f_code
    first, last, start, end = next(islice(code.co_positions(), frame.f_lasti // 2, None))
    number = first or frame.f_lineno
    line = linecache.getline(code.co_filename, number, frame.f_globals)
    if not line.strip():
        return None
    if start is None or end is None:  # Python was told to keep no columns
        start, end = 0, len(line.encode())
    where = f"{Path(code.co_filename).name}:{number}"
    return part_of_line(line, start, end if last == number else len(line.encode()), where)
