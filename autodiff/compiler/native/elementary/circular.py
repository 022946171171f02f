"""Circular functions and their inverses. Beyond a billion radians sin, cos and tan are the C library's."""

from __future__ import annotations

import math

from .approximation import estrin, product, sum_of, whole, with_sign_of
from .code import Code, Value

PI = (3.141592653589793, 1.2246467991473532e-16, -2.9947698097183397e-33)
"""π in three parts of 53 bits: a number less so many times π is known to its last bit."""

HALF_PI, HALF_PI_LOW = 0.5 * PI[0], 0.5 * PI[1]
FAR = 2.0**30
"""Up to here whole multiples of π are taken off."""

SINE = [-0.16666666666666632, 0.008333333333322424, -0.00019841269829816056, 2.755731369490284e-06,
        -2.505075860060147e-08, 1.5896824766922706e-10]  # fmt: skip
"""(sin r / r − 1) / r² in r², |r| ≤ π/4, of degree 5: sin r to 2⁻⁵⁷ of itself."""

COSINE = [0.0416666666666666, -0.0013888888888874138, 2.4801587289490926e-05, -2.755731435496939e-07,
          2.0875723645830957e-09, -1.1359667791877035e-11]  # fmt: skip
"""(cos r − 1 + r²/2) / r⁴ in r², |r| ≤ π/4, of degree 5: cos r to 2⁻⁶⁰."""

ARCTANGENT = [-0.33333333333333093, 0.19999999999955437, -0.14285714282802353, 0.11111111013654468,
              -0.09090907119313005, 0.07692281187319103, -0.06666415001191117, 0.058805925726444414,
              -0.05253805621781516, 0.04723293561134344, -0.04221718247310741, 0.036693533216328,
              -0.029985574633567755, 0.022085150366460318, -0.01399498385791706, 0.007263355716670386,
              -0.002919341782545118, 0.0008434850399030806, -0.00015479727270999042,
              1.3489315066775352e-05]  # fmt: skip
"""(arctan t / t − 1) / t² in t², |t| ≤ 1, of degree 19: arctan t to 2⁻⁵⁶ of itself."""

ARCSINE = [0.16666666666666763, 0.07499999999970261, 0.044642857175121134, 0.03038194268360701, 0.02237221566047182,
           0.017351600090270793, 0.013980961459026917, 0.011397775975439388, 0.010786529013829482,
           0.003683042097789889, 0.02176349957392382, -0.021077294269428243, 0.03267689203201492]  # fmt: skip
"""(arcsin s / s − 1) / s² in s², |s| ≤ ½, of degree 12: arcsin s to 2⁻⁵⁹ of itself."""


def sine(c: Code, r: Value, rest: Value) -> Value:
    """Write sin r + rest, |r| ≤ π/4."""
    square = c.multiply(r, r)
    return c.add(r, c.fma(c.multiply(r, square), estrin(c, square, SINE), rest))


def cosine(c: Code, r: Value, rest: Value) -> Value:
    """Write cos r + rest, |r| ≤ π/4."""
    square = c.multiply(r, r)
    most, lost = sum_of(c, c.constant(1.0), c.multiply(square, c.constant(-0.5)))
    lost = c.fma(c.negative(r), rest, lost)
    return c.add(most, c.fma(c.multiply(square, square), estrin(c, square, COSINE), lost))


def less(c: Code, size: Value, n: Value) -> tuple[Value, Value]:
    """Write size − n π/2 in two parts."""
    first, second, third = (c.constant(-0.5 * part) for part in PI)
    near = c.fma(n, first, size)
    more, lost = product(c, n, second)
    r, rest = sum_of(c, near, more)  # where n π/2 beyond its first part is the larger one, nothing cancels
    return r, c.add(rest, c.fma(n, third, lost))


def reduced(c: Code, size: Value) -> tuple[Value, Value, Value]:
    """Write r in two parts, a size less n π/2 for the nearest n, and n; of one lane, n is guessed to be 0 or 1."""
    n, bits = whole(c, size, 2.0 / math.pi)
    if c.lanes > 1:
        return *less(c, size, n), bits
    zero, one = c.constant(0.0), c.constant(1.0)
    near = lambda: c.either(
        c.compare("equal", n, one), lambda: [*less(c, size, one), c.bits(1)], lambda: [*less(c, size, n), bits]
    )
    r, rest, bits = c.either(c.compare("equal", n, zero), lambda: [size, zero, c.bits(0)], near)
    return r, rest, bits


def quarters(c: Code, x: Value) -> tuple[Value, Value, Value]:
    """Write sin r and cos r, r = |x| − n π/2, in this order if n is even; and n."""

    def write() -> tuple[Value, Value, Value]:
        r, rest, n = c.once("reduced", x, lambda: reduced(c, c.own("fabs", x)))
        return *ordered(c, (sine(c, r, rest), cosine(c, r, rest)), n), n

    found: tuple[Value, Value, Value] = c.once("quarters", x, write)
    return found


def is_odd(c: Code, n: Value) -> Value:
    """Write whether the integer n is odd."""
    return c.compare_integers("ne", c.integer("and", n, c.bits(1)), c.bits(0))


def ordered(c: Code, pair: tuple[Value, Value], n: Value) -> tuple[Value, Value]:
    """Write a pair, exchanged where the integer n is odd."""
    odd = is_odd(c, n)
    return c.select(odd, pair[1], pair[0]), c.select(odd, pair[0], pair[1])


def flipped(c: Code, y: Value, *signs: Value) -> Value:
    """Write y, its sign changed by the highest bit of each of some integers."""
    bits = c.as_bits(y)
    for sign in signs:
        bits = c.integer("xor", bits, c.integer("and", sign, c.bits(1 << 63)))
    return c.of_bits(bits)


def far(c: Code, size: Value) -> Value:
    """Write whether a size is beyond what is reduced here."""
    return c.compare("greater", size, c.constant(FAR))


def turned(c: Code, x: Value, shift: int, *signs: Value) -> Value:
    """Write sin(|x| + shift π/2), its sign changed by the highest bit of each of some integers."""
    if c.lanes > 1:
        above, below, n = quarters(c, x)
        y = below if shift else above
    else:
        r, rest, n = c.once("reduced", x, lambda: reduced(c, c.own("fabs", x)))
        ways = lambda: [sine(c, r, rest)], lambda: [cosine(c, r, rest)]
        (y,) = c.either(is_odd(c, n), ways[1 - shift], ways[shift])
    n = c.integer("add", n, c.bits(shift)) if shift else n
    sign = c.integer("shl", n, c.bits(62))
    if c.lanes > 1:
        return flipped(c, y, sign, *signs)
    for other in signs:
        sign = c.integer("xor", sign, other)
    (y,) = c.either(c.compare_integers("slt", sign, c.bits(0)), lambda: [c.negative(y)], lambda: [y])
    return y


def sin(c: Code, x: Value) -> Value:
    """Write sin r or cos r or −sin r or −cos r, r = |x| − n π/2, with the sign of x."""
    return c.rarely(far(c, c.own("fabs", x)), turned(c, x, 0, c.as_bits(x)), "sin", x)


def cos(c: Code, x: Value) -> Value:
    """Write the same with n + 1 in place of n."""
    return c.rarely(far(c, c.own("fabs", x)), turned(c, x, 1), "cos", x)


def tan(c: Code, x: Value) -> Value:
    """Write tan r, or −1 / tan r for odd n, r = |x| − n π/2, with the sign of x."""
    above, below, n = quarters(c, x)
    y = flipped(c, c.divide(above, below), c.integer("shl", n, c.bits(63)), c.as_bits(x))
    return c.rarely(far(c, c.own("fabs", x)), y, "tan", x)


def of_half_turns(c: Code, x: Value, shift: int) -> Value:
    """Write sin π (x + shift/2)."""
    half = c.constant(0.5)
    x = c.fma(c.own("rint", c.multiply(x, half)), c.constant(-2.0), x)
    n, bits = whole(c, x, 2.0, shift)
    turns, pi = c.fma(n, c.constant(-0.5), x), c.constant(PI[0])
    r, rest = product(c, turns, pi)
    rest = c.fma(turns, c.constant(PI[1]), rest)
    y, _ = ordered(c, (sine(c, r, rest), cosine(c, r, rest)), bits)
    return flipped(c, y, c.integer("shl", bits, c.bits(62)))


def sin_pi(c: Code, x: Value) -> Value:
    """Write sin πx."""
    return of_half_turns(c, x, 0)


def cos_pi(c: Code, x: Value) -> Value:
    """Write cos πx, whose zeros are +0."""
    return c.add(of_half_turns(c, x, 1), c.constant(0.0))


def arctangent(c: Code, t: Value, base: Value) -> Value:
    """Write base + arctan t, |t| ≤ 1, the base 0, π/2 or π in full precision."""
    square = c.multiply(t, t)
    low = c.multiply(base, c.constant(PI[1] / PI[0]))
    more = c.fma(c.multiply(square, t), estrin(c, square, ARCTANGENT), low)
    return c.add(base, c.add(t, more))


def atan(c: Code, x: Value) -> Value:
    """Write arctan |x|, or π/2 − arctan 1/|x| where that is beyond 1, with the sign of x."""
    size, one = c.own("fabs", x), c.constant(1.0)
    large = c.compare("greater", size, one)
    t = c.divide(c.select(large, c.constant(-1.0), size), c.select(large, size, one))
    return with_sign_of(c, x, arctangent(c, t, c.select(large, c.constant(HALF_PI), c.constant(0.0))))


def arcsine_parts(c: Code, x: Value) -> tuple[Value, Value, Value]:
    """Write whether |x| > ½; s, then √((1 − |x|) / 2), else |x|; and arcsin s − s."""
    size, half = c.own("fabs", x), c.constant(0.5)
    large = c.compare("greater", size, half)
    square = c.select(large, c.fma(size, c.constant(-0.5), half), c.multiply(size, size))
    root = c.own("sqrt", square)
    # of the root, what its rounding lost: over 2s, which is 2 − 2s to first order where it matters, near ½
    lost = c.multiply(c.fma(c.negative(root), root, square), c.fma(root, c.constant(-2.0), c.constant(2.0)))
    s = c.select(large, root, size)
    more = c.fma(c.multiply(s, square), estrin(c, square, ARCSINE), c.select(large, lost, c.constant(0.0)))
    return large, s, more


def asin(c: Code, x: Value) -> Value:
    """Write arcsin s, or π/2 − 2 arcsin s, with the sign of x."""
    large, s, more = arcsine_parts(c, x)
    y = c.fma(more, c.constant(-2.0), c.constant(HALF_PI_LOW))
    y = c.add(c.fma(s, c.constant(-2.0), c.constant(HALF_PI)), y)
    return with_sign_of(c, x, c.select(large, y, c.add(s, more)))


def acos(c: Code, x: Value) -> Value:
    """Write π/2 ∓ arcsin s, or 2 arcsin s, or π less that."""
    large, s, more = arcsine_parts(c, x)
    left = c.compare("less", x, c.constant(0.0))
    base = c.select(large, c.select(left, c.constant(PI[0]), c.constant(0.0)), c.constant(HALF_PI))
    factor = c.own("copysign", c.select(large, c.constant(2.0), c.constant(1.0)), c.select(large, x, c.negative(x)))
    more = c.fma(factor, more, c.multiply(base, c.constant(PI[1] / PI[0])))
    return c.add(c.fma(factor, s, base), more)
