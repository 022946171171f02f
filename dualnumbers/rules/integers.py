"""Functions of integers and truth values, bit by bit and by divisors: they are locally constant."""

import math
import operator as op

import numpy as np

from ..table import locally_constant

bitwise_and = locally_constant(arity=2)(op.and_, np.bitwise_and)
bitwise_or = locally_constant(arity=2)(op.or_, np.bitwise_or)
bitwise_xor = locally_constant(arity=2)(op.xor, np.bitwise_xor)
invert = locally_constant()(op.invert, np.invert)

left_shift = locally_constant(arity=2)(op.lshift, np.left_shift)
right_shift = locally_constant(arity=2)(op.rshift, np.right_shift)
bitwise_count = locally_constant()(None, np.bitwise_count)
gcd = locally_constant(arity=2)(math.gcd, np.gcd)
lcm = locally_constant(arity=2)(math.lcm, np.lcm)
