"""Boundary value problems: the collocation equations that SciPy solves, as an implicit function of the parameters.

Between neighbours of the mesh y is the cubic with yᵢ₊₁ − yᵢ = h/6 (fᵢ + 4 f₊ + fᵢ₊₁), where f₊ is the right-hand side
in the middle of it; with the boundary conditions these are as many equations as unknowns (Kierzenka & Shampine, *A BVP
solver based on residual control and the MATLAB PSE*, ACM TOMS 27, 2001). They are linearised on the mesh that SciPy
found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.integrate

from dualnumbers.forms import is_unreal, shape
from dualnumbers.levels import is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.shaping import array, concatenate, reshape, transpose

from ...calls.closures import checked, parameters_converted
from ...forward import jacfwd
from ...implicit.roots import Equation, solution
from .._counterpart import Array, counterpart, double
from ..interpolate import CubicHermiteSpline
from ..sparse.linalg import spsolve

Function = Callable[..., Any]


@dataclass(frozen=True)
class Collocation:
    """Equations of ``m`` nodes with ``n`` unknowns each and ``k`` parameters: how they depend on the unknowns.

    An interval depends on its two nodes and on the parameters, the conditions on the first and the last node and on the
    parameters. So nodes of even number, those of odd number and the last one can be moved at a time.
    """

    n: int
    m: int
    k: int

    def colours(self) -> Any:
        """Return for each unknown which it is moved together with."""
        kinds = np.arange(self.m) % 2
        kinds[-1] = 2
        of_nodes = kinds[:, None] * self.n + np.arange(self.n)
        return np.concatenate([of_nodes.ravel(), 3 * self.n + np.arange(self.k)])

    def places(self) -> tuple[Any, Any]:
        """Return the rows and the columns of the elements that may be other than 0."""
        n, m, k = self.n, self.m, self.k
        of_p = m * n + np.arange(k)
        both = np.arange((m - 1) * n).reshape(m - 1, n)[:, :1] + np.arange(2 * n)
        columns = np.concatenate([both, np.broadcast_to(of_p, (m - 1, k))], 1)
        ends = np.concatenate([np.arange(n), (m - 1) * n + np.arange(n), of_p])
        inner = np.repeat(np.arange((m - 1) * n), 2 * n + k), np.repeat(columns, n, 0).ravel()
        outer = np.repeat((m - 1) * n + np.arange(n + k), len(ends)), np.tile(ends, n + k)
        return np.concatenate([inner[0], outer[0]]), np.concatenate([inner[1], outer[1]])

    def solve(self, f: Function, x: Any, theta: Any, b: Any, transposed: bool) -> Any:
        """Return the v of ∂f/∂x v = b, or of the transposed equation, in x's shape."""
        colours, (rows, columns) = self.colours(), self.places()
        together = np.eye(3 * self.n + self.k)[colours]
        moved: Function = lambda along: f(x + matmul(together, along), theta)
        elements = jacfwd(moved)(np.zeros(3 * self.n + self.k))[rows, colours[columns]]
        return spsolve((elements, (columns, rows) if transposed else (rows, columns)), b)


@counterpart("integrate.solve_bvp", always=True, plain=True)
def solve_bvp(fun: Function, bc: Function, x: Array, y: Array, p: Array = None, S: Any = None, fun_jac: Any = None,
              bc_jac: Any = None, tol: float = 1e-3, max_nodes: int = 1000, verbose: int = 0,
              bc_tol: float | None = None) -> Any:  # fmt: skip
    """As ``scipy.integrate.solve_bvp``, differentiable in what ``fun`` and ``bc`` close over and in the ends of ``x``.

    So are y, yp, p and ``sol`` of the result; the guesses y and p are constants, and so are the places of the mesh
    between its ends. What SciPy finds is brought to rounding by Newton's method on its mesh.

    Raises RuntimeError with SciPy's report where a derivative is asked for and it found no solution.
    """
    functions = (fun, bc, fun_jac, bc_jac)
    theta, at = parameters_converted(lambda which, *xs: functions[which](*xs), ())
    guess, begun = read(y), read(p)
    if not is_number(type(x)) and not is_number(type(theta)):
        fun, bc = (checked("solve_bvp", f) for f in (fun, bc))
        return scipy.integrate.solve_bvp(fun, bc, x, guess, begun, S, fun_jac, bc_jac, tol, max_nodes, verbose, bc_tol)
    if S is not None or is_unreal(guess):
        raise TypeError(
            "solve_bvp with S= or complex y has no derivative here: write S y / (x − a) into fun and begin "
            f"beside a; give real and imaginary parts{user_line()}"
        )
    x = double(x)
    parameters = concatenate(theta, x[:1], x[-1:], 0)
    plain, known = read(parameters), at(read(theta))
    own = [f and checked("solve_bvp", partial(known, which)) for which, f in enumerate(functions)]
    found = scipy.integrate.solve_bvp(*own[:2], read(x), guess, begun, None, *own[2:], tol, max_nodes, verbose, bc_tol)
    if not found.success:
        raise RuntimeError(
            f"solve_bvp found no solution, so there is no derivative; SciPy says: {found.message}{user_line()}"
        )
    n, m = found.y.shape
    unknown = np.zeros(0) if found.p is None else found.p
    form = Collocation(n, m, len(unknown))
    equations = _Equations(at, form, (found.x - plain[-2]) / (plain[-1] - plain[-2]))
    first = np.concatenate([found.y.T.ravel(), unknown])
    u = solution(parameters, Equation("solve_bvp", equations.at, lambda theta: first, form))
    mesh, found.y, unknown = equations.parts(u, parameters)
    found.x = mesh if is_number(type(x)) else found.x
    found.p, found.yp = None if found.p is None else unknown, equations.slope(mesh, found.y, unknown, theta)
    found.sol = CubicHermiteSpline(found.x, found.y, found.yp, axis=1)
    return found


@dataclass(frozen=True, eq=False)
class _Equations:
    """The collocation equations on a mesh whose nodes are at given fractions of the interval."""

    functions: Callable[[Any], Function]
    form: Collocation
    places: Any

    def parts(self, u: Any, parameters: Any) -> tuple[Any, Any, Any]:
        """Return the mesh, y of shape ``(n, m)``, and the unknown parameters."""
        n, m, a, b = self.form.n, self.form.m, parameters[-2], parameters[-1]
        return a + (b - a) * self.places, transpose(reshape(u[: n * m], (m, n), "C"), (1, 0)), u[n * m :]

    def slope(self, x: Any, y: Any, p: Any, theta: Any) -> Any:
        """Return the right-hand side, of y's shape."""
        z = array(joined(self.functions(theta)(0, x, y, *self._unknown(p))))
        if shape(z) != shape(y):
            raise ValueError(f"solve_bvp: fun gives shape {shape(z)} for y of shape {shape(y)}{user_line()}")
        return z

    def _unknown(self, p: Any) -> list[Any]:
        return [p] if self.form.k else []

    def at(self, parameters: Any) -> Function:
        """Return the residuals as a function of the unknowns."""
        theta = parameters[:-2]

        def residuals(u: Any) -> Any:
            x, y, p = self.parts(u, parameters)
            h, f = x[1:] - x[:-1], self.slope(x, y, p, theta)
            between = (y[:, 1:] + y[:, :-1]) / 2.0 - h / 8.0 * (f[:, 1:] - f[:, :-1])
            middle = self.slope(x[:-1] + h / 2.0, between, p, theta)
            rest = y[:, 1:] - y[:, :-1] - h / 6.0 * (f[:, :-1] + f[:, 1:] + 4.0 * middle)
            conditions = array(joined(self.functions(theta)(1, y[:, 0], y[:, -1], *self._unknown(p))))
            return concatenate(reshape(transpose(rest, (1, 0)), -1, "C"), conditions, 0)

        return residuals
