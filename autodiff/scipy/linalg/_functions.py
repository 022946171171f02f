"""Functions of matrices. ``sinm`` and its kin are written in `expm`, as SciPy's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import dtype_of, is_unreal, shape, size, type_of
from dualnumbers.levels import is_lazy, is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.complexes import imag, real
from dualnumbers.rules.linalg.decompositions import eig
from dualnumbers.rules.linalg.factors import square, without_rounding
from dualnumbers.rules.linalg.systems import solve
from dualnumbers.rules.of_scipy.linalg import matrix_functions as rows
from dualnumbers.rules.shaping import astype, broadcast_to, expand_dims, matrix_transpose, reshape

from .._counterpart import Array, counterpart, counterpart_of_row
from ._arguments import finite

__all__ = ["coshm", "cosm", "expm", "expm_frechet", "fractional_matrix_power", "funm", "logm", "signm", "sinhm", "sinm",
           "sqrtm", "tanhm", "tanm"]  # fmt: skip

logm = counterpart_of_row("linalg.logm", rows.logm)
sqrtm = counterpart_of_row("linalg.sqrtm", rows.sqrtm)
signm = counterpart_of_row("linalg.signm", rows.signm)


@counterpart("linalg.expm")
def expm(A: Array) -> Any:
    """The exponential of a matrix or of a stack of them; of a number, a matrix of one element."""
    return rows.expm(reshape(A, (1, 1), "C") if size(A) == 1 and len(shape(A)) < 2 else A)


@counterpart("linalg.fractional_matrix_power")
def fractional_matrix_power(A: Array, t: Any) -> Any:
    """The power A**t; by an exponent that carries a derivative it is exp(t log A).

    Raises ValueError where such an exponent meets an eigenvalue that is negative or 0.
    """
    if not is_number(type(t)):
        z = rows.matrix_power(A, t)
        return astype(z, dtype_of(A)) if t == np.floor(t) else z  # SciPy keeps the precision of products alone
    if not is_unreal(A) and not is_lazy(type_of(A)) and _is_cut(read(A), read(t)):
        raise ValueError(
            "fractional_matrix_power: an eigenvalue is negative or 0: no real derivative by the "
            f"exponent; give that as autodiff.value_of(...){user_line()}"
        )
    return rows.expm(t * rows.logm(A))


def _is_cut(A: Any, t: Any) -> bool:
    """Return whether a plain real matrix with an eigenvalue that is negative or 0 has a real power."""
    values = np.linalg.eigvals(A)
    return bool(np.any((np.imag(values) == 0) & (np.real(values) <= 0)) and np.isrealobj(rows.matrix_power(A, t)))


@counterpart("linalg.expm_frechet")
def expm_frechet(
    A: Array, E: Array, method: str | None = None, compute_expm: bool = True, check_finite: bool = True
) -> Any:
    """The exponential of A and its derivative in the direction E. Every ``method`` is computed as SciPy's default.

    Raises ValueError for an unknown ``method`` and for matrices of different shapes.
    """
    finite(check_finite, A, E)
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"expm_frechet: unknown method {method!r}; there are 'SPS' and 'blockEnlarge'")
    if shape(A)[-2:] != shape(E)[-2:]:
        raise ValueError(f"expm_frechet: A of shape {shape(A)} and E of shape {shape(E)} differ")
    to = np.broadcast_shapes(shape(A), shape(E))
    A, E = (x if shape(x) == to else broadcast_to(x, to) for x in (A, E))
    derivative = rows.expm_frechet(A, E)
    return (rows.expm(A), derivative) if compute_expm else derivative


@counterpart("linalg.cosm")
def cosm(A: Array) -> Any:
    """The cosine of a matrix."""
    return 0.5 * (rows.expm(1j * A) + rows.expm(-1j * A)) if is_unreal(A) else real(rows.expm(1j * A))


@counterpart("linalg.sinm")
def sinm(A: Array) -> Any:
    """The sine of a matrix."""
    return -0.5j * (rows.expm(1j * A) - rows.expm(-1j * A)) if is_unreal(A) else imag(rows.expm(1j * A))


@counterpart("linalg.coshm")
def coshm(A: Array) -> Any:
    """The hyperbolic cosine of a matrix."""
    return 0.5 * (rows.expm(A) + rows.expm(-A))


@counterpart("linalg.sinhm")
def sinhm(A: Array) -> Any:
    """The hyperbolic sine of a matrix."""
    return 0.5 * (rows.expm(A) - rows.expm(-A))


@counterpart("linalg.tanm")
def tanm(A: Array) -> Any:
    """The tangent of a matrix, cos(A)⁻¹ sin(A)."""
    return solve(cosm(A), sinm(A))


@counterpart("linalg.tanhm")
def tanhm(A: Array) -> Any:
    """The hyperbolic tangent of a matrix, cosh(A)⁻¹ sinh(A)."""
    return solve(coshm(A), sinhm(A))


@counterpart("linalg.funm", by_values=True)
def funm(A: Array, func: Callable[[Any], Any], disp: bool = True) -> Any:
    """The function of a matrix that is ``func`` of its eigenvalues, V f(Λ) V⁻¹ (Higham 2008, §1.2.1).

    ``func`` is called with numbers that carry derivatives. At repeated eigenvalues, where the derivative reaches into
    vectors that are not determined, it raises LinAlgError.
    """
    if not disp:
        raise TypeError("funm of numbers has no estimate of its error; use disp=True")
    square(A)
    eigenvalues = np.linalg.eigvals(read(A))
    gaps = eigenvalues[..., None, :] - eigenvalues[..., :, None]
    if np.any((without_rounding(gaps, eigenvalues) == 0) & ~as_like(np.eye(shape(A)[-1], dtype=bool), A)):
        raise np.linalg.LinAlgError(
            "funm of numbers needs eigenvalues that differ; at repeated ones call expm, logm, sqrtm, sinm, cosm, …, "
            "or write a polynomial or a quotient with @ and solve"
        )
    w, v = eig(A)
    found = matrix_transpose(solve(matrix_transpose(v), matrix_transpose(v * expand_dims(func(w + 0j), -2))))
    rounding = 1e6 * np.finfo(dtype_of(w)).eps
    unreal = is_unreal(A) or np.max(abs(read(found).imag), initial=0.0) > rounding
    return found if unreal else real(found)
