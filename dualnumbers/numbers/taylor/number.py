"""TaylorNumber: a₀ + a₁ t + … + a_K t^K, a power series cut off behind t^K.

What a dual number does for the first derivative, such a number does for all up to the order K: a function maps it to
the Taylor series of t ↦ f(a₀ + a₁ t + …), of which the coefficient of tᵏ is the k-th derivative at 0, over k!. The work
grows as K², where dual numbers of dual numbers take 2^K.

>>> from dualnumbers import TaylorNumber, dmath
>>> t = TaylorNumber([0.0, 1.0], order=5)
>>> print(dmath.sin(t))
0.0 + 1.0t - 0.0t² - 0.16666666666666666t³ + 0.0t⁴ + 0.008333333333333333t⁵
>>> x = 2.0 + t
>>> (1.0 / (x * x)).coefficients[:3]
(0.25, -0.25, 0.1875)

A coefficient is a number or an array, or a number of a lower level: of Taylor numbers of dual numbers the coefficients
have derivatives. How a row extends to these numbers is in operation.py.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np

from ...foreign import as_like
from ...forms import dtype_of, is_unreal, shape, type_of
from ...levels import Level, is_number, level_of
from ...memory import is_free
from ...messages.errors import no_plain_value, unpicklable, user_line
from ...number_types import alike, number_type, wrapped
from ...operands import is_operand
from ...rules.shaping import astype, broadcast_to
from ...table import TABLE
from ...table.partials import as_given
from ...table.row import Face
from ..array import ArrayNumber, Classes
from ..notation import polynomial
from ..number import Number
from ..operators import lifted_operators
from ..views import ArrayView
from .operation import completed
from .polynomials import finite, minus, over, plus, times, to_power
from .propagation import DOUBLE, extend
from .series import Series

new = object.__new__


WRITTEN_OUT = {"add": plus, "subtract": minus, "multiply": times, "divide": over}
"""The name of a row → what it does to complete series of floats."""


def _in_short(face: Face, general: Callable[..., Any], reflected: bool) -> Callable[..., Any]:
    """Make an operator that applies the algebra to complete series of floats, the ``general`` way to others."""
    algebra, evaluate = WRITTEN_OUT[face.row.name], face.evaluate

    def operator(x: Any, y: Any) -> Any:
        own, kind, level = x.series, type(y), x.level
        a, order = own.found, own.order
        if own.within is not None:
            return general(x, y)
        if type(a[0]) is not float:
            return of_double(x, y)
        if kind is float or kind is int:
            b = [y]
        elif kind is TaylorNumber and y.level is level:
            other = y.series
            b = other.found
            if other.within is not None or type(b[0]) is not float:
                return of_double(x, y)
            if other.order != order:
                order = min(order, other.order)
                a, b = a[: order + 1], b[: order + 1]
        else:
            return of_double(x, y)
        return of_floats(algebra(b, a, order) if reflected else algebra(a, b, order), order, level)

    def of_double(x: Any, y: Any) -> Any:
        level, order = x.level, min(s.series.order for s in (x, y) if type(s) is TaylorNumber)
        first, second = (y, x) if reflected else (x, y)
        a, b = _as_floats(first, order, level), _as_floats(second, order, level)
        found = None if a is None or b is None else finite(algebra, a, b, order)
        if found is None:
            return general(x, y)
        found[0] = evaluate(_first(first), _first(second))
        return of_floats(found, order, level)

    return operator


def _first(x: Any) -> Any:
    """Return the first coefficient of a series, and a constant as it is."""
    return x.series.found[0] if type(x) is TaylorNumber else x


def _as_floats(x: Any, order: int, level: Level) -> list[Any] | None:
    """Return the coefficients of an operand of double precision, of NumPy's or Python's; None of another one."""
    if type(x) is not TaylorNumber:
        return [float(x)] if type(x) in DOUBLE else [x] if type(x) is int else None
    series = x.series
    if x.level is not level or series.within is not None or type(series.found[0]) not in DOUBLE:
        return None
    return [float(series.found[0]), *series.found[1 : order + 1]]


def of_floats(found: list[float], order: int, level: Level) -> Any:
    """Make the Taylor number of coefficients that are floats: as `make`, in half the time."""
    series: Any = new(Series)
    series.found, series.order = found, order
    series.rule = series.within = series._rows = None
    z: Any = new(TaylorNumber)
    z.series, z.level = series, level
    return z


def make(series: Series, level: Level) -> Any:
    """Make the Taylor number of a series at a level."""
    z: Any = new(_CLASS[type(series.found[0])])
    z.series, z.level = series, level
    return z


class TaylorNumber(Number, operators=True):
    """The power series with the given coefficients, cut off behind the power ``order``; of arrays, element by element.

    ``order`` is the power of the last coefficient unless it is given; those that are missing are zero. An operation on
    two series gives one of the lower order. Made by hand a series stands one level above its highest coefficient, and
    below every later differentiation.

    Raises TypeError for what are no numbers, ValueError where there are none, where the shape of one is not that of the
    first and does not broadcast to it, or where the order is below the power of the last.
    """

    __slots__ = ("level", "series")
    level: Level
    series: Series

    def __new__(cls, coefficients: Any, order: int | None = None) -> Self:
        found = _coefficients(coefficients)
        last = len(found) - 1
        whole = isinstance(order, (int, np.integer)) and not isinstance(order, bool)
        if order is not None and (not whole or order < last):
            raise ValueError(f"order={order!r}: the last of {last + 1} coefficients is that of the power {last}")
        level = max(map(level_of, found)).of_series
        made: Self = make(completed(found[0], found, last if order is None else int(order)), level)
        return made

    @classmethod
    def lift(cls, face: Face) -> Callable[..., Any]:
        """Return the row extended to power series."""
        taylor_number = next(kind for kind in cls.__mro__ if "lift" in kind.__dict__)
        return extend(face, make, of_floats, taylor_number)

    @property
    def primal(self) -> Any:
        """The first coefficient: the value at t = 0."""
        return self.series.found[0]

    @property
    def order(self) -> int:
        """The highest power that is kept."""
        return self.series.order

    @property
    def coefficients(self) -> tuple[Any, ...]:
        """All coefficients, of t⁰ to t^order."""
        if not self.level.by_hand:
            raise no_plain_value(".coefficients", self, AttributeError)
        return tuple(as_given(x, self.primal) for x in self.series.all())

    def constant(self, value: Any) -> Any:
        return make(Series([as_like(value, self)], None, self.order), self.level)

    def parts(self) -> tuple[Any, ...]:
        return tuple(part for part in self.series.found if part is not None)

    def __repr__(self) -> str:
        return f"TaylorNumber({self.series.all()!r})"

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        """Format every coefficient by one specification: ``f"{TaylorNumber([3, 0.5]):.2f}"`` is ``3.00 + 0.50t``."""
        return polynomial(self.series.all(), "" if shape(self) else spec)

    def __copy__(self) -> Any:
        s = self.series
        if s.within is not None:  # its rule computes it from itself: a second list of what is found would lag behind
            return make(s, self.level)
        return make(Series(list(s.found), None, s.order), self.level)

    def __deepcopy__(self, memo: Any) -> Any:
        return make(Series(deepcopy(self.series.all(), memo), None, self.order), self.level)

    def __reduce__(self) -> Any:
        if not self.level.by_hand:
            raise unpicklable(self)
        return TaylorNumber, (self.series.found, self.order)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the operator of a row and its reflected twin; of floats, the algebra is written out."""
        general, reflected = super().operators(face)
        if face.row.name not in WRITTEN_OUT or issubclass(cls, ArrayNumber):
            return general, reflected
        return _in_short(face, general, False), _in_short(face, reflected, True)

    def __pow__(self, other: Any) -> Any:
        x, kind = self.series, type(other)
        first = x.found[0]
        if (kind is float or kind is int) and type(first) in DOUBLE and (first > 0.0 or (kind is int and first)):
            if type(first) is float and x.within is None:
                return of_floats(to_power(x.found, other, x.order), x.order, self.level)
            a = _as_floats(self, x.order, self.level)
            found = None if a is None else finite(to_power, a, other, x.order)
            if found is not None:
                found[0] = first**other
                return of_floats(found, x.order, self.level)
        return _POWER(self, other)


class TaylorArray(TaylorNumber, ArrayNumber, operators=True):
    """A power series whose coefficients are arrays of one shape."""

    __slots__ = ()

    def assign(self, value: Any, index: Any) -> None:
        """Write in place where nobody else has the coefficients: a loop that fills an array stays linear.

        Behind a real value coefficients become complex, where those that are written are.
        """
        own = self.series
        given = value.series if level_of(value) is self.level else Series([value], None, own.order)
        if given.within is None and any(map(is_unreal, given.found)) and not is_unreal(given.found[0]):
            own = Series(
                [own.found[0], *(astype(x, np.result_type(dtype_of(x), np.complex64)) for x in own.all()[1:])],
                None,
                own.order,
            )
            self.become(make(own, self.level))
        found, count = own.found, len(given.found)
        complete = own.within is None is given.within and count <= len(found) and given.order >= own.order
        if (
            complete
            and all(map(_is_plain, given.found))
            and all(is_free(x) and x.dtype == found[0].dtype for x in found)
        ):
            for k in range(len(found)):
                found[k][index] = given.found[k] if k < count else 0.0
        else:
            super().assign(value, index)

    def become(self, value: Any) -> None:
        self.series = value.series

    snapshot = TaylorNumber.__copy__

    def tied(self, base: Any, function: Callable[..., Any], static: tuple[Any, ...]) -> Any:
        return ArrayView.tie(new(TaylorView), self, base, function, static)


class TaylorView(ArrayView, TaylorArray):
    """A view of an array of power series: it shows what its root holds now, and writing through it writes the root."""

    __slots__ = ("path", "root", "seen", "source")
    series = property(lambda self: self.current().series)
    level = property(lambda self: self.root.level)


_CLASS = Classes(TaylorNumber, TaylorArray)


_POWER, _ = lifted_operators(TABLE["power"].face, TaylorNumber)


def _is_plain(x: Any) -> bool:
    return not is_number(type(x)) and type(x) is not complex


def _coefficients(given: Any) -> list[Any]:
    """Return the coefficients of a number made by hand, in the shape of the first."""
    if not isinstance(given, (list, tuple, np.ndarray)) or (isinstance(given, np.ndarray) and not given.ndim):
        raise TypeError(f"a TaylorNumber has a list of coefficients, such as [x, 1.0], not {given!r}{user_line()}")
    if not len(given):
        raise ValueError(f"a TaylorNumber has one coefficient at least: that of the power 0{user_line()}")
    found = [np.asarray(x) if isinstance(x, (list, tuple)) else wrapped(x) for x in given]
    for part in found:
        if not is_operand(type(part)) or getattr(part, "dtype", np.dtype(float)).kind not in "fciub":
            raise TypeError(
                f"a TaylorNumber has numbers or arrays as coefficients, not {type(part).__name__}: {part!r}"
            )
    typed = next((kind for kind in map(type_of, found) if number_type(kind) is not None), float)
    found = [alike(x, typed) for x in found]
    to = shape(found[0])
    for k, part in enumerate(found):
        try:
            found[k] = part if shape(part) == to else broadcast_to(part, to)
        except ValueError:
            raise ValueError(
                f"coefficient {k}, of shape {shape(part)}, does not fit the first one, of shape {to}"
            ) from None
    return found
