"""Krylov methods for plain linear equations, SciPy's, held to the residual that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
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
    call: str = "linear_solve"
    """The name that errors give it."""
    remedy: str = "give a preconditioner, a larger maxiter or rtol, or method='dense'"
    """What errors say is to be done where it does not come to ``rtol``."""
    place: str = ""
    """Where in the call the equation is solved, in errors."""

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
            raise ValueError(
                f"{self.call}: {'b' if self.checks else 'the right side'} has elements that are not finite{user_line()}"
            )
        scale = np.max(np.abs(b), initial=0.0) or 1.0  # the squares in a norm would overflow, or vanish
        b = b / scale
        norm = unit = 0.0  # of A, as far as the products tell; what A is divided by

        def flat(v: Any) -> Any:
            nonlocal norm, unit
            z = np.ravel(multiply(v.reshape(form)[()]))
            unit = unit or 2.0 ** float(np.frexp(np.max(np.abs(z), initial=0.0) or 1.0)[1] - 1)  # no digit is lost
            z = z / unit
            length = np.linalg.norm(v)
            norm = max(norm, float(np.linalg.norm(z) / length)) if length else norm
            return z

        x, rest = np.zeros(b.size), b.astype(float)
        size = left = float(np.linalg.norm(rest))
        inverse = self._nearly_inverse(form, transposed)
        if inverse is not None:
            flat(b)
        nearly = None if inverse is None else lambda v: inverse(v) * unit
        rounds, iterations, before = 0, 0, np.inf
        while not left <= self.rtol * size:
            helped = left < 0.5 * before
            if helped and left <= ROUNDING * norm * np.linalg.norm(x):
                break
            if not helped or rounds == MOST_ROUNDS or iterations == self.maxiter:
                raise self._not_reached(left / size)
            new, taken = self._iterate(flat, rest, max(self.rtol * size / left, 1e-15), nearly, iterations)
            x, rounds, iterations = x + new, rounds + 1, iterations + taken
            rest, before = b - flat(x), left
            left = float(np.linalg.norm(rest))
        return (x / (unit or 1.0) * scale).reshape(form)[()]

    def _not_reached(self, residual: float) -> RuntimeError:
        return RuntimeError(
            f"{self.call}: {self.method} came to a relative residual of {residual:.2g}, and "
            f"{self.rtol:.2g} was asked for{self.place}: {self.remedy}{user_line()}"
        )

    def _iterate(
        self, multiply: Function, b: Any, rtol: float, nearly: Function | None, before: int
    ) -> tuple[Any, int]:
        """Run SciPy's method, after so many iterations; return what it came to, and how many iterations it took."""
        try:
            import scipy.sparse.linalg as sparse
        except ImportError as error:
            raise ImportError(f"{self.call} without a matrix needs SciPy; 'dense' does not") from error
        n, taken = len(b), count()
        operator = sparse.LinearOperator((n, n), multiply, dtype=float)
        rtol = 1e-15 if self.method == "minres" else rtol  # which is beside ‖A‖ ‖x‖ there
        most = None if self.maxiter is None else self.maxiter - before
        options: dict[str, Any] = {"rtol": rtol, "maxiter": most}
        if most is not None:
            options["callback"] = lambda _: next(taken)
        if nearly is not None:
            options["M"] = sparse.LinearOperator((n, n), nearly, dtype=float)
        if self.method == "gmres":  # SciPy counts how often it starts anew
            restart = min(n, RESTART, most or n)
            options |= {
                "restart": restart,
                "maxiter": most // restart if most else -(-10 * n // restart),
                "callback_type": "pr_norm",
            }
        return getattr(sparse, self.method)(operator, b, **options)[0], next(taken)

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
