"""MyGrad: tensors, and ``backward``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mygrad
import mygrad.nnet

from contenders import Answer, logsumexp_by, namespace

logsumexp = logsumexp_by(mygrad)


class MyGrad:
    """Its tensors; orders above the first it has none of."""

    name = "mygrad"
    np = scalars = namespace(
        mygrad,
        relu=mygrad.nnet.relu,
        logsumexp=logsumexp,
        cross_entropy=mygrad.nnet.softmax_crossentropy,
    )

    def array(self, value: Any) -> Any:
        """Return a constant of an array as it is: MyGrad takes NumPy's."""
        return value

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by ``backward``."""

        def call() -> Any:
            xs = [mygrad.tensor(value) for value in arguments]
            f(*xs).backward()
            return [x.grad for x in xs]

        return call

    by_objects = gradient

    def descent(self, f: Callable[..., Any], arguments: tuple[Any, ...], rate: float, steps: int) -> Answer:
        """Answer by ``backward``, step by step."""

        def call() -> Any:
            x = mygrad.tensor(arguments[0], copy=True)
            for _ in range(steps):
                f(x).backward()
                x.data -= rate * x.grad
                x.null_grad()
            return x.data

        return call

    def step(self, f: Callable[..., Any], arguments: tuple[Any, ...], x: Any, targets: Any, rate: float) -> Answer:
        """Answer by ``backward``, and the step written out."""
        own = [mygrad.tensor(value, copy=True) for value in arguments]

        def call() -> Any:
            f(*own).backward()
            for parameter in own:
                parameter.data -= rate * parameter.grad
                parameter.null_grad()
            return [parameter.data for parameter in own]

        return call

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by ``backward``: the first derivative only."""
        if order > 1:
            raise NotImplementedError("MyGrad has first derivatives only")
        return self.gradient(f, arguments)

    def elementwise(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by the gradient of the sum."""
        return self.gradient(lambda x: f(x).sum(), arguments)
