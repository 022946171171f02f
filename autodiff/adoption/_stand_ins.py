"""What stands for modules, functions and objects in adopted code, and is taken for them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from functools import cached_property, partial, update_wrapper
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from dualnumbers.levels import LIVING, RUNNING, is_number

from ..calls.closures import holds_numbers, parts_of
from ..numpy._held import held

DATA = frozenset((bool, bytes, complex, float, int, np.bool, np.float64, np.int64, np.ndarray, str, type(None)))
"""Types of what is no function and holds none."""

LARGEST = 1000
"""Members of a table that are looked through: a larger one holds data."""


class StandIn:
    """An object for another one, equal to it and of its type to ``isinstance``; what is not its own is the other's."""

    _original: Any

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._original)

    def __getattr__(self, name: str) -> Any:
        if name in ("_original", "_ours"):  # of an instance in the making
            raise AttributeError(name)
        return getattr(self._original, name)

    def __eq__(self, other: object) -> bool:
        return bool(self._original == (other._original if isinstance(other, StandIn) else other))

    def __hash__(self) -> int:
        return hash(self._original)

    def __repr__(self) -> str:
        return repr(self._original)

    def __dir__(self) -> list[str]:
        return dir(self._original)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _itself, (self._original,)


def _itself(x: Any) -> Any:
    return x


class Function(StandIn):
    """A function for another one, equal to it. As a builtin function, it is not bound to instances."""

    def __init__(self, original: Any) -> None:
        update_wrapper(self, original)
        self._original = original

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class _Method(Function):
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)


class Uncached(_Method):
    """A function with a cache, which numbers that carry derivatives go past."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        look = carries if RUNNING or LIVING else holds_numbers
        if not DATA.issuperset(map(type, (*arguments, *keywords.values()))) and look(arguments, keywords):
            return self._original.__wrapped__(*arguments, **keywords)
        misses = self._original.cache_info().misses
        result = self._original(*arguments, **keywords)
        if self._original.cache_info().misses != misses and carries(result):
            self._original.cache_clear()  # it has no way to forget one
        return result


class Uncompiled(_Method):
    """A function that Numba compiles, in Python for numbers that carry derivatives."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if holds_numbers(arguments, keywords):
            return self._original.py_func(*arguments, **keywords)
        return self._original(*arguments, **keywords)


class UncachedProperty(cached_property):  # type: ignore[type-arg]
    """A cached property that keeps no number beyond its differentiation."""

    def __init__(self, original: cached_property[Any]) -> None:
        super().__init__(original.func)
        self.attrname, self.__doc__ = original.attrname, original.__doc__
        self.original = original

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        value = self.original.func(instance)
        if not carries(value):
            instance.__dict__[self.original.attrname] = value
        return value


class StandingModule(ModuleType):
    """A module whose attributes are what stands for those of the original."""

    __slots__ = ("_both",)

    def __init__(self, original: ModuleType, substitute: Callable[[Any], Any]) -> None:
        super().__init__(original.__name__, original.__doc__)
        object.__setattr__(self, "_both", (original, substitute))

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return StandingModule
        original, substitute = _both(self)
        return substitute(getattr(original, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_both(self)[0], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_both(self)[0], name)

    def __dir__(self) -> list[str]:
        return dir(_both(self)[0])


_both = vars(StandingModule)["_both"].__get__


class Merged(StandIn):
    """An object of SciPy's, such as a distribution, with those methods that take numbers."""

    def __init__(self, original: Any, ours: Any) -> None:
        vars(self).update(_original=original, _ours=ours)

    def __getattr__(self, name: str) -> Any:
        theirs = super().__getattr__(name)
        if not isinstance(theirs, MethodType):
            return theirs

        def method(*xs: Any, **named: Any) -> Any:
            ours = getattr(self._ours, name, None) if holds_numbers(xs, named) else None
            return (theirs if ours is None else ours)(*xs, **named)

        return update_wrapper(method, theirs)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._original, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._original, name)

    def __copy__(self) -> Any:
        return Merged(copy(self._original), self._ours)

    def __deepcopy__(self, memo: Any) -> Any:
        return Merged(deepcopy(self._original, memo), self._ours)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Return a frozen distribution, or what the object gives when it is called."""
        ours = partial(self._ours, *arguments, **keywords)
        return (
            ours()
            if holds_numbers(arguments, keywords)
            else Merged(self._original(*arguments, **keywords), _Made(ours))
        )


class _Made:
    """The attributes of what is made when one is asked for: what SciPy takes and ours refuses is no error before."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name == "_make":
            raise AttributeError(name)
        return getattr(self._make(), name)


def carries(*values: Any) -> bool:
    """Return whether a derivative may come through any of the values, or what they hold, attributes included."""
    seen: dict[int, Any] = {}
    waiting = list(values)
    while waiting:
        x = waiting.pop()
        if type(x) in DATA and not (type(x) is np.ndarray and x.dtype.char == "O"):
            continue
        if is_number(type(held(x))):
            return True
        if id(x) not in seen:
            seen[id(x)] = x
            waiting.extend(parts_of(x) or _attributes(x))
    return False


def _attributes(x: Any) -> list[Any]:
    """Return what an object of a class written in Python has in its attributes, in slots too."""
    if isinstance(x, (type, ModuleType, FunctionType)):
        return []
    slots = [name for kind in type(x).__mro__ for name in _slots(kind)]
    return [*getattr(x, "__dict__", {}).values(), *(getattr(x, name) for name in slots if hasattr(x, name))]


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
