"""The binomial coefficient and Pochhammer's symbol, by differences of digamma functions that do not cancel; steps.

Beyond the poles of the gamma functions, where the value is 0 at whole numbers, by reflection. Source: NIST DLMF
§5.2(iii), §5.5(ii), §26.3.
"""

import math

from ..domains import Domain
from ..from_scipy import elementwise_of_scipy, locally_constant_of_scipy
from ..gamma_functions import beta, polygamma, polygamma_difference
from ..selection import where
from ..steps import less_equal
from ..trigonometric import cos

gammasgn = locally_constant_of_scipy("gammasgn")
round_to_even = locally_constant_of_scipy("round", as_name="special_round")


def _binom_slope(n, k, z, in_n):
    """Where n − k + 1 ≤ 0, binom is B(n + 1, k − n) sin π(n − k + 1) / π."""
    beyond = less_equal(n - k + 1.0, 0.0)
    rest = where(beyond, 0.0, n - k)
    if in_n:
        inner = polygamma_difference(0)(rest + 1.0, where(beyond, 0.0, k))
        outer = polygamma(0)(n + 1.0) - polygamma(0)(where(beyond, k - n, 1.0))
    else:
        inner = polygamma_difference(0)(where(beyond, 1.0, k + 1.0), where(beyond, 0.0, n - 2.0 * k))
        outer = polygamma(0)(where(beyond, k - n, 1.0)) - polygamma(0)(k + 1.0)
    turn = beta(where(beyond, n + 1.0, 1.0), where(beyond, k - n, 1.0)) * cos(math.pi * (n - k + 1.0))
    return where(beyond, z * outer + (turn if in_n else -turn), z * inner)


def _poch_by_start(a, m, z):
    """Where a ≤ 0, poch is Γ(a + m) Γ(1 − a) sin πa / π."""
    below = less_equal(a, 0.0)
    inner = polygamma_difference(0)(where(below, 1.0, a), where(below, 0.0, m))
    total = where(below, a + m, 1.0)
    turn = poch(1.0, total - 1.0) * poch(1.0, where(below, -a, 0.0)) * cos(math.pi * a)
    return where(below, z * (polygamma(0)(total) - polygamma(0)(where(below, 1.0 - a, 1.0))) + turn, z * inner)


binom = elementwise_of_scipy("binom", lambda n, k, z: _binom_slope(n, k, z, True),
                             lambda n, k, z: _binom_slope(n, k, z, False),
                             domain=Domain("n > −1, k > −1", ((1.0, 12.0), (0.0, 6.0)),
                                           lambda n, k: abs(n - k + 1.0)))  # fmt: skip
poch = elementwise_of_scipy("poch", lambda a, m, z: _poch_by_start(a, m, z), lambda a, m, z: z * polygamma(0)(a + m),
                            domain=Domain("a + m > 0", ((0.1, 8.0), (0.0, 6.0))))  # fmt: skip
