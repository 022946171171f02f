"""Differentiate code that cannot be changed: its modules see, while it runs, functions that keep derivatives."""

from __future__ import annotations

import builtins
import inspect
import operator
import sys
from collections.abc import Callable, Iterator
from functools import partial, update_wrapper
from importlib.machinery import EXTENSION_SUFFIXES
from threading import RLock
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ._counterparts import BUILTINS, note_scipy, standing_for
from ._places import Place, places_of

_LOCK = RLock()
_SWAPPED: dict[int, Swapped] = {}
"""The globals, by their identity, that are swapped now."""

OWN = ("autodiff", "dualnumbers", "numpy")
"""Packages that are not adopted: their code is what the numbers are made for."""


class Plan(NamedTuple):
    """Where in a module what is to be swapped, as long as its global names stand for what they do."""

    values: list[Any]
    places: list[tuple[Place, Any, Any]]


_PLANS: dict[int, Plan] = {}


def _plan(names: dict[str, Any]) -> Plan:
    """What is to be swapped, [(place, value, what stands for it)]; that of the last time, if the names are the same."""
    plan, values = _PLANS.get(id(names)), list(names.values())
    if plan is not None and len(plan.values) == len(values) and all(map(operator.is_, plan.values, values)):
        return plan
    note_scipy()
    found = [(place, value, standing_for(value)) for place in places_of(names) for value in [place.get()]]
    _PLANS[id(names)] = plan = Plan(values, [swap for swap in found if swap[1] is not swap[2]])
    return plan


class Swapped:
    """The globals of one module, swapped, and how many adoptions want that."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names, self.count, self.places = names, 1, _plan(names).places
        for place, value, ours in self.places:
            if place.get() is value:
                place.put(ours)
        self.added = {name: ours for name, ours in BUILTINS.items() if name not in names}
        names.update(self.added)

    def restore(self) -> None:
        """Put back what was there, but for what the module itself has bound anew since."""
        for place, value, ours in reversed(self.places):
            if place.get() is ours:
                place.put(value)
        for name, ours in self.added.items():
            if self.names.get(name) is ours:
                del self.names[name]


def _swap(names: dict[str, Any]) -> None:
    with _LOCK:
        if id(names) in _SWAPPED:
            _SWAPPED[id(names)].count += 1
            return
        _SWAPPED[id(names)] = Swapped(names)
        builtins.__import__ = _import


def _swap_back(names: dict[str, Any]) -> None:
    with _LOCK:
        swapped = _SWAPPED[id(names)]
        swapped.count -= 1
        if swapped.count:
            return
        del _SWAPPED[id(names)]
        swapped.restore()
        if not _SWAPPED and builtins.__import__ is _import:
            builtins.__import__ = _python_import


_python_import = builtins.__import__


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """``import`` inside a function of an adopted module finds what stands for the module."""
    module = _python_import(name, globals, locals, fromlist, level)
    return standing_for(module) if globals is not None and id(globals) in _SWAPPED else module


class Adoption:
    """Some modules whose code, while this is entered, or in a function that it decorates, keeps derivatives."""

    def __init__(self, modules: list[dict[str, Any]], packages: list[str]) -> None:
        self.modules, self.packages = modules, packages
        self.entered: list[list[dict[str, Any]]] = []

    def _globals(self) -> Iterator[dict[str, Any]]:
        """The globals of all modules, those that are loaded now of the packages among them."""
        found = {id(names): names for names in self.modules}
        for name, module in list(sys.modules.items()) if self.packages else ():
            if name.split(".")[0] in self.packages and isinstance(module, ModuleType):
                found.setdefault(id(vars(module)), vars(module))
        return iter(found.values())

    def __enter__(self) -> Adoption:
        taken: list[dict[str, Any]] = []
        try:
            for names in self._globals():
                _swap(names)
                taken.append(names)
        except BaseException:
            _leave(taken)
            raise
        self.entered.append(taken)
        return self

    def __exit__(self, *error: object) -> None:
        _leave(self.entered.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with these modules adopted while it runs."""

        def adopting(*arguments: Any, **keywords: Any) -> Any:
            with Adoption(self.modules, self.packages):
                return function(*arguments, **keywords)

        return update_wrapper(adopting, function)


def _leave(taken: list[dict[str, Any]]) -> None:
    for names in reversed(taken):
        _swap_back(names)


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
    packages = [names["__name__"].split(".")[0] for names in modules] if package else []
    adoption = Adoption(modules, packages)
    alone = code[0] if len(code) == 1 else None
    return adoption if alone is None or isinstance(alone, ModuleType) else adoption(alone)


def _globals_of(code: Any) -> dict[str, Any]:
    """The globals of a module, or of the module where a function was written."""
    if isinstance(code, str):
        raise TypeError(f"adopt takes the module itself: import {code}, then adopt({code})")
    names = _globals_of_module(code) if isinstance(code, ModuleType) else _globals_of_function(code)
    if names is None or not isinstance(names.get("__name__"), str):
        raise TypeError("adopt takes modules and functions that are written in Python, not "
                        f"{getattr(code, '__name__', repr(code))}: adopt the code that calls it")  # fmt: skip
    if names["__name__"].split(".")[0] in OWN:
        raise TypeError(f"{names['__name__']} is not adopted: its functions take numbers as they are, or say so")
    return names


def _globals_of_module(module: ModuleType) -> dict[str, Any] | None:
    """None for a module without Python code: a built-in one, or one of an extension."""
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
