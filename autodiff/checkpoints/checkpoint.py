"""A function that is one line of a tape: what it computes on the way is computed again in the sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dualnumbers.messages.errors import user_line

from ..calls.given import no_function
from ..calls.values import name_of
from ..derived import pickled, with_parameters_of
from .rerun import Rerun


class _Call(Rerun):
    def called(self, function: Callable[..., Any], arguments: Any) -> Any:
        args, keywords = arguments
        try:
            return function(*args, **keywords)
        except ValueError as error:
            if "read-only" in str(error):
                raise ValueError(
                    f"{self.name} writes to an array among its arguments, which is to be run again with "
                    f"them: let it write to a copy, x.copy(){user_line()}"
                ) from error
            raise


@pickled
def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` as a function that a tape keeps no intermediate values of: they are computed again in the sweep.

    It takes and returns what f does: numbers, arrays and structures of them, and derivatives by numbers that f closes
    over pass as well, in both modes and at every order. A sweep runs f once more, and keeps what that computes until
    it is through with it: so of a program of n such calls one at a time is in memory (Griewank & Walther, *Evaluating
    Derivatives*, 2008, §12).

    f must be a function of its arguments and of what it closes over alone. Raises RuntimeError where it gives other
    values when it is run again, and ValueError where it writes to an array among its arguments.

    >>> import numpy as np
    >>> from autodiff import checkpoint, grad
    >>> def layer(x):
    ...     return np.tanh(x) * np.sin(x)
    >>> grad(lambda x: np.sum(checkpoint(layer)(x)))(np.array([0.0, 1.0]))
    array([0.       , 0.7648873])
    """

    if not callable(f):
        raise no_function("checkpoint(f)", f)

    @with_parameters_of(f)
    def rerun(*args: Any, **keywords: Any) -> Any:
        return _Call(name_of(f), f, (args, keywords)).result()

    rerun.__name__, rerun.__doc__ = name_of(f), f.__doc__
    return rerun
