"""THE table: every elementary function once, with its derivative, one file a family."""

from importlib import import_module
from pkgutil import iter_modules

__all__ = sorted(module.name for module in iter_modules(__path__))

for _family in __all__:
    import_module(f"{__name__}.{_family}")
