"""The pseudoinverse and least squares, at constant rank.

Source: G. H. Golub & V. Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares problems whose
variables separate*, SIAM J. Numer. Anal. 10, 1973, §4-5.
"""

import numpy as np

from ...forms import asked, dtype_of, is_unreal, shape, zeros_like
from ...levels import read
from ...messages.errors import user_line
from ...table import composition, smooth
from ..complexes import conj, real
from ..reductions import sum
from ..shaping import arrays, astype, concatenate, expand_dims, reshape
from .factors import adjoint, cut, hermitian_matrix, product
from .products import matmul
from .singular_values import svdvals

# ------------------------------------------------------------------------------------------------- pseudoinverse


def _pinv_push(da, z, a, rcond, hermitian):
    """dA⁺ = −A⁺ dA A⁺ + A⁺A⁺ᴴ dAᴴ (1 − AA⁺) + (1 − A⁺A) dAᴴ A⁺ᴴA⁺; of a square matrix of full rank, its first term."""
    turned, back = adjoint(da), adjoint(z)
    within, of_rows = product(z, back, turned), product(turned, back, z)
    return -product(z, da, z) + (within - product(within, a, z)) + (of_rows - product(z, a, of_rows))


@smooth(_pinv_push)
def _pinv(a, rcond, hermitian):
    return np.linalg.pinv(a, rcond, hermitian)


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


def _parts(z, a, b):
    """Solution, residuals and rank of the joined result."""
    of_solution = (shape(a)[1], *shape(b)[1:])
    size = int(np.prod(of_solution))
    return cut(z, of_solution, (shape(z)[0] - size - 1,), (1,))


def _matrix(x):
    return x if len(shape(x)) == 2 else expand_dims(x, -1)


def _joined(dx, dresiduals, z, a, b):
    _, residuals, rank = _parts(z, a, b)
    some = dresiduals if shape(residuals)[0] else np.zeros(0, dtype_of(z))
    return concatenate(reshape(dx, -1, "C"), some, zeros_like(rank), -1)


def _residual(a, b, x):
    return _matrix(b) - matmul(a, _matrix(x))


def _push_of_matrix(da, z, a, b, rcond):
    """dx = −A⁺ dA x + A⁺A⁺ᴴ dAᴴ r + (1 − A⁺A) dAᴴ A⁺ᴴ x; d‖r‖² = −2 Re rᴴ dA x, for r is orthogonal to the columns."""
    x, _, rank = _parts(z, a, b)
    if read(rank).real[0] < min(shape(a)):
        raise np.linalg.LinAlgError(
            f"np.linalg.lstsq of a matrix of shape {shape(a)} and rank {int(read(rank).real[0])} has no derivative by "
            f"the matrix; np.linalg.pinv(a) @ b has that at constant rank{user_line()}"
        )
    x, r, inverse, turned = _matrix(x), _residual(a, b, x), pinv(a, rtol=rcond), adjoint(da)
    moved = matmul(da, x)
    row = product(turned, adjoint(inverse), x)
    dx = matmul(inverse, product(adjoint(inverse), turned, r) - moved) + row - product(inverse, a, row)
    return _joined(dx, _twice(r, -moved), z, a, b)


def _twice(r, dr):
    """d Σ |r|² of every column."""
    return 2.0 * _real_part(sum(conj(r) * dr, 0, False))


def _push_of_right_side(db, z, a, b, rcond):
    x, _, _ = _parts(z, a, b)
    db = _matrix(db)
    return _joined(matmul(pinv(a, rtol=rcond), db), _twice(_residual(a, b, x), db), z, a, b)


def _real_part(x):
    return real(x) if is_unreal(x) else x


@smooth(_push_of_matrix, _push_of_right_side)
def _lstsq(a, b, rcond):
    """Solution and residuals in one array, and the rank last."""
    x, residuals, rank, _ = np.linalg.lstsq(a, b, rcond)
    return np.concatenate([x.ravel(), residuals, np.reshape(rank, 1).astype(residuals.dtype)])


@composition(np.linalg.lstsq)
def lstsq(a, b, rcond=None):
    """The solution of least squares (or of these, the shortest), the sums of squared residuals, rank, singular values.

    Raises LinAlgError where it is differentiated by a matrix that has not full rank.
    """
    a, b = arrays((a, b))
    result = asked(np.result_type, a, b, np.float32)
    a, b = (astype(x, np.result_type(result, np.float64)) for x in (a, b))  # as NumPy computes it, whatever it is given
    rcond = np.finfo(float).eps * max(shape(a)) if rcond is None else read(rcond)
    x, residuals, rank = _parts(_lstsq(a, b, rcond), a, b)
    of_real = np.finfo(result).dtype
    residuals, values = (astype(y, of_real) for y in (_real_part(residuals), svdvals(a)))
    return astype(x, result), residuals, read(rank).real[0].astype(np.int32), values
