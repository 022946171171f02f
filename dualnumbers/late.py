"""Names of a module that are imported when they are first asked for: most programs need few of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(module: str, names: Mapping[str, str], package: str | None = None) -> Callable[[str], Any]:
    """Make a module's ``__getattr__``: name → the module beside or below it that has it, or "" for such a module."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = import_module(f"{package or module}.{names[name] or name}")
        return getattr(found, name) if names[name] else found

    return find
