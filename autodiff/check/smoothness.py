"""How far a point is from where a function has no derivative, read from the steps that the function takes there.

A step with a kink, a pole or a jump says how far its operands are from it: ``abs(x)`` by ``|x|``, ``x > y`` by
``|x − y|``, a maximum or a sort by the least gap among its elements. No derivative is asked for, so a rule that is
wrong changes nothing here.

>>> from autodiff.check.smoothness import distance_to_kinks
>>> round(distance_to_kinks(lambda x, y: abs(x) + max(y, 2.0), [3.0, 1.5]), 6)
0.5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.levels import plain
from dualnumbers.several import parts
from dualnumbers.table import Row
from dualnumbers.table.partials import FAILURES

from ..calls.structures import flatten
from ..calls.values import value_of
from ..reverse import record
from ..tape.wengert import Tape

COMPARISONS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isclose"}
ORDERS = {"max", "min", "nanmax", "nanmin", "sort", "argsort", "argmax", "argmin", "median", "quantile", "searchsorted"}
LENGTHS = {"length", "sqrt"}
"""Rows with a kink where their value is 0."""


def _to_integer(x: float, y: float = 1.0) -> float:
    return abs(x / y - round(x / y))


def _to_half_integer(x: float, *_: float) -> float:
    return abs(x % 1.0 - 0.5)


def _to_ends(x: float, *ends: float) -> float:
    return min((abs(x - end) for end in ends), default=math.inf)


BY_NAME: dict[str, Callable[..., float]] = {
    **dict.fromkeys(COMPARISONS, _to_ends),
    **dict.fromkeys(("floor", "ceil", "trunc", "floor_divide"), _to_integer),
    **dict.fromkeys(("rint", "round"), _to_half_integer),
    **dict.fromkeys(("sign", "signbit"), abs),
    "clip": _to_ends,
}
"""Of rows whose domain says nothing of it, for each element."""


def distance_to_kinks(f: Callable[..., Any], args: Sequence[Any]) -> float:
    """Return how far the steps of ``f`` at ``args`` are from a kink, a tie, a jump or a pole; ∞ if none has any.

    The distance is that of a step's operands, not of the arguments. It is 0 where f is not finite, or fails as `math`
    and NumPy fail outside of a function's domain.
    """
    with np.errstate(all="ignore"):
        try:
            tape, out = record(f, list(args))
        except FAILURES:
            return 0.0
        if not all(np.all(np.isfinite(np.asarray(value_of(x)))) for x in flatten(out)[0] if _is_numeric(value_of(x))):
            return 0.0
        return min(
            (_of_step(row, tape, line) for line, row in enumerate(tape.rows) if row is not None), default=math.inf
        )


def _is_numeric(x: Any) -> bool:
    return np.asarray(x).dtype.kind in "fc"


def _of_step(row: Row, tape: Tape, line: int) -> float:
    """Return how far the operands of a line are from where its row has no derivative."""
    operands = [np.asarray(plain(tape.value(k))) for k in tape.operands(line)]
    if row.name in ORDERS:
        return _gap(operands[0])
    if row.name in LENGTHS:
        return _least(np.abs(np.asarray(plain(parts(tape.values[line])[0]))))
    of_element = BY_NAME.get(row.name) or getattr(row.domain, "distance", None)
    if of_element is None or any(x.dtype.kind not in "biuf" for x in operands):
        return math.inf
    return min((float(of_element(*xs)) for xs in np.broadcast(*(x.astype(float) for x in operands))), default=math.inf)


def _gap(x: Any) -> float:
    """Return the least distance between two elements."""
    return _least(np.diff(np.sort(x, axis=None))) if x.dtype.kind in "biuf" else math.inf


def _least(distances: Any) -> float:
    return float(np.min(distances, initial=math.inf))
