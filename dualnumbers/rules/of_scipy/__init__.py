"""The rules of SciPy's functions, one file a family; read when the first of them is called."""

from importlib import import_module
from pkgutil import iter_modules

__all__ = sorted(module.name for module in iter_modules(__path__))

for _family in __all__:
    import_module(f"{__name__}.{_family}")
