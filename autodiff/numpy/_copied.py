"""Code of NumPy's, written in Python, that works with numbers as soon as its NumPy is the one here: run again as such.

``np.r_`` and the classes of ``numpy.polynomial`` convert what they are given by ``np.array``. Here they are the same
code with other global names.
"""

from __future__ import annotations

from functools import update_wrapper
from types import FunctionType, ModuleType
from typing import Any

import numpy

from ._taking import OURS


class Copied:
    """A module whose functions and classes are made again, with ``names`` in place of its global names.

    ``others`` are modules made again before, whose functions its classes inherit.
    """

    def __init__(self, module: ModuleType, names: dict[str, Any], *others: Copied) -> None:
        self.original, self.names = vars(module), dict(vars(module))
        self.by_globals = {id(copied.original): copied for copied in (self, *others)}
        self.made: dict[int, Any] = {}
        self.names.update({name: self.again(value) for name, value in self.original.items()})
        self.names.update(names)

    def again(self, value: Any) -> Any:
        """Make a function or class of the module again; return what stands for one of NumPy, anything else as it is."""
        if id(value) not in self.made:
            self.made[id(value)] = self._again(value)
        return self.made[id(value)]

    def _again(self, value: Any) -> Any:
        if isinstance(value, FunctionType) and id(value.__globals__) in self.by_globals:
            names = self.by_globals[id(value.__globals__)].names
            copy = FunctionType(value.__code__, names, value.__name__, value.__defaults__, value.__closure__)
            return update_wrapper(copy, value)
        if isinstance(value, (staticmethod, classmethod)):
            return type(value)(self.again(value.__func__))
        if isinstance(value, property):
            get, put, delete = (f and self.again(f) for f in (value.fget, value.fset, value.fdel))
            return property(get, put, delete, value.__doc__)
        if isinstance(value, type) and value.__module__ == self.original["__name__"]:
            return self._class(value)
        try:
            return OURS.get(value, value)
        except TypeError:  # no hash
            return value

    def _class(self, value: type) -> type:
        """Make a subclass with all that the class and its bases of this module define, made again."""
        members: dict[str, Any] = {"__doc__": value.__doc__, "__module__": value.__module__}
        for base in reversed(value.__mro__):
            if base.__module__.startswith("numpy."):
                again = {name: self.again(x) for name, x in vars(base).items() if name not in SPECIAL}
                members.update({name: x for name, x in again.items() if x is not vars(base)[name] or base is value})
        return type(value)(value.__name__, (value,), members)


SPECIAL = {"__dict__", "__weakref__", "__slots__", "__module__", "__doc__", "__qualname__", "__annotations__",
           "__abstractmethods__", "_abc_impl", "__hash__"}  # fmt: skip
"""What a class has by itself."""


class Combined(ModuleType):
    """A module of NumPy's in which some names are ours."""

    def __init__(self, original: ModuleType, names: dict[str, Any]) -> None:
        super().__init__(original.__name__, original.__doc__)
        self.__dict__.update(names, _original=original)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def index_tricks(ours: dict[str, Any]) -> dict[str, Any]:
    """Make ``r_``, ``c_``, ``mgrid`` and ``ogrid`` of NumPy's code, with the functions of its public names here."""
    module: Any = numpy.lib._index_tricks_impl
    functions = {
        name: ours[name] for name in ("array", "linspace", "arange", "indices", "ndim", "result_type", "concatenate")
    }
    names = {**functions, "_nx": Combined(module._nx, functions), "np": Combined(numpy, functions)}
    copied = Copied(module, names).names
    r_, c_, mgrid, ogrid = (copied[name]() for name in ("RClass", "CClass", "MGridClass", "OGridClass"))
    for concatenator in (type(r_), type(c_)):
        concatenator.concatenate = staticmethod(functions["concatenate"])
    return {"r_": r_, "c_": c_, "mgrid": mgrid, "ogrid": ogrid}
