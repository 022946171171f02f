"""This library, compiled: what is asked, recorded by `jit` in the first call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from timing import THREADS, np

from autodiff import derivative, grad, hessian, hvp, jacobian, jit, jvp, value_and_grad
from contenders import (
    Answer,
    cross_entropy_by,
    descended,
    descended_by_adam,
    logsumexp_by,
    moved_by_adam,
    namespace,
)
from contenders.ours import Ours

BY_NUMPY = namespace(
    np, **vars(Ours.np) | {"logsumexp": logsumexp_by(np), "cross_entropy": cross_entropy_by(np, logsumexp_by(np))}
)
"""The names of workloads, of which `Ours` has two by functions of its own, of NumPy throughout."""


def places(arguments: tuple[Any, ...]) -> Any:
    """Return by which arguments is differentiated: by all."""
    return tuple(range(len(arguments))) if len(arguments) > 1 else 0


class OursJit(Ours):
    """The same source as `Ours`, of NumPy throughout."""

    name = "dualautodiff jit"
    np = scalars = BY_NUMPY

    def called(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Return the call of the compiled function."""
        compiled = jit(f, threads=THREADS)
        return lambda: compiled(*arguments)

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `grad`."""
        return self.called(grad(f, places(arguments)), arguments)

    def value_and_gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `value_and_grad`."""
        return self.called(value_and_grad(f, places(arguments)), arguments)

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by `derivative`."""
        which = (0,) * order if order > 1 else 0
        return self.called(lambda *xs: derivative(f, which, xs), arguments)

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `grad`, in a loop that is compiled as a whole."""
        gradient = grad(f)
        return self.called(lambda x: descended(gradient, x, rate, steps), arguments)

    def adam(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `grad`, and Adam written out, in a loop that is compiled as a whole."""
        gradient = grad(f)
        return self.called(lambda x: descended_by_adam(np, gradient, x, rate, steps), arguments)

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jacobian`."""
        return self.called(jacobian(f), arguments)

    def sparse_jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by the elements of `jacobian` with ``sparse=True``."""
        matrix = jacobian(f, sparse=True)
        return self.called(lambda x: matrix(x).data, arguments)

    tall_jacobian = jacobian

    def trained(self, f: Callable[..., Any], arguments: tuple[Any, ...], count: int, rate: float) -> Answer:
        """Answer by `grad`, and Adam written out."""
        slopes = grad(f, tuple(range(count)))
        return self.called(lambda *xs: moved_by_adam(np, xs, slopes(*xs[:count]), rate), arguments)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `hessian`."""
        return self.called(hessian(f), arguments)

    def hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `hvp`."""
        return self.called(hvp(f), (*arguments, vector))

    def gradient_and_hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `jvp` of `grad`."""
        gradient = grad(f)
        return self.called(lambda x, v: jvp(gradient, [x], [v]), (*arguments, vector))


class OursEager(Ours):
    """Without ``jit``, of NumPy throughout."""

    name = "eager"
    np = scalars = BY_NUMPY

    def trained(self, f: Callable[..., Any], arguments: tuple[Any, ...], count: int, rate: float) -> Answer:
        """Answer by `grad`, and Adam written out."""
        slopes = grad(f, tuple(range(count)))
        return lambda: moved_by_adam(np, arguments, slopes(*arguments[:count]), rate)

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `grad`."""
        gradient = grad(f, places(arguments))
        return lambda: gradient(*arguments)

    def value_and_gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `value_and_grad`."""
        both = value_and_grad(f, places(arguments))
        return lambda: both(*arguments)
