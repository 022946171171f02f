"""How a function here stands for one of SciPy's: by its name, and for arguments of any kind."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from itertools import chain, repeat
from pkgutil import resolve_name
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import PYTHON, asked, dtype_of, type_of
from dualnumbers.levels import is_lazy
from dualnumbers.messages.remedies import SCIPY_REMEDIES
from dualnumbers.messages.shortening import fitting
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.from_scipy import rule_of
from dualnumbers.rules.shaping import array, astype
from dualnumbers.table import TableFunction, entry
from dualnumbers.table.dispatch import TO_DECIDE_BY, refuse
from dualnumbers.table.registry import BY_VALUES

from ..calls.closures import holds_numbers
from ..calls.given import no_function
from ..tape.fast_paths import ACTIVE

Array: TypeAlias = Any
"""An argument that SciPy takes as an array, so that nested lists, also of numbers, may stand for it."""

COUNTERPARTS: dict[str, Callable[..., Any]] = {}
"""``"scipy.linalg.expm"`` and the like → the function for numbers."""

SIMPLE = frozenset((int, float, bool, type(None)))
"""The types of parameters that are taken as they are."""

Function = TypeVar("Function", bound=Callable[..., Any])


def double(x: Any) -> Any:
    """Return an array, or a number of NumPy's, of float64 or complex128, as most of SciPy's functions have data."""
    x = joined(array(x))
    wanted = asked(np.result_type, x, np.float64)
    return x if type_of(x) not in PYTHON and dtype_of(x) == wanted else astype(x, wanted)


@cache
def _original(path: str) -> Callable[..., Any]:
    return cast(Callable[..., Any], resolve_name(f"scipy.{path}"))


def counterpart(path: str, *, operands: int = 0, always: bool = False, plain: bool = False, by_values: bool = False
                ) -> Callable[[Function], Function]:  # fmt: skip
    """Let this function, written in table functions, stand for ``scipy.<path>``.

    Where no argument holds a number SciPy's own is called; but ``always`` this one where SciPy leaves part of the value
    undefined, errs, or takes less. Lists reach it as arrays where its parameter is an `Array`, and as the first
    ``operands``. What is no function is refused where the first parameter is a ``Function``; arrays of other libraries
    where SciPy reads ``plain`` values, lazy ones where it goes ``by_values`` that it would have to compute.
    """
    if by_values:
        BY_VALUES[f"scipy.{path}"] = ()

    def register(function: Function) -> Function:
        parameters = list(signature(function).parameters.values())
        arrays = {p.name for i, p in enumerate(parameters) if i < operands or p.annotation == "Array"}
        names = [p.name for p in parameters]
        of_function = parameters[0].annotation == "Function"

        def taken(name: str, value: Any) -> Any:
            return array(value) if name in arrays else joined(value)

        @wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            if of_function:
                f = given[0] if given else named.get(names[0], function)
                if not callable(f):
                    raise no_function(f"{function.__name__}({names[0]}, …)", f)
            leads = bool(given) and type(given[0]) in ACTIVE
            if not always and not leads and not holds_numbers(given, named):
                return _original(path)(*given, **named)
            if leads and not (named or plain or by_values) and SIMPLE.issuperset(map(type, given[1:])):
                return function(*given)  # as most are
            if plain and holds_numbers(given, named):
                refuse(is_foreign, f"scipy.{path}", "values of NumPy's, which SciPy can read", (given, named))
            if by_values:
                refuse(is_lazy, f"scipy.{path}", TO_DECIDE_BY, (given, named))
            places = chain(names, repeat(names[-1]))
            return function(*map(taken, places, given), **{name: taken(name, x) for name, x in named.items()})

        called.of_plain = not always  # type: ignore[attr-defined]
        COUNTERPARTS[f"scipy.{path}"] = called
        return cast(Function, called)

    return register


def counterpart_of_row(path: str, function: TableFunction) -> Callable[..., Any]:
    """Return the function ``scipy.<path>`` for numbers, which is a row of the table."""
    called = entry(function)
    called.__doc__ = (
        f"As ``scipy.{path}``, for numbers as well: the {function.row.described()} row ``{function.row.name}``."
    )
    called.__name__ = called.__qualname__ = path.rpartition(".")[2]
    return counterpart(path, operands=function.row.arity, always=True)(called)


def missing(module: str) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a module here, for what SciPy's has and it has not."""

    def refuse(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(_absent(module.removeprefix("autodiff."), name))

    return refuse


def _absent(path: str, name: str) -> str:
    """Say what to write in place of a name that a module here has not: SciPy's own, or the names most like it."""
    function = getattr(import_module(path), name, None)
    if function is None:
        said = f"{path} has no {name}"
    elif isinstance(function, np.ufunc) and rule_of(function):
        return f"{path}.{name} is differentiated as it is: import it from {path}"
    elif f"{path}.{name}" in SCIPY_REMEDIES:
        return f"{path}.{name} cannot be differentiated here: write {SCIPY_REMEDIES[f'{path}.{name}']}"
    else:
        said = f"{path}.{name} cannot be differentiated here"
    there = sorted({found.split(".")[path.count(".") + 1] for found in COUNTERPARTS if found.startswith(f"{path}.")})
    if near := get_close_matches(name, there, n=3, cutoff=0.7):
        return f"{said}; autodiff.{path} has {', '.join(near)}"
    return fitting(*(f"{said}; autodiff.{path} has {', '.join(there[:n])}{', …' if n < len(there) else ''}"
                     for n in range(len(there), 0, -1)))  # fmt: skip
