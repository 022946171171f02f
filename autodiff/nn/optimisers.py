"""Optimisers, as objects that step the parameters of a network; methods.py has them as methods of SciPy.

Each is written once: how one array moves, by its gradient and what the steps before have left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..calls.given import described
from ..calls.values import matching, read_only
from ..objects.leaf import Leaf
from ..objects.result import ByHand
from .settings import check_not_negative, check_positive, check_share

State = dict[str, Any]


class Optimiser:
    """Moves parameters against their gradients; one that has none stays. A subclass writes `moved`.

    Raises TypeError where the parameters are not Variables in a list, ValueError where one is named twice, where there
    are none, or for a setting that is none, such as an ``lr`` that is not positive.

    >>> from autodiff import Variable
    >>> class Signs(Optimiser):
    ...     def moved(self, x, gradient, state):
    ...         return x - self.lr * np.sign(gradient)
    >>> x = Variable(2.0)
    >>> (x**2).backward()
    >>> Signs([x], lr=0.5).step()
    >>> x.data
    1.5
    """

    def __init__(self, parameters: Iterable[Leaf], lr: float = 0.01) -> None:
        if isinstance(parameters, ByHand) or not isinstance(parameters, Iterable):
            what = "one Variable" if isinstance(parameters, ByHand) else type(parameters).__name__
            raise TypeError(f"an optimiser takes a list of Variables, [x] or net.parameters(), not {what}")
        self.parameters = list(parameters)
        wrong = [type(p).__name__ for p in self.parameters if not isinstance(p, Leaf)]
        if wrong:
            raise TypeError(f"an optimiser takes Variables, such as net.parameters(), not {wrong[0]}")
        if len({id(p) for p in self.parameters}) < len(self.parameters):
            raise ValueError("an optimiser was given a Variable twice, and would move it twice at each step")
        if not self.parameters:
            raise ValueError("an optimiser of no parameters: give it Variables, such as net.parameters()")
        check_positive("the step size lr", lr)
        self.lr = lr
        self.states: list[State] = [{} for _ in self.parameters]

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        """Return where a value moves: a new number or array of its shape, to which nothing writes afterwards.

        An array ``x`` is read-only, for a tape may hold it. ``state`` is the parameter's own, empty before the first
        step.
        """
        raise NotImplementedError(f"{type(self).__name__}.moved")

    def step(self) -> None:
        """Move every parameter. ValueError where a gradient, or what `moved` returns, has not its shape."""
        for parameter, state in zip(self.parameters, self.states, strict=True):
            if parameter.grad is not None:
                x = parameter.primal
                (gradient,) = matching(parameter.grad, x, "the gradient of a parameter")
                (new,) = matching(self.moved(read_only(x), gradient, state), x, "what an optimiser moves to")
                parameter.update(new)

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self.parameters:
            parameter.zero_grad()


def _squared(gradient: Any) -> Any:
    """Return the square of the gradient; of a complex one that of its modulus."""
    return np.real(gradient * np.conj(gradient)) if np.iscomplexobj(gradient) else gradient * gradient


class SGD(Optimiser):
    """Gradient descent, x − lr g; with momentum v ← μ v + g, x − lr v; Nesterov's x − lr (g + μ v) (Sutskever 2013).

    Raises ValueError where ``momentum`` is not at least 0 and below 1, or Nesterov's step has none, and what
    `Optimiser` does.

    >>> from autodiff import Variable
    >>> x = Variable(2.0)
    >>> (x**2).backward()
    >>> SGD([x], lr=0.25).step()
    >>> x.data
    1.0
    """

    def __init__(
        self, parameters: Iterable[Leaf], lr: float = 0.01, momentum: float = 0.0, nesterov: bool = False
    ) -> None:
        super().__init__(parameters, lr)
        check_share("the momentum", momentum)
        if nesterov and not momentum:
            raise ValueError("Nesterov's step needs a momentum")
        self.momentum, self.nesterov = momentum, nesterov

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        if not self.momentum:
            return x + -self.lr * gradient  # a sum is written into the product: one large array less
        velocity = state["velocity"] = self.momentum * state.get("velocity", 0.0) + gradient
        return x - self.lr * (gradient + self.momentum * velocity if self.nesterov else velocity)


class Adam(Optimiser):
    """By running means of the gradient and of its square, both corrected for their beginning (Kingma & Ba 2015).

    >>> from autodiff import Variable
    >>> x = Variable(2.0)
    >>> optimiser = Adam([x], lr=0.1)
    >>> for step in range(100):
    ...     optimiser.zero_grad(); (x**2).backward(); optimiser.step()
    >>> abs(x.data) < 0.2
    True
    """

    def __init__(self, parameters: Iterable[Leaf], lr: float = 0.001, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8) -> None:  # fmt: skip
        super().__init__(parameters, lr)
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            raise ValueError(f"betas is a pair of numbers, such as (0.9, 0.999), not {described(betas)}{user_line()}")
        for beta in betas:
            check_share("each of the betas", beta)
        check_not_negative("eps", eps)
        self.betas, self.eps = betas, eps

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        (first, second), count = self.betas, state.get("count", 0) + 1
        mean = first * state.get("mean", 0.0) + (1.0 - first) * gradient
        square = second * state.get("square", 0.0) + (1.0 - second) * _squared(gradient)
        state.update(mean=mean, square=square, count=count)
        size = np.sqrt(square / (1.0 - second**count)) + self.eps
        return x - self.lr / (1.0 - first**count) * mean / size


class RMSprop(Optimiser):
    """By a running mean of the square of the gradient (Tieleman & Hinton 2012).

    >>> from autodiff import Variable
    >>> x = Variable(2.0)
    >>> optimiser = RMSprop([x], lr=0.1)
    >>> for step in range(100):
    ...     optimiser.zero_grad(); (x**2).backward(); optimiser.step()
    >>> abs(x.data) < 0.2
    True
    """

    def __init__(self, parameters: Iterable[Leaf], lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-8) -> None:
        super().__init__(parameters, lr)
        check_share("alpha", alpha)
        check_not_negative("eps", eps)
        self.alpha, self.eps = alpha, eps

    def moved(self, x: Any, gradient: Any, state: State) -> Any:
        square = state["square"] = self.alpha * state.get("square", 0.0) + (1.0 - self.alpha) * _squared(gradient)
        return x - self.lr * gradient / (np.sqrt(square) + self.eps)
