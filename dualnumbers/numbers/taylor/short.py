"""Short series: complete power series of floats up to the order `SHORT`, whose operations are straight-line code.

A Taylor number of one holds its coefficients as a tuple of floats, and a `Form`, which is what that code depends on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...levels import Level
from .series import Series

new = object.__new__

SHORT = 10
"""The highest order of series that have code of their own."""

DOUBLE = (float, np.float64)
"""The types of the first coefficient of a short series."""

CONSTANTS = frozenset((float, int, np.float64))
"""The types of constants that there is code for, beside a short series."""


class Form:
    """The order of a short series, the number of its coefficients and the type of the first one: one object for each.

    The first coefficient is a value of the user's function, which NumPy's functions give as np.float64; the others are
    Python's floats. There are fewer than the order has where the rest are zero, whatever the values are.
    """

    __slots__ = ("count", "first", "order")

    def __init__(self, order: int, count: int, first: type) -> None:
        self.order, self.count, self.first = order, count, first


FORMS = {
    (order, count, first): Form(order, count, first)
    for order in range(1, SHORT + 1)
    for count in range(1, order + 2)
    for first in DOUBLE
}


def form_of(series: Series) -> Form | None:
    """Return the form of a complete series, if it is a short one."""
    found = series.found
    form = FORMS.get((series.order, len(found), type(found[0])))
    return form if form is not None and all(type(t) is float for t in found[1:]) else None


def short_number(kind: type, floats: tuple[Any, ...], order: int, level: Level) -> Any:
    """Make the Taylor number of a short series."""
    z: Any = new(kind)
    z.floats, z.form, z.level = floats, FORMS[order, len(floats), type(floats[0])], level
    return z


def coefficients_of(x: Any) -> Any:
    """Return the coefficients of a Taylor number that have been computed; of a short series all but zeros behind."""
    return x.series.found if x.form is None else x.floats


def series_of(x: Any) -> Series:
    """Return the series of a Taylor number."""
    form = x.form
    return x.series if form is None else Series([*x.floats], None, form.order)
