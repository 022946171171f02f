"""Where the lines of a tape come from: the user's line of code, and the part of it that was evaluated.

Only a tape made to note it does so, by a list of values that looks at the stack at each append: others pay nothing.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from dualnumbers.messages.frames import is_standard, is_users, stack

from .recorder import Recorder


class Source(NamedTuple):
    """A line of code without its indentation, of which ``text[start:end]`` was evaluated; ``where`` is "file:line"."""

    text: str
    start: int
    end: int
    where: str = ""


Position = tuple[int | None, int | None, int | None, int | None]
"""First and last line, first and last column, as ``co_positions`` has them."""

EVALUATORS: dict[CodeType, Callable[[FrameType], Any]] = {}
"""Code of ours that evaluates a text of the user's: how to find, in its frame, the part that is evaluated.

Where that gives NotImplemented, the user's code is that which called it.
"""


class SourcedTape(Recorder):
    """A tape that notes where each of its lines comes from.

    Code whose text is not to be had, as at Python's prompt, is None there, or with ``textless`` its place alone.
    """

    __slots__ = ()
    sources: list[Source | None]

    def __init__(self, textless: bool = False) -> None:
        super().__init__()
        self.sources = []
        self.values = _Noting(self.sources, textless)


class _Noting(list[Any]):
    """The values of such a tape; ``positions`` are those of each function's code, under the id of that."""

    def __init__(self, sources: list[Source | None], textless: bool) -> None:
        super().__init__()
        self.sources, self.textless = sources, textless
        self.positions: dict[int, tuple[CodeType, list[Position]]] = {}

    def append(self, value: Any) -> None:
        self.sources.append(self.running())
        super().append(value)

    def running(self) -> Source | None:
        """Return the user's code that runs now; None where none does, or its text is not to be had."""
        for frame in stack():
            if is_users(frame) and not is_standard(frame):
                found = _at(frame, self.position(frame))
                if found is None and self.textless:
                    return Source("", 0, 0, _place(frame.f_code.co_filename, frame.f_lineno))
                return found
            evaluator = EVALUATORS.get(frame.f_code)
            if evaluator and (found := evaluator(frame)) is not NotImplemented:
                return found  # type: ignore[no-any-return]
        return None

    def position(self, frame: FrameType) -> Position:
        """Return where in its file a frame is, by its code's id: to hash or compare code takes longer as it grows."""
        code = frame.f_code
        if id(code) not in self.positions:
            self.positions[id(code)] = code, list(code.co_positions())
        return self.positions[id(code)][1][frame.f_lasti // 2]


def part_of_line(line: str, start: int, end: int, where: str = "") -> Source | None:
    """Cut a part out of a line by columns in UTF-8 bytes, as Python counts them; None where they do not fit it."""
    text = line.encode()
    try:
        before, inside = text[:start].decode(), text[start:end].decode()
    except UnicodeDecodeError:  # the file is no longer what was imported
        return None
    if end > len(text):
        return None
    indented = len(line) - len(line.lstrip())
    begin = max(len(before) - indented, 0)
    return Source(line.strip(), begin, begin + len(inside.rstrip()), where)


def _at(frame: FrameType, position: Position) -> Source | None:
    """Return the line that a frame is at and, as far as it stands on that line, the part of it."""
    code = frame.f_code
    first, last, start, end = position
    number = first or frame.f_lineno
    line = linecache.getline(code.co_filename, number, frame.f_globals)
    if not line.strip():
        return None
    if start is None or end is None:  # Python was told to keep no columns
        start, end = 0, len(line.encode())
    return part_of_line(line, start, end if last == number else len(line.encode()), _place(code.co_filename, number))


def _place(file: str, number: int) -> str:
    """Name a line of a file; the file of a notebook's cell has a name that no reader knows."""
    path = Path(file)
    return f"line {number} of its cell" if path.parent.name.startswith("ipykernel_") else f"{path.name}:{number}"
