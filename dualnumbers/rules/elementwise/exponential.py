"""Exponentials and logarithms. Source: NIST DLMF §4.2, §4.10."""

import math

import numpy as np

from ...forms import is_unreal
from ...table import elementwise
from ..constants import ln2, log2e, log10e
from ..domains import above_minus_one, positive

exp = elementwise(lambda x, z: z, singular=True)(math.exp, np.exp)
exp2 = elementwise(lambda x, z: ln2(x) * z, singular=True)(getattr(math, "exp2", None), np.exp2)
expm1 = elementwise(lambda x, z: exp(x), singular=True)(math.expm1, np.expm1)  # z + 1 would round e⁻⁴⁰ away
log = elementwise(lambda x, z: 1.0 / x, domain=positive, singular=True)(math.log, np.log)
log2 = elementwise(lambda x, z: log2e(x) / x, domain=positive, singular=True)(math.log2, np.log2)
log10 = elementwise(lambda x, z: log10e(x) / x, domain=positive, singular=True)(math.log10, np.log10)
log1p = elementwise(lambda x, z: 1.0 / (1.0 + x), domain=above_minus_one, singular=True)(math.log1p, np.log1p)


def square_exponential(c, exponential, absolute, smaller, rounded):
    """exp(−c x²) as exp(s) (1 + e), s + e = c (h − x)(x + h) − c h², h the nearest sixteenth, c ± a power of 2.

    h² and x − h are exact, and so is e, what the sum s was rounded by (Dekker 1971): the rounding of x² would cost two
    digits at 26.
    """

    def gaussian(x):
        if type(x) is np.ndarray and x.size > LARGE and x.dtype.char in "fd" and x.flags.c_contiguous:
            return _of_blocks(c, x)
        if is_unreal(x):
            return exponential(-c * x * x)
        x = smaller(absolute(x), 160.0)  # where it is 0 or ∞ in any precision, and the square does not overflow
        high = rounded(16.0 * x) / 16.0
        square, rest = high * high, (high - x) * (x + high)
        if c != 1.0:
            square, rest = c * square, c * rest
        total = rest - square
        return exponential(total) * (1.0 + (rest - (total + square)))

    return gaussian


LARGE, BLOCK = 1 << 12, 1 << 14
"""Of more elements than so many an array goes through a formula of a dozen steps by blocks, which stay in the cache."""


def _of_blocks(c, x):
    """exp(−c x²) as `square_exponential` has it, of a large array: to the same bits, in half of the time."""
    z = np.empty_like(x)
    room, numbers, found = np.empty((3, min(x.size, BLOCK)), x.dtype), x.reshape(-1), z.reshape(-1)
    for start in range(0, x.size, BLOCK):
        part = numbers[start : start + BLOCK]
        size, high, rest = room[:, : part.size]
        np.minimum(np.absolute(part, size), 160.0, out=size)
        np.multiply(np.rint(np.multiply(size, 16.0, high), high), 0.0625, high)
        np.multiply(np.subtract(high, size, rest), np.add(size, high, size), rest)
        np.multiply(high, high, high)
        if c != 1.0:
            np.multiply(high, c, high), np.multiply(rest, c, rest)
        np.subtract(rest, np.add(np.subtract(rest, high, size), high, high), rest)
        np.multiply(np.exp(size, size), np.add(rest, 1.0, rest), found[start : start + BLOCK])
    return z


gaussian = elementwise(lambda x, z: -2.0 * x * z)(
    square_exponential(1.0, math.exp, math.fabs, min, round),
    square_exponential(1.0, np.exp, np.abs, np.minimum, np.rint),
)
# a row, for the derivatives of 1/gaussian overflow at 18, its values at 26
gaussian_growth = elementwise(lambda x, z: 2.0 * x * z, name="gaussian_growth", singular=True)(
    None, square_exponential(-1.0, np.exp, np.abs, np.minimum, np.rint)
)
