"""Sample calls of all functions that are not elementwise: Cartesian products of shapes and keywords.

A row or composition without an entry fails its test. An entry is a function of its name that yields samples: a row goes
by its name in the table (``"solve"``), a composition by that of the function it stands for (``"np.linalg.multi_dot"``).
Every module here is read; a family of rules has one of its own.
"""

import pkgutil
from importlib import import_module

from .sample import ENTRIES, Sample, samples

__all__ = ["ENTRIES", "Sample", "samples"]

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
