"""Differentiate code that cannot be changed: its modules see, while it runs, functions that keep derivatives."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial, update_wrapper
from importlib.machinery import EXTENSION_SUFFIXES
from threading import get_ident
from types import FunctionType, ModuleType
from typing import Any

from ._counterparts import substitute
from ._entry import Entry

OWN = ("autodiff", "dualnumbers", "numpy")
"""Packages that are not adopted: their code is what the numbers are made for."""


class Adoption:
    """Some modules whose code, while this is entered, or in a function that it decorates, keeps derivatives."""

    def __init__(self, modules: list[dict[str, Any]], packages: tuple[str, ...]) -> None:
        self.modules, self.packages = modules, packages
        self.entered: list[Entry] = []

    def _globals(self) -> list[dict[str, Any]]:
        """Return the globals of all modules, those that are loaded now of the packages among them."""
        found = {id(names): names for names in self.modules}
        for name, module in list(sys.modules.items()) if self.packages else ():
            inside = name.startswith(self.packages) and name.partition(".")[0] in self.packages
            if inside and isinstance(module, ModuleType):
                found.setdefault(id(vars(module)), vars(module))
        return list(found.values())

    def __enter__(self) -> Adoption:
        entry = Entry(self._globals())
        entry.begin()
        self.entered.append(entry)
        return self

    def __exit__(self, *error: object) -> None:
        """End what this thread has entered last; in a thread that has entered nothing, the last of all."""
        here = [k for k, entry in enumerate(self.entered) if entry.thread == get_ident()]
        self.entered.pop(here[-1] if here else -1).end()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, with these modules adopted while it runs."""
        called = substitute(function)

        def adopting(*arguments: Any, **keywords: Any) -> Any:
            with Adoption(self.modules, self.packages):
                return called(*arguments, **keywords)

        return update_wrapper(adopting, function)


def adopt(*code: Any, package: bool = False) -> Any:
    """Let code that cannot be changed keep derivatives: modules, or one function.

    ``with adopt(module, …): grad(module.f)(x)``. Meanwhile the global names of those modules, their functions' defaults
    and closures, mean what keeps a derivative: ``np`` is ``autodiff.numpy``, ``math`` is `dualnumbers.dmath`, SciPy's
    functions are those of `autodiff.scipy`, as far as there are such; ``float(x)`` is ``x``, ``int(x)``,
    ``isinstance(x, float)`` and ``type(x)`` see its value. Plain values are treated as ever, in all threads, and
    everything is as before when the last adoption of a module has ended.

    ``adopt(f)``, also as a decorator, gives the function f with its own module adopted while it runs;
    ``adopt(module, …)`` is a decorator for other functions too. A function stands for its module. With ``package``
    all loaded modules of the packages that these belong to are adopted.

    Raises TypeError for what has no Python code, such as compiled modules' functions, and for NumPy and this package.

    >>> import statistics
    >>> from autodiff import derivative
    >>> derivative(adopt(statistics.geometric_mean), 0, [[2.0, 8.0]])
    [1.0, 0.25]
    """
    if not code:
        raise TypeError("adopt needs a module or a function")
    modules = [_globals_of(each) for each in code]
    packages = tuple(names["__name__"].partition(".")[0] for names in modules) if package else ()
    adoption = Adoption(modules, packages)
    alone = code[0] if len(code) == 1 else None
    return adoption if alone is None or isinstance(alone, ModuleType) else adoption(alone)


def _globals_of(code: Any) -> dict[str, Any]:
    """Return the globals of a module, or of the module where a function was written."""
    if isinstance(code, str):
        raise TypeError(f"adopt takes the module itself: import {code}, then adopt({code})")
    names = _globals_of_module(code) if isinstance(code, ModuleType) else _globals_of_function(code)
    if names is None or not isinstance(names.get("__name__"), str):
        raise TypeError(
            "adopt takes modules and functions that are written in Python, not "
            f"{getattr(code, '__name__', repr(code))}: adopt the code that calls it"
        )
    if names["__name__"].split(".")[0] in OWN:
        raise TypeError(f"{names['__name__']} is not adopted: its functions take numbers as they are, or say so")
    return names


def _globals_of_module(module: ModuleType) -> dict[str, Any] | None:
    """Return the globals of a module; None where it has no Python code: built in, or an extension."""
    source = getattr(module, "__file__", None)
    built_in = source is None and not hasattr(module, "__path__") and module.__name__ in sys.builtin_module_names
    return None if built_in or (source or "").endswith(tuple(EXTENSION_SUFFIXES)) else vars(module)


def _globals_of_function(code: Any) -> dict[str, Any] | None:
    while isinstance(code, partial):
        code = code.func
    code = inspect.unwrap(getattr(code, "py_func", code))
    code = getattr(code, "__func__", code)
    if isinstance(code, FunctionType):
        return code.__globals__
    if not isinstance(code, type):
        code = type(code)
        if not isinstance(inspect.getattr_static(code, "__call__", None), FunctionType):
            return None
    module = sys.modules.get(code.__module__)
    return _globals_of_module(module) if module is not None else None
