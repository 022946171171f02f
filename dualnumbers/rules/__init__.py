"""THE table: every elementary function once, with its derivative, one file a family; SciPy's own in ``of_scipy``."""

from importlib import import_module
from pkgutil import iter_modules

__all__ = sorted(module.name for module in iter_modules(__path__) if not module.ispkg)

for _family in __all__:
    import_module(f"{__name__}.{_family}")
