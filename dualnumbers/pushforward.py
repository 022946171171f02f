"""The push-forward of a row: what it does to a pair of primal and tangent, kind of row by kind, closure by arity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .dispatch import lead, leading
from .elementary import ELEMENTWISE, FAILURES, LINEAR, LOCALLY_CONSTANT, MULTILINEAR, SMOOTH, Row
from .forms import dtype_of, is_unreal, shape, zeros_like
from .levels import is_number, plain
from .partials import as_numpy_float, at_point, evaluate_partial, numpy_float, partial_by_numpy, python_of
from .rules.shaping import astype, broadcast_to
from .rules.strong import strong

Make = Callable[[Any, Any, Any], Any]
new = object.__new__


def push_forward(row: Row, make: Make, kind: type, scalar: type) -> Callable[..., Any]:
    """The row extended to numbers of ``kind`` with ``primal``, ``tangent`` and ``level``, which ``make`` makes."""
    if row.kind == ELEMENTWISE and row.arity == 1:
        return _unary(row, make, scalar)
    if row.kind == LINEAR and row.arity == 1:
        return _linear_in_one(row, make)
    general = _general(row, make, kind)
    return _binary(row, make, general) if row.inline and not row.unreal else general


def _general(row: Row, make: Make, kind: type) -> Callable[..., Any]:
    """Operands of any number, level and kind."""
    statics, evaluate, unreal = row.statics, row.evaluate, row.unreal

    def pushed(*arguments: Any) -> Any:
        operands = arguments[: len(arguments) - statics] if statics else arguments
        static = arguments[len(operands) :]
        leader = leading(operands)
        level = leader.level
        if not isinstance(leader, kind):
            return lead(row, *arguments)
        duals = [is_number(type(x)) and x.level.number == level.number for x in operands]
        primals = [x.primal if dual else x for x, dual in zip(operands, duals, strict=True)]
        if unreal and any(map(is_unreal, primals)):
            return unreal(*arguments)
        if row.kind == LOCALLY_CONSTANT:
            return evaluate(*primals, *static)
        z = evaluate(*primals, *static)
        active = [(k, x.tangent) for k, x in enumerate(operands) if duals[k] and has_derivative(row, k)]
        times = strong if level.by_hand else None
        return make(z, row_tangent(row, z, primals, active, static, times), level) if active else z

    return pushed


def row_tangent(row: Row, z: Any, primals: list[Any], active: list[tuple[int, Any]], static: tuple[Any, ...] = (),
                times: Any = None) -> Any:  # fmt: skip
    """The tangent of ``z = row(*primals, *static)`` for the tangents of the operands ``active``, [(place, tangent)].

    ``times``: the product of a partial and a tangent where a partial may be infinite, None for the plain one.
    """
    if row.kind == ELEMENTWISE:
        tangent = _elementwise(row, z, primals, active, times)
    else:
        tangent = _TANGENTS[row.kind](row, z, primals, [(k, as_numpy_float(t, primals[k])) for k, t in active], static)
    return tangent if shape(tangent) == shape(z) else in_precision(broadcast_to(tangent, shape(z)), z)


def has_derivative(row: Row, k: int) -> bool:
    """Whether a row that is not locally constant has a derivative in operand ``k``."""
    if row.kind == ELEMENTWISE or row.arity == -1:
        return True
    return row.adjoints[k] is not None or bool(row.pushes and row.pushes[k])


def _unary(row: Row, make: Make, scalar: type) -> Callable[..., Any]:
    """A function of one number. A value of double precision with a float for its tangent goes a short way."""
    evaluate, evaluate_float, unreal, plainly = row.evaluate, row.scalar, row.unreal, not row.singular
    (partial,) = row.partials
    if isinstance(partial, float):
        return lambda x: make(evaluate(x.primal), _scaled(partial, x.tangent), x.level)

    def pushed(x: Any) -> Any:
        primal, tangent = x.primal, x.tangent
        if type(primal) is float:
            z = evaluate_float(primal)
        elif unreal and is_unreal(primal):
            return unreal(x)
        else:
            z = evaluate(primal)
            if plainly and type(z) is np.ndarray:
                return make(z, in_precision(evaluate_partial(partial, primal, z) * tangent, z), x.level)
        if type(tangent) is float:
            at, w, kind = primal, z, type(z)
            if kind is numpy_float:
                at, w, kind = python_of(primal), float(z), float
            if kind is float:
                try:
                    t = tangent * partial(at, w)
                except FAILURES:
                    t = tangent * partial_by_numpy(partial, at, w)
                if type(t) is float and t == t:  # a NaN may ask for the strong zero
                    result: Any = new(scalar)
                    result.primal, result.tangent, result.level = z, t, x.level
                    return result
        times = strong if x.level.by_hand else None
        return make(z, _elementwise(row, z, (primal,), ((0, tangent),), times), x.level)

    return pushed


def _binary(row: Row, make: Make, general: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two operands, both numbers of one level or one of them plain."""
    evaluate, of_floats, singular = row.evaluate, _of_floats(row), row.singular

    def pushed(x: Any, y: Any) -> Any:
        if not is_number(type(y)):
            level, a, b, s, t = x.level, x.primal, y, x.tangent, None
        elif not is_number(type(x)):
            level, a, b, s, t = y.level, x, y.primal, None, y.tangent
        elif x.level is y.level:
            level, a, b, s, t = x.level, x.primal, y.primal, x.tangent, y.tangent
        else:
            return general(x, y)
        z = evaluate(a, b)
        kind = type(z)
        tangent = of_floats(z, a, b, s, t) if kind is float or kind is numpy_float else None
        if tangent is None:
            active = ((1, t),) if s is None else ((0, s),) if t is None else ((0, s), (1, t))
            if singular or kind is not np.ndarray:
                tangent = _elementwise(row, z, (a, b), active, strong if level.by_hand else None)
            else:
                tangent = _weighted(row, z, (a, b), active, None)
            if shape(tangent) != shape(z):
                tangent = in_precision(broadcast_to(tangent, shape(z)), z)
        return make(z, tangent, level)

    return pushed


def _of_floats(row: Row) -> Callable[..., float | None]:
    """The tangent of a value of double precision for those of its operands, floats or None for none.

    None where it is NaN, which may ask for the strong zero, and where anything else is involved.
    """
    p, q = row.partials
    constant = isinstance(p, float), isinstance(q, float)

    def tangent(z: Any, a: Any, b: Any, s: Any, t: Any) -> float | None:
        if (s is not None and type(s) is not float) or (t is not None and type(t) is not float):
            return None
        if type(z) is numpy_float:
            a, b, z = python_of(a), python_of(b), float(z)
        total = None
        if s is not None:
            total = (p if constant[0] else evaluate_partial(p, a, b, z)) * s
        if t is not None:
            term = (q if constant[1] else evaluate_partial(q, a, b, z)) * t
            total = term if total is None else total + term
        return total if type(total) is float and total == total else None

    return tangent


def _linear_in_one(row: Row, make: Make) -> Callable[..., Any]:
    """A linear function of one operand: the function of both components."""
    plain, evaluate = row.plain, row.evaluate

    def pushed(x: Any, *static: Any) -> Any:
        primal, tangent = x.primal, x.tangent
        if type(primal) is np.ndarray and type(tangent) is np.ndarray:
            return make(plain(primal, *static), plain(tangent, *static), x.level)
        return make(evaluate(primal, *static), evaluate(as_numpy_float(tangent, primal), *static), x.level)

    return pushed


def _scaled(partial: float, t: Any) -> Any:
    """A constant partial times a tangent: no product for ±1."""
    return t if partial == 1.0 else -t if partial == -1.0 else partial * t


def _elementwise(row: Row, z: Any, primals: Any, active: Any, times: Any) -> Any:
    """Σ partialₖ · ẋₖ, in the output's precision."""
    if row.singular or isinstance(z, np.generic):
        with np.errstate(all="ignore"):
            return _weighted(row, z, primals, active, times if row.singular else None)
    return _weighted(row, z, primals, active, None)


def _weighted(row: Row, z: Any, primals: Any, active: Any, times: Any) -> Any:
    total = None
    w, xs = (z, primals) if type(z) is np.ndarray else at_point(z, primals)
    softened = w is not z
    for k, t in active:
        if softened and isinstance(t, np.generic):
            t = python_of(t)
        partial = row.partials[k]
        if type(partial) is float:
            term = _scaled(partial, t)
        else:
            p = evaluate_partial(partial, *xs, w)
            term = p * t if times is None else times(p, t)
        total = term if total is None else total + term
    return in_precision(total, z)


def in_precision(tangent: Any, z: Any) -> Any:
    """A tangent in the output's precision: the partial of a kink or of SciPy is float64 beside float32 arguments."""
    if type(z) is np.ndarray and type(tangent) is np.ndarray and z.dtype is tangent.dtype:
        return tangent
    given, wanted = plain(tangent), plain(z)
    if type(wanted) is float or not hasattr(given, "dtype") or not hasattr(wanted, "dtype"):
        return tangent
    target = wanted.dtype if given.dtype.kind == wanted.dtype.kind else wanted.real.dtype
    return tangent if given.dtype == target or given.dtype.kind != target.kind else astype(tangent, target)


def _linear(row: Row, z: Any, primals: list[Any], active: Any, static: Any) -> Any:
    """The function of all tangents; zeros for constants; an operand without derivative keeps its value.

    Of a complex array a complex tangent: the function may write to it.
    """
    tangents = [zeros_like(x) if has_derivative(row, k) else x for k, x in enumerate(primals)]
    for k, t in active:
        x = primals[k]
        tangents[k] = astype(t, dtype_of(x)) if is_unreal(x) and not is_unreal(t) else t
    return row.evaluate(*tangents, *static)


def _replaced(row: Row, z: Any, primals: list[Any], active: Any, static: Any) -> Any:
    """Σ of the function with one operand replaced by its tangent."""
    total = None
    for k, t in active:
        term = row.evaluate(*primals[:k], t, *primals[k + 1 :], *static)
        total = term if total is None else total + term
    return total


def _smooth(row: Row, z: Any, primals: list[Any], active: Any, static: Any) -> Any:
    """Σ of the written push-forwards; an operand in which the function is linear is replaced by its tangent."""
    total = None
    for k, t in active:
        push = row.pushes[k]
        term = push(t, z, *primals, *static) if push else _replaced(row, z, primals, [(k, t)], static)
        total = term if total is None else total + term
    return total


_TANGENTS = {LINEAR: _linear, MULTILINEAR: _replaced, SMOOTH: _smooth}
