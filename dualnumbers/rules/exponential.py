"""Exponentials and logarithms. Source: NIST DLMF §4.2, §4.10."""

import math

import numpy as np

from ..elementary import elementwise
from .domains import above_minus_one, positive

LN2, LN10 = math.log(2.0), math.log(10.0)

exp = elementwise(math.exp, np.exp, lambda x, z: z, singular=True)
exp2 = elementwise(getattr(math, "exp2", None), np.exp2, lambda x, z: LN2 * z, singular=True)
expm1 = elementwise(math.expm1, np.expm1, lambda x, z: exp(x), singular=True)  # z + 1 would round e⁻⁴⁰ away
log = elementwise(math.log, np.log, lambda x, z: 1.0 / x, domain=positive, singular=True)
log2 = elementwise(math.log2, np.log2, lambda x, z: 1.0 / (x * LN2), domain=positive, singular=True)
log10 = elementwise(math.log10, np.log10, lambda x, z: 1.0 / (x * LN10), domain=positive, singular=True)
log1p = elementwise(math.log1p, np.log1p, lambda x, z: 1.0 / (1.0 + x), domain=above_minus_one, singular=True)
logaddexp = elementwise(None, np.logaddexp, lambda x, y, z: exp(x - z), lambda x, y, z: exp(y - z))
logaddexp2 = elementwise(None, np.logaddexp2, lambda x, y, z: exp2(x - z), lambda x, y, z: exp2(y - z))
