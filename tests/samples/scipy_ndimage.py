"""Filters of ``scipy.ndimage``."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, values

MODES = ("reflect", "mirror", "nearest", "constant", "wrap")


@entry("scipy.ndimage.gaussian_filter1d", "scipy.ndimage.uniform_filter1d")
def _one_axis(path: str) -> Iterator[Sample]:
    name = path.rpartition(".")[2]
    width = 0.8 if "gauss" in name else 2
    more = {"order": 1} if "gauss" in name else {"origin": -1}
    for mode, keywords in itertools.product(MODES, ({"axis": 0}, more)):
        keywords = {"mode": mode, **keywords}
        yield of_scipy("ndimage", lambda s, x, keywords=keywords: getattr(s, name)(x, width, **keywords),
                       (values(3, 4),), f"{keywords}")  # fmt: skip
    yield of_scipy(
        "ndimage", lambda s, x: getattr(s, name)(x, 3, mode="constant", cval=1.5), (values(4),), "outside", exact=False
    )


@entry("scipy.ndimage.gaussian_filter", "scipy.ndimage.uniform_filter", "scipy.ndimage.gaussian_laplace",
       "scipy.ndimage.gaussian_gradient_magnitude")  # fmt: skip
def _all_axes(path: str) -> Iterator[Sample]:
    name = path.rpartition(".")[2]
    for keywords in ({}, {"mode": ["wrap", "nearest"]}, {"axes": (1,)}, {"mode": "constant", "cval": 0.5}):
        yield of_scipy("ndimage", lambda s, x, keywords=keywords: getattr(s, name)(x, 2, **keywords), (values(3, 4),),
                       f"{keywords}", unreal="magnitude" not in name, condition=8)  # fmt: skip


@entry(*(f"scipy.ndimage.{name}" for name in ("correlate", "convolve", "correlate1d", "convolve1d")))
def _weighted(path: str) -> Iterator[Sample]:
    name = path.rpartition(".")[2]
    sizes = ((3,), (2,)) if name.endswith("1d") else ((3, 2), (1, 4))
    for mode, size in itertools.product(MODES, sizes):
        yield of_scipy("ndimage", lambda s, x, w, mode=mode: getattr(s, name)(x, w, mode=mode),
                       (values(3, 4), values(*size, seed=1)), f"{size}, {mode}")  # fmt: skip
    yield of_scipy("ndimage", lambda s, x, w: getattr(s, name)(x, w, mode="constant", cval=2.0, origin=-1),
                   (values(3, 4), values(*(3,) * len(sizes[0]), seed=1)), "origin, outside", unreal=False)  # fmt: skip


@entry("scipy.ndimage.sobel", "scipy.ndimage.prewitt")
def _edges(path: str) -> Iterator[Sample]:
    for axis in (0, -1):
        yield of_scipy("ndimage", lambda s, x, axis=axis: getattr(s, path.rpartition(".")[2])(x, axis, mode="nearest"),
                       (values(3, 4),), f"{axis}", condition=4)  # fmt: skip


@entry("scipy.ndimage.laplace")
def _laplace(path: str) -> Iterator[Sample]:
    for keywords in ({}, {"mode": "wrap", "axes": (0,)}):
        yield of_scipy("ndimage", lambda s, x, keywords=keywords: s.laplace(x, **keywords), (values(3, 4),),
                       f"{keywords}", condition=4)  # fmt: skip


@entry("scipy.ndimage.map_coordinates")
def _between(path: str) -> Iterator[Sample]:
    places = np.array([[0.3, 1.6, -0.4, 2.0], [2.4, 0.7, 1.5, 3.3]])
    for order, mode in itertools.product((0, 1), ("constant", "nearest")):
        keywords = {"order": order, "mode": mode, "cval": 0.5}
        yield of_scipy("ndimage", lambda s, x, c, keywords=keywords: s.map_coordinates(x, c, **keywords),
                       (values(3, 4), places), f"{order}, {mode}", smooth=False, unreal=False)  # fmt: skip
    yield of_scipy("ndimage", lambda s, x, c: s.map_coordinates(x, c, order=1), (values(4), np.array([[0.3, 1.6]])),
                   "inside", unreal=False)  # fmt: skip


@entry("scipy.ndimage.shift")
def _shifts(path: str) -> Iterator[Sample]:
    yield of_scipy(
        "ndimage", lambda s, x, by: s.shift(x, by, order=1), (values(3, 4), np.array([0.3, -1.4])), "each", unreal=False
    )
    yield of_scipy("ndimage", lambda s, x: s.shift(x, 0.4, order=1, mode="nearest"), (values(4),), "one", unreal=False)
