"""Diagonals and their sums."""

import numpy as np

from ...foreign import as_like
from ...forms import real_dtype_of, shape
from ...table import composition, linear
from ...table.batching import by_axis, by_places
from ..arrays.rearranging import rearrangement
from ..indexing import getitem, refuse_writing, scatter
from ..shaping import cast, over_matrices, view
from .products import moved


@rearrangement(of=np.diagonal, put=refuse_writing, batched=by_axis(1, 2))
def diagonal(a, offset=0, axis1=0, axis2=1):
    return np.diagonal(a, offset, axis1, axis2)


def _diag_adjoint(g, v, k):
    """Return the diagonal that a vector became; of a matrix zeros but for its diagonal."""
    places = np.arange(shape(g)[0] if len(shape(v)) == 2 else shape(v)[0])
    places = places + max(-k, 0), places + max(k, 0)
    return scatter(g, shape(v), places) if len(shape(v)) == 2 else getitem(g, places)


# a row whose places are written out: to find them by numbers takes ten times as long
@linear(_diag_adjoint, of=np.diag, put=refuse_writing, batched=by_places)
def diag(v, k=0):
    return np.diag(v, k)


@rearrangement(of=np.diagflat, needs=np.diag)
def diagflat(v, k=0):
    return np.diag(np.ravel(v), k)


def _trace_adjoint(g, a, offset, axis1, axis2):
    """Return z̄ at each place of the diagonal."""
    ones = as_like(np.eye(shape(a)[axis1], shape(a)[axis2], offset, real_dtype_of(a)), a)
    return moved(over_matrices(g) * ones, (axis1, axis2), to_end=False)


def _tracing(a, offset=0, axis1=0, axis2=1, dtype=None):
    return cast(a, dtype, "unsafe"), offset, axis1, axis2


# a row, not the sum of a diagonal, whose adjoint finds its places by numbers: a third of the time
@linear(_trace_adjoint, of=np.trace, call=_tracing, batched=by_axis(1, 2))
def trace(a, offset, axis1, axis2):
    return np.trace(a, offset, axis1, axis2)


@composition(np.linalg.diagonal)
def matrix_diagonal(x, /, *, offset=0):
    """A diagonal of every matrix of a stack."""
    return view(diagonal, x, offset, -2, -1)


@composition(np.linalg.trace)
def matrix_trace(x, /, *, offset=0, dtype=None):
    """The sum of a diagonal of every matrix of a stack."""
    return trace(*_tracing(x, offset, -2, -1, dtype))
