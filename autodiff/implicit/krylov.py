"""Krylov methods for plain linear equations, SciPy's, held to the residual that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line

from ..calls.closures import closure_converted
from ..reverse import vjp

Function = Callable[..., Any]

METHODS = ("gmres", "cg", "minres")
RESTART = 50
"""Directions that GMRES keeps before it starts anew."""
MOST_ROUNDS = 5
"""Times that a method is begun, each time with what is left."""
ROUNDING = 1e-15
"""The size of a residual beside ‖A‖ ‖x‖ that rounding leaves."""


@dataclass(frozen=True)
class Krylov:
    """A method and what bounds it."""

    method: str = "gmres"
    rtol: float = 1e-12
    maxiter: int | None = None
    preconditioner: Function | None = None
    checks: bool = False
    """Whether the function that multiplies by A is the user's, and is checked to be linear."""

    @property
    def is_symmetric(self) -> bool:
        """Whether the method is for symmetric equations, so that the transposed one is the same."""
        return self.method != "gmres"

    def solve(self, multiply: Function, b: Any, transposed: bool = False) -> Any:
        """Return the x with ‖A x − b‖ ≤ rtol ‖b‖, in b's shape; RuntimeError where the method does not reach it.

        A residual of the size of rounding, ε ‖A‖ ‖x‖, is taken as well. What is left is solved for once more, while
        that helps. ``transposed`` says that ``multiply`` is by Aᵀ.
        """
        form, b = np.shape(b), np.ravel(b)
        if not np.all(np.isfinite(b)):
            raise ValueError(f"linear_solve: b has elements that are not finite{user_line()}")
        scale = np.max(np.abs(b), initial=0.0) or 1.0  # the squares in a norm would overflow, or vanish
        b = b / scale
        norm = 0.0  # of A, as far as the products tell

        def flat(v: Any) -> Any:
            nonlocal norm
            z = np.ravel(multiply(v.reshape(form)[()]))
            length = np.linalg.norm(v)
            norm = max(norm, float(np.linalg.norm(z) / length)) if length else norm
            return z

        x, rest = np.zeros(b.size), b.astype(float)
        size = left = float(np.linalg.norm(rest))
        nearly = self._nearly_inverse(form, transposed)
        for _ in range(MOST_ROUNDS):
            if left <= self.rtol * size or left <= ROUNDING * norm * np.linalg.norm(x):
                return (scale * x).reshape(form)[()]
            x += self._iterate(flat, rest, max(self.rtol * size / left, 1e-15), nearly)
            rest, before = b - flat(x), left
            left = float(np.linalg.norm(rest))
            if not left < 0.5 * before:
                break
        if left <= self.rtol * size:
            return (scale * x).reshape(form)[()]
        raise RuntimeError(
            f"linear_solve: {self.method} came to a relative residual of {left / size:.2g}, and rtol={self.rtol:.2g} "
            f"was asked for: give a preconditioner, a larger maxiter or rtol, or method='dense'{user_line()}"
        )

    def _iterate(self, multiply: Function, b: Any, rtol: float, nearly: Function | None) -> Any:
        """Run SciPy's method."""
        try:
            import scipy.sparse.linalg as sparse
        except ImportError as error:
            raise ImportError("linear_solve without a matrix needs SciPy; method='dense' does not") from error
        n = len(b)
        operator = sparse.LinearOperator((n, n), multiply, dtype=float)
        rtol = 1e-15 if self.method == "minres" else rtol  # which is beside ‖A‖ ‖x‖ there
        options: dict[str, Any] = {"rtol": rtol, "maxiter": self.maxiter}
        if nearly is not None:
            options["M"] = sparse.LinearOperator((n, n), nearly, dtype=float)
        if self.method == "gmres":
            restart = min(n, RESTART)
            options |= {"restart": restart, "maxiter": -(-(self.maxiter or 10 * n) // restart)}
        return getattr(sparse, self.method)(operator, b, **options)[0]

    def _nearly_inverse(self, form: tuple[int, ...], transposed: bool) -> Function | None:
        """Return the preconditioner of vectors, plain; of Aᵀ it is the transpose."""
        if self.preconditioner is None:
            return None
        theta, at = closure_converted(self.preconditioner, ())
        nearly = at(read(theta))
        if transposed:
            pull = vjp(nearly, np.zeros(form)[()])[1]
            return lambda v: np.ravel(pull(v.reshape(form)[()])[0])
        return lambda v: np.ravel(nearly(v.reshape(form)[()]))
