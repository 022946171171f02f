"""Decompositions: Cholesky, QR, eigenvalues, singular values.

What the factors leave free is fixed as follows.

- Cholesky, QR: nothing is free, as the diagonals of L and R stay real, and their signs are locally constant.
- Hermitian eigenvectors: vᴴ dv = 0. Singular vectors: uᴴ du + vᴴ dv = 0. For real matrices that is exact; of complex
  ones it fixes the phases, and a function of the vectors has a derivative where it does not depend on them.
- Eigenvectors of general matrices: of length 1, their largest component real, as LAPACK gives them.
- The columns of U and V beyond min(m, n), ``full_matrices=True``: a basis of a space, which turns with it and not
  within it.

Sources: M. B. Giles, *Collected matrix derivative results for AD*, 2008, §3.1; J. R. Magnus, *On differentiating
eigenvalues and eigenvectors*, Econometric Theory 1, 1985; I. Murray, *Differentiation of the Cholesky decomposition*,
2016, §3.1; S. Walter & L. Lehmann, *Algorithmic differentiation of linear algebra functions*, 2010 (QR).
"""

import numpy as np

from ..elementary import composition, smooth
from ..errors import user_line
from ..levels import plain
from . import spectra
from .axes import flip
from .complexes import conj, imag, is_unreal, real
from .factors import (
    adjoint,
    columns,
    cut,
    determined,
    diagonal,
    divided_by_gaps,
    divided_by_sums,
    hermitian_matrix,
    independent,
    join,
    product,
    quotient,
    repeated,
    square,
    weighted,
    without_rounding,
)
from .indexing import getitem
from .linalg import solve
from .products import matmul
from .reductions import sum
from .selection import where
from .shaping import concatenate, matrix_transpose, shape

# ------------------------------------------------------------------------------------------------- Cholesky


def _cholesky_push(da, z, a, upper):
    """dL = L Φ(L⁻¹ dA L⁻ᴴ); Φ takes the lower triangle with half of the diagonal."""
    lower = adjoint(z) if upper else z
    n = shape(a)[-1]
    middle = adjoint(solve(lower, adjoint(solve(lower, da))))
    dl = matmul(lower, weighted(middle, np.tri(n) - 0.5 * np.eye(n)))
    return adjoint(dl) if upper else dl


_cholesky = smooth(None, None, _cholesky_push, evaluate=lambda a, upper: np.linalg.cholesky(a, upper=upper),
                   name="cholesky", statics=1)  # fmt: skip


@composition(np.linalg.cholesky)
def cholesky(a, *, upper=False):
    """L with A = L Lᴴ, or Lᴴ if ``upper``, of the Hermitian matrix whose lower (or upper) triangle is in ``a``."""
    return _cholesky(hermitian_matrix(a, "U" if upper else "L"), upper)


# ------------------------------------------------------------------------------------------------- QR


def _qr_shapes(a):
    *_, m, n = shape(a)
    return (m, min(m, n)), (min(m, n), n)


def _qr_push(da, z, a):
    """With the first k = min(m, n) columns of A: X = dA R⁻¹, Ω = Qᴴ dQ, which is skew, from the lower half of QᴴX."""
    q, r = cut(z, *_qr_shapes(a))
    k = shape(q)[-1]
    first = (..., slice(0, k))
    _full_rank(plain(r)[first])
    x = matrix_transpose(solve(matrix_transpose(getitem(r, first)), matrix_transpose(getitem(da, first))))
    b = matmul(adjoint(q), x)
    half = weighted(b, np.tri(k, k=-1))
    omega = half - adjoint(half)
    if is_unreal(z):
        omega = omega + 1j * weighted(imag(b), np.eye(k))
    dr = weighted(matmul(adjoint(q), da) - matmul(omega, r), np.triu(np.ones(shape(r)[-2:])))
    return join((x + matmul(q, omega - b), 2), (dr, 2))


def _full_rank(r):
    sizes = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    if sizes.size and np.any(sizes.min(-1) <= 8 * r.shape[-1] * np.finfo(sizes.dtype).eps * sizes.max(-1)):
        raise np.linalg.LinAlgError(
            "np.linalg.qr has no derivative where the first columns, as many as Q has, are linearly dependent: leave "
            f"dependent columns away, or use np.linalg.svd{user_line()}"
        )


_qr = smooth(None, None, _qr_push, evaluate=lambda a: join(*((part, 2) for part in np.linalg.qr(a))), name="qr")
QRResult = type(np.linalg.qr(np.eye(1)))


@composition(np.linalg.qr)
def qr(a, mode="reduced"):
    """Q with orthonormal columns and R upper triangular; R alone for ``mode="r"``."""
    *_, m, n = shape(a)
    if mode not in ("reduced", "r") and not (mode == "complete" and m <= n):
        raise TypeError(
            f"np.linalg.qr with mode={mode!r} of a matrix with shape {(m, n)} has no derivative: the columns of Q "
            f"beyond the first {min(m, n)} are not determined; use mode='reduced'{user_line()}"
        )
    q, r = cut(_qr(a), *_qr_shapes(a))
    return r if mode == "r" else QRResult(q, r)


# ------------------------------------------------------------------------------------------------- Hermitian matrices


def _vector_and_matrix(a):
    n = shape(a)[-1]
    return (n,), (n, n)


def _real_vector(x, z):
    return real(x) if is_unreal(z) else x


def _eigh_push(da, z, a, UPLO):
    """dw = diag T, dV = V (T / gaps), T = Vᴴ dA V."""
    w, v = cut(z, *_vector_and_matrix(a))
    t = product(adjoint(v), da, v)
    dv = matmul(v, divided_by_gaps(t, _real_vector(w, z), "eigenvalues"))
    return join((_real_vector(diagonal(t), z), 1), (dv, 2))


_eigh = smooth(None, None, _eigh_push, name="eigh", statics=1, evaluate=lambda a, UPLO:
               join(*zip(np.linalg.eigh(a, UPLO), (1, 2), strict=True)))  # fmt: skip
EighResult = type(np.linalg.eigh(np.eye(1)))


@composition(np.linalg.eigh)
def eigh(a, UPLO="L"):
    """Eigenvalues in ascending order and eigenvectors, of the Hermitian matrix with that triangle."""
    z = _eigh(hermitian_matrix(a, UPLO), UPLO)
    w, v = cut(z, *_vector_and_matrix(a))
    return EighResult(_real_vector(w, z), determined(v, w, "eigenvalues"))


@composition(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    """The eigenvalues of `eigh`; where they repeat, two derivatives are right for what is symmetric in them."""
    return spectra.eigvalsh(hermitian_matrix(a, UPLO), UPLO, spectra.Basis())


# ------------------------------------------------------------------------------------------------- general matrices


def _eig_push(da, z, a):
    """dw = diag T, dV = V (T / gaps) + V diag(c), T = V⁻¹ dA V; c keeps lengths 1 and the largest component real."""
    w, v = cut(z, *_vector_and_matrix(a))
    independent(v)
    t = solve(v, matmul(da, v))
    dv = matmul(v, divided_by_gaps(t, w, "eigenvalues"))
    shift = real(sum(conj(v) * dv, -2, False))
    if is_unreal(z) and shape(v)[-1]:
        shift = shift + 1j * imag(_at_largest(dv, v) / _at_largest(v, v))
    return join((diagonal(t), 1), (dv - v * columns(shift), 2))


def _at_largest(x, v):
    """The element of every column that is the largest of those of ``v`` that LAPACK made real."""
    v = plain(v)
    *stack, column = np.indices((*v.shape[:-2], v.shape[-1]))
    return getitem(x, (*stack, np.argmax(np.where(v.imag == 0, np.abs(v), -1.0), axis=-2), column))


_eig = smooth(None, None, _eig_push, name="eig", evaluate=lambda a:
              join(*zip(np.linalg.eig(a), (1, 2), strict=True)))  # fmt: skip
EigResult = type(np.linalg.eig(np.eye(1)))


@composition(np.linalg.eig)
def eig(a):
    """Eigenvalues and eigenvectors, complex where one is."""
    square(a)
    w, v = cut(_eig(a), *_vector_and_matrix(a))
    return EigResult(w, determined(v, w, "eigenvalues"))


def _eigvals_push(da, z, a):
    """The diagonal of V⁻¹ dA V, in the order of ``z``, which LAPACK finds by another road than V."""
    w, v = eig(a)
    independent(v)
    dw = diagonal(solve(v, matmul(da, v)))
    order = _order(plain(w), plain(z))
    dw = getitem(dw, (*np.indices(order.shape)[:-1], order))
    return dw if is_unreal(z) or not is_unreal(dw) else real(dw)


def _order(w, z):
    """For every element of ``z`` the place of the nearest in ``w``, none of them twice."""
    distance = np.abs(w[..., None, :] - z[..., :, None])
    order = np.zeros(z.shape, dtype=np.intp)
    for i in range(z.shape[-1]):
        order[..., i] = np.argmin(distance[..., i, :], axis=-1)
        np.put_along_axis(distance, order[..., None, i : i + 1], np.inf, axis=-1)
    return order


_eigvals = smooth(None, None, _eigvals_push, evaluate=np.linalg.eigvals, name="eigvals")


@composition(np.linalg.eigvals)
def eigvals(a):
    """The eigenvalues; where they repeat, the derivative is right for what is symmetric in them."""
    square(a)
    return _eigvals(a)


# ------------------------------------------------------------------------------------------------- singular values


def _svd_shapes(a, full):
    *_, m, n = shape(a)
    k = min(m, n)
    return (m, m if full else k), (k,), (n if full else k, n)


def _singular_vectors(u, omega, moved, t, s):
    """dU = U Ω + (1 − U Uᴴ) dA V S⁻¹ for ``moved`` = dA V, t = Uᴴ moved; columns beyond stay orthogonal to these."""
    first = (..., slice(0, shape(s)[-1]))
    own = getitem(u, first)
    du = matmul(own, omega)
    if shape(u)[-2] > shape(s)[-1]:
        du = du + quotient(moved - matmul(own, t), columns(without_rounding(s, s)), "singular values")
    if shape(u)[-1] == shape(s)[-1]:
        return du
    beyond = getitem(u, (..., slice(shape(s)[-1], None)))
    return concatenate(du, -product(own, adjoint(du), beyond), -1)


def _svd_push(da, z, a, full):
    """T = Uᴴ dA V = dS + Ω S − S Ω', Ω = Uᴴ dU, Ω' = Vᴴ dV, both skew: their sum and difference from T ± Tᴴ."""
    u, s, vh = cut(z, *_svd_shapes(a, full))
    s, v, k = _real_vector(s, z), adjoint(vh), shape(s)[-1]
    first = (..., slice(0, k))
    moved, back = matmul(da, getitem(v, first)), matmul(adjoint(da), getitem(u, first))
    t = matmul(adjoint(getitem(u, first)), moved)
    total = divided_by_gaps(t + adjoint(t), s, "singular values")
    difference = divided_by_sums(t - adjoint(t), s)
    du = _singular_vectors(u, 0.5 * (total + difference), moved, t, s)
    dv = _singular_vectors(v, 0.5 * (total - difference), back, adjoint(t), s)
    return join((du, 2), (_off_zero(_real_vector(diagonal(t), z), s), 1), (adjoint(dv), 2))


def _off_zero(ds, s):
    """Singular values have a kink at 0, as the modulus has."""
    return where(np.equal(plain(without_rounding(s, s)), 0), 0.0, ds)


_svd = smooth(None, None, _svd_push, name="svd", statics=1, evaluate=lambda a, full:
              join(*zip(np.linalg.svd(a, full), (2, 1, 2), strict=True)))  # fmt: skip
SVDResult = type(np.linalg.svd(np.eye(1)))


@composition(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """U, the singular values in descending order, Vᴴ; the values alone without ``compute_uv``."""
    if hermitian:
        return _svd_of_hermitian(a, compute_uv)
    if not compute_uv:
        return svdvals(a)
    z = _svd(a, full_matrices)
    u, s, vh = cut(z, *_svd_shapes(a, full_matrices))
    u, vh = (determined(vectors, s, "singular values") for vectors in (u, vh))
    return SVDResult(u, _real_vector(s, z), vh)


def _svd_of_hermitian(a, compute_uv):
    """From the eigenvalues, as NumPy does it: their moduli, with the signs in Vᴴ."""
    w, u = eigh(a) if compute_uv else (eigvalsh(a), None)
    order = np.argsort(np.abs(plain(w)), axis=-1)
    stack = tuple(np.indices(order.shape)[:-1])
    if u is None:
        return flip(getitem(abs(w), (*stack, order)), -1)
    order = order[..., ::-1]
    s = getitem(abs(w), (*stack, order))
    signs = np.sign(plain(w))[(*stack, order)]
    rows = getitem(matrix_transpose(u), (*stack, order))
    return SVDResult(matrix_transpose(rows), s, conj(rows * signs[..., None]))


def _svdvals_push(da, z, a, basis):
    if repeated(plain(z)):
        return _off_zero(spectra.push_of_doubled(da, z, a, basis), plain(z))
    u, s, vh = svd(a, False)
    return _off_zero(real(sum(conj(u) * matmul(da, adjoint(vh)), -2, False)), s)


def _svdvals_pull(g, z, a, basis):
    if repeated(plain(z)):
        return spectra.pull_of_doubled(_off_zero(g, plain(z)), z, a, basis)
    u, _, vh = svd(a, False)
    return matmul(u * columns(_off_zero(g, plain(z))), vh)


_svdvals = smooth(None, None, _svdvals_push, pulls=(_svdvals_pull,), name="svdvals", statics=1,
                  evaluate=lambda a, basis: np.linalg.svd(a, compute_uv=False))  # fmt: skip


@composition(np.linalg.svdvals)
def svdvals(x, /):
    """The singular values in descending order; where they repeat, as `eigvalsh`; at 0 a kink."""
    return _svdvals(x, spectra.Basis())
