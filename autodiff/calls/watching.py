"""Who looks on while differentiations run: nobody, or what finds the first NaN (`autodiff.debug_nans`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from dualnumbers.levels import Level


class Watch(Protocol):
    """What is told of every differentiation, in whatever thread, as long as it is one of `WATCHES`."""

    def new_tape(self) -> Any:
        """Return the empty tape on which a function is to be recorded."""

    def watched(self, f: Callable[..., Any], level: Level) -> Callable[..., Any]:
        """Return a function that calls ``f`` with the numbers of a level, and looks at what it returns."""

    def check_adjoints(self, tape: Any, seeds: dict[int, Any], found: list[Any]) -> None:
        """Look at the adjoints ``found`` of the inputs, for those of output lines."""

    def check_tangents(self, tape: Any, found: dict[int, Any], lines: Iterable[int]) -> None:
        """Look at the tangents of the lines that are wanted, of all that were found."""


WATCHES: list[Watch] = []
"""The last of these looks on."""
