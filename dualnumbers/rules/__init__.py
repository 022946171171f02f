"""THE table: every elementary function once, with its derivative, one file a family.

The files beside this one are the vocabulary that rules are written in; the rooms are by topic, as NumPy's manual has
them. In a rule the same letters stand for the same things everywhere:

- ``x``, ``y``, ``a``: operands, of any kind: plain, dual, recorded, with tangents of their own;
- ``z``: the value of the function at them;
- ``dx``: the tangent of ``x``, in a push-forward, which returns that of ``z``;
- ``g``: the adjoint of ``z``, in a pull-back, which returns that of an operand;
- what follows: the fixed parameters, such as ``axis``.

A rule gets operands of which some are recorded, to be run at other inputs later. What it does may depend on their
shapes (`forms`); where it depends on a value it says how: ``read(x)`` is the plain value, and a later run is refused if
it would be another one; ``known(x)`` is the plain value as well, but of a recorded operand that operand itself, to make
masks and places of by locally constant functions, which a later run computes anew.

Families that are not `EARLY` are read when a function of NumPy's is first looked up that no family read so far has.
SciPy's own functions are in ``of_scipy``, read when the first of them is called.
"""

from functools import cache
from importlib import import_module

from ..table import BY_NUMPY

ROOMS = ("elementwise", "arrays", "linalg", "statistics", "calculus", "signals")
EARLY = ("integers", "strong", "arrays.choosing", "arrays.computed_places", "arrays.putting", "elementwise.clipping",
         "elementwise.extrema", "elementwise.hyperbolic", "elementwise.logistic", "elementwise.trigonometric",
         "linalg.diagonals", "linalg.products", "statistics.cumulative",
         "statistics.logarithmic_sums", "statistics.moments", "statistics.sorting")  # fmt: skip
"""The families of NumPy's ufuncs and of its arrays' methods, which all numbers have; with those that these import."""

for _family in EARLY:
    import_module(f"{__name__}.{_family}")


def families_of(room):
    """Import every family of a room; return their modules in the order of their names."""
    from pkgutil import iter_modules

    names = sorted(module.name for module in iter_modules(import_module(room).__path__) if not module.ispkg)
    return [import_module(f"{room}.{name}") for name in names]  # waits for another thread that is reading them


@cache
def families():
    """Return the modules of all families of NumPy's functions and of Python's, read by now."""
    return [family for room in (__name__, *(f"{__name__}.{room}" for room in ROOMS)) for family in families_of(room)]


def entry_for(function):
    """Return what a user's call of a function of NumPy's becomes; None where there is no rule for it."""
    if function not in BY_NUMPY:
        families()
    return BY_NUMPY.get(function)
