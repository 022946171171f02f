"""Histograms of several axes, and bin edges."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .sample import Sample, apart, entry, values

PLACES = apart(6), apart(6)[::-1] ** 2
KINDS: list[dict[str, Any]] = [
    {"bins": 2}, {"bins": [2, [-0.5, 0.4, 0.9]]}, {"bins": (2, 3), "range": [(-0.8, 0.6), (0.0, 1.0)]},
    {"bins": 2, "density": True}]  # fmt: skip


@entry("histogramdd", "np.histogramdd", "np.histogram2d")
def _cells(name: str) -> Iterator[Sample]:
    function = np.histogram2d if name == "np.histogram2d" else lambda x, y, **more: np.histogramdd((x, y), **more)
    for keywords in KINDS:
        yield Sample(lambda w, keywords=keywords: function(*PLACES, weights=w, **keywords)[0], (values(6) ** 2,),
                     str(keywords), unreal=False, condition=4)  # fmt: skip
    if name == "histogramdd":
        return
    yield Sample(lambda x: function(x, PLACES[1], bins=2, weights=x * x, density=True)[0], (apart(6),), "both",
                 unreal=False, condition=4, exact=False)  # fmt: skip
    yield Sample(lambda x: function(x, x * x, bins=2)[0] * x[0], (apart(6),), "counts", unreal=False)
    if name == "np.histogramdd":
        yield Sample(lambda x: np.histogramdd(x, 2)[1][1], (apart(4, 2),), "edges", unreal=False)
        yield Sample(lambda x: np.histogramdd(PLACES, [x, 2], weights=np.ones(6), density=True)[0],
                     (np.array([-0.8, 0.1, 0.75]),), "edges given", unreal=False)  # fmt: skip
    else:
        yield Sample(lambda x: np.histogram2d(x, PLACES[1], 3)[1], (apart(6),), "edges", unreal=False)
        yield Sample(lambda e: np.histogram2d(*PLACES, e, density=True)[0], (np.array([-0.8, 0.1, 0.35, 0.75]),),
                     "edges given", unreal=False)  # fmt: skip


@entry("np.histogram_bin_edges")
def _edges(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.histogram_bin_edges(x, 3), (apart(2, 3),), "between the extremes", unreal=False)
    yield Sample(lambda x: np.histogram_bin_edges(x, "auto"), (apart(6),), "auto", unreal=False)
    yield Sample(lambda x: np.histogram_bin_edges(x, 2, range=(x[0] - 3.0, x[1] * x[0] + 4.0)), (apart(6),), "range",
                 unreal=False)  # fmt: skip
    yield Sample(lambda x: np.histogram_bin_edges(x, 2), (np.full(2, 0.3),), "equal", smooth=False, unreal=False)
    yield Sample(lambda x: np.histogram_bin_edges(x, [0.0, 1.0]) * x[0], (apart(6),), "given", unreal=False)
