"""Symbol: a float that is not known yet, as a kind of number that notes what is computed with it.

Coefficients that are symbols make of the general way of a row (operation.py) a program without branches: each operation
on them is noted once, however often it is done, as a symbol of its own.

>>> from dualnumbers import dmath
>>> trace = Trace()
>>> x = trace.symbol("x")
>>> y = dmath.exp(x) * (1.0 * x)
>>> y.function, y.operands[0].operands[0] is y.operands[1] is x, dmath.exp(x) is y.operands[0]
(<built-in function mul>, True, True)
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable
from math import nan
from typing import Any

from ...levels import GROUND
from ...table.dispatch import lead, leading
from ...table.row import Face
from ..number import Number

new = object.__new__


LONGEST = 500
"""The number of operations up to which code is written: in some milliseconds, which a thousand calls bring back."""


class UntraceableError(Exception):
    """What a row does to its operands depends on their values, is no arithmetic of floats, or takes many operations."""


def chosen(condition: Any, x: Any, y: Any) -> Any:
    """Return the one or the other of two floats."""
    return x if condition else y


RULES: dict[str, Callable[..., Any]] = {"where": chosen, "real": op.pos, "conj": op.pos}
"""Name of a row of arrays → what it is of floats."""


class Trace:
    """Operations on symbols, each once."""

    def __init__(self) -> None:
        self.known: dict[Any, Symbol] = {}

    def symbol(self, name: str) -> Symbol:
        """Return a symbol for an operand."""
        return self._noted(name, ())

    def applied(self, function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
        """Return the symbol of a function of symbols and constants; what is no operation, such as 1 x, is not noted."""
        x, y = operands[0], operands[-1]
        if function is op.mul and type(x) is float and x == 1.0:
            return y
        if function is op.pos or (function in (op.mul, op.truediv) and type(y) is float and y == 1.0):
            return x
        if function is op.sub and type(y) is float and y == 0.0:
            return x
        if function is op.neg and x.function is op.neg:
            return x.operands[0]
        if function is op.add and type(y) is Symbol and y.function is op.neg:
            function, operands = op.sub, (x, y.operands[0])
        return self._noted(function, operands)

    def _noted(self, function: Any, operands: tuple[Any, ...]) -> Symbol:
        key = (function, *(id(x) if type(x) is Symbol else repr(x) for x in operands))
        if key not in self.known:
            if len(self.known) >= LONGEST:
                raise UntraceableError("its length")
            self.known[key] = made = new(Symbol)
            made.noted, made.function, made.operands = self, function, operands
        return self.known[key]


class Symbol(Number, operators=True):
    """A float that is not known yet: a ``function`` of ``operands``, symbols and constants; its name, of an operand.

    It is a constant at the level of plain values. Whoever wants to decide by its value gets an `UntraceableError`; the
    plain value under it is NaN, so that who takes that nevertheless gets nothing that looks right.
    """

    __slots__ = ("function", "noted", "operands")
    level = GROUND
    primal = nan
    noted: Trace
    function: Any
    operands: tuple[Any, ...]

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the row, noted as its function of Python's floats."""
        row, function = face.row, RULES.get(face.row.name)
        if face is row.python and not row.several and not row.statics and (row.is_elementwise or row.is_constant):
            function = face.scalar

        def applied(*operands: Any) -> Any:
            leader: Any = leading(operands)
            if leader.level is not GROUND:
                return lead(face, *operands)
            if function is None or not all(type(x) in (Symbol, float, int, bool) for x in operands):
                raise UntraceableError(row.name)
            return leader.noted.applied(function, tuple(float(x) if type(x) is int else x for x in operands))

        return applied

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the operator of a row and its reflected twin, which are asked for most."""
        general, reflected = super().operators(face)
        function: Any = face.scalar

        def operator(x: Any, y: Any) -> Any:
            return x.noted.applied(function, (x, y)) if type(y) is cls or type(y) is float else general(x, y)

        return (operator, reflected) if face.row.is_elementwise else (general, reflected)

    def reading(self) -> Any:
        raise UntraceableError("its value")

    def asked(self, question: Any, static: tuple[Any, ...]) -> Any:
        raise UntraceableError(question)

    def is_noted(self) -> bool:
        return True

    def has_nan(self) -> bool:
        return False

    def __float__(self) -> float:
        raise UntraceableError("its value")
