"""What the decompositions are written in: products of matrices, Hermitian input, gaps between repeated values.

A gap of repeated values is exactly 0: a zero numerator against it is 0, for the derivative does not reach its vectors,
and any other raises, as they are not determined.
"""

from functools import lru_cache

import numpy as np

from ...foreign import as_like, is_foreign, largest
from ...forms import dtype_of, is_unreal, real_dtype_of, shape
from ...levels import decided, is_lazy, is_number, known
from ...messages.errors import user_line
from ...table import TABLE, linear, smooth
from ...table.batching import by_stacks
from ...table.kinds import Linear
from ..complexes import adjoint, conj
from ..shaping import expand_dims
from ..where import where
from .products import matmul


def product(*factors):
    """Return the product of matrices from the left."""
    z, *others = factors
    for x in others:
        z = matmul(z, x)
    return z


def weighted(x, weights):
    """Return a matrix times plain weights, element by element, in the matrix's precision."""
    return x * as_like(weights.astype(real_dtype_of(x), copy=False), x)


def lower_half(n):
    """Return 1 below the diagonal, ½ on it and 0 above: with its transpose it is 1 everywhere."""
    return _small_lower_half(n) if n <= 96 else _lower_half(n)


def _lower_half(n):
    half = np.tri(n)
    np.fill_diagonal(half, 0.5)
    half.flags.writeable = False
    return half


_small_lower_half = lru_cache(32)(_lower_half)  # to make it takes twice as long as to invert a matrix of 4 rows


def columns(v):
    """Return a vector that multiplies the columns of a matrix, ``M * columns(v)`` = M diag(v)."""
    return expand_dims(v, -2)


def diagonal_matrix(v):
    """Return the matrix with a vector on its diagonal."""
    return weighted(columns(v), np.eye(shape(v)[-1]))


# ------------------------------------------------------------------------------------------------- Hermitian input


def hermitian_adjoint(g, a, triangle):
    """Return the adjoint of what is given of a Hermitian matrix, from that of the whole."""
    half = lower_half(shape(a)[-1])
    return weighted(g + adjoint(g), half if triangle == "L" else half.T)


@linear(hermitian_adjoint, batched=by_stacks(2))
def hermitian(a, triangle):
    """The Hermitian matrix of which only one triangle is given, ``"L"`` or ``"U"``; the diagonal is real."""
    strict = np.tril(a, -1) if triangle == "L" else np.triu(a, 1)
    z = strict + adjoint(strict)
    if is_foreign(type(a)):  # Dask has no index of places on two axes; of NumPy's this takes up to half as long again
        return np.where(as_like(np.eye(a.shape[-1], dtype=bool), a), a.real, z)
    places = np.arange(a.shape[-1])
    z[..., places, places] = a[..., places, places].real
    return z


def hermitian_matrix(a, UPLO):
    """``a`` as NumPy reads it: a square matrix, of which the other triangle is not looked at."""
    triangle = UPLO.upper()
    if triangle not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    square(a)
    return hermitian(a, triangle)


def square(a):
    """Raise LinAlgError where ``a`` is no stack of square matrices, as NumPy does."""
    if len(shape(a)) < 2 or shape(a)[-1] != shape(a)[-2]:
        raise np.linalg.LinAlgError(f"a square matrix is needed, or a stack of them, not an array of shape {shape(a)}")


# ------------------------------------------------------------------------------------------------- repeated values


def _are_dependent(v):
    """Return whether plain vectors are dependent up to rounding."""
    with np.errstate(all="ignore"):
        return v.size and np.any(np.linalg.cond(v) > 0.1 / (v.shape[-1] * np.finfo(v.dtype).eps))


def independent(v):
    """Raise LinAlgError where eigenvectors are dependent up to rounding: their eigenvalues have infinite slopes."""
    if decided(_are_dependent, v, usual=False):
        raise np.linalg.LinAlgError(
            "the matrix is defective up to rounding: its eigenvalues have infinite derivatives; what is smooth there "
            f"has its own: inv, det, expm, …{user_line()}"
        )


def _undetermined(values, i, j):
    pair = f"{values} {i} and {j}, which are equal" if i != j else f"the {values[:-1]} {i}, which is 0"
    alone = {"singular values": "np.linalg.svdvals, pinv", "eigenvalues": "np.linalg.eigvals, inv, expm"}[values]
    return (
        f"the vectors of {pair} up to rounding, are not determined: "
        f"write {alone} or another function of the matrix{user_line()}"
    )


@smooth(
    Linear(lambda g, t, d, values: quotient(g, conj(d), values)),
    lambda dd, z, t, d, values: -quotient(z * dd, d, values),
    solves=True,
)
def quotient(t, d, values):
    """t / d, but 0 where both are 0: a gap that the derivative does not reach. Raises LinAlgError for t / 0."""
    repeated = d == 0
    if is_lazy(type(repeated)):  # which is not asked: NaN where it raises elsewhere
        return np.where(repeated, np.where(t == 0, t, np.nan), t / np.where(repeated, 1.0, d))
    if not np.any(repeated):
        return t / d
    reached = repeated & (t != 0) & ~np.isnan(t)
    if np.any(reached):
        *_, i, j = np.argwhere(reached)[0]
        raise np.linalg.LinAlgError(_undetermined(values, *sorted((int(i), int(j)))))
    return t / np.where(repeated, 1.0, d)


def without_rounding(d, w):
    """Differences or sums of values ``w``, with 0 for what is 0 up to the rounding of a decomposition."""
    size = largest(np.abs(known(w)), 0.0, -1)[(..., *[None] * (len(shape(d)) - len(shape(w)) + 1))]
    bound = 8 * shape(w)[-1] * np.finfo(size.dtype).eps * size
    return where(np.abs(known(d)) <= bound, 0.0, d)


def together(w):
    """Return which of plain values are equal up to rounding, each with itself."""
    return without_rounding(w[..., None, :] - w[..., :, None], w) == 0


def repeated(w):
    """Return whether any of plain values, which are in order, is equal to the next up to rounding."""
    return bool(np.any(without_rounding(w[..., 1:] - w[..., :-1], w) == 0))


def inverse_gaps(w, near):
    """1 / (wⱼ − wᵢ), 0 where they are ``near``: equal up to rounding."""
    d = expand_dims(w, -2) - expand_dims(w, -1)
    return ~near / (d + near)


def divided_by_gaps(t, w, values):
    """tᵢⱼ / (wⱼ − wᵢ) off the diagonal, on which it is 0; gaps that are rounding are repeated ``values``."""
    infinite = np.zeros(shape(t)[-2:], real_dtype_of(t))
    np.fill_diagonal(infinite, np.inf)
    d = without_rounding(expand_dims(w, -2) - expand_dims(w, -1), w)
    return quotient(t, d + as_like(infinite, d), values)


def divided_by_sums(t, s):
    """tᵢⱼ / (sⱼ + sᵢ), skew; of real ``t`` the diagonal is 0, whatever the sum."""
    d = without_rounding(expand_dims(s, -2) + expand_dims(s, -1), s)
    diagonal = 0.0 if is_unreal(t) else as_like(np.eye(shape(t)[-1], dtype=dtype_of(t)), d)
    return quotient(t, d + diagonal, "singular values")


def _not_determined(g, v, values, i, j):
    raise np.linalg.LinAlgError(_undetermined(values, i, j))


@linear(_not_determined, name="_determined", shown="determined")
def _determined(v, values, i, j):
    return v


del TABLE[
    "_determined"
]  # there is no derivative for the loops to test; tests/rules/test_linear_algebra.py holds it to that


def determined(v, w, values):
    """Return vectors ``v`` that reverse mode must not come through where their values ``w`` repeat.

    Forward mode refuses a tangent that turns them. The adjoint can be 0 there although the derivative is not: in
    V f(Λ) V⁻¹ the adjoints of the two V cancel, and what is left is 0 / 0 with the limit f′(λ).
    """
    if not is_number(type(v)):
        return v
    equal = decided(_first_equal, w, usual=())
    return _determined(v, values, *equal) if equal else v


def _first_equal(w):
    """Return the places of the first two plain values that are equal up to rounding, () where none are."""
    gaps = without_rounding(w[..., None, :] - w[..., :, None], w)
    places = np.argwhere(gaps + as_like(np.eye(w.shape[-1]), w) == 0)
    return tuple(sorted(map(int, places[0][-2:]))) if len(places) else ()
