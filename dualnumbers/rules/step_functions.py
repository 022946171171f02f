"""Step functions: rounding, signs, exponents. They are locally constant: the derivative is zero wherever it exists.

Rounding selects: its value 0 is that of a whole interval, where the sign is 0 at 0 alone.
"""

import math
import operator as op
from functools import partial

import numpy as np

from ..table import BY_NUMPY, TABLE, locally_constant, locally_constant_of_arrays
from ..table.batching import by_elements

rounding = partial(locally_constant, selects=True)

floor = rounding()(math.floor, np.floor)
ceil = rounding()(math.ceil, np.ceil)
trunc = rounding()(math.trunc, np.trunc)
BY_NUMPY[np.fix] = BY_NUMPY[np.trunc]
rint = rounding(name="rint")(round, np.rint)
floor_divide = rounding(arity=2)(op.floordiv, np.floor_divide)


def _sign(x):
    if type(x) is not float:
        return np.sign(x).item()
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0 if x == 0.0 else x


sign = locally_constant(unreal=lambda x: TABLE["direction"](x))(_sign, np.sign)  # x / |x|
signbit = locally_constant()(None, np.signbit)
ulp = locally_constant()(math.ulp, np.spacing)


def _mantissa_scale(x):
    """2⁻ᵉ of x = m · 2ᵉ, in x's precision; NaN where x is not finite."""
    with np.errstate(over="ignore"):
        scale = np.ldexp(np.ones_like(x), -np.frexp(x)[1])
    return np.where(np.isfinite(x), scale, np.full_like(scale, np.nan))[()]


mantissa_scale = locally_constant()(None, _mantissa_scale)


@locally_constant_of_arrays(of=np.round, name="round", selects=True, batched=by_elements)
def rounded(a, decimals=0):
    return np.round(a, decimals)


BY_NUMPY[np.around] = BY_NUMPY[np.round]
