"""One entering of some modules: their places are swapped until it ends, and what their functions import."""

from __future__ import annotations

import builtins
from threading import RLock, get_ident
from typing import Any

from dualnumbers.messages.names import ADOPTED

from ._counterparts import note_scipy, substitute
from ._places import Swap, swaps_of

_LOCK = RLock()
_ENTRIES: set[Entry] = set()
"""The entries that have not ended."""


class Entry:
    """Modules, by their globals, swapped from ``begin`` to ``end``; several may overlap in any order and thread.

    One within another of the same thread that has its modules prolongs that: 2 µs, and not 1 µs a name.
    """

    def __init__(self, modules: list[dict[str, Any]]) -> None:
        self.modules = {id(names): names for names in modules}
        self.thread = get_ident()
        self.swaps: list[Swap] = []
        self.outer, self.users = self, set[Entry]()

    def begin(self) -> None:
        """Swap; where that fails, all is put back."""
        with _LOCK:
            try:
                self.outer = next(filter(self._is_within, _ENTRIES), self)
                self.outer.users.add(self)
                if self.outer is self:
                    self._swap()
            except BaseException:
                self.end()
                raise

    def _is_within(self, outer: Entry) -> bool:
        return outer.thread == self.thread and self.modules.keys() <= outer.modules.keys()

    def _swap(self) -> None:
        note_scipy()
        self.swaps = swaps_of(list(self.modules.values()))
        for swap in self.swaps:
            swap.put(self)
        if not _ENTRIES:
            _Import.begin()
        _ENTRIES.add(self)

    def end(self) -> None:
        """Put back what no other entry wants swapped."""
        with _LOCK:
            outer = self.outer
            outer.users.discard(self)
            if outer.users:
                return
            for swap in reversed(outer.swaps):
                swap.put_back(outer)
            _ENTRIES.discard(outer)
            if not _ENTRIES:
                _Import.end()


def _is_adopted(module: str) -> bool:
    return any(names.get("__name__") == module for entry in tuple(_ENTRIES) for names in entry.modules.values())


ADOPTED.append(_is_adopted)


class _Import:
    """``builtins.__import__``: an ``import`` inside a function of an adopted module finds what stands for the module.

    All else, and after its end everything, is left to the one that was there: other tools put theirs below or above.
    """

    now: _Import | None = None

    def __init__(self) -> None:
        self.below = builtins.__import__

    @classmethod
    def begin(cls) -> None:
        cls.now = cls()
        builtins.__import__ = cls.now

    @classmethod
    def end(cls) -> None:
        ours, cls.now = cls.now, None
        if ours is not None and builtins.__import__ is ours:
            builtins.__import__ = ours.below

    def __call__(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        module = self.below(name, globals, locals, fromlist, level)
        adopted = _Import.now is self and any(id(globals) in entry.modules for entry in tuple(_ENTRIES))
        return substitute(module) if adopted else module
