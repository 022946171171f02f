"""Where modules keep functions, and how these are swapped: global names, defaults, closures, classes, tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from types import CellType, FunctionType, MethodType
from typing import Any

from ._counterparts import BUILTINS, KNOWN, LRU, is_made, substitute
from ._stand_ins import DATA, LARGEST

IMMUTABLE = 1 << 8
"""The flag of a class, written in C, whose attributes cannot be set (``Py_TPFLAGS_IMMUTABLETYPE``)."""

ABSENT = object()
"""What a dict has at a key that it has not."""


class Swap:
    """A place, by its holder and key, with what was there and what stands for it as long as there are users.

    The holder is a dict, a list, a class, a cell or, of its defaults, a function. A place has one swap at a time.
    """

    __slots__ = ("holder", "key", "ours", "users", "value")

    def __init__(self, holder: Any, key: Any, value: Any, ours: Any) -> None:
        self.holder, self.key, self.value, self.ours = holder, key, value, ours
        self.users: set[object] = set()

    def put(self, user: object) -> None:
        SWAPPED.setdefault(id(self.holder), {})[self.key] = self
        self.users.add(user)
        if _read(self.holder, self.key) is self.value:
            _write(self.holder, self.key, self.ours)

    def put_back(self, user: object) -> None:
        """Put back, after the last user, what was there before, but for what has been bound anew since."""
        self.users.discard(user)
        swapped = SWAPPED.get(id(self.holder), {})
        if self.users or swapped.get(self.key) is not self:
            return
        if _read(self.holder, self.key) is self.ours:
            _write(self.holder, self.key, self.value)
        elif isinstance(self.holder, list):
            self.holder[:] = [self.value if x is self.ours else x for x in self.holder]
        del swapped[self.key]
        if not swapped:
            del SWAPPED[id(self.holder)]


SWAPPED: dict[int, dict[Any, Swap]] = {}
"""The identity of a holder → the swaps of now in it, by their keys."""

members = vars(type)["__dict__"].__get__
"""The attributes of a class itself, whatever its metaclass says."""

_module_of = vars(type)["__module__"].__get__


def _read(holder: Any, key: Any) -> Any:
    if isinstance(holder, dict):
        return holder.get(key, ABSENT)
    if isinstance(holder, list):
        return holder[key] if key < len(holder) else ABSENT
    if isinstance(holder, CellType):
        return _content(holder)
    return members(holder).get(key, ABSENT) if isinstance(holder, type) else holder.__defaults__


def _write(holder: Any, key: Any, value: Any) -> None:
    if value is ABSENT:
        del holder[key]
    elif isinstance(holder, (dict, list)):
        holder[key] = value
    elif isinstance(holder, CellType):
        holder.cell_contents = value
    elif isinstance(holder, type):
        type.__setattr__(holder, key, value)  # some metaclasses refuse it
    else:
        holder.__defaults__ = value


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet assigned
        return ABSENT


def swaps_of(modules: list[dict[str, Any]]) -> list[Swap]:
    """Return what is to be swapped in modules, by their globals: new swaps, and those of now. Write nothing."""
    return _Search(modules).found


class _Search:
    """Looks through modules; of an object that several reach, once."""

    def __init__(self, modules: list[dict[str, Any]]) -> None:
        self.found: list[Swap] = []
        self.seen: dict[int, Any] = {id(names): names for names in modules}
        self.looks, self.makes = _Looks(LOOK), _Makes()
        self.names = {names.get("__name__") for names in modules}
        self.packages = set(map(_package, modules))
        self.own = dict.fromkeys(self.seen, True)
        for names in modules:
            self.look_through(names, [(key, x) for key, x in list(names.items()) if not _is_special(key)])
            absent = ((name, ours) for name, ours in BUILTINS.items() if name not in names)
            self.found.extend(Swap(names, name, ABSENT, ours) for name, ours in absent)

    def look_through(self, holder: Any, items: Iterable[tuple[Any, Any]]) -> None:
        """Look at the places of a holder, and into what its values hold."""
        swapped, seen, makes = SWAPPED.get(id(holder), {}), self.seen, self.makes
        for key, value in items:
            kind = type(value)
            if kind in DATA:
                continue
            if swapped or makes[kind] or id(value) in KNOWN:
                value = self.place(holder, key, value, swapped.get(key))
            if id(value) not in seen:
                self.look_into(value)

    def place(self, holder: Any, key: Any, value: Any, swap: Swap | None) -> Any:
        """Note what is to be swapped at a place; return what is there otherwise."""
        if swap is not None and swap.ours is value:
            self.found.append(swap)
            return swap.value
        ours = substitute(value)
        if isinstance(holder, type) and isinstance(ours, FunctionType) and not hasattr(type(value), "__get__"):
            ours = staticmethod(ours)  # no method there, so none here
        if ours is not value:
            if swap is not None:  # bound anew since
                swap.value, swap.ours = value, ours
            self.found.append(swap or Swap(holder, key, value, ours))
        return value

    def look_into(self, value: Any) -> None:
        """Look at the places within a function or class of the modules, or within a table in them."""
        look = self.looks[type(value)]
        if look is not None and id(value) not in self.seen:
            self.seen[id(value)] = value
            look(self, value)

    def in_function(self, function: FunctionType) -> None:
        """Look into a function; of one of another package, such as a decorator's, only at what it closes over."""
        defaults, named, cells = function.__defaults__, function.__kwdefaults__, function.__closure__
        if not (defaults or named or cells):
            return
        names = function.__globals__
        own = self.own.get(id(names))
        if own is None:
            own = self.own[id(names)] = _package(names) in self.packages
        if own and defaults and not DATA.issuperset(map(type, defaults)):
            self.look_through(function, [("__defaults__", defaults)])
        if own and named:
            self.look_through(named, list(named.items()))
        for cell in cells or ():
            if own:
                self.look_through(cell, [(None, _content(cell))])
            else:
                self.look_into(_content(cell))

    def in_class(self, owner: type) -> None:
        if _module_of(owner) not in self.names:
            return
        fixed = bool(owner.__flags__ & IMMUTABLE)
        for name, value in list(members(owner).items()):
            if type(value) in DATA:
                continue
            if fixed or _is_special(name):
                self.look_into(value)
            else:
                self.look_through(owner, [(name, value)])

    def in_table(self, table: Any) -> None:
        """Look into a list or dict, but not into the namespace of a module or of code, nor `sys.modules`."""
        if type(table) is dict and ("__builtins__" in table or "__spec__" in table or table is sys.modules):
            return
        keys, values = (list(table), list(table.values())) if type(table) is dict else (range(len(table)), table)
        if len(values) <= LARGEST and not DATA.issuperset(map(type, values)):
            self.look_through(table, list(zip(keys, values, strict=False)))

    def in_tuple(self, values: tuple[Any, ...]) -> None:
        if not DATA.issuperset(map(type, values[:LARGEST])):
            for value in values[:LARGEST]:
                self.look_into(value)


def _within(*names: str) -> Callable[[_Search, Any], None]:
    def look(search: _Search, value: Any) -> None:
        for name in names:
            search.look_into(getattr(value, name, None))

    return look


LOOK: dict[type, Callable[[_Search, Any], None]] = {
    FunctionType: _Search.in_function, type: _Search.in_class, dict: _Search.in_table, list: _Search.in_table,
    tuple: _Search.in_tuple, **dict.fromkeys((staticmethod, classmethod, MethodType), _within("__func__")),
    **dict.fromkeys((cached_property, partial), _within("func")), LRU: _within("__wrapped__"),
    property: _within("fget", "fset", "fdel"),
}  # fmt: skip
"""A type → how an object of it is looked through."""


class _Looks(dict[type, Any]):
    """`LOOK`, with what is found by inheritance, as long as a search lasts: no type is kept alive."""

    def __missing__(self, kind: type) -> Any:
        self[kind] = look = self[type] if issubclass(kind, type) else None
        return look


class _Makes(dict[type, bool]):
    """A type → whether something may stand for any object of it, likewise."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = answer = is_made(kind)
        return answer


def _is_special(name: Any) -> bool:
    return isinstance(name, str) and name.startswith("__") and name.endswith("__")


def _package(names: dict[str, Any]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
