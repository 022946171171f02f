"""Two families of elliptic integrals that are closed under derivatives, without cancellation.

Source: NIST DLMF §19.16, §19.25.
Every derivative of every elliptic integral, of any order, is one of them.
"""

import numpy as np

from ....foreign import as_array, as_like, largest
from ....table import elementwise, family
from ...domains import Domain
from ...elementwise.powers import square
from ...elementwise.trigonometric import sin
from ...gauss_legendre import in_blocks

TINY = np.finfo(float).tiny

NODES = 20_000
"""At most so many, where an argument is close to the negative axis; an eighth is more than usual."""


def _integral(power, exponents, *xs):
    """∫ tᵖ Π (t + xᵢ)^(−bᵢ) dt over t > 0, for xᵢ off the negative axis, of which one may be 0."""
    xs = np.broadcast_arrays(*xs)
    dtype = np.result_type(*xs, np.float32)
    columns = (np.ravel(x).astype(np.result_type(dtype, np.float64)) for x in xs)
    rule = lambda *xs: _trapezoidal(power, exponents, np.concatenate(xs, -1))[:, None]
    z = in_blocks(rule, *columns, nodes=NODES // 8)
    return z.reshape(xs[0].shape).astype(dtype)[()]


def _trapezoidal(power, exponents, xs):
    """Compute it of a matrix, by the rule in log t, which converges exponentially; divided by the largest variable."""
    scale = largest(np.abs(xs), 0.0, -1)
    xs = xs / scale[..., None]
    size, b = np.abs(xs), as_like(as_array(exponents), xs)
    zero = np.any(size == 0, -1)
    rise = np.where(zero, np.min(np.where(size == 0, power + 1 - b, np.inf), -1), power + 1)
    first = np.log(np.min(np.where(size == 0, 1.0, size), -1)) - 40.0 / np.maximum(rise, 0.25)
    last = 40.0 / (sum(exponents) - power - 1) + 1.0
    steps = 0.35 * (1.0 - largest(np.abs(np.angle(xs)), 0.0, -1) / np.pi)
    count = (last - first) / steps
    nodes = int(min(largest(np.where(np.isfinite(count), count, 2.0), 2.0), NODES))
    step = (last - first) / nodes
    t = np.maximum(np.exp(first[..., None] + step[..., None] * as_like(np.arange(nodes + 1), step)), TINY)
    terms, binary = _split(t, power + 1)
    for k, exponent in enumerate(exponents):
        factor, more = _split(t + xs[..., k, None], -exponent)
        terms, binary = terms * factor, binary + more
    top = np.max(binary, -1)
    factor, more = _split(scale, power + 1 - sum(exponents))
    half = np.exp2(0.5 * (top + more))
    z = step * np.sum(terms * np.exp2(binary - top[..., None]), -1) * factor * half * half
    return np.where(rise > 0, z, np.inf)


def _split(x, power):
    """Two numbers m and e with xᵖ = m 2ᵉ, m of size 1: the factors of the integrand may overflow where it does not."""
    exponent = np.frexp(np.abs(x))[1]
    return (x * np.ldexp(1.0, -exponent)) ** power, power * exponent


def _quietly(f):
    def quiet(*arguments):
        with np.errstate(all="ignore"):
            return f(*arguments)

    return quiet


@family
def carlson(power, *exponents):
    """The row of ∫ tᵖ Π (t + xᵢ)^(−bᵢ) dt over t > 0, b = ``exponents``, p = ``power``."""

    def partial(k):
        raised = (*exponents[:k], exponents[k] + 1, *exponents[k + 1 :])
        return lambda *xs: -exponents[k] * carlson(power, *raised)(*xs[:-1])

    integral = _quietly(lambda *xs: _integral(power, exponents, *xs))
    return elementwise(
        *map(partial, range(len(exponents))),
        singular=True,
        name="carlson_" + "_".join(map(str, (power, *exponents))),
        domain=Domain("x > 0", ((0.1, 5.0),) * len(exponents)),
    )(None, integral)


def _incomplete(n, b, phi, m):
    """½ s²ⁿ⁺¹ ∫ (t + c²)^(−½) (t + Δ²)^(−b) (t + 1)^(b − n − 1) dt, s = sin φ, c = cos φ, Δ² = 1 − m s²; DLMF 19.25."""
    turns = np.rint(phi / np.pi)
    s, c = np.sin(phi - np.pi * turns), np.cos(phi)
    exponents = (0.5, b, n + 1 - b)
    z = 0.5 * s ** (2 * n + 1) * _integral(0, exponents, c * c, c * c + (1 - m) * s * s, np.ones_like(c))
    if np.any(turns):
        z = z + turns * _integral(0, exponents, np.zeros_like(m), 1 - m, np.ones_like(m))
    return z


# 1 − m sin² φ, which keeps its digits where m is next to 1; a row, for its derivative in φ would cancel where m is next
# to 0
squared_delta = elementwise(
    lambda phi, m, z: -m * sin(2.0 * phi), lambda phi, m, z: -square(sin(phi)), name="squared_delta"
)(None, lambda phi, m: np.cos(phi) ** 2 + (1.0 - m) * np.sin(phi) ** 2)


@family
def legendre(n, b):
    """The row of ∫ sin²ⁿ θ (1 − m sin² θ)⁻ᵇ dθ over 0 < θ < φ, a function of φ and m."""

    def by_amplitude(phi, m, z):
        return sin(phi) ** (2 * n) * squared_delta(phi, m) ** -b

    return elementwise(
        by_amplitude,
        lambda phi, m, z: b * legendre(n + 1, b + 1)(phi, m),
        name=f"legendre_{n}_{b}",
        singular=True,
        domain=below_one,
    )(None, _quietly(lambda phi, m: _incomplete(n, b, as_array(phi)[()], as_array(m)[()])))


below_one = Domain("m sin² φ < 1", ((-5.0, 5.0), (-2.0, 0.9)))
