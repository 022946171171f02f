"""Sparse matrices whose elements are numbers: products, sums and equations of these, and of SciPy's with numbers.

- ``places``: where elements stand, in plain arrays of integers.
- ``formats``: how the elements are stored.
- ``arrays``: `SparseArray`, with its arithmetic.
"""

from .arrays import SparseArray, as_sparse_array

__all__ = ["SparseArray", "as_sparse_array"]
