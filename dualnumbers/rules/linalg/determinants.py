"""Determinants. Source: M. B. Giles, *Collected matrix derivative results for AD*, 2008, §2.

A determinant is a polynomial, so it has derivatives at singular matrices, too. There they come through the singular
value decomposition, A = U S Vᴴ: adj A = det(U) det(Vᴴ) · V adj(S) Uᴴ, and adj S has products without division.
"""

import numpy as np

from ...foreign import as_like, largest
from ...forms import is_unreal, shape, type_of
from ...levels import decided, is_lazy, is_number
from ...several import plus
from ...table import composition, smooth
from ...table.batching import by_stacks
from ...table.kinds import Linear, Smooth
from ..complexes import adjoint, conj, imag, real
from ..indexing import getitem
from ..reductions import sum
from ..shaping import expand_dims, matrix_transpose, over_matrices
from .diagonals import matrix_diagonal
from .factors import product, weighted
from .products import matmul
from .systems import inv, inverse_or_nan


def _inverse_or_none(a):
    """Return the inverse of a stack of plain matrices, None where one would cost more than a quarter of the digits."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    condition = _size(a) * _size(inverse)
    return inverse if np.all(condition <= np.finfo(condition.dtype).eps ** -0.25) else None  # NaN: CuPy's, singular


def _size(a):
    """Return the largest sum of moduli of a column of each matrix, 0 where it has none."""
    return largest(np.sum(np.abs(a), -2), 0.0, -1)


def _is_invertible(a):
    return _inverse_or_none(a) is not None


def _products_without(s):
    """Return the products of the numbers sₖ without sᵢ, ``(…, n)``, and without sᵢ and sⱼ, 0 where i = j."""
    n = s.shape[-1]
    beyond = np.cumprod(np.where(as_like(np.tri(n, dtype=bool), s), 1.0, s[..., None, :]), axis=-1)  # sᵢ₊₁ … sⱼ
    between = np.concatenate([np.ones_like(beyond[..., :1]), beyond[..., :-1]], axis=-1)
    before = np.concatenate([np.ones_like(s[..., :1]), np.cumprod(s, -1)[..., :-1]], axis=-1)
    after = np.concatenate([np.cumprod(s[..., ::-1], -1)[..., ::-1][..., 1:], np.ones_like(s[..., :1])], axis=-1)
    two = np.triu(before[..., :, None] * between * after[..., None, :], 1)
    return before * after, two + np.swapaxes(two, -1, -2)


def _by_singular_values(a):
    """U, V and det(U) det(Vᴴ) of plain matrices, and the products of all but one or two singular values.

    A matrix that is not finite has none, and its products are NaN; the others of its stack have theirs.
    """
    finite = np.all(np.isfinite(a), (-2, -1))
    u, s, vh = np.linalg.svd(np.where(finite[..., None, None], a, 0.0))
    s = np.where(finite[..., None], s, np.nan)
    return u, adjoint(vh), (np.linalg.det(u) * np.linalg.det(vh))[..., None, None], *_products_without(s)


def _rate(da, z, a):
    """tr(A⁻¹ dA) adj A − A⁻¹ dA adj A; at a singular matrix the same of S, without a division."""
    if decided(_is_invertible, a):
        relative = matmul(inv(a), da)
        return over_matrices(sum(matrix_diagonal(relative), -1, False)) * z - matmul(relative, z)
    if is_number(type(a)):
        return _by_minors(lambda minors: adjugate(minors(a)), da)
    u, v, turn, _, two = _by_singular_values(a)
    e = product(adjoint(u), da, v)
    own = matmul(two, expand_dims(matrix_diagonal(e), -1))
    return turn * product(v, weighted(own, np.eye(shape(e)[-1])) - e * two, adjoint(u))


def _by_minors(of, e):
    """Return ``_rate`` by the minors, as from the third derivative on, at singular matrices only.

    ``of(minors)`` is what the minors have for cofactors, where ``minors(a)`` makes those of a matrix.
    """
    n = shape(e)[-1]
    rest = np.array([[k for k in range(n) if k != i] for i in range(n)], dtype=np.intp).reshape(n, max(n - 1, 0))
    index = (..., rest[None, :, :, None], rest[:, None, None, :])
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    cofactors = of(lambda x: getitem(x, index))
    return weighted(sum(matrix_transpose(cofactors) * getitem(e, index), (-2, -1), False), signs)


def _rate_push(da, z, a, e):
    """Return the second derivative along both, where nobody has looked whether A is singular: by the minors."""
    return _by_minors(lambda minors: adjugate_rate(minors(a), minors(da)), e)


@smooth(
    Smooth(_rate_push),
    Linear(lambda g, a, e: adjugate_rate(adjoint(a), g)),
    batched=by_stacks(2, 2),
    core="(i,i),(i,i)->(i,i)",
)
def adjugate_rate(a, e):
    """The derivative of the adjugate along a matrix, of matrices of Dask: the task that has one looks at it."""
    return _rate(e, adjugate(a), a)


def _adjugate_push(da, z, a):
    return adjugate_rate(a, da) if is_lazy(type_of(a)) else _rate(da, z, a)


@smooth(_adjugate_push, batched=by_stacks(2), core="(i,i)->(i,i)")
def adjugate(a):
    """The transposed matrix of cofactors, det(A) A⁻¹ where that exists."""
    inverse = _inverse_or_none(a)
    if inverse is not None:
        return np.linalg.det(a)[..., None, None] * inverse
    u, v, turn, one, _ = _by_singular_values(a)
    return turn * ((v * one[..., None, :]) @ adjoint(u))


def _det_push(da, z, a):
    """d det A = tr(adj(A) dA)."""
    return sum(matrix_transpose(adjugate(a)) * da, (-2, -1), False)


def _det_pull(g, z, a):
    """Ā = z̄ adj(A)ᴴ."""
    return over_matrices(g) * adjoint(adjugate(a))


@smooth(Smooth(_det_push, _det_pull), of=np.linalg.det, batched=by_stacks(2), core="(i,i)->()")
def det(a):
    return np.linalg.det(a)


def _slogdet_push(da, z, a):
    """With r = tr(A⁻¹ dA), d log |det A| = Re r; the direction s of a complex determinant turns by i s Im r.

    At a singular matrix, where the logarithm is −∞, both are NaN.
    """
    sign, _ = z
    relative = sum(matrix_transpose(inverse_or_nan(a)) * da, (-2, -1), False)
    return (1j * sign * imag(relative) if is_unreal(sign) else None), real(relative)


def _slogdet_pull(g, z, a):
    """Ā = (ḡ + i Im(s̄ ḡₛ)) A⁻ᴴ of the adjoints ḡₛ of the direction and ḡ of the logarithm."""
    (by_sign, by_logarithm), (sign, _) = g, z
    turn = None if by_sign is None else 1j * imag(conj(sign) * by_sign)
    return over_matrices(plus(by_logarithm, turn)) * adjoint(inverse_or_nan(a))


@smooth(
    Smooth(_slogdet_push, _slogdet_pull),
    several=True,
    carried=lambda z: (is_unreal(z[0]), True),
    batched=by_stacks(2),
    core="(i,i)->(),()",
)
def _slogdet(a):
    return tuple(np.linalg.slogdet(a))


SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


@composition(np.linalg.slogdet)
def slogdet(a):
    """Sign (of a complex determinant its direction) and logarithm of the modulus of the determinant."""
    return SlogdetResult(*_slogdet(a))
