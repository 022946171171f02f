"""Functions with kinks. Policy: at the kink of abs the derivative is 0; at a tie the arguments share it equally."""

import math

import numpy as np

from ..elementary import elementwise
from .complexes import imag, real
from .domains import no_ties, nonzero, nonzero_both
from .steps import equal, greater, less, sign

absolute = elementwise(abs, np.absolute, lambda x, z: sign(x), domain=nonzero, operator=True,
                       unreal=lambda x: np.hypot(real(x), imag(x)))  # fmt: skip
fabs = elementwise(math.fabs, np.fabs, lambda x, z: sign(x), domain=nonzero)
copysign = elementwise(math.copysign, np.copysign, lambda x, y, z: sign(x) * sign(z), 0.0, domain=nonzero_both)

maximum = elementwise(None, np.maximum, lambda x, y, z: greater(x, y) + 0.5 * equal(x, y),
                      lambda x, y, z: less(x, y) + 0.5 * equal(x, y), domain=no_ties)  # fmt: skip
minimum = elementwise(None, np.minimum, lambda x, y, z: less(x, y) + 0.5 * equal(x, y),
                      lambda x, y, z: greater(x, y) + 0.5 * equal(x, y), domain=no_ties)  # fmt: skip
