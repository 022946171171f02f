"""The error functions and the normal distribution."""

from __future__ import annotations

from .approximation import at_most, estrin, product, with_sign_of
from .code import Code, Value
from .exponentials import gaussian, square_exponential

ROOT_HALF, ROOT_HALF_LOW = 0.7071067811865476, -4.833646656726457e-17
"""√½ in two parts."""

CENTRE = [0.1283791670955126, -0.37612638903183737, 0.11283791670953967, -0.026866170644845897, 0.005223977621926529,
          -0.0008548326771148829, 0.0001205532156482654, -1.4925310766347504e-05, 1.645536558768808e-06,
          -1.6276785722105464e-07, 1.40524938464325e-08, -8.495648444162779e-10]  # fmt: skip
"""erf x / x − 1 in x², |x| ≤ 0.9, of degree 11: erf x to 2⁻⁵⁶ of itself."""

TAIL = [0.2553956763105046, -0.10679646185347676, 0.041802752603728344, -0.015460637764367612, 0.005440738533197726,
        -0.0018316642797188542, 0.0005924700242762989, -0.0001847783285937288, 5.5728227136404167e-05,
        -1.629385235067823e-05, 4.628322729959836e-06, -1.279294788135815e-06, 3.446960846121506e-07,
        -9.095228320875712e-08, 2.346380953225122e-08, -5.766380241627498e-09, 1.3796124291159247e-09,
        -3.74779430500233e-10, 1.0583885243222047e-10, -2.0429797021856684e-11, 1.7198719445325772e-12]  # fmt: skip
"""exp(x²) erfc x in x − 2, x from 0.9 to 5.9, of degree 20: erf x to 2⁻⁵⁴ of itself."""

ABOVE = [-6.112692004617646e-10, 14.357096733424543, 26.282029161225168, 23.750873788218453, 13.531276506071165,
         5.261881874783434, 1.4227996409829866, 0.2601910325104582, 0.02901063733451536, 0.0013388814859606089,
         -4.948526871809995e-05]  # fmt: skip
BELOW = [23.096228383580954, 78.49331683754306, 124.20955994901254, 120.86798448211879, 80.37617594224072,
         38.32951253680585, 13.34641688232443, 3.3743496195586893, 0.5986416857063521, 0.06827979580003785,
         0.00390625]  # fmt: skip
"""Of (1 + 7x/4) exp(x²) erfc x − 1 for x from ½ to 28 numerator and denominator, by interpolation: to 2⁻⁵⁶."""


def centre(c: Code, x: Value) -> Value:
    """Write erf x / x − 1, |x| ≤ 0.9."""
    return estrin(c, c.multiply(x, x), CENTRE)


def erf(c: Code, x: Value) -> Value:
    """Write x (1 + p(x²)), beyond 0.9 one less exp(−x²) q(|x|), with the sign of x; a derivative shares exp(−x²)."""
    size, one = c.own("fabs", x), c.constant(1.0)
    tail = estrin(c, c.subtract(at_most(c, size, 5.9), c.constant(2.0)), TAIL)
    y = c.fma(c.negative(gaussian(c, x)), tail, one)
    return with_sign_of(c, x, c.select(c.compare("greater", size, c.constant(0.9)), y, c.fma(x, centre(c, x), x)))


def scaled_tail(c: Code, x: Value, low: Value | None = None) -> Value:
    """Write exp(t²) erfc t, t = x + low from ½ to 28, as u + u g, u = 1 / (1 + 7t/4); one division gives u and g."""
    one, slope = c.constant(1.0), c.constant(1.75)
    d = c.fma(x, slope, one)
    lost = c.fma(x, slope, c.subtract(one, d))
    lost = lost if low is None else c.fma(low, slope, lost)
    below = estrin(c, x, BELOW)
    inverse = c.divide(one, c.multiply(d, below))
    u = c.multiply(inverse, below)
    rest = c.fma(c.negative(lost), u, c.fma(c.negative(u), d, one))  # u (1 + rest) is the exact quotient
    g = c.multiply(estrin(c, x, ABOVE), c.multiply(inverse, d))
    return c.fma(u, c.add(g, c.fma(rest, g, rest)), u)


def on_both_sides(c: Code, x: Value, centre: Value, is_central: Value, tail: Value, whole: float) -> Value:
    """Write what is central near 0, left of it the tail beyond |x|, right of it the whole less that."""
    y = c.select(c.compare("less", x, c.constant(0.0)), tail, c.subtract(c.constant(whole), tail))
    return c.select(is_central, centre, y)


def erfc(c: Code, x: Value) -> Value:
    """Write exp(−x²) times a quotient of polynomials; where |x| < ½ (½ − x) + (½ − x p(x²))."""
    size, half = at_most(c, c.own("fabs", x), 28.0), c.constant(0.5)
    left = c.negative(x)
    tail = square_exponential(c, size, -1.0, by=scaled_tail(c, size))
    middle = c.add(c.add(left, half), c.fma(left, centre(c, x), half))
    return on_both_sides(c, left, middle, c.compare("less", size, half), tail, 2.0)


def ndtr(c: Code, x: Value) -> Value:
    """Write ½ erfc(−x/√2), with the exact x²/2."""
    size, quarter = at_most(c, c.own("fabs", x), 39.5), c.constant(0.25)
    root, t = c.constant(ROOT_HALF), c.multiply(x, c.constant(ROOT_HALF))
    far, lost = product(c, size, root)
    lost = c.fma(size, c.constant(ROOT_HALF_LOW), lost)
    tail = square_exponential(c, size, -0.5, -1, scaled_tail(c, far, lost))
    half = c.multiply(t, c.constant(0.5))
    middle = c.add(c.add(half, quarter), c.fma(half, centre(c, t), quarter))
    return on_both_sides(c, x, middle, c.compare("less", c.own("fabs", t), c.constant(0.5)), tail, 1.0)
