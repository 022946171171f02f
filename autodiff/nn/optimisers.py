"""Optimisers, as objects that step the parameters of a network, and as methods of ``scipy.optimize.minimize``.

Each is written once: how one array moves, by its gradient and what the steps before have left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..leaf import Leaf

State = dict[str, Any]


class Optimiser:
    """Moves parameters against their gradients; one that has none stays. A subclass writes `moved`."""

    def __init__(self, parameters: Iterable[Leaf] = (), lr: float = 0.01) -> None:
        self.parameters = list(parameters)
        wrong = [type(p).__name__ for p in self.parameters if not isinstance(p, Leaf)]
        if wrong:
            raise TypeError(f"an optimiser takes Variables, such as net.parameters(), not {wrong[0]}")
        if not lr > 0.0:
            raise ValueError(f"the step size lr is positive, not {lr}")
        self.lr = lr
        self.states: list[State] = [{} for _ in self.parameters]

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        """Where a value moves; ``state`` is its own, empty before the first step."""
        raise NotImplementedError(f"{type(self).__name__}.moved")

    def step(self) -> None:
        """Move every parameter."""
        for parameter, state in zip(self.parameters, self.states, strict=True):
            if parameter.grad is not None:
                parameter.update(self.moved(parameter.primal, parameter.grad, state))

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self.parameters:
            parameter.zero_grad()


class SGD(Optimiser):
    """Gradient descent, x − lr g; with momentum v ← μ v + g, x − lr v; Nesterov's x − lr (g + μ v) (Sutskever 2013)."""

    def __init__(self, parameters: Iterable[Leaf] = (), lr: float = 0.01, momentum: float = 0.0,
                 nesterov: bool = False) -> None:  # fmt: skip
        super().__init__(parameters, lr)
        if nesterov and not momentum:
            raise ValueError("Nesterov's step needs a momentum")
        self.momentum, self.nesterov = momentum, nesterov

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        if not self.momentum:
            return x + -self.lr * gradient  # a sum is written into the product: one large array less
        velocity = state["velocity"] = self.momentum * state.get("velocity", 0.0) + gradient
        return x - self.lr * (gradient + self.momentum * velocity if self.nesterov else velocity)


class Adam(Optimiser):
    """By running means of the gradient and of its square, both corrected for their beginning (Kingma & Ba 2015)."""

    def __init__(self, parameters: Iterable[Leaf] = (), lr: float = 0.001, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8) -> None:  # fmt: skip
        super().__init__(parameters, lr)
        self.betas, self.eps = betas, eps

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        (first, second), count = self.betas, state.get("count", 0) + 1
        mean = first * state.get("mean", 0.0) + (1.0 - first) * gradient
        square = second * state.get("square", 0.0) + (1.0 - second) * gradient * gradient
        state.update(mean=mean, square=square, count=count)
        size = np.sqrt(square / (1.0 - second**count)) + self.eps
        return x - self.lr / (1.0 - first**count) * mean / size


class RMSprop(Optimiser):
    """By a running mean of the square of the gradient (Tieleman & Hinton 2012)."""

    def __init__(self, parameters: Iterable[Leaf] = (), lr: float = 0.01, alpha: float = 0.99,
                 eps: float = 1e-8) -> None:  # fmt: skip
        super().__init__(parameters, lr)
        self.alpha, self.eps = alpha, eps

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        square = state["square"] = self.alpha * state.get("square", 0.0) + (1.0 - self.alpha) * gradient * gradient
        return x - self.lr * gradient / (np.sqrt(square) + self.eps)


def _method(kind: type[Optimiser]) -> Callable[..., Any]:
    """An optimiser as a custom method of ``scipy.optimize.minimize``."""

    def method(fun: Any, x0: Any, args: tuple[Any, ...] = (), jac: Any = None, hess: Any = None, hessp: Any = None,
               bounds: Any = None, constraints: Any = (), callback: Any = None, maxiter: int = 1000, tol: float = 1e-8,
               return_all: bool = False, **options: Any) -> Any:  # fmt: skip
        from scipy.optimize import OptimizeResult

        if not callable(jac):
            raise ValueError(f"nn.{kind.__name__.lower()} needs the gradient: minimize(f, x0, jac=autodiff.grad(f)), "
                             "or jac=True with autodiff.value_and_grad(f)")  # fmt: skip
        if bounds is not None or len(np.ravel(constraints)):
            raise ValueError(f"nn.{kind.__name__.lower()} takes no bounds and no constraints")
        optimiser, x = kind((), **options), np.array(x0, float)
        state: State = {}
        path, count, gradient = [x], 0, np.asarray(jac(x, *args))
        while np.max(np.abs(gradient), initial=0.0) > tol and count < maxiter:
            x, count = optimiser.moved(x, gradient, state), count + 1
            gradient = np.asarray(jac(x, *args))
            path += [x] if return_all else []
            if callback is not None and callback(x):
                break
        done = bool(np.max(np.abs(gradient), initial=0.0) <= tol)
        message = "the gradient is smaller than tol" if done else "stopped before the gradient was smaller than tol"
        found = OptimizeResult(x=x, fun=fun(x, *args), jac=gradient, nit=count, nfev=count + 1, njev=count + 1,
                               success=done, status=0 if done else 1, message=message)  # fmt: skip
        if return_all:
            found.allvecs = path
        return found

    method.__name__ = method.__qualname__ = kind.__name__.lower()
    method.__doc__ = f"`{kind.__name__}` for ``scipy.optimize.minimize(f, x0, jac=..., method=nn.{method.__name__})``."
    return method


sgd, adam, rmsprop = _method(SGD), _method(Adam), _method(RMSprop)
