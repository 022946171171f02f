"""The binomial coefficient and Pochhammer's symbol, by differences of digamma functions that do not cancel; steps.

Beyond the poles of the gamma functions, where the value is 0 at whole numbers, by reflection. Source: NIST DLMF
§5.2(iii), §5.5(ii), §26.3.
"""

import math

from ...comparisons import equal, greater, less, less_equal
from ...domains import Domain
from ...elementwise.gamma import beta, gamma, polygamma, polygamma_difference
from ...elementwise.trigonometric import cos_pi, sin_pi
from ...from_scipy import elementwise_of_scipy, locally_constant_of_scipy
from ...where import where

gammasgn = locally_constant_of_scipy("gammasgn")
round_to_even = locally_constant_of_scipy("round", as_name="special_round")


def _beyond(n, k):
    """Return where k + 1 or n − k + 1 is next to a pole of Γ or beyond, below ½; binom(n, k) is binom(n, n − k)."""
    return less(k, -0.5), less(n - k, -0.5)


def _turn(n, k):
    """The derivative of binom = B(n + 1, m) sin π(1 − m) / π beyond a pole, m = −k or k − n, in that sine; else 0."""
    low, high = _beyond(n, k)
    m = where(low, -k, where(high, k - n, 1.0))
    return where(low | high, beta(where(low | high, n + 1.0, 1.0), m) * cos_pi(1.0 - m), 0.0)


def _binom_by_n(n, k, z):
    low, high = _beyond(n, k)
    start = where(low, n + 1.0, where(high, k - n, n - k + 1.0))
    step = where(low, -k, where(high, 2.0 * n - k + 1.0, k))
    return where(low, -z, z) * polygamma_difference(0)(start, step) + where(low, 0.0, _turn(n, k))


def _binom_by_k(n, k, z):
    low, high = _beyond(n, k)
    start = where(low, -k, where(high, k - n, k + 1.0))
    step = where(low | high, n + 1.0, n - 2.0 * k)
    return where(high, -z, z) * polygamma_difference(0)(start, step) + where(low, 1.0, -1.0) * _turn(n, k)


def _poch_by_start(a, m, z):
    """Next to the poles and beyond, by reflection: of Γ(a) alone, or of both in Γ(a + m) / Γ(a).

    Where m is small beside a > 0, that would cancel, and z (ψ(a + m) − ψ(a)) does not.
    """
    low = less(a, 0.1) & (less(a, 0.25 * m) | less_equal(a, 0.0) | less_equal(a + m, 0.0))
    both = low & less_equal(a + m, 0.0)
    one = low & greater(a + m, 0.0)
    inner = polygamma_difference(0)(where(both, 1.0 - a, where(one, 1.0, a)), where(both, -m, where(one, 0.0, m)))
    total, start = where(one, a + m, 1.0), where(one, a, 0.0)
    turn = gamma(total) * gamma(1.0 - start) * cos_pi(start)
    reflected = z * polygamma_difference(0)(1.0 - start, total - 1.0 + start) + turn
    wave = where(both, sin_pi(m), 0.0)
    waves = where(equal(wave, 0.0), 1.0, sin_pi(a) * sin_pi(a + m))
    return where(one, reflected, z * (inner + math.pi * wave / waves))


binom = elementwise_of_scipy("binom", _binom_by_n, _binom_by_k, singular=True,
                             domain=Domain("n > −1", ((1.0, 12.0), (0.0, 6.0)),
                                           lambda n, k: abs(n - k + 1.0)))  # fmt: skip
poch = elementwise_of_scipy("poch", _poch_by_start, lambda a, m, z: z * polygamma(0)(a + m), singular=True,
                            domain=Domain("a + m > 0", ((0.1, 8.0), (0.0, 6.0))))  # fmt: skip
