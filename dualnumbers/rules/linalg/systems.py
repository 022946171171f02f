"""Linear systems, inverses. Source: M. B. Giles, *Collected matrix derivative results for AD*, 2008, §2."""

import math

import numpy as np

from ...foreign import is_foreign, of_one_library, one_of
from ...forms import shape
from ...table import composition, smooth
from ...table.batching import aligned, by_columns, by_stacks
from ...table.kinds import Linear, Smooth
from ..complexes import adjoint, conj
from ..indexing import getitem
from ..shaping import expand_dims, reshape, transpose
from .factors import product
from .products import matmul, matvec


def _solve_right(a, b, vector):
    """solve(a, b) where ``b`` is a stack of vectors if ``vector``, of matrices if not."""
    if vector and len(shape(b)) > 1:
        return getitem(solve(a, expand_dims(b, -1)), (..., 0))
    return solve(a, b)


def _solve_push(da, z, a, b):
    """A dx = −dA x."""
    vector = len(shape(b)) == 1
    return -_solve_right(a, matvec(da, z) if vector else matmul(da, z), vector)


def _solve_adjoint(g, a, b):
    return _solve_right(adjoint(a), g, len(shape(b)) == 1)


def _solve_pull(g, z, a, b):
    """b̄ = A⁻ᴴ z̄ and Ā = −b̄ zᴴ, by one system."""
    found = _solve_adjoint(g, a, b)
    if len(shape(b)) == 1:
        return -expand_dims(found, -1) * expand_dims(conj(z), -2), found
    return matmul(-found, adjoint(z)), found


def _solve_of_all(apply, xs, members):
    """Solve for all right sides of one matrix at once; else a stack of systems."""
    a, b = xs
    if members == (False, True) and len(shape(a)) == 2:
        return by_columns(apply, xs, members)
    vector = len(shape(b)) - members[1] == 1
    both = aligned((a, expand_dims(b, -1) if vector else b), members, (2, 2))
    z = apply(*both)
    return getitem(z, (..., 0)) if vector else z


@smooth(_solve_push, Linear(_solve_adjoint), joint=_solve_pull, of=np.linalg.solve, solves=True, batched=_solve_of_all,
        core=lambda a, b: "(i,i),(i)->(i)" if b.ndim == 1 else "(i,i),(i,l)->(i,l)")  # fmt: skip
def solve(a, b):
    if not is_foreign(type(one_of((a, b)))):
        return np.linalg.solve(a, b)
    a, b = of_one_library(a, b)
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # one for both, as CuPy wants it
    right = np.broadcast_to(b if b.ndim > 1 else b[:, None], (*stack, *(b.shape[-2:] if b.ndim > 1 else (len(b), 1))))
    z = np.linalg.solve(np.broadcast_to(a, (*stack, *a.shape[-2:])), right)
    return z if b.ndim > 1 else z[..., 0]


_of_inverse = Smooth(
    lambda da, z, a: -product(z, da, z),
    lambda g, z, a: -product(adjoint(z), g, adjoint(z)),
)


@smooth(_of_inverse, of=np.linalg.inv, batched=by_stacks(2), core="(i,i)->(i,i)")
def inv(a):
    return np.linalg.inv(a)


@smooth(_of_inverse, batched=by_stacks(2), core="(i,i)->(i,i)")
def inverse_or_nan(a):
    """The inverse, NaN of the matrices of a stack that are singular."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        sign, _ = np.linalg.slogdet(a)
        return np.linalg.inv(np.where((sign == 0)[..., None, None], np.nan, a))


# by halves, [[A, B], [0, D]]⁻¹ = [[A⁻¹, −A⁻¹ B D⁻¹], [0, D⁻¹]]: of 200 rows a quarter of the time of np.linalg.inv
@smooth(_of_inverse, batched=by_stacks(2), core="(i,i)->(i,i)")
def inverse_of_upper(u):
    """The inverse of an upper triangular matrix, along tangents that are such, too."""
    n = u.shape[-1]
    if n <= 32:
        return np.linalg.inv(u)
    first, last = slice(0, n // 2), slice(n // 2, None)
    z = np.zeros_like(u)
    z[..., first, first] = a = inverse_of_upper(u[..., first, first])
    z[..., last, last] = d = inverse_of_upper(u[..., last, last])
    z[..., first, last] = -a @ u[..., first, last] @ d
    return z


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
