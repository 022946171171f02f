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


class Traced(CasADi):
    """A graph of numbers, called through buffers: NumPy's memory in and out, without conversions."""

    name, by = "casadi SX", "casadi"

    def buffered(self, f: Callable[..., Any], arguments: tuple[Any, ...], question: Callable[..., Any]) -> Answer:
        """Return the call of what is asked of the function's value and a column of all arguments."""
        given = np.concatenate([np.ravel(x) for x in arguments]).astype(float)
        column, symbols, at = casadi.SX.sym("x", len(given)), [], 0
        for x in arguments:
            symbols.append(column[at : at + np.size(x)])
            at += np.size(x)
        asked = casadi.Function("asked", [column], [question(f(*symbols), column)])
        out = np.zeros(asked.nnz_out(0))
        buffer, run = asked.buffer()
        buffer.set_arg(0, memoryview(given))
        buffer.set_res(0, memoryview(out))

        def call(kept: Any = (given, buffer)) -> Any:
            run()
            return out

        return call

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `casadi.gradient`."""
        return self.buffered(f, arguments, lambda z, x: casadi.densify(casadi.gradient(z, x)))

    def value_and_gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by the value and `casadi.gradient`."""
        both = lambda z, x: casadi.densify(casadi.vertcat(z, casadi.gradient(z, x)))
        return self.buffered(f, arguments, both)

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by nested `casadi.gradient`."""

        def nested(z: Any, x: Any) -> Any:
            for _ in range(order):
                z = casadi.gradient(z, x)
            return casadi.densify(z)

        return self.buffered(f, arguments, nested)

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `casadi.jacobian`; columns are stored, so its transpose."""
        return self.buffered(f, arguments, lambda z, x: casadi.densify(casadi.jacobian(z, x).T))

    def sparse_jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `casadi.jacobian`, whose matrix is sparse; columns are stored, so its transpose."""
        return self.buffered(f, arguments, lambda z, x: casadi.jacobian(z, x).T)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `casadi.hessian`."""
        return self.buffered(f, arguments, lambda z, x: casadi.densify(casadi.hessian(z, x)[0]))

    def hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `casadi.jtimes` of the gradient, the vector a parameter."""
        (x,) = arguments
        n = len(x)

        def product(z: Any, both: Any) -> Any:
            gradient = casadi.gradient(z, both)[:n]
            return casadi.densify(casadi.jtimes(gradient, both, casadi.vertcat(both[n:], casadi.SX.zeros(n))))

        return self.buffered(lambda x, v: f(x), (x, vector), product)
