"""Functions with kinks. Policy: at the kink of abs the derivative is 0; at a tie the arguments share it equally."""

import math

import numpy as np

from ..elementary import elementwise
from .complexes import imag, real
from .domains import no_ties, nonzero, nonzero_both
from .steps import equal, sign

absolute = elementwise(abs, np.absolute, lambda x, z: sign(x), domain=nonzero, operator=True,
                       unreal=lambda x: np.hypot(real(x), imag(x)))  # fmt: skip
fabs = elementwise(math.fabs, np.fabs, lambda x, z: sign(x), domain=nonzero)
copysign = elementwise(math.copysign, np.copysign, lambda x, y, z: sign(x) * sign(z), 0.0, domain=nonzero_both)


def _share(x, y, z):
    """1 where z is x alone, 1/2 at a tie of x and y, NaN where z is."""
    return equal(x, z) / (1.0 * equal(x, z) + equal(y, z))


maximum = elementwise(
    None, np.maximum, lambda x, y, z: _share(x, y, z), lambda x, y, z: _share(y, x, z), domain=no_ties
)
minimum = elementwise(
    None, np.minimum, lambda x, y, z: _share(x, y, z), lambda x, y, z: _share(y, x, z), domain=no_ties
)
