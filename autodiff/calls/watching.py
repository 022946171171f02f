"""Who looks on while differentiations run: nobody, or what finds the first NaN (`autodiff.debug_nans`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, Protocol

from dualnumbers.levels import Level, has_nan


class Watch(Protocol):
    """What is told of every differentiation of a thread, as long as it is the `WATCH` there."""

    def new_tape(self) -> Any:
        """Return the empty tape on which a function is to be recorded."""

    def watched(self, f: Callable[..., Any], level: Level) -> Callable[..., Any]:
        """Return a function that calls ``f`` with the numbers of a level, and looks at what it returns."""

    def check_adjoints(self, tape: Any, seeds: dict[int, Any], found: list[Any]) -> None:
        """Look at the adjoints ``found`` of the inputs, for those of output lines."""

    def check_tangents(self, tape: Any, found: dict[int, Any], lines: Iterable[int]) -> None:
        """Look at the tangents of the lines that are wanted, of all that were found."""

    def doubts(self, derivative: Any) -> bool:
        """Return whether a derivative that was found at once is to be found again step by step, to look at each."""


WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)
"""Who looks on in this thread, or in this task of an event loop, as `np.errstate` holds there."""

watching = WATCH.get


def in_doubt(derivative: Any) -> bool:
    """Return whether a derivative that was found at once is to be found again step by step.

    So it is where it is NaN, for the steps tell apart the zeros that meet infinite slopes; or where the watch says so.
    """
    watch = watching()
    return has_nan(derivative) or (watch is not None and watch.doubts(derivative))
