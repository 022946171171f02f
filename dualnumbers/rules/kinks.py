"""Functions with kinks. Policy: at the kink of abs the derivative is 0; at a tie the arguments share it equally."""

import math

import numpy as np

from ..elementary import elementwise, locally_constant
from .complexes import imag, real
from .domains import no_ties, nonzero, nonzero_both
from .steps import sign

absolute = elementwise(abs, np.absolute, lambda x, z: sign(x), domain=nonzero, operator=True,
                       unreal=lambda x: np.hypot(real(x), imag(x)))  # fmt: skip
fabs = elementwise(math.fabs, np.fabs, lambda x, z: sign(x), domain=nonzero)
copysign = elementwise(math.copysign, np.copysign, lambda x, y, z: sign(x) * sign(z), 0.0, domain=nonzero_both)


def _share(x, y):
    """1 where x is the larger, 1/2 at a tie, 0 where it is the smaller, NaN where either is."""
    share = 0.5 * (np.greater(x, y) + np.greater_equal(x, y).astype(np.result_type(x, y, np.float16)))
    return np.where(np.isnan(x) | np.isnan(y), np.full_like(share, np.nan), share)[()]


def _no_order(x, y):
    raise TypeError("the larger or smaller of complex numbers has no derivative: they have no order")


share = locally_constant(None, _share, arity=2, name="share")
maximum = elementwise(None, np.maximum, lambda x, y, z: share(x, y), lambda x, y, z: share(y, x), domain=no_ties,
                      singular=True, unreal=_no_order)  # fmt: skip
minimum = elementwise(None, np.minimum, lambda x, y, z: share(y, x), lambda x, y, z: share(x, y), domain=no_ties,
                      singular=True, unreal=_no_order)  # fmt: skip
