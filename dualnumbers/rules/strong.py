"""The strong zero: a derivative that is exactly zero stays zero against an infinite partial."""

import math

import numpy as np

from ..elementary import multilinear


def _strong(p, t):
    if type(t) is float and type(p) is float:
        return p * t if t or math.isfinite(p) else 0.0
    product = np.multiply(p, t)
    if not np.isnan(np.sum(product)):  # a zero times an infinity would show here
        return product
    return np.where((np.equal(t, 0)) & ~np.isfinite(p), np.zeros((), product.dtype), product)[()]


strong = multilinear(None, None, lambda g, p, t: strong(g, t), lambda g, p, t: strong(p, g), evaluate=_strong,
                     name="strong")  # fmt: skip
"""0 where the tangent (or adjoint) ``t`` is exactly 0 and the partial ``p`` is not finite, else ``p · t``.

It is linear in each argument, so each of its derivatives is `strong` again, and it holds at every order.
"""
