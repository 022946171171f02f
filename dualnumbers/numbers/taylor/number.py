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
have derivatives. How a row extends to these numbers is in propagation.py.
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
from ...table.partials import as_given
from ...table.row import Face
from ..array import ArrayNumber, Classes
from ..notation import polynomial
from ..number import Number
from ..views import ArrayView
from .codes import operators_of
from .operation import completed
from .propagation import extend
from .series import Series
from .short import SHORT, Form, form_of, series_of, short_number

new = object.__new__


def number_of_floats(found: list[float], order: int, level: Level) -> Any:
    """Make the Taylor number of a complete series of floats."""
    if 0 < order <= SHORT:
        return short_number(TaylorNumber, tuple(found), order, level)
    return make(Series(found, None, order), level)


def make(series: Series, level: Level) -> Any:
    """Make the Taylor number of a series at a level."""
    kind = _CLASS[type(series.found[0])]
    z: Any = new(kind)
    z.level = level
    if kind is not TaylorNumber:
        z.series = series
    elif series.within is None and (form := form_of(series)) is not None:
        z.form, z.floats = form, tuple(series.found)
    else:
        z.form, z.series = None, series
    return z


class TaylorNumber(Number, operators=True):
    """The power series with the given coefficients, cut off behind the power ``order``; of arrays, element by element.

    ``order`` is the power of the last coefficient unless it is given; those that are missing are zero. An operation on
    two series gives one of the lower order. Made by hand a series stands one level above its highest coefficient, and
    below every later differentiation.

    Raises TypeError for what are no numbers, ValueError where there are none, where the shape of one is not that of the
    first and does not broadcast to it, or where the order is below the power of the last.
    """

    __slots__ = ("floats", "form", "level", "series")
    level: Level
    form: Form | None
    """That of a short series; None of any other."""
    floats: tuple[float, ...]
    """The coefficients of a short series."""
    series: Series
    """Any other series."""

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
        return extend(face, make, taylor_number, None if issubclass(cls, ArrayNumber) else cls)

    @property
    def primal(self) -> Any:
        """The first coefficient: the value at t = 0."""
        return self.series.found[0] if self.form is None else self.floats[0]

    @property
    def order(self) -> int:
        """The highest power that is kept."""
        return self.series.order if self.form is None else self.form.order

    @property
    def coefficients(self) -> tuple[Any, ...]:
        """All coefficients, of t⁰ to t^order."""
        if not self.level.by_hand:
            raise no_plain_value(".coefficients", self, AttributeError)
        return tuple(as_given(x, self.primal) for x in series_of(self).all())

    def constant(self, value: Any) -> Any:
        return make(Series([as_like(value, self)], None, self.order), self.level)

    def parts(self) -> tuple[Any, ...]:
        return tuple(part for part in series_of(self).found if part is not None)

    def __repr__(self) -> str:
        return f"TaylorNumber({series_of(self).all()!r})"

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        """Format every coefficient by one specification: ``f"{TaylorNumber([3, 0.5]):.2f}"`` is ``3.00 + 0.50t``."""
        return polynomial(series_of(self).all(), "" if shape(self) else spec)

    def __copy__(self) -> Any:
        s = series_of(self)
        if s.within is not None:  # its rule computes it from itself: a second list of what is found would lag behind
            return make(s, self.level)
        return make(Series(list(s.found), None, s.order), self.level)

    def __deepcopy__(self, memo: Any) -> Any:
        return make(Series(deepcopy(series_of(self).all(), memo), None, self.order), self.level)

    def __reduce__(self) -> Any:
        if not self.level.by_hand:
            raise unpicklable(self)
        return TaylorNumber, (series_of(self).found, self.order)

    @classmethod
    def operators(cls, face: Face) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the operator of a row and its reflected twin; short series have code of their own."""
        general, reflected = super().operators(face)
        codes = getattr(face.lifts[cls], "codes", None)
        return (general, reflected) if codes is None else operators_of(codes, general, reflected)


class TaylorArray(TaylorNumber, ArrayNumber, operators=True):
    """A power series whose coefficients are arrays of one shape."""

    __slots__ = ("series",)
    form = None
    primal = property(lambda self: self.series.found[0])
    order = property(lambda self: self.series.order)

    def assign(self, value: Any, index: Any) -> None:
        """Write in place where nobody else has the coefficients: a loop that fills an array stays linear.

        Behind a real value coefficients become complex, where those that are written are.
        """
        own = self.series
        given = series_of(value) if level_of(value) is self.level else Series([value], None, own.order)
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
