"""What users call the functions of NumPy and SciPy, wherever these are defined; what others tell of such names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

COUNTERPARTS: list[Callable[[str], list[str]]] = []
"""Each finds, for the name of a SciPy function, the names of functions that do the same for numbers."""

ADOPTED: list[Callable[[str], bool]] = []
"""Each tells, for the name of a module, whether its code is adopted now."""


def public_name(function: Any) -> str:
    """Return what a user calls a function of NumPy or SciPy: ``np.linalg.inv``, ``scipy.special.erf``."""
    module, name = getattr(function, "__module__", None), function.__name__.lstrip("_")
    if name.endswith(" (vectorized)"):
        return f"np.frompyfunc of {name.removesuffix(' (vectorized)')}"
    if not module:  # a ufunc
        module = next((m for m in ("numpy", "scipy.special") if hasattr(sys.modules.get(m), name)), "")
    elif module.startswith("scipy."):
        module = public_module(module, name)
    elif module == "numpy.lib._scimath_impl":  # its name before NumPy 2.2
        module = "numpy.lib.scimath"
    return f"{module}.{name}".replace("numpy", "np", 1) if module else f"the ufunc {name}"


def public_module(module: str, name: str) -> str:
    """Return where SciPy shows what a module defines: ``scipy.integrate`` of ``scipy.integrate._ivp.ivp``."""
    parts = [part for part in module.split(".") if not part.startswith("_")]
    above = [".".join(parts[:k]) for k in range(len(parts), 1, -1)]
    return next((path for path in above if hasattr(sys.modules.get(path), name)), above[0])
