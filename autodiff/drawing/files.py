"""Files that are written whole or not at all: beside their place first, then moved there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write(path: str | Path, content: str | Callable[[Path], object]) -> None:
    """Write a text, or what ``content`` writes to the path that it is given, in place of what is at ``path``.

    A file that was there is replaced, as by every ``savefig``; a link is replaced and not followed. Where writing fails
    it stays as it was.
    """
    path = Path(path)
    beside = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        if callable(content):
            content(beside)
        else:
            beside.write_text(content, encoding="utf-8")
        beside.replace(path)
    except OSError as error:  # that names the file beside
        if error.filename != str(beside):
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        beside.unlink(missing_ok=True)
