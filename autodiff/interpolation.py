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
>>> groups, _ = weights(2, 2)
>>> groups[1]  # ∂²f/∂x∂y, from the directions (2, 0), (1, 1) and (0, 2)
(array([[0, 1, 2]]), array([[-0.25,  1.  , -0.25]]))
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
def weights(n: int, order: int) -> tuple[list[tuple[Any, Any]], Any]:
    """Return γ without its zeros, in groups of rows, and in which row of these each derivative is.

    A derivative by m variables takes the directions among these alone, whatever n is. So the rows with the same m make
    a group: the columns of each, and γ there, of shape ``(rows, C(m + order − 1, order))``.
    """
    every, keys = combinations(n, order), _keys(n, order)
    renamed = np.zeros_like(every)  # the variables of each row as 0, 1, …
    renamed[:, 1:] = np.cumsum(np.diff(every) > 0, axis=1)
    groups, found = [], []
    for m in range(1, min(n, order) + 1):
        rows = np.flatnonzero(renamed[:, -1] == m - 1)
        variables = np.zeros((len(rows), m), np.intp)
        variables[np.arange(len(rows))[:, None], renamed[rows]] = every[rows]
        columns = np.searchsorted(keys, variables[:, combinations(m, order)] @ _base(n, order))
        patterns = np.searchsorted(_keys(m, order), renamed[rows] @ _base(m, order))
        alike, which = np.unique(patterns, return_inverse=True)
        of_pattern = np.stack([_row(multi_indices(m, order)[pattern]) for pattern in alike])
        groups.append((columns, of_pattern[which]))
        found.append(rows)
    return groups, np.argsort(np.concatenate(found))


def _row(i: Any) -> Any:
    """Return γᵢⱼ of a multi-index ``i`` without zeros, for all j of its order in as many variables."""
    order = int(i.sum())
    lower = np.indices(i + 1).reshape(len(i), -1).T[1:]
    degrees = lower.sum(axis=1)
    of_derivative = np.prod(_binomials(i * 1.0, lower, order), axis=1)
    points = lower * (order / degrees)[:, None]
    of_direction = np.prod(_binomials(points[:, None, :], multi_indices(len(i), order), order), axis=2)
    signed = (-1.0) ** (order - degrees) * (degrees / order) ** order
    return (signed * of_derivative) @ of_direction


def _base(n: int, order: int) -> Any:
    return n ** np.arange(order)[::-1]


def _keys(n: int, order: int) -> Any:
    """Return a number for each row of `combinations`, in ascending order."""
    return combinations(n, order) @ _base(n, order)


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
    return np.searchsorted(_keys(n, order), grid @ _base(n, order)).reshape((n,) * order)
