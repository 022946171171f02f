"""Gauss–Legendre quadrature of functions that SciPy has not, at all elements of an array at once."""

from functools import cache

import numpy as np

from ..foreign import as_like, new_like, one_of


def gauss(x, count=80):
    """Return nodes and weights on (0, 1), as arrays of the library of ``x``.

    80 are enough for an analytic weight that falls by e⁻⁴⁸ over the interval.
    """
    nodes, weights = _gauss(count)
    return as_like(nodes, x), as_like(weights, x)


@cache
def _gauss(count):
    """Nodes and weights of NumPy's, polished in extended precision, for they lose a digit near the ends."""
    x = np.polynomial.legendre.leggauss(count)[0].astype(np.longdouble)
    for _ in range(2):
        before, p = np.ones_like(x), x
        for k in range(1, count):
            before, p = p, ((2 * k + 1) * x * p - k * before) / (k + 1)
        slope = count * (before - x * p) / ((1 - x) * (1 + x))
        x = x - p / slope
    return (0.5 * (1 + x)).astype(float), (1 / ((1 - x) * (1 + x) * slope**2)).astype(float)


def in_blocks(function, *vectors, nodes=80):
    """Apply a function of columns to vectors block by block: at every node at once, in bounded memory."""
    block, size = max(400_000 // nodes, 1), len(vectors[0])
    parts = [function(*(v[i : i + block, np.newaxis] for v in vectors))[:, 0] for i in range(0, size, block)]
    return parts[0] if len(parts) == 1 else np.concatenate([new_like(one_of(vectors), 0, float), *parts])


def newton(f, slope, start, steps=12):
    """From above the root of a convex increasing function towards it: it stays above."""
    for _ in range(steps):
        start = start - f(start) / slope(start)
    return start
