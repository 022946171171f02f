"""scipy.sparse for numbers that carry derivatives.

A sparse matrix of SciPy's holds plain elements. Beside numbers it is a constant, and ``A @ x``, ``x @ A``, ``x * A``,
``A + x`` are differentiated as they are. Here are matrices whose *elements* are numbers: `csr_array` and its like make
one where an element is; of plain elements they make SciPy's own.

>>> import numpy as np
>>> from autodiff import grad
>>> from autodiff.scipy.sparse import coo_array
>>> row, column, v = [0, 0, 1], [0, 1, 1], np.array([1.0, 2.0])
>>> grad(lambda d: v @ (coo_array((d, (row, column))) @ v))(np.array([3.0, 4.0, 5.0]))
array([1., 2., 4.])
"""

from .._counterpart import missing
from . import linalg
from ._joining import block_array, block_diag, diags, diags_array, hstack, kron, vstack
from ._making import (
    coo_array,
    coo_matrix,
    csc_array,
    csc_matrix,
    csr_array,
    csr_matrix,
    dia_array,
    dia_matrix,
)

__all__ = [
    "block_array",
    "block_diag",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "dia_array",
    "dia_matrix",
    "diags",
    "diags_array",
    "hstack",
    "kron",
    "linalg",
    "vstack",
]
__getattr__ = missing(__name__)
