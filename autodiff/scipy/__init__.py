"""What SciPy's functions do, for numbers that carry derivatives: ``autodiff.scipy.linalg.expm`` and its like.

The ufuncs of ``scipy.special`` need none of this: they are differentiated as they are. Other functions of SciPy convert
their arguments to plain arrays; those here have the same names and signatures, take plain arrays as well, and are
differentiated in both modes to any order.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ._counterpart import COUNTERPARTS


def __getattr__(name: str) -> Any:
    if find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


SAME = {
    "scipy.sparse.linalg.spilu": "scipy.sparse.linalg.splu",
    "scipy.optimize.find_minimum": "scipy.optimize.elementwise.find_minimum",
    "scipy.optimize.find_root": "scipy.optimize.elementwise.find_root",
}
"""A function of SciPy, as an error finds its name → another one that does its job in one call, or its own name."""


def counterparts_of(name: str) -> list[str]:
    """Return the function here that does what a function of SciPy does, by name; empty where there is none."""
    name = SAME.get(name, name)
    module = name.split(".")[1]
    if find_spec(f"{__name__}.{module}") is not None:
        import_module(f"{__name__}.{module}")
    found = name in COUNTERPARTS or (name.count(".") > 1 and any(path.startswith(f"{name}.") for path in COUNTERPARTS))
    return [f"autodiff.{name}"] if found else []
