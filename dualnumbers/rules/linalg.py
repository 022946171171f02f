"""Linear algebra. Source: M. B. Giles, *Collected matrix derivative results for AD*, 2008, §2.2-2.3."""

import numpy as np

from ..elementary import smooth
from ..levels import plain
from .complexes import conj
from .indexing import getitem
from .products import matmul
from .reductions import sum
from .shaping import expand_dims, matrix_transpose, shape


def _solve_right(a, b, vector):
    """solve(a, b) where ``b`` is a stack of vectors if ``vector``, of matrices if not."""
    return getitem(solve(a, expand_dims(b, -1)), (..., 0)) if vector else solve(a, b)


def _solve_push(da, z, a, b):
    """A dx = −dA x."""
    vector = len(shape(b)) == 1
    product = getitem(matmul(da, expand_dims(z, -1)), (..., 0)) if vector else matmul(da, z)
    return -_solve_right(a, product, vector)


def _solve_adjoint(g, a, b):
    return _solve_right(matrix_transpose(conj(a)), g, len(shape(b)) == 1)


solve = smooth(np.linalg.solve, lambda a, b: (a, b), _solve_push, None, adjoints=(None, _solve_adjoint))
inv = smooth(np.linalg.inv, lambda a: (a,), lambda da, z, a: -matmul(matmul(z, da), z))


def _minors(a):
    """Every matrix with one row and one column left out, shape ``(…, n, n, n−1, n−1)``."""
    n = shape(a)[-1]
    others = np.array([[k for k in range(n) if k != i] for i in range(n)], dtype=np.intp).reshape(n, n - 1)
    return getitem(a, (..., others[:, None, :, None], others[None, :, None, :]))


def _regular(a):
    """Whether every matrix of a stack is far enough from singular for its inverse; a NaN may go through that."""
    return not a.size or not np.all(np.isfinite(a)) or bool(np.all(np.linalg.cond(a) < 1e12))


def _cofactors(a, z):
    """The gradient of the determinant: z A⁻ᵀ, or where A is singular the determinants of the minors."""
    if _regular(plain(a)):
        return expand_dims(z, (-1, -2)) * matrix_transpose(inv(a))
    n = shape(a)[-1]
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return signs.astype(plain(a).dtype) * det(_minors(a))


det = smooth(np.linalg.det, lambda a: (a,), lambda da, z, a: sum(_cofactors(a, z) * da, (-2, -1), False))
