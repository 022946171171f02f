"""Patterns: which elements of a value, a tangent or an adjoint may be other than 0.

They are plain data, and carry no derivative. That of several results is a tuple with one for each.

>>> masked(np.array([np.inf, 2.0]), np.array([False, True]))
array([0., 2.])
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import shape
from dualnumbers.levels import decided, is_number
from dualnumbers.numbers.mapped import MappedNumber
from dualnumbers.rules.where import where
from dualnumbers.several import each, parts

Pattern = Any
"""A bool for a number, for an array one for each element: True where it may be other than 0."""


def masked(x: Any, pattern: Pattern) -> Any:
    """Return ``x`` where a pattern is True, 0 elsewhere."""
    return x if np.all(pattern) else where(pattern, x, 0.0)


def varies_outside(x: Any) -> bool:
    """Return whether a constant varies with a differentiation around, and not only in a recording to be run again."""
    while is_number(type(x)):
        if isinstance(x, MappedNumber):  # which is values, and may be of numbers of a differentiation around
            x = x.data
        elif getattr(type(x), "active", True) and not getattr(getattr(x, "tape", None), "is_program", False):
            return True
        else:
            x = x.primal
    return False


def either(patterns: Iterable[Pattern], like: Any) -> Pattern:
    """Return where any of some patterns of a value's shape is True."""
    return reduce(lambda one, other: each(np.logical_or, one, other), patterns, nowhere(like))


def nowhere(like: Any) -> Pattern:
    """Return the pattern that is False for all elements of a value."""
    return each(lambda x: filled(False, x), like)


def filled(truth: bool, like: Any) -> Pattern:
    """Return a pattern that has one truth for all elements, in the library that a value is of."""
    return as_like(np.full(shape(like), truth)[()], like)


def is_everywhere(pattern: Pattern) -> bool:
    """Return whether a pattern is True for all elements."""
    return bool(pattern) if type(pattern) is np.bool else all(map(np.all, parts(pattern)))


def is_anywhere(pattern: Pattern) -> bool:
    """Return whether a pattern is True for any element."""
    return bool(pattern) if type(pattern) is np.bool else any(map(np.any, parts(pattern)))


def extended(passed: Pattern, derivative: Any) -> Pattern:
    """Return a pattern with the places where a derivative is not 0."""
    if derivative is None:
        return passed
    found = np.not_equal(derivative, 0)
    return passed | (found if np.shape(found) == np.shape(passed) else np.broadcast_to(found, np.shape(passed)))


def folded(pattern: Pattern, operand: Any) -> Pattern:
    """Fold a pattern to an operand's shape: True where it is for any element that one was broadcast to."""
    target = shape(operand)
    pattern = np.any(pattern, axis=tuple(range(np.ndim(pattern) - len(target))))
    return np.any(pattern, axis=tuple(i for i, n in enumerate(target) if n == 1), keepdims=True)


def of_seed(seed: Any, value: Any) -> Pattern:
    """Return which elements of a tangent or adjoint that is given for a line may be other than 0."""
    if varies_outside(seed):
        return filled(True, value)
    return np.broadcast_to(decided(is_other_than_zero, seed), shape(value))


def is_other_than_zero(x: Any) -> Any:
    """Return which elements are not 0."""
    return np.not_equal(x, 0)


def is_zero(x: Any) -> Any:
    """Return which elements are 0."""
    return np.equal(x, 0)
