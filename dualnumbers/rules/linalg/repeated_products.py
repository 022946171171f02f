"""Powers of matrices and chains of products."""

import numpy as np

from ...foreign import as_like, is_foreign
from ...forms import dtype_of, shape, zeros_like
from ...table import composition
from ..indexing import getitem
from ..shaping import array, expand_dims
from .factors import product, square
from .products import dot, matmul
from .systems import inv


@composition(np.linalg.matrix_power)
def matrix_power(a, n):
    """The product of n factors A, of A⁻¹ for negative n, by repeated squaring."""
    if not isinstance(n, (int, np.integer)):
        raise TypeError(f"np.linalg.matrix_power takes an integer exponent, not {n!r}; use a fractional matrix power")
    if n == 0:
        zeros = zeros_like(a)
        if is_foreign(type(zeros)):
            zeros = np.zeros(shape(a), dtype_of(a))  # a library may want to compute it
        return as_like(np.linalg.matrix_power(zeros, 0), a)  # of squares alone
    square(a)
    a, n = (a, int(n)) if n > 0 else (inv(a), -int(n))
    if n <= 3:
        return product(*[a] * n)
    result = None
    while n:
        n, odd = divmod(n, 2)
        if odd:
            result = a if result is None else matmul(result, a)
        if n:
            a = matmul(a, a)
    return result


def _cheapest(lengths):
    """Return where to split a chain of matrices, ``(first, last)`` → split, so that multiplications are fewest.

    Source: T. H. Cormen et al., *Introduction to Algorithms*, §15.2.
    """
    count = len(lengths) - 1
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            costs = [cost[i, k] + cost[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1] for k in range(i, j)]
            cost[i, j] = min(costs)
            split[i, j] = i + costs.index(cost[i, j])
    return split


@composition(np.linalg.multi_dot)
def multi_dot(arrays):
    """The product of a chain of matrices, in the cheapest order; the first and the last may be vectors."""
    if len(arrays) < 2:
        raise ValueError("np.linalg.multi_dot expects at least two arrays")
    first, *middle, last = map(array, arrays)
    if not middle:
        return dot(first, last)
    ends = len(shape(first)) == 1, len(shape(last)) == 1
    chain = [expand_dims(first, 0) if ends[0] else first, *middle, expand_dims(last, 1) if ends[1] else last]
    if any(len(shape(x)) != 2 for x in chain):
        raise np.linalg.LinAlgError(f"multi_dot takes matrices, not arrays of shapes {[shape(x) for x in arrays]}")
    split = _cheapest([shape(chain[0])[0], *(shape(x)[1] for x in chain)])

    def multiplied(i, j):
        return chain[i] if i == j else dot(multiplied(i, split[i, j]), multiplied(split[i, j] + 1, j))

    z = multiplied(0, len(chain) - 1)
    return getitem(z, tuple(0 if vector else slice(None) for vector in ends)) if any(ends) else z
