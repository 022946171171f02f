"""The arguments of a call, and which of them are differentiated: by their index, or by a parameter's name."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.messages.errors import user_line

from ..derived import Derived
from .given import described
from .values import name_of

Which = int | str | tuple[int | str, ...]
"""What names arguments: an index, a parameter's name, or a tuple of those."""

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameters_of(f: Any) -> list[inspect.Parameter]:
    """Return the parameters of a function; none where it does not tell them."""
    try:
        return list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):  # as of many a builtin
        return []


def arguments(f: Any, args: Any) -> list[Any]:
    """Return the arguments of a call as a new list; TypeError where ``args`` is not a sequence of arguments."""
    if type(args) is list or type(args) is tuple:
        return list(args)
    if (isinstance(args, Sequence) and not isinstance(args, str)) or (isinstance(args, np.ndarray) and args.ndim):
        if isinstance(args, np.ndarray) and len(args) != 1 and _takes_one(f):
            raise TypeError(
                f"args is the list of all arguments of {name_of(f)}, which takes one: give [x], not the "
                f"array x{user_line()}"
            )
        return list(args)
    raise TypeError(f"args is the list of all arguments of {name_of(f)}, such as [x]; got {described(args)}")


def _takes_one(f: Any) -> bool:
    """Return whether a function takes one argument and no more."""
    kinds = [parameter.kind for parameter in parameters_of(f)]
    return len(kinds) == 1 and kinds[0] in BY_POSITION


def parameter_names(f: Any, count: int) -> list[str]:
    """Return the names of the first ``count`` parameters of a function; none where it does not name as many."""
    names = [parameter.name for parameter in parameters_of(f) if parameter.kind in BY_POSITION]
    return names[:count] if len(names) >= count else []


def place(which: Any, f: Any, count: int, option: str = "wrt", hint: str = "") -> int:
    """Return the index of the argument of ``f`` that an index or a name stands for, of ``count`` given by position.

    Raises TypeError, IndexError, or for a name that is no parameter's ValueError, that say which there are.
    ``hint`` is said besides where there is no such argument.
    """
    if type(which) is int and 0 <= which < count:
        return which
    if isinstance(which, str):
        return _place_of_name(which, f, count, option)
    index = _as_index(which)
    if index is None:
        is_array = option == "argnums" and isinstance(which, np.ndarray)
        call = "; the arguments come in a second call, as in grad(f)(x)" if is_array else ""
        raise TypeError(
            f"{option} is the index of an argument or a parameter's name, or a tuple of those; got "
            f"{described(which)}{call}{user_line()}"
        )
    if not -count <= index < count:
        there = f": 0 to {count - 1}" if count else ""
        raise IndexError(
            f"{option}={which}, but the function was given {count} argument(s) by position{there}{hint}{user_line()}"
        )
    return index % count


def _as_index(x: Any) -> int | None:
    """Return an integer of any type as Python's; None for what is none, as a flag or an array of several."""
    try:
        return None if isinstance(x, bool) else operator.index(x)
    except TypeError:
        return None


def _passes_on(f: Any) -> bool:
    """Return whether a function has the parameters that it names: one with `functools.wraps` may give some itself."""
    ours = getattr(f, "__globals__", {}).get("__name__", "").startswith("autodiff.") or isinstance(f, Derived)
    return ours or not (inspect.isfunction(f) and hasattr(f, "__wrapped__"))


def _place_of_name(name: str, f: Any, count: int, option: str) -> int:
    parameters = parameters_of(f) if _passes_on(f) else []
    if not parameters:
        raise TypeError(
            f"{option}={name!r}: {name_of(f)} does not tell the names of its parameters; give the index of "
            f"the argument{user_line()}"
        )
    by_position = [parameter.name for parameter in parameters if parameter.kind in BY_POSITION]
    if name in by_position[:count]:
        return by_position.index(name)
    names = [str(parameter.replace(annotation=parameter.empty, default=parameter.empty)) for parameter in parameters]
    if name in names:
        if option == "wrt" and name not in by_position:
            raise TypeError(
                f"{option}={name!r}: {name} is given by keyword alone; make it an argument: "
                f"lambda {name}: {name_of(f)}(…, {name}={name}){user_line()}"
            )
        raise TypeError(f"{option}={name!r}, but the function was not given {name}: give it in the call{user_line()}")
    raise ValueError(
        f"{option}={name!r} is no parameter of {name_of(f)}, whose parameters are {', '.join(names)}{user_line()}"
    )


def places(which: Which, f: Any, count: int, option: str = "argnums") -> list[int]:
    """Return the indices that ``which`` stands for, in its order, of ``count`` arguments given by position."""
    return [place(k, f, count, option) for k in (which if isinstance(which, tuple) else (which,))]


def distinct(argnums: Which, found: list[int]) -> list[int]:
    """Return the `places` of ``argnums``; ValueError where one is named twice."""
    if len(set(found)) < len(found):
        raise ValueError(
            f"argnums={argnums!r} names an argument twice: name it once, and use its derivative twice{user_line()}"
        )
    return found


def by_position(
    f: Callable[..., Any], which: Which, args: Sequence[Any], keywords: dict[str, Any], option: str = "argnums"
) -> tuple[Callable[..., Any], list[Any], list[int]]:
    """Make ``f(*args, **keywords)`` a function of positional arguments; return it, these arguments and the `places`.

    What is given by keyword and named by ``which`` becomes an argument behind the others; other keywords are fixed.
    """
    if not keywords:
        direct = type(which) is int and 0 <= which < len(args)
        return f, list(args), [which] if direct else places(which, f, len(args), option)  # type: ignore[list-item]
    named = which if isinstance(which, tuple) else (which,)
    moved = [name for name in dict.fromkeys(named) if isinstance(name, str) and name in keywords]
    fixed = {name: x for name, x in keywords.items() if name not in moved}
    count = len(args)

    def function(*xs: Any) -> Any:
        return f(*xs[:count], **dict(zip(moved, xs[count:], strict=True)), **fixed)

    function.__name__ = name_of(f)
    hint = f"; what is given by keyword is named, {option}={next(iter(keywords))!r}"
    found = [count + moved.index(k) if k in moved else place(k, f, count, option, hint) for k in named]
    return function, [*args, *(keywords[name] for name in moved)], found
