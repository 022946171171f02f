"""A derivative of one order, along one direction, by one nesting of the modes: a check of a function in few calls.

With directions v and weights w the function becomes g(t) = w · f(x + t v), of one number. Its n-th derivative at 0 by
the nesting is compared with the Taylor coefficient by power series, and with the difference quotient of the derivative
of one order less. A property-based test draws x, v, w, n and the nesting, and so sees every derivative of every order
sooner or later, at a price that does not grow with the number of arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dualnumbers.table.partials import FAILURES

from ..any_order import taylor
from ..differences import difference_quotient
from ..forward import derivative
from ..reverse import grad
from .derivatives import RELATIVE
from .gradcheck import CANCELLING, RESOLVED, ROUNDING, largest_term
from .real_function import by_copies, of_real_leaves, size
from .report import Comparison, Finding, GradcheckError, Report

Scalar = Callable[[float], Any]
"""A function of one number."""

WIDTHS = [[2.0**-k for k in ladder] for ladder in ((4, 5, 6, 7), (9, 10, 11, 12))]
"""The steps that are tried first, and those for a function that turns within the first."""

STEPS: dict[str, Callable[[Scalar], Scalar]] = {
    "forward": lambda g: lambda t: derivative(g, 0, [t]),
    "reverse": grad,
}


def along(f: Callable[..., Any], args: Sequence[Any], seed: int) -> Scalar:
    """Return ``t ↦ w · f(args + t v)`` with v and w drawn by a seed; v has the length 1, w is of the size 1."""
    random = np.random.default_rng(seed)
    full = of_real_leaves(f, list(args), range(len(args)))
    directions = [random.normal(size=np.shape(x)) for x in full.leaves]
    length = math.sqrt(sum(float(np.sum(v * v)) for v in directions))
    weights = [random.normal(size=np.shape(z)) for z in by_copies(full.function)(*full.leaves)]

    def g(t: float) -> Any:
        outs = full.function(*(x + t * (v / length) for x, v in zip(full.leaves, directions, strict=True)))
        return sum(np.sum(w * z) for w, z in zip(weights, outs, strict=True))

    g.__name__ = getattr(f, "__name__", "f")
    return g


def check_along(f: Callable[..., Any], args: Sequence[Any], modes: Sequence[str], seed: int = 0) -> Report:
    """Compare the derivative of order ``len(modes)`` along a drawn direction, the first mode outermost.

    Returns a report of three comparisons: the value of f in a power series, and the derivative by the nesting, against
    the power series to rounding, against the difference quotient to its error and seven digits.
    """
    g, order = along(f, args, seed), len(modes)
    nested = g
    for mode in reversed(modes):
        nested = STEPS[mode](nested)
    factorial, below = math.factorial(order), math.factorial(order - 1)
    series = taylor(g, 0.0, order)
    lower = g if order == 1 else lambda t: taylor(g, t, order - 1)[-1] * below
    found, expected = float(nested(0.0)), float(series[-1]) * factorial
    quotient, error = _near(found, lower) or difference_quotient(lower, 0, [0.0])
    of_orders = [abs(float(c)) * math.factorial(k) for k, c in enumerate(series)]
    largest = max(*of_orders, largest_term(g, [0.0]), size(np.asarray(found)))
    eps = float(np.finfo(float).eps)
    rounding, name = ROUNDING * eps * largest, " over ".join(modes)
    lines = [
        (0, "power series", "f itself", float(series[0]), float(g(0.0)), CANCELLING * eps * largest, 0.0),
        (order, name, "power series", found, expected, rounding, 0.0),
        (order, name, "differences", found, quotient, RELATIVE * abs(quotient) + 4 * error + eps * largest, error),
    ]
    comparisons, findings = [], []
    for n, mode, against, z, w, limit, uncertain in lines:
        wrong = not (abs(z - w) <= limit or math.isinf(limit))  # of which nothing is known
        worst = abs(z - w) / limit if z != w and limit and math.isfinite(limit) else 0.0
        comparisons.append(Comparison(n, mode, against, 1, worst, int(uncertain > RESOLVED * (abs(w) + largest))))
        if wrong:
            element = f"the derivative of order {n} along direction {seed}" if n else "f along it"
            findings.append(Finding(n, mode, against, element, z, w, limit, math.nan))
    return Report(tuple(comparisons), tuple(findings))


def _near(found: float, lower: Scalar) -> tuple[float, float] | None:
    """Return a quotient of few calls and its error if ``found`` is as near to it as a right one is, else None.

    Central quotients at four steps are extrapolated to 0 (Richardson); most right derivatives are right by these. Of a
    wrong one they speak only where the coarse and the fine steps agree.
    """
    seen = math.nan
    with np.errstate(all="ignore"):
        for widths in WIDTHS:
            row: list[float] = []
            try:
                for h in widths:
                    before, row = row, [float(lower(h) - lower(-h)) / (2.0 * h)]
                    for j, coarser in enumerate(before):
                        row.append(row[j] + (row[j] - coarser) / (4.0 ** (j + 1) - 1.0))
            except FAILURES:
                continue
            quotient, error, near = row[-1], abs(row[-1] - before[-1]), RELATIVE * abs(row[-1])
            if error <= near and (abs(found - quotient) <= near or abs(seen - quotient) <= near):
                return quotient, error
            seen = quotient
    return None


def confirm_along(f: Callable[..., Any], args: Sequence[Any], modes: Sequence[str], seed: int = 0) -> None:
    """Raise GradcheckError where `check_along` finds something wrong."""
    report = check_along(f, args, modes, seed)
    if not report:
        raise GradcheckError(report)
