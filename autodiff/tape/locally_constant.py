"""Lines that carry no derivative: comparisons, masks, argsort. They stand on the tape, and anything may read them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.levels import is_number, plain
from dualnumbers.messages.errors import no_plain_value
from dualnumbers.numbers.array import ArrayNumber
from dualnumbers.numbers.number import Number
from dualnumbers.numbers.operators import lifted_operators
from dualnumbers.numbers.views import ArrayView
from dualnumbers.table.row import Face

from . import handles
from .variable import ArrayVariable, Variable, new, record_row


class LocallyConstant(Variable, operators=True):
    """A line that carries no derivative, such as a comparison: anything may read its plain value."""

    __slots__ = ()
    active = False

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        return record_row(face)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        return lifted_operators(face, cls)

    def __repr__(self) -> str:
        return repr(plain(self))

    def __hash__(self) -> int:
        return hash(self.read("hash"))

    def __index__(self) -> int:
        return operator.index(self.read("int"))

    def __int__(self) -> int:
        return int(self.read("int"))

    def __float__(self) -> float:
        return float(self.read("float"))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.read("np.asarray"), dtype)

    def item(self) -> Any:
        return self.read(".item").item()

    def tolist(self) -> Any:
        return self.read(".tolist").tolist()

    def read(self, call: str) -> Any:
        """Return the plain value; TypeError where it carries the derivative of an outer differentiation."""
        value = self.reading()
        if self.active:  # a view of an array into which a number was stored
            raise no_plain_value(call, self)
        if not is_number(type(value)):
            return value
        if isinstance(value, LocallyConstant):
            return value.read(call)
        raise no_plain_value(call, value)


class LocallyConstantArray(LocallyConstant, ArrayVariable, operators=True):
    """An array that carries no derivative: a mask, an argsort. One stored into it makes it an array that does."""

    __slots__ = ()
    __getitem__ = ArrayNumber.__getitem__

    def become(self, value: Any) -> None:
        super().become(value)
        self.__class__ = type(value)

    def tied(self, base: Any, function: Any, static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(LocallyConstantView), self, base, function, static)


class LocallyConstantView(ArrayView, LocallyConstantArray):
    """A view of such an array, which may come to carry a derivative."""

    __slots__ = ("path", "root", "seen", "source")
    active = property(lambda self: self.current().active)
    line = property(lambda self: self.current().line)
    tape = property(lambda self: self.root.tape)


def class_of(kind: type, active: bool) -> type:
    """Return the class of the handle on a value of this type, which carries a derivative or does not."""
    scalar = issubclass(kind, (int, float, complex, np.generic, Number)) and not issubclass(kind, ArrayNumber)
    if active:
        return Variable if scalar else ArrayVariable
    return LocallyConstant if scalar else LocallyConstantArray


handles.fill(class_of)
