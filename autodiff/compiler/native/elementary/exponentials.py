"""Exponentials and what is made of one: the Gaussian, hyperbolic functions, the logistic function."""

from __future__ import annotations

import math
import sys

from .approximation import at_least, at_most, estrin, product, scaled, whole, with_sign_of
from .code import Code, Value

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471805598903, 5.497923018708371e-14
"""ln 2 in two parts; the first has 42 bits, so that its product with an exponent is exact."""

EXPONENTIAL = [0.5000000000000012, 0.166666666666667, 0.04166666666651542, 0.008333333333307205, 0.0013888888947016396,
               0.00019841269917381715, 2.4801489941842476e-05, 2.755721630310443e-06, 2.763128043778634e-07,
               2.511786022160614e-08]  # fmt: skip
"""(eʳ − 1 − r) / r² for |r| ≤ ½ ln 2, of degree 9: eʳ to 2⁻⁵⁶."""

BINARY = [0.6931471805599453, 0.24022650695910133, 0.05550410866482174, 0.009618129107593328, 0.0013333558146379067,
          0.00015403530458086187, 1.525273386750785e-05, 1.321543481328077e-06, 1.0178046476328328e-07,
          7.073860854595972e-09, 4.4573848750367215e-10]  # fmt: skip
"""(2ʳ − 1) / r for |r| ≤ ½, of degree 10: 2ʳ to 2⁻⁵⁶."""


def reduced(c: Code, x: Value, shift: int = 0, low: Value | None = None) -> tuple[Value, Value, Value]:
    """Write r = x + low − n ln 2, eʳ − 1 − r, and n + shift as an integer's lowest bits; n is the nearest."""
    n, bits = whole(c, x, LOG2_E, shift)
    high, low_part = c.fma(n, c.constant(-LN2_HIGH), x), c.constant(-LN2_LOW)
    r = c.fma(n, low_part, high) if low is None else c.add(high, c.fma(n, low_part, low))
    return r, c.multiply(c.multiply(r, r), estrin(c, r, EXPONENTIAL)), bits


def exponential(c: Code, x: Value, low: Value | None = None, shift: int = 0, by: Value | None = None) -> Value:
    """Write 2ˢ exp(x + low), s the shift, times a factor from 2⁻⁶ to 2, rounded once."""
    x = at_least(c, x, -748.0)
    r, rest, n = reduced(c, x, shift, low)
    by = c.constant(1.0) if by is None else by
    y = c.fma(c.add(r, rest), by, by)
    return scaled(c, y, n, x, -700.0, math.log(sys.float_info.max) - shift * math.log(2.0))


def exp(c: Code, x: Value) -> Value:
    """Write eˣ."""
    return exponential(c, x)


def binary(c: Code, x: Value, shift: int = 0) -> Value:
    """Write 2ˢ 2ˣ, s the shift."""
    x = at_least(c, x, -1080.0)
    n, bits = whole(c, x, 1.0, shift)
    r = c.subtract(x, n)
    y = c.fma(r, estrin(c, r, BINARY), c.constant(1.0))
    return scaled(c, y, bits, x, -1000.0, math.nextafter(1024.0 - shift, 0.0))


def exp2(c: Code, x: Value) -> Value:
    """Write 2ˣ."""
    return binary(c, x)


def expm1(c: Code, x: Value) -> Value:
    """Write eˣ − 1 as 2ⁿ (eʳ − 1 − r) + (2ⁿ r + (2ⁿ − 1)); beyond 700 by 2ⁿ⁻⁶⁴ instead, and times 2⁶⁴."""
    limited = at_most(c, at_least(c, x, -50.0), 720.0)
    r, rest, n = reduced(c, limited)
    large = c.compare("greater", x, c.constant(700.0))
    bits = c.integer("shl", c.integer("add", n, c.bits(1023)), c.bits(52))
    power = c.of_bits(c.select(large, c.integer("sub", bits, c.bits(64 << 52)), bits))
    y = c.fma(power, r, c.subtract(power, c.constant(1.0)))
    y = c.fma(power, rest, y)
    return with_sign_of(c, x, c.select(large, c.multiply(y, c.constant(2.0**64)), y))


def square_exponential(c: Code, x: Value, scale: float, shift: int = 0, by: Value | None = None) -> Value:
    """Write exp(scale x²), the scale a power of 2, as `exponential`; the rounding of x² would cost two digits at 26."""
    size, power = at_most(c, c.own("fabs", x), 40.0), c.constant(scale)
    square, rest = product(c, size, size)
    return exponential(c, c.multiply(square, power), c.multiply(rest, power), shift, by)


def gaussian(c: Code, x: Value) -> Value:
    """Write exp(−x²)."""
    found: Value = c.once("gaussian", x, lambda: square_exponential(c, x, -1.0))
    return found


def gaussian_growth(c: Code, x: Value) -> Value:
    """Write exp(x²)."""
    return square_exponential(c, x, 1.0)


def normal_density(c: Code, x: Value) -> Value:
    """Write exp(−x²/2) / √2π."""
    return square_exponential(c, x, -0.5, -2, c.constant(4.0 / math.sqrt(2.0 * math.pi)))


def decay(c: Code, x: Value) -> tuple[Value, Value, Value]:
    """Write 2e, 1 + e² and its reciprocal, e = exp(−|x|)."""

    def write() -> tuple[Value, Value, Value]:
        double, one = exponential(c, c.negative(c.own("fabs", x)), shift=1), c.constant(1.0)
        below = c.fma(c.multiply(double, c.constant(0.25)), double, one)
        return double, below, c.divide(one, below)

    found: tuple[Value, Value, Value] = c.once("decay", x, write)
    return found


def sech(c: Code, x: Value) -> Value:
    """Write 2 e / (1 + e²)."""
    double, below, share = decay(c, x)
    y = c.multiply(double, share)
    return c.fma(c.fma(c.negative(y), below, double), share, y)


def sech2(c: Code, x: Value) -> Value:
    """Write the like to base 2."""
    double = binary(c, c.negative(c.own("fabs", x)), 1)
    return c.divide(double, c.fma(c.multiply(double, c.constant(0.25)), double, c.constant(1.0)))


def odd(c: Code, x: Value, coefficients: list[float]) -> Value:
    """Write x + x³ p(x²)."""
    square = c.multiply(x, x)
    return c.fma(c.multiply(square, x), estrin(c, square, coefficients), x)


TANH = [-0.33333333333333276, 0.133333333333231, -0.05396825396170517, 0.021869488326735003, -0.008863231628469661,
        0.0035920821635368957, -0.0014554790947638612, 0.0005881814383745061, -0.0002327107003454499,
        8.23531747429181e-05, -1.889927367110601e-05]  # fmt: skip
"""(tanh x / x − 1) / x² in x², |x| ≤ 0.5626, of degree 10: tanh x to 2⁻⁵⁷ of itself."""

SINH = [0.16666666666666669, 0.008333333333333148, 0.00019841269841432035, 2.75573191570185e-06, 2.5052123145556303e-08,
        1.6057259055520808e-10, 7.758771160447771e-13]  # fmt: skip
"""(sinh x / x − 1) / x² in x², |x| ≤ 1, of degree 6: sinh x to 2⁻⁵⁶ of itself."""


def tanh(c: Code, x: Value) -> Value:
    """Write 1 − 2e² / (1 + e²), e = exp(−|x|), with the sign of x, and a polynomial where |x| < 9/16."""
    size, (double, _, share) = c.own("fabs", x), decay(c, x)
    y = c.fma(c.multiply(double, c.multiply(double, c.constant(-0.5))), share, c.constant(1.0))
    y = c.select(c.compare("greater", size, c.constant(0.5625)), y, odd(c, size, TANH))
    return with_sign_of(c, x, y)


def cosh(c: Code, x: Value) -> Value:
    """Write h + 1/4h, h = ½ exp |x|."""
    half = exponential(c, c.own("fabs", x), shift=-1)
    return c.add(half, c.divide(c.constant(0.25), half))


def sinh(c: Code, x: Value) -> Value:
    """Write h − 1/4h, h = ½ exp |x|, with the sign of x, and a polynomial where |x| < 1."""
    size = c.own("fabs", x)
    half = exponential(c, size, shift=-1)
    y = c.subtract(half, c.divide(c.constant(0.25), half))
    y = c.select(c.compare("greater", size, c.constant(1.0)), y, odd(c, size, SINH))
    return with_sign_of(c, x, y)


def logistic_of(c: Code, x: Value, e: Value) -> Value:
    """Write 1 / (1 + b⁻ˣ), where e is b to the power of −|x|."""
    one = c.constant(1.0)
    return c.divide(c.select(c.compare("less", x, c.constant(0.0)), e, one), c.add(e, one))


def logistic(c: Code, x: Value) -> Value:
    """Write 1 / (1 + e⁻ˣ)."""
    return logistic_of(c, x, exponential(c, c.negative(c.own("fabs", x))))


def logistic2(c: Code, x: Value) -> Value:
    """Write the like to base 2."""
    return logistic_of(c, x, binary(c, c.negative(c.own("fabs", x))))
