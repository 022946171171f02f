"""Counts of values in bins."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, apart, entry, values


@entry("bincount", "np.bincount")
def _bincount(name: str) -> Iterator[Sample]:
    for at, length in [([0, 1, 1, 4], 0), ([2, 2], 5), ([], 2)]:
        call = lambda w, at=at, length=length: np.bincount(np.array(at, int), w, length)
        yield Sample(call, (values(len(at)),), f"{at}, {length}", unreal=False)


@entry("histogram", "np.histogram")
def _histogram(name: str) -> Iterator[Sample]:
    data = np.array([0.1, 0.5, 0.45, 1.0, 2.0, -3.0])
    for bins, span in [(4, None), ([0.0, 0.5, 1.0], None), (3, (0.0, 1.0))]:
        call = lambda w, bins=bins, span=span: np.histogram(data, bins, span, weights=w)[0]
        yield Sample(call, (values(6) ** 2,), f"{bins}, {span}", unreal=False)
    dense = lambda w: np.histogram(data, 3, weights=w, density=True)[0]
    yield Sample(dense, (values(6) ** 2,), "density", unreal=False, exact=False)
    moving = lambda x: np.histogram(x, 3)[1] * np.histogram(x, 3)[0][0]
    if name == "np.histogram":
        yield Sample(moving, (apart(5),), "moving edges", unreal=False)
        equal = lambda x: np.histogram(x + np.zeros(3), 2)[1]
        yield Sample(equal, (np.array(0.3),), "equal values", unreal=False)
