"""Roots, f(x, θ) = 0: found by any solver, differentiated by the implicit function theorem.

The tangent of the root solves ∂f/∂x ẋ = −∂f/∂θ θ̇, and its adjoint gives θ̄ = −(∂f/∂θ)ᵀ λ with (∂f/∂x)ᵀ λ = x̄
(Griewank & Walther, *Evaluating Derivatives*, 2008, §15). Both are written in the derivatives of f, so that they are
differentiated again by the same rule: no step of a solver is ever recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from dualnumbers.forms import is_unreal, shape, size
from dualnumbers.levels import decided, plain
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.linalg.systems import solve
from dualnumbers.rules.shaping import array, concatenate, reshape, transpose
from dualnumbers.table import smooth
from dualnumbers.table.kinds import Smooth

from ..calls.closures import in_numpy, plain_result
from ..forward import jacfwd, jvp
from ..reverse import vjp
from ..second_look.rounding import differ, size_of_terms
from .krylov import Krylov
from .systems import linear_solution

Function = Callable[..., Any]
Residual = Callable[[Any, Any], Any]
"""f(x, θ), of x's shape."""


def _is_finite(matrix: Any) -> bool:
    return bool(np.all(np.isfinite(matrix)))


class Slope(Protocol):
    """How equations with ∂f/∂x at (x, θ) are solved."""

    def solve(self, f: Residual, x: Any, theta: Any, b: Any, transposed: bool) -> Any:
        """Return the v of ∂f/∂x v = b, or of the transposed equation, in x's shape."""


class Dense:
    """By the matrix ∂f/∂x, of which one run of f gives all columns."""

    def solve(self, f: Residual, x: Any, theta: Any, b: Any, transposed: bool) -> Any:
        """Return the v of ∂f/∂x v = b, or of the transposed equation, in x's shape."""
        n = size(x)
        matrix = reshape(jacfwd(lambda x: f(x, theta))(x), (n, n), "C")
        if not decided(_is_finite, matrix):
            raise np.linalg.LinAlgError(
                f"the derivative of the equations by their unknowns is not finite at x = {shown(plain(x))}{user_line()}"
            )
        return reshape(solve(transpose(matrix, (1, 0)) if transposed else matrix, reshape(b, n, "C")), shape(x), "C")


class Diagonal:
    """Where each element of f depends on its own element of x, and on no other: by division."""

    def solve(self, f: Residual, x: Any, theta: Any, b: Any, transposed: bool) -> Any:
        """Return the v of ∂f/∂x v = b, or of the transposed equation, in x's shape."""
        return b / jvp(lambda x: f(x, theta), [x], [np.ones(shape(x)) if shape(x) else 1.0])[1]


@dataclass(frozen=True)
class MatrixFree:
    """By products with ∂f/∂x alone, which are push-forwards of f."""

    method: Krylov

    def solve(self, f: Residual, x: Any, theta: Any, b: Any, transposed: bool) -> Any:
        """Return the v of ∂f/∂x v = b, or of the transposed equation, in x's shape."""
        n, form = size(x), shape(x)

        def at(point: Any) -> Function:
            x, theta = reshape(point[:n], form, "C"), point[n:]
            return lambda v: jvp(lambda x: f(x, theta), [x], [v])[1]

        return linear_solution(concatenate(reshape(x, -1, "C"), theta, 0), b, at, self.method, transposed)


def newton_step(slope: Slope, f: Residual, theta: Any) -> Function:
    """Return the function ``(x, r) -> (∂f/∂x)⁻¹ r`` for plain parameters, by which `newton` goes.

    A Krylov method goes there to a residual of 1e-6: what a step lacks, the next one has, and behind the last, of 1e-8,
    rounding is left.
    """
    if isinstance(slope, MatrixFree):
        slope = MatrixFree(replace(slope.method, rtol=1e-6, place=" in a step of Newton's method"))
    return lambda x, r: slope.solve(f, x, theta, r, transposed=False)


@dataclass(frozen=True, eq=False)
class Equation:
    """What a root is the root of, and how it is found."""

    call: str
    """The name that errors give it."""
    at: Callable[[Any], Function]
    """The function of x with given parameters θ."""
    search: Callable[[Any], Any]
    """Find the root for plain parameters."""
    slope: Slope
    check: Callable[[Any, Any, Equation], None] | None = None
    """What raises an error where a root, for parameters θ, is none of those that are sought."""

    def residual(self, x: Any, theta: Any) -> Any:
        """Return f(x, θ), in x's shape; ValueError where it has not as many elements."""
        return in_shape(self.call, self.at(theta)(x), x)


def in_shape(call: str, out: Any, x: Any) -> Any:
    """Return what a function of the unknowns returned, in their shape; ValueError where it has not as many elements."""
    in_numpy("the function returned", out)
    z = array(joined(out))
    if is_unreal(z):
        raise TypeError(f"{call} is of real equations: give their real and imaginary parts{user_line()}")
    if shape(z) == shape(x):
        return z
    if size(z) != size(x):
        raise ValueError(
            f"{call}: for x of shape {shape(x)} the function returned shape {shape(z)}; it must "
            f"give as many equations as there are unknowns{user_line()}"
        )
    return reshape(z, shape(x), "C")


def _push(dtheta: Any, x: Any, theta: Any, equation: Equation) -> Any:
    change = jvp(lambda theta: equation.residual(x, theta), [theta], [dtheta])[1]
    return -equation.slope.solve(equation.residual, x, theta, change, transposed=False)


def _pull(g: Any, x: Any, theta: Any, equation: Equation) -> Any:
    forces = equation.slope.solve(equation.residual, x, theta, g, transposed=True)
    return -vjp(lambda theta: equation.residual(x, theta), theta)[1](forces)[0]


@smooth(Smooth(_push, _pull), name="root")
def solution(theta: Any, equation: Equation) -> Any:
    """Find the x of f(x, θ) = 0 that the search leads to, brought to rounding by Newton's method."""
    f = lambda x: plain_result(equation.call, equation.residual(x, theta))
    step = newton_step(equation.slope, equation.residual, theta)
    x = newton(f, step, equation.search(theta), equation.call, most=10)
    if isinstance(equation.slope, Diagonal) and np.size(x) > 1:
        _check_diagonal(lambda x: equation.residual(x, theta), x, equation.call)
    if equation.check is not None:
        equation.check(x, theta, equation)
    return x


def _check_diagonal(f: Function, x: Any, call: str) -> None:
    """Raise ValueError where elements of f depend on others of x, as the derivative along a drawn direction shows."""
    drawn = np.random.default_rng(0).uniform(0.5, 1.5, np.shape(x))
    along: Function = lambda direction: jvp(f, [x], [direction])[1]
    expected = along(np.ones(np.shape(x))) * drawn
    if np.any(differ(along(drawn), expected, np.abs(expected), lambda: size_of_terms(along, drawn)[0])):
        raise ValueError(
            f"{call}: elements of the function depend on other elements of x: solve these equations "
            f"together, by root with linear='dense'{user_line()}"
        )


NEAR = 1e-8
"""A Newton step of this size beside x, or less, leaves an error of rounding: the next would be of its square."""


def newton(f: Function, inverse: Function, x: Any, call: str, most: int) -> Any:
    """Return the root that Newton's method comes to from x; ``inverse(x, r)`` is (∂f/∂x)⁻¹ r.

    A step is halved while it does not bring f nearer to 0. Raises LinAlgError where ∂f/∂x is singular, or f is no
    smooth function around x; RuntimeError where there is no convergence within ``most`` steps.
    """
    x = np.array(x, float) if np.shape(x) else float(x)
    r = first = f(x)
    for _ in range(most):
        step = _step(inverse, x, r)
        if step is None:
            raise _no_step(x, r, first, call)
        new, after, share = _shortened(f, x, r, step)
        width, scale = np.max(np.abs(step), initial=0.0), np.max(np.abs(x), initial=0.0)
        if share == 0.0 or (share == 1.0 and width <= NEAR * scale):
            if width > NEAR * scale + 1e-12:
                break
            _check_regular(f, x, r, step, call)
            return new if np.shape(new) else float(new)
        x, r = new, after
    raise RuntimeError(
        f"{call}: no solution was found: Newton's method came to x = {shown(x)}, where what is to be 0 is {shown(r)} "
        f"and the next step {shown(step)}; begin nearer to a solution that is not at a kink{user_line()}"
    )


def _shortened(f: Function, x: Any, r: Any, step: Any) -> tuple[Any, Any, float]:
    """Return the x to go to, f there, and the share of the step that was taken: 0 where no share brings f nearer to 0.

    The shares are 1, ½, ¼ … to 1e-4.
    """
    share, length = 1.0, _length(r, r)
    while share > 1e-4:
        new = x - share * step
        after = f(new)
        if _length(after, r) < length:
            return new, after, share
        share /= 2.0
    return x, r, 0.0


def _length(r: Any, beside: Any) -> float:
    """Return the Euclidean length of r as a multiple of the largest of others, so that no square leaves the range."""
    scale = float(np.max(np.abs(beside), initial=0.0))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.linalg.norm(np.ravel(r) / (scale or 1.0)))


def _check_regular(f: Function, x: Any, r: Any, step: Any, call: str) -> None:
    """Raise LinAlgError where f is not linear close to x, as at a pole, a jump, a kink or a multiple root.

    A linear one is (1 − t) r at x − t · step. The t is such that this is well above rounding, and close.
    """
    width = np.max(np.abs(step), initial=0.0)
    if width == 0.0:
        return
    t = max(100.0, 1e-9 * np.max(np.abs(x)) / width)
    with np.errstate(all="ignore"):
        off = _length(f(x - t * step) - (1.0 - t) * r, r)
    if off > 0.5 * t * _length(r, r):
        raise np.linalg.LinAlgError(
            f"{call}: at x = {shown(x)} the function has a pole, jump, kink or multiple root, so the solution has "
            f"no derivative by the parameters{user_line()}"
        )


def _step(inverse: Function, x: Any, r: Any) -> Any:
    """Return Newton's step; None where there is none."""
    if not np.all(np.isfinite(r)):
        return None
    with np.errstate(all="ignore"):
        try:
            step = inverse(x, r)
        except (np.linalg.LinAlgError, ZeroDivisionError):
            step = np.nan
    return step if np.all(np.isfinite(step)) else None


def _no_step(x: Any, r: Any, first: Any, call: str) -> Exception:
    """Return the error for an x with no step from it: a root without derivative, or where the search came to an end.

    It is the latter where f is not finite, or has come down from its ``first`` value, but not to 0.
    """
    is_found = np.all(np.isfinite(r)) and (r is first or _length(r, first) <= NEAR * _length(first, first))
    if not is_found:
        return RuntimeError(
            f"{call}: no solution was found: at x = {shown(x)} what is to be 0 is {shown(r)}, and no "
            f"step leads on; begin nearer to a solution, if there is one{user_line()}"
        )
    return np.linalg.LinAlgError(
        f"{call}: the derivative of the function by its unknowns is singular or infinite at x = {shown(x)}, so the "
        f"solution has no derivative by the parameters there{user_line()}"
    )


def shown(x: Any) -> str:
    """Return a value as errors show it."""
    return np.array2string(np.asarray(x), precision=6, threshold=6)
