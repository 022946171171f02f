"""Sums, products and quotients of dual arrays, written out where all is plain: arrays of doubles, batches of them.

A Hessian multiplies and adds up such numbers all along. The table gives the same, bit for bit, and takes twice as long
on small arrays to find out what its operands are; a test holds the one against the other.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable
from typing import Any

import numpy as np

from ..table.row import Face
from .batch import BatchArray
from .operators import lifted_operators
from .weighted import DOUBLE

new, ndarray = object.__new__, np.ndarray
Operator = Callable[[Any, Any], Any]


def operators(kind: type, face: Face) -> tuple[Operator, Operator]:
    """Return the operator of a row and its reflected twin, of dual arrays, which are of that kind."""
    general, reflected = lifted_operators(face, kind)
    written = WRITTEN.get(face.row.name)
    if written is None:
        return general, reflected
    return _operator(kind, general, *written), _operator(kind, reflected, *REFLECTED.get(face.row.name, written))


def _operator(dual_array: type, general: Operator, value: Operator, tangent: Callable[..., Any]) -> Operator:
    """Make an operator of the usual operands, another array of the level, a plain one, one of Python's numbers.

    ``tangent`` is given both primals, both tangents, the second None of what has none, and the value.
    """
    singular = value in (op.truediv, _divided)

    def apply(x: Any, y: Any) -> Any:
        a, s, kind = x.primal, x.tangent, type(y)
        low = s.level if type(s) is BatchArray else None
        s = s if low is None else s.data
        if type(a) is not ndarray or type(s) is not ndarray or not a.dtype is s.dtype is DOUBLE or not a.ndim:
            return general(x, y)
        if singular and x.level.by_hand:  # which has the strong zero
            return general(x, y)
        if kind is float or kind is int:
            b, t = y, None
            if singular and not b:
                return general(x, y)
        elif kind is ndarray:
            b, t = y, None
            if b.dtype is not DOUBLE or b.shape != a.shape:
                return general(x, y)
        elif kind is dual_array and y.level is x.level:
            b, t = y.primal, y.tangent
            if low is not None:
                t = t.data if type(t) is BatchArray and t.level is low else None
            if type(b) is not ndarray or type(t) is not ndarray or not b.dtype is t.dtype is DOUBLE:
                return general(x, y)
            if b.shape != a.shape or t.shape != s.shape:
                return general(x, y)
        else:
            return general(x, y)
        z: Any = new(dual_array)
        z.level, z.primal = x.level, value(a, b)
        if x.level.quiet or (low is None and not singular):
            d = tangent(a, b, s, t, z.primal)
        else:
            with np.errstate(all="ignore"):
                d = tangent(a, b, s, t, z.primal)
        if low is not None:
            z.tangent = along = new(BatchArray)
            along.data, along.level = d, low
        else:
            z.tangent = d
        return z

    return apply


def _of_product(a: Any, b: Any, s: Any, t: Any, z: Any) -> Any:
    d = b * s
    if t is s and a is b:
        d += d
    elif t is not None:
        d += a * t
    return d


def _of_quotient(a: Any, b: Any, s: Any, t: Any, z: Any) -> Any:
    d = 1.0 / b * s
    if t is not None:
        d += -z / b * t
    return d


def _of_divided(a: Any, b: Any, s: Any, t: Any, z: Any) -> Any:
    d = -z / a * s
    if t is not None:
        d += 1.0 / a * t
    return d


def _divided(a: Any, b: Any) -> Any:
    return b / a


WRITTEN: dict[str, tuple[Operator, Callable[..., Any]]] = {
    "add": (op.add, lambda a, b, s, t, z: s if t is None else s + t),
    "subtract": (op.sub, lambda a, b, s, t, z: s if t is None else s - t),
    "multiply": (op.mul, _of_product),
    "divide": (op.truediv, _of_quotient),
}
"""The name of a row → the operator of the primals, and the tangent."""

REFLECTED: dict[str, tuple[Operator, Callable[..., Any]]] = {
    "subtract": (lambda a, b: b - a, lambda a, b, s, t, z: -s if t is None else t - s),
    "divide": (_divided, _of_divided),
}
"""The same of a reflected operator, where it is another."""
