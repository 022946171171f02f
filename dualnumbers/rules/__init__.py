"""THE table: every elementary function once, with its derivative, one file a family.

The files beside this one are the vocabulary that rules are written in; the rooms are by topic, as NumPy's manual has
them. Families that are not `EARLY` are read when a function of NumPy's is first looked up that no family read so far
has. SciPy's own functions are in ``of_scipy``, read when the first of them is called.
"""

from functools import cache
from importlib import import_module

from ..table import BY_NUMPY

ROOMS = ("elementwise", "arrays", "linalg", "statistics", "calculus", "signals")
EARLY = ("integers", "strong", "arrays.choosing", "arrays.taking", "arrays.writing", "elementwise.clipping",
         "elementwise.extrema", "elementwise.hyperbolic", "elementwise.logistic", "elementwise.trigonometric",
         "linalg.diagonals", "linalg.products", "statistics.cumulative",
         "statistics.logarithmic_sums", "statistics.moments", "statistics.sorting")  # fmt: skip
"""The families of NumPy's ufuncs and of its arrays' methods, which all numbers have; with those that these import."""

for _family in EARLY:
    import_module(f"{__name__}.{_family}")


def read(room):
    """Import every family of a room; return their modules in the order of their names."""
    from pkgutil import iter_modules

    names = sorted(module.name for module in iter_modules(import_module(room).__path__) if not module.ispkg)
    return [import_module(f"{room}.{name}") for name in names]  # waits for another thread that is reading them


@cache
def families():
    """Return the modules of all families of NumPy's functions and of Python's, read by now."""
    return [family for room in (__name__, *(f"{__name__}.{room}" for room in ROOMS)) for family in read(room)]


def entry_for(function):
    """Return what a user's call of a function of NumPy's becomes; None where there is no rule for it."""
    if function not in BY_NUMPY:
        families()
    return BY_NUMPY.get(function)
