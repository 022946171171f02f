"""FoldedNumber: a dual number of dual numbers (a + b ε₁) + (c + d ε₁) ε₂, held as the series that it comes from.

A second derivative is a derivative of a derivative. The inner one is taken at x + ẋ ε₁, and runs the function on
(x + ẋ ε₁) + ε₂. A number that the function computes from this one and from constants has a Taylor series in it,
a₀ + a₁ t + a₂ t², and is

    (a₀ + ẋ a₁ ε₁) + (a₁ + 2 ẋ a₂ ε₁) ε₂.

So three floats are enough for it, and a row is applied to them by the code for short series (taylor/straight_line.py),
in a third of the time. Beside everything else, such as arrays or other numbers with ε₁, and wherever a coefficient is
infinite or NaN, such a number is the nested one, whose components are made when somebody asks for them.

>>> from autodiff import derivative
>>> shown = []
>>> derivative(lambda x: shown.append(x) or x**3, (0, 0), [2.0]), type(shown[0]).__name__, f"{shown[0]}"
(12.0, 'DualNumber', '(2.0 + 1.0ε₁) + (1.0)ε₂')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..levels import Level
from ..table.row import Face
from .dual import DualNumber
from .taylor.codes import Codes, has_code, is_of_values, of_one, of_two, of_values, operators_of
from .taylor.number import make
from .taylor.short import FORMS, Form

new = object.__new__


class FoldedNumber(DualNumber, operators=True):
    """A dual number whose components are dual numbers too, made of three floats; its level is ``within`` theirs."""

    __slots__ = ("floats", "form", "nested")
    floats: tuple[float, ...]
    form: Form
    nested: Any
    """The number itself, as soon as somebody has asked for it."""

    primal = property(lambda self: self._from(0))
    tangent = property(lambda self: self._from(1))

    def _from(self, k: int) -> Any:
        """Return the component that begins with the k-th coefficient; 0 where there is none."""
        a = self.floats
        if k + 1 >= len(a):
            return a[k] if k < len(a) else 0.0
        z: Any = new(DualNumber)
        z.level, speed = self.level.within
        z.primal, z.tangent = a[k], (k + 1) * a[k + 1] * speed
        return z

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the row on short series, where there is code for it, and else the push-forward."""
        pushed = face.lifts[DualNumber]

        def general(*arguments: Any) -> Any:
            return pushed(*map(unfolded, arguments))

        if not has_code(face.row):
            return of_values(face, general, cls) if is_of_values(face) else general
        codes = Codes(face, general, lambda z0, *operands: general(*operands), make, cls)
        return of_one(codes) if face.row.arity == 1 else of_two(codes)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the operator of a row and its reflected twin."""
        if not has_code(face.row):
            return super().operators(face)
        lifted: Any = face.lifts[cls]
        operator: Any = face.scalar

        def general(x: Any, y: Any) -> Any:
            return operator(unfolded(x), unfolded(y))

        return operators_of(lifted.codes, general, lambda x, y: operator(y, unfolded(x)))


FoldedNumber.__name__ = "DualNumber"  # as Python's own errors call it: what a user knows


def unfolded(x: Any) -> Any:
    """Return the nested number that a folded one is; another number as it is."""
    if type(x) is not FoldedNumber:
        return x
    try:
        return x.nested
    except AttributeError:
        x.nested = z = new(DualNumber)
        z.primal, z.tangent, z.level = x.primal, x.tangent, x.level
        return z


def seed(x: Any, level: Level) -> Any:
    """Return the argument of an inner differentiation at a dual number of floats."""
    level.within = x.level, x.tangent
    z: Any = new(FoldedNumber)
    z.floats, z.form, z.level = (x.primal, 1.0), FORMS[2, 2, float], level
    return z
