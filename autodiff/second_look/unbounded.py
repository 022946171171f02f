"""Infinite terms of a sum that meet structural zeros: in products of matrices, convolutions, all that is no element's.

√(x + y) does not change with z, of which it knows nothing. In √(A @ v), A = [[1, 1, 0], [0, 0, 1]], the adjoint of the
first sum is infinite at v = 0, and so in Aᵀ @ adjoint stands 0 · ∞ + 1 · g for z. The rule of the product gives that
sum as a whole, NaN; so elements that are not finite go through it alone, each as far as its pattern reaches, and the
others without them:

>>> from autodiff import grad
>>> a = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
>>> grad(lambda v: np.sum(np.sqrt(a @ v)))(np.array([0.0, 0.0, 4.0]))
array([ inf,  inf, 0.25])

A row is asked once more for each such element, if they are few; where they are many they go through it together, and
what any of them reaches may stay NaN. Of a number the plain value is looked at, not its tangents: what is infinite of
those, a derivative around this one tells apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.foreign import is_foreign
from dualnumbers.forms import type_of
from dualnumbers.levels import decided, has_nan
from dualnumbers.rules.where import where
from dualnumbers.several import each, plus

from .structure import Pattern

FEW = 50
"""So many elements that are not finite go through a row one by one."""


def told_apart(whole: Any, given: Any, passed: Callable[[Any], Any], reached: Callable[[Pattern], Pattern]) -> Any:
    """Return what a row makes of an adjoint or a tangent, ``given``, with elements that are infinite told apart.

    ``whole`` is ``passed(given)`` where its pattern is True and 0 elsewhere, and stays where it is not NaN. ``passed``
    is linear, and ``reached`` the pattern of what it gives, by that of what it is given.
    """
    if type(given) is tuple or is_foreign(type_of(given)) or not has_nan(whole):
        return whole
    far = decided(unbounded, given)
    if np.size(far) < 2 or not np.any(far):
        return whole
    total, places = _share(where(far, 0.0, given), ~far, passed, reached), np.argwhere(far)
    for some in [places[k : k + 1] for k in range(len(places))] if len(places) <= FEW else [places]:
        alone = np.zeros(np.shape(far), bool)
        alone[tuple(some.T)] = True
        total = plus(total, _share(where(alone, given, 0.0), alone, passed, reached))
    return each(lambda x, y: where(decided(np.isnan, x), y, x), whole, total)


def _share(given: Any, pattern: Pattern, passed: Callable[[Any], Any], reached: Callable[[Pattern], Pattern]) -> Any:
    return each(lambda x, mask: where(mask, x, 0.0), passed(given), reached(pattern))


def unbounded(x: Any) -> Any:
    """Return which elements are not finite."""
    return np.logical_not(np.isfinite(x))
