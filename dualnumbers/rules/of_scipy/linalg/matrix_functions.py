"""Functions of matrices and their Fréchet derivatives. Source: N. J. Higham, *Functions of Matrices*, SIAM, 2008, §3.

f([[A, E], [0, A]]) = [[f(A), L(A, E)], [0, f(A)]] (Mathias 1996; Higham, Theorem 3.6): the corner is the derivative of
f at A in the direction E, also for repeated eigenvalues and for defective matrices. L has rows of its own, linear in E.
"""

import warnings
from functools import partial

import numpy as np

from ....foreign import is_foreign, one_of
from ....forms import shape, zeros_like
from ....levels import is_lazy, read
from ....table import smooth
from ....table.dispatch import of_complex
from ....table.kinds import Linear, Smooth
from ...complexes import adjoint
from ...from_scipy import imported, scipy_function
from ...indexing import getitem
from ...linalg.products import matmul
from ...shaping import concatenate
from .matrix_equations import solve_sylvester


def _block(a, e):
    """[[A, E], [0, A]]."""
    return concatenate(concatenate(a, e, -1), concatenate(zeros_like(a), a, -1), -2)


def _corner(blocks):
    """X of [[·, X], [·, ·]]."""
    n = shape(blocks)[-1] // 2
    return getitem(blocks, (..., slice(0, n), slice(n, 2 * n)))


def _silently(function):
    """A derivative's own evaluation emits no warnings."""

    def evaluate(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments)

    return evaluate


def _by_block(function, a, e, *p):
    """L(A, E) of plain matrices: the corner of the function of the block matrix, of the function's own type."""
    return _silently(lambda: _corner(function(_block(a, e), *p)))()


def _regular(name, a):
    """Raise where the function has no derivative: at a singular matrix, to working precision."""
    value = read(a)
    if is_lazy(type(value)):  # which is not asked: infinite or NaN where it raises elsewhere
        return
    scales = np.linalg.svd(value, compute_uv=False)
    if np.any(scales[..., -1:] <= shape(a)[-1] * np.finfo(scales.dtype).eps * scales[..., :1]):
        raise np.linalg.LinAlgError(f"{name}: the derivative at a singular matrix is infinite; keep the eigenvalues "
                                    "away from 0, for example by adding a multiple of the identity")  # fmt: skip


def _of_complex(name, core="(i,i)->(i,i)"):
    return of_complex(f"scipy.linalg.{name}", core)


def _matrix_function(function, derivative, check=lambda a, *p: None, name=""):
    """Make the rows of a function of a matrix, with fixed parameters p, and of its derivative L(A, E).

    One with a ``name`` does not keep every real matrix real: of those of Dask the values would decide upon the type.

    The adjoint of E ↦ L(A, E) is G ↦ L(A, Gᴴ)ᴴ. The derivative of L(A, E) by A in a direction D is L², the corner of
    L([[A, D], [0, A]], [[E, 0], [0, E]]) (Higham & Relton 2014), and tr(X L²(A; E, D)) is symmetric in X, E and D.
    """

    def push(da, z, a, *p):
        check(a, *p)
        return frechet(a, da, *p)

    def pull(g, z, a, *p):
        check(a, *p)
        return adjoint(frechet(a, adjoint(g), *p))

    def second(da, z, a, e, *p):
        return _corner(frechet(_block(a, da), _block(e, zeros_like(e)), *p))

    frechet = smooth(
        Smooth(second, lambda g, z, a, e, *p: adjoint(second(adjoint(g), z, a, e, *p))),
        Linear(lambda g, a, e, *p: adjoint(frechet(a, adjoint(g), *p))),
        core=_of_complex(name, "(i,i),(i,i)->(i,i)") if name else "(i,i),(i,i)->(i,i)",
    )(derivative)
    core = _of_complex(name) if name else "(i,i)->(i,i)"
    return smooth(Smooth(push, pull), of_matrix=True, core=core)(function), frechet


def _expm(A):
    return scipy_function("linalg.expm")(A)


def _expm_frechet(a, e):
    """By Al-Mohy & Higham 2009: half the time of the block matrix. SciPy before 1.16 takes no stacks."""
    if is_foreign(type(one_of((a, e)))):
        return _by_block(_expm, a, e)
    of_one = partial(imported("linalg.expm_frechet"), compute_expm=False, check_finite=False)
    kind = np.result_type(a, e)
    of_each = of_one if np.ndim(a) == 2 else np.vectorize(of_one, [kind], signature="(n,n),(n,n)->(n,n)")
    return of_each(a, e).astype(kind, copy=False)


def _in_double(a):
    """SciPy's answer is double in any case; of single matrices it has single accuracy all the same, and warns of it."""
    return a.astype(np.result_type(a, np.float64), copy=False)


def _logm(A):
    return scipy_function("linalg.logm")(_in_double(A))


def _logm_frechet(a, e):
    return _by_block(_logm, a, e)


def _fractional_matrix_power(A, t):
    return scipy_function("linalg.fractional_matrix_power")(_in_double(A), t)


def _fractional_matrix_power_frechet(a, e, t):
    return _by_block(_fractional_matrix_power, a, e, t)


def _power_regular(a, t):
    if t < 0 or t != int(t):
        _regular("fractional_matrix_power", a)


def _sqrtm_push(da, z, a):
    """Z dZ + dZ Z = dA (Higham §6.1)."""
    _regular("sqrtm", a)
    return solve_sylvester(z, z, da)


def _sqrtm_pull(g, z, a):
    """Zᴴ Ā + Ā Zᴴ = z̄."""
    _regular("sqrtm", a)
    return solve_sylvester(adjoint(z), adjoint(z), g)


def _signm_push(da, z, a):
    """N L + L N = dA − S dA S, with N = S A (Higham, Theorem 5.3)."""
    n = matmul(z, a)
    return solve_sylvester(n, n, da - matmul(matmul(z, da), z))


def _signm_pull(g, z, a):
    """Ā = Y − Sᴴ Y Sᴴ with Nᴴ Y + Y Nᴴ = z̄."""
    n, turned = adjoint(matmul(z, a)), adjoint(z)
    y = solve_sylvester(n, n, g)
    return y - matmul(matmul(turned, y), turned)


expm, expm_frechet = _matrix_function(_expm, _expm_frechet)
logm, logm_frechet = _matrix_function(_logm, _logm_frechet, partial(_regular, "logm"), "logm")
matrix_power, matrix_power_frechet = _matrix_function(
    _fractional_matrix_power, _fractional_matrix_power_frechet, _power_regular, "fractional_matrix_power"
)


@smooth(Smooth(_sqrtm_push, _sqrtm_pull), of_matrix=True, core=_of_complex("sqrtm"))
def sqrtm(A):
    return scipy_function("linalg.sqrtm")(A)


@smooth(Smooth(_signm_push, _signm_pull), of_matrix=True, core=_of_complex("signm"))
def signm(A):
    return scipy_function("linalg.signm")(A)
