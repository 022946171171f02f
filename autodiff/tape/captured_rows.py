"""Products of a large captured matrix and a vector: its rows are multiplied as they are compared with their copy.

To compare 4 MB with a copy of theirs takes as long as to multiply them, for both read memory: so they are read once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.table.row import Face

from ..calls.captured import FAR
from .fast_paths import ACTIVE, in_two


def by_rows(face: Face) -> Callable[..., Any]:
    """Record a product of matrices as `fast_paths.in_two`, but that of a large captured one and a vector."""
    general, row, plainly = in_two(face), face.row, face.plain

    def recorded(x: Any, y: Any) -> Any:
        if type(x) is not np.ndarray or x.nbytes < FAR or x.ndim != 2 or type(y) not in ACTIVE:
            return general(x, y)
        tape, second = y.tape, y.line
        w = tape.values[second]
        if type(w) is not np.ndarray or w.ndim != 1 or len(w) != x.shape[1] or w.dtype is not x.dtype:
            return general(x, y)
        z = np.empty(len(x), x.dtype)
        kept = tape.captures().keep_by_rows(x, lambda rows: plainly(x[rows], w, out=z[rows]))
        if kept is None:
            return general(x, y)
        place = len(tape.values)
        handle = tape.handle_on(z, place)
        tape.append(row, tape.add_constant(kept), second, z, place)
        return handle

    return recorded
