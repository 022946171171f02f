"""What stands for an object in adopted code: for modules, functions and classes, found by their identity."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial, partialmethod, update_wrapper
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from types import MethodType, ModuleType
from typing import Any

import numpy

from dualnumbers import dmath
from dualnumbers.levels import is_number, plain

from .. import numpy as namespace
from ..numpy._by_element import vectorize
from ..numpy._held import holds_number
from ..numpy._taking import OURS
from ..scipy import __path__ as scipy_path
from ..scipy._counterpart import COUNTERPARTS
from ._builtins import STANDING, as_complex, as_float, getattr_, hasattr_, isinstance_
from ._stand_ins import DATA, LARGEST, Function, Merged, StandingModule, Uncached, UncachedProperty, Uncompiled

BUILTINS: dict[str, Any] = {
    **{kind.__name__: ours for kind, ours in STANDING.items()},
    "getattr": getattr_,
    "hasattr": hasattr_,
    "isinstance": isinstance_,
}
"""Names of Python's own → what adopted code finds there."""

TAKE_SEQUENCES = ("dist", "fsum", "prod", "sumprod")


class _OfMath(Function):
    """A function of Python's ``math`` that takes numbers too, and computes and fails as it does."""

    def __init__(self, name: str) -> None:
        super().__init__(getattr(math, name))
        self._ours = getattr(dmath, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if any(is_number(type(x)) for x in (*arguments, *keywords.values())):
            return self._ours(*map(_float, arguments), **{key: _float(x) for key, x in keywords.items()})
        return self._original(*arguments, **keywords)


class _OfSequences(_OfMath):
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        given = [x if is_number(type(x)) else list(x) for x in arguments]
        if holds_number([*map(list, given), *keywords.values()]):
            return self._ours(*([_float(part) for part in x] for x in given), **keywords)
        return self._original(*given, **keywords)


def _float(x: Any) -> Any:
    return as_float(x) if is_number(type(x)) else x


class _OfCMath(Function):
    """A function of Python's ``cmath`` that takes numbers too: NumPy's of a complex number."""

    def __init__(self, name: str) -> None:
        super().__init__(getattr(cmath, name))
        self._ours = CMATH.get(name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if not any(is_number(type(x)) for x in arguments):
            return self._original(*arguments, **keywords)
        value = self._original(*map(plain, arguments), **keywords)  # its errors, at singular points
        return value if self._ours is None else self._ours(*map(as_complex, arguments))


CMATH: dict[str, Callable[..., Any]] = {
    **{name: getattr(numpy, name) for name in ("exp", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(numpy, f"arc{name[1:]}") for name in ("acos", "asin", "atan", "acosh", "asinh", "atanh")},
    "log": lambda z, base=None: numpy.log(z) if base is None else numpy.log(z) / numpy.log(base),
    "phase": numpy.angle,
    "polar": lambda z: (numpy.abs(z), numpy.angle(z)),
    "rect": lambda r, phi: r * numpy.exp(1j * phi),
}


KNOWN: dict[int, tuple[Any, Any]] = {}
"""The identity of an object → itself, kept alive, and what stands for it."""


def _note(original: Any, ours: Any) -> None:
    if ours is not original:
        KNOWN[id(original)] = original, ours


def _note_all() -> None:
    """Note all that is known without SciPy."""
    for name, value in vars(math).items():
        if not name.startswith("_") and callable(value):
            _note(value, _OfSequences(name) if name in TAKE_SEQUENCES else _OfMath(name))
    for name, value in vars(cmath).items():
        if not name.startswith("_") and callable(value):
            _note(value, _OfCMath(name))
    for module in (math, cmath):
        _note(module, StandingModule(module, substitute))
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
    for name, value in BUILTINS.items():
        _note(getattr(builtins, name), value)


def _public(prefix: str, paths: list[str]) -> Iterator[str]:
    for found in iter_modules(paths):
        if not found.name.startswith("_"):
            yield f"{prefix}.{found.name}"
            yield from _public(f"{prefix}.{found.name}", [str(Path(path) / found.name) for path in paths])


_UNREAD = set(_public("scipy", list(scipy_path)))
"""The modules of SciPy of which there are counterparts, but for those that are known already."""


def note_scipy() -> None:
    """Find what stands for the functions of those modules of SciPy that are loaded by now."""
    for module in [name for name in tuple(_UNREAD) if _is_loaded(name)]:
        import_module(f"autodiff.{module}")
        for path, ours in COUNTERPARTS.items():
            owner = path.rpartition(".")[0]
            if owner == module:
                _note(resolve_name(path), ours)
            elif owner.rpartition(".")[0] == module and f"autodiff.{owner}" not in sys.modules:
                original = resolve_name(owner)
                if id(original) not in KNOWN:
                    _note(original, Merged(original, resolve_name(f"autodiff.{owner}")))
        _UNREAD.discard(module)


def _is_loaded(name: str) -> bool:
    """Return whether a module is there, and not being imported just now."""
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


def substitute(value: Any) -> Any:
    """Return what adopted code finds in an object's place: the object itself, but for what would lose a derivative."""
    found = KNOWN.get(id(value))
    if found is not None:
        return found[1]
    make = _MAKERS.get(type(value))
    if make is not None:
        return make(value)
    if isinstance(value, ModuleType):
        return _of_module(value)
    return Uncompiled(value) if _is_compiled(type(value)) else value


def is_made(kind: type) -> bool:
    """Return whether an object of a type may have a stand-in that is not known before."""
    return kind in _MAKERS or issubclass(kind, ModuleType) or _is_compiled(kind)


def _is_compiled(kind: type) -> bool:
    """Return whether it is the type of Numba's functions; Numba is not imported to know it."""
    return kind.__name__ == "CPUDispatcher" and kind.__module__.partition(".")[0] == "numba"


def _of_module(module: ModuleType) -> Any:
    package = module.__name__.partition(".")[0]
    if package not in ("scipy", "numpy") or isinstance(module, StandingModule):
        return module
    if package == "scipy":
        note_scipy()
    standing = StandingModule(module, substitute)
    _note(module, standing)
    return standing


def _vectorized(function: Any) -> Any:
    again = vectorize(
        function.pyfunc, function.otypes, function.__doc__, function.excluded, function.cache, function.signature
    )
    return update_wrapper(again, function.pyfunc)


def _partial(function: Any) -> Any:
    given = function.func, *function.args, *function.keywords.values()
    ours = _tuple(given)
    if ours is given:
        return function
    first = 1 + len(function.args)
    return type(function)(*ours[:first], **dict(zip(function.keywords, ours[first:], strict=True)))


def _wrapper(value: Any) -> Any:
    """Make the stand-in of a static or class method."""
    ours = substitute(value.__func__)
    return value if ours is value.__func__ else type(value)(ours)


def _bound(method: Any) -> Any:
    """Make the stand-in of a method of an object for which another stands, such as ``norm.cdf``."""
    ours = substitute(method.__self__)
    return method if ours is method.__self__ else getattr(ours, method.__name__)


def _tuple(values: tuple[Any, ...]) -> Any:
    if len(values) > LARGEST or DATA.issuperset(map(type, values)):
        return values
    ours = tuple(map(substitute, values))
    return values if all(map(operator.is_, ours, values)) else ours


LRU = type(lru_cache(_tuple))
_MAKERS: dict[type, Callable[[Any], Any]] = {
    LRU: Uncached, MethodType: _bound,
    **dict.fromkeys((staticmethod, classmethod), _wrapper), **dict.fromkeys((partial, partialmethod), _partial),
    cached_property: UncachedProperty, numpy.vectorize: _vectorized, tuple: _tuple,
}  # fmt: skip
"""A type → what makes the stand-in of an object of it."""

_note_all()
