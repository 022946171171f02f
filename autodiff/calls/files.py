"""Paths that callers give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dualnumbers.messages.errors import user_line


def path_of(x: Any, what: str) -> Path:
    """Return what a caller gave as a path; TypeError that says ``what`` is wanted where it is none."""
    try:
        return Path(x)
    except TypeError as error:
        raise TypeError(f"{what}, a str or pathlib.Path, not {x!r}{user_line()}") from error
