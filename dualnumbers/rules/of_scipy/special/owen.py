"""Owen's T function and Kolmogorov's distribution. Source: Owen (1956); Kolmogorov (1933)."""

import math

from ...comparisons import greater, less
from ...domains import Domain
from ...elementwise.exponential import exp
from ...elementwise.normal import ROOT2, ROOT_2PI, erf, inside_zero_one, normal_density
from ...from_scipy import elementwise_of_scipy
from ...where import where

owens_t = elementwise_of_scipy(
    "owens_t", lambda h, a, z: -0.5 * normal_density(h) * erf(a * h / ROOT2),
    lambda h, a, z: normal_density(h) * normal_density(a * h) / (1.0 + a * a))  # fmt: skip


def _density(x):
    """Density of Kolmogorov's distribution: each of two series, one the other's transform, where it is short."""
    low, tiny = less(x, 0.8), less(x, 0.05)
    s = where(low, 1.0, x)
    late = 8.0 * s * sum((-1) ** (k - 1) * k * k * exp(-2.0 * k * k * s * s) for k in range(1, 7))
    r = 1.0 / where(greater(x, 0.8), 1.0, where(tiny, 1.0, x))
    r = r * r
    early = ROOT_2PI * r * sum((2.0 * c * r - 1.0) * exp(-c * r) for c in
                               ((2 * k - 1) ** 2 * math.pi**2 / 8.0 for k in range(1, 5)))  # fmt: skip
    return where(tiny, 0.0, where(low, early, late))


kolmogorov = elementwise_of_scipy("kolmogorov", lambda x, z: -_density(x), domain=Domain("", ((0.1, 4.0),)))
kolmogi = elementwise_of_scipy("kolmogi", lambda p, z: -1.0 / _density(z), domain=inside_zero_one, singular=True)
