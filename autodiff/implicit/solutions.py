"""Roots, fixed points and minima for users: a starting point, a solver, how the linear equations are solved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line

from ..calls.closures import checked, parameters_converted
from ..calls.given import described, no_function
from ..forward import jacfwd, jvp
from ..reverse import grad, value_and_grad
from .krylov import METHODS, Krylov
from .roots import Dense, Diagonal, Equation, MatrixFree, Slope, in_shape, newton, newton_step, shown, solution
from .systems import one_array

Function = Callable[..., Any]

MOST_STEPS = 100
"""Newton steps from a starting point before it counts as no convergence."""


def slope_of(call: str, linear: str, rtol: float, preconditioner: Function | None) -> Slope:
    """Return how equations with the Jacobian are solved, by the name of the way."""
    if linear in METHODS:
        remedy = "give a preconditioner, a larger rtol, or linear='dense'"
        return MatrixFree(Krylov(linear, rtol, preconditioner=preconditioner, call=call, remedy=remedy))
    if linear not in ("dense", "diagonal"):
        names = ", ".join(map(repr, ("dense", "diagonal", *METHODS)))
        raise ValueError(f"{call}: linear is one of {names}; got {linear!r}{user_line()}")
    if preconditioner is not None:
        raise TypeError(
            f"{call}: a preconditioner is for linear='gmres', 'cg' or 'minres', not {linear!r}{user_line()}"
        )
    return Dense() if linear == "dense" else Diagonal()


def start(call: str, x0: Any) -> Any:
    """Return a starting point, plain: no derivative passes it."""
    x0 = one_array(call, x0)
    if is_unreal(x0):
        raise TypeError(f"{call} is of real unknowns: give the real and imaginary parts of x{user_line()}")
    x0 = np.asarray(read(x0), float)
    return x0 if x0.ndim else float(x0)


def root(f: Function, x0: Any, args: tuple[Any, ...] = (), *, solver: Function | None = None, linear: str = "dense",
         rtol: float = 1e-12, preconditioner: Function | None = None) -> Any:  # fmt: skip
    """Return the x of ``f(x, *args) = 0``, of the shape of ``x0``, which f's result has as well.

    Differentiable in ``args`` and in the numbers that f closes over, to every order and in both modes; ``x0`` is a
    constant. ``solver(f, x0)`` finds x from plain values, f being a function of x alone; without one it is Newton's
    method, its steps halved where they are too long. What a solver gives is brought to rounding by Newton's method.
    ``linear`` says how equations with ∂f/∂x are solved: ``"dense"``; ``"diagonal"`` where each element of f depends on
    its own element of x alone; or with products alone, by ``"gmres"``, ``"cg"`` or ``"minres"``, to ``rtol``, which
    is then the accuracy of the derivatives. ``preconditioner(v)`` of x's shape is about (∂f/∂x)⁻¹ v, as that of
    `linear_solve`.

    Raises RuntimeError where no root is found, LinAlgError where ∂f/∂x is singular at it or where the search begins,
    ValueError where f gives another number of equations than unknowns, ``solver`` another number of them, or where f
    mixes elements of x that are said to be ``"diagonal"``; TypeError where ``solver`` gives no real numbers.

    >>> from autodiff import grad
    >>> from autodiff.implicit import root
    >>> def f(x, a):
    ...     return np.stack([x[0] ** 2 + x[1] - a[0], x[0] - a[1] * x[1]])
    >>> grad(lambda a: np.sum(root(f, [1.0, 1.0], (a,))))(np.array([2.0, 1.0])).round(12).tolist()
    [0.666666666667, -0.333333333333]
    """
    if not callable(f):
        raise no_function("root(f, x0)", f)
    slope = slope_of("root", linear, rtol, preconditioner)
    return _root("root", f, start("root", x0), args, solver, slope, lambda x, z: z)


def _root(
    call: str, f: Function, x0: Any, args: tuple[Any, ...], solver: Function | None, slope: Slope, rest: Function
) -> Any:
    """Find the x at which ``rest(x, f(x, *args))`` is 0."""
    theta, at = parameters_converted(f, tuple(args))

    def given(theta: Any) -> Function:
        f = at(theta)
        return lambda x: in_shape(call, f(x), x)

    def residual(theta: Any) -> Function:
        f = given(theta)
        return lambda x: rest(x, f(x))

    def search(theta: Any) -> Any:
        if solver is not None:
            return _as_x(call, solver(checked(call, given(theta)), x0), x0)
        step = newton_step(slope, equation.residual, theta)
        return newton(checked(call, residual(theta)), step, x0, call, MOST_STEPS)

    equation = Equation(call, residual, search, slope)
    return solution(theta, equation)


def _as_x(call: str, found: Any, x0: Any) -> Any:
    """Return what a solver gave, in the shape of the starting point; TypeError or ValueError where it is no x."""
    x = np.asarray(found)
    if x.dtype.kind not in "fiu":
        raise TypeError(
            f"{call}: solver returned {described(found)}; let it return x, real numbers: of a result of "
            f"SciPy's its x{user_line()}"
        )
    if x.size != np.size(x0):
        raise ValueError(
            f"{call}: solver returned an x of shape {x.shape}; it is to have that of x0, {np.shape(x0)}{user_line()}"
        )
    return x.reshape(np.shape(x0))


def fixed_point(g: Function, x0: Any, args: tuple[Any, ...] = (), *, solver: Function | None = None,
                linear: str = "dense", rtol: float = 1e-12, preconditioner: Function | None = None
                ) -> Any:  # fmt: skip
    """Return the x of ``g(x, *args) = x``, of the shape of ``x0``: the root of x − g(x, …), by `root` in all else.

    ``solver(g, x0)`` may be the iteration itself, g being a function of x alone; what it gives is brought to rounding
    by Newton's method. Raises what `root` does.

    >>> from autodiff import derivative
    >>> from autodiff.implicit import fixed_point
    >>> round(derivative(lambda a: fixed_point(lambda x: np.cos(a * x), 0.7), 0, [1.0]), 12)
    -0.29747434151
    """
    if not callable(g):
        raise no_function("fixed_point(g, x0)", g)
    slope = slope_of("fixed_point", linear, rtol, preconditioner)
    return _root("fixed_point", g, start("fixed_point", x0), args, solver, slope, lambda x, z: x - z)


def argmin(f: Function, x0: Any, args: tuple[Any, ...] = (), *, solver: Function | None = None, linear: str = "dense",
           rtol: float = 1e-12, preconditioner: Function | None = None) -> Any:  # fmt: skip
    """Return the x at which a number ``f(x, *args)`` is least, near ``x0`` and of its shape: there ∂f/∂x is 0.

    Differentiable as `root` is, with the Hessian of f in the place of ∂f/∂x; so f is twice differentiable. ``solver(f,
    x0)`` finds x from plain values; without one it is SciPy's ``minimize``, by BFGS or, where ``linear`` is no
    ``"dense"``, L-BFGS-B, and the gradient of f.

    Raises what `root` does, and RuntimeError at a maximum or a saddle, where the Hessian has a negative curvature:
    with ``"gmres"``, ``"cg"`` and ``"minres"`` it is looked at along three random vectors alone.

    >>> from autodiff import jacobian
    >>> from autodiff.implicit import argmin
    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0, 5.0])
    >>> def weights(strength):
    ...     return argmin(lambda w: np.sum((X @ w - y) ** 2) + strength * np.sum(w**2), [0.0, 0.0])
    >>> jacobian(weights)(0.0).round(12).tolist()
    [0.166666666667, -0.5]
    """
    if not callable(f):
        raise no_function("argmin(f, x0)", f)
    slope, x0 = slope_of("argmin", linear, rtol, preconditioner), start("argmin", x0)
    theta, at = parameters_converted(f, tuple(args))
    find = solver or (lambda f, x0: _descended(f, x0, "BFGS" if linear == "dense" else "L-BFGS-B"))
    plainly: Function = lambda theta: checked("argmin", lambda x: at(theta)(x))
    search = lambda theta: _as_x("argmin", find(plainly(theta), x0), x0) if np.size(x0) else x0
    return solution(theta, Equation("argmin", lambda theta: grad(at(theta)), search, slope, _check_least))


def _check_least(x: Any, theta: Any, equation: Equation) -> None:
    """Raise RuntimeError where the Hessian at a root of the gradient has a negative curvature.

    Curvatures are its eigenvalues or its diagonal; where it is known by products alone, those along drawn vectors.
    """
    slope: Function = lambda x: equation.residual(x, theta)
    along: Function = lambda v: jvp(slope, [x], [v])[1]
    if isinstance(equation.slope, Dense):
        matrix = np.reshape(jacfwd(slope)(x), (np.size(x), np.size(x)))
        curvatures = np.linalg.eigvalsh(matrix + matrix.T)
    elif isinstance(equation.slope, Diagonal):
        curvatures = along(np.ones(np.shape(x))[()])
    else:
        drawn = np.random.default_rng(2).normal(size=(3, *np.shape(x)))
        curvatures = np.array([np.sum(v * along(v[()])) for v in drawn])
    if np.min(curvatures, initial=0.0) < -1e-8 * np.max(np.abs(curvatures), initial=0.0):
        raise RuntimeError(
            f"argmin: no minimum was found: the gradient is 0 at x = {shown(x)}, but the Hessian there "
            f"has a negative curvature; begin elsewhere, or give solver={user_line()}"
        )


def _descended(f: Function, x0: Any, method: str) -> Any:
    """Return where SciPy's method comes to from x0, by the gradient of f."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise ImportError("argmin needs SciPy, or a solver(f, x0) that finds the minimum") from error
    form = np.shape(x0)
    of_vector = lambda x: f(x.reshape(form) if form else x[0])
    both = value_and_grad(of_vector)
    result = minimize(checked("argmin", lambda x: both(x)), np.ravel(x0), jac=True, method=method)
    return result.x.reshape(form) if form else float(result.x[0])
