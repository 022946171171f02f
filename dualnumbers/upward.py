"""What lower floors call on upper ones: all imports against the direction of the house, in one table.

A number that meets a sparse matrix of SciPy's gives an array of `dualnumbers.sparse`, which is made of numbers. Each
name is imported from its module when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .late import late

if TYPE_CHECKING:
    from .sparse import SparseArray, as_sparse_array

__all__ = ["SparseArray", "as_sparse_array"]

UPWARD = {"SparseArray": "sparse", "as_sparse_array": "sparse"}
"""Name → the module of `dualnumbers` above that has it."""

__getattr__ = late(__name__, UPWARD, __package__)
