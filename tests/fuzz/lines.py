"""Derivatives of a plain function along a line by a polynomial through Chebyshev's points, with an error estimate.

Of a function that is analytic near 0 the coefficients fall like powers, and the last ones say what was left out; at a
kink or a step nearby they do not fall, so the estimate is large and whoever asks must be unsure.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

POINTS = 11
STEPS = (0.04, 0.004)
NODES = np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(NODES, POINTS - 1))
ORDERS = 3
LAST = 4
"""By so many coefficients it is judged what was left out: near a kink two or three may be small by chance."""


def _rows() -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of each Chebyshev polynomial at 0 by order, and the largest ones of the last."""
    unit = np.eye(POINTS)
    at_zero = [[chebyshev.chebval(0.0, chebyshev.chebder(row, k)) for row in unit] for k in range(ORDERS + 1)]
    largest = [np.max(np.abs(row[-LAST:])) for row in np.array(at_zero)]
    return np.array(at_zero), np.array(largest)


AT_ZERO, LARGEST = _rows()


@dataclass(frozen=True)
class Estimate:
    """A derivative and how far it may be off; both arrays of one shape."""

    value: Any
    error: Any

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(self.value + other.value, self.error + other.error)

    def times(self, factor: float) -> "Estimate":
        """A multiple."""
        return Estimate(self.value * factor, self.error * abs(factor))


def along(values: Callable[[float], np.ndarray]) -> list[Estimate]:
    """The derivatives of order 0 to 3 of a function of one number at 0, by the better of two steps."""
    best: list[Estimate] = []
    for step in STEPS:
        sampled = np.stack([values(step * node) for node in NODES])
        with np.errstate(all="ignore"):
            coefficients = np.tensordot(COEFFICIENTS, sampled, 1)
            size = np.max(np.abs(sampled), axis=0)
            tail = np.sum(np.abs(coefficients[-LAST:]), axis=0)
            found = [
                Estimate(
                    np.tensordot(AT_ZERO[k], coefficients, 1) / step**k,
                    np.nan_to_num((tail * LARGEST[k] + 1e-14 * (size + 1) * factorial(k) * 4**k) / step**k, nan=np.inf),
                )
                for k in range(ORDERS + 1)
            ]
        best = found if not best else [_better(a, b) for a, b in zip(best, found, strict=True)]
        if np.all(tail <= 1e-12 * (size + 1e-3)):
            break
    return best


def _better(one: Estimate, other: Estimate) -> Estimate:
    first = one.error <= other.error
    return Estimate(np.where(first, one.value, other.value), np.where(first, one.error, other.error))
