"""Locally constant functions: rounding, comparisons, logic, predicates. Their derivative is zero wherever it exists."""

import math
import operator as op

import numpy as np

from ..table import BY_NUMPY, TABLE, locally_constant, locally_constant_of_arrays

floor = locally_constant()(math.floor, np.floor)
ceil = locally_constant()(math.ceil, np.ceil)
trunc = locally_constant()(math.trunc, np.trunc)
rint = locally_constant(name="rint")(round, np.rint)
floor_divide = locally_constant(arity=2)(op.floordiv, np.floor_divide)
sign = locally_constant(unreal=lambda x: TABLE["direction"](x))(None, np.sign)  # x / |x|
signbit = locally_constant()(None, np.signbit)
ulp = locally_constant()(math.ulp, np.spacing)

less = locally_constant(arity=2)(op.lt, np.less)
less_equal = locally_constant(arity=2)(op.le, np.less_equal)
greater = locally_constant(arity=2)(op.gt, np.greater)
greater_equal = locally_constant(arity=2)(op.ge, np.greater_equal)
equal = locally_constant(arity=2)(op.eq, np.equal)
not_equal = locally_constant(arity=2)(op.ne, np.not_equal)

logical_and = locally_constant(arity=2)(None, np.logical_and)
logical_or = locally_constant(arity=2)(None, np.logical_or)
logical_xor = locally_constant(arity=2)(None, np.logical_xor)
logical_not = locally_constant()(None, np.logical_not)
bitwise_and = locally_constant(arity=2)(op.and_, np.bitwise_and)
bitwise_or = locally_constant(arity=2)(op.or_, np.bitwise_or)
bitwise_xor = locally_constant(arity=2)(op.xor, np.bitwise_xor)
invert = locally_constant()(op.invert, np.invert)

left_shift = locally_constant(arity=2)(op.lshift, np.left_shift)
right_shift = locally_constant(arity=2)(op.rshift, np.right_shift)
bitwise_count = locally_constant()(None, np.bitwise_count)
gcd = locally_constant(arity=2)(math.gcd, np.gcd)
lcm = locally_constant(arity=2)(math.lcm, np.lcm)

isfinite = locally_constant()(math.isfinite, np.isfinite)
isinf = locally_constant()(math.isinf, np.isinf)
isnan = locally_constant()(math.isnan, np.isnan)


def _mantissa_scale(x):
    """2⁻ᵉ of x = m · 2ᵉ, in x's precision; NaN where x is not finite."""
    with np.errstate(over="ignore"):
        scale = np.ldexp(np.ones_like(x), -np.frexp(x)[1])
    return np.where(np.isfinite(x), scale, np.full_like(scale, np.nan))[()]


mantissa_scale = locally_constant()(None, _mantissa_scale)


@locally_constant_of_arrays(of=np.round, name="round")
def rounded(a, decimals=0):
    return np.round(a, decimals)


BY_NUMPY[np.around] = BY_NUMPY[np.round]

isposinf = locally_constant()(None, np.isposinf)
isneginf = locally_constant()(None, np.isneginf)
