"""Where a module keeps functions: its global names, its functions' defaults and closures, its classes, its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CellType, FunctionType
from typing import Any, NamedTuple

LARGEST = 1000
"""Members of a dict or list that are looked through: a larger one holds data."""


class Place(NamedTuple):
    """Something that holds a value."""

    get: Callable[[], Any]
    put: Callable[[Any], None]


def places_of(names: dict[str, Any]) -> Iterator[Place]:
    """All places of a module, by its globals, at which a function may stand."""
    seen: set[int] = {id(names)}
    yield from _in_dict(names)
    for name, value in list(names.items()):
        if not (name.startswith("__") and name.endswith("__")):
            yield from _inside(value, names, seen)


def _item(holder: Any, key: Any) -> Place:
    get = holder.get if isinstance(holder, dict) else lambda key: holder[key]
    return Place(lambda: get(key), lambda value: holder.__setitem__(key, value))


def _attribute(holder: Any, name: str) -> Place:
    return Place(lambda: vars(holder).get(name), lambda value: setattr(holder, name, value))


def _in_dict(names: dict[Any, Any]) -> Iterator[Place]:
    for name in list(names):
        if not (isinstance(name, str) and name.startswith("__")):
            yield _item(names, name)


def _inside(value: Any, names: dict[str, Any], seen: set[int]) -> Iterator[Place]:
    """The places within a function or class of the module, or within a table in it."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, FunctionType):
        yield from _in_function(value, names, seen)
    elif isinstance(value, (staticmethod, classmethod)):
        yield from _inside(value.__func__, names, seen)
    elif isinstance(value, property):
        for part in (value.fget, value.fset):
            yield from _inside(part, names, seen)
    elif isinstance(value, type):
        if value.__module__ == names.get("__name__"):
            for name, member in list(vars(value).items()):
                if not name.startswith("__"):
                    yield _attribute(value, name)
                yield from _inside(member, names, seen)
    elif type(value) in (dict, list) and len(value) <= LARGEST:
        yield from (_item(value, key) for key in (list(value) if type(value) is dict else range(len(value))))


def _in_function(function: FunctionType, names: dict[str, Any], seen: set[int]) -> Iterator[Place]:
    """Of a function from another package, such as a decorator's, only what it closes over is looked into."""
    own = _package(function.__globals__) == _package(names)
    if own and function.__defaults__:
        yield _of_tuple(function)
    if own and function.__kwdefaults__:
        yield from _in_dict(function.__kwdefaults__)
    for cell in function.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # not yet assigned
            continue
        if own:
            yield _content(cell)
        yield from _inside(content, names, seen)


def _package(names: dict[str, Any]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]


def _content(cell: CellType) -> Place:
    return Place(lambda: cell.cell_contents, lambda value: setattr(cell, "cell_contents", value))


def _of_tuple(function: FunctionType) -> Place:
    return Place(lambda: function.__defaults__, lambda value: setattr(function, "__defaults__", value))
