"""Users' rows of one operand on short series: the partial is applied to shorter ones.

No code is written for such a row, for its partial, a function of the user's, may give something else at the next call.
Of z = f(x) the coefficients up to tᵏ need those of the partial p up to tᵏ⁻¹: k zₖ = Σ j xⱼ pₖ₋ⱼ, j = 1 … k. So p is
taken of x up to the order less one; where it reads z too, of one order after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...levels import Level, is_number
from ...table.partials import FAILURES, arguments_read
from ...table.row import Face
from .short import DOUBLE, coefficients_of, short_number

Function = Callable[..., Any]


def of_users_row(face: Face, kind: type, general: Function, by_rules: Function) -> Function:
    """Make the function of such a row on short series of a kind; other series go the ``general`` way.

    By ``by_rules`` it finds what is not finite, given the value.
    """
    (partial,) = face.row.partials
    read = arguments_read(partial, (0, 1), frozenset((0, 1)))

    def extended(x: Any) -> Any:
        if x.form is None:
            return general(x)
        value, order = face.evaluate(x.floats[0]), x.form.order
        if type(value) not in DOUBLE:
            return by_rules(value, x)
        try:
            found = coefficients((float(x.floats[0]), *x.floats[1:]), float(value), order, x.level)
            total = sum(found)
        except FAILURES:
            return by_rules(value, x)
        if type(total) is not float or total - total != 0.0:
            return by_rules(value, x)
        return short_number(kind, (value, *found[1:]), order, x.level)

    def coefficients(a: tuple[float, ...], value: float, order: int, level: Level) -> list[Any]:
        found: list[Any] = [value]
        if type(partial) is float or len(a) == 1:
            return found + [partial * t for t in a[1:]]
        p = () if 1 in read else slope(a, None, order, level)
        for k in range(1, order + 1):
            if 1 in read:
                p = slope(a, tuple(found), k, level)
            total = 0.0
            for j in range(max(1, k + 1 - len(p)), min(k + 1, len(a))):
                total += j * a[j] * p[k - j]
            found.append(total / k)
        return found

    def slope(a: tuple[float, ...], z: tuple[Any, ...] | None, order: int, level: Level) -> Any:
        """Return the coefficients of the partial up to an order less one."""
        p = partial(shorter(a, order, level), None if z is None else shorter(z, order, level))
        return coefficients_of(p) if is_number(type(p)) else (p,)

    def shorter(a: tuple[float, ...], order: int, level: Level) -> Any:
        return short_number(kind, a[:order], order - 1, level) if order > 1 else a[0]

    return extended
