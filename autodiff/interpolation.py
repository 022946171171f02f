"""Mixed derivatives from derivatives along directions.

The Taylor coefficient of order d along a direction s is Σ (s^i / i!) ∂^i f over the multi-indices i of order d: (2, 1)
stands for ∂³f/∂x²∂y, s^i then for s₁² s₂, and i! for 2! 1!. As many directions as there are such i determine all ∂^i f.
With the i themselves for directions, the weights are numbers that are known once and for all:

    ∂^i f = Σⱼ γᵢⱼ · the coefficient of t^d of f(x + t j)

    γᵢⱼ = Σ_{0 < k ≤ i} (−1)^{|i − k|} · (i over k) · (d k / |k| over j) · (|k| / d)^d

(Griewank, Utke & Walther, *Evaluating higher derivative tensors by forward propagation of univariate Taylor series*,
2000, with generalized binomial coefficients).

>>> multi_indices(2, 2).tolist()
[[2, 0], [1, 1], [0, 2]]
>>> weights(2, 2)[1]  # ∂²f/∂x∂y, from the directions (2, 0), (1, 1) and (0, 2)
array([-0.25,  1.  , -0.25])
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

HIGHEST = 8
"""The order up to which the weights keep 12 digits."""


@lru_cache(maxsize=64)
def combinations(n: int, order: int) -> Any:
    """Return the places of ``order`` differentiations by ``n`` variables, whose order does not count, one a row."""
    found = list(combinations_with_replacement(range(n), order))
    return np.array(found, np.intp).reshape(len(found), order)


@lru_cache(maxsize=64)
def multi_indices(n: int, order: int) -> Any:
    """Return how often each of ``n`` variables is differentiated, for every row of `combinations`."""
    places = combinations(n, order)
    found = np.zeros((len(places), n), np.intp)
    np.add.at(found, (np.arange(len(places))[:, None], places), 1)
    return found


@lru_cache(maxsize=64)
def weights(n: int, order: int) -> Any:
    """Return γ, with a row for each derivative and a column for each direction, both by `multi_indices`."""
    last = multi_indices(n, order)
    lower = np.concatenate([multi_indices(n, k) for k in range(1, order + 1)])
    degrees = lower.sum(axis=1)
    of_derivative = np.prod(_binomials(last[:, None, :] * 1.0, lower, order), axis=2)  # 0 where not k ≤ i
    of_direction = np.prod(_binomials((lower * (order / degrees)[:, None])[:, None, :], last, order), axis=2)
    signed = (-1.0) ** (order - degrees) * (degrees / order) ** order
    return (of_derivative * signed) @ of_direction


def _binomials(x: Any, k: Any, largest: int) -> Any:
    """Return x (x − 1) … (x − k + 1) / k! for numbers x and whole numbers k ≤ ``largest``."""
    product = np.ones(np.broadcast_shapes(x.shape, k.shape))
    found = product
    for j in range(1, largest + 1):
        product = product * (x - (j - 1)) / j
        found = np.where(k == j, product, found)
    return found


@lru_cache(maxsize=64)
def places_in_tensor(n: int, order: int) -> Any:
    """Return for each place of the whole tensor, of shape ``(n,) * order``, the row of `combinations` it shows."""
    grid = np.sort(np.indices((n,) * order).reshape(order, n**order).T, axis=1)
    base = n ** np.arange(order)[::-1]
    return np.searchsorted(combinations(n, order) @ base, grid @ base).reshape((n,) * order)
