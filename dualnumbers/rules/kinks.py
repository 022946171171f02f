"""Functions with kinks. Policy: at the kink of abs the derivative is 0; at a tie the arguments share it equally."""

import math

import numpy as np

from ..elementary import BY_NUMPY, elementwise, locally_constant
from ..errors import user_line
from .domains import no_ties, nonzero, nonzero_both, nonzero_first
from .modulus import modulus, modulus_of_python
from .selection import where
from .steps import equal, sign

absolute = elementwise(abs, np.absolute, lambda x, z: sign(x), domain=nonzero, operator=True,
                       unreal=modulus_of_python, shown="abs")  # fmt: skip
BY_NUMPY[np.absolute].row.unreal = modulus  # type: ignore[attr-defined]  # which differs from Python's in the last bit
fabs = elementwise(math.fabs, np.fabs, lambda x, z: sign(x), domain=nonzero)
copysign = elementwise(math.copysign, np.copysign, lambda x, y, z: sign(x) * sign(z), 0.0, domain=nonzero_both)


def _share(x, y):
    """1 where x is the larger, 1/2 at a tie, 0 where it is the smaller, NaN where either is."""
    larger, smaller = np.greater_equal(x, y), np.less_equal(x, y)
    share = np.subtract(larger, smaller, dtype=np.int8).astype(np.result_type(x, y, np.float16))
    share *= 0.5
    share += 0.5
    ordered = np.logical_or(larger, smaller)
    return share if ordered.all() else np.where(ordered, share, np.full_like(share, np.nan))[()]


def no_order(*operands):
    """Refuses complex operands."""
    raise TypeError("the larger or smaller of complex numbers has no derivative: they have no order; compare their abs "
                    f"or real parts, and take one by np.where{user_line()}")  # fmt: skip


share = locally_constant(None, _share, arity=2, name="share")
maximum = elementwise(None, np.maximum, lambda x, y, z: share(x, y), lambda x, y, z: share(y, x), domain=no_ties,
                      singular=True, selects=True, unreal=no_order)  # fmt: skip
minimum = elementwise(None, np.minimum, lambda x, y, z: share(y, x), lambda x, y, z: share(x, y), domain=no_ties,
                      singular=True, selects=True, unreal=no_order)  # fmt: skip


def _part(x, y, z):
    """1 where z is x, 1/2 where it is y as well, 0 where it is y alone, NaN where both are."""
    return equal(x, z) / (1.0 * equal(x, z) + equal(y, z))


fmax = elementwise(None, np.fmax, lambda x, y, z: _part(x, y, z), lambda x, y, z: _part(y, x, z), domain=no_ties,
                   singular=True, selects=True, unreal=no_order)  # fmt: skip
fmin = elementwise(None, np.fmin, lambda x, y, z: _part(x, y, z), lambda x, y, z: _part(y, x, z), domain=no_ties,
                   singular=True, selects=True, unreal=no_order)  # fmt: skip
heaviside = elementwise(None, np.heaviside, 0.0, lambda x, y, z: where(equal(x, 0), 1.0, 0.0), domain=nonzero_first)
