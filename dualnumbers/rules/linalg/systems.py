"""Linear systems, inverses, determinants. Source: M. B. Giles, *Collected matrix derivative results for AD*, 2008, §2.

A determinant is a polynomial, so it has derivatives at singular matrices, too. There they come through the singular
value decomposition, A = U S Vᴴ: adj A = det(U) det(Vᴴ) · V adj(S) Uᴴ, and adj S has products without division.
"""

import math

import numpy as np

from ...forms import is_unreal, shape
from ...levels import is_number, read
from ...table import composition, locally_constant_of_arrays, smooth
from ...table.kinds import Linear
from ..complexes import conj, imag, real
from ..indexing import getitem
from ..reductions import sum
from ..selection import where
from ..shaping import array, expand_dims, matrix_transpose, reshape, transpose
from .factors import adjoint, diagonal, product, weighted
from .products import dot, matmul


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


# ------------------------------------------------------------------------------------------------- determinants


def _inverse_or_none(a):
    """Return the inverse of a stack of plain matrices, None where one would cost more than a quarter of the digits."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    sizes = [np.abs(x).sum(-2).max(-1, initial=0.0) for x in (a, inverse)]
    return None if np.any(sizes[0] * sizes[1] > np.finfo(sizes[0].dtype).eps ** -0.25) else inverse


def _products_without(s):
    """Return the products of the numbers sₖ without sᵢ, ``(…, n)``, and without sᵢ and sⱼ, 0 where i = j."""
    n = s.shape[-1]
    beyond = np.cumprod(np.where(np.tri(n, dtype=bool), 1.0, s[..., None, :]), axis=-1)  # sᵢ₊₁ … sⱼ
    between = np.concatenate([np.ones_like(beyond[..., :1]), beyond[..., :-1]], axis=-1)
    before = np.concatenate([np.ones_like(s[..., :1]), np.cumprod(s, -1)[..., :-1]], axis=-1)
    after = np.concatenate([np.cumprod(s[..., ::-1], -1)[..., ::-1][..., 1:], np.ones_like(s[..., :1])], axis=-1)
    two = np.triu(before[..., :, None] * between * after[..., None, :], 1)
    return before * after, two + np.swapaxes(two, -1, -2)


def _by_singular_values(a):
    """U, V and det(U) det(Vᴴ) of plain matrices, and the products of all but one or two singular values."""
    u, s, vh = np.linalg.svd(a)
    return u, adjoint(vh), (np.linalg.det(u) * np.linalg.det(vh))[..., None, None], *_products_without(s)


def _adjugate_push(da, z, a):
    """tr(A⁻¹ dA) adj A − A⁻¹ dA adj A; at a singular matrix the same of S, without a division."""
    if _inverse_or_none(read(a)) is not None:
        relative = matmul(inv(a), da)
        return expand_dims(sum(diagonal(relative), -1, False), (-1, -2)) * z - matmul(relative, z)
    if is_number(type(a)):
        return _push_by_minors(da, a)
    u, v, turn, _, two = _by_singular_values(a)
    e = product(adjoint(u), da, v)
    own = matmul(two, expand_dims(diagonal(e), -1))
    return turn * product(v, weighted(own, np.eye(shape(e)[-1])) - e * two, adjoint(u))


def _push_by_minors(da, a):
    """Return the same by the determinants of the minors; from the third derivative on, at singular matrices only."""
    n = shape(a)[-1]
    rest = np.array([[k for k in range(n) if k != i] for i in range(n)], dtype=np.intp).reshape(n, n - 1)
    index = (..., rest[None, :, :, None], rest[:, None, None, :])
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return weighted(sum(matrix_transpose(adjugate(getitem(a, index))) * getitem(da, index), (-2, -1), False), signs)


@smooth(_adjugate_push)
def adjugate(a):
    """The transposed matrix of cofactors, det(A) A⁻¹ where that exists."""
    inverse = _inverse_or_none(a)
    if inverse is not None:
        return np.linalg.det(a)[..., None, None] * inverse
    u, v, turn, one, _ = _by_singular_values(a)
    return turn * ((v * one[..., None, :]) @ adjoint(u))


@smooth(lambda da, z, a: sum(matrix_transpose(adjugate(a)) * da, (-2, -1), False), of=np.linalg.det)
def det(a):
    return np.linalg.det(a)


def _relative(da, a):
    """tr(A⁻¹ dA) = d log det A; NaN where A is singular, and the logarithm −∞."""
    if np.any(np.linalg.slogdet(read(a)).sign == 0):
        a = where(np.linalg.slogdet(read(a)).sign[..., None, None] == 0, np.nan, a)
    return sum(matrix_transpose(inv(a)) * da, (-2, -1), False)


@smooth(lambda da, z, a: real(_relative(da, a)))
def logabsdet(a):
    return np.linalg.slogdet(a).logabsdet


@smooth(lambda da, z, a: 1j * z * imag(_relative(da, a)))
def phase_of_det(a):
    return np.linalg.slogdet(a).sign


SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


@composition(np.linalg.slogdet)
def slogdet(a):
    """Sign (of a complex determinant its direction) and logarithm of the modulus of the determinant."""
    sign = phase_of_det(a) if is_unreal(a) else np.linalg.slogdet(read(a)).sign
    return SlogdetResult(sign, logabsdet(a))


# ------------------------------------------------------------------------------------------------- powers, products


@composition(np.linalg.matrix_power)
def matrix_power(a, n):
    """The product of n factors A, of A⁻¹ for negative n, by repeated squaring."""
    if not isinstance(n, (int, np.integer)):
        raise TypeError(f"np.linalg.matrix_power takes an integer exponent, not {n!r}; use a fractional matrix power")
    if n == 0:
        return np.linalg.matrix_power(read(a), 0)  # which also asks for square matrices
    a, n = (a, int(n)) if n > 0 else (inv(a), -int(n))
    if n <= 3:
        return product(*[a] * n)
    result = None
    while n:
        n, odd = divmod(n, 2)
        if odd:
            result = a if result is None else matmul(result, a)
        if n:
            a = matmul(a, a)
    return result


def _cheapest(lengths):
    """Return where to split a chain of matrices, ``(first, last)`` → split, so that multiplications are fewest.

    Source: T. H. Cormen et al., *Introduction to Algorithms*, §15.2.
    """
    count = len(lengths) - 1
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            costs = [cost[i, k] + cost[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1] for k in range(i, j)]
            cost[i, j] = min(costs)
            split[i, j] = i + costs.index(cost[i, j])
    return split


@composition(np.linalg.multi_dot)
def multi_dot(arrays):
    """The product of a chain of matrices, in the cheapest order; the first and the last may be vectors."""
    if len(arrays) < 2:
        raise ValueError("np.linalg.multi_dot expects at least two arrays")
    first, *middle, last = map(array, arrays)
    if not middle:
        return dot(first, last)
    ends = len(shape(first)) == 1, len(shape(last)) == 1
    chain = [expand_dims(first, 0) if ends[0] else first, *middle, expand_dims(last, 1) if ends[1] else last]
    if any(len(shape(x)) != 2 for x in chain):
        raise np.linalg.LinAlgError(f"multi_dot takes matrices, not arrays of shapes {[shape(x) for x in arrays]}")
    split = _cheapest([shape(chain[0])[0], *(shape(x)[1] for x in chain)])

    def multiplied(i, j):
        return chain[i] if i == j else dot(multiplied(i, split[i, j]), multiplied(split[i, j] + 1, j))

    z = multiplied(0, len(chain) - 1)
    return getitem(z, tuple(0 if vector else slice(None) for vector in ends)) if any(ends) else z


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


@locally_constant_of_arrays(
    of=np.linalg.matrix_rank,
    call=lambda A, tol=None, hermitian=False, *, rtol=None: (A, read(tol), hermitian, read(rtol)),
)
def matrix_rank(a, tol, hermitian, rtol):
    return np.linalg.matrix_rank(a, tol, hermitian, rtol=rtol)
