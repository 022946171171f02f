"""Decompositions of plain matrices, as LAPACK has them; of those of Dask in one task that has the whole matrix."""

import numpy as np

from ...levels import is_lazy
from ...table.blocks import Block, over_axes, own_or_whole


def eigh(a, triangle):
    """Return eigenvalues and eigenvectors of a Hermitian matrix of which one triangle is given."""
    if is_lazy(type(a)):
        return over_axes("(i,i)->(i),(i,i)", Block("eigh", eigh, (triangle,)), a)
    return tuple(np.linalg.eigh(a, triangle))


def svd(a, full):
    """Return the factors of a singular value decomposition; Dask has one of blocks of rows, or of columns."""
    if not is_lazy(type(a)):
        return np.linalg.svd(a, full_matrices=full)
    block = Block("svd", svd, (full,))
    if full and a.shape[-1] != a.shape[-2]:
        return over_axes("(i,j)->(i,i),(k),(j,j)", block, a)
    return own_or_whole(lambda: np.linalg.svd(a), "(i,j)->(i,k),(k),(k,j)", block, a)
