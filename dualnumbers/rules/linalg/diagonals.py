"""Diagonals and their sums."""

import numpy as np

from ...table import composition
from ..arrays.rearranging import rearrangement
from ..indexing import refuse_writing
from ..reductions import sum
from ..shaping import cast, view


@rearrangement(of=np.diagonal, put=refuse_writing)
def diagonal(a, offset=0, axis1=0, axis2=1):
    return np.diagonal(a, offset, axis1, axis2)


@rearrangement(of=np.diag, put=refuse_writing)
def diag(v, k=0):
    return np.diag(v, k)


@rearrangement(of=np.diagflat)
def diagflat(v, k=0):
    return np.diagflat(v, k)


@composition(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of a diagonal."""
    return sum(cast(diagonal(a, offset, axis1, axis2), dtype, "unsafe"), -1, False)


@composition(np.linalg.diagonal)
def matrix_diagonal(x, /, *, offset=0):
    """A diagonal of every matrix of a stack."""
    return view(diagonal, x, offset, -2, -1)


@composition(np.linalg.trace)
def matrix_trace(x, /, *, offset=0, dtype=None):
    """The sum of a diagonal of every matrix of a stack."""
    return trace(x, offset, -2, -1, dtype)
