"""THE table: every elementary function once, with its derivative, one file a family.

The files beside this one are the vocabulary that rules are written in; the rooms are by topic, as NumPy's manual has
them. SciPy's own functions are in ``of_scipy``, which is read when the first of them is called.
"""

from importlib import import_module
from pkgutil import iter_modules

__all__ = sorted(module.name for module in iter_modules(__path__) if not module.ispkg)
ROOMS = ("elementwise", "arrays", "linalg", "statistics", "signals")


def read(room: str) -> None:
    """Import every family of a room."""
    package = import_module(room)
    for module in sorted(module.name for module in iter_modules(package.__path__) if not module.ispkg):
        import_module(f"{room}.{module}")


for _room in (__name__, *(f"{__name__}.{room}" for room in ROOMS)):
    read(_room)
