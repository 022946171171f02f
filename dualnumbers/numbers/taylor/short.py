"""Short series: complete power series of floats up to the order `SHORT`, whose operations are straight-line code.

A Taylor number of one has its coefficients as a tuple of floats, and a `Form`: what code for it depends on. An
operation looks the code for the forms of its operands up in `Codes`, which have it written once (straight_line.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...table.row import Face
from .series import Series

SHORT = 4
"""The highest order of series that have code of their own."""

DOUBLE = (float, np.float64)
CONSTANTS = frozenset((float, int, np.float64))
"""The types of constants beside which series have it."""


class Form:
    """The order of a short series, the number of its coefficients and the type of the first one: one object for each.

    The first coefficient is a value of the user's function, which NumPy's functions give as np.float64; the others are
    Python's floats. Those behind the last one are zero whatever the values are.
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
    return form if form is not None and all([type(t) is float for t in found[1:]]) else None


def series_of(x: Any) -> Series:
    """Return the series of a Taylor number."""
    form = x.form
    return x.series if form is None else Series([*x.floats], None, form.order)  # type: ignore[no-any-return]


class Codes(dict[Any, Callable[..., Any]]):
    """The forms of operands, or the types of constants → what applies a row; of two operands the key is a pair.

    It is the ``general`` way, that takes all operands, for what is no short series, of form None; and for a row of
    which no code can be written. ``by_rules`` is what the code falls back on, given the value.
    """

    def __init__(self, face: Face, general: Callable[..., Any], by_rules: Callable[..., Any], make: Any, kind: type) -> None:
        self.face, self.general, self.by_rules, self.make, self.kind = face, general, by_rules, make, kind

    def __missing__(self, key: Any) -> Callable[..., Any]:
        forms = key if type(key) is tuple else (key,)
        if None in forms:
            code = self.general
        else:
            from .straight_line import written

            code = written(self, forms)
        self[key] = code
        return code
