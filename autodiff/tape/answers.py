"""What a recording notes of the questions that rules asked of its values, to ask them again at other inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dualnumbers.messages.frames import Reader


class Answer(NamedTuple):
    """What somebody asked of a line's value to decide by, a function and its further arguments, and what it gave."""

    question: Callable[..., Any]
    static: tuple[Any, ...]
    answer: Any
    place: Reader | None = None
    """The user's line of code, where that is known."""
