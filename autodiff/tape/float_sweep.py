"""The backward sweep of a tape on which every value is one of Python's floats, as of a loop over numbers.

It does what `sweep` does, operation by operation, and asks of nothing of which type it is: three quarters of the time.
A product is written out, for its partials are its operands; every other row is read from the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.table import TABLE
from dualnumbers.table.partials import FAILURES

from .program import FAR, INERT
from .variable import MULTIPLY
from .wengert import Tape

POWER = TABLE["power"].row


def of_floats(tape: Tape, seeds: dict[int, float], pull: Callable[..., None]) -> list[Any] | None:
    """Return the adjoints of the lines, given those of outputs.

    None where a partial fails, and where an adjoint of an input is NaN or no float: then `sweep` takes a closer look.
    ``pull`` is what pulls back through rows of more than two operands.
    """
    values = tape.values
    found: list[Any] = [None] * len(values)
    for line, seed in seeds.items():
        found[line] = seed
    count = max(seeds) + 1
    columns: Any = tape.rows, tape.first, tape.second, values
    if count < len(values):
        columns = [column[:count] for column in columns]
    try:
        _through(tape, zip(range(count - 1, -1, -1), *map(reversed, columns), strict=True), found, pull)
    except FAILURES:
        return None
    total = sum([g for line in tape.inputs if (g := found[line]) is not None])
    return found if type(total) is float and total == total else None


def _through(tape: Tape, lines: Any, found: list[Any], pull: Callable[..., None]) -> None:
    """Pass the adjoints that are ``found`` on through all lines, from the last one to the first."""
    values, constants, multiply, power, far = tape.values, tape.constants, MULTIPLY, POWER, FAR
    for line, row, a, b, z in lines:
        g = found[line]
        if g is None or row is None:
            continue
        found[line] = None  # nothing reads it any more
        partials = row.inline_of_floats
        if partials is None:
            with np.errstate(all="ignore"):
                pull(tape, line, g, found, set(), None)
            continue
        p, q = partials
        if not type(p) is float is type(q):
            x = values[a] if a >= 0 else constants[~a] if a > far else values[a - INERT]
            if q is None:
                t, c = found[a], (p if type(p) is float else p(x, z)) * g
                found[a] = c if t is None else t + c
                continue
            y = values[b] if b >= 0 else constants[~b] if b > far else values[b - INERT]
            if row is multiply:
                if a == b:
                    t, c = found[a], x * g
                    c += c
                    found[a] = c if t is None else t + c
                    continue
                p, q = y, x
            elif row is power and b < 0 and y == 2:
                p = y * x
            else:
                if a >= 0 and type(p) is not float:
                    p = p(x, y, z)
                if b >= 0 and type(q) is not float:
                    q = q(x, y, z)
        if a >= 0:
            t, c = found[a], p * g
            found[a] = c if t is None else t + c
        if b >= 0:
            t, c = found[b], q * g
            found[b] = c if t is None else t + c
