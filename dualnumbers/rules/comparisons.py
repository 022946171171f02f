"""Comparisons, logic and predicates of floats: locally constant, so their derivative is zero wherever it exists."""

import math
import operator as op

import numpy as np

from ..table import locally_constant

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

isfinite = locally_constant()(math.isfinite, np.isfinite)
isinf = locally_constant()(math.isinf, np.isinf)
isnan = locally_constant()(math.isnan, np.isnan)
isposinf = locally_constant()(None, np.isposinf)
isneginf = locally_constant()(None, np.isneginf)
