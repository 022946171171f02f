"""Powers and roots, the Euclidean length. Source: NIST DLMF §4.2(iv), §4.26; the length has slope 0 at 0."""

import math
import operator as op

import numpy as np

from ...forms import is_unreal
from ...table import elementwise, family
from ..comparisons import equal
from ..domains import nonzero, off_origin, positive, positive_base
from ..where import where
from .exponential import log


def by_base(x, y, z):
    """y xʸ⁻¹, but 0 where both are 0: x⁰ is constant, and 0 · 0⁻¹ would not be 0."""
    if type(y) is not int and type(y) is not float:
        p = y * x ** where(equal(x, 0) & equal(y, 0), 0, y - 1)
    else:
        p = y * (x if y == 2 else x ** (y - 1)) if y else 0.0
        if type(p) is float:
            return p
    if is_unreal(p) and not is_unreal(z):
        raise ValueError("Python's power of a negative number is complex, NumPy's is NaN")  # which it then is
    return p


def by_exponent(x, y, z):
    """z log x, but 0 where z is 0 (x = 0, y > 0)."""
    if type(z) is float and type(x) is float:
        return z * log(x) if z else 0.0
    return z * log(where(equal(z, 0), 1.0, x))


power = elementwise(by_base, by_exponent, domain=positive_base, singular=True)(op.pow, np.power)
math_pow = elementwise(by_base, by_exponent, domain=positive_base, singular=True)(math.pow, np.float_power)


def _square(x):
    return x * x


square = elementwise(lambda x, z: 2.0 * x)(_square, np.square)
reciprocal = elementwise(lambda x, z: -z * z, domain=nonzero, singular=True)(None, np.reciprocal)
sqrt = elementwise(lambda x, z: 0.5 / z, domain=positive, singular=True)(math.sqrt, np.sqrt)
cbrt = elementwise(lambda x, z: 1.0 / (3.0 * z * z), domain=nonzero, singular=True)(math.cbrt, np.cbrt)


def _one_minus_square(x):
    """1 − x², without cancellation; 1 − x would lose the sign of a zero imaginary part: the side of a branch cut."""
    return (-(x - 1.0) if is_unreal(x) else 1.0 - x) * (1.0 + x)


# a row, for the derivative of the product, (1 − x) − (1 + x), is 0 at 1e-20
one_minus_square = elementwise(lambda x, z: -2.0 * x)(_one_minus_square, _one_minus_square)


def _cosine(side, z):
    """side / z, the cosine of the angle; 0 at the origin, where the length has a kink."""
    if type(side) is float is type(z):
        return side / z if z else 0.0
    return where(equal(z, 0), 0.0, side / where(equal(z, 0), 1.0, z))


def _float_cosine(x, y):
    z = math.hypot(x, y)
    return x / z if z else 0.0


# a row of its own: as a quotient its derivative y² / z³ would be lost to cancellation beside a long side
cosine = elementwise(
    lambda x, y, z: _cosine(square(cosine(y, x)), hypot(x, y)),
    lambda x, y, z: _cosine(-z * cosine(y, x), hypot(x, y)),
    name="cosine",
    domain=off_origin,
    singular=True,
)(_float_cosine, lambda x, y: _cosine(x, np.hypot(x, y)))
hypot = elementwise(lambda x, y, z: cosine(x, y), lambda x, y, z: cosine(y, x), domain=off_origin, singular=True)(
    math.hypot, np.hypot
)


@family
def euclidean_length(dimension):
    """The row of √(x₁² + … + xₙ²), n = ``dimension``, as ``math.hypot`` has it.

    The partials are cosines: of x / z the derivative would cancel where x is nearly all of the length.
    """
    rest = euclidean_length(dimension - 1) if dimension > 3 else {2: abs, 3: hypot}.get(dimension, lambda *xs: 0.0)
    partials = (lambda *xs, k=k: cosine(xs[k], rest(*xs[:k], *xs[k + 1 : -1])) for k in range(dimension))
    return elementwise(*partials, name=f"hypot_{dimension}", shown="hypot", singular=True)(math.hypot)
