"""The pseudoinverse and least squares, at constant rank.

Source: G. H. Golub & V. Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares problems whose
variables separate*, SIAM J. Numer. Anal. 10, 1973, §4-5.
"""

import numpy as np

from ...foreign import by_default
from ...forms import asked, dtype_of, shape, zeros_like
from ...levels import known, read
from ...messages.errors import user_line
from ...table import composition, smooth
from ...table.batching import by_stacks
from ...table.kinds import Smooth
from ..complexes import adjoint, conj, real
from ..reductions import sum
from ..shaping import arrays, astype, expand_dims, reshape
from .factors import hermitian_matrix, product
from .products import matmul
from .singular_values import svdvals

# ------------------------------------------------------------------------------------------------- pseudoinverse


def _pinv_push(da, z, a, rcond, hermitian):
    """dA⁺ = −A⁺ dA A⁺ + A⁺A⁺ᴴ dAᴴ (1 − AA⁺) + (1 − A⁺A) dAᴴ A⁺ᴴA⁺; of a square matrix of full rank, its first term."""
    turned, back = adjoint(da), adjoint(z)
    within, of_rows = product(z, back, turned), product(turned, back, z)
    return -product(z, da, z) + (within - product(within, a, z)) + (of_rows - product(z, a, of_rows))


def _pinv_pull(g, z, a, rcond, hermitian):
    """Ā = −A⁺ᴴ z̄ A⁺ᴴ + (1 − AA⁺) z̄ᴴ A⁺A⁺ᴴ + A⁺ᴴA⁺ z̄ᴴ (1 − A⁺A)."""
    turned, back = adjoint(g), adjoint(z)
    of_columns, of_rows = matmul(turned, matmul(z, back)), matmul(back, matmul(z, turned))
    without = of_columns - matmul(a, matmul(z, of_columns)) + (of_rows - matmul(of_rows, matmul(z, a)))
    return without - product(back, g, back)


@smooth(Smooth(_pinv_push, _pinv_pull), batched=by_stacks(2), core="(i,j)->(j,i)")
def _pinv(a, rcond, hermitian):
    return np.linalg.pinv(a, **by_default(type(a), rcond=rcond, hermitian=hermitian))


_ABSENT = object()


@composition(np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False, *, rtol=_ABSENT):
    """The pseudoinverse; at a matrix of deficient rank the derivative is right for changes that keep the rank."""
    if rcond is not None and rtol is not _ABSENT:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if rcond is None and rtol is not _ABSENT:
        rcond = max(shape(a)[-2:]) * np.finfo(dtype_of(a)).eps if rtol is None else rtol
    return _pinv(hermitian_matrix(a, "L") if hermitian else a, read(rcond), hermitian)


# ------------------------------------------------------------------------------------------------- least squares


def _matrix(x):
    return x if len(shape(x)) == 2 else expand_dims(x, -1)


def _results(dx, dresiduals, z):
    """The tangents of solution and residuals; there are none of these where there is no more than one solution."""
    x, residuals, _ = z
    return reshape(dx, shape(x), "C"), dresiduals if shape(residuals)[0] else None, None


def _residual(a, b, x):
    return _matrix(b) - matmul(a, _matrix(x))


def _check_rank(z, a):
    rank = read(z[2])
    if rank < min(shape(a)):
        raise np.linalg.LinAlgError(
            f"np.linalg.lstsq of a matrix of shape {shape(a)} and rank {rank} has no derivative by the matrix; "
            f"np.linalg.pinv(a) @ b has that at constant rank{user_line()}"
        )


def _push_of_matrix(da, z, a, b, rcond):
    """dx = −A⁺ dA x + A⁺A⁺ᴴ dAᴴ r + (1 − A⁺A) dAᴴ A⁺ᴴ x; d‖r‖² = −2 Re rᴴ dA x, for r is orthogonal to the columns."""
    _check_rank(z, a)
    x = _matrix(z[0])
    r, inverse, turned = _residual(a, b, x), pinv(a, rtol=rcond), adjoint(da)
    moved = matmul(da, x)
    row = product(turned, adjoint(inverse), x)
    dx = matmul(inverse, product(adjoint(inverse), turned, r) - moved) + row - product(inverse, a, row)
    return _results(dx, _twice(r, -moved), z)


def _pull_of_right_side(g, z, a, b, rcond):
    return _adjoint_of_right_side(g, z, a, b, pinv(a, rtol=rcond))


def _adjoint_of_right_side(g, z, a, b, inverse):
    """b̄ = A⁺ᴴ x̄ + 2 r ρ̄, for the sum ρ of squared residuals of every column."""
    (gx, sums, _), (x, *_) = g, z
    found = matmul(adjoint(inverse), _matrix(zeros_like(x) if gx is None else gx))
    if sums is not None and shape(sums)[0]:
        found = found + 2.0 * _residual(a, b, x) * sums
    return reshape(found, shape(b), "C")


def _pull(g, z, a, b, rcond):
    """Ā = −b̄ xᴴ + r (A⁺A⁺ᴴ x̄)ᴴ + A⁺ᴴ x ((1 − A⁺A) x̄)ᴴ, and b̄."""
    _check_rank(z, a)
    x, inverse = _matrix(z[0]), pinv(a, rtol=rcond)
    of_b, turned = _adjoint_of_right_side(g, z, a, b, inverse), adjoint(inverse)
    of_a = -matmul(_matrix(of_b), adjoint(x))
    if g[0] is not None:
        gx = _matrix(g[0])
        of_a = of_a + matmul(_residual(a, b, x), adjoint(product(inverse, turned, gx)))
        of_a = of_a + product(turned, x, adjoint(gx - product(inverse, a, gx)))
    return of_a, of_b


def _twice(r, dr):
    """d Σ |r|² of every column."""
    return 2.0 * real(sum(conj(r) * dr, 0, False))


def _push_of_right_side(db, z, a, b, rcond):
    x, _, _ = z
    db = _matrix(db)
    return _results(matmul(pinv(a, rtol=rcond), db), _twice(_residual(a, b, x), db), z)


@smooth(_push_of_matrix, Smooth(_push_of_right_side, _pull_of_right_side), joint=_pull, several=True)
def _lstsq(a, b, rcond):
    """Solution, residuals and rank."""
    return np.linalg.lstsq(a, b, rcond)[:3]


@composition(np.linalg.lstsq, by_values=True)
def lstsq(a, b, rcond=None):
    """The solution of least squares (or of these, the shortest), the sums of squared residuals, rank, singular values.

    Raises LinAlgError where it is differentiated by a matrix that has not full rank.
    """
    a, b = arrays((a, b))
    result = asked(np.result_type, a, b, np.float32)
    a, b = (astype(x, np.result_type(result, np.float64)) for x in (a, b))  # as NumPy computes it, whatever it is given
    rcond = np.finfo(float).eps * max(shape(a)) if rcond is None else read(rcond)
    x, residuals, rank = _lstsq(a, b, rcond)
    of_real = np.finfo(result).dtype
    return astype(x, result), astype(residuals, of_real), known(rank), astype(svdvals(a), of_real)
