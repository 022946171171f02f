"""Sparse linear systems; the matrix is its elements, their rows and columns, of which equal places add.

Its factors are kept with the system: tangents, adjoints and further right sides are found by those of the value.
"""

import warnings

import numpy as np

from ....forms import shape
from ....table import smooth
from ....table.batching import by_columns
from ....table.kinds import Linear
from ...complexes import conj
from ...from_scipy import imported, uncomputed
from ...indexing import getitem, scatter
from ...shaping import expand_dims


class System:
    """Where the elements of a square matrix stand, and the factors of the last matrix that was solved with.

    ``ordering`` is SuperLU's ``permc_spec``, ``options`` are others of ``scipy.sparse.linalg.splu``.
    """

    def __init__(self, row, column, n, ordering=None, options=None):
        self.row, self.column, self.n = np.array(row), np.array(column), n
        self.ordering, self.options = ordering, options or {}
        self._last = None

    def factors(self, data):
        """Return the elements that were factorised, and their factors; RuntimeError where the matrix is singular."""
        last = self._last
        if (
            last is not None
            and last[0].dtype == data.dtype
            and (np.array_equal(last[0], data) or (data.dtype.kind == "c" and np.array_equal(last[0], np.conj(data))))
        ):
            return last
        matrix = imported("sparse.csc_array")((data, (self.row, self.column)), shape=(self.n, self.n))
        self._last = found = data.copy(), imported("sparse.linalg.splu")(matrix, self.ordering, **self.options)
        return found

    def solve(self, data, b, transposed):
        """Return the solution of A x = b, or of Aᵀ x = b; RuntimeError where the matrix is singular."""
        real = np.result_type(data, b.real.dtype, np.float32)
        factorised, factors = self.factors(data.astype(real, copy=False))
        if b.dtype.kind == "c" and real.kind != "c":
            parts = (factors.solve(part.astype(real), "T" if transposed else "N") for part in (b.real, b.imag))
            return np.ascontiguousarray(next(parts) + 1j * next(parts))
        b = b.astype(real, copy=False)
        if np.array_equal(factorised, data):
            return np.ascontiguousarray(factors.solve(b, "T" if transposed else "N"))
        if transposed:  # with the conjugate of the elements
            return np.ascontiguousarray(factors.solve(b, "H"))
        return np.conj(np.ascontiguousarray(factors.solve(np.conj(b), "N")))

    def is_alike(self, other):
        """Return whether another system has its elements at the same places."""
        return self.n == other.n and np.array_equal(self.row, other.row) and np.array_equal(self.column, other.column)

    def __getstate__(self):
        return vars(self) | {"_last": None}  # SuperLU's factors cannot be pickled


def _push(d, z, data, b, system, transposed):
    """A dx = −dA x."""
    row, column = (system.column, system.row) if transposed else (system.row, system.column)
    elements = d if len(shape(z)) == 1 else expand_dims(d, -1)
    change = scatter(elements * getitem(z, (column,)), shape(z), (row,))
    return -spsolve(data, change, system, transposed)


@smooth(
    _push,
    Linear(lambda g, data, b, system, transposed: spsolve(conj(data), g, system, not transposed)),
    solves=True,
    batched=by_columns,
)
def spsolve(data, b, system, transposed):
    """By SuperLU, whose answer is in double precision for integers; NaN, with a warning, where A is singular."""
    uncomputed("sparse.linalg.splu", data, b)
    try:
        return system.solve(data, b, transposed)
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        warnings.warn("Matrix is exactly singular", imported("sparse.linalg.MatrixRankWarning"), stacklevel=2)
        return np.full(b.shape, np.nan, np.result_type(data, b, np.float32))
