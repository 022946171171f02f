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

PLAIN, RESULTS = (ndarray, float, int), (ndarray, np.float64)


def weighted(partials: Sequence[Any], z: Any, xs: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return Σ partialₖ · ẋₖ of ``z``, an array or a float, in its shape and type; None stands for no tangent.

    None comes back where another way is to be taken: a tangent is a number other than a batch of plain arrays, or a
    partial is one, an operand has another number of axes than ``z``, or types mix. Its caller ignores what NumPy warns
    of.
    """
    total: Any = None
    is_array = type(z) is ndarray
    dims, dtype = (z.shape, z.dtype) if is_array else ((), DOUBLE)
    level, is_own = None, False
    for partial, t in zip(partials, tangents, strict=False):
        if t is None:
            continue
        kind = type(t)
        if kind is BatchArray or kind is BatchNumber:
            if level is not None and t.level is not level:
                return None
            level, t = t.level, t.data
            if type(t) is not ndarray or t.ndim != len(dims) + 1:
                return None
        elif kind is not ndarray or not is_array:
            return None
        if type(partial) is float:
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
    if total.dtype != dtype or (total.shape if level is None else total.shape[1:]) != dims:
        return None
    return total if level is None else batch(total, level)


def applied(row: Row, z: Any, xs: Sequence[Any], active: Active, static: tuple[Any, ...]) -> Any:
    """Return the tangent of ``z = row(*xs, *static)``, linear in operands that have plain arrays or batches of such.

    None comes back where another way is to be taken, as of `weighted`.
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
        operands = [zeros_like(x) if k not in given and isinstance(row.argument(k), Linear) else x
                    for k, x in enumerate(operands)]  # fmt: skip
    if level is None:
        found = row.evaluate(*operands, *static)
        return found if type(found) is type(z) is ndarray and found.dtype == z.dtype else None
    found = row.batched(row.evaluate, operands, tuple(members), *static)  # type: ignore[misc]
    if type(found) is not ndarray or type(z) not in RESULTS or found.dtype != z.dtype or found.shape[1:] != z.shape:
        return None
    return batch(found, level)


def times(p: Any, g: Any) -> Any:
    """Return the product of a partial and a batch that is an adjoint, as plain arrays where both are."""
    data = g.data
    if type(data) is ndarray and type(p) is ndarray and p.ndim < data.ndim:
        return batch(p * data, g.level)
    return p * g
