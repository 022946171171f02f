"""Comparisons, logic and predicates of floats: locally constant, so their derivative is zero wherever it exists."""

import math
import operator as op

import numpy as np

from ..foreign import one_of
from ..levels import is_lazy, read
from ..table import locally_constant, locally_constant_of_arrays
from ..table.batching import by_elements

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


# ------------------------------------------------------------------------------------------ of two numbers or arrays


def _tolerances(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return a, b, read(rtol), read(atol), equal_nan


@locally_constant_of_arrays(2, of=np.isclose, call=_tolerances, batched=by_elements)
def isclose(a, b, rtol, atol, equal_nan):
    return np.isclose(a, b, rtol, atol, equal_nan)


@locally_constant_of_arrays(2, of=np.allclose, call=_tolerances)
def allclose(a, b, rtol, atol, equal_nan):
    return np.allclose(a, b, rtol, atol, equal_nan)


@locally_constant_of_arrays(2, of=np.array_equal, needs=None)
def array_equal(a1, a2, equal_nan=False):
    if not is_lazy(type(one_of((a1, a2)))):
        return np.array_equal(a1, a2, equal_nan)
    return _all_equal(a1, a2, equal_nan) if np.shape(a1) == np.shape(a2) else False


@locally_constant_of_arrays(2, of=np.array_equiv, needs=None)
def array_equiv(a1, a2):
    if not is_lazy(type(one_of((a1, a2)))):
        return np.array_equiv(a1, a2)
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return _all_equal(a1, a2, False)


def _all_equal(x, y, equal_nan):
    """Return whether all elements of lazy arrays are equal, a lazy truth."""
    return np.all((x == y) | ((x != x) & (y != y)) if equal_nan else x == y)


@locally_constant_of_arrays(2)
def math_isclose(a, b, rel_tol, abs_tol):
    if is_lazy(type(one_of((a, b)))):
        raise TypeError("math.isclose would compute it")
    return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)
