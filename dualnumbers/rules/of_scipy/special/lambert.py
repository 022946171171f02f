"""Lambert's W, the solution of w eʷ = z, ω(x) = W(eˣ), and xʸ − 1. Source: NIST DLMF §4.13."""

from ...comparisons import less
from ...domains import Domain, positive_base
from ...elementwise.exponential import exp
from ...elementwise.kinks import absolute
from ...elementwise.powers import by_base, by_exponent, power
from ...from_scipy import elementwise_of_scipy
from ...where import where


def _omega_slope(x, z):
    """z / (1 + z); for large z by 1/z, as the derivative of the quotient would cancel: at 1e9 nine digits."""
    near = less(absolute(z), 1.0)
    return where(near, z / (1.0 + where(near, z, 0.0)), 1.0 / (1.0 + 1.0 / where(near, 1.0, z)))


wrightomega = elementwise_of_scipy("wrightomega", _omega_slope)


def _lambert_slope(x, z):
    """z / (x (1 + z)); as e⁻ᶻ / (1 + z) near x = 0, where that is 0/0, and only there: e⁷⁰⁰ has three digits less."""
    near = less(absolute(z), 1.0)
    return where(near, exp(-where(near, z, 0.0)), z / where(near, 1.0, x)) / (1.0 + z)


lambertw = elementwise_of_scipy("lambertw", lambda x, k, tol, z: _lambert_slope(x, z), 0.0, 0.0, calls="_lambertw",
                                domain=Domain("k an integer", ((-5.0, 5.0), (-2, 2), (1e-9, 1e-7))),
                                singular=True)  # fmt: skip
"""W of branch k."""
powm1 = elementwise_of_scipy(
    "powm1", by_base, lambda x, y, z: by_exponent(x, y, power(x, y)), domain=positive_base, singular=True
)
