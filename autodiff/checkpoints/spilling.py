"""States that lie on the disk until the sweep comes to them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.structures import map_leaves


class OnDisk:
    """An array in a file of a folder; it has no name where the system allows that, and is gone with this object."""

    def __init__(self, x: Any, folder: Path) -> None:
        try:
            self.file = TemporaryFile(dir=folder)  # noqa: SIM115 - it is open as long as this is
            np.save(self.file, x, allow_pickle=False)
            self.file.flush()
        except OSError as error:
            what = f"{folder} takes no state of checkpointed_loop, {error.strerror or error}{user_line()}"
            raise OSError(error.errno, what) from error

    def __del__(self) -> None:
        if hasattr(self, "file"):
            self.file.close()


def spilled(state: Any, folder: Path | None) -> Any:
    """Return a state with its plain arrays on the disk, the state itself where there is no folder for them."""
    if folder is None:
        return state
    return map_leaves(lambda x: OnDisk(x, folder) if type(x) is np.ndarray and x.dtype.kind in "biufc" else x, state)


def fetched(state: Any) -> Any:
    """Return a state with its arrays in memory."""
    return map_leaves(_read, state)


def _read(x: Any) -> Any:
    if not isinstance(x, OnDisk):
        return x
    x.file.seek(0)
    return np.load(x.file, allow_pickle=False)
