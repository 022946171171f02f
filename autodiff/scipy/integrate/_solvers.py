"""SciPy's solvers of initial value problems for plain numbers: the values at times, or a function of the time.

The same call solves a problem, the one with its tangents beside it and the one of its adjoints. In their Jacobians what
couples a tangent to y is left out: the Newton iterations of the implicit methods converge without it (Hindmarsh et
al., *SUNDIALS*, 2005, §3.2), and the blocks that are left are the Jacobian of the user's own problem.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.integrate
import scipy.sparse

from dualnumbers.messages.errors import user_line

Function = Callable[..., Any]

DENSE = 200
"""Unknowns up to which blocks are solved as one dense matrix."""


@dataclass(frozen=True, eq=False)
class Solver:
    """A method with its options, for a problem of ``n`` unknowns and those that are made of it."""

    call: str
    """The name that errors give it."""
    n: int
    method: Any
    options: dict[str, Any]
    """Those of every problem: tolerances, steps."""
    jacobian: Function | None = None
    """∂f/∂y of the user's problem at plain (t, y), for a method that is implicit."""
    own: dict[str, Any] = field(default_factory=dict)
    """Options of the user's problem alone, such as the form of its Jacobian."""

    @property
    def is_dense(self) -> bool:
        """Whether there is y as a function of the time."""
        return True

    @property
    def tolerances(self) -> tuple[float, float]:
        """The relative and the absolute one; of one for each element of y the least."""
        rtol, atol = self.options.get("rtol", 1e-3), self.options.get("atol", 1e-6)
        return float(np.min(rtol)), float(np.min(atol))

    def values(self, slope: Function, y: Any, t0: float, t: Any) -> Any:
        """Return y at the times, shape ``(m, n)``, which are in order."""
        found = self.solved(slope, y, (t0, t[-1]), t_eval=t)
        return found.y.T

    def dense(self, slope: Function, y: Any, t0: float, end: float) -> Function:
        """Return y as a function of the time."""
        solution: Function = self.solved(slope, y, (t0, end), dense_output=True).sol
        return solution

    def adjoint(self, slope: Function, a: Any, t0: float, end: float, y: Function, step: float | None) -> Any:
        """Solve a' = slope(t, a) of adjoints beside the known y(t); SciPy's result with its dense output.

        ``step`` is the first one to try.
        """
        blocks = None if self.jacobian is None else lambda t, a: -self.jacobian(t, y(t)[: self.n]).T  # type: ignore
        given = {} if step is None else {"first_step": min(step, abs(end - t0))}
        return self._solved(slope, a, (t0, end), blocks, **given, dense_output=True)

    def solved(self, slope: Function, y: Any, span: tuple[float, float], **given: Any) -> Any:
        """Return SciPy's result; RuntimeError where the method failed."""
        if len(y) == self.n:
            return self._solved(slope, y, span, None, **self.own, **given)
        known = self.jacobian
        return self._solved(slope, y, span, known and (lambda t, y: known(t, y[: self.n])), **given)

    def _solved(self, slope: Function, y: Any, span: Any, block: Function | None, **given: Any) -> Any:
        options = self._for_all(self.options, len(y)) | self._jacobian(block, len(y) // max(self.n, 1)) | given
        found = scipy.integrate.solve_ivp(slope, span, y, self.method, **options)
        if found.status < 0:
            raise failed(self.call, found.message)
        return found

    def _for_all(self, options: dict[str, Any], count: int) -> dict[str, Any]:
        """Return the options with tolerances for ``count`` unknowns: beyond the user's the least of them."""
        given = {name: options[name] for name in ("atol", "rtol") if np.ndim(options.get(name, 0.0))}
        more = max(count - self.n, 0)
        return options | {name: np.append(each, np.full(more, np.min(each))) for name, each in given.items()}

    def _jacobian(self, block: Function | None, count: int) -> dict[str, Any]:
        """Return the options that say that the Jacobian is so many blocks along its diagonal."""
        if block is None or count == 1:
            return {} if block is None else {"jac": block}
        if family(self.method) is scipy.integrate.LSODA:
            jac: Function = lambda t, y: np.tile(_banded(block(t, y)), count)
            return {"jac": jac, "lband": self.n - 1, "uband": self.n - 1}

        def matrix(t: float, y: Any) -> Any:
            found = block(t, y)
            if not scipy.sparse.issparse(found) and count * self.n <= DENSE:
                return np.kron(np.eye(count), found)
            return scipy.sparse.block_diag([found] * count, "csc")

        return {"jac": matrix}


@dataclass(frozen=True, eq=False)
class Odeint(Solver):
    """ODEPACK's LSODA by ``odeint``; a function of the time by ``solve_ivp``."""

    given: dict[str, Any] = field(default_factory=dict)
    """The options of ``odeint``."""

    @property
    def is_dense(self) -> bool:
        """Whether there is y as a function of the time: ``solve_ivp`` would step past critical points."""
        return self.given.get("tcrit") is None

    def values(self, slope: Function, y: Any, t0: float, t: Any) -> Any:
        """Return y at the times, shape ``(m, n)``, which are in order."""
        options = self._for_all({name: found for name, found in self.given.items() if found is not None}, len(y))
        return reported(slope, y, np.append(t0, t), tfirst=True, **options)[0][1:]


def family(method: Any) -> Any:
    """Return the class of SciPy that an implicit method is of, None of an explicit one."""
    cls = getattr(scipy.integrate, method, None) if isinstance(method, str) else method
    kinds = (scipy.integrate.LSODA, scipy.integrate.BDF, scipy.integrate.Radau)
    return next((kind for kind in kinds if isinstance(cls, type) and issubclass(cls, kind)), None)


DONE = ("Integration successful.", "Nothing was done; the integration time was 0.")
"""What ``odeint`` says where it came to the end."""


def reported(slope: Function, y: Any, t: Any, *rest: Any, **options: Any) -> tuple[Any, Any]:
    """Return what ``odeint`` does with ``full_output``; RuntimeError where it failed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.integrate.ODEintWarning)
        y, report = scipy.integrate.odeint(slope, y, t, *rest, **options, full_output=True)
    if report["message"] not in DONE:
        raise failed("odeint", report["message"])
    return y, report


def failed(call: str, message: str) -> RuntimeError:
    """Return the error for a solver that did not reach the end."""
    return RuntimeError(f"{call} did not reach the end, so there is no derivative; SciPy says: {message}{user_line()}")


def _banded(matrix: Any) -> Any:
    """Return an n × n matrix by its 2n − 1 diagonals, as ODEPACK takes them."""
    n = len(matrix)
    packed = np.zeros((2 * n - 1, n))
    rows, columns = np.indices((n, n))
    packed[rows - columns + n - 1, columns] = matrix
    return packed
