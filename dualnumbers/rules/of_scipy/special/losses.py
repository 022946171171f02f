"""Products with logarithms, entropies, robust losses."""

import numpy as np

from ....table import elementwise
from ...comparisons import equal, less_equal
from ...domains import Domain, both_positive, positive
from ...elementwise.exponential import log, log1p
from ...elementwise.kinks import absolute
from ...elementwise.powers import cosine, hypot
from ...from_scipy import elementwise_of_scipy
from ...step_functions import sign
from ...where import where

_log1p_second = Domain("y > −1", ((-5.0, 5.0), (-0.9, 10.0)))


def _quotient(x, y):
    """x / y, 0 where x is 0."""
    return x / where(equal(x, 0), 1.0, y)


xlogy = elementwise_of_scipy("xlogy", lambda x, y, z: log(y), lambda x, y, z: _quotient(x, y), singular=True,
                             domain=Domain("y > 0", ((-5.0, 5.0), (0.1, 10.0))))  # fmt: skip
xlog1py = elementwise_of_scipy(
    "xlog1py", lambda x, y, z: log1p(y), lambda x, y, z: _quotient(x, 1.0 + y), singular=True, domain=_log1p_second
)


def _log_ratio(x, y):
    """log x/y: by log1p where x is near y, and by two logarithms where the quotient leaves the range."""
    with np.errstate(all="ignore"):
        ratio, near = x / y, np.abs(x - y) < 0.5 * np.abs(y)
        inside = (ratio > 1e-30) & (ratio < 1e30)
        far = np.where(inside, np.log(np.where(inside, ratio, 1.0)), np.log(x) - np.log(y))
        return np.where(near, np.log1p(np.where(near, (x - y) / y, 0.0)), far)[()]


log_ratio = elementwise(lambda x, y, z: 1.0 / x, lambda x, y, z: -1.0 / y, domain=both_positive, singular=True)(
    None, _log_ratio
)
entr = elementwise_of_scipy("entr", lambda x, z: -1.0 - log(x), domain=positive, singular=True)
rel_entr = elementwise_of_scipy(
    "rel_entr", lambda x, y, z: 1.0 + log_ratio(x, y), lambda x, y, z: -x / y, singular=True, domain=both_positive
)
# a row, for the derivative of the quotient by y is 1/y less nearly as much where x is small beside y
shortfall = elementwise(
    lambda x, y, z: -1.0 / y, lambda x, y, z: x / y / y, name="shortfall", domain=both_positive, singular=True
)(None, lambda x, y: np.subtract(y, x) / y)
kl_div = elementwise_of_scipy(
    "kl_div", lambda x, y, z: log_ratio(x, y), lambda x, y, z: shortfall(x, y), singular=True, domain=both_positive
)


def _within(delta, r):
    return less_equal(absolute(r), delta)


huber = elementwise_of_scipy("huber", lambda d, r, z: where(_within(d, r), 0.0, absolute(r) - d),
                             lambda d, r, z: where(_within(d, r), r, d * sign(r)),
                             domain=Domain("δ > 0, |r| ≠ δ", ((0.1, 3.0), (-5.0, 5.0)),
                                           lambda d, r: min(abs(abs(r) - d), abs(r))))  # fmt: skip


def _half_tangent(d, r):
    """tan θ/2 = r / (√(δ² + r²) + δ), θ the angle whose cosine is δ / √(δ² + r²)."""
    return cosine(r, d) / (1.0 + cosine(d, r))


# z = δ r tan θ/2. Rows, as the derivatives of these slopes are cubes of cosines, and differences of such cancel where
# one of δ and r is small beside the other
_pseudo = Domain("δ > 0", ((0.6, 3.0), (-3.0, 3.0)))
pseudo_huber_by_r = elementwise(
    lambda d, r, z: cosine(r, d) ** 3, lambda d, r, z: cosine(d, r) ** 3, name="pseudo_huber_by_r", domain=_pseudo
)(None, lambda d, r: np.multiply(r, cosine(d, r)))
pseudo_huber_by_d = elementwise(
    lambda d, r, z: pseudo_huber_by_d_twice(d, r),
    lambda d, r, z: cosine(r, d) ** 3,
    name="pseudo_huber_by_d",
    domain=_pseudo,
)(None, lambda d, r: np.multiply(r, _half_tangent(d, r)) * (_half_tangent(d, r) * cosine(r, d)))
pseudo_huber_by_d_twice = elementwise(
    lambda d, r, z: 3.0 * cosine(r, d) ** 4 / hypot(d, r),
    lambda d, r, z: -3.0 * cosine(r, d) ** 3 * cosine(d, r) / hypot(d, r),
    name="pseudo_huber_by_d_twice",
    domain=_pseudo,
    singular=True,
)(None, lambda d, r: -np.square(_half_tangent(d, r) * cosine(r, d)) * (2.0 + cosine(d, r)))
pseudo_huber = elementwise_of_scipy(
    "pseudo_huber", lambda d, r, z: pseudo_huber_by_d(d, r), lambda d, r, z: pseudo_huber_by_r(d, r), domain=_pseudo
)
