"""Infinite terms of a sum that meet structural zeros: in products of matrices, convolutions, all that is no element's.

√(x + y) does not change with z, of which it knows nothing. In √(A @ v), A = [[1, 1, 0], [0, 0, 1]], the adjoint of the
first sum is infinite at v = 0, and so in Aᵀ @ adjoint stands 0 · ∞ + 1 · g for z. The rule of the product gives that
sum as a whole, NaN; so it is told where in it anything infinite has a share, and the others are found without that:

>>> from autodiff import grad
>>> a = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
>>> grad(lambda v: np.sum(np.sqrt(a @ v)))(np.array([0.0, 0.0, 4.0]))
array([ inf,  inf, 0.25])

Of products of arrays products.py tells that by some products more. Any other row is asked once more for each element
that is not finite, if they are few; where they are many they go through it together, and what any of them reaches may
stay NaN. Of a number the plain value is looked at, not its tangents: what is infinite of those, a derivative around
this one tells apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dualnumbers.levels import decided, has_nan
from dualnumbers.rules.where import where
from dualnumbers.several import each, plus

from .patterns import Pattern
from .products import Factor, Product, factors_beside, is_product, of_product, unbounded
from .structure import Structure

FEW = 50
"""So many elements that are not finite go through a row one by one."""


class Passage(NamedTuple):
    """The way between a line and its operand at a place, of a tangent or an adjoint."""

    structure: Structure
    line: int
    place: int
    passed: Product
    reached: Callable[[int, int, Pattern], Pattern]
    """The pattern of what is passed, by that of what is given: `Structure.pushed`, or `pulled`."""


def told_apart(way: Passage, whole: Any, given: Any, pattern: Pattern) -> Any:
    """Return what passes of a tangent or an adjoint, ``given``, with elements that are not finite told apart.

    ``whole`` is what the row makes of it, 0 where nothing reaches, and stays where it is not NaN. ``pattern`` says
    where ``given`` may be other than 0.
    """
    structure, line, place, passed, reached = way
    row = structure.tape.rows[line]
    assert row is not None
    if type(given) is tuple or not has_nan(whole):
        return whole

    def singly() -> Any:
        return one_by_one(whole, given, passed, lambda pattern: reached(line, place, pattern))

    if not is_product(row):
        return singly()
    return of_product(whole, Factor(given, pattern), factors_beside(structure, line, place), passed, singly)


def one_by_one(whole: Any, given: Any, passed: Callable[[Any], Any], reached: Callable[[Pattern], Pattern]) -> Any:
    """Return what passes of elements that are not finite one by one, if they are few, and of the others together.

    ``passed`` is linear, and ``reached`` the pattern of what it gives, by that of what it is given. What is not NaN of
    ``whole``, all that passes, stays.
    """
    far = decided(unbounded, given)
    count = int(np.sum(far))
    if not count or np.size(far) < 2:
        return whole
    numbers = np.reshape(np.cumsum(far), np.shape(far))
    total = _share(where(far, 0.0, given), ~far, passed, reached)
    for alone in [far & (numbers == k + 1) for k in range(count)] if count <= FEW else [far]:
        total = plus(total, _share(where(alone, given, 0.0), alone, passed, reached))
    return each(lambda x, y: where(decided(np.isnan, x), y, x), whole, total)


def _share(given: Any, pattern: Pattern, passed: Callable[[Any], Any], reached: Callable[[Pattern], Pattern]) -> Any:
    return each(lambda x, mask: where(mask, x, 0.0), passed(given), reached(pattern))
