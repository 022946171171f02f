"""What stands for an object in adopted code: for modules, functions and classes, found by their identity."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
import sys
from collections.abc import Callable
from functools import cached_property, partial, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

import numpy

from dualnumbers import dmath
from dualnumbers.levels import is_number, plain

from .. import numpy as namespace
from ..holder import holds_number
from ..numpy._by_element import vectorize
from ..numpy._taking import OURS
from ..scipy._closure import holds_numbers
from ..scipy._counterpart import COUNTERPARTS
from ._builtins import STANDING, as_complex, as_float, getattr_, hasattr_, isinstance_, type_

BUILTINS: dict[str, Any] = {
    **{kind.__name__: ours for kind, ours in STANDING.items()},
    "getattr": getattr_, "hasattr": hasattr_, "isinstance": isinstance_, "type": type_,
}  # fmt: skip
"""Names of Python's own → what adopted code finds there."""

TAKE_SEQUENCES = ("dist", "fsum", "prod", "sumprod")


def _of_math(name: str) -> Callable[..., Any]:
    """A function of Python's ``math`` that takes numbers too, and computes and fails as it does."""
    original, ours = getattr(math, name), getattr(dmath, name)

    def function(*arguments: Any, **keywords: Any) -> Any:
        if any(is_number(type(x)) for x in (*arguments, *keywords.values())):
            return ours(*map(_float, arguments), **{key: _float(x) for key, x in keywords.items()})
        return original(*arguments, **keywords)

    def of_sequences(*arguments: Any, **keywords: Any) -> Any:
        given = [x if is_number(type(x)) else list(x) for x in arguments]
        if holds_number([*map(list, given), *keywords.values()]):
            return ours(*([_float(part) for part in x] for x in given), **keywords)
        return original(*given, **keywords)

    return update_wrapper(of_sequences if name in TAKE_SEQUENCES else function, original)


def _float(x: Any) -> Any:
    return as_float(x) if is_number(type(x)) else x


def _of_cmath(name: str) -> Callable[..., Any]:
    """A function of Python's ``cmath`` that takes numbers too: NumPy's of a complex number."""
    original, ours = getattr(cmath, name), CMATH.get(name)

    def function(*arguments: Any, **keywords: Any) -> Any:
        if not any(is_number(type(x)) for x in arguments):
            return original(*arguments, **keywords)
        value = original(*map(plain, arguments), **keywords)  # its errors, at singular points
        return value if ours is None else ours(*map(as_complex, arguments))

    return update_wrapper(function, original)


CMATH: dict[str, Callable[..., Any]] = {
    **{name: getattr(numpy, name) for name in ("exp", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(numpy, f"arc{name[1:]}") for name in ("acos", "asin", "atan", "acosh", "asinh", "atanh")},
    "log": lambda z, base=None: numpy.log(z) if base is None else numpy.log(z) / numpy.log(base),
    "phase": numpy.angle,
    "polar": lambda z: (numpy.abs(z), numpy.angle(z)),
    "rect": lambda r, phi: r * numpy.exp(1j * phi),
}


class Standing(ModuleType):
    """A module whose attributes are what stands for those of the original."""

    def __init__(self, original: ModuleType) -> None:
        super().__init__(original.__name__, original.__doc__)
        self._original = original

    def __getattr__(self, name: str) -> Any:
        return standing_for(getattr(self._original, name))

    def __dir__(self) -> list[str]:
        return dir(self._original)


class Merged:
    """An object of SciPy's, such as a distribution, with those methods that take numbers."""

    def __init__(self, original: Any, ours: Any) -> None:
        self._original, self._ours = original, ours

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # ``isinstance`` sees the original
        return type(self._original)

    def __getattr__(self, name: str) -> Any:
        theirs = getattr(self._original, name)
        ours = getattr(self._ours, name, None) if callable(theirs) else None
        if ours is None:
            return theirs
        return lambda *xs, **named: (ours if holds_numbers(xs, named) else theirs)(*xs, **named)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """A frozen distribution, or what the object gives when it is called."""
        if holds_numbers(arguments, keywords):
            return self._ours(*arguments, **keywords)
        return self._original(*arguments, **keywords)


_KNOWN: dict[int, tuple[Any, Any]] = {}
"""The identity of an object → itself, kept alive, and what stands for it."""


def _note(original: Any, ours: Any) -> None:
    if ours is not original:
        _KNOWN[id(original)] = original, ours


def _note_all() -> None:
    """All that is known without SciPy."""
    for module, make in ((math, _of_math), (cmath, _of_cmath)):
        for name, value in vars(module).items():
            if not name.startswith("_") and callable(value):
                _note(value, make(name))
        _note(module, Standing(module))
    for name in dir(numpy):
        if not name.startswith("_") and not isinstance(getattr(numpy, name), (ModuleType, float, int, bool)):
            _note(getattr(numpy, name), getattr(namespace, name))
    for original, ours in OURS.items():
        _note(original, ours)
    _note(numpy, namespace)
    for name in ("linalg", "fft", "polynomial"):
        _note(getattr(numpy, name), import_module(f"{namespace.__name__}.{name}"))
    for name in numpy.polynomial.__all__:
        _note(getattr(numpy.polynomial, name), getattr(namespace.polynomial, name))
    for name, value in (("isinstance", isinstance_), ("type", type_), ("hasattr", hasattr_), ("getattr", getattr_)):
        _note(getattr(builtins, name), value)
    for kind, value in STANDING.items():
        _note(kind, value)


_READ: set[str] = set()


def note_scipy() -> None:
    """Find what stands for the functions of those modules of SciPy that are loaded by now."""
    if not _KNOWN:
        _note_all()
    for name in {".".join(name.split(".")[:2]) for name in list(sys.modules) if name.startswith("scipy.")} - _READ:
        _READ.add(name)
        if "._" not in name and find_spec(f"autodiff.{name}") is not None:
            import_module(f"autodiff.{name}")
    for path in COUNTERPARTS.keys() - _READ:
        owner = path.rpartition(".")[0]
        if owner in sys.modules:
            _note(resolve_name(path), COUNTERPARTS[path])
        elif owner.rpartition(".")[0] in sys.modules:
            original = resolve_name(owner)
            if id(original) not in _KNOWN:
                _note(original, Merged(original, resolve_name(f"autodiff.{owner}")))
        else:
            continue
        _READ.add(path)


def standing_for(value: Any) -> Any:
    """What adopted code finds in place of an object: the object itself, but for what would lose a derivative."""
    if not _KNOWN:
        _note_all()
    found = _KNOWN.get(id(value))
    if found is not None:
        return found[1]
    if isinstance(value, ModuleType):
        return _of_module(value)
    make = _MAKERS.get(type(value).__name__)
    return make(value) if make is not None else value


def _of_module(module: ModuleType) -> Any:
    name = module.__name__
    if name.split(".")[0] not in ("scipy", "numpy"):
        return module
    if name.split(".")[0] == "scipy":
        note_scipy()
    standing = Standing(module)
    _note(module, standing)
    return standing


def _uncached(function: Any) -> Any:
    """A function with a cache, which numbers that carry derivatives go past."""

    def called(*arguments: Any, **keywords: Any) -> Any:
        if holds_numbers(arguments, keywords):
            return function.__wrapped__(*arguments, **keywords)
        return function(*arguments, **keywords)

    for name in ("cache_clear", "cache_info", "cache_parameters"):
        setattr(called, name, getattr(function, name))
    return update_wrapper(called, function)


def _uncompiled(function: Any) -> Any:
    """A function that Numba compiles, in Python for numbers that carry derivatives."""

    def called(*arguments: Any, **keywords: Any) -> Any:
        if holds_numbers(arguments, keywords):
            return function.py_func(*arguments, **keywords)
        return function(*arguments, **keywords)

    called.py_func = function.py_func  # type: ignore[attr-defined]
    return update_wrapper(called, function.py_func)


class _Property:
    """A cached property that keeps no number beyond its differentiation."""

    def __init__(self, original: cached_property[Any]) -> None:
        self.original = original

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        value = self.original.func(instance)
        if not holds_numbers(value):
            instance.__dict__[self.original.attrname] = value
        return value


def _vectorized(function: Any) -> Any:
    if type(function) is not numpy.vectorize:
        return function
    again = vectorize(function.pyfunc, function.otypes, function.__doc__, function.excluded, function.cache,
                      function.signature)  # fmt: skip
    return update_wrapper(again, function.pyfunc)


def _partial(function: Any) -> Any:
    ours = standing_for(function.func)
    return function if ours is function.func else partial(ours, *function.args, **function.keywords)


def _method(value: Any) -> Any:
    ours = standing_for(value.__func__)
    return value if ours is value.__func__ else type(value)(ours)


def _bound(method: Any) -> Any:
    """A method of an object for which another stands, such as ``norm.cdf``."""
    ours = standing_for(method.__self__)
    return method if ours is method.__self__ else getattr(ours, method.__name__)


def _tuple(values: tuple[Any, ...]) -> Any:
    ours = tuple(map(standing_for, values))
    return values if all(map(operator.is_, ours, values)) else ours


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "CPUDispatcher": _uncompiled, "_lru_cache_wrapper": _uncached, "cached_property": _Property, "method": _bound,
    "partial": _partial, "staticmethod": _method, "tuple": _tuple, "vectorize": _vectorized,
}  # fmt: skip
"""Name of a type → what makes the stand-in of an object of it."""
