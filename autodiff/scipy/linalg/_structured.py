"""Matrices made of vectors, and of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import dtype_of, shape, zeros_like
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.complexes import conj
from dualnumbers.rules.indexing import getitem, scatter
from dualnumbers.rules.of_scipy.linalg import structured_equations as structured
from dualnumbers.rules.shaping import broadcast_to, concatenate, expand_dims, reshape

from .._counterpart import Array, counterpart
from ._arguments import matrix, vector

__all__ = [
    "block_diag",
    "circulant",
    "companion",
    "convolution_matrix",
    "fiedler",
    "hankel",
    "khatri_rao",
    "leslie",
    "toeplitz",
]


@counterpart("linalg.toeplitz")
def toeplitz(c: Array, r: Array = None) -> Any:
    """The matrix with first column ``c`` and first row ``r``, whose first element is not read."""
    c = vector(c)
    return structured.toeplitz(c, conj(c) if r is None else vector(r))


@counterpart("linalg.circulant")
def circulant(c: Array) -> Any:
    """The circulant matrix with first column ``c``."""
    return structured.circulant(vector(c))


@counterpart("linalg.hankel")
def hankel(c: Array, r: Array = None) -> Any:
    """The matrix with first column ``c`` and last row ``r``, whose first element is not read; zeros without ``r``.

    Raises ValueError for arrays of more axes, which SciPy takes as vectors before 1.19 and as stacks from then on.
    """
    r = 0.0 * c if r is None else r
    if len(shape(c)) != 1 or len(shape(r)) != 1:
        raise ValueError(f"hankel takes vectors, not shapes {shape(c)} and {shape(r)}; write np.ravel(c){user_line()}")
    m = shape(c)[0]
    values = concatenate(c, getitem(r, (..., slice(1, None))), -1)
    return getitem(values, (..., np.add.outer(np.arange(m), np.arange(shape(r)[-1]))))


@counterpart("linalg.companion")
def companion(a: Array) -> Any:
    """The companion matrix of a polynomial, highest power first; ValueError for less than two coefficients."""
    n = shape(a)[-1]
    if n < 2:
        raise ValueError(f"The length of `a` along the last axis must be at least 2; it is {n}")
    first = getitem(a, (..., slice(1, None))) / getitem(a, (..., slice(0, 1)))
    full = (*shape(first), n - 1)
    return scatter(-first, full, (..., 0, slice(None))) + as_like(np.eye(n - 1, k=-1, dtype=dtype_of(first)), first)


@counterpart("linalg.convolution_matrix")
def convolution_matrix(a: Array, n: int, mode: str = "full") -> Any:
    """The matrix whose product with a vector of length ``n`` is its convolution with ``a``.

    Raises ValueError for an ``a`` or an ``n`` of 0, and for a mode that there is not.
    """
    m = shape(a)[-1]
    if n <= 0 or m == 0:
        raise ValueError(f"convolution_matrix takes at least one element of a and n > 0, not {m} and {n}")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    trim = min(n, m) - 1
    above, below = {"full": (0, 0), "same": (trim // 2, trim - trim // 2), "valid": (trim, trim)}[mode]
    place = np.subtract.outer(np.arange(above, m + n - 1 - below), np.arange(n))
    values = concatenate(a, zeros_like(getitem(a, (..., slice(0, 1)))), -1)
    return getitem(values, (..., np.where((place >= 0) & (place < m), place, m)))


@counterpart("linalg.leslie")
def leslie(f: Array, s: Array) -> Any:
    """The Leslie matrix of fecundities and survivals; ValueError unless there is one of these less."""
    n = shape(f)[-1]
    if shape(s)[-1] != n - 1:
        raise ValueError(f"leslie takes one element less of s than of f, not {shape(s)[-1]} and {n}")
    i = np.arange(n - 1)
    return scatter(f, (*shape(f), n), (..., 0, slice(None))) + scatter(s, (*shape(f), n), (..., i + 1, i))


@counterpart("linalg.fiedler")
def fiedler(a: Array) -> Any:
    """The matrix of ``|aᵢ − aⱼ|``."""
    return abs(expand_dims(a, -1) - expand_dims(a, -2))


@counterpart("linalg.khatri_rao")
def khatri_rao(a: Array, b: Array) -> Any:
    """The Kronecker products of the columns of ``a`` with those of ``b``."""
    (*stack, m, n), k = shape(a), shape(b)[-2]
    return reshape(expand_dims(a, -2) * expand_dims(b, -3), (*stack, m * k, n), "C")


@counterpart("linalg.block_diag")
def block_diag(*arrs: Array) -> Any:
    """The matrix with these matrices, vectors as rows or numbers, on its diagonal; of stacks a stack."""
    blocks = [matrix(x) for x in arrs]
    lead = np.broadcast_shapes(*(shape(x)[:-2] for x in blocks))
    rows, columns = np.sum([shape(x)[-2:] for x in blocks], axis=0, dtype=int).tolist()
    z, i, j = np.zeros((*lead, rows, columns), np.result_type(*map(read, blocks))), 0, 0
    for x in blocks:
        m, n = shape(x)[-2:]
        x = broadcast_to(x, (*lead, m, n)) if lead else x
        z = z + scatter(x, (*lead, rows, columns), (..., slice(i, i + m), slice(j, j + n)))
        i, j = i + m, j + n
    return z
