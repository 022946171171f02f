"""Products of a large captured matrix and a vector: its rows are multiplied as they are compared with their copy.

To compare 4 MB with a copy of theirs takes as long as to multiply them, for both read memory: so they are read once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..calls.captured import FAR


def by_rows(tape: Any, product: Callable[..., Any], x: Any, w: Any) -> tuple[Any, int] | None:
    """Return the product of a captured matrix and a vector, and the operand number of the matrix; None of others."""
    if x.nbytes < FAR or x.ndim != 2 or type(w) is not np.ndarray or w.ndim != 1:
        return None
    if len(w) != x.shape[1] or w.dtype is not x.dtype:
        return None
    z = np.empty(len(x), x.dtype)
    kept = tape.captures().keep_by_rows(x, lambda rows: product(x[rows], w, out=z[rows]))
    return None if kept is None else (z, tape.add_constant(kept))
