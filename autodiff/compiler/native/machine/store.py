"""Machine code that is kept on disk, so that another process need not make it again: where the user asks for it.

The environment variable ``DUALAUTODIFF_CACHE`` is a folder, or ``1`` for one in the user's folder for caches. What is
wrong with a file, a folder or a disk is no error: the code is made then.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

VARIABLE = "DUALAUTODIFF_CACHE"

LARGEST = 1 << 28
"""How many bytes are kept; the files that were not used for longest are removed."""

SHARE = 16
"""A process looks how much is kept when it has added that part of it: with each file it would take ever longer."""

_added: dict[Path, int] = {}
"""The bytes that this process has kept in a folder since it looked; none where it never did."""

MARK = b"machine code of dualautodiff 1\n"
NAME = re.compile(r"[0-9a-f]{64}\.o")
NEW, OLD = ".new-", 3600.0
"""How the name of a file begins that is being written, and after how many seconds it was left behind."""


def folder() -> Path | None:
    """Return where machine code is kept; None where that is not asked for."""
    asked = os.environ.get(VARIABLE, "").strip()
    if asked.lower() in ("", "0", "no", "off", "false"):
        return None
    try:
        return _of_user() if asked.lower() in ("1", "yes", "on", "true") else Path(asked).expanduser().absolute()
    except (OSError, RuntimeError, ValueError):  # there is no home
        return None


def _of_user() -> Path:
    """Return the user's folder for caches, and ours in it."""
    if sys.platform == "win32":
        above = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        above = Path.home() / "Library" / "Caches"
    else:
        asked = Path(os.environ.get("XDG_CACHE_HOME", ""))
        above = asked if asked.is_absolute() else Path.home() / ".cache"
    return above / "dualautodiff"


def name_of(*parts: str) -> str:
    """Return the name of what is made from some texts."""
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256("\n".join([lengths, *parts]).encode()).hexdigest()


def fetch(name: str) -> bytes | None:
    """Return the code of a name; None where there is none that is whole."""
    within = folder()
    if within is None:
        return None
    path = within / f"{name}.o"
    try:
        known = path.lstat()
        if not (_is_ours(within) and stat.S_ISREG(known.st_mode) and known.st_size <= LARGEST):
            return None
        data = path.read_bytes()
    except (OSError, ValueError, MemoryError):  # a name that the system does not take is a ValueError
        return None
    code = data[len(MARK) + 32 :]
    if not code or data[: len(MARK) + 32] != _head(name, code):
        _remove(path)
        return None
    with suppress(OSError):
        os.utime(path)
    return code


def has(name: str) -> bool:
    """Return whether there is a file with the code of a name, which need not be whole."""
    within = folder()
    if within is None:
        return False
    try:
        return (within / f"{name}.o").exists()
    except (OSError, ValueError):
        return False


def keep(name: str, code: bytes) -> None:
    """Keep the code of a name, if that can be."""
    within = folder()
    if within is None:
        return
    new = ""
    try:
        within.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(within):
            return
        number, new = tempfile.mkstemp(prefix=NEW, dir=within)
        with os.fdopen(number, "wb") as file:
            file.write(_head(name, code) + code)
        Path(new).replace(within / f"{name}.o")
        _added[within] = _added.get(within, LARGEST) + len(code)
        if _added[within] > LARGEST // SHARE:
            _added[within] = 0
            _trim(within)
    except (OSError, ValueError):
        if new:
            _remove(Path(new))


def _head(name: str, code: bytes) -> bytes:
    """Return what a file begins with: what it is, and a sum to check it by."""
    return MARK + hashlib.sha256(name.encode() + code).digest()


def _is_ours(within: Path) -> bool:
    """Return whether a folder belongs to the user, and no other may write to it."""
    if sys.platform == "win32":
        return True
    found = within.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _trim(within: Path) -> None:
    """Remove the files that were not used for longest where they are too many, and those left behind half written."""
    found: list[tuple[float, int, Path]] = []
    for entry in within.iterdir():
        try:
            known = entry.lstat()
        except OSError:  # another process has removed it
            continue
        if NAME.fullmatch(entry.name):
            found.append((known.st_mtime, known.st_size, entry))
        elif entry.name.startswith(NEW) and known.st_mtime < time.time() - OLD:
            _remove(entry)
    size = sum(one for _, one, _ in found)
    if size > LARGEST:
        for _, one, path in sorted(found):
            _remove(path)
            size -= one
            if size <= LARGEST * 3 // 4:
                return


def _remove(path: Path) -> None:
    """Remove a file, if that can be."""
    with suppress(OSError):
        path.unlink()
