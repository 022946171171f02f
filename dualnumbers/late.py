"""What is imported when it is first asked for, a name of a module or a whole module: most programs need little."""

from __future__ import annotations

import sys
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
        found: Any = import_module(f"{package or module}.{names[name] or name}")
        found = getattr(found, name) if names[name] else found
        setattr(sys.modules[module], name, found)  # so that it is asked for once
        return found

    return find


class LateModule:
    """Stands for a module under a name of another one. When something of it is asked for, the module takes its place.

    In that other one, ``directions = LateModule(globals(), "directions", "autodiff.calls.directions")``.
    """

    def __init__(self, namespace: dict[str, Any], name: str, module: str) -> None:
        self._namespace, self._name, self._module = namespace, name, module

    def __getattr__(self, name: str) -> Any:
        self._namespace[self._name] = module = import_module(self._module)
        return getattr(module, name)
