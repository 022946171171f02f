"""What an operator such as `grad` makes of a function: a function that can be pickled where that one can."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import MethodType
from typing import Any, TypeVar, cast

from .calls.given import no_function, truth

Operator = TypeVar("Operator", bound=Callable[..., Callable[..., Any]])


class Derived:
    """A derivative as a function, such as `grad(f)`: what an operator made of f. It takes the arguments of f.

    It is pickled as the operator and what that was given, to be called again.
    """

    def __init__(self, operator: Any, given: tuple[Any, ...], options: dict[str, Any], run: Callable[..., Any]) -> None:
        self.made_by, self.run = (operator, given, options), run
        self.__name__, self.__qualname__ = run.__name__, run.__qualname__
        if run.__doc__:
            self.__doc__ = run.__doc__
        self.__wrapped__ = getattr(run, "__wrapped__", run)  # whose parameters it has

    def __call__(self, /, *arguments: Any, **keywords: Any) -> Any:
        return self.run(*arguments, **keywords)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else MethodType(self, owner)  # as a function in a class

    def __reduce__(self) -> Any:
        return _again, self.made_by

    def __repr__(self) -> str:
        operator, given, options = self.made_by
        parts = [*(getattr(x, "__name__", repr(x)) for x in given), *(f"{name}={x!r}" for name, x in options.items())]
        return f"{operator.__name__}({', '.join(parts)})"


def _again(operator: Any, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return operator(*given, **options)


def with_parameters_of(f: Any) -> Callable[[Operator], Operator]:
    """Give a function the parameters of ``f``, which may be named in another derivative of it."""

    def make(function: Operator) -> Operator:
        function.__wrapped__ = f  # type: ignore[attr-defined]
        return function

    return make


def pickled(operator: Operator) -> Operator:
    """Make an operator one whose functions can be pickled."""

    @wraps(operator)
    def make(*given: Any, **options: Any) -> Derived:
        return Derived(make, given, options, operator(*given, **options))

    return cast(Operator, make)


def derived(operator: Operator) -> Operator:
    """Make an operator one whose functions can be pickled, and are compiled where it is given a compiled one.

    What is no function is refused with TypeError here, and not when the derivative of it is called; so is what is
    neither True nor False in the place of ``has_aux``.
    """

    parameters = operator.__code__.co_varnames[: operator.__code__.co_argcount]  # those that need no name
    first = parameters[0]
    place = parameters.index("has_aux") if "has_aux" in parameters else sys.maxsize

    @wraps(operator)
    def make(*given: Any, **options: Any) -> Any:
        if not given and first in options:
            given = (options.pop(first),)
        if given and not callable(given[0]):
            raise no_function(f"{operator.__name__}(f)(x)", given[0])
        if "has_aux" in options:
            options["has_aux"] = truth("has_aux", options["has_aux"])
        elif len(given) > place:
            truth("has_aux", given[place])
        compiled_by = getattr(type(given[0]), "compiled_by", None) if given else None
        if compiled_by is not None:
            return compiled_by(given[0], make, given[1:], options)
        return Derived(make, given, options, operator(*given, **options))

    return cast(Operator, make)
