"""Locally constant functions: rounding, comparisons, logic, predicates. Their derivative is zero wherever it exists."""

import math
import operator as op

import numpy as np

from ..elementary import BY_NUMPY, TABLE, locally_constant, locally_constant_of_array

floor = locally_constant(math.floor, np.floor)
ceil = locally_constant(math.ceil, np.ceil)
trunc = locally_constant(math.trunc, np.trunc)
rint = locally_constant(round, np.rint, name="rint")
floor_divide = locally_constant(op.floordiv, np.floor_divide, arity=2, operator=True)
sign = locally_constant(None, np.sign, unreal=lambda x: TABLE["direction"](x))  # x / |x|
signbit = locally_constant(None, np.signbit)
ulp = locally_constant(math.ulp, np.spacing, name="ulp")

less = locally_constant(op.lt, np.less, arity=2, operator=True)
less_equal = locally_constant(op.le, np.less_equal, arity=2, operator=True)
greater = locally_constant(op.gt, np.greater, arity=2, operator=True)
greater_equal = locally_constant(op.ge, np.greater_equal, arity=2, operator=True)
equal = locally_constant(op.eq, np.equal, arity=2, operator=True)
not_equal = locally_constant(op.ne, np.not_equal, arity=2, operator=True)

logical_and = locally_constant(None, np.logical_and, arity=2)
logical_or = locally_constant(None, np.logical_or, arity=2)
logical_xor = locally_constant(None, np.logical_xor, arity=2)
logical_not = locally_constant(None, np.logical_not)
bitwise_and = locally_constant(op.and_, np.bitwise_and, arity=2, operator=True)
bitwise_or = locally_constant(op.or_, np.bitwise_or, arity=2, operator=True)
bitwise_xor = locally_constant(op.xor, np.bitwise_xor, arity=2, operator=True)
invert = locally_constant(op.invert, np.invert, operator=True)

left_shift = locally_constant(op.lshift, np.left_shift, arity=2, operator=True)
right_shift = locally_constant(op.rshift, np.right_shift, arity=2, operator=True)
bitwise_count = locally_constant(None, np.bitwise_count)
gcd = locally_constant(math.gcd, np.gcd, arity=2)
lcm = locally_constant(math.lcm, np.lcm, arity=2)

isfinite = locally_constant(math.isfinite, np.isfinite)
isinf = locally_constant(math.isinf, np.isinf)
isnan = locally_constant(math.isnan, np.isnan)


def _mantissa_scale(x):
    """2⁻ᵉ of x = m · 2ᵉ, in x's precision; NaN where x is not finite."""
    with np.errstate(over="ignore"):
        scale = np.ldexp(np.ones_like(x), -np.frexp(x)[1])
    return np.where(np.isfinite(x), scale, np.full_like(scale, np.nan))[()]


mantissa_scale = locally_constant(None, _mantissa_scale, name="mantissa_scale")


rounded = locally_constant_of_array(np.round, lambda a, decimals=0: (a, decimals), np.round)
BY_NUMPY[np.around] = BY_NUMPY[np.round]

isposinf = locally_constant(None, np.isposinf)
isneginf = locally_constant(None, np.isneginf)
