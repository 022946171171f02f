"""What a product with a sparse matrix connects: it is read off where the elements stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dualnumbers.forms import shape, size
from dualnumbers.levels import plain

from .pattern import RULES, Reason

if TYPE_CHECKING:
    from .pattern import _Patterns


def _connected(patterns: _Patterns, line: int, place: int) -> Any:
    """Return of which elements of the matrix (place 0) or the array (place 1) each one of the product is made."""
    from scipy.sparse import csr_array, eye_array, kron

    from dualnumbers.rules.of_scipy.linalg.sparse_products import coordinates  # loaded, where one was recorded

    tape = patterns.tape
    data, x, first, second = (plain(tape.value(k)) for k in tape.operands(line))
    form, dims, transposed = tape.static[line]
    patterns.reasons += [Reason(line, 2, True), Reason(line, 3, True)]
    row, column, inside = coordinates(first, second, form, dims, shape(data))
    row, column = (column, row) if transposed else (row, column)
    chosen = np.arange(size(data)) if inside is None else np.flatnonzero(inside)
    row, column = row.ravel()[chosen], column.ravel()[chosen]
    height, width = dims[::-1] if transposed else dims
    across = shape(x)[1] if len(shape(x)) > 1 else 1
    if place == 1:
        found = csr_array((np.ones(len(row), bool), (row, column)), shape=(height, width))
        return found if across == 1 else csr_array(kron(found, eye_array(across, dtype=bool)))
    rows = (row[:, None] * across + np.arange(across)).ravel()
    return csr_array((np.ones(len(rows), bool), (rows, np.repeat(chosen, across))), shape=(height * across, size(data)))


RULES["sparse_matmul"] = _connected
