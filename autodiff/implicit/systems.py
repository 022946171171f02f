"""Linear equations A(θ) x = b, where A is known by its products with vectors: solved so, and differentiated so.

The tangent of the solution solves the same equation, A ẋ = ḃ − Ȧ x, and the adjoint of b the transposed one,
Aᵀ b̄ = x̄; then θ̄ is that of the product A(θ) x for −b̄ (Giles, *Collected matrix derivative results*, 2008, §2.3.1).
Products with Aᵀ are the pull-back of those with A. So no iteration is recorded, and every order is one solve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal, shape, size, zeros_like
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.shaping import array, astype, reshape
from dualnumbers.table import smooth
from dualnumbers.table.kinds import Linear, Smooth

from ..calls.closures import parameters_converted, plain_result
from ..calls.given import described
from ..calls.structures import is_structure
from ..forward import jacfwd, jvp
from ..reverse import vjp
from ..second_look.rounding import differ, size_of_terms
from .krylov import METHODS, Krylov

Function = Callable[..., Any]


def one_array(call: str, x: Any) -> Any:
    """Return a number, an array, or a list or tuple of these as one array; TypeError for another structure."""
    x = joined(x)
    if is_structure(x) and not isinstance(x, (list, tuple)):
        raise TypeError(
            f"{call} takes one array of unknowns, not {described(x)}: join its parts with np.concatenate{user_line()}"
        )
    return array(x)


def product(x: Any, theta: Any, at: Callable[[Any], Function], transposed: bool) -> Any:
    """Return A(θ) x or A(θ)ᵀ x, of x's shape; ValueError where the product has another."""
    multiply = at(theta)
    z = vjp(multiply, zeros_like(x))[1](x)[0] if transposed else array(joined(multiply(x)))
    if shape(z) != shape(x):
        raise ValueError(
            f"linear_solve: A gives shape {shape(z)} for x of shape {shape(x)}; let it give x's{user_line()}"
        )
    return z


def _theta_push(dtheta: Any, x: Any, theta: Any, b: Any, at: Any, method: Krylov, transposed: bool) -> Any:
    change = jvp(lambda theta: product(x, theta, at, transposed), [theta], [dtheta])[1]
    return -linear_solution(theta, change, at, method, transposed)


def _theta_pull(g: Any, x: Any, theta: Any, b: Any, at: Any, method: Krylov, transposed: bool) -> Any:
    return _pull(g, x, theta, b, at, method, transposed)[0]


def _b_adjoint(g: Any, theta: Any, b: Any, at: Any, method: Krylov, transposed: bool) -> Any:
    return linear_solution(theta, g, at, method, not transposed)


def _pull(g: Any, x: Any, theta: Any, b: Any, at: Any, method: Krylov, transposed: bool) -> tuple[Any, Any]:
    found = _b_adjoint(g, theta, b, at, method, transposed)
    return -vjp(lambda theta: product(x, theta, at, transposed), theta)[1](found)[0], found


@smooth(Smooth(_theta_push, _theta_pull), Linear(_b_adjoint), joint=_pull, name="linear_solve")
def linear_solution(theta: Any, b: Any, at: Callable[[Any], Function], method: Krylov, transposed: bool) -> Any:
    """Solve A(θ) x = b, or A(θ)ᵀ x = b; ``at(θ)`` is the function that multiplies by A(θ)."""
    if transposed and not method.is_symmetric:
        pull = vjp(at(theta), np.zeros(np.shape(b))[()])[1]
        return method.solve(lambda x: pull(x)[0], b, transposed)
    multiply: Function = lambda x: plain_result(method.call, product(x, theta, at, False))
    if method.checks:
        _check_linear(multiply, at(theta), np.shape(b))
    if transposed:
        _check_symmetric(multiply, np.shape(b), method)
    return method.solve(multiply, b)


def _check_linear(multiply: Function, A: Function, form: tuple[int, ...]) -> None:
    """Raise ValueError where A v is not the derivative of A at 0 along v, for a vector drawn at random."""
    along: Function = lambda v: jvp(A, [np.zeros(form)], [v])[1]
    v = np.random.default_rng(1).normal(size=form)
    expected = along(v)
    if np.any(differ(multiply(v), expected, np.abs(expected), lambda: size_of_terms(along, v)[0])):
        raise _not_linear()


def _not_linear() -> ValueError:
    return ValueError(
        f"linear_solve: A is not linear: A(x) is not its matrix times x; solve these equations by root{user_line()}"
    )


def _check_symmetric(multiply: Function, form: tuple[int, ...], method: Krylov) -> None:
    """Raise ValueError where u · A v and v · A u differ for two vectors drawn at random: then A is not Aᵀ.

    They are of D A D, D diagonal and such that large rows of A do not hide small ones.
    """
    u, v, w = np.random.default_rng(0).normal(size=(3, *form))
    rows = np.abs(multiply(w[()]))
    u, v = (x / np.sqrt(np.where(rows == 0.0, 1.0, rows)) for x in (u, v))
    terms = u * multiply(v), -v * multiply(u)
    if abs(sum(map(np.sum, terms))) > 1e-8 * sum(np.sum(np.abs(x)) for x in terms):
        what = "A" if method.checks else "the Jacobian of the equations"
        raise ValueError(
            f"{method.call}: {what} is not symmetric, as {method.method!r} needs it: write 'gmres'{user_line()}"
        )


def linear_solve(A: Function, b: Any, args: tuple[Any, ...] = (), *, method: str = "gmres", rtol: float = 1e-12,
                 maxiter: int | None = None, preconditioner: Function | None = None) -> Any:  # fmt: skip
    """Return the x of ``A(x, *args) = b``, A a linear function of x that gives an array of x's shape; b may have any.

    Differentiable in b, in ``args`` and in the numbers that A closes over, to every order and in both modes, each
    derivative by one solve. ``method`` is ``"gmres"``, ``"cg"`` where A is symmetric and positive definite,
    ``"minres"`` where it is symmetric, each with products A x alone until ‖A x − b‖ ≤ ``rtol`` ‖b‖; or ``"dense"``,
    with the matrix of A. The derivatives are as accurate as ``rtol`` says. ``preconditioner(v)``, linear as well, is
    about A⁻¹ v, for cg and minres symmetric and positive definite; no derivative passes it. The Krylov methods need
    SciPy; ``maxiter`` bounds their iterations, those of GMRES one by one, in all.

    Raises RuntimeError where the method does not reach ``rtol``, LinAlgError where a dense A is singular, ValueError
    where A gives another shape, is not linear, or in reverse mode is not symmetric where the method needs it. A matrix
    is solved by `autodiff.linalg.solve`.

    >>> from autodiff import grad
    >>> from autodiff.implicit import linear_solve
    >>> def by_cg(k):
    ...     return linear_solve(lambda x: k * x + 0.1 * np.roll(x, 1) + 0.1 * np.roll(x, -1), np.ones(3), method="cg")
    >>> grad(lambda k: np.sum(by_cg(k)))(np.array([1.0, 2.0, 4.0])).round(6).tolist()
    [-0.872712, -0.195816, -0.046476]
    """
    if not callable(A):
        raise TypeError(
            f"linear_solve: A is a function that multiplies by it, got {type(A).__name__}; a matrix is "
            f"solved by autodiff.linalg.solve(A, b){user_line()}"
        )
    if maxiter is not None and (not isinstance(maxiter, (int, np.integer)) or maxiter < 1):
        raise ValueError(f"linear_solve: maxiter is a number of iterations, 1 or more; got {maxiter!r}{user_line()}")
    b, (theta, at) = one_array("linear_solve", b), parameters_converted(A, tuple(args))
    if is_unreal(b):
        raise TypeError(f"linear_solve is of real equations: give the real and imaginary parts of b{user_line()}")
    b = astype(b, np.float64)
    if method == "dense":
        return _dense(theta, b, at)
    if method not in METHODS:
        names = ", ".join(map(repr, ("dense", *METHODS)))
        raise ValueError(f"linear_solve: method is one of {names}; got {method!r}{user_line()}")
    return linear_solution(theta, b, at, Krylov(method, rtol, maxiter, preconditioner, checks=True), False)


def _dense(theta: Any, b: Any, at: Callable[[Any], Function]) -> Any:
    """Solve by the matrix of A(θ), all columns of which one run of it gives."""
    multiply: Function = lambda x: product(x, theta, at, False)
    matrix = reshape(jacfwd(multiply)(np.zeros(shape(b))), (size(b), size(b)), "C")
    found = np.linalg.solve(matrix, reshape(b, -1, "C"))
    x = reshape(found, shape(b), "C") if shape(b) else found[0]
    rows, plain = read(matrix), read(found)
    off = np.abs(np.ravel(read(multiply(read(x)))) - rows @ plain)
    if np.any(off > 1e-6 * (np.abs(rows) @ np.abs(plain))):
        raise _not_linear()
    return x
