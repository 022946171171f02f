"""The tangent of an elementwise row where all is plain: arrays and floats, one direction or a batch of them.

It is what `kinds.Elementwise.push` gives, computed without asking any value what it is: on small arrays that takes five
times as long as the products do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..forms import zeros_like
from ..table import Row
from ..table.kinds import Active, Linear, Multilinear
from ..table.partials import FAILURES, partial_by_numpy
from .batch import BatchArray, BatchNumber, batch

ndarray = np.ndarray
DOUBLE = np.dtype(float)
"""The type of arrays that go short ways."""

MULTILINEAR = (Multilinear,)

BATCHES = (BatchArray, BatchNumber)

OF_MEMBERS = {(1, 0): (True,), (2, 0): (True, False), (2, 1): (False, True)}
"""The number of operands and the place of the one that has members → which have them."""

PLAIN, RESULTS = (ndarray, float, int), (ndarray, np.float64)


def weighted(partials: Sequence[Any], z: Any, xs: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return Σ partialₖ · ẋₖ of ``z``, an array or a float, in its shape and type; None stands for no tangent.

    None comes back where another way is to be taken: a tangent is a number other than a batch of plain arrays, or a
    partial is one, an operand has another number of axes than ``z``, or types mix. Its caller ignores what NumPy warns
    of.
    """
    for t in tangents:
        if t is not None and type(t) is not ndarray:
            break
    else:
        return summed(partials, z, xs, tangents, 0) if type(z) is ndarray else None
    level, members = None, []
    for t in tangents:
        if t is not None:
            if type(t) not in BATCHES or (level is not None and t.level is not level):
                return None
            level, t = t.level, t.data
        members.append(t)
    total = summed(partials, z, xs, members, 1)
    return None if total is None or level is None else batch(total, level)


def summed(partials: Sequence[Any], z: Any, xs: Sequence[Any], tangents: Sequence[Any], lead: int) -> Any:
    """Return Σ partialₖ · ẋₖ as `weighted` does, of plain arrays, with ``lead`` 1 of members along a first axis."""
    total: Any = None
    dims, dtype = (z.shape, z.dtype) if type(z) is ndarray else ((), DOUBLE)
    rank, is_own = len(dims) + lead, False
    for partial, t in zip(partials, tangents, strict=False):
        if t is None:
            continue
        if type(t) is not ndarray or (lead and t.ndim != rank):
            return None
        if type(partial) is float:
            if partial == -1.0 and total is not None:
                total, is_own = total - t, True
                continue
            term, is_new = (t, False) if partial == 1.0 else (-t, True) if partial == -1.0 else (partial * t, True)
        else:
            try:
                p = partial(*xs, z)
            except FAILURES:
                p = partial_by_numpy(partial, *xs, z)
            if type(p) not in PLAIN:
                return None
            term, is_new = p * t, True
        if total is None:
            total, is_own = term, is_new
        elif is_own and total.shape == term.shape and total.dtype == term.dtype:
            total += term
        else:
            total, is_own = total + term, True
    return total if total.dtype == dtype and total.shape[lead:] == dims else None


def applied(row: Row, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...]) -> Any:
    """Return the tangent of ``z = row(*xs, *static)`` by the row's own function, applied to tangents.

    ``active`` has the place and the tangent, an array or a batch of such, of each operand with one: of any operands of
    a linear row, of one of a multilinear one. None comes back where another way is to be taken: for other rows, where a
    tangent is no plain array or batch of its operand's type, or the result not of that of ``z``.
    """
    if not (row.is_linear or (row.kinds == MULTILINEAR and len(active) == 1)):
        return None
    level, operands, members = None, list(xs), [False] * len(xs)
    for k, t in active:
        x = xs[k]
        if type(t) is BatchArray:
            if row.batched is None or (level is not None and t.level is not level):
                return None
            level, t, members[k] = t.level, t.data, True
        if type(t) is not ndarray or type(x) is not ndarray or t.dtype != x.dtype or t.shape[members[k] :] != x.shape:
            return None
        operands[k] = t
    if row.is_linear and len(active) < len(xs):
        given = {k for k, _ in active}
        operands = [
            zeros_like(x) if k not in given and isinstance(row.argument(k), Linear) else x
            for k, x in enumerate(operands)
        ]
    if level is None:
        found = row.evaluate(*operands, *static)
        return found if type(found) is type(z) is ndarray and found.dtype == z.dtype else None
    found = row.batched(row.evaluate, operands, tuple(members), *static)  # type: ignore[misc]
    if type(found) is not ndarray or type(z) not in RESULTS or found.dtype != z.dtype or found.shape[1:] != z.shape:
        return None
    return batch(found, level)


def moved(row: Row, z: Any, xs: tuple[Any, ...], place: int, t: Any, static: tuple[Any, ...], lead: int) -> Any:
    """Return the tangent of ``z = row(*xs, *static)``, linear in the operand at a place that alone has one, ``t``.

    It is what `applied` gives, of plain arrays; ``lead`` is that of `summed`.
    """
    x = xs[place]
    if type(x) is not ndarray or t.dtype != x.dtype or t.shape[lead:] != x.shape:
        return None
    operands = (t,) if len(xs) == 1 else (t, xs[1]) if place == 0 else (xs[0], t)
    if not lead:
        found = row.evaluate(*operands, *static)
        return found if type(found) is type(z) is ndarray and found.dtype == z.dtype else None
    if row.batched is None or type(z) not in RESULTS:
        return None
    found = row.batched(row.evaluate, operands, OF_MEMBERS[len(xs), place], *static)
    return found if type(found) is ndarray and found.dtype == z.dtype and found.shape[1:] == z.shape else None


def times(p: Any, g: Any) -> Any:
    """Return the product of a partial and a batch that is an adjoint, as plain arrays where both are."""
    data = g.data
    if type(data) is ndarray and type(p) is ndarray and p.ndim < data.ndim:
        return batch(p * data, g.level)
    return p * g
