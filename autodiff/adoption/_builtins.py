"""Python's own names for adopted code: they keep a number that carries a derivative, or look at its plain value."""

from __future__ import annotations

import builtins
from types import new_class
from typing import Any

import numpy as np

from dualnumbers.levels import is_number, plain, read
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.rules.elementwise.arithmetic import python_number

from ..numpy._held import held
from ._stand_ins import StandIn


def as_float(x: Any) -> Any:
    """Return a number as ``float`` would have it, its derivative kept; errors are those of ``float`` of the value."""
    x = held(x)
    if not is_number(type(x)):
        return float(x)
    float(plain(x))
    return python_number(x.reshape(())[()] if isinstance(x, ArrayNumber) else x)


def as_complex(x: Any) -> Any:
    """Return a number as ``complex`` would have it, its derivative kept."""
    x = held(x)
    if not is_number(type(x)):
        return complex(x)
    complex(plain(x))
    return python_number(x.reshape(())[()] if isinstance(x, ArrayNumber) else x) + 0j


class _Standing(type):
    """The type of a class that stands for one of Python's: equal to it; a class made of it is made of that."""

    original: Any

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **keywords: Any) -> Any:
        if not any(isinstance(base, _Standing) for base in bases):
            return super().__new__(cls, name, bases, members, **keywords)
        theirs = tuple(base.original if isinstance(base, _Standing) else base for base in bases)
        return new_class(name, theirs, keywords, lambda names: names.update(members))

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.original

    def __hash__(cls) -> int:
        return hash(cls.original)

    def __repr__(cls) -> str:
        return repr(cls.original)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.original, name)


class _Kind(_Standing):
    """The metaclass of a class that has the instances of a builtin one, and numbers that stand for such."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(plain(x), cls.original)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(ORIGINALS.get(other, other), cls.original)


class float_(float, metaclass=_Kind):  # noqa: N801
    """``float`` for adopted code: of a number that carries a derivative it gives that."""

    original, dtype = float, np.dtype(float)

    def __new__(cls, x: Any = 0.0, /) -> Any:
        if cls is not float_:
            return float.__new__(cls, x)
        return as_float(x) if is_number(type(x)) else float(x)


class int_(int, metaclass=_Kind):  # noqa: N801
    """``int`` for adopted code: of the plain value, for it is constant between its steps."""

    original, dtype = int, np.dtype(int)

    def __new__(cls, x: Any = 0, /, *base: Any, **keywords: Any) -> Any:
        if cls is not int_:
            return int.__new__(cls, x, *base, **keywords)
        return int(read(x), *base, **keywords)


class complex_(complex, metaclass=_Kind):  # noqa: N801
    """``complex`` for adopted code: of numbers that carry a derivative it gives one."""

    original, dtype = complex, np.dtype(complex)

    def __new__(cls, *parts: Any, **named: Any) -> Any:
        if cls is not complex_:
            return complex.__new__(cls, *parts, **named)
        given = [*parts, *named.values()]
        if not any(is_number(type(x)) for x in given):
            return complex(*parts, **named)
        if len(given) == 1 and not named:
            return as_complex(given[0])
        real, imag = (*parts, named.get("real", 0.0))[0], named.get("imag", parts[1] if len(parts) > 1 else 0.0)
        return as_complex(real) + 1j * as_complex(imag)


class _OfTypes(_Standing):
    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) != 1 or keywords:
            return builtins.type(*arguments, **keywords)
        x = plain(arguments[0])
        kind = builtins.type(x)
        if issubclass(kind, StandIn):
            kind = x.__class__
        return STANDING.get(kind, kind)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, builtins.type)

    def __subclasscheck__(cls, other: Any) -> bool:
        return issubclass(other, builtins.type)


class type_(type, metaclass=_OfTypes):  # noqa: N801
    """``type`` for adopted code: the type of the plain value."""

    original = type


ORIGINALS: dict[Any, Any] = {float_: float, int_: int, complex_: complex, type_: type}
STANDING: dict[Any, Any] = {float: float_, int: int_, complex: complex_, type: type_}
for _kind in ORIGINALS:
    _kind.__name__ = _kind.__qualname__ = _kind.original.__name__
    _kind.__module__ = "builtins"


def isinstance_(x: Any, kinds: Any, /) -> bool:
    """Answer ``isinstance`` of the plain value."""
    return isinstance(plain(x), kinds) or isinstance(x, kinds)


def hasattr_(x: Any, name: str, /) -> bool:
    """Answer ``hasattr`` of the plain value."""
    return hasattr(plain(x), name)


def getattr_(x: Any, name: str, /, *default: Any) -> Any:
    """Answer ``getattr``, with the default where the plain value has no such attribute."""
    if default and is_number(type(x)) and not hasattr(plain(x), name):
        return default[0]
    return getattr(x, name, *default)
