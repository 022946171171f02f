"""The push-forward of a row, what it does to a pair of primal and tangent: a closure for each kind and arity."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from ..forms import is_unreal, shape
from ..levels import is_number
from ..rules.shaping import broadcast_to
from ..rules.strong import strong
from ..table.dispatch import lead, leading
from ..table.kinds import Elementwise, scaled, weighted
from ..table.partials import (
    FAILURES,
    as_numpy_float,
    evaluate_partial,
    in_precision,
    numpy_float,
    partial_by_numpy,
    python_of,
)
from ..table.row import Face, Row
from .batch import BatchArray
from .nested import regular
from .weighted import applied
from .weighted import weighted as of_arrays

Make = Callable[[Any, Any, Any], Any]
new = object.__new__

ARRAYS = (np.ndarray, BatchArray)

SILENT = nullcontext()
"""In place of `np.errstate` where NumPy's warnings are off already."""


def push_forward(face: Face, make: Make, kind: type, scalar: type) -> Callable[..., Any]:
    """Extend a row to numbers of ``kind`` with ``primal``, ``tangent`` and ``level``, which ``make`` makes.

    ``scalar`` is the class of those that are no arrays.
    """
    row = face.row
    if row.several:
        return _general(face, partial(paired, make), kind)
    if row.is_elementwise and row.arity == 1:
        return _unary(face, make, scalar)
    if row.is_linear and row.arity == 1:
        return _linear_in_one(face, make)
    general = _general(face, make, kind)
    return _binary(face, make, general, scalar) if row.inline else general


def paired(make: Make, z: Any, tangent: Any, level: Any) -> Any:
    """Make a number of each result that has a tangent."""
    if type(z) is not tuple:
        return z if tangent is None else make(z, tangent, level)
    return tuple(paired(make, x, t, level) for x, t in zip(z, tangent, strict=True))


def _general(face: Face, make: Make, kind: type) -> Callable[..., Any]:
    """Extend a row for operands of any number, level and kind."""
    row, evaluate = face.row, face.evaluate
    statics, unreal, constant = row.statics, face.unreal, row.is_constant

    def pushed(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics] if statics else arguments
        static = arguments[len(operands) :]
        leader = leading(operands)
        level = leader.level
        if not isinstance(leader, kind):
            return lead(face, *arguments)
        primals, active = [], []
        for k, x in enumerate(operands):
            if is_number(type(x)) and x.level.order == level.order:
                primals.append(x.primal)
                if row.passes(k):
                    active.append((k, x.tangent))
            else:
                primals.append(x)
        if unreal and any(map(is_unreal, primals)):
            return unreal(*arguments)
        z = evaluate(*primals, *static)
        if constant:
            return z
        if active and type(active[0][1]) in ARRAYS and not level.by_hand:
            with SILENT if level.quiet else np.errstate(all="ignore"):
                t = applied(row, z, primals, active, static)
            if t is not None:
                return make(z, t, level)
        times = strong if level.by_hand else None
        return make(z, row.push(z, primals, active, static, times), level) if active else z

    return pushed


def _unary(face: Face, make: Make, scalar: type) -> Callable[..., Any]:
    """Extend a row of one operand. Double precision with a float tangent, and what is nested, has a fast path."""
    row, evaluate, evaluate_float = face.row, face.evaluate, face.scalar
    unreal, plainly = face.unreal, not row.singular
    (p,) = row.partials
    if isinstance(p, float):
        return _unary_of_constant(face, make, p)
    of_floats = row.inline_of_floats[0]

    def pushed(x: Any) -> Any:
        primal, tangent = x.primal, x.tangent
        if type(primal) is float:
            z = evaluate_float(primal)
        elif unreal and is_unreal(primal):
            return unreal(x)
        else:
            z = evaluate(primal)
            of_array = type(tangent) is BatchArray or (type(tangent) is np.ndarray and not plainly)
            if of_array and type(z) is np.ndarray and not x.level.by_hand:
                with SILENT if x.level.quiet else np.errstate(all="ignore"):
                    t = of_arrays(row.partials, z, (primal,), (tangent,))
                if t is not None:
                    return make(z, t, x.level)
            if plainly and type(z) is np.ndarray:
                return make(z, in_precision(evaluate_partial(p, primal, z) * tangent, z), x.level)
        if type(tangent) is float and type(z) is not scalar:
            at, w, kind = primal, z, type(z)
            if kind is numpy_float:
                at, w, kind = python_of(primal), float(z), float
            if kind is float:
                try:
                    t = tangent * of_floats(at, w)
                except FAILURES:
                    t = tangent * partial_by_numpy(p, at, w)
                if type(t) is float and t == t:  # a NaN may ask for the strong zero
                    result: Any = new(scalar)
                    result.primal, result.tangent, result.level = z, t, x.level
                    return result
        elif type(z) is scalar:
            at, w, along = regular(primal), regular(z), regular(tangent)
            if at is not None and w is not None and along is not None:
                t = regular(along * evaluate_partial(p, at, w))
                if t is not None:
                    result = new(scalar)
                    result.primal, result.tangent, result.level = z, t, x.level
                    return result
        times = strong if x.level.by_hand else None
        return make(z, Elementwise.push(row, z, (primal,), ((0, tangent),), (), times), x.level)

    return pushed


def _unary_of_constant(face: Face, make: Make, p: float) -> Callable[..., Any]:
    """Extend a row of one operand whose partial is a constant."""
    row, evaluate = face.row, face.evaluate

    def pushed(x: Any) -> Any:
        z, t = evaluate(x.primal), x.tangent
        along = of_arrays(row.partials, z, (x.primal,), (t,)) if type(t) is BatchArray else None
        return make(z, scaled(p, t) if along is None else along, x.level)

    return pushed


def _binary(face: Face, make: Make, general: Callable[..., Any], scalar: Any) -> Callable[..., Any]:
    """Extend a row of two operands, both numbers of one level, or one of them plain or a scalar of a lower level."""
    row, evaluate, unreal = face.row, face.evaluate, face.unreal
    of_scalars, singular = _of_scalars(row, scalar), row.singular

    def pushed(x: Any, y: Any) -> Any:
        if not is_number(type(y)):
            level, a, b, s, t = x.level, x.primal, y, x.tangent, None
        elif not is_number(type(x)):
            level, a, b, s, t = y.level, x, y.primal, None, y.tangent
        elif x.level is y.level:
            level, a, b, s, t = x.level, x.primal, y.primal, x.tangent, y.tangent
        elif type(x) is not scalar or type(y) is not scalar:
            return general(x, y)
        elif x.level.order > y.level.order:
            level, a, b, s, t = x.level, x.primal, y, x.tangent, None
        else:
            level, a, b, s, t = y.level, x, y.primal, None, y.tangent
        if unreal and (is_unreal(a) or is_unreal(b)):
            return unreal(x, y)
        z = evaluate(a, b)
        kind = type(z)
        tangent = of_scalars(z, a, b, s, t) if kind is float or kind is numpy_float or kind is scalar else None
        of_array = singular or type(s) is BatchArray or type(t) is BatchArray
        if kind is np.ndarray and of_array and not level.by_hand:
            with SILENT if level.quiet else np.errstate(all="ignore"):
                tangent = of_arrays(row.partials, z, (a, b), (s, t))
        if tangent is None:
            active = ((1, t),) if s is None else ((0, s),) if t is None else ((0, s), (1, t))
            if singular or kind is not np.ndarray:
                tangent = Elementwise.push(row, z, (a, b), active, (), strong if level.by_hand else None)
            else:
                tangent = weighted(row.partials, z, (a, b), active, None)
            if shape(tangent) != shape(z):
                tangent = in_precision(broadcast_to(tangent, shape(z)), z)
        return make(z, tangent, level)

    return pushed


def _of_scalars(row: Row, scalar: Any) -> Callable[..., Any]:
    """Make the function for the tangent of a value of double precision, or of a nested one, given those of operands.

    A tangent is None where an operand has none. The function gives None where it is NaN, which may ask for the strong
    zero, and where anything else is involved.
    """
    p, q = row.partials
    constant = isinstance(p, float), isinstance(q, float)

    def tangent(z: Any, a: Any, b: Any, s: Any, t: Any) -> Any:
        if type(z) is scalar:
            z, a, b = regular(z), regular(a), regular(b)
            if z is None or a is None or b is None:
                return None
            if (s is not None and (s := regular(s)) is None) or (t is not None and (t := regular(t)) is None):
                return None
        elif (s is not None and type(s) is not float) or (t is not None and type(t) is not float):
            return None
        elif type(z) is numpy_float:
            a, b, z = python_of(a), python_of(b), float(z)
        total = None
        if s is not None:
            total = (p if constant[0] else evaluate_partial(p, a, b, z)) * s
        if t is not None:
            term = (q if constant[1] else evaluate_partial(q, a, b, z)) * t
            total = term if total is None else total + term
        return total if type(total) is float and total == total else regular(total)

    return tangent


def _linear_in_one(face: Face, make: Make) -> Callable[..., Any]:
    """Extend a linear row of one operand: it is applied to both components."""
    row, plain, evaluate = face.row, face.plain, face.evaluate

    def pushed(x: Any, *static: Any) -> Any:
        primal, tangent = x.primal, x.tangent
        if type(primal) is np.ndarray:
            if type(tangent) is np.ndarray:
                return make(plain(primal, *static), plain(tangent, *static), x.level)
            if type(tangent) is BatchArray:
                z = plain(primal, *static)
                with SILENT if x.level.quiet else np.errstate(all="ignore"):
                    t = applied(row, z, (primal,), ((0, tangent),), static)
                if t is not None:
                    return make(z, t, x.level)
        return make(evaluate(primal, *static), evaluate(as_numpy_float(tangent, primal), *static), x.level)

    return pushed
