"""NumPy's namespace for code that makes and fills arrays as it likes: ``from autodiff import numpy as np``.

All of NumPy. Nearly every name is NumPy's own object; what NumPy's protocols cannot reach is ours. Inside a
differentiation ``np.array([x, y])`` of numbers is one array of them, and ``np.zeros(3)`` takes numbers by assignment.
Outside of one, and while no ``Variable`` or ``Constant`` made by hand is alive, these are NumPy's, its results too.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy

from . import _by_element, _making  # noqa: F401  they say what stands for what
from ._copied import index_tricks
from ._taking import fill, standing_for

SUBMODULES = ("fft", "linalg", "polynomial")
"""Modules that are here as well; all others are NumPy's own."""

fill(globals(), numpy)
globals().update(index_tricks(globals()))
for _name in SUBMODULES[:2]:
    globals()[_name] = import_module(f"{__name__}.{_name}")
globals().pop(SUBMODULES[2], None)  # until it is asked for


def __getattr__(name: str) -> Any:
    """Return a name of NumPy's that it loads when it is first asked for."""
    if name in SUBMODULES:
        return import_module(f"{__name__}.{name}")
    try:
        return standing_for(getattr(numpy, name), name)
    except AttributeError as error:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(numpy)})
