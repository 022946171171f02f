"""Sparse linear systems; the matrix is its elements, their rows and columns, of which equal places add."""

from ....forms import shape
from ....table import smooth
from ....table.batching import by_columns
from ....table.kinds import Linear
from ...complexes import conj
from ...from_scipy import imported
from ...indexing import getitem, scatter
from ...shaping import expand_dims


def _push(d, z, data, b, row, column):
    """A dx = −dA x."""
    elements = d if len(shape(z)) == 1 else expand_dims(d, -1)
    return -spsolve(data, scatter(elements * getitem(z, (column,)), shape(z), (row,)), row, column)


@smooth(
    _push, Linear(lambda g, data, b, row, column: spsolve(conj(data), g, column, row)), solves=True, batched=by_columns
)
def spsolve(data, b, row, column):
    """By SuperLU, whose answer is in double precision for integers."""
    matrix = imported("sparse.csc_array")((data, (row, column)), shape=(len(b), len(b)))
    return imported("sparse.linalg.spsolve")(matrix, b).reshape(b.shape)
