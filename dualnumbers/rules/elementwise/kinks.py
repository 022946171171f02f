"""Functions with kinks: abs, maximum and the like. At the kink of abs the derivative is 0; at a tie both share it."""

import math
import operator as op
from functools import partial

import numpy as np

from ...messages.errors import user_line
from ...table import elementwise, locally_constant
from ..comparisons import equal
from ..domains import no_ties, nonzero, nonzero_both, nonzero_first
from ..step_functions import sign
from ..where import where
from .modulus import modulus, modulus_of_python

# Of complex numbers NumPy's modulus differs from Python's in the last bit.
absolute = elementwise(lambda x, z: sign(x), domain=nonzero, unreal=(modulus_of_python, modulus), shown="abs")(
    op.abs, np.absolute
)
fabs = elementwise(lambda x, z: sign(x), domain=nonzero)(math.fabs, np.fabs)
copysign = elementwise(lambda x, y, z: sign(x) * sign(z), 0.0, domain=nonzero_both)(math.copysign, np.copysign)


def _share(x, y):
    """1 where x is the larger, 1/2 at a tie, 0 where it is the smaller, NaN where either is."""
    return 1.0 if x > y else 0.0 if x < y else 0.5 if x == y else math.nan


def _shares(x, y):
    """Do the same for arrays."""
    larger, smaller = np.greater(x, y), np.less(x, y)
    alike = type(x) is np.ndarray and x.dtype.kind == "f" and getattr(y, "dtype", x.dtype) is x.dtype
    share = larger.astype(x.dtype if alike else np.result_type(x, y, np.float16))
    if np.count_nonzero(larger) + np.count_nonzero(smaller) == share.size:
        return share
    tied = np.equal(x, y)
    share = share + tied.astype(share.dtype) * 0.5
    ordered = larger | smaller | tied
    return share if ordered.all() else np.where(ordered, share, np.full_like(share, np.nan))[()]


def no_order(*operands):
    """Refuses complex operands."""
    raise TypeError("the larger or smaller of complex numbers has no derivative: they have no order; compare their abs "
                    f"or real parts, and take one by np.where{user_line()}")  # fmt: skip


share = locally_constant(arity=2)(_share, _shares)
selecting = partial(elementwise, domain=no_ties, singular=True, selects=True, unreal=no_order)
maximum = selecting(lambda x, y, z: share(x, y), lambda x, y, z: share(y, x))(None, np.maximum)
minimum = selecting(lambda x, y, z: share(y, x), lambda x, y, z: share(x, y))(None, np.minimum)


def _part(x, y, z):
    """1 where z is x, 1/2 where it is y as well, 0 where it is y alone, NaN where both are."""
    return equal(x, z) / (1.0 * equal(x, z) + equal(y, z))


fmax = selecting(_part, lambda x, y, z: _part(y, x, z))(None, np.fmax)
fmin = selecting(_part, lambda x, y, z: _part(y, x, z))(None, np.fmin)
heaviside = elementwise(0.0, lambda x, y, z: where(equal(x, 0), 1.0, 0.0), domain=nonzero_first)(None, np.heaviside)
