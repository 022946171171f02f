"""Linear systems, inverses. Source: M. B. Giles, *Collected matrix derivative results for AD*, 2008, §2."""

import math

import numpy as np

from ...forms import shape
from ...table import composition, smooth
from ...table.kinds import Linear
from ..complexes import conj
from ..indexing import getitem
from ..shaping import expand_dims, matrix_transpose, reshape, transpose
from .factors import adjoint
from .products import matmul


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


def _solve_pull(g, z, a, b):
    """b̄ = A⁻ᴴ z̄ and Ā = −b̄ zᴴ, by one system."""
    found = _solve_adjoint(g, a, b)
    columns, z = (expand_dims(x, -1) if len(shape(b)) == 1 else x for x in (found, z))
    return -matmul(columns, adjoint(z)), found


@smooth(_solve_push, Linear(_solve_adjoint), joint=_solve_pull, of=np.linalg.solve)
def solve(a, b):
    return np.linalg.solve(a, b)


@smooth(lambda da, z, a: -matmul(matmul(z, da), z), of=np.linalg.inv)
def inv(a):
    return np.linalg.inv(a)


# ------------------------------------------------------------------------------------------------- tensors


@composition(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    """The inverse of ``a`` as a linear map onto its first ``ind`` axes from the others."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    onto, of = shape(a)[:ind], shape(a)[ind:]
    return reshape(inv(reshape(a, (math.prod(onto), math.prod(of)), "C")), (*of, *onto), "C")


@composition(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    """x with ``tensordot(a, x, x.ndim) = b``; ``axes`` of ``a`` are moved to its end first."""
    rank = len(shape(a))
    if axes is not None:
        last = [axis % rank for axis in axes]
        a = transpose(a, (*(i for i in range(rank) if i not in last), *last))
    of = shape(a)[len(shape(b)) :]
    return reshape(solve(reshape(a, (-1, math.prod(of)), "C"), reshape(b, -1, "C")), of, "C")
