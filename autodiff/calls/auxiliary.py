"""What a function returns besides the value that is differentiated: ``has_aux=True`` says that it returns both.

>>> from autodiff import grad
>>> grad(lambda x: (x * x, {"half": x / 2}), has_aux=True)(3.0)
(6.0, {'half': 1.5})
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.levels import is_number
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.typed import unwrapped
from dualnumbers.rules.shaping import array

from .structures import map_leaves
from .values import name_of


class Main:
    """The function of the first of the two results; what the second was in the last call is kept beside."""

    def __init__(self, f: Callable[..., Any], name: str = "") -> None:
        self.f, self.__name__ = f, name or name_of(f)
        self.auxiliary: Any = None

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        out = self.f(*args, **keywords)
        if not isinstance(out, tuple) or len(out) != 2:
            raise TypeError(
                f"with has_aux, {self.__name__} returns (value, auxiliary); it returned "
                f"{type(out).__name__}{user_line()}"
            )
        self.auxiliary = out[1]
        return out[0]

    def rest(self) -> Any:
        """Return the second result, with values in place of the numbers of differentiations that are over."""
        return map_leaves(_without_level, self.auxiliary)


def _without_level(x: Any) -> Any:
    x = array(x) if isinstance(x, np.ndarray) else x
    while is_number(type(x)) and x.level.ended:
        x = x.primal
    return unwrapped(x)


def alone(result: Any) -> Any:
    """Return a result as it is."""
    return result


def beside(f: Callable[..., Any], has_aux: bool, name: str = "") -> tuple[Callable[..., Any], Callable[[Any], Any]]:
    """Return the function to be differentiated, and what puts the auxiliary result behind one of the operator's."""
    if not has_aux:
        return f, alone
    main = Main(f, name)
    return main, lambda result: (result, main.rest())
