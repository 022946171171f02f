"""Integrals of sampled functions."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values


@entry("np.trapezoid")
def _trapezoid(name: str) -> Iterator[Sample]:
    for shape, axis in [((4,), -1), ((2, 3), 0), ((2, 3), 1), ((1,), 0)]:
        yield Sample(lambda y, axis=axis: np.trapezoid(y, dx=0.5, axis=axis), (values(*shape),), f"{shape}, {axis}")
        yield Sample(lambda y, x, axis=axis: np.trapezoid(y, x, axis=axis), (values(*shape), values(shape[axis])),
                     f"{shape}, {axis}, x", condition=4.0)  # fmt: skip
    yield Sample(lambda y, x: np.trapezoid(y, x), (values(2, 3), values(2, 3, seed=1)), "x of every row", condition=4.0)
