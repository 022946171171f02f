"""Names of a module that are imported when they are first asked for: most programs need few of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(module: str, names: Mapping[str, str], package: str | None = None) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a module, which Python calls for a name that the module has not yet.

    ``names`` says which module of the package each name is in: ``{"Adam": "optimisers"}`` is ``Adam`` of the module
    ``optimisers``; ``{"drawing": ""}``, without one, is the module ``drawing`` itself. The package is ``module``, if it
    is not given.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = import_module(f"{package or module}.{names[name] or name}")
        return getattr(found, name) if names[name] else found

    return find
