"""SciPy's functions as the values of rows, looked up at their first call: nothing else here needs SciPy."""

import sys
from functools import cache
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..foreign import as_like, is_foreign, one_of
from ..levels import is_lazy
from ..table import BY_NUMPY, elementwise, locally_constant

OWN = {"cupy": "cupyx.scipy"}
"""The libraries of arrays that have SciPy's functions for theirs in a package of their own."""


def package_of(*operands):
    """Return the name of the package that has SciPy's functions for the arrays among some plain values."""
    kind = type(one_of(operands))
    return OWN.get(kind.__module__.partition(".")[0], "scipy") if is_foreign(kind) else "scipy"


@cache
def imported(path, package="scipy"):
    """Return the function ``scipy.<path>``; ImportError that says how to install SciPy where it is not there."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(f"{package}.{module}"), name)
    except ImportError as error:
        raise ImportError(f"scipy.{path} is needed here; install it with: pip install 'dualautodiff[scipy]'") from error


def is_of_scipy(ufunc):
    """Return whether it is SciPy's own: another library's may have the same name."""
    special, name = sys.modules.get("scipy.special"), ufunc.__name__
    return special is not None and ufunc in (vars(special).get(name), vars(special._ufuncs).get(name))


OF_PYTHON: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""The identity of a ufunc → the Python function that it was made of and keeps alive, whose ``rule`` is for numbers."""


def rule_of(ufunc):
    """Return the table function of a ufunc of SciPy's, or what one of a Python function does to numbers; else None."""
    function = OF_PYTHON.get(id(ufunc))
    if function is not None:
        return function.rule
    return _of_scipy(ufunc) if is_of_scipy(ufunc) else None


@cache
def _of_scipy(ufunc):
    """The table function of a ufunc of SciPy's. Their rules are read when this is first asked."""
    import_module("dualnumbers.rules.of_scipy")  # waits for another thread that is reading them
    return BY_NUMPY.get(ufunc.__name__)


def scipy_function(path):
    """Return the function ``scipy.<path>``, such as ``"linalg.expm"``, imported when it is called."""

    def function(*arguments, **keywords):
        uncomputed(path, *arguments)
        return imported(path, package_of(*arguments))(*arguments, **keywords)

    return function


def uncomputed(path, *operands):
    """Raise TypeError where one of the operands of ``scipy.<path>`` is lazy, which reads their elements."""
    if is_lazy(type(one_of(operands))):
        raise TypeError(f"scipy.{path} would compute it")


def along_axis(function, x, axis):
    """Apply a function of SciPy that is a real linear map of one axis, ``function(x, axis)``.

    To a foreign array, whose elements SciPy's C code cannot read, it goes by what it makes of the unit vectors.
    """
    if not is_foreign(type(x)):
        return function(x, axis)
    matrix = function(np.eye(x.shape[axis], dtype=x.real.dtype), 0)
    return np.moveaxis(np.tensordot(as_like(matrix, x), x, (1, axis)), 0, axis)


def elementwise_of_scipy(name, /, *partials, python=None, calls=None, **fields):
    """Return the row of ``scipy.special.<name>``, a ufunc, or a function that ``calls`` the ufunc of that name.

    The ufunc finds it by its name; ``python`` as `elementwise`'s.
    """
    ufunc = scipy_function(f"special.{name}")
    fields.setdefault("name", python.__name__ if python else name)
    function = elementwise(*partials, **fields)(python, ufunc)
    BY_NUMPY[calls or name] = BY_NUMPY.pop(ufunc)
    return function


def locally_constant_of_scipy(name, arity=1, as_name=None):
    """Return the row of a ufunc of ``scipy.special`` whose derivative is zero wherever it has one."""
    ufunc = scipy_function(f"special.{name}")
    function = locally_constant(arity, name=as_name or name)(None, ufunc)
    BY_NUMPY[name] = BY_NUMPY.pop(ufunc)
    return function
