"""The policy for kinks, ties, poles and other points where a derivative is a matter of choice: one line a point.

The tests hold both modes to every line, and the documents print it (docs/build_policy.py).
"""

from dataclasses import dataclass
from math import inf, nan
from typing import Any

Value = float | complex | list[Any] | type[Exception]


@dataclass(frozen=True)
class Point:
    """An expression in ``x``, where it is evaluated, its value there and its derivatives, first order first.

    A list stands for an array. An exception in the place of the value is raised by Python itself, and by both modes.
    """

    expression: str
    x: float | complex | list[Any]
    value: Value
    slopes: tuple[Any, ...]
    reason: str


KINKS = "a kink has the slope 0 where it is the middle of the slopes on both sides"
TIES = "equal arguments share the derivative equally, however it is spelt"
BRANCH = "a choice made by a condition follows the branch that is taken"
STRONG = "a derivative that is exactly 0 stays 0 against an infinite slope"
POWERS = "a power with a constant exponent is a polynomial there: no logarithm, no division"
POLES = "at a pole or the end of a domain the slope is the one that NumPy's arithmetic gives"
STEPS = "a step has the slope 0, at the step as well"
ERRORS = "Python's functions and operators fail as they do on floats"
COMPLEX = "Python's operator turns complex, NumPy's function gives NaN"
FAR = "far out, what vanishes is 0 at every order, not 0 · ∞"
NANS = "NaN in, NaN out, without an exception"
INFINITE = "an infinite argument is a value like any other"
UNKNOWN = "a 0 that is the value of a factor, or an underflow, tells nothing against an infinite slope: NaN"
STRAIGHT = "beyond the first order a kink counts as a straight line with its slope"
LENGTHS = "a root of a sum of squares is a length, with the kink of a length"

NOTES = {
    STRAIGHT: """
The slope at a kink is a convention, and the derivative of that slope, which does not exist there, counts as 0. So a
function that is smooth again, as the square of a modulus, a maximum or a length is, does not get its own second
derivative: write `x**2` for `np.abs(x)**2`, `x @ x` for `np.linalg.norm(x)**2`, `np.var(x)` for `np.std(x)**2`. Even
functions of singular values do get it: [Limitations](limitations.md).
""",
}
"""Reason → what the documents say below it."""

POINTS = [
    Point("abs(x)", 0.0, 0.0, (0.0, 0.0), KINKS),
    Point("np.abs(x)", 0.0, 0.0, (0.0, 0.0), KINKS),
    Point("np.fabs(x)", -0.0, 0.0, (0.0, 0.0), KINKS),
    Point("dmath.fabs(x)", 0.0, 0.0, (0.0, 0.0), KINKS),
    Point("np.hypot(x, 2 * x)", 0.0, 0.0, (0.0, 0.0), KINKS),
    Point("dmath.hypot(x, x, x)", 0.0, 0.0, (0.0, 0.0), KINKS),
    Point("dmath.dist([x, x], [0, 0])", 0.0, 0.0, (0.0, 0.0), KINKS),
    Point("abs(x) ** 3", 0.0, 0.0, (0.0, 0.0), KINKS),
    Point("np.abs(x) ** 2", 0.0, 0.0, (0.0, 0.0), STRAIGHT),
    Point("np.maximum(x, -x) ** 2", 0.0, 0.0, (0.0, 0.0), STRAIGHT),
    Point("np.maximum(x, 0.0) ** 2", 0.0, 0.0, (0.0, 0.5), STRAIGHT),
    Point("np.clip(x, 0.0, 1.0) ** 2", 0.0, 0.0, (0.0, 0.5), STRAIGHT),
    Point("np.hypot(x, 2 * x) ** 2", 0.0, 0.0, (0.0, 0.0), STRAIGHT),
    Point("np.linalg.norm(x) ** 2", [0.0, 0.0], 0.0, ([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]), STRAIGHT),
    Point("np.exp(-np.linalg.norm(x) ** 2)", [0.0, 0.0], 1.0, ([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]), STRAIGHT),
    Point("np.std(x) ** 2", [1.0, 1.0], 0.0, ([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]), STRAIGHT),
    Point("x @ x", [0.0, 0.0], 0.0, ([0.0, 0.0], [[2.0, 0.0], [0.0, 2.0]]), STRAIGHT),
    Point("np.var(x)", [1.0, 1.0], 0.0, ([0.0, 0.0], [[0.5, -0.5], [-0.5, 0.5]]), STRAIGHT),
    Point("np.maximum(x, 0.0)", 0.0, 0.0, (0.5, 0.0), TIES),
    Point("np.maximum(0.0, x)", 0.0, 0.0, (0.5, 0.0), TIES),
    Point("np.minimum(x, 0.0)", 0.0, 0.0, (0.5, 0.0), TIES),
    Point("np.maximum(x, x)", 2.0, 2.0, (1.0, 0.0), TIES),
    Point("np.maximum(x, -x)", 0.0, 0.0, (0.0, 0.0), TIES),
    Point("np.maximum(x, x**2)", 1.0, 1.0, (1.5, 1.0), TIES),
    Point("np.max(x)", [1.0, 3.0, 3.0], 3.0, ([0.0, 0.5, 0.5],), TIES),
    Point("np.min(x)", [1.0, 1.0, 1.0, 3.0], 1.0, ([1 / 3, 1 / 3, 1 / 3, 0.0],), TIES),
    Point("np.maximum(x[0], x[1])", [2.0, 2.0], 2.0, ([0.5, 0.5],), TIES),
    Point("max(x[0], x[1])", [2.0, 2.0], 2.0, ([1.0, 0.0],), BRANCH),
    Point("np.where(x > 0, x, 0.0)", 0.0, 0.0, (0.0, 0.0), BRANCH),
    Point("np.where(x >= 0, x, 0.0)", 0.0, 0.0, (1.0, 0.0), BRANCH),
    Point("x if x > 0 else -x", 0.0, 0.0, (-1.0, 0.0), BRANCH),
    Point("np.where(x > 0, np.sqrt(x), 0.0)", 0.0, 0.0, (0.0, 0.0), STRONG),
    Point("np.where(x > 0, np.log(x), 0.0)", 0.0, 0.0, (0.0, 0.0), STRONG),
    Point("np.where(x != 0, np.divide(np.sin(x), x), 1.0)", 0.0, 1.0, (0.0, 0.0), STRONG),
    Point("np.where(x < 1, np.arccos(x), 0.0)", 1.0, 0.0, (0.0, 0.0), STRONG),
    Point("np.where(x > 0, x ** 0.5, x)", 0.0, 0.0, (1.0, 0.0), STRONG),
    Point("np.where(x < 100, np.exp(x), 0.0)", 1000.0, 0.0, (0.0, 0.0), STRONG),
    Point("np.sum(np.exp(x))", [0.0, 1000.0], inf, ([1.0, inf],), STRONG),
    Point("np.sum(np.where(x > 0, np.sqrt(x), x))", [0.0, 4.0], 2.0, ([1.0, 0.25],), STRONG),
    Point("(x > 0) * np.sqrt(x)", 0.0, 0.0, (0.0, 0.0), STRONG),
    Point("np.sqrt(0.0 * x)", 1.0, 0.0, (0.0, 0.0), STRONG),
    Point("np.cbrt(x**3)", 0.0, 0.0, (nan,), UNKNOWN),
    Point("1 / (1 + np.exp(-x))", -800.0, 0.0, (nan,), UNKNOWN),
    Point("np.sqrt(x) * x", 0.0, 0.0, (nan,), UNKNOWN),
    Point("np.sqrt(x) * np.sqrt(x)", 0.0, 0.0, (nan,), UNKNOWN),
    Point("np.cbrt(x) ** 3", 0.0, 0.0, (nan,), UNKNOWN),
    Point("np.exp(np.log(x))", 0.0, 0.0, (nan,), UNKNOWN),
    Point("np.log1p(np.exp(x))", 1000.0, inf, (nan,), UNKNOWN),
    Point("np.sqrt(abs(x))", 0.0, 0.0, (nan,), UNKNOWN),
    Point("np.sqrt(x**2)", 0.0, 0.0, (0.0, 0.0), LENGTHS),
    Point("np.sqrt(np.sum(x**2))", [0.0, 0.0], 0.0, ([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]), LENGTHS),
    Point("np.dot(x, x) ** 0.5", [0.0, 0.0], 0.0, ([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]), LENGTHS),
    Point("np.sqrt(np.cbrt(x)**2)", 0.0, 0.0, (nan,), UNKNOWN),
    *(Point(f"x ** {n}", 0.0, 0.0**n, tuple(derivatives), POWERS) for n, derivatives in enumerate([
        (0.0, 0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 2.0, 0.0, 0.0, 0.0), (0.0, 0.0, 6.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 24.0, 0.0), (0.0, 0.0, 0.0, 0.0, 120.0), (0.0, 0.0, 0.0, 0.0, 0.0)])),
    Point("x ** 0.0", 0.0, 1.0, (0.0, 0.0, 0.0, 0.0, 0.0), POWERS),
    Point("x ** 1.0", 0.0, 0.0, (1.0, 0.0, 0.0, 0.0, 0.0), POWERS),
    Point("x ** 2.0", 0.0, 0.0, (0.0, 2.0, 0.0, 0.0, 0.0), POWERS),
    Point("x ** 3.0", 0.0, 0.0, (0.0, 0.0, 6.0, 0.0, 0.0), POWERS),
    Point("np.power(x, 4.0)", 0.0, 0.0, (0.0, 0.0, 0.0, 24.0, 0.0), POWERS),
    Point("dmath.pow(x, 5)", 0.0, 0.0, (0.0, 0.0, 0.0, 0.0, 120.0), POWERS),
    Point("np.sum(x ** np.arange(7))", 0.0, 1.0, (1.0, 2.0, 6.0, 24.0, 120.0), POWERS),
    Point("np.sum(x ** np.arange(7.0))", 0.0, 1.0, (1.0, 2.0, 6.0, 24.0, 120.0), POWERS),
    Point("x ** 2.0", -2.0, 4.0, (-4.0, 2.0, 0.0), POWERS),
    Point("x ** 2", -2.0, 4.0, (-4.0, 2.0, 0.0), POWERS),
    Point("x ** -1", -2.0, -0.5, (-0.25, -0.25, -0.375), POWERS),
    Point("x ** 1.5", 0.0, 0.0, (0.0, inf), POWERS),
    Point("x ** 0.5", 0.0, 0.0, (inf,), POLES),
    Point("0.0 ** x", 0.0, 1.0, (-inf,), POLES),
    Point("0.0 ** x", 2.0, 0.0, (0.0, 0.0), POWERS),
    Point("1.0 ** x", 0.0, 1.0, (0.0, 0.0), POWERS),
    Point("(x + 2.0) ** x", 0.0, 1.0, (0.6931471805599453, 1.4804530139182014), POWERS),
    Point("x ** x", 1.0, 1.0, (1.0, 2.0), POWERS),
    Point("np.prod(x)", [0.0, 2.0], 0.0, ([2.0, 0.0], [[0.0, 1.0], [1.0, 0.0]]), POWERS),
    Point("np.prod(x)", [0.0, 0.0], 0.0, ([0.0, 0.0], [[0.0, 1.0], [1.0, 0.0]]), POWERS),
    Point("np.log(x)", 0.0, -inf, (inf, -inf), POLES),
    Point("np.sqrt(x)", 0.0, 0.0, (inf,), POLES),
    Point("np.cbrt(x)", 0.0, 0.0, (inf,), POLES),
    Point("np.arcsin(x)", 1.0, 1.5707963267948966, (inf,), POLES),
    Point("np.arctanh(x)", 1.0, inf, (inf,), POLES),
    Point("np.log(x)", -1.0, nan, (-1.0, -1.0), POLES),
    Point("np.sqrt(x)", -1.0, nan, (nan, nan), POLES),
    Point("np.divide(1.0, x)", 0.0, inf, (-inf, inf), POLES),
    Point("np.logaddexp(x, x)", -inf, -inf, (1.0,), TIES),
    Point("np.logaddexp(x, -inf)", 1.0, 1.0, (1.0, 0.0), INFINITE),
    Point("np.logaddexp(-inf, x)", 1.0, 1.0, (1.0, 0.0), INFINITE),
    Point("np.logaddexp(x, 0.0)", 1000.0, 1000.0, (1.0, 0.0, 0.0), FAR),
    Point("np.logaddexp(x, 0.0)", -1000.0, 0.0, (0.0, 0.0, 0.0), FAR),
    Point("np.logaddexp2(0.0, x)", -2000.0, 0.0, (0.0, 0.0, 0.0), FAR),
    Point("np.tanh(x)", 1000.0, 1.0, (0.0, 0.0, 0.0), FAR),
    Point("dmath.tanh(x)", -1000.0, -1.0, (0.0, 0.0, 0.0), FAR),
    Point("dmath.erf(x)", 40.0, 1.0, (0.0, 0.0, 0.0), FAR),
    Point("dmath.atan(x)", 1e200, 1.5707963267948966, (0.0, 0.0, 0.0), FAR),
    Point("np.tanh(x)", inf, 1.0, (0.0, 0.0), INFINITE),
    Point("np.exp(x)", -inf, 0.0, (0.0, 0.0), INFINITE),
    Point("np.exp(x)", inf, inf, (inf, inf), INFINITE),
    Point("np.arctan(x)", inf, 1.5707963267948966, (0.0,), INFINITE),
    Point("np.divide(1.0, x)", inf, 0.0, (0.0, 0.0), INFINITE),
    Point("np.maximum(x, 1.0)", inf, inf, (1.0, 0.0), INFINITE),
    Point("np.sin(x)", inf, nan, (nan, nan), INFINITE),
    Point("x * 2.0", inf, inf, (2.0, 0.0), INFINITE),
    Point("np.sin(x)", nan, nan, (nan, nan), NANS),
    Point("x * x", nan, nan, (nan, 2.0), NANS),
    Point("np.sqrt(x)", nan, nan, (nan, nan), NANS),
    Point("x ** 2.5", nan, nan, (nan, nan), NANS),
    Point("dmath.sin(x)", nan, nan, (nan, nan), NANS),
    Point("dmath.log(x)", nan, nan, (nan, nan), NANS),
    Point("np.maximum(x, 1.0)", nan, nan, (nan,), NANS),
    Point("np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 3.0])", nan, nan, (nan,), NANS),
    Point("np.hypot(x, 1.0)", nan, nan, (nan,), NANS),
    Point("abs(x)", nan, nan, (nan,), NANS),
    Point("np.max(x)", [1.0, nan], nan, ([nan, nan],), NANS),
    Point("np.sum(np.exp(x))", [0.0, nan], nan, ([1.0, nan],), NANS),
    Point("np.maximum(1.0, x)", nan, nan, (nan,), NANS),
    Point("np.minimum(x, 1.0)", nan, nan, (nan,), NANS),
    Point("np.floor(x)", 2.0, 2.0, (0.0, 0.0), STEPS),
    Point("np.rint(x)", 2.5, 2.0, (0.0, 0.0), STEPS),
    Point("round(x, 1)", 0.25, 0.2, (0.0, 0.0), STEPS),
    Point("1.0 * round(x)", 2.5, 2.0, (0.0, 0.0), STEPS),
    Point("1.0 * dmath.floor(x)", 2.0, 2.0, (0.0, 0.0), STEPS),
    Point("np.sign(x)", 0.0, 0.0, (0.0, 0.0), STEPS),
    Point("x // 1.0", 3.0, 3.0, (0.0, 0.0), STEPS),
    Point("x % 1.0", 3.0, 0.0, (1.0, 0.0), STEPS),
    Point("x * np.floor(x)", 2.0, 4.0, (2.0, 0.0), STEPS),
    Point("dmath.log(x)", 0.0, ValueError, (), ERRORS),
    Point("dmath.sqrt(x)", -1.0, ValueError, (), ERRORS),
    Point("dmath.exp(x)", 1000.0, OverflowError, (), ERRORS),
    Point("1.0 / x", 0.0, ZeroDivisionError, (), ERRORS),
    Point("x ** -1", 0.0, ZeroDivisionError, (), ERRORS),
    Point("dmath.sin(x)", inf, ValueError, (), ERRORS),
    Point("dmath.sqrt(x)", 0.0, 0.0, (inf,), POLES),
    Point("dmath.asin(x)", 1.0, 1.5707963267948966, (inf,), POLES),
    Point("abs(x ** 0.5)", -2.0, 1.4142135623730951, (-0.3535533905932738,), COMPLEX),
    Point("np.power(x, 0.5)", -2.0, nan, (nan, nan, nan), COMPLEX),
    Point("np.float_power(x, np.cos(x))", -2.0, nan, (nan, nan), COMPLEX),
]  # fmt: skip
