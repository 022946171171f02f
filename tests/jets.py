"""Numbers that know which of their derivatives are structurally 0: they are not there.

A `Jet` is a value with its slopes and bends, the first and second partials by the inputs, in dicts. NumPy applies its
functions to arrays of such objects element by element, by Python's operators and methods. So a program in NumPy is run
on numbers that were written without a look at the package, and that add up what is there and nothing else.
"""

import math

INF, NAN = math.inf, math.nan
LENGTHS = {"known": True}
"""Whether the root of a sum of squares that are all 0 has the slope 0 of a length, or ∞ as any other root."""


def _times(p, terms):
    return {key: p * t for key, t in terms.items()}


def _total(*every):
    found = {}
    for terms in every:
        for key, t in terms.items():
            found[key] = found[key] + t if key in found else t
    return found


def _crossed(one, other):
    return {(i, j): s * t for i, s in one.items() for j, t in other.items()}


def _quotient(x, y):
    if y:
        return x / y
    return NAN if not x or x != x else math.copysign(INF, x) * math.copysign(1.0, y)


class Jet:
    """A number; ``squares`` tells that it is a sum of squares."""

    def __init__(self, value, slopes=(), bends=(), squares=False):
        self.value, self.slopes, self.bends, self.squares = float(value), dict(slopes), dict(bends), squares

    @classmethod
    def of(cls, x):
        return x if isinstance(x, cls) else cls(x, squares=x >= 0)

    def is_nothing(self):
        """Whether it is a constant 0."""
        return not self.value and not self.slopes

    def chained(self, z, p, q=None):
        """What a function of it is, that has the value z, the slope p and the bend q; None where it has none."""
        bends = _times(p, self.bends)
        return Jet(z, _times(p, self.slopes), bends if q is None else _total(bends, _times(q, self._twice())))

    def _twice(self):
        return _crossed(self.slopes, self.slopes)

    def __add__(self, other):
        other = Jet.of(other)
        slopes, bends = _total(self.slopes, other.slopes), _total(self.bends, other.bends)
        return Jet(self.value + other.value, slopes, bends, self.squares and other.squares)

    def __neg__(self):
        return self.chained(-self.value, -1.0)

    def __sub__(self, other):
        return self + -Jet.of(other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        y = Jet.of(other)
        if self.is_nothing() or y.is_nothing():
            return Jet(self.value * y.value)
        slopes = _total(_times(y.value, self.slopes), _times(self.value, y.slopes))
        bends = [_times(y.value, self.bends), _times(self.value, y.bends)]
        crossed = [_crossed(self.slopes, y.slopes), _crossed(y.slopes, self.slopes)]
        return Jet(self.value * y.value, slopes, _total(*bends, *crossed), self is y or (self.squares and y.squares))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other):
        y = Jet.of(other)
        r = _quotient(1.0, y.value)
        found = self * y.chained(r, -r * r, 2 * r * r * r)
        found.value = _quotient(self.value, y.value)
        return found

    def __rtruediv__(self, other):
        return Jet(other) / self

    def __gt__(self, other):
        return self.value > Jet.of(other).value

    def __abs__(self):
        return self.chained(abs(self.value), math.copysign(1.0, self.value) if self.value else 0.0)

    def sqrt(self):
        z = math.sqrt(self.value) if self.value >= 0 else NAN
        if not z and self.squares and LENGTHS["known"]:
            return self.chained(0.0, 0.0)
        return self.chained(z, _quotient(0.5, z), _quotient(-0.25, z**3))

    def cbrt(self):
        z = math.copysign(abs(self.value) ** (1 / 3), self.value)
        return self.chained(z, _quotient(1.0, 3 * z * z), _quotient(-2.0, 9 * z**5))

    def log(self):
        if not self.value > 0:
            return self.chained(-INF if self.value == 0 else NAN, INF if self.value == 0 else NAN, -INF)
        return self.chained(math.log(self.value), 1 / self.value, -1 / self.value**2)

    def exp(self):
        z = math.exp(self.value) if self.value < 700 else INF
        return self.chained(z, z, z)

    def sin(self):
        z, slope = (math.sin(self.value), math.cos(self.value)) if math.isfinite(self.value) else (NAN, NAN)
        return self.chained(z, slope, -z)

    def arcsin(self):
        if not abs(self.value) <= 1:
            return self.chained(NAN, NAN, NAN)
        height = math.sqrt((1 - self.value) * (1 + self.value))
        return self.chained(math.asin(self.value), _quotient(1.0, height), _quotient(self.value, height**3))
