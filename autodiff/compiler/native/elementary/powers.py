"""Powers and roots, the length and the angle of a vector."""

from __future__ import annotations

from .approximation import INFINITY, estrin, parted, product, shifted, sum_of, whole, with_sign_of
from .circular import PI, arctangent
from .code import Code, Value
from .exponentials import EXPONENTIAL, LN2_HIGH, LN2_LOW, LOG2_E

ARTANH = [0.40000000000002256, 0.28571428570099405, 0.22222222519953014, 0.18181784364531328, 0.15386757448445867,
          0.13256815062126834, 0.13196353281838527]  # fmt: skip
"""((2 artanh s − 2s) / s³ − 2/3) / s² in s², |s| ≤ 0.1716, of degree 6: artanh s to 2⁻⁶⁶ of itself."""

TWO_THIRDS, TWO_THIRDS_LOW = 0.6666666666666666, 3.700743415417188e-17

INVERSE_ROOT = [1.9991696972726147, -2.485915740044283, 2.7922042156487286, -1.8981276892926338, 0.7007374178591412,
                -0.10806405457084271]  # fmt: skip
"""The reciprocal of the cube root, from √½ to √2, of degree 5: to 2⁻¹⁷ of itself."""


def logarithm(c: Code, x: Value) -> tuple[Value, Value]:
    """Write log x of positive finite x in two parts, to 2⁻⁶⁵ of itself.

    With x = 2ᵏ m and s = (m − 1) / (m + 1) it is k ln 2 + 2s + s³ (2/3 + s² p(s²)).
    """
    k, m = parted(c, x)
    one, two = c.constant(1.0), c.constant(2.0)
    f, below = c.subtract(m, one), c.add(m, one)
    lost = c.subtract(m, c.subtract(below, one))
    inverse = c.divide(one, below)
    s = c.multiply(f, inverse)
    minus = c.negative(s)
    s_low = c.multiply(c.fma(minus, lost, c.fma(minus, below, f)), inverse)
    square, square_low = product(c, s, s)
    square_low = c.fma(c.multiply(s, two), s_low, square_low)
    factor, factor_low = sum_of(c, c.constant(TWO_THIRDS), c.multiply(square, estrin(c, square, ARTANH)))
    factor_low = c.add(factor_low, c.constant(TWO_THIRDS_LOW))
    cube, cube_low = product(c, square, s)
    cube_low = c.fma(square, s_low, c.fma(square_low, s, cube_low))
    rest, rest_low = product(c, cube, factor)
    rest_low = c.fma(cube, factor_low, c.fma(cube_low, factor, rest_low))
    high, low = sum_of(c, c.multiply(s, two), rest)
    low = c.add(low, c.fma(s_low, two, rest_low))
    high, more = sum_of(c, c.multiply(k, c.constant(LN2_HIGH)), high)
    return high, c.add(more, c.fma(k, c.constant(LN2_LOW), low))


def power(c: Code, x: Value, y: Value) -> Value:
    """Write exp(y log x) for positive finite x where |y log x| < 708; other powers are the C library's.

    The error before the last rounding is below a fifth of a unit: a power that is a double is exact.
    """
    log, log_low = c.once("logarithm", x, lambda: logarithm(c, x))
    t, low = product(c, y, log)
    low = c.fma(y, log_low, low)
    n, bits = whole(c, t, LOG2_E)
    r, more = sum_of(c, c.fma(n, c.constant(-LN2_HIGH), t), c.fma(n, c.constant(-LN2_LOW), low))
    high, lost = sum_of(c, c.constant(1.0), r)
    rest = c.fma(c.multiply(r, r), estrin(c, r, EXPONENTIAL), c.fma(more, r, more))
    z = shifted(c, c.add(high, c.add(lost, rest)), bits)
    usual = c.compare("less", c.own("fabs", t), c.constant(708.0))
    usual = c.integer("and", usual, c.compare("greater", x, c.constant(0.0)))
    usual = c.integer("and", usual, c.compare("less", x, c.constant(INFINITY)))
    return c.rarely(c.integer("xor", usual, c.constant(1, "b1")), z, "pow", x, y)


def cbrt(c: Code, x: Value) -> Value:
    """Write y = 2ⁿ m r², r the reciprocal cube root of m by a step of third order, and then a step of Newton's."""
    size, third = c.own("fabs", x), c.constant(1.0 / 3.0)
    k, m = parted(c, size)
    n, bits = whole(c, k, 1.0 / 3.0)
    rest = c.fma(n, c.constant(-3.0), k)
    one, zero = c.constant(1.0), c.constant(0.0)
    up, down = c.compare("greater", rest, zero), c.compare("less", rest, zero)
    r = estrin(c, m, INVERSE_ROOT)
    by = c.select(up, c.constant(2.0 ** (-1 / 3)), c.select(down, c.constant(2.0 ** (1 / 3)), one))
    r = c.multiply(r, by)
    m = c.multiply(m, c.select(up, c.constant(2.0), c.select(down, c.constant(0.5), one)))
    error = c.fma(c.multiply(c.negative(m), r), c.multiply(r, r), one)
    r = c.fma(c.multiply(r, error), c.fma(error, c.constant(2.0 / 9.0), third), r)
    square = c.multiply(r, r)
    y = c.multiply(m, square)
    high, low = product(c, y, y)
    error = c.fma(c.negative(y), low, c.fma(c.negative(y), high, m))
    y = c.fma(c.multiply(error, square), third, y)
    y = shifted(c, y, bits)
    usual = c.integer("and", c.compare("greater", size, zero), c.compare("less", size, c.constant(INFINITY)))
    return with_sign_of(c, x, c.select(usual, y, size))


def hypot(c: Code, x: Value, y: Value) -> Value:
    """Write √(x² + y²); of sizes whose squares over- or underflow it is the C library's."""
    x, y = c.own("fabs", x), c.own("fabs", y)
    exchanged = c.compare("less", x, y)
    long, short = c.select(exchanged, y, x), c.select(exchanged, x, y)
    z = c.own("sqrt", c.fma(long, long, c.multiply(short, short)))
    most, least = c.constant(2.0**500), c.constant(2.0**-450)
    far = c.integer("or", c.compare("greater", x, most), c.compare("greater", y, most))
    tiny = c.integer("and", c.compare("less", long, least), c.compare("greater", long, c.constant(0.0)))
    return c.rarely(c.integer("or", far, tiny), z, "hypot", x, y)


def cosine(c: Code, x: Value, y: Value) -> Value:
    """Write x / √(x² + y²), 0 at the origin."""
    length, zero = hypot(c, x, y), c.constant(0.0)
    return c.select(c.compare("equal", length, zero), zero, c.divide(x, length))


def atan2(c: Code, y: Value, x: Value) -> Value:
    """Write the angle of (x, y) as 0, π/2 or π and ± arctan of the shorter side over the longer one."""
    height, width = c.own("fabs", y), c.own("fabs", x)
    steep = c.compare("greater", height, width)
    left = c.compare_integers("slt", c.as_bits(x), c.bits(0))
    t = c.divide(c.select(steep, width, height), c.select(steep, height, width))
    t = c.select(c.integer("xor", steep, left), c.negative(t), t)
    aside = c.select(left, c.constant(PI[0]), c.constant(0.0))
    z = with_sign_of(c, y, arctangent(c, t, c.select(steep, c.constant(0.5 * PI[0]), aside)))
    return c.rarely(c.is_nan(t), z, "atan2", y, x)
