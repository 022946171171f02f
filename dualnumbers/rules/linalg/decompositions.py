"""Decompositions: Cholesky, QR, eigenvalues; `singular_values` has its own module.

What the factors leave free is fixed as follows.

- Cholesky, QR: nothing is free, as the diagonals of L and R stay real, and their signs are locally constant.
- Hermitian eigenvectors: vᴴ dv = 0. Singular vectors: uᴴ du + vᴴ dv = 0. For real matrices that is exact; of complex
  ones it fixes the phases, and a function of the vectors has a derivative where it does not depend on them.
- Eigenvectors of general matrices: of length 1, their largest component real, as LAPACK gives them.
- The columns of U and V beyond min(m, n), ``full_matrices=True``: a basis of a space, which turns with it and not
  within it.

Sources: M. B. Giles, *Collected matrix derivative results for AD*, 2008, §3.1; J. R. Magnus, *On differentiating
eigenvalues and eigenvectors*, Econometric Theory 1, 1985; I. Murray, *Differentiation of the Cholesky decomposition*,
2016, §2 (by blocks) and §3.1; S. Walter & L. Lehmann, *Algorithmic differentiation of linear algebra functions*, 2010
(QR).
"""

import numpy as np

from ...foreign import is_foreign, new_like
from ...forms import is_unreal, shape, type_of, zeros_like
from ...levels import decided, is_lazy, is_number
from ...messages.errors import user_line
from ...several import plus
from ...table import composition, smooth
from ...table.batching import by_stacks
from ...table.dispatch import of_complex
from ...table.kinds import Smooth
from ..complexes import adjoint, conj, imag, real
from ..indexing import getitem
from ..reductions import sum
from ..shaping import concatenate, matrix_transpose
from . import groups, spectra
from .diagonals import matrix_diagonal
from .factors import (
    columns,
    determined,
    diagonal_matrix,
    divided_by_gaps,
    hermitian,
    hermitian_adjoint,
    hermitian_matrix,
    independent,
    lower_half,
    product,
    square,
    weighted,
)
from .products import matmul
from .systems import inverse_of_upper, solve

# ------------------------------------------------------------------------------------------------- Cholesky


def _cholesky_push(da, z, a, upper):
    """dL = L Φ(L⁻¹ dA L⁻ᴴ); Φ takes the lower triangle with half of the diagonal."""
    turned = inverse_of_upper(z if upper else adjoint(z))
    middle = product(adjoint(turned), hermitian(da, "U" if upper else "L"), turned)
    dl = matmul(adjoint(z) if upper else z, weighted(middle, lower_half(shape(a)[-1])))
    return adjoint(dl) if upper else dl


def _cholesky_pull(g, z, a, upper):
    z, g = (adjoint(z), adjoint(g)) if upper else (z, g)
    pulled = _pulled(g, z)
    return adjoint(pulled) if upper else pulled


def _pulled(g, z):
    """Ā = L⁻ᴴ Φ(Lᴴ L̄) L⁻¹, as the Hermitian matrix of which the lower triangle is given."""
    if type(g) is type(z) is np.ndarray and g.ndim == 2 and len(g) > WHOLE:
        pulled = np.zeros_like(g)
        _fill_by_halves(pulled, g, z)
        return pulled
    inverse = inverse_of_upper(adjoint(z))
    whole = product(inverse, weighted(matmul(adjoint(z), g), lower_half(shape(g)[-1])), adjoint(inverse))
    return hermitian_adjoint(whole, g, "L")


WHOLE = 96
"""Of plain matrices of more rows halves take less time, of 200 a third, for all of the factor above is 0."""


def _fill_by_halves(pulled, g, z, inverse=None):
    """Write Ā to zeros by the steps of the factorization backward, of plain matrices; ``inverse`` is L⁻ᴴ, if known.

    Of [[A, ·], [B, C]] these are: L, the factor of A; M = B L⁻ᴴ; the factor of C − M Mᴴ. So of L⁻ᴴ only the part of A
    is computed, and of that of C what its own steps take.
    """
    if len(g) <= WHOLE:
        inverse, half = inverse_of_upper(adjoint(z)) if inverse is None else inverse, lower_half(len(g))
        middle = adjoint(z) @ g
        middle *= half
        whole = inverse @ middle @ adjoint(inverse)
        np.add(whole, adjoint(whole), out=pulled)
        pulled *= half
        return
    first, last = slice(0, len(g) // 2), slice(len(g) // 2, None)
    of_first = inverse_of_upper(adjoint(z[first, first])) if inverse is None else inverse[first, first]
    m, rest, b = z[last, first], pulled[last, last], pulled[last, first]
    _fill_by_halves(rest, g[last, last], z[last, last], None if inverse is None else inverse[last, last])
    of_b = (rest + adjoint(rest)) @ m
    np.matmul(np.subtract(g[last, first], of_b, out=of_b), adjoint(of_first), out=b)
    of_a = adjoint(b) @ m
    _fill_by_halves(pulled[first, first], np.subtract(g[first, first], of_a, out=of_a), z[first, first], of_first)


@smooth(Smooth(_cholesky_push, _cholesky_pull), batched=by_stacks(2), needs=np.linalg.cholesky, core="(i,i)->(i,i)")
def _cholesky(a, upper):
    if not is_foreign(type(a)):
        return np.linalg.cholesky(a, upper=upper)
    factor = np.linalg.cholesky(hermitian(a, "U" if upper else "L"))  # CuPy's and Dask's know no ``upper``
    return factor if upper == is_lazy(type(a)) else adjoint(factor)  # Dask's is the upper one


@composition(np.linalg.cholesky)
def cholesky(a, *, upper=False):
    """L with A = L Lᴴ, or Lᴴ if ``upper``, of the Hermitian matrix whose lower (or upper) triangle is in ``a``."""
    square(a)
    return _cholesky(a, upper)


# ------------------------------------------------------------------------------------------------- QR


def _qr_push(da, z, a):
    """With the first k = min(m, n) columns of A: X = dA R⁻¹, Ω = Qᴴ dQ, which is skew, from the lower half of QᴴX."""
    q, r = z
    k = shape(q)[-1]
    first = (..., slice(0, k))
    _full_rank(getitem(r, first))
    x = matrix_transpose(solve(matrix_transpose(getitem(r, first)), matrix_transpose(getitem(da, first))))
    b = matmul(adjoint(q), x)
    half = weighted(b, np.tri(k, k=-1))
    omega = half - adjoint(half)
    if is_unreal(q):
        omega = omega + 1j * weighted(imag(b), np.eye(k))
    dr = weighted(matmul(adjoint(q), da) - matmul(omega, r), np.triu(np.ones(shape(r)[-2:])))
    return x + matmul(q, omega - b), dr


def _qr_pull(g, z, a):
    """Ā = Q R̄ + (Q̄ + Q (W − QᴴQ̄)) R⁻ᴴ, of the first k columns; W is the strict lower half of Ω̄ − Ω̄ᴴ, Ω̄ = QᴴQ̄ − R̄Rᴴ."""
    (gq, gr), (q, r) = g, z
    k = shape(q)[-1]
    first = getitem(r, (..., slice(0, k)))
    _full_rank(first)
    gq = zeros_like(q) if gq is None else gq
    gr = weighted(zeros_like(r) if gr is None else gr, np.triu(np.ones(shape(r)[-2:])))
    own = matmul(adjoint(q), gq)
    omega = own - matmul(gr, adjoint(r))
    w = weighted(omega - adjoint(omega), np.tri(k, k=-1))
    if is_unreal(q):
        w = w + 1j * weighted(imag(omega), np.eye(k))
    of_first = adjoint(solve(first, adjoint(gq + matmul(q, w - own))))
    whole = matmul(q, gr)
    if k == shape(r)[-1]:
        return whole + of_first
    return concatenate(getitem(whole, (..., slice(0, k))) + of_first, getitem(whole, (..., slice(k, None))), -1)


def _is_singular(r):
    """Return whether a plain triangular matrix of a stack is singular up to rounding."""
    sizes = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    return sizes.size and np.any(sizes.min(-1) <= 8 * r.shape[-1] * np.finfo(sizes.dtype).eps * sizes.max(-1))


def _full_rank(r):
    if decided(_is_singular, r, usual=False):
        raise np.linalg.LinAlgError(
            "np.linalg.qr has no derivative where the first columns, as many as Q has, are linearly dependent: leave "
            f"dependent columns away, or use np.linalg.svd{user_line()}"
        )


@smooth(Smooth(_qr_push, _qr_pull), several=True, batched=by_stacks(2), needs=np.linalg.qr, core="(i,j)->(i,k),(k,j)")
def _qr(a):
    return tuple(np.linalg.qr(a))


QRResult = type(np.linalg.qr(np.eye(1)))


@composition(np.linalg.qr)
def qr(a, mode="reduced"):
    """Q with orthonormal columns and R upper triangular; R alone for ``mode="r"``."""
    if len(shape(a)) < 2:
        raise np.linalg.LinAlgError(f"qr: a matrix is needed, or a stack of them, not an array of shape {shape(a)}"
                                    f"{user_line()}")  # fmt: skip
    *_, m, n = shape(a)
    if mode not in ("reduced", "r") and not (mode == "complete" and m <= n):
        raise TypeError(
            f"np.linalg.qr with mode={mode!r} of a matrix with shape {(m, n)} has no derivative: the columns of Q "
            f"beyond the first {min(m, n)} are not determined; use mode='reduced'{user_line()}"
        )
    q, r = _qr(a)
    return r if mode == "r" else QRResult(q, r)


# ------------------------------------------------------------------------------------------------- Hermitian matrices


def _eigh_push(da, z, a, UPLO, basis):
    """dw = diag T, dV = V (T / gaps), T = Vᴴ dA V."""
    w, v = z
    t = product(adjoint(v), da, v)
    return real(matrix_diagonal(t)), matmul(v, divided_by_gaps(t, w, "eigenvalues"))


def _eigh_pull(g, z, a, UPLO, basis):
    """Ā = V (diag w̄ + VᴴV̄ / gaps) Vᴴ."""
    (gw, gv), (w, v) = g, z
    if gv is None:
        return matmul(v * columns(gw), adjoint(v))
    t = divided_by_gaps(matmul(adjoint(v), gv), w, "eigenvalues")
    return product(v, plus(t, None if gw is None else diagonal_matrix(gw)), adjoint(v))


@smooth(Smooth(_eigh_push, _eigh_pull), several=True)
def _eigh(a, UPLO, basis):
    return basis.of(a, UPLO)


EighResult = type(np.linalg.eigh(np.eye(1)))


@composition(np.linalg.eigh)
def eigh(a, UPLO="L"):
    """Eigenvalues in ascending order and eigenvectors, of the Hermitian matrix with that triangle."""
    a, basis = hermitian_matrix(a, UPLO), spectra.Basis()
    if is_number(type(a)) and decided(spectra.has_repeated, a, UPLO.upper(), basis, usual=False):
        return EighResult(*groups.eigh(a, UPLO, basis))
    return EighResult(*_eigh(a, UPLO, basis))


@composition(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    """The eigenvalues of `eigh`; where they repeat, two derivatives are right for what is symmetric in them."""
    if is_lazy(type_of(a)):  # of which nobody knows whether they repeat
        return eigh(a, UPLO)[0]
    return spectra.eigvalsh(hermitian_matrix(a, UPLO), UPLO, spectra.Basis())


# ------------------------------------------------------------------------------------------------- general matrices


def _eig_push(da, z, a):
    """dw = diag T, dV = V (T / gaps) + V diag(c), T = V⁻¹ dA V; c keeps lengths 1 and the largest component real."""
    w, v = z
    independent(v)
    t = solve(v, matmul(da, v))
    dv = matmul(v, divided_by_gaps(t, w, "eigenvalues"))
    shift = real(sum(conj(v) * dv, -2, False))
    if is_unreal(v) and shape(v)[-1]:
        shift = shift + 1j * imag(_at_largest(dv, v) / _at_largest(v, v))
    return matrix_diagonal(t), dv - v * columns(shift)


def _at_largest(x, v):
    """Return the element of every column that is the largest of those of ``v`` that LAPACK made real."""
    *stack, column = np.indices((*shape(v)[:-2], shape(v)[-1]))
    return getitem(x, (*stack, decided(_rows_of_largest, v), column))


def _rows_of_largest(v):
    return np.argmax(np.where(v.imag == 0, np.abs(v), -1.0), axis=-2)


@smooth(_eig_push, several=True, needs=np.linalg.eig, core=of_complex("np.linalg.eig", "(i,i)->(i),(i,i)"))
def _eig(a):
    return tuple(np.linalg.eig(a))


EigResult = type(np.linalg.eig(np.eye(1)))


@composition(np.linalg.eig)
def eig(a):
    """Eigenvalues and eigenvectors, complex where one is."""
    square(a)
    w, v = _eig(a)
    return EigResult(w, determined(v, w, "eigenvalues"))


def _eigvals_push(da, z, a):
    """Return the diagonal of V⁻¹ dA V, in the order of ``z``, which LAPACK finds by another road than V."""
    w, v = eig(a)
    independent(v)
    dw = matrix_diagonal(solve(v, matmul(da, v)))
    order = decided(_order, concatenate(w, z, -1))
    dw = getitem(dw, (*np.indices(order.shape)[:-1], order))
    return dw if is_unreal(z) or not is_unreal(dw) else real(dw)


def _order(both):
    """Match every element of the second half to the place of the nearest in the first, none of them twice."""
    w, z = np.split(both, 2, axis=-1)
    distance = np.abs(w[..., None, :] - z[..., :, None])
    order = new_like(z, z.shape, np.intp)
    for i in range(z.shape[-1]):
        order[..., i] = np.argmin(distance[..., i, :], axis=-1)
        np.put_along_axis(distance, order[..., None, i : i + 1], np.inf, axis=-1)
    return order


_eigvals = smooth(_eigvals_push, needs=np.linalg.eigvals)(np.linalg.eigvals)


@composition(np.linalg.eigvals)
def eigvals(a):
    """The eigenvalues; where they repeat, the derivative is right for what is symmetric in them."""
    square(a)
    return eig(a)[0] if is_lazy(type_of(a)) else _eigvals(a)
