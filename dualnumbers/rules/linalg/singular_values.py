"""Singular values and vectors, and what is left of their derivatives where values are 0 or equal.

One that is 0 has a kink: its first derivative is 0, as that of the modulus. Even functions, f(σ) = f(−σ), are smooth
there: for a second derivative σ may change its sign along a direction, in the basis that `spectra` chooses for it. So
that of an even function is right, in every nesting with reverse mode. Another function has none, and raises `Kinked`.
Forward over forward mode does not see of which function it is: it gives NaN where such values are used.
"""

import numpy as np

from ...foreign import by_default, same_values
from ...forms import dtype_of, shape, type_of
from ...levels import decided, has_nan, is_lazy, is_number, known, read
from ...several import plus
from ...table import composition, locally_constant_of_arrays, smooth
from ...table.kinds import Smooth
from ..arrays.searching import argsort
from ..axes import flip
from ..complexes import adjoint, conj, real
from ..indexing import getitem
from ..reductions import sum
from ..shaping import concatenate, matrix_transpose
from ..where import nowhere, where
from . import groups, lapack, spectra
from .couplings import not_even
from .decompositions import eigh, eigvalsh
from .diagonals import matrix_diagonal
from .factors import (
    columns,
    determined,
    diagonal_matrix,
    divided_by_gaps,
    divided_by_sums,
    hermitian_matrix,
    product,
    quotient,
    repeated,
    without_rounding,
)
from .products import matmul
from .spectra import Basis
from .undetermined import Unadapted, one_by_one

# ------------------------------------------------------------------------------------------------- the values


def _doubled(a):
    """Return the Hermitian matrix of blocks 0, A and Aᴴ, 0, whose eigenvalues are ± the singular values (Jordan)."""
    *stack, m, n = shape(a)
    zeros = [np.zeros((*stack, k, k), dtype_of(a)) for k in (m, n)]
    return concatenate(concatenate(zeros[0], a, -1), concatenate(adjoint(a), zeros[1], -1), -2)


def _at_zero(z):
    """Return which of plain singular values are 0 up to rounding."""
    return without_rounding(z, z) == 0


def _is_any_zero(z):
    return np.any(_at_zero(z))


def _note_kink(z, a, basis):
    """Tell a basis which of the eigenvalues ± are 0, if a second derivative may be asked for."""
    *stack, m, n = shape(a)
    zero = decided(_at_zero, z)
    others = np.broadcast_to(np.any(zero, -1, keepdims=True), (*stack, abs(m - n)))
    basis.kink = np.concatenate([zero, others, zero[..., ::-1]], -1) if basis.nested and np.any(zero) else None


def _without_kink(x, basis):
    """Set those eigenvalues ± at the kink to 0 that do not move along the chosen direction."""
    return x if basis.kink is None else where(basis.still(), 0.0, x)


def _push_of_doubled(da, z, a, basis):
    """Return the tangents of the singular values ``z``, which may repeat."""
    _note_kink(z, a, basis)
    found = _without_kink(spectra.push(_doubled(da), z, _doubled(a), "L", basis), basis)
    return getitem(found, (..., slice(-1, -shape(z)[-1] - 1, -1)))


def _pull_of_doubled(g, z, a, basis):
    """Return the adjoint of `_push_of_doubled`, half of it by the eigenvalues that are −σ."""
    *stack, m, n = shape(a)
    _note_kink(z, a, basis)
    others = np.zeros((*stack, abs(m - n)), dtype_of(g))
    whole = concatenate(-0.5 * g, others, 0.5 * getitem(g, (..., slice(None, None, -1))), -1)
    if basis.kink is not None and is_number(type(a)):
        if is_number(type(g)) and has_nan(read(g)):
            raise basis.refused(one_by_one(basis))
        basis.odd = not_even(read(whole), basis.kink)
        whole = where(basis.kink, whole - read(whole), whole)
    if basis.choice.moving is not None or not is_number(type(a)):
        whole = _without_kink(whole, basis)
    return 2.0 * getitem(spectra.pull(whole, z, _doubled(a), "L", basis), (..., slice(0, m), slice(m, None)))


def _off_zero(ds, s):
    """Singular values have a kink at 0, as the modulus has."""
    return where(_at_zero(known(s)), 0.0, ds)


def _svdvals_push(da, z, a, basis):
    if basis.nested and decided(_is_any_zero, z):
        return _push_of_doubled(da, z, a, basis)
    if decided(repeated, z):
        return _off_zero(_push_of_doubled(da, z, a, basis), z)
    u, s, vh = svd(a, False)
    return _off_zero(real(sum(conj(u) * matmul(da, adjoint(vh)), -2, False)), s)


def _svdvals_pull(g, z, a, basis):
    if (basis.nested or is_number(type(a))) and decided(_is_any_zero, z):
        if not basis.nested:
            raise Unadapted()
        return _pull_of_doubled(g, z, a, basis)
    if decided(repeated, z):
        return _pull_of_doubled(_off_zero(g, z), z, a, basis)
    u, _, vh = svd(a, False)
    return matmul(u * columns(_off_zero(g, z)), vh)


@smooth(Smooth(_svdvals_push, _svdvals_pull))
def _svdvals(a, basis):
    return np.linalg.svd(a, compute_uv=False)


@composition(np.linalg.svdvals)
def svdvals(x, /):
    """The singular values in descending order; where they repeat, as `eigvalsh`; at 0 a kink."""
    if is_lazy(type_of(x)):  # of which nobody knows whether they repeat
        return svd(x, False)[1]
    rows = (0, 0, *shape(x))[-2]  # of a vector NumPy raises its error
    return _svdvals(x, Basis(is_number(type(x)) and is_number(type(x.primal)), rows=rows))


# ------------------------------------------------------------------------------------------------- with the vectors


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


class _Factors:
    """The factors of the plain matrix of which they were asked for first."""

    __slots__ = ("known",)

    def __init__(self):
        self.known = None

    def __repr__(self):
        return "factors"

    def of(self, a, full):
        """Return the factors of a matrix; of another one than the first they are made anew."""
        if self.known is None:
            self.known = a.copy(), lapack.svd(a, full)
        return self.known[1] if same_values(self.known[0], a) else lapack.svd(a, full)


ZEROS, OTHERS = "zeros", "others"


def _repeated_values(a, full, factors):
    """Return what repeats among the singular values of a plain matrix, up to rounding: nothing, ZEROS, or OTHERS."""
    s = factors.of(a, full)[1]
    return "" if not repeated(s) else ZEROS if np.any(_at_zero(s)) else OTHERS


def _svd_push(da, z, a, full, factors):
    """T = Uᴴ dA V = dS + Ω S − S Ω', Ω = Uᴴ dU, Ω' = Vᴴ dV, both skew: their sum and difference from T ± Tᴴ.

    Of a value that is 0 the sign may change, as the vectors beside it stay.
    """
    u, s, vh = z
    v, k = adjoint(vh), shape(s)[-1]
    first = (..., slice(0, k))
    moved, back = matmul(da, getitem(v, first)), matmul(adjoint(da), getitem(u, first))
    t = matmul(adjoint(getitem(u, first)), moved)
    total = divided_by_gaps(t + adjoint(t), s, "singular values")
    difference = divided_by_sums(t - adjoint(t), s)
    du = _singular_vectors(u, 0.5 * (total + difference), moved, t, s)
    dv = _singular_vectors(v, 0.5 * (total - difference), back, adjoint(t), s)
    return du, real(matrix_diagonal(t)), adjoint(dv)


def _pull_of_vectors(g, u, s):
    """Return the adjoints of Ω and of ``moved`` in `_singular_vectors`, None where that does not come in."""
    first, beyond = (..., slice(0, shape(s)[-1])), (..., slice(shape(s)[-1], None))
    own, of_own = getitem(u, first), getitem(g, first)
    if shape(u)[-1] > shape(s)[-1]:
        of_own = of_own - product(getitem(u, beyond), adjoint(getitem(g, beyond)), own)
    moved = None
    if shape(u)[-2] > shape(s)[-1]:
        moved = quotient(of_own, columns(without_rounding(s, s)), "singular values")
    return matmul(adjoint(own), of_own), moved


def _svd_pull(g, z, a, full, factors):
    """Return the transpose of `_svd_push`, term by term."""
    (gu, gs, gvh), (u, s, vh) = g, z
    v, first = adjoint(vh), (..., slice(0, shape(s)[-1]))
    left, right = getitem(u, first), getitem(v, first)
    t = None if gs is None else diagonal_matrix(gs)
    of_u, moved = (None, None) if gu is None else _pull_of_vectors(gu, u, s)
    of_v, back = (None, None) if gvh is None else _pull_of_vectors(adjoint(gvh), v, s)
    if gu is not None or gvh is not None:
        total = divided_by_gaps(plus(of_u, of_v), s, "singular values")
        difference = divided_by_sums(plus(of_u, None if of_v is None else -of_v), s)
        t = plus(t, 0.5 * (total + adjoint(total) + difference - adjoint(difference)))
    if moved is not None:
        t = t - matmul(adjoint(left), moved)
    if back is not None:
        t = t - matmul(adjoint(back), right)
    found = matmul(plus(matmul(left, t), moved), adjoint(right))
    return found if back is None else found + matmul(left, adjoint(back))


@smooth(Smooth(_svd_push, _svd_pull), several=True)
def _svd(a, full, factors):
    return tuple(factors.of(a, full))


SVDResult = type(np.linalg.svd(np.eye(1)))


@composition(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """U, the singular values in descending order, Vᴴ; the values alone without ``compute_uv``."""
    if hermitian:
        return _svd_of_hermitian(a, compute_uv)
    if not compute_uv:
        return svdvals(a)
    factors = _Factors()
    undetermined = decided(_repeated_values, a, full_matrices, factors, usual="") if is_number(type(a)) else ""
    if undetermined == OTHERS:
        return _of_groups(a, *factors.of(read(a), full_matrices))
    u, s, vh = _svd(a, full_matrices, factors)
    if undetermined:
        u, vh = (determined(vectors, s, "singular values") for vectors in (u, vh))
    return SVDResult(u, _with_kink(s, a), vh)


def _of_groups(a, u, s, vh):
    """Factors of which values repeat, by the eigenvectors of `_doubled`: (u, v) / √2 of σ and (u, −v) / √2 of −σ."""
    (m, n), k, v = shape(a)[-2:], s.shape[-1], vh.conj().swapaxes(-1, -2)
    whole = SVDResult(u, s, vh) if u.shape[-1] == m and v.shape[-1] == n else np.linalg.svd(read(a))
    beyond = whole.U[..., k:], whole.Vh.conj().swapaxes(-1, -2)[..., k:]
    half = np.sqrt(s.dtype.type(0.5))
    above, below = half * u[..., :k], half * v[..., :k]
    vectors = [
        np.concatenate([above, -below], -2),
        np.concatenate([beyond[0], np.zeros((*s.shape[:-1], n, m - k), u.dtype)], -2),
        np.concatenate([np.zeros((*s.shape[:-1], m, n - k), u.dtype), beyond[1]], -2),
        np.concatenate([above, below], -2)[..., ::-1],
    ]
    w = np.concatenate([-s, np.zeros((*s.shape[:-1], abs(m - n)), s.dtype), s[..., ::-1]], -1)
    matrix, basis = _doubled(a), Basis()
    basis.take(read(matrix), w, np.concatenate(vectors, -1))
    w, x = groups.eigh(matrix, "L", basis)
    last = slice(None, -k - 1, -1)
    x = concatenate(getitem(x, (..., last)) / half, getitem(x, (..., slice(k, m + n - k))), -1)
    left, right = (
        getitem(x, (..., rows, slice(0, y.shape[-1]))) for rows, y in ((slice(0, m), u), (slice(m, None), v))
    )
    values = _with_slope_of(getitem(w, (..., last)), s)
    return SVDResult(_with_slope_of(left, u), values, adjoint(_with_slope_of(right, v)))


def _with_slope_of(x, value):
    """Return a plain value with the derivatives of a number."""
    return value + (x - read(x))


def _with_kink(s, a):
    """Return the singular values of ``a``, of which those that are 0 have their derivatives from `svdvals`."""
    zero = decided(_at_zero, s)
    if not is_number(type(s)) or nowhere(zero):
        return s
    if is_lazy(type(zero)):
        return where(zero, read(s), s)
    own = svdvals(a)
    return where(zero, read(s) + (own - read(own)), s)


def _svd_of_hermitian(a, compute_uv):
    """From the eigenvalues, as NumPy does it: their moduli, with the signs in Vᴴ."""
    w, u = eigh(a) if compute_uv else (eigvalsh(a), None)
    a = hermitian_matrix(a, "L")
    order = argsort(np.abs(read(w)), -1, None)
    stack = tuple(np.indices(order.shape)[:-1])
    if u is None:
        return _with_kink(flip(getitem(abs(w), (*stack, order)), -1), a)
    order = order[..., ::-1]
    s = _with_kink(getitem(abs(w), (*stack, order)), a)
    signs = getitem(np.sign(read(w)), (*stack, order))
    rows = getitem(matrix_transpose(u), (*stack, order))
    return SVDResult(matrix_transpose(rows), s, conj(rows * signs[..., None]))


@locally_constant_of_arrays(
    of=np.linalg.matrix_rank,
    call=lambda A, tol=None, hermitian=False, *, rtol=None: (A, read(tol), hermitian, read(rtol)),
    core="(i,j)->()",
)
def matrix_rank(a, tol, hermitian, rtol):
    """The number of singular values above the tolerance."""
    return np.linalg.matrix_rank(a, tol, **by_default(type(a), hermitian=hermitian, rtol=rtol))
