"""Logarithms and what is made of one: inverse hyperbolic functions, logarithms of sums of exponentials."""

from __future__ import annotations

from .approximation import INFINITY, NAN, at_least, at_most, estrin, parted, product, sum_of, with_sign_of
from .code import Code, Value
from .exponentials import LN2_HIGH, LN2_LOW, LOG2_E, binary, exponential

LN_2 = 0.6931471805599453
LOG2_E_LOW = 2.0355273740931033e-17
LOG10_E, LOG10_E_LOW = 0.4342944819032518, 1.098319650216765e-17
LOG10_2_HIGH, LOG10_2_LOW = 0.30102999566395283, 2.8363394551044964e-14
"""Constants in two parts; the first of log 2 has 42 bits, so that its product with an exponent is exact."""

LOGARITHM = [0.3333333333333325, -0.24999999999987588, 0.20000000000026757, -0.16666666669894473, 0.14285714285009418,
             -0.12499999688999362, 0.11111110858907049, -0.10000015086730019, 0.09090933218833935, -0.08332924308787275,
             0.0769135816754833, -0.07149125931267973, 0.06686360772768418, -0.06201175098682656, 0.05659733965596926,
             -0.056456178072973394, 0.06508242407696285, -0.060735055948628, 0.02691885620277019]  # fmt: skip
"""(log(1 + f) − f + f²/2) / f³ for 1 + f from √½ to √2, of degree 18: log(1 + f) to 2⁻⁵⁶ of itself."""


def beyond_first(c: Code, f: Value) -> Value:
    """Write log(1 + f) − f, 1 + f from √½ to √2."""
    square = c.multiply(f, f)
    return c.fma(c.multiply(square, f), estrin(c, f, LOGARITHM), c.multiply(square, c.constant(-0.5)))


def natural(c: Code, k: Value, f: Value) -> Value:
    """Write k ln 2 + log(1 + f)."""
    y, lost = sum_of(c, c.multiply(k, c.constant(LN2_HIGH)), f)
    return c.add(y, c.add(c.fma(k, c.constant(LN2_LOW), beyond_first(c, f)), lost))


def with_ends(c: Code, x: Value, y: Value) -> Value:
    """Write y, a logarithm of x, but −∞ where x is 0, NaN where it is negative or NaN, ∞ where it is ∞."""
    zero = c.constant(0.0)
    y = c.select(c.compare("less", x, c.constant(INFINITY)), y, x)
    end = c.select(c.compare("equal", x, zero), c.constant(-INFINITY), c.constant(NAN))
    return c.select(c.compare("greater", x, zero), y, end)


def log(c: Code, x: Value) -> Value:
    """Write k ln 2 + log(1 + f), x = 2ᵏ (1 + f)."""
    k, m = parted(c, x)
    return with_ends(c, x, natural(c, k, c.subtract(m, c.constant(1.0))))


def to_base(c: Code, x: Value, factor: tuple[float, float], step: tuple[float, float]) -> Value:
    """Write step k + factor log(1 + f), x = 2ᵏ (1 + f), with constants in two parts: exact where x is a power."""
    k, m = parted(c, x)
    f = c.subtract(m, c.constant(1.0))
    high, low = (c.constant(one) for one in factor)
    first, rest = product(c, f, high)
    rest = c.fma(beyond_first(c, f), high, c.fma(f, low, rest))
    y, lost = sum_of(c, c.multiply(k, c.constant(step[0])), first)
    rest = c.fma(k, c.constant(step[1]), c.add(rest, lost))
    return with_ends(c, x, c.add(y, rest))


def log2(c: Code, x: Value) -> Value:
    """Write the logarithm to base 2."""
    return to_base(c, x, (LOG2_E, LOG2_E_LOW), (1.0, 0.0))


def log10(c: Code, x: Value) -> Value:
    """Write the logarithm to base 10."""
    return to_base(c, x, (LOG10_E, LOG10_E_LOW), (LOG10_2_HIGH, LOG10_2_LOW))


def one_plus(c: Code, x: Value, low: Value | None = None) -> Value:
    """Write log(1 + x + low): that of the rounded 1 + x = 2ᵏ m, f = m − 1 and what the rounding lost, over 2ᵏ."""
    one = c.constant(1.0)
    total = c.add(x, one)
    back = c.subtract(total, one)
    lost = c.add(c.subtract(one, c.subtract(total, back)), c.subtract(x, back))
    lost = lost if low is None else c.add(lost, low)
    k, m = parted(c, total)
    limited = at_most(c, total, 2.0**1000)  # what is lost of a larger one is nothing
    power = c.integer("add", c.as_bits(m), c.integer("sub", c.bits(1023 << 52), c.as_bits(limited)))
    f = c.fma(lost, c.of_bits(power), c.subtract(m, one))
    return with_ends(c, total, natural(c, k, f))


def log1p(c: Code, x: Value) -> Value:
    """Write log(1 + x)."""
    return with_sign_of(c, x, one_plus(c, x))


def weighted(c: Code, x: Value, y: Value, logarithm: Value) -> Value:
    """Write x times a logarithm, 0 where x is 0 unless y is NaN."""
    none = c.integer("and", c.compare("equal", x, c.constant(0.0)), c.compare("equal", y, y))
    return c.select(none, c.constant(0.0), c.multiply(x, logarithm))


def xlogy(c: Code, x: Value, y: Value) -> Value:
    """Write x log y."""
    return weighted(c, x, y, log(c, y))


def xlog1py(c: Code, x: Value, y: Value) -> Value:
    """Write x log(1 + y)."""
    return weighted(c, x, y, log1p(c, y))


def entr(c: Code, x: Value) -> Value:
    """Write −x log x, −∞ where x is negative."""
    y = weighted(c, x, x, c.negative(log(c, x)))
    return c.select(c.compare("less", x, c.constant(0.0)), c.constant(-INFINITY), y)


def asinh(c: Code, x: Value) -> Value:
    """Write log(1 + s + s² / (1 + √(1 + s²))), s = |x|, with the sign of x; log 2s where that is large."""
    one, size = c.constant(1.0), c.own("fabs", x)
    large = c.compare("greater", size, c.constant(2.0**60))
    s = c.select(large, one, size)
    square = c.multiply(s, s)
    more = c.divide(square, c.add(one, c.own("sqrt", c.add(one, square))))
    total, lost = sum_of(c, s, more)
    zero = c.constant(0.0)
    y = one_plus(c, c.select(large, size, total), c.select(large, zero, lost))
    return with_sign_of(c, x, c.add(y, c.select(large, c.constant(LN_2), zero)))


def acosh(c: Code, x: Value) -> Value:
    """Write log(1 + t + √(t² + 2t)), t = x − 1; log 2x where that is large."""
    zero, large = c.constant(0.0), c.compare("greater", x, c.constant(2.0**60))
    t = c.subtract(x, c.constant(1.0))
    root = c.own("copysign", c.own("sqrt", c.fma(t, t, c.add(t, t))), t)  # left of −1, log of a negative number
    total, lost = sum_of(c, root, t)
    y = one_plus(c, c.select(large, x, total), c.select(large, zero, lost))
    return c.add(y, c.select(large, c.constant(LN_2), zero))


def atanh(c: Code, x: Value) -> Value:
    """Write ½ log(1 + 2s / (1 − s)), s = |x|, with the sign of x."""
    one, size = c.constant(1.0), c.own("fabs", x)
    double, rest = c.add(size, size), c.subtract(one, size)
    reciprocal = c.divide(one, rest)
    y = c.multiply(double, reciprocal)
    lost = c.subtract(c.subtract(one, rest), size)  # of 1 − s
    remainder = c.subtract(c.fma(c.negative(y), rest, double), c.multiply(y, lost))
    y = one_plus(c, y, c.multiply(remainder, reciprocal))
    return with_sign_of(c, x, c.multiply(y, c.constant(0.5)))


def softplus(c: Code, x: Value) -> Value:
    """Write log(1 + eˣ) as max(x, 0) + log(1 + e^−|x|)."""
    return c.add(at_least(c, x, 0.0), one_plus(c, exponential(c, c.negative(c.own("fabs", x)))))


def log_expit(c: Code, x: Value) -> Value:
    """Write −log(1 + e⁻ˣ)."""
    return c.negative(softplus(c, c.negative(x)))


def larger_and_gap(c: Code, x: Value, y: Value) -> tuple[Value, Value]:
    """Write the larger of two values, and −|x − y|, 0 where both are the same infinity."""
    gap = c.negative(c.own("fabs", c.subtract(x, y)))
    gap = c.select(c.compare("equal", x, y), c.constant(0.0), gap)
    return c.select(c.compare("less", x, y), y, x), gap


def logaddexp(c: Code, x: Value, y: Value) -> Value:
    """Write log(eˣ + eʸ)."""
    larger, gap = larger_and_gap(c, x, y)
    return c.add(larger, one_plus(c, exponential(c, gap)))


def logaddexp2(c: Code, x: Value, y: Value) -> Value:
    """Write the like to base 2."""
    larger, gap = larger_and_gap(c, x, y)
    return c.add(larger, c.multiply(one_plus(c, binary(c, gap)), c.constant(LOG2_E)))  # 1 of equal ones
