"""What holds arguments and results: structures taken apart into leaves, and put together again around others.

Tuples, lists, dicts, named tuples, instances of dataclasses and of registered classes are structures, and hold one
another. None and strings inside them are left alone: no leaf, and in the same place of what is put together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from types import NoneType
from typing import Any

import numpy as np

from dualnumbers.levels import is_number


def _copy(x: Any) -> Any:
    if type(x) is dict:
        return x.copy()
    from copy import copy

    return copy(x)


class Structures:
    """Tuples, lists and named tuples: how they are taken apart and put together, as the other kinds below."""

    def parts(self, x: Any) -> list[Any]:
        """Return what a structure holds, in order."""
        return list(x)

    def built(self, x: Any, parts: list[Any]) -> Any:
        """Make a structure like ``x`` of other parts."""
        make = getattr(x, "_make", type(x))  # past a __new__ of the user's, which may check or convert
        other = make(*parts) if hasattr(x, "_fields") and make is type(x) else make(parts)
        if own := getattr(x, "__dict__", None):
            vars(other).update(own)
        return other

    def paths(self, x: Any) -> list[str]:
        """Return what stands behind the name of a structure to reach each part."""
        return [f"[{k}]" for k in range(len(x))]

    def matched(self, other: Any, x: Any) -> list[Any] | None:
        """Return another structure's parts in the order of those of ``x``; None where it is not built like ``x``."""
        names = getattr(other, "_fields", None), getattr(x, "_fields", None)
        alike = isinstance(other, (list, tuple)) and len(other) == len(x) and (None in names or names[0] == names[1])
        return list(other) if alike else None

    def needed(self, x: Any) -> str:
        """Say what is built like ``x``."""
        return f"a {type(x).__name__} of {len(x)}"


class Mappings(Structures):
    """Dicts, by their keys."""

    def parts(self, x: Any) -> list[Any]:
        return list(x.values())

    def built(self, x: Any, parts: list[Any]) -> Any:
        other = _copy(x)  # a defaultdict keeps its factory
        for key, part in zip(x, parts, strict=True):
            other[key] = part
        if getattr(x, "__dict__", None) is x:  # its attributes are its items
            other.__dict__ = other
        return other

    def paths(self, x: Any) -> list[str]:
        return [f"[{key!r}]" for key in x]

    def matched(self, other: Any, x: Any) -> list[Any] | None:
        return [other[key] for key in x] if isinstance(other, dict) and other.keys() == x.keys() else None

    def needed(self, x: Any) -> str:
        return f"a dict with the keys {list(x)}"


class Dataclasses(Structures):
    """Instances of dataclasses, by their fields; those with ``metadata={"static": True}`` stay as they are.

    They are made without ``__init__``, which may check or convert.
    """

    def parts(self, x: Any) -> list[Any]:
        return [getattr(x, name) for name in _set_fields(x)]

    def built(self, x: Any, parts: list[Any]) -> Any:
        other = _copy(x)
        for name, part in zip(_set_fields(x), parts, strict=True):
            object.__setattr__(other, name, part)
        stale = [
            name for name in getattr(x, "__dict__", ()) if isinstance(getattr(type(x), name, None), cached_property)
        ]
        for name in stale:
            del vars(other)[name]
        return other

    def paths(self, x: Any) -> list[str]:
        return [f".{name}" for name in _set_fields(x)]

    def matched(self, other: Any, x: Any) -> list[Any] | None:
        alike = isinstance(other, type(x)) and _set_fields(other) == _set_fields(x)
        return self.parts(other) if alike else None

    def needed(self, x: Any) -> str:
        return f"a {type(x).__name__} with the fields {_set_fields(x)}"


class Registered(Structures):
    """Instances of a class by the functions that were registered for it."""

    def __init__(self, take_apart: Callable[[Any], Iterable[Any]], put_together: Callable[[Any, list[Any]], Any]):
        self.take_apart, self.put_together = take_apart, put_together

    def parts(self, x: Any) -> list[Any]:
        return list(self.take_apart(x))

    def built(self, x: Any, parts: list[Any]) -> Any:
        return self.put_together(x, parts)

    def paths(self, x: Any) -> list[str]:
        return [f"[{k}]" for k in range(len(self.parts(x)))]

    def matched(self, other: Any, x: Any) -> list[Any] | None:
        parts = self.parts(other) if isinstance(other, type(x)) else []
        return parts if isinstance(other, type(x)) and len(parts) == len(self.parts(x)) else None

    def needed(self, x: Any) -> str:
        return f"a {type(x).__name__} of {len(self.parts(x))} parts"


class LeftAlone(Structures):
    """None and strings: they have no parts, and stay where they are."""

    def parts(self, x: Any) -> list[Any]:
        return []

    def built(self, x: Any, parts: list[Any]) -> Any:
        return x

    def paths(self, x: Any) -> list[str]:
        return []

    def matched(self, other: Any, x: Any) -> list[Any] | None:
        return [] if other is None or (isinstance(other, str) and other == x) else None

    def needed(self, x: Any) -> str:
        return "None" if x is None else f"{str(x)!r} or None"


DATACLASSES, LEFT_ALONE = Dataclasses(), LeftAlone()

KINDS: dict[type, Structures | None] = {
    tuple: Structures(), list: Structures(), dict: Mappings(), NoneType: LEFT_ALONE, str: LEFT_ALONE,
    **dict.fromkeys((int, float, complex, np.generic, np.float64, np.ndarray)),
}  # fmt: skip
"""Class → how its instances and those of its subclasses are taken apart; None of leaves."""

BUILT_IN = tuple(KINDS)


@lru_cache(1024)
def kind_of_class(cls: type) -> Structures | None:
    """Find `kind_of` for the instances of a class."""
    bases = [base for base in cls.__mro__ if base in KINDS]
    registered = [base for base in bases if base not in BUILT_IN]
    if registered or not hasattr(cls, "__dataclass_fields__"):
        return KINDS[(registered or bases)[0]] if bases else None
    return DATACLASSES


def _set_fields(x: Any) -> list[str]:
    """Return the names of the fields of a dataclass, in order, that are set and not declared static."""
    from dataclasses import fields

    return [field.name for field in fields(x) if hasattr(x, field.name) and not field.metadata.get("static")]


def kind_of(x: Any) -> Structures | None:
    """Find how a value is taken apart and put together, as `Structures` are; None for a leaf."""
    cls: Any = type(x)
    return KINDS[cls] if cls in KINDS else kind_of_class(cls)


def is_structure(x: Any) -> bool:
    """Return whether a value holds leaves; None and strings hold nothing."""
    kind = kind_of(x)
    return kind is not None and kind is not LEFT_ALONE


def keeps_structure(out: Any) -> bool:
    """Return whether an output is a structure of several; a list stands for one array."""
    return is_structure(out) and not isinstance(out, list)


def _only(leaves: Iterable[Any]) -> Any:
    return next(iter(leaves))


def flatten(tree: Any) -> tuple[list[Any], Callable[[Iterable[Any]], Any]]:
    """Return the leaves of nested structures in order, and the function that puts as many leaves back.

    None or a string that is no part of a structure is a leaf.
    """
    kind = kind_of(tree)
    if kind is None or kind is LEFT_ALONE:
        return [tree], _only
    leaves: list[Any] = []
    build = _whole(tree, kind, leaves)
    return leaves, lambda new: build(iter(new))


def _whole(tree: Any, kind: Structures, leaves: list[Any]) -> Callable[[Iterator[Any]], Any]:
    """Take a whole tree apart, as `_taken` does; ValueError where it has no end."""
    try:
        return _taken(tree, kind, leaves)
    except RecursionError:
        raise ValueError(
            f"a {type(tree).__name__} that holds itself, or is nested some hundred times, is no structure "
            "of arguments or results: give the numbers and arrays in it"
        ) from None


def _taken(tree: Any, kind: Structures, leaves: list[Any]) -> Callable[[Iterator[Any]], Any]:
    """Add the leaves of a structure, and return what makes it of a stream of others."""
    makers: list[Callable[[Iterator[Any]], Any]] = []
    for part in kind.parts(tree):
        inner = kind_of(part)
        if inner is None:
            leaves.append(part)
            makers.append(next)
        else:
            makers.append(_taken(part, inner, leaves))
    return lambda stream: kind.built(tree, [make(stream) for make in makers])


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return the structure with ``function`` applied to each leaf."""
    kind = kind_of(tree)
    if kind is None or kind is LEFT_ALONE:
        return function(tree)
    leaves: list[Any] = []
    return _whole(tree, kind, leaves)(map(function, leaves))


def paths_of_leaves(tree: Any, name: str) -> list[str]:
    """Name each leaf of a structure as Python would reach it, in the order of `flatten`."""
    if not is_structure(tree):
        return [name]
    kind = kind_of(tree)
    assert kind is not None
    named = zip(kind.parts(tree), kind.paths(tree), strict=True)
    return [
        leaf for part, path in named if kind_of(part) is not LEFT_ALONE for leaf in paths_of_leaves(part, name + path)
    ]


def register_structure(
    kind: type, take_apart: Callable[[Any], Iterable[Any]], put_together: Callable[[Any, list[Any]], Any]
) -> None:
    """Make the instances of a class, and of its subclasses, structures as tuples and dicts are.

    ``take_apart(x)`` returns the list of the parts of ``x`` that are differentiated: numbers, arrays, structures.
    ``put_together(x, parts)`` returns a new object like ``x`` of as many parts, and leaves ``x`` as it is. The parts
    are then numbers that carry derivatives, gradients of the shapes of those of ``x``, or in a Jacobian arrays of the
    output's shape + the part's and structures of them, so it neither checks nor converts them.

    Dataclasses and named tuples need no registration; one that is registered is taken apart as registered. The last
    registration of a class holds. A process that is started with "spawn" registers its own.

    Raises TypeError where ``kind`` is no class or one of numbers, arrays, strings or Python's containers, or where one
    of the functions cannot be called.

    >>> from autodiff import grad
    >>> class Line:
    ...     def __init__(self, slope, offset, name):
    ...         self.slope, self.offset, self.name = slope, offset, name
    >>> register_structure(Line, lambda x: [x.slope, x.offset], lambda x, parts: Line(*parts, x.name))
    >>> found = grad(lambda line: line.slope**2 + 5 * line.offset)(Line(3.0, 1.0, "first"))
    >>> found.slope, found.offset, found.name
    (6.0, 5.0, 'first')
    """
    if not isinstance(kind, type):
        raise TypeError(f"a structure is registered by its class; got {kind!r}")
    if kind in (*BUILT_IN, bool, object) or is_number(kind) or issubclass(kind, (np.generic, np.ndarray)):
        raise TypeError(
            f"{kind.__name__} is no class to register: numbers and arrays are leaves, strings stay, "
            "Python's containers are structures; register a subclass of a container"
        )
    for function, name in ((take_apart, "take_apart"), (put_together, "put_together")):
        if not callable(function):
            raise TypeError(f"{name} of {kind.__name__} is a function; got {function!r}")
    KINDS[kind] = Registered(take_apart, put_together)
    kind_of_class.cache_clear()
