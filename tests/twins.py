"""When two tapes are one program."""

import numpy as np
from table import same_bits


def is_equal(x, y):
    """Whether two constants or fixed parameters are one to the bit; of caches, whether they are of one class."""
    if type(x) is not type(y):
        return False
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(is_equal, x, y))
    if isinstance(x, (np.ndarray, np.generic, float, complex)):
        return same_bits(x, y)
    return type(x).__module__.startswith(("dualnumbers.", "autodiff.")) or x is y or x == y


def is_twin(one, other):
    """Whether two tapes are one program: rows, operands, fixed parameters and constants."""
    columns = one.rows == other.rows and all(one.operands(k) == other.operands(k) for k in range(len(one)))
    return (columns and len(one.constants) == len(other.constants) and one.static.keys() == other.static.keys()
            and all(is_equal(one.static[line], other.static[line]) for line in one.static)
            and all(map(is_equal, one.constants, other.constants)))  # fmt: skip
