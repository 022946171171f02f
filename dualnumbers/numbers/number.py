"""Number: Python's operators and NumPy's protocols, written once for every kind of number.

A kind of number says how a row extends to it (``lift``) and which differentiation it belongs to (``level``); it keeps
the value one level down in ``primal``. A scalar number has no length and no index, so that NumPy takes it for a
scalar; array.py adds what arrays have.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import forms
from ..forms import dtype_of, type_of
from ..levels import Level, has_nan, is_number, plain, read
from ..messages.errors import no_hash, no_plain_value, no_rule, raise_if_unbound, user_line
from ..operands import is_operand
from ..rules import ENTRIES, FAMILY_OF, shaping
from ..rules.elementwise.arithmetic import as_numpy
from ..rules.indexing import fixed
from ..table import TABLE
from ..table.row import Face
from .arguments import WRITERS, as_numpy_joined, joined, with_out_named
from .operators import (
    AWAITED,
    COMPARISONS,
    OPERATING,
    OPERATORS,
    SEARCHES,
    UNARY,
    at_first_use,
    by_labels,
    in_search,
    lifted_comparison,
    lifted_operators,
)

if TYPE_CHECKING:
    from .surface import NumberSurface
else:
    NumberSurface = object

TO_PLAIN = ("numpy._core._methods", "numpy.lib._nanfunctions_impl")
"""Modules of NumPy that call ``x.dtype.type`` with the sum of an array of objects: np.mean, np.var, np.nanmean."""


class Number(NumberSurface):
    """A kind of number. Concrete kinds have ``lift``, ``level`` and ``primal``; their operators come from the table."""

    __slots__ = ()
    __pandas_priority__ = 1 << 30  # pandas leaves an operation to what has a higher one than its tables
    _op_priority = 1 << 30  # and SymPy, which would ask for a float, to what has one at all
    level: Level
    primal: Any

    def __init_subclass__(cls, operators: bool = False, **keywords: Any) -> None:
        """Give a kind its operators: each is the row, lifted; one that the class itself writes out stays."""
        super().__init_subclass__(**keywords)
        if operators:
            OPERATING.append(cls)
            for name, row in OPERATORS.items():
                method = f"__{name}__"
                if name not in AWAITED or getattr(cls, method) is not getattr(Number, method):  # a base writes it out
                    cls.operate(name, TABLE[row].face)

    @classmethod
    def operate(cls, name: str, face: Face) -> None:
        """Give the kind an operator, unless its class writes it out."""
        if name in COMPARISONS:
            made = {f"__{name}__": lifted_comparison(face, cls)}
        elif name in UNARY:
            made = {f"__{name}__": face.lifts[cls]}
        else:
            made = dict(zip((f"__{name}__", f"__r{name}__"), cls.operators(face), strict=True))
        for method, function in made.items():
            if method not in cls.__dict__:
                setattr(cls, method, function)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the operator of a row and its reflected twin."""
        return lifted_operators(face, cls)

    # ------------------------------------------------------------------------------------------ Python

    def __bool__(self) -> bool:
        return bool(read(self))

    def __round__(self, digits: int | None = None) -> Any:
        return round(read(self)) if digits is None else round(read(self), digits)

    def __hash__(self) -> int:
        if self.level.by_hand:
            return hash(self.primal)
        raise no_hash(self)

    def __float__(self) -> float:
        raise no_plain_value("float", self)

    def __int__(self) -> int:
        raise no_plain_value("int", self)

    def __complex__(self) -> complex:
        raise no_plain_value("complex", self)

    def __format__(self, spec: str) -> str:
        """Format for reading: a specification formats the value; without one it is ``str``, which ``float`` refuses."""
        return format(plain(self), spec) if spec else str(self)

    __iter__: Any = None  # else Python would ask __getitem__ for one element after the other

    def __getitem__(self, index: Any) -> Any:
        """Return elements of a number that is NumPy's: ``x[None]``, ``x[...]``. TypeError of one of Python's."""
        if not isinstance(plain(self), np.generic):
            raise TypeError(f"'{type_of(self).__name__}' object is not subscriptable{user_line()}")
        return self.viewed(TABLE["getitem"], fixed(index))

    # ------------------------------------------------------------------------------------------ NumPy

    @property
    def shape(self) -> tuple[int, ...]:
        return forms.shape(self)

    @shape.setter
    def shape(self, to: Any) -> None:
        raise AttributeError(f"the shape of a number is not assigned: write x = x.reshape({to}){user_line()}")

    @property
    def ndim(self) -> int:
        return np.ndim(plain(self))

    @property
    def size(self) -> int:
        return forms.size(self)

    @property
    def dtype(self) -> Any:
        value = plain(self)
        if type(value) is np.ndarray and value.ndim:
            return value.dtype
        if not self.ndim and sys._getframe(1).f_globals.get("__name__") in TO_PLAIN:
            raise AttributeError("dtype")  # as a Python float has none
        return dtype_of(value)

    @property
    def real(self) -> Any:
        return TABLE["real"](self)

    @property
    def imag(self) -> Any:
        return TABLE["imag"](self)

    def conjugate(self) -> Any:
        return TABLE["conj"](self)

    conj = conjugate

    @property
    def __array__(self) -> Any:
        """Absent on real scalars, so that ``np.array([x, y])`` makes an object array; on others it refuses.

        NumPy takes objects for real: of such an array of complex numbers `numpy.imag` and the norm would be wrong.
        """
        value = plain(self)
        if np.ndim(value) == 0 and not np.iscomplexobj(value) and not in_search(sys._getframe(1)):
            raise AttributeError("__array__")

        def refuse(dtype: Any = None, copy: Any = None) -> Any:
            from .beside_sparse import as_object, in_operation

            if in_operation(self, sys._getframe(1)):
                return as_object(self)
            raise no_plain_value("np.array" if copy else "np.asarray", self)

        return refuse

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Apply one of NumPy's ufuncs (NEP 13): the row of that ufunc, as NumPy computes it."""
        if ufunc is np.isnan and sys._getframe(1).f_globals.get("__name__") in SEARCHES:
            raise no_plain_value("isnan", self)  # before SciPy's C code, which goes on after an error in float()
        function = ENTRIES[ufunc]
        if function is None:
            raise no_rule(ufunc, "" if method == "__call__" else f".{method}", self)
        if method != "__call__":
            from . import ufunc_methods

            return ufunc_methods.method(ufunc, method, list(inputs), **keywords)
        elementwise = hasattr(function, "row")
        if elementwise and not keywords:
            if len(inputs) == 1:
                return function(self)
            x, y = inputs[0], inputs[-1]
            other = y if x is self else x
            kind = type(other)
            simple = kind is float or (kind is np.ndarray and other.dtype.char != "O") or is_number(kind)
            if len(inputs) == 2 and simple:
                return function(x, y)
        operands = []
        for x in inputs:
            kind = type(x)
            if is_number(kind):
                x = x if elementwise else as_numpy(x)
            elif kind is np.ndarray and x.dtype.char != "O":
                pass
            elif isinstance(x, np.ndarray) or shaping.is_nested(kind):
                x = shaping.array(x)
            elif not is_operand(kind):
                return by_labels(self, x)
            operands.append(x)
        if not keywords:
            return function(*operands)
        from . import ufunc_methods

        return ufunc_methods.call(ufunc, function, operands, **keywords)

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        """Apply one of NumPy's other functions (NEP 18): the row or composition registered for it."""
        entry = ENTRIES[function]
        if entry is None:
            return self._made_like(function, arguments, keywords)
        target = keywords.pop("out", None)
        try:
            own = hasattr(entry, "function") or getattr(entry, "weak", False)
            if own and len(arguments) == 1 and arguments[0] is self:
                result = entry(self, **keywords)
            else:
                count = 1 if function in WRITERS else 0
                others = map(joined if own else as_numpy_joined, arguments[count:])
                result = entry(*arguments[:count], *others, **keywords)
        except TypeError:
            before, named = with_out_named(function, arguments)
            if named:
                return self.__array_function__(function, types, before, keywords | named)
            raise_if_unbound(function, entry, arguments, keywords)
            raise
        if target is None:
            return result
        from . import ufunc_methods

        return ufunc_methods.stored(function, result, target, keywords.get("casting"))

    def _made_like(self, function: Any, arguments: Any, keywords: Any) -> Any:
        """Apply a function of NumPy that makes an array, called with ``like=`` a number; TypeError for another one."""
        from ..rules.arrays.creating import LIKE

        if function not in LIKE:
            raise no_rule(function, "", self)
        return LIKE[function](self, *arguments, **keywords)

    def constant(self, value: Any) -> Any:
        """Make of a plain array a number of this kind and level that carries no derivative yet, to be filled."""
        raise NotImplementedError(f"{type(self).__name__}.constant")

    def reading(self) -> Any:
        """Return the value one level down, for somebody who decides by it."""
        return self.primal

    asked: Any = None
    """``asked(question, static)``: the answer to a question about the value, of a kind that has no one value."""

    def note_answer(self, question: Any, static: tuple[Any, ...], answer: Any) -> None:
        """Note what somebody asked of this value to decide by, where a recording keeps note of that."""

    def is_noted(self) -> bool:
        """Return whether a recording keeps note of who reads this value."""
        return is_number(type(self.primal)) and bool(self.primal.is_noted())

    def has_nan(self) -> bool:
        return any(map(has_nan, self.parts()))

    def parts(self) -> tuple[Any, ...]:
        """Return the values of a lower level that the number is made of."""
        return (self.primal,)

    def snapshot(self) -> Any:
        """Return this number as it is now, whatever is assigned to it later."""
        return self

    def viewed(self, function: Any, *static: Any) -> Any:
        """Apply a row that shows this number in another shape; nothing can be written to a scalar through it."""
        return function(self, *static)

    def leads(self, other: Number) -> bool:
        """Return whether this number rather than ``other``, of the same level, says how a row is applied."""
        return False


def _refusal(name: str) -> property:
    def refuse(self: Number) -> Any:
        raise no_plain_value(f".{name}", self, AttributeError)

    return property(refuse)


# not by __getattr__, which would slow every other attribute down
for _name in ("backward", "data", "detach", "dual", "grad", "item", "numpy", "tolist", "value"):
    setattr(Number, _name, _refusal(_name))
for _function, _entry in ENTRIES.items():
    if isinstance(_function, np.ufunc) and _function.__name__ != "conjugate":
        setattr(Number, _function.__name__, _entry)  # np.sin of an object array calls x.sin()


def _of_family(ufunc: Any) -> Callable[..., Any]:
    return lambda *operands: ENTRIES[ufunc](*operands)


for _name in AWAITED:
    at_first_use(Number, _name)
for _function in FAMILY_OF:
    if isinstance(_function, np.ufunc):
        setattr(Number, _function.__name__, _of_family(_function))
