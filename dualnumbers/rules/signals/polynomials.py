"""Polynomials by their coefficients, the highest power first, as NumPy's functions ``poly…`` have them."""

import numpy as np

from ...foreign import as_like, new_like
from ...forms import asked, dtype_of, is_unreal, shape, type_of
from ...levels import is_lazy, read
from ...table import composition, smooth
from ...table.dispatch import TO_DECIDE_BY, refuse
from ...table.kinds import Linear
from ...table.registry import BY_VALUES
from ..complexes import conj, real
from ..elementwise.powers import sqrt
from ..indexing import getitem, scatter
from ..linalg.products import matmul
from ..reductions import sum
from ..shaping import array, astype, concatenate, copied, expand_dims, matrix_transpose, reshape, stack
from .convolution import convolve


def _series(p):
    """Return the coefficients as a vector; a number is a polynomial of degree 0."""
    p = array(p)
    return p if shape(p) else reshape(p, -1, "C")


def _shifted(p, before, length):
    """Return the vector with zeros before it, and behind it up to the length."""
    return scatter(p, (length,), slice(before, before + shape(p)[0]))


@composition(np.polyval)
def polyval(p, x):
    """The value of a polynomial by Horner's rule."""
    p, x = array(p), array(x)
    y = asked(np.zeros_like, x)
    for k in range(shape(p)[0]):
        y = y * x + getitem(p, k)
    return y


def _aligned(a1, a2):
    a1, a2 = _series(a1), _series(a2)
    m, n = shape(a1)[0], shape(a2)[0]
    return (a1 if m >= n else _shifted(a1, n - m, n)), (a2 if n >= m else _shifted(a2, m - n, m))


@composition(np.polyadd)
def polyadd(a1, a2):
    """The sum of two polynomials."""
    a1, a2 = _aligned(a1, a2)
    return a1 + a2


@composition(np.polysub)
def polysub(a1, a2):
    """The difference of two polynomials."""
    a1, a2 = _aligned(a1, a2)
    return a1 - a2


def _trimmed(p):
    """Leave out the leading coefficients that are 0; the constant term stays."""
    p = _series(p)
    nonzero = np.flatnonzero(read(p))
    return getitem(p, slice(int(nonzero[0]) if nonzero.size else shape(p)[0] - 1, None))


@composition(np.polymul, by_values=True)
def polymul(a1, a2):
    """The product of two polynomials."""
    return convolve(_trimmed(a1), _trimmed(a2))


@composition(np.polydiv, by_values=True)
def polydiv(u, v):
    """Quotient and remainder of two polynomials."""
    u, v = _series(u) + 0.0, _series(v) + 0.0
    m, n = shape(u)[0] - 1, shape(v)[0] - 1
    scale, remainder, quotient = 1.0 / getitem(v, 0), u, []
    for k in range(m - n + 1):
        quotient.append(scale * getitem(remainder, k))
        remainder = remainder - _shifted(quotient[-1] * v, k, m + 1)
    leading = 0
    while leading < m and np.allclose(read(getitem(remainder, leading)), 0, rtol=1e-14):
        leading += 1
    return stack(*quotient, 0) if quotient else np.zeros(1), getitem(remainder, slice(leading, None))


@composition(np.polyder)
def polyder(p, m=1):
    """The coefficients of the m-th derivative."""
    if m < 0:
        raise ValueError(f"polyder: m={m} is negative; polyint integrates")
    p = array(p)
    for _ in range(m):
        p = getitem(p, slice(None, -1)) * as_like(np.arange(shape(p)[0] - 1, 0, -1), p)
    return p


@composition(np.polyint)
def polyint(p, m=1, k=None):
    """The coefficients of the m-th integral, with the constants of integration ``k``, 0 by default."""
    if m < 0:
        raise ValueError(f"polyint: m={m} is negative; polyder differentiates")
    p, k = array(p), new_like(p, m, float) if k is None else _series(k)
    if shape(k)[0] == 1 and m > 1:
        k = k * as_like(np.ones(m), k)
    if shape(k)[0] < m:
        raise ValueError(f"polyint: k has {shape(k)[0]} constants, one or at least m={m} are needed")
    for i in range(m):
        p = concatenate(p / as_like(np.arange(shape(p)[0], 0, -1), p), getitem(k, slice(i, i + 1)), 0)
    return p


def _powers(x, count):
    """[1, x, x², …] of an array."""
    powers = [asked(np.ones_like, x)]
    while len(powers) < count:
        powers.append(powers[-1] * x)
    return powers[:count]


@composition(np.vander)
def vander(x, N=None, increasing=False):
    """The powers of the elements of a vector, shape ``(x.size, N)``, the highest first unless ``increasing``."""
    if len(shape(x)) != 1:
        raise ValueError(f"vander: x is a vector; got shape {shape(x)}")
    count = shape(x)[0] if N is None else N
    if not count:
        return new_like(x, (shape(x)[0], 0), np.promote_types(dtype_of(x), int))
    powers = _powers(astype(x, np.promote_types(dtype_of(x), int)), count)
    return stack(*powers[:: 1 if increasing else -1], -1)


# -------------------------------------------------------------------------------------------------- roots


def _roots_push(dp, z, p):
    """dr = −Σ dpₖ rⁿ⁻ᵏ / p′(r), from p(r) = 0."""
    slope = polyder(p)
    size = np.polyval(np.abs(read(slope)), np.abs(read(z)))
    steep = np.abs(np.polyval(read(slope), read(z))) > 2 * np.sqrt(np.finfo(dtype_of(z)).eps) * size
    if not np.all(steep | np.isnan(size)):
        raise np.linalg.LinAlgError(f"roots: the roots {read(z)[~steep]} are repeated, so they have no derivative; "
                                    "symmetric functions of them are polynomials in the coefficients")  # fmt: skip
    return astype(-matmul(stack(*_powers(z, shape(p)[0])[::-1], -1), dp) / polyval(slope, z), dtype_of(z))


BY_VALUES["np.roots"] = ()


def _coefficients(p):
    """Return the operand of `roots`: how many there are, the zeros among the coefficients decide."""
    refuse(is_lazy, "np.roots", TO_DECIDE_BY, [p])
    return (_series(p),)


@smooth(_roots_push, of=np.roots, call=_coefficients)
def roots(p):
    return np.roots(p)


@composition(np.poly)
def poly(seq_of_zeros):
    """The polynomial with these roots, or the characteristic polynomial of a square matrix; leading coefficient 1."""
    zeros = _series(seq_of_zeros)
    lengths = shape(zeros)
    if len(lengths) == 2 and lengths[0] == lengths[1] != 0:
        zeros = np.linalg.eigvals(zeros)
    elif len(lengths) != 1:
        raise ValueError(f"poly: roots are a vector, a matrix is square and not empty; got shape {lengths}")
    p = as_like(np.ones(1, dtype_of(zeros)), zeros)
    for k in range(shape(zeros)[0]):
        p = convolve(p, stack(np.ones((), dtype_of(zeros)), -getitem(zeros, k), 0))
    if is_unreal(zeros):
        refuse(is_lazy, "np.poly of complex roots", TO_DECIDE_BY, [zeros])
    values = read(zeros)
    if not is_unreal(zeros) or not np.array_equal(np.sort(values), np.sort(values.conj())):
        return p if shape(zeros)[0] else 1.0
    return copied(real(p), "C")


# -------------------------------------------------------------------------------------------- least squares


def _least_squares_push(da, z, a, b, rcond):
    """d(A⁺b) = A⁺(A⁺ᴴ dAᴴ r − dA x) + (1 − A⁺A) dAᴴ A⁺ᴴ x with r = b − A x (Golub & Pereyra 1973, eq. 4.12)."""
    adjoint, turned = matrix_transpose(conj(a)), matrix_transpose(conj(da))
    residual = b - matmul(a, z)
    step = least_squares(adjoint, matmul(turned, residual), rcond) - matmul(da, z)
    outside = matmul(turned, least_squares(adjoint, z, rcond))
    return least_squares(a, step - matmul(a, outside), rcond) + outside


@smooth(_least_squares_push, Linear(lambda g, a, b, rcond: least_squares(matrix_transpose(conj(a)), g, rcond)),
        core=lambda a, b: "(i,j),(i)->(j)" if b.ndim == 1 else "(i,j),(i,l)->(j,l)")  # fmt: skip
def least_squares(a, b, rcond):
    """``least_squares(a, b, rcond)``: A⁺ b of a matrix of full rank and a vector or matrix, by NumPy's ``lstsq``."""
    return np.linalg.lstsq(a, b, rcond)[0]


@composition(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The coefficients of the polynomial nearest to the points, by least squares, the residuals weighed by ``w``.

    Raises LinAlgError where the points do not determine the polynomial.
    """
    if full or cov:
        raise TypeError("polyfit of numbers gives the coefficients alone: leave full= and cov= away, or call it with "
                        "autodiff.value_of(...) of its arguments for the others")  # fmt: skip
    x, y = array(x) + 0.0, array(y) + 0.0
    eps = np.finfo(dtype_of(x)).eps
    rcond, left = shape(x)[0] * eps if rcond is None else rcond, vander(x, deg + 1)
    if w is not None:
        w = array(w)
        left, y = left * expand_dims(w, 1), y * (expand_dims(w, 1) if len(shape(y)) == 2 else w)
    scale = sqrt(sum(left * left, 0, False))
    left = left / scale
    if not is_lazy(type_of(left)) and np.linalg.matrix_rank(read(left), rtol=rcond) <= deg:
        raise np.linalg.LinAlgError(f"polyfit: {shape(x)[0]} points do not determine a polynomial of degree {deg}")
    return least_squares(left, y, rcond) / (expand_dims(scale, 1) if len(shape(y)) == 2 else scale)
