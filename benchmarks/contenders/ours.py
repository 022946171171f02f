"""This library, as its users write it: NumPy as it is, and a function of `autodiff`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.special
from timing import np

import dualnumbers.dmath
from autodiff import (
    Variable,
    derivative,
    grad,
    hessian,
    hessian_operator,
    hvp,
    jacobian,
    jvp,
    linearize,
    nn,
    taylor,
    value_and_grad,
    vjp,
)
from autodiff.scipy.linalg import solve_triangular
from autodiff.scipy.special import logsumexp
from contenders import Answer, descended, descended_by_adam, namespace


class Ours:
    """dualautodiff."""

    name = "dualautodiff"
    scalars = namespace(dualnumbers.dmath)
    np = namespace(
        np,
        relu=lambda z: np.maximum(z, 0.0),
        erf=scipy.special.erf,
        logsumexp=logsumexp,
        cross_entropy=nn.cross_entropy,
        solve_triangular=lambda a, b: solve_triangular(a, b, lower=True),
    )

    def array(self, value: Any) -> Any:
        """Return NumPy's array itself."""
        return value

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `value_and_grad`."""
        both = value_and_grad(f, tuple(range(len(arguments))) if len(arguments) > 1 else 0)
        return lambda: both(*arguments)[1]

    def by_objects(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by Variables and ``backward``."""

        def call() -> Any:
            xs = [Variable(value) for value in arguments]
            f(*xs).backward()
            return [x.grad for x in xs]

        return call

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `grad`, step by step."""
        gradient = grad(f)
        return lambda: descended(gradient, *arguments, rate, steps)

    def adam(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by `grad`, and Adam written out, step by step."""
        gradient = grad(f)
        return lambda: descended_by_adam(np, gradient, *arguments, rate, steps)

    def step(self, f: Callable[..., Any], arguments: tuple[Any, ...], x: Any, targets: Any, rate: float) -> Answer:
        """Answer by modules, a loss and an optimiser of `autodiff.nn`."""
        layers: list[nn.Module] = []
        for weight, bias in zip(arguments[::2], arguments[1::2], strict=True):
            layers += [nn.Linear(*weight.shape, rng=0), nn.ReLU()]
            layers[-2].weight.data, layers[-2].bias.data = weight.copy(), bias.copy()
        entropy = targets.ndim == 1
        layers[-1:] = [] if entropy else [nn.Softmax(axis=1)]
        net = nn.Sequential(*layers)
        sgd, loss_of = nn.SGD(net.parameters(), lr=rate), nn.cross_entropy if entropy else nn.mse

        def call() -> Any:
            loss = loss_of(net(x), targets)
            net.zero_grad()
            loss.backward()
            sgd.step()
            return [parameter.data for parameter in net.parameters()]

        return call

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by `derivative`, with respect to argument 0 so many times."""
        which = (0,) * order if order > 1 else 0
        return lambda: derivative(f, which, arguments)

    def elementwise(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jvp` along ones."""
        ones = [np.ones_like(arguments[0])]
        return lambda: jvp(f, arguments, ones)[1]

    def jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jacobian`, by rows or by columns."""
        matrix = jacobian(f)
        return lambda: matrix(*arguments)

    tall_jacobian = jacobian

    def hessian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `hessian`."""
        matrix = hessian(f)
        return lambda: matrix(*arguments)

    def hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `hvp`."""
        product = hvp(f)
        return lambda: product(arguments[0], vector)

    def product(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `hessian_operator`, which is set up before the clock runs."""
        operator = hessian_operator(f, *arguments)
        return lambda: operator @ vector

    def sparse_jacobian(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `jacobian` with ``sparse=True``, which finds the pattern in the first call."""
        matrix = jacobian(f, sparse=True)
        matrix(*arguments)
        return lambda: matrix(*arguments).data

    def series(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by `taylor`."""
        return lambda: taylor(f, *arguments, order)

    def gradient_and_hvp(self, f: Callable[..., Any], arguments: tuple[Any, ...], vector: Any) -> Answer:
        """Answer by `jvp` of `grad`."""
        gradient = grad(f)
        return lambda: jvp(gradient, arguments, [vector])

    def pushes(self, f: Callable[..., Any], arguments: tuple[Any, ...], directions: list[Any]) -> Answer:
        """Answer by `linearize`, once."""

        def call() -> Any:
            push = linearize(f, *arguments)[1]
            return [push(direction) for direction in directions]

        return call

    def pulls(self, f: Callable[..., Any], arguments: tuple[Any, ...], cotangents: list[Any]) -> Answer:
        """Answer by `vjp`, once."""

        def call() -> Any:
            pull = vjp(f, *arguments)[1]
            return [pull(cotangent) for cotangent in cotangents]

        return call
