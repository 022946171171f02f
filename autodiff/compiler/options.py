"""What a user may ask of `jit`."""

from __future__ import annotations

from typing import NamedTuple

from dualnumbers.messages.errors import user_line

PATHS = 16
"""How many paths are recorded for arguments of one form, unless told otherwise."""

STEPS = 1_000_000
"""Up to how many steps are compiled, unless told otherwise: to find the loops in as many takes 40 s, and two GB."""


class Options(NamedTuple):
    """How a function is compiled; `jit` says what each does."""

    max_paths: int = PATHS
    check: bool = False
    exact: bool = False
    threads: int = 1
    profile: bool = False
    max_steps: int = STEPS

    def checked(self) -> Options:
        """Return them; raise ValueError where a count is none."""
        for name, of in (
            ("max_paths", "ways are kept"),
            ("threads", "threads share loops"),
            ("max_steps", "operations are compiled"),
        ):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ValueError(f"{name} is a whole number of at least 1, how many {of}, not {count!r}{user_line()}")
        return self
