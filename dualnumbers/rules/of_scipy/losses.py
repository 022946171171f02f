"""Products with logarithms, entropies, robust losses."""

import numpy as np

from ...elementary import elementwise
from ..domains import Domain, both_positive, positive
from ..exponential import log, log1p
from ..from_scipy import elementwise_of_scipy
from ..kinks import absolute
from ..powers import hypot
from ..selection import where
from ..steps import equal, less_equal, sign

_log1p_second = Domain("y > −1", ((-5.0, 5.0), (-0.9, 10.0)))


def _quotient(x, y):
    """x / y, 0 where x is 0."""
    return x / where(equal(x, 0), 1.0, y)


xlogy = elementwise_of_scipy("xlogy", lambda x, y, z: log(y), lambda x, y, z: _quotient(x, y), singular=True,
                             domain=Domain("y > 0", ((-5.0, 5.0), (0.1, 10.0))))  # fmt: skip
xlog1py = elementwise_of_scipy("xlog1py", lambda x, y, z: log1p(y), lambda x, y, z: _quotient(x, 1.0 + y),
                               singular=True, domain=_log1p_second)  # fmt: skip


def _log_ratio(x, y):
    """log x/y: by log1p where x is near y, and by two logarithms where the quotient leaves the range."""
    with np.errstate(all="ignore"):
        ratio, near = x / y, np.abs(x - y) < 0.5 * np.abs(y)
        inside = (ratio > 1e-30) & (ratio < 1e30)
        far = np.where(inside, np.log(np.where(inside, ratio, 1.0)), np.log(x) - np.log(y))
        return np.where(near, np.log1p(np.where(near, (x - y) / y, 0.0)), far)[()]


log_ratio = elementwise(None, _log_ratio, lambda x, y, z: 1.0 / x, lambda x, y, z: -1.0 / y, name="log_ratio",
                        domain=both_positive, singular=True)  # fmt: skip
entr = elementwise_of_scipy("entr", lambda x, z: -1.0 - log(x), domain=positive, singular=True)
rel_entr = elementwise_of_scipy("rel_entr", lambda x, y, z: 1.0 + log_ratio(x, y), lambda x, y, z: -x / y,
                                singular=True, domain=both_positive)  # fmt: skip
kl_div = elementwise_of_scipy("kl_div", lambda x, y, z: log_ratio(x, y), lambda x, y, z: (y - x) / y, singular=True,
                              domain=both_positive)  # fmt: skip


def _within(delta, r):
    return less_equal(absolute(r), delta)


huber = elementwise_of_scipy("huber", lambda d, r, z: where(_within(d, r), 0.0, absolute(r) - d),
                             lambda d, r, z: where(_within(d, r), r, d * sign(r)),
                             domain=Domain("δ > 0, |r| ≠ δ", ((0.1, 3.0), (-5.0, 5.0)),
                                           lambda d, r: min(abs(abs(r) - d), abs(r))))  # fmt: skip


def _steepness(d, r):
    """√(1 + (r/δ)²) − 1, without cancellation."""
    ratio = r / d
    return ratio * (ratio / (hypot(1.0, ratio) + 1.0))


pseudo_huber = elementwise_of_scipy(
    "pseudo_huber", lambda d, r, z: d * _steepness(d, r) * (_steepness(d, r) / hypot(1.0, r / d)),
    lambda d, r, z: r / hypot(1.0, r / d), domain=Domain("δ > 0", ((0.6, 3.0), (-3.0, 3.0))))  # fmt: skip
