"""DualNumber: a + b ε with ε² = 0. A function maps it to f(a) + f′(a) b ε (Clifford 1873; see Dual-Algebra.pdf).

The eager ``+ - * / **`` of two scalars of one level, or of one and a Python number, are written out as the algebra; a
test holds them against the table; so are those of nested ones (nested.py). Everything else is a row's push-forward.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..foreign import as_like
from ..forms import shape, zeros_like
from ..levels import Level, is_number, level_of
from ..memory import is_alone, is_free
from ..messages.errors import no_plain_value, unpicklable
from ..number_types import alike, number_type
from ..operands import is_operand
from ..rules.indexing import fixed, getitem
from ..rules.shaping import broadcast_to
from ..table import TABLE
from ..table.partials import as_given, is_double, python_of
from ..table.row import Face
from . import dual_arrays, nested
from .array import ArrayNumber, Classes
from .batch import BatchArray, BatchNumber
from .number import Number
from .operators import as_operand, beside
from .pushforward import push_forward
from .typed import unwrapped
from .views import ArrayView

new = object.__new__
DOUBLE = (np.float64, np.complex128)


def make(primal: Any, tangent: Any, level: Level) -> Any:
    """Make the dual number of these components at this level; ``DualNumber(...)`` and every seeding end in this.

    The tangent of a number of double precision is one of Python's, so that arithmetic with it warns of nothing.
    """
    kind = type(tangent)
    if kind is not float and kind is not np.ndarray and not issubclass(kind, BatchNumber) and is_double(tangent):
        tangent = python_of(tangent)
    z: Any = new(_CLASS[type(primal)])
    z.primal, z.tangent, z.level = primal, tangent, level
    return z


class DualNumber(Number, operators=True):
    """The dual number ``real + dual ε``; of two arrays, a dual number element by element.

    Made by hand it stands one level above its highest component, and below every later differentiation. ``dual`` is
    zero if it is left out, and broadcast to the shape of ``real``; ValueError where that fails.
    """

    __slots__ = ("level", "primal", "tangent")
    level: Level
    tangent: Any

    def __new__(cls, real: Any, dual: Any = None) -> Self:
        real, dual = (np.asarray(x) if isinstance(x, (list, tuple)) else x for x in (real, dual))
        if number_type(type(real)) is not None or number_type(type(dual)) is not None:
            real, dual = alike(real, type(dual)), alike(dual, type(real))
        if dual is None:
            dual = zeros_like(real) if is_operand(type(real)) else 0
        for x in (real, dual):
            if not is_operand(type(x)) or getattr(x, "dtype", np.dtype(float)).kind not in "fciub":
                raise TypeError(f"a DualNumber has numbers or arrays as components, not {type(x).__name__}: {x!r}")
        of, to = shape(dual), shape(real)
        try:
            dual = broadcast_to(dual, to) if of != to else dual
        except ValueError:
            raise ValueError(f"the dual part, of shape {of}, does not fit the real part, of shape {to}") from None
        made: Self = make(real, dual, max(level_of(real), level_of(dual)).above)
        return made

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the push-forward of a row."""
        dual_number = next(kind for kind in cls.__mro__ if "lift" in kind.__dict__)
        return push_forward(face, make, dual_number, dual_number)

    def constant(self, value: Any) -> Any:
        value = as_like(value, self)
        return make(value, zeros_like(value), self.level)

    def parts(self) -> tuple[Any, ...]:
        return self.primal, self.tangent

    @property
    def real(self) -> Any:
        return unwrapped(self.primal) if self.level.by_hand else self.viewed(TABLE["real"])

    @property
    def dual(self) -> Any:
        if self.level.by_hand:
            return as_given(self.tangent, self.primal)
        raise no_plain_value(".dual", self, AttributeError)

    def __repr__(self) -> str:
        return f"DualNumber({self.primal!r}, {as_given(self.tangent, self.primal)!r})"

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        """Format both components by one specification: ``f"{DualNumber(3, 0.5):.2f}"`` is ``3.00 + 0.50ε``.

        A nested number numbers the ε of its levels from the innermost: ``(2 + 1ε₁) + (1 + 0ε₁)ε₂``.
        """
        from .notation import text

        return f"{self.primal} + {self.tangent}ε" if shape(self) else text(self, spec)

    def _repr_latex_(self) -> str | None:
        """Return it as mathematics for a notebook; an array as text."""
        from .notation import latex

        return None if shape(self) else latex(self)

    def __copy__(self) -> Any:
        return make(self.primal, self.tangent, self.level)

    def __deepcopy__(self, memo: Any) -> Any:
        from copy import deepcopy

        return make(deepcopy(self.primal, memo), deepcopy(self.tangent, memo), self.level)

    def __reduce__(self) -> Any:
        if not self.level.by_hand:
            raise unpicklable(self)
        return DualNumber, (self.primal, self.tangent)

    # ------------------------------------------------------------------------------ the algebra, written out for speed

    def __add__(self, other: Any) -> Any:
        kind = type(other)
        if kind is DualNumber and other.level is self.level:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = self.primal + other.primal, self.tangent + other.tangent, self.level
            if type(z.primal) is not float and type(z.tangent) is not float and type(z.primal) in DOUBLE:
                z.tangent = python_of(self.tangent) + python_of(other.tangent)  # the tangent of a float32 beside
            return z
        if kind is float or kind is int:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = self.primal + other, self.tangent, self.level
            return z
        return by_table(ADD, self, other)

    def __radd__(self, other: Any) -> Any:
        kind = type(other)
        if kind is float or kind is int:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = other + self.primal, self.tangent, self.level
            return z
        return by_table(ADD, self, other, True)

    def __sub__(self, other: Any) -> Any:
        kind = type(other)
        if kind is DualNumber and other.level is self.level:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = self.primal - other.primal, self.tangent - other.tangent, self.level
            if type(z.primal) is not float and type(z.tangent) is not float and type(z.primal) in DOUBLE:
                z.tangent = python_of(self.tangent) - python_of(other.tangent)
            return z
        if kind is float or kind is int:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = self.primal - other, self.tangent, self.level
            return z
        return by_table(SUBTRACT, self, other)

    def __rsub__(self, other: Any) -> Any:
        kind = type(other)
        if kind is float or kind is int:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = other - self.primal, -self.tangent, self.level
            return z
        return by_table(SUBTRACT, self, other, True)

    def __mul__(self, other: Any) -> Any:
        kind = type(other)
        if kind is DualNumber and other.level is self.level:
            a, b = self.primal, other.primal
            product = a * b
            if type(product) is not float:
                return nested.product(self, other, product)
            z = new(DualNumber)
            z.primal, z.tangent, z.level = product, a * other.tangent + b * self.tangent, self.level
            return z
        if kind is float or kind is int:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = self.primal * other, self.tangent * other, self.level
            return z
        return by_table(MULTIPLY, self, other)

    def __rmul__(self, other: Any) -> Any:
        kind = type(other)
        if kind is float or kind is int:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = other * self.primal, other * self.tangent, self.level
            return z
        return by_table(MULTIPLY, self, other, True)

    def __truediv__(self, other: Any) -> Any:
        kind = type(other)
        if type(self.primal) is not float:
            z = nested.quotient(self, other)
            if z is not None:
                return z
        elif kind is DualNumber and other.level is self.level and type(other.primal) is float:
            b = other.primal
            quotient = self.primal / b
            tangent = (self.tangent - quotient * other.tangent) / b
            if type(tangent) is float and tangent == tangent:  # the table has the strong zero
                z = new(DualNumber)
                z.primal, z.tangent, z.level = quotient, tangent, self.level
                return z
        elif (kind is float or kind is int) and type(self.tangent) is float:
            tangent = self.tangent / other
            if tangent == tangent:
                z = new(DualNumber)
                z.primal, z.tangent, z.level = self.primal / other, tangent, self.level
                return z
        return by_table(DIVIDE, self, other)

    def __pow__(self, other: Any) -> Any:
        kind, x, tangent = type(other), self.primal, None
        try:
            if type(x) is not float:
                z = nested.power(self, other)
                if z is not None:
                    return z
            elif kind is DualNumber:
                y = other.primal
                if other.level is self.level and type(y) is float and x > 0.0:
                    power = x**y
                    tangent = y * x ** (y - 1.0) * self.tangent + power * math.log(x) * other.tangent
            elif x > 0.0 if kind is float else kind is int and (x or other > 0):
                power = x**other
                tangent = other * x ** (other - 1) * self.tangent
        except OverflowError:  # the primal's, which the table raises again, or a partial's, infinite there
            pass
        if type(tangent) is float and tangent == tangent:
            z = new(DualNumber)
            z.primal, z.tangent, z.level = power, tangent, self.level
            return z
        return by_table(POWER, self, other)


nested.fill(DualNumber)


class DualArray(DualNumber, ArrayNumber, operators=True):
    """A dual number whose components are arrays of one shape."""

    __slots__ = ()
    operators: Any = classmethod(dual_arrays.operators)
    real = property(DualNumber.real.fget, ArrayNumber.real.fset)  # type: ignore[attr-defined]

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int:
            primal, tangent = self.primal[index], self.tangent[index]
            if type(primal) is np.float64:
                return make(primal, tangent, self.level)
        return self.viewed(getitem, fixed(index))

    def assign(self, value: Any, index: Any) -> None:
        """Write in place where nobody else has the components: a loop that fills an array stays linear."""
        primal, tangent = self.primal, self.tangent
        part, along = value.parts() if level_of(value) is self.level else (value, 0.0)
        free = is_free(primal) and not is_number(type(part)) and type(along) is not complex
        if free and not is_number(type(along)) and is_free(tangent) and primal.dtype == tangent.dtype:
            primal[index], tangent[index] = part, along
        elif free and type(tangent) is BatchArray and is_alone(tangent) and tangent.takes(along, index, primal.dtype):
            primal[index] = part  # first, since it may fail
            tangent.write(along, index)
        else:
            super().assign(value, index)

    def become(self, value: Any) -> None:
        self.primal, self.tangent = value.primal, value.tangent

    snapshot = DualNumber.__copy__

    def tied(self, base: Any, function: Callable[..., Any], static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(DualView), self, base, function, static)


class DualView(ArrayView, DualArray):
    """A view of a dual array: it shows what its root holds now, and writing through it writes the root."""

    __slots__ = ("path", "root", "seen", "source")
    primal = property(lambda self: self.current().primal)
    tangent = property(lambda self: self.current().tangent)
    level = property(lambda self: self.root.level)


_CLASS = Classes(DualNumber, DualArray)


def by_table(face: Face, x: DualNumber, y: Any, reflected: bool = False) -> Any:
    """Apply the row of the table, where the algebra above does not apply."""
    kind = type(y)
    if kind is not DualNumber and kind is not float and kind is not int:
        other = as_operand(x, y, face.row)
        if other is NotImplemented:
            return beside(face.row, y, x) if reflected else beside(face.row, x, y)
        y = other
    lifted = face.lifts[DualNumber]
    return lifted(y, x) if reflected else lifted(x, y)


ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = (
    TABLE[name].face for name in ("add", "subtract", "multiply", "divide", "power")
)
