"""The strong zero: a derivative that is exactly zero stays zero against an infinite partial."""

import numpy as np

from ..forms import PYTHON
from ..levels import has_nan
from ..table import multilinear
from ..table.batching import by_elements
from .complexes import conj


@multilinear(lambda g, p, t: strong(g, conj(t)), lambda g, p, t: strong(conj(p), g), batched=by_elements)
def strong(p, t):
    """0 where the tangent (or adjoint) ``t`` is exactly 0 and the partial ``p`` is not finite, else ``p · t``.

    It is linear in each argument, so each of its derivatives is `strong` again, and it holds at every order.
    """
    if type(t) in PYTHON and type(p) in PYTHON:
        return p * t if t or p - p == 0 else t  # it is, of what is finite
    product = np.multiply(p, t)
    if not has_nan(product):  # a zero times an infinity would be NaN
        return product
    return np.where((np.equal(t, 0)) & ~np.isfinite(p), np.zeros_like(product), product)[()]
