"""CasADi: a graph of the function is built before the clock runs, differentiated, and interpreted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import casadi
from timing import np

from contenders import Answer


class CasADi:
    """Its symbols, differentiated, as functions."""

    name = "casadi"
    np = scalars = SimpleNamespace(
        sin=casadi.sin,
        cos=casadi.cos,
        exp=casadi.exp,
        tanh=casadi.tanh,
        log1p=casadi.log1p,
        sum=casadi.sum1,
        mean=lambda x: casadi.sum1(x) / x.numel(),
        concatenate=lambda xs: casadi.vertcat(*xs),
        roll=lambda x, by, axis=0: casadi.vertcat(x[-by:], x[:-by]),
    )

    def array(self, value: Any) -> Any:
        """Return a matrix of numbers."""
        return casadi.DM(value)

    def asked(self, f: Callable[..., Any], arguments: tuple[Any, ...], question: Callable[[Any, Any], Any]) -> Any:
        """Return the function of what is asked of a column of symbols and the function's value, and its argument."""
        (given,) = arguments
        x = casadi.MX.sym("x", len(given))
        asked = casadi.Function("asked", [x], [question(f(x), x)])
        with suppress(RuntimeError):  # where it can: a graph of numbers, which is interpreted faster
            asked = asked.expand()
        return asked, casadi.DM(given)

    def dense(self, f: Callable[..., Any], arguments: tuple[Any, ...], question: Callable[[Any, Any], Any]) -> Answer:
        """Return the call that answers by an array."""
        asked, given = self.asked(f, arguments, question)
        return lambda: asked(given).full()

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `casadi.jacobian`."""
        return self.dense(f, arguments, casadi.jacobian)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `casadi.hessian`."""
        return self.dense(f, arguments, lambda z, x: casadi.hessian(z, x)[0])

    def hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `casadi.jtimes` of the gradient."""
        product = lambda z, x: casadi.jtimes(casadi.gradient(z, x), x, casadi.DM(vector))
        return self.dense(f, arguments, product)

    product = hvp

    def sparse_jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `casadi.jacobian`, whose matrix is sparse."""
        asked, given = self.asked(f, arguments, casadi.jacobian)
        return lambda: np.asarray(asked(given).T.nonzeros())  # columns are stored: of the transpose, rows
