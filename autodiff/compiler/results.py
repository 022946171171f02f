"""Results that are sparse arrays of SciPy: a program gives their elements, at fixed places."""

from __future__ import annotations

import sys
from copy import copy
from typing import Any

from dualnumbers.levels import is_number

from ..calls.structures import register_structure


class Sparse:
    """A sparse array whose elements are one leaf, as a structure that is put together as such an array again."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix


def with_elements(matrix: Any, data: Any) -> Any:
    """Return a sparse array of other elements at the same places, with nothing that it shares with the first one."""
    other = copy(matrix)
    other.data, other.indices, other.indptr = data, matrix.indices.copy(), matrix.indptr.copy()
    return other


register_structure(Sparse, lambda x: [x.matrix.data], lambda x, parts: with_elements(x.matrix, *parts))


def is_sparse(x: Any) -> bool:
    """Return whether a value is an array in SciPy's format of compressed rows."""
    return "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(x) and x.format == "csr"


def as_structure(x: Any) -> Any:
    """Return a sparse array of numbers that are recorded as a structure, any other value as it is."""
    return Sparse(x) if is_sparse(x) and is_number(type(x.data)) else x
