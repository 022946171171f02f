"""A module as other people write them: it converts, fills, asks for types, and knows nothing of derivatives."""

import cmath
import functools
import math
from math import exp as exponential
from math import floor

import numpy as np
from numpy import array, zeros

TABLE = {"sqrt": math.sqrt}
STEPS = [math.log, np.tanh]
calls = 0


def by_math(x):
    return math.sin(x) * exponential(x) + math.hypot(x, 2.0, 1.0) + math.pow(x, 3) + floor(x) * x


def by_sequences(x):
    return math.fsum(v * x for v in (1.0, 2.0)) + math.prod([x, x, 2.0]) + math.dist((x, 0.0), [1.0, x])


def by_cmath(x):
    z = cmath.sqrt(complex(-x, 1.0)) + cmath.rect(x, 0.3)
    r, phi = cmath.polar(z)
    return r * phi + abs(cmath.exp(1j * x)) + (complex(x) * complex(real=x, imag=2 * x)).imag


def filling(x):
    y = zeros(3)
    y[0] = x
    y[1] = float(x) ** 2
    z = np.empty_like(y)
    z[:] = y * x
    return array([y[0], z[1], 1.0]).sum() + np.asarray([x, 2.0]).astype(float)[0] * y.mean()


def asking(x):
    if isinstance(x, float) and type(x) is float and not isinstance(x, (int, np.ndarray)):
        return x * 2 + (1.0 if type(x) in (float, int) else 0.0) * x**2
    return x * 3


def having(x):
    if hasattr(x, "shape") or getattr(x, "dtype", None) is not None:
        return 0.0 * x
    return x**2


def counting(x):
    global calls
    calls += 1
    total = 0.0
    for k in range(int(x) + 1):
        total += x**k
    return total * round(x) * len([x])


def by_default(x, root=math.sqrt, *, log=math.log):
    return root(x) + log(x) * TABLE["sqrt"](x) + STEPS[0](x)


def importing(x):
    import math as m
    from math import cos

    import numpy.linalg as la
    from numpy import array as made

    return m.log(x) + cos(x) + la.norm(made([x, 2.0]))


def closing(root=math.sqrt):
    def inner(x):
        return root(x) + power(x)

    power = functools.partial(math.pow, 2.0)
    return inner


closed = closing()


@functools.lru_cache
def cached(x):
    return x**2


def decorated(f):
    @functools.wraps(f)
    def wrapper(*arguments):
        return f(*arguments)

    return wrapper


@decorated
def wrapped(x):
    return math.cosh(x)


@np.vectorize
def mapped(x):
    return math.gamma(x) if x > 1 else x


class Model:
    """A method, a static one, a cached property, a table in the class."""

    sinh = staticmethod(math.sinh)
    functions = (math.tan,)

    def __init__(self, x, scale=2.0):
        self.x, self.scale = x, scale

    @functools.cached_property
    def size(self):
        return math.exp(self.x)

    @classmethod
    def of(cls, x):
        return cls(float(x))

    @property
    def half(self):
        return math.atan(self.x) / 2

    def value(self):
        return self.size + self.sinh(self.x) * self.scale + self.functions[0](self.x) + self.half + self.size


def modelled(x):
    return Model.of(x).value()


def failing(x):
    raise KeyError(math.sin(x))


def plain(x):
    """What a thread that adopts nothing sees: the types of values."""
    y = np.zeros(2)
    return type(y), type(float(x)), type(int(x)), type(math.sin(x)), isinstance(x, float), y.dtype


SCALARS = [by_math, by_sequences, by_cmath, filling, asking, having, counting, by_default, importing, closed, cached,
           wrapped, mapped, modelled]  # fmt: skip
