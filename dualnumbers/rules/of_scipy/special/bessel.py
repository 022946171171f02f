"""Bessel, Hankel and spherical Bessel functions, by their argument. Source: NIST DLMF §10.6, §10.29, §10.51.

The order is a parameter: the derivative by it is another function, which SciPy does not have. Where the argument is 0
the formulas are the limits from the right: none divides by it.
"""

from ....table import Refused, elementwise
from ...comparisons import equal
from ...domains import Domain, positive
from ...elementwise.bessel_i import bessel_i
from ...from_scipy import elementwise_of_scipy, scipy_function
from ...where import where

ORDER = Refused("a Bessel function has no derivative by its order here")
of_order = Domain("x > 0", ((-2.5, 4.5), (0.5, 20.0)))
of_whole_order = Domain("x > 0, n whole", ((0, 5), (0.5, 20.0)))

# ------------------------------------------------------------------------------------------ of any order

jv = elementwise_of_scipy(
    "jv", ORDER, lambda v, x, z: 0.5 * (jv(v - 1, x) - jv(v + 1, x)), domain=of_order, singular=True
)
yv = elementwise_of_scipy(
    "yv", ORDER, lambda v, x, z: 0.5 * (yv(v - 1, x) - yv(v + 1, x)), domain=of_order, singular=True
)
iv = elementwise_of_scipy(
    "iv", ORDER, lambda v, x, z: 0.5 * (iv(v - 1, x) + iv(v + 1, x)), domain=of_order, singular=True
)
kv = elementwise_of_scipy(
    "kv", ORDER, lambda v, x, z: -0.5 * (kv(v - 1, x) + kv(v + 1, x)), domain=of_order, singular=True
)
yn = elementwise_of_scipy(
    "yn", ORDER, lambda n, x, z: 0.5 * (yn(n - 1, x) - yn(n + 1, x)), domain=of_whole_order, singular=True
)
kn = elementwise_of_scipy(
    "kn", ORDER, lambda n, x, z: -0.5 * (kn(n - 1, x) + kn(n + 1, x)), domain=of_whole_order, singular=True
)
hankel1 = elementwise_of_scipy(
    "hankel1", ORDER, lambda v, x, z: 0.5 * (hankel1(v - 1, x) - hankel1(v + 1, x)), domain=of_order, singular=True
)
hankel2 = elementwise_of_scipy(
    "hankel2", ORDER, lambda v, x, z: 0.5 * (hankel2(v - 1, x) - hankel2(v + 1, x)), domain=of_order, singular=True
)

# ------------------------------------------------------------------------------------------ of order 0 and 1

j0 = elementwise_of_scipy("j0", lambda x, z: -j1(x), singular=True)
j1 = elementwise_of_scipy("j1", lambda x, z: 0.5 * (j0(x) - jv(2, x)), singular=True)  # J₀ − J₁/x is NaN at 0
y0 = elementwise_of_scipy("y0", lambda x, z: -y1(x), domain=positive, singular=True)
y1 = elementwise_of_scipy("y1", lambda x, z: 0.5 * (y0(x) - yn(2, x)), domain=positive, singular=True)
i0 = elementwise_of_scipy("i0", lambda x, z: i1(x), singular=True)
i1 = elementwise_of_scipy("i1", lambda x, z: 0.5 * (i0(x) + bessel_i(2)(x)), singular=True)
k0 = elementwise_of_scipy("k0", lambda x, z: -k1(x), domain=positive, singular=True)
k1 = elementwise_of_scipy("k1", lambda x, z: -0.5 * (k0(x) + kn(2, x)), domain=positive, singular=True)

# ------------------------------------------------------------------------------------------ spherical


def _spherical(name, below, above):
    """Make the rows of fₙ and of f′ₙ = (± n fₙ₋₁ ± (n + 1) fₙ₊₁) / (2n + 1) with these signs; DLMF 10.51.2.

    The derivative is a row of its own, since SciPy evaluates it by itself.
    """

    def slope(f, n, x):
        lower = n * f(where(equal(n, 0), 0, n - 1), x)  # there is no f₋₁, nor is it needed
        return (below * lower + above * (n + 1) * f(n + 1, x)) / (2 * n + 1)

    value = scipy_function(f"special.{name}")
    fields = {"domain": of_whole_order, "singular": True}
    function = elementwise(ORDER, lambda n, x, z: derivative(n, x), name=name, **fields)(None, value)
    derivative = elementwise(ORDER, lambda n, x, z: slope(derivative, n, x), name=f"{name}_derivative", **fields)(
        None, lambda n, x: value(n, x, True)
    )
    return function, derivative


spherical_jn = _spherical("spherical_jn", 1.0, -1.0)
spherical_yn = _spherical("spherical_yn", 1.0, -1.0)
spherical_in = _spherical("spherical_in", 1.0, 1.0)
spherical_kn = _spherical("spherical_kn", -1.0, -1.0)
