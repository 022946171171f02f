"""Linear and quadratic matrix equations, as SciPy solves them; right sides are matrices or stacks of them.

An equation F(X, θ) = 0 gives dX as the solution of the equation linearised at X, of the same form with dθ on its right
side (Giles 2008, §2.3; Kao & Hennequin, *Automatic differentiation of Sylvester, Lyapunov, and Riccati
equations*, 2020).
"""

import numpy as np

from ....foreign import as_like, is_foreign, one_of
from ....forms import shape
from ....table import smooth
from ....table.batching import by_columns
from ....table.kinds import Linear
from ...complexes import adjoint, conj, real
from ...from_scipy import imported, package_of, scipy_function
from ...linalg.factors import product
from ...linalg.products import matmul
from ...linalg.systems import inv
from ...shaping import matrix_transpose

# ------------------------------------------------------------------------------------- A X = B with structure


def band(a, below, above):
    """Set all but ``below`` diagonals below the main one and ``above`` above it to 0; None for all."""
    dims = shape(a)[-2:]
    kept = np.ones(dims, dtype=bool) if above is None else np.tri(*dims, above, bool)
    if below is not None:
        kept &= ~np.tri(*dims, -below - 1, bool)
    return a * as_like(kept, a)


def _reflected(a, lower, flipped):
    """Return the matrix of which one triangle is given; the other one is its image under ``flipped``."""
    given = band(a, None, -1) if lower else band(a, -1, None)
    diagonal = band(a, 0, 0)
    return given + matrix_transpose(flipped(given)) + (diagonal if flipped is not conj else real(diagonal))


def _given(g, lower, flipped):
    """Return the adjoint of the triangle that is given, from that of the whole matrix."""
    whole, diagonal = g + matrix_transpose(flipped(g)), band(g, 0, 0)
    strict = band(whole, None, -1) if lower else band(whole, -1, None)
    return strict + (diagonal if flipped is not conj else real(diagonal))


BANDS = {"diagonal": (0, 0), "tridiagonal": (1, 1), "upper triangular": (0, None), "lower triangular": (None, 0)}
REFLECTIONS = dict.fromkeys(("symmetric", "sym"), lambda x: x)
REFLECTIONS |= dict.fromkeys(("hermitian", "her", "positive definite", "pos"), conj)
"""What SciPy reads of a matrix with ``assume_a``: a band, or one triangle and its image."""


def as_read(a, assume, lower, reflected=_reflected):
    """Return the matrix that SciPy reads of ``a``; all of it where it only looks for a structure by itself."""
    if assume in REFLECTIONS:
        return reflected(a, lower, REFLECTIONS[assume])
    return band(a, *BANDS[assume]) if assume in BANDS else a


_TRANSPOSED = {"upper triangular": "lower triangular", "lower triangular": "upper triangular"}


def _solve_push(da, z, a, b, assume, lower, transposed):
    da = as_read(da, assume, lower)
    return -solve(a, matmul(matrix_transpose(da) if transposed else da, z), assume, lower, transposed)


def _solve_adjoint(g, a, b, assume, lower, transposed):
    return solve(adjoint(a), g, _TRANSPOSED.get(assume, assume), not lower, transposed)


def _solve_pull(g, z, a, b, assume, lower, transposed):
    """b̄ = A⁻ᴴ z̄ and Ā = −b̄ zᴴ, of the A that SciPy reads; of Aᵀ the transposed of that."""
    found = _solve_adjoint(g, a, b, assume, lower, transposed)
    whole = -matmul(found, adjoint(z))
    return as_read(matrix_transpose(whole) if transposed else whole, assume, lower, _given), found


@smooth(_solve_push, Linear(_solve_adjoint), joint=_solve_pull, name="solve_structured", solves=True,
        batched=by_columns, core="(i,i),(i,l)->(i,l)")  # fmt: skip
def solve(a, b, assume, lower, transposed):
    if is_foreign(type(one_of((a, b)))):
        a = as_read(a, assume, lower)
        return np.linalg.solve(np.swapaxes(a, -1, -2) if transposed else a, b)
    return imported("linalg.solve")(a, b, lower, False, False, False, assume, transposed)


def triangle(a, lower, unit):
    """Return the triangle of ``a``; without its diagonal where that counts as ones."""
    edge = -1 if unit else 0
    return band(a, None, edge) if lower else band(a, edge, None)


def _triangular_push(da, z, a, b, trans, lower, unit):
    da = triangle(da, lower, unit)
    da = (da, matrix_transpose(da), adjoint(da))[trans] if trans else da
    return -solve_triangular(a, matmul(da, z), trans, lower, unit)


def _triangular_adjoint(g, a, b, trans, lower, unit):
    """(Aᵀ)ᴴ is the conjugate of A."""
    if trans == 1:
        return solve_triangular(conj(a), g, 0, lower, unit)
    return solve_triangular(a, g, 2 - trans, lower, unit)


def _triangular_pull(g, z, a, b, trans, lower, unit):
    """b̄ = A⁻ᴴ z̄ and Ā = −b̄ zᴴ, of the triangle that is read."""
    found = _triangular_adjoint(g, a, b, trans, lower, unit)
    if trans == 1:
        left, right = conj(z), matrix_transpose(found)
    else:
        left, right = (z, adjoint(found)) if trans else (found, adjoint(z))
    whole = -left * right if shape(z)[-1] == 1 else matmul(-left, right)
    return triangle(whole, lower, unit), found


@smooth(_triangular_push, Linear(_triangular_adjoint), joint=_triangular_pull, solves=True, batched=by_columns,
        core="(i,i),(i,l)->(i,l)")  # fmt: skip
def solve_triangular(a, b, trans, lower, unit):
    package = package_of(a, b) if np.ndim(a) == 2 else "scipy"  # CuPy's takes no stack
    if package == "scipy" and is_foreign(type(one_of((a, b)))):
        a = (np.tril if lower else np.triu)(a, (-1 if lower else 1) if unit else 0)
        a = a + as_like(np.eye(a.shape[-1], dtype=a.dtype), a) if unit else a
        turned = np.swapaxes(a, -1, -2) if trans else a
        return np.linalg.solve(np.conj(turned) if trans == 2 else turned, b)
    return imported("linalg.solve_triangular", package)(a, b, trans, lower, unit, False, False)


# ---------------------------------------------------------------------------------------- Sylvester and Lyapunov


def _sylvester_pull(g, z, a, b, q):
    """Q̄ = Y of Aᴴ Y + Y Bᴴ = z̄, Ā = −Y Xᴴ, B̄ = −Xᴴ Y."""
    y, turned = solve_sylvester(adjoint(a), adjoint(b), g), adjoint(z)
    return -matmul(y, turned), -matmul(turned, y), y


@smooth(
    lambda da, z, a, b, q: -solve_sylvester(a, b, matmul(da, z)),
    lambda db, z, a, b, q: -solve_sylvester(a, b, matmul(z, db)),
    Linear(lambda g, a, b, q: solve_sylvester(adjoint(a), adjoint(b), g)),
    joint=_sylvester_pull,
    solves=True,
    core="(i,i),(j,j),(i,j)->(i,j)",
)
def solve_sylvester(a, b, q):
    """Solve A X + X B = Q, of one type: SciPy mistakes the real Schur form of a real matrix beside complex ones."""
    kind = np.result_type(a, b, q, np.float32)
    return scipy_function("linalg.solve_sylvester")(*(x.astype(kind, copy=False) for x in (a, b, q)))


def _stein_push(da, z, a, q, method):
    return solve_stein(a, product(da, z, adjoint(a)) + product(a, z, adjoint(da)), method)


def _stein_pull(g, z, a, q, method):
    """Q̄ = Y of Aᴴ Y A − Y + z̄ = 0, Ā = Y A Xᴴ + Yᴴ A X."""
    y = solve_stein(adjoint(a), g, method)
    return product(y, a, adjoint(z)) + product(adjoint(y), a, z), y


@smooth(
    _stein_push,
    Linear(lambda g, a, q, method: solve_stein(adjoint(a), g, method)),
    joint=_stein_pull,
    name="solve_discrete_lyapunov",
    core="(i,i),(i,i)->(i,i)",
)
def solve_stein(a, q, method=None):
    """A X Aᴴ − X + Q = 0."""
    return scipy_function("linalg.solve_discrete_lyapunov")(a, q, method)


# ----------------------------------------------------------------------------------------------- Riccati equations


def _continuous(d, x, a, b, q, r, e, s):
    """dX of Acᴴ dX E + Eᴴ dX Ac + D = 0, with the closed loop Ac = A − B K."""
    backward = inv(e)
    right = product(adjoint(backward), d, backward)
    loop = matmul(a - matmul(b, _continuous_gain(x, a, b, q, r, e, s)), backward)
    return -solve_sylvester(adjoint(loop), loop, right)


def _continuous_gain(x, a, b, q, r, e, s):
    """K = R⁻¹ (Bᴴ X E + Sᴴ)."""
    return matmul(inv(r), product(adjoint(b), x, e) + adjoint(s))


def _discrete(d, x, a, b, q, r, e, s):
    """dX of Acᴴ dX Ac − Eᴴ dX E + D = 0."""
    backward = inv(e)
    loop = matmul(a - matmul(b, _discrete_gain(x, a, b, q, r, e, s)), backward)
    return solve_stein(adjoint(loop), product(adjoint(backward), d, backward), None)


def _discrete_gain(x, a, b, q, r, e, s):
    """K = (R + Bᴴ X B)⁻¹ (Bᴴ X A + Sᴴ)."""
    return matmul(inv(r + product(adjoint(b), x, b)), product(adjoint(b), x, a) + adjoint(s))


def _twice(d):
    """D + Dᴴ."""
    return d + adjoint(d)


def _riccati(name, gain, solved, by_a, by_b, by_e):
    """Make the row of a Riccati equation in A, B, Q, R, E, S; D is what a tangent adds to its left side at fixed X."""

    def push(part):
        def pushed(dt, x, *operands):
            a, b, _, _, e, _ = operands
            k = gain(x, *operands)
            return solved(part(dt, x, e, k, a - matmul(b, k)), x, *operands)

        return pushed

    parts = (by_a, by_b, lambda dq, x, e, k, ac: dq, lambda dr, x, e, k, ac: product(adjoint(k), dr, k), by_e,
             lambda ds, x, e, k, ac: -_twice(matmul(ds, k)))  # fmt: skip
    core = "(i,i),(i,m),(i,i),(m,m),(i,i),(i,m)->(i,i)"
    return smooth(*map(push, parts), name=name, core=core)(scipy_function(f"linalg.{name}"))


solve_continuous_are = _riccati(
    "solve_continuous_are", _continuous_gain, _continuous,
    lambda da, x, e, k, ac: _twice(product(adjoint(da), x, e)),
    lambda db, x, e, k, ac: -_twice(product(adjoint(k), adjoint(db), x, e)),
    lambda de, x, e, k, ac: _twice(product(adjoint(ac), x, de)))  # fmt: skip
"""Aᴴ X E + Eᴴ X A − (Eᴴ X B + S) R⁻¹ (Bᴴ X E + Sᴴ) + Q = 0."""

solve_discrete_are = _riccati(
    "solve_discrete_are", _discrete_gain, _discrete,
    lambda da, x, e, k, ac: _twice(product(adjoint(da), x, ac)),
    lambda db, x, e, k, ac: -_twice(product(adjoint(k), adjoint(db), x, ac)),
    lambda de, x, e, k, ac: -_twice(product(adjoint(de), x, e)))  # fmt: skip
"""Aᴴ X A − Eᴴ X E − (Aᴴ X B + S) (R + Bᴴ X B)⁻¹ (Bᴴ X A + Sᴴ) + Q = 0."""
