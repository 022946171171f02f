"""HIPS autograd, with its own NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd.numpy
import autograd.scipy.linalg
import autograd.scipy.special
from autograd import elementwise_grad, grad, hessian, jacobian, make_jvp, make_vjp, value_and_grad
from timing import np

from contenders import Answer, cross_entropy_by, descended, descended_by_adam, moved_by_adam, namespace


class Autograd:
    """Its functions of functions."""

    name = "autograd"
    np = scalars = namespace(
        autograd.numpy,
        relu=lambda z: autograd.numpy.maximum(z, 0.0),
        erf=autograd.scipy.special.erf,
        logsumexp=autograd.scipy.special.logsumexp,
        cross_entropy=cross_entropy_by(autograd.numpy, autograd.scipy.special.logsumexp),
        solve_triangular=lambda a, b: autograd.scipy.linalg.solve_triangular(a, b, lower=True),
    )

    def array(self, value: Any) -> Any:
        """Return an array of a list, else the argument itself."""
        return np.array(value) if isinstance(value, list) else value

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `value_and_grad`."""
        xs = [self.array(value) for value in arguments]
        both = value_and_grad(f, tuple(range(len(xs))))
        return lambda: both(*xs)[1]

    def value_and_gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `value_and_grad`, and the value with it."""
        xs = [self.array(value) for value in arguments]
        both = value_and_grad(f, tuple(range(len(xs))))
        return lambda: both(*xs)

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `grad`, step by step."""
        gradient = grad(f)
        return lambda: descended(gradient, *arguments, rate, steps)

    def adam(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `grad`, and Adam written out, step by step."""
        gradient = grad(f)
        return lambda: descended_by_adam(np, gradient, *arguments, rate, steps)

    def step(self, f: Callable[..., Any], arguments: tuple[Any, ...], x: Any, targets: Any, rate: float) -> Answer:
        """Answer by `value_and_grad`, and the step written out."""
        own, both = [value.copy() for value in arguments], value_and_grad(f, tuple(range(len(arguments))))

        def call() -> Any:
            for parameter, slope in zip(own, both(*own)[1], strict=True):
                parameter -= rate * slope
            return own

        return call

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by nested `grad`."""
        for _ in range(order):
            f = grad(f)
        return lambda: f(*arguments)

    def elementwise(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `elementwise_grad`."""
        each = elementwise_grad(f)
        return lambda: each(*arguments)

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jacobian`."""
        matrix = jacobian(f)
        return lambda: matrix(*arguments)

    tall_jacobian = jacobian

    def trained(self, f: Callable[..., Any], arguments: tuple[Any, ...], count: int, rate: float) -> Answer:
        """Answer by `grad`, and Adam written out."""
        slopes = grad(f, tuple(range(count)))
        return lambda: moved_by_adam(np, arguments, slopes(*arguments[:count]), rate)

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `hessian`."""
        matrix = hessian(f)
        return lambda: matrix(*arguments)

    def hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by the pull-back of the gradient, which is symmetric."""
        both = self.gradient_and_hvp(f, arguments, vector)
        return lambda: both()[1]

    product = hvp

    def gradient_and_hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by the pull-back of the gradient, which is symmetric."""
        gradient = grad(f)

        def call() -> Any:
            pull, found = make_vjp(gradient)(*arguments)
            return found, pull(vector)

        return call

    def pushes(self, f: Callable[..., Any], arguments: tuple[Any, ...], directions: list[Any]) -> Answer:
        """Answer by `make_jvp`."""
        push = make_jvp(f)(*arguments)
        return lambda: [push(direction)[1] for direction in directions]

    def pulls(self, f: Callable[..., Any], arguments: tuple[Any, ...], cotangents: list[Any]) -> Answer:
        """Answer by `make_vjp`, once."""
        which = tuple(range(len(arguments)))

        def call() -> Any:
            pull = make_vjp(f, which)(*arguments)[0]
            return [pull(cotangent) for cotangent in cotangents]

        return call
