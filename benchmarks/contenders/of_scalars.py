"""The libraries of single numbers: num_dual (dual numbers, in Rust) and micrograd (reverse mode, in Python)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import methodcaller
from types import SimpleNamespace
from typing import Any

from contenders import Answer


def methods(*names: str) -> SimpleNamespace:
    """Return functions that call the methods of these names."""
    return SimpleNamespace(**{name: methodcaller(name) for name in names})


class NumDual:
    """Its functions of functions."""

    name = "num_dual"
    np = scalars = methods("sin", "cos", "exp", "log", "sqrt", "tanh")

    def __init__(self) -> None:
        """Import it, or raise ImportError."""
        import num_dual

        self.first, self.all = num_dual.first_derivative, num_dual.gradient
        self.orders = (num_dual.first_derivative, num_dual.second_derivative, num_dual.third_derivative)

    def array(self, value: Any) -> Any:
        """Return the numbers as they are."""
        return value

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `gradient`, of a list of numbers."""
        if isinstance(arguments[0], list):
            return lambda: self.all(f, arguments[0])[1]
        return lambda: self.all(lambda xs: f(*xs), list(arguments))[1]

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by `first_derivative`, `second_derivative`, `third_derivative`."""
        asked, (x,) = self.orders[order - 1], arguments
        return lambda: asked(f, x)[order]

    def elementwise(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by `first_derivative`, number by number."""
        numbers = arguments[0].tolist()
        return lambda: [self.first(f, x)[1] for x in numbers]


class Micrograd:
    """Its values, and ``backward``; it has +, −, ×, /, constant powers and relu."""

    name = "micrograd"
    np = scalars = SimpleNamespace()

    def __init__(self) -> None:
        """Import it, or raise ImportError; its backward pass calls itself once for every operation of a chain."""
        from micrograd.engine import Value

        self.value = Value
        sys.setrecursionlimit(1_000_000)

    def array(self, value: Any) -> Any:
        """Return the numbers as they are."""
        return value

    def gradient(self, f: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
        """Answer by ``backward``, of a list of numbers or of several."""

        def call() -> Any:
            if isinstance(arguments[0], list):
                xs = [self.value(x) for x in arguments[0]]
                f(xs).backward()
            else:
                xs = [self.value(x) for x in arguments]
                f(*xs).backward()
            return [x.grad for x in xs]

        return call

    by_objects = gradient

    def derivative(self, f: Callable[..., Any], arguments: tuple[Any, ...], order: int) -> Answer:
        """Answer by ``backward``: the first derivative only."""
        if order > 1:
            raise NotImplementedError("micrograd has first derivatives only")
        return self.gradient(f, arguments)
