"""What polynomial approximations of functions are made of: powers of 2 taken off and put on, Estrin's scheme.

The polynomials of this package are minimax ones: by Remez' algorithm in 60 digits, then rounded.
"""

from __future__ import annotations

from .code import Code, Value

INFINITY, NAN = float("inf"), float("nan")
NEAREST = 6755399441055744.0
"""1.5 · 2⁵²: a number added to it is rounded to a whole one, whose lowest bits are the sum's."""

ROOT_HALF = 0x3FE6A09E667F3BCD
"""The bits of √½."""


def estrin(c: Code, x: Value, coefficients: list[float]) -> Value:
    """Write a polynomial by Estrin's scheme, coefficients from the constant on: more at once than by Horner's rule."""
    parts = [c.constant(coefficient) for coefficient in coefficients]
    while len(parts) > 1:
        pairs = [c.fma(high, x, low) for low, high in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
        if len(parts) > 1:
            x = c.multiply(x, x)
    return parts[0]


def at_least(c: Code, x: Value, limit: float) -> Value:
    """Write the larger of a value and a number; of NaN, NaN."""
    return c.select(c.compare("less", x, c.constant(limit)), c.constant(limit), x)


def at_most(c: Code, x: Value, limit: float) -> Value:
    """Write the smaller of a value and a number; of NaN, NaN."""
    return c.select(c.compare("greater", x, c.constant(limit)), c.constant(limit), x)


def product(c: Code, x: Value, y: Value) -> tuple[Value, Value]:
    """Write x y in two parts: the rounded one, and what it lacks."""
    z = c.multiply(x, y)
    return z, c.fma(x, y, c.negative(z))


def sum_of(c: Code, x: Value, y: Value) -> tuple[Value, Value]:
    """Write x + y in two parts, |x| ≥ |y| or x = 0: the rounded one, and what it lacks."""
    z = c.add(x, y)
    return z, c.add(c.subtract(x, z), y)


def with_sign_of(c: Code, x: Value, y: Value) -> Value:
    """Write |y| with the sign of x, zeros too."""
    return c.own("copysign", y, x)


def whole(c: Code, x: Value, scale: float, shift: int = 0) -> tuple[Value, Value]:
    """Write n, the whole number nearest to x times a scale, as a float, and n + shift as an integer's lowest bits."""
    middle = c.constant(NEAREST + shift)
    total = c.fma(x, c.constant(scale), middle)
    return c.subtract(total, middle), c.as_bits(total)


def shifted(c: Code, y: Value, n: Value) -> Value:
    """Write y 2ⁿ by the exponent's bits, n the lowest bits of an integer; y and what is written are normal."""
    return c.of_bits(c.integer("add", c.as_bits(y), c.integer("shl", n, c.bits(52))))


def scaled(c: Code, y: Value, n: Value, x: Value, lowest: float, highest: float) -> Value:
    """Write y 2ⁿ, y from ½ to 2, as a function of x: subnormal at most from ``lowest`` down, ∞ beyond ``highest``.

    Below ``lowest`` it is y 2ⁿ⁺⁶⁴ times 2⁻⁶⁴, rounded once.
    """
    small = c.compare("less", x, c.constant(lowest))
    bits = c.as_bits(shifted(c, y, n))
    y = c.of_bits(c.select(small, c.integer("add", bits, c.bits(64 << 52)), bits))
    y = c.select(small, c.multiply(y, c.constant(2.0**-64)), y)
    beyond = c.multiply(x, c.constant(INFINITY))
    return c.select(c.compare("less_equal", x, c.constant(highest)), y, beyond)


def parted(c: Code, x: Value) -> tuple[Value, Value]:
    """Write k and m of positive finite x = 2ᵏ m, m from √½ to √2, both as floats."""
    tiny = c.compare("less", x, c.constant(2.0**-1022))
    x = c.select(tiny, c.multiply(x, c.constant(2.0**54)), x)
    bits = c.integer("add", c.as_bits(x), c.bits((1023 << 52) - ROOT_HALF))
    exponent = c.of_bits(c.integer("or", c.integer("lshr", bits, c.bits(52)), c.bits(0x433 << 52)))
    m = c.of_bits(c.integer("add", c.integer("and", bits, c.bits((1 << 52) - 1)), c.bits(ROOT_HALF)))
    k = c.subtract(exponent, c.select(tiny, c.constant(2.0**52 + 1077.0), c.constant(2.0**52 + 1023.0)))
    return k, m
