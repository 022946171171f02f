"""How a function here stands for one of SciPy's: by its name, and for arguments of any kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from dualnumbers.elementary import TableFunction, entry
from dualnumbers.levels import plain
from dualnumbers.number import joined
from dualnumbers.rules.shaping import array, astype

COUNTERPARTS: dict[str, Callable[..., Any]] = {}
"""``"scipy.linalg.expm"`` and the like → the function for numbers."""

Function = TypeVar("Function", bound=Callable[..., Any])


def double(x: Any) -> Any:
    """As most of SciPy's functions have their data: an array, or a number of NumPy's, of float64 or complex128."""
    x = joined(array(x))
    value = plain(x)
    wanted = np.result_type(value, np.float64)
    return x if hasattr(value, "dtype") and value.dtype == wanted else astype(x, wanted)


def counterpart(path: str) -> Callable[[Function], Function]:
    """Decorator: this function, written in table functions, stands for ``scipy.<path>``.

    Lists and object arrays of numbers reach it as arrays.
    """

    def register(function: Function) -> Function:
        @wraps(function)
        def called(*arguments: Any, **keywords: Any) -> Any:
            return function(*map(joined, arguments), **{name: joined(value) for name, value in keywords.items()})

        COUNTERPARTS[f"scipy.{path}"] = called
        return cast(Function, called)

    return register


def counterpart_of_row(path: str, function: TableFunction) -> Callable[..., Any]:
    """The function ``scipy.<path>`` for numbers, which is a row of the table."""
    called = entry(function)
    called.__doc__ = f"As ``scipy.{path}``, for numbers as well: the {function.row.kind} row ``{function.row.name}``."
    called.__name__ = called.__qualname__ = path.rpartition(".")[2]
    return counterpart(path)(called)


def missing(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module here, for what SciPy's has and it has not."""

    def refuse(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        path = module.removeprefix("autodiff.")
        there = sorted(found.removeprefix(f"{path}.") for found in COUNTERPARTS if found.startswith(f"{path}."))
        raise AttributeError(f"{path}.{name} cannot be differentiated here; {module} has {', '.join(there)}")

    return refuse
