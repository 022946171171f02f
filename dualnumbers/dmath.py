"""The names of Python's ``math`` module, for numbers of any kind: ``import dualnumbers.dmath as math`` is a drop-in.

Functions with a derivative, the locally constant ones (``floor``), predicates (``isnan``) and constants (``pi``) are
all here. On plain numbers each computes and fails as ``math`` does. Angles are in radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from math import comb, factorial, gcd, isqrt, lcm, perm  # of integers: nothing to differentiate
from typing import Any

from .levels import plain, read
from .rules.comparisons import isfinite, isinf, isnan
from .rules.comparisons import math_isclose as _isclose
from .rules.elementwise.arithmetic import degrees, fma, fmod, frexp, ldexp, modf, nextafter, radians, remainder
from .rules.elementwise.exponential import exp, exp2, expm1, log1p, log2, log10
from .rules.elementwise.exponential import log as _natural_log
from .rules.elementwise.gamma import gamma, lgamma
from .rules.elementwise.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from .rules.elementwise.kinks import copysign, fabs
from .rules.elementwise.normal import erf, erfc
from .rules.elementwise.powers import cbrt, euclidean_length, sqrt
from .rules.elementwise.powers import hypot as _hypot
from .rules.elementwise.powers import math_pow as pow
from .rules.elementwise.trigonometric import acos, asin, atan, atan2, cos, sin, tan
from .rules.reductions import fsum as _fsum
from .rules.step_functions import ceil, floor, trunc, ulp

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "comb",
    "copysign",
    "cos",
    "cosh",
    "degrees",
    "dist",
    "e",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "factorial",
    "floor",
    "fma",
    "fmod",
    "frexp",
    "fsum",
    "gamma",
    "gcd",
    "hypot",
    "inf",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isqrt",
    "lcm",
    "ldexp",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "modf",
    "nan",
    "nextafter",
    "perm",
    "pi",
    "pow",
    "prod",
    "radians",
    "remainder",
    "sin",
    "sinh",
    "sqrt",
    "sumprod",
    "tan",
    "tanh",
    "tau",
    "trunc",
    "ulp",
]

e, inf, nan, pi, tau = math.e, math.inf, math.nan, math.pi, math.tau


def _is_plain(*values: Any) -> bool:
    return all(value is plain(value) for value in values)


def log(x: Any, base: Any = None) -> Any:
    """Return the logarithm of ``x``, natural or to the given base."""
    return _natural_log(x) if base is None else _natural_log(x) / _natural_log(base)


def hypot(*coordinates: Any) -> Any:
    """Return the Euclidean length √(x² + y² + …); at the origin its derivative is 0."""
    return _hypot(*coordinates) if len(coordinates) == 2 else euclidean_length(len(coordinates))(*coordinates)


def isclose(a: Any, b: Any, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    """Return whether the plain values are close, as ``math.isclose`` has it."""
    return bool(_isclose(a, b, read(rel_tol), read(abs_tol)))


def dist(p: Iterable[Any], q: Iterable[Any]) -> Any:
    """Return the Euclidean distance of two points of one dimension."""
    p, q = tuple(p), tuple(q)
    if _is_plain(*p, *q) or len(p) != len(q):
        return math.dist(p, q)
    return hypot(*(_as_float(x) - _as_float(y) for x, y in zip(p, q, strict=True)))


def _as_float(x: Any) -> Any:
    return float(x) if isinstance(x, int) else x


def fsum(seq: Iterable[Any]) -> Any:
    """Return the sum of the terms, each component added without loss of precision."""
    return _fsum(*seq)


def prod(iterable: Iterable[Any], *, start: Any = 1) -> Any:
    """Return the product of the factors."""
    return reduce(lambda x, y: x * y, iterable, start)


def sumprod(p: Iterable[Any], q: Iterable[Any]) -> Any:
    """Return the sum of products of paired terms."""
    p, q = tuple(p), tuple(q)
    if _is_plain(*p, *q):
        return math.sumprod(p, q) if hasattr(math, "sumprod") else sum(x * y for x, y in zip(p, q, strict=True))
    return fsum([x * y for x, y in zip(p, q, strict=True)])
