"""Sums, means, products, extrema along axes."""

import math

import numpy as np

from ..foreign import is_foreign
from ..forms import dtype_of, shape
from ..table import linear, smooth
from ..table.kinds import Smooth
from .comparisons import equal
from .indexing import getitem
from .shaping import astype, broadcast_to, concatenate, reshape, transpose
from .where import where

add_reduce = np.add.reduce


def axes_of(rank, axis):
    """Return the reduced axes as non-negative numbers. NumPy lets a number without axes have the axis 0 or −1."""
    if axis is None or (rank == 0 and axis in (0, -1)):
        return tuple(range(rank))
    return np.lib.array_utils.normalize_axis_tuple(axis, rank)


def kept(z, x, axis):
    """Return a reduction's result with the reduced axes back, of length 1."""
    axes = axes_of(len(shape(x)), axis)
    return reshape(z, tuple(1 if i in axes else n for i, n in enumerate(shape(x))), "C")


def spread(g, x, axis):
    """Return a reduction's adjoint, equal along the reduced axes."""
    return broadcast_to(g if axis is None else kept(g, x, axis), shape(x))


def count_of(x, axis):
    """Return how many elements are reduced to one."""
    return int(np.prod([shape(x)[i] for i in axes_of(len(shape(x)), axis)]))


def signature(a, axis=None, *, keepdims=False):
    """Return the arguments of a call of NumPy's as the rows of reductions have them: operand, axis, keepdims."""
    return a, axis, keepdims


def along(numpy_function):
    """Return a reduction that takes its row's parameters by place, for plain arrays."""
    return lambda x, axis, keepdims: numpy_function(x, axis=axis, keepdims=keepdims)


@linear(lambda g, x, axis, keepdims: spread(g, x, axis), of=np.sum, call=signature)
def sum(x, axis, keepdims):
    """np.sum without its wrapper of 1 µs."""
    if is_foreign(type(x)):
        return np.sum(x, axis=axis, keepdims=keepdims)
    return add_reduce(x, axis, None, None, keepdims)


mean = linear(lambda g, x, axis, keepdims: spread(g, x, axis) / count_of(x, axis), of=np.mean, call=signature)(
    along(np.mean)
)


@linear(lambda g, place, terms: g, any_number=True)
def fsum(terms):
    return math.fsum(terms)


def _halves(x, dx):
    """Product rule on the two halves of the last axis until one factor is left: no division, so zeros do not matter."""
    n = shape(x)[-1]
    while n > 1:
        half = n // 2
        left, right, rest = (..., slice(0, half)), (..., slice(half, 2 * half)), (..., slice(2 * half, n))
        x_left, x_right = getitem(x, left), getitem(x, right)
        dx = concatenate(getitem(dx, left) * x_right + x_left * getitem(dx, right), getitem(dx, rest), -1)
        x = concatenate(x_left * x_right, getitem(x, rest), -1)
        n = shape(x)[-1]
    return dx


def product_push(dx, z, x, axis, keepdims):
    """Return the tangent of a product, also where factors are 0."""
    rank = len(shape(x))
    axes = axes_of(rank, axis)
    if not count_of(x, axis):
        return sum(dx, axis, keepdims)
    order = tuple(i for i in range(rank) if i not in axes) + axes
    lengths = tuple(shape(x)[i] for i in order[: rank - len(axes)])
    last = [reshape(transpose(v, order), (*lengths, count_of(x, axis)), "C") for v in (x, dx)]
    return reshape(_halves(*last), shape(z), "C")


prod = smooth(product_push, of=np.prod, call=signature)(along(np.prod))


def shares(ones, axis, others=0):
    """Equal parts of 1 for each of the ``ones`` and the ``others``; NaN where there is none, since then NaN came in."""
    count = sum(ones, axis, True) + others
    return ones / where(equal(count, 0), math.nan, count)


def real_type(x):
    """Return the real dtype of the precision of ``x``."""
    return np.finfo(dtype_of(x)).dtype


def extremal(z, x, axis):
    """1 where an element is equal to the extremum of its own, else 0."""
    return astype(equal(x, kept(z, x, axis)), real_type(x))


def extremum_push(dx, z, x, axis, keepdims):
    """Return the tangent of an extremum. Ties share equally."""
    return sum(dx * shares(extremal(z, x, axis), axis), axis, keepdims)


def extremum_pull(g, z, x, axis, keepdims):
    """Return the adjoint of an extremum's operand."""
    return kept(g, x, axis) * shares(extremal(z, x, axis), axis)


extremum = Smooth(extremum_push, extremum_pull)
max = smooth(extremum, of=np.max, call=signature, selects=True)(along(np.max))
min = smooth(extremum, of=np.min, call=signature, selects=True)(along(np.min))
