"""Products of a sparse matrix with an array. The matrix is its elements, and two arrays that say where they stand.

Which two depends on the format, as in SciPy: the rows and the columns (coo); the indices, and where each row (csr),
column (csc) or row of blocks (bsr) begins; the offsets of the diagonals, twice (dia).
"""

import math

import numpy as np

from ....forms import shape
from ....table import multilinear
from ....table.batching import flat
from ...complexes import conj
from ...from_scipy import imported, uncomputed
from ...indexing import getitem, scatter
from ...reductions import sum as total
from ...shaping import expand_dims, reshape, transpose


def coordinates(first, second, form, dims, elements):
    """Return the row and the column of each element, two plain arrays of the shape ``elements``.

    Also the mask of those within the matrix: a diagonal is stored with elements outside. None where all are.
    """
    if form == "coo":
        return first, second, None
    if form == "dia":
        column = np.broadcast_to(np.arange(elements[1]), elements)
        row = column - first[:, None]
        inside = (row >= 0) & (row < dims[0]) & (column < dims[1])
        return np.where(inside, row, 0), np.where(inside, column, 0), inside
    across = np.repeat(np.arange(len(second) - 1), np.diff(second))
    if form == "csr":
        return across, first, None
    if form == "csc":
        return first, across, None
    height, width = elements[1:]
    row = across[:, None, None] * height + np.arange(height)[:, None]
    column = first[:, None, None] * width + np.arange(width)
    return *np.broadcast_arrays(row, column), None


def matrix(data, first, second, form, dims):
    """Return SciPy's array of plain elements."""
    places = (first,) if form == "dia" else ((first, second),) if form == "coo" else (first, second)
    return imported(f"sparse.{form}_array")((data, *places), shape=dims)


def _turned(first, second, form, dims, elements, transposed):
    row, column, inside = coordinates(first, second, form, dims, elements)
    return (column, row, inside) if transposed else (row, column, inside)


def _of_elements(g, data, x, first, second, form, dims, transposed):
    """Return the adjoint of the elements: of that in row i and column j z̄ᵢ x̄ⱼ, summed over the columns of x."""
    row, column, inside = _turned(first, second, form, dims, shape(data), transposed)
    found = getitem(g, (row.ravel(),)) * getitem(conj(x), (column.ravel(),))
    found = reshape(total(found, -1, False) if len(shape(x)) > 1 else found, shape(data), "C")
    return found if inside is None else found * inside


def _of_all(apply, xs, members, form, dims, transposed):
    """Multiply with all members beside one another; where the elements are of members, element by element."""
    data, x, first, second = xs
    if members[2] or members[3]:
        return None
    if members[0]:
        row, column, inside = _turned(first, second, form, dims, shape(data)[1:], transposed)
        data = flat(data if inside is None else data * inside)
        x = getitem(x, (slice(None), column.ravel()) if members[1] else (column.ravel(),))
        if len(shape(x)) > 1 + members[1]:
            data = expand_dims(data, -1)
        height = dims[1] if transposed else dims[0]
        product = data * x
        count, _, *k = shape(product)
        return scatter(product, (count, height, *k), (slice(None), row.ravel()))
    count, n, *k = shape(x)
    if len(k) > 1:
        return None
    beside = reshape(transpose(x, (1, 0, *range(2, 2 + len(k)))), (n, math.prod((count, *k))), "C")
    z = apply(data, beside, first, second, form, dims, transposed)
    return transpose(reshape(z, (shape(z)[0], count, *k), "C"), (1, 0, *range(2, 2 + len(k))))


@multilinear(
    _of_elements,
    lambda g, data, x, first, second, form, dims, transposed: sparse_matmul(
        conj(data), g, first, second, form, dims, not transposed
    ),
    None,
    None,
    batched=_of_all,
)
def sparse_matmul(data, x, first, second, form, dims, transposed):
    uncomputed("sparse", data, x)
    found = matrix(data, first, second, form, dims)
    return (found.T if transposed else found) @ x
