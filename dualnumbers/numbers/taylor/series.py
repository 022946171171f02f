"""Power series whose coefficients are computed one by one, each when it is first asked for.

A row of the table says what the derivative of its function is, as a formula in other functions: that of z = tan x is
1 + z². Of a power series x = x₀ + x₁ t + x₂ t² + … the formula gives a series p, and z has z′ = p x′:

    k zₖ = 1 x₁ pₖ₋₁ + 2 x₂ pₖ₋₂ + … + k xₖ p₀        (Griewank & Walther, *Evaluating Derivatives*, 2008, §13.2)

It asks for p up to the power k − 1 only. So the formula may contain z itself, as that of exp does, or lead back to its
function by way of others, sin → cos → sin: what is asked for is always known already. All it takes is a series that is
a list of what is known of it, and a rule for the next coefficient:

>>> z = Series([1.0], None, 3)
>>> z.rule = lambda k: z.at(k - 1) / k  # exp t, for which z′ = z
>>> z.at(3), z.found
(0.16666666666666666, [1.0, 1.0, 0.5, 0.16666666666666666])

A coefficient is a number or an array of a lower level. None stands for one that is zero whatever the values are, as all
behind the second of a + t: nothing is computed with it, and it is no zero that an infinite slope may meet.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...forms import shape, zeros_like
from ...rules.shaping import broadcast_to
from ...table import TABLE
from ...table.partials import in_precision, is_double, python_of

LARGE = 1 << 14
"""The size of arrays up to which their products are summed in one call."""

Product = Callable[[Any, Any], Any]
Rule = Callable[[int], Any]


class Series:
    """The coefficients of a power series up to the power ``order``; those that are not ``found`` the ``rule`` gives.

    Without a rule, what is behind those found is zero. ``within`` is the operation that makes the series, None of one
    that is complete.
    """

    __slots__ = ("_rows", "found", "order", "rule", "within")

    def __init__(self, found: list[Any], rule: Rule | None, order: int, within: Any = None) -> None:
        self.found, self.rule, self.order, self.within = found, rule, order, within
        self._rows: tuple[Any, int] | None = None

    def at(self, k: int) -> Any:
        """Return the coefficient of tᵏ; None where it is zero whatever the values are."""
        found, rule = self.found, self.rule
        if rule is not None:
            while len(found) <= k:
                t = rule(len(found))
                found.append(t if found[0] is None else fitted(t, found[0]))
        return found[k] if k < len(found) else None

    def rows(self, last: int) -> Any:
        """Return a matrix whose row k is the coefficient of tᵏ, up to the ``last``; None where one is no plain array.

        There is none of large arrays, which gain nothing.
        """
        found, z = self.found, self.found[last]
        if self._rows is None:
            if type(z) is not np.ndarray or not 0 < z.size <= LARGE or z.dtype.kind not in "fc":
                return None
            self._rows = np.empty((self.order + 1, z.size), z.dtype), 0
        rows, count = self._rows
        for k in range(count, last + 1):
            if type(found[k]) is not np.ndarray or found[k].dtype != rows.dtype:
                return None
            rows[k] = found[k].ravel()
            self._rows = rows, k + 1
        return rows

    def all(self) -> list[Any]:
        """Return all coefficients of a complete series, with the zeros."""
        zero = None if len(self.found) > self.order else zero_like(self.found[0])
        return [*self.found, *[zero] * (self.order + 1 - len(self.found))]


def zero_like(z: Any) -> Any:
    """Return the zero that stands beside a coefficient ``z``: one of Python's beside a number of double precision."""
    zero = zeros_like(z)
    return python_of(zero) if is_double(z) else zero


def fitted(t: Any, z: Any) -> Any:
    """Return a coefficient in the shape and the precision of the first one, ``z``."""
    kind = type(t)
    if t is None or kind is float is type(z):
        return t
    if kind is np.ndarray is type(z) and t.shape == z.shape and t.dtype is z.dtype:
        return t
    return in_precision(t if shape(t) == shape(z) else broadcast_to(t, shape(z)), z)


def convolved(
    x: Series, y: Series, low: int, k: int, times: Product | None = None, weights: Sequence[Any] | None = None
) -> Any:
    """Return Σ xⱼ yₖ₋ⱼ for j = low … k, of what is found; None where every term is.

    ``weights`` has a factor for each j. Of more than two terms that are arrays the sum is taken in one call of NumPy: a
    fifth of the time of a loop.
    """
    a, b, first = x.found, y.found, low
    low, high = max(low, k - len(b) + 1), min(k, len(a) - 1)
    if high - low > 1 and times is None and type(a[low]) is type(b[k - low]) is np.ndarray:
        rows, others = (x.rows(high), y.rows(k - low)) if a[low].shape == b[k - low].shape else (None, None)
        if rows is not None and others is not None and (weights is None or type(weights[0]) in (int, float)):
            factors, subscripts = [rows[low : high + 1], others[k - high : k - low + 1][::-1]], "ij,ij->j"
            if weights is not None:
                factors.append(np.array(weights[low - first : high + 1 - first], rows.dtype))
                subscripts = "ij,ij,i->j"
            found: Any = np.einsum(subscripts, *factors)
            return found.reshape(a[low].shape)
    times, total = times or operator.mul, None
    for j in range(low, high + 1):
        s, t = a[j], b[k - j]
        if s is not None and t is not None:
            term = times(s if weights is None else weights[j - first] * s, t)
            total = term if total is None else total + term
    return total


def divided(a: Any, b: Any) -> Any:
    """Return a quotient, infinite or NaN where one of Python's raises."""
    try:
        return a / b
    except ZeroDivisionError:
        return python_of(a / TABLE["_numpy_scalar"](b))


# ------------------------------------------------------------------------------------------ the algebra, written out


def product(x: Any, y: Any) -> Rule:
    """Return the rule of x y, of which one may be a constant: zₖ = Σ xⱼ yₖ₋ⱼ (Cauchy)."""
    if not isinstance(x, Series):
        return lambda k: None if (t := y.at(k)) is None else x * t
    if not isinstance(y, Series):
        return lambda k: None if (t := x.at(k)) is None else t * y

    def rule(k: int) -> Any:
        x.at(k), y.at(k)
        return convolved(x, y, 0, k)

    return rule


def quotient(x: Any, y: Any, z: Series) -> Rule:
    """Return the rule of z = x / y, of which one may be a constant: y₀ zₖ = xₖ − Σ yⱼ zₖ₋ⱼ, j = 1 … k."""
    if not isinstance(y, Series):
        return lambda k: None if (t := x.at(k)) is None else divided(t, y)

    def rule(k: int) -> Any:
        y.at(k)
        s, t = convolved(y, z, 1, k), x.at(k) if isinstance(x, Series) else None
        if s is None:
            return None if t is None else divided(t, y.found[0])
        return divided(-s if t is None else t - s, y.found[0])

    return rule


def power(x: Series, exponent: Any, z: Series) -> Rule:
    """Return the rule of z = x to a constant exponent p, where x₀ is not 0: from x z′ = p z x′ (Euler 1748).

    k x₀ zₖ = Σ (p j − (k − j)) xⱼ zₖ₋ⱼ, j = 1 … k.
    """

    def rule(k: int) -> Any:
        x.at(k)
        total = convolved(x, z, 1, k, weights=[exponent * j - (k - j) for j in range(1, k + 1)])
        return None if total is None else divided(total, k * x.found[0])

    return rule
