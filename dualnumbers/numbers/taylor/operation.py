"""One operation on power series: the rule of its coefficients, for each of the kinds of dependence.

=============================== ======================================================================================
kind of the operands            the coefficients of z = f(x, y, …)
=============================== ======================================================================================
`Elementwise`                   k zₖ = Σ j xⱼ pₖ₋ⱼ, p the row's own partial, of series: see series.py
`Linear`                        zₖ = f(xₖ, yₖ, …)
`Multilinear`                   zₖ = Σ f(xᵢ, yⱼ, …) over i + j + … = k
`Constant`                      none
any, of a row that ``solves``   from zₖ₋₁, zₖ₋₂, …: see equations.py; so those of a function ``of_matrix``
any others                      z′ = the row's push-forward of x′, y′, …, of series; k zₖ = the coefficient of tᵏ⁻¹
=============================== ======================================================================================

The product, the quotient, and the power to a constant have rules of their own, in series.py; a test holds them against
the table.

Within one operation of the user's every function that its derivative consists of is made once: a memo finds the series
of a row, operands and parameters again. So sin leads to cos, and cos back to the same sin. The operation ends with all
coefficients computed; the rules, which refer to each other, are let go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...forms import shape, zeros_like
from ...levels import Level, decided, has_nan, is_number
from ...rules.strong import strong
from ...several import each
from ...table import TABLE, Row
from ...table.kinds import Multilinear, scaled
from ...table.partials import evaluate_partial, is_double, python_of
from .equations import by_blocks, by_equation
from .series import Product, Rule, Series, convolved, power, product, quotient
from .short import SHORT, series_of

Make = Callable[[Series, Level], Any]

PRODUCT, QUOTIENT, SQUARE = (TABLE[name].row for name in ("multiply", "divide", "square"))
POWERS = frozenset(TABLE[name].row for name in ("power", "pow"))


class Operation:
    """One operation of the user's on Taylor numbers of a level, and the series that it makes on the way, each once."""

    __slots__ = ("known", "level", "made", "make", "order", "slopes")

    def __init__(self, level: Level, order: int, make: Make) -> None:
        self.level, self.order, self.make = level, order, make
        self.known: dict[Any, Any] = {}
        """Row, operands and parameters → the series, with the operands, which are to live as long."""
        self.made: list[Series] = []
        self.slopes: dict[int, Series] = {}
        """The id of a series → its derivative."""

    def number(self, x: Any) -> Any:
        """Return a series as a number; of several results each, and what is no series as it is."""
        return each(lambda s: self.make(s, self.level) if isinstance(s, Series) else s, x)

    def series(self, first: Any, rule: Rule | None = None) -> Series:
        """Return a new series, given its first coefficient."""
        made = Series([first], rule, self.order, self)
        self.made.append(made)
        return made

    def opened(self, x: Any, first: Any) -> Any:
        """Return an operand as a series of this operation, ``first`` in the place of its first coefficient."""
        return Series([first, *x.found[1:]], x.rule, self.order, self) if isinstance(x, Series) else x

    def taken(self, x: Any) -> Any:
        """Return a number of this level as its series; None stands for a constant."""
        return series_of(x) if is_number(type(x)) and x.level.order == self.level.order else None

    def applied(self, row: Row, z0: Any, xs: Sequence[Any], static: tuple[Any, ...]) -> Any:
        """Return the series of ``row(*xs, *static)``, of several results a tuple; its first coefficients are ``z0``."""
        key = (row, *map(_key, xs), *map(_key, static))
        if key in self.known:
            return self.known[key][0]
        if type(z0) is tuple:
            z: Any = tuple([self.series(x) if carried else x for x, carried in zip(z0, row.carried(z0), strict=True)])
        else:
            z = self.series(z0)
        self.known[key] = z, xs
        set_rule(self, row, xs, z, static)
        return z

    def derivative(self, x: Series) -> Series:
        """Return the derivative of a series, (k + 1) xₖ₊₁; its first coefficient may be None."""
        found = self.slopes.get(id(x))
        if found is None:
            found = self.slopes[id(x)] = self.series(
                x.at(1), lambda k: None if (t := x.at(k + 1)) is None else (k + 1) * t
            )
        return found

    def slope(self, x: Series) -> Series:
        """Return the derivative of a series, to be taken as a number: its first coefficient is one."""
        slope = self.derivative(x)
        return slope if slope.found[0] is not None else self.series(zeros_like(x.found[0]), slope.rule)

    def closed(self, z0: Any, z: Any) -> Any:
        """Return a complete number, whose first coefficient is ``z0``, of a series; another value as it is."""
        if not isinstance(z, Series):
            return z0
        z.at(self.order)
        return self.make(completed(z0, z.found, self.order), self.level)

    def end(self) -> None:
        """Let go what the operation has made: the rules refer to each other."""
        self.known.clear()
        self.slopes.clear()
        for series in self.made:
            series.rule = _ended
        self.made.clear()


def completed(z0: Any, found: list[Any], order: int) -> Series:
    """Return the complete series of some coefficients, behind ``z0`` as the first one."""
    last = len(found)
    while last > 1 and found[last - 1] is None:
        last -= 1
    others = [zeros_like(z0) if t is None else t for t in found[1:last]]
    of_double = type(z0) is float or is_double(z0)
    return Series([z0, *(map(python_of, others) if of_double else others)], None, order)


def _ended(k: int) -> Any:
    raise RuntimeError("a Taylor number within a rule outlived the operation that it was made in")


def _key(x: Any) -> Any:
    """Return what tells an operand or a parameter from others: equal constants are the same."""
    kind = type(x)
    if kind in (float, int, complex, np.float64):
        return kind, x if x else str(x)  # -0.0 is another than 0.0
    if kind is np.ndarray:
        return x.shape, x.dtype.str, x.tobytes()
    if kind is tuple:
        return tuple(map(_key, x))
    if kind is slice:
        return slice, x.start, x.stop, x.step
    return (kind, x) if kind in (str, bool, type(None)) else id(x)


# ------------------------------------------------------------------------------------------ the rules


def set_rule(operation: Operation, row: Row, xs: Sequence[Any], z: Any, static: tuple[Any, ...]) -> None:
    """Give a series, or those of several results, the rule for their next coefficients."""
    if row.solves:
        z.rule = by_equation(row, xs, z, static)
    elif row.of_matrix:
        z.rule = by_blocks(row, xs[0], operation.order, static)
    elif row.several or not (row.is_elementwise or row.is_linear or row.kinds == (Multilinear,)):
        _integrate(operation, row, xs, z, static)
    elif row.is_linear:
        z.rule = _by_linearity(row, xs, z, static)
    elif not row.is_elementwise:
        z.rule = _by_multilinearity(row, xs, static)
    elif row is PRODUCT:
        z.rule = product(xs[0], xs[1])
    elif row is SQUARE:
        z.rule = product(xs[0], xs[0])
    elif row is QUOTIENT:
        z.rule = quotient(xs[0], xs[1], z)
    elif row in POWERS and not isinstance(xs[1], Series) and _goes_by_recurrence(operation.order, xs[0], z):
        z.rule = power(xs[0], xs[1], z)
    else:
        z.rule = _by_partials(operation, row, xs, z)


def _goes_by_recurrence(order: int, x: Series, z: Series) -> bool:
    """Return whether the coefficients of a power z of x are found from those before, at the cost of a product.

    The recurrence divides by x₀ and builds on z₀, which has to have all its digits: at x = 1e-110 the value of x³ is 0,
    its second derivative 6e-110. It loses last bits as well, so short series of numbers go by partials.
    """
    if order <= SHORT and shape(z.found[0]) == ():
        return False
    return not decided(has_zero, x.found[0]) and not decided(is_out_of_range, z.found[0], usual=False)


def has_zero(x: Any) -> bool:
    """Return whether an element is 0."""
    return bool(np.any(np.equal(x, 0)))


def is_out_of_range(z: Any) -> bool:
    """Return whether an element of floats is so small that a part of it loses digits, or infinite or NaN."""
    size = np.abs(z)
    if getattr(getattr(size, "dtype", None), "kind", "") != "f":
        return False
    bounds = np.finfo(size.dtype)
    return not np.all((bounds.tiny / bounds.eps <= size) & (size <= bounds.max))


def _by_partials(operation: Operation, row: Row, xs: Sequence[Any], z: Series) -> Rule:
    """Return the rule k zₖ = Σ j xⱼ pₖ₋ⱼ, with the partials p by all operands that are series."""
    constants: list[tuple[Series, Any]] = []
    others: list[tuple[Series, Series]] = []

    def look() -> None:
        numbers, w = [operation.number(x) for x in xs], operation.number(z)
        for x, partial in zip(xs, row.partials, strict=True):
            if isinstance(x, Series):
                p = partial if type(partial) is float else evaluate_partial(partial, *numbers, w)
                series = operation.taken(p)
                if series is None:
                    constants.append((x, p))
                else:
                    others.append((operation.derivative(x), series))

    def total(k: int, times: Product | None) -> Any:
        found = None
        for slope, p in others:
            slope.at(k - 1), p.at(k - 1)
            found = _plus(found, convolved(slope, p, 0, k - 1, times))
        found = None if found is None else found / k
        for x, p in constants:
            t = x.at(k)
            if t is not None:
                found = _plus(found, scaled(p, t) if type(p) is float else times(p, t) if times else p * t)
        return found

    def rule(k: int) -> Any:
        if k == 1:
            look()
        found = total(k, None)
        if row.singular and operation.level.by_hand and has_nan(found):
            return total(k, _strongly)
        return found

    return rule


def _strongly(t: Any, p: Any) -> Any:
    return strong(p, t)


def _plus(x: Any, y: Any) -> Any:
    return y if x is None else x if y is None else x + y


def _by_linearity(row: Row, xs: Sequence[Any], z: Series, static: tuple[Any, ...]) -> Rule:
    """Return the rule zₖ = f(xₖ, yₖ, …)."""
    primals = [x.found[0] if isinstance(x, Series) else x for x in xs]
    series = [(i, x) for i, x in enumerate(xs) if isinstance(x, Series) and row.passes(i)]

    def rule(k: int) -> Any:
        active = [(i, t) for i, x in series if (t := x.at(k)) is not None]
        return row.push(z.found[0], primals, active, static) if active else None

    return rule


def _by_multilinearity(row: Row, xs: Sequence[Any], static: tuple[Any, ...]) -> Rule:
    """Return the rule zₖ = Σ f(xᵢ, yⱼ, …) over i + j + … = k."""

    def terms(k: int, place: int, before: list[Any]) -> Any:
        """Return the sum over the operands from a place on, whose powers add up to ``k``."""
        if place == len(xs):
            return row.evaluate(*before, *static) if k == 0 else None
        x, last = xs[place], not any(isinstance(y, Series) and row.passes(i) for i, y in rest(place))
        if not isinstance(x, Series) or not row.passes(place):
            return terms(k, place + 1, [*before, x.found[0] if isinstance(x, Series) else x])
        total = None
        for j in (k,) if last else range(k + 1):
            t = x.at(j)
            if t is not None:
                total = _plus(total, terms(k - j, place + 1, [*before, t]))
        return total

    def rest(place: int) -> Any:
        return list(enumerate(xs))[place + 1 :]

    return lambda k: terms(k, 0, [])


def _integrate(operation: Operation, row: Row, xs: Sequence[Any], z: Any, static: tuple[Any, ...]) -> None:
    """Set the rules of z from z′, the row's push-forward of the derivatives of its operands: k zₖ = (z′)ₖ₋₁."""
    found: list[Any] = []

    def slope(place: int) -> Any:
        """Return what the push-forward gives of the result at a place."""
        if not found:
            numbers = [operation.number(x) for x in xs]
            active = [
                (i, operation.number(operation.slope(x)))
                for i, x in enumerate(xs)
                if isinstance(x, Series) and row.passes(i) and (x.rule or len(x.found) > 1)
            ]
            found.append(row.push(operation.number(z), numbers, active, static) if active else None)
        return found[0][place] if type(found[0]) is tuple else found[0]

    def rule_of(place: int) -> Rule:
        def rule(k: int) -> Any:
            s = slope(place)
            series = operation.taken(s)
            t = series.at(k - 1) if series is not None else s if k == 1 else None
            return None if t is None else t / k

        return rule

    for place, series in enumerate(z if type(z) is tuple else (z,)):
        if isinstance(series, Series):
            series.rule = rule_of(place)
