"""Integrals of ``scipy.integrate``."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, values


def _places(*shape: int) -> np.ndarray:
    """Increasing along the last axis."""
    return np.cumsum(0.5 + np.abs(values(*shape, seed=3)), -1)


@entry(*(f"scipy.integrate.{name}" for name in ("trapezoid", "simpson", "cumulative_trapezoid", "cumulative_simpson")))
def _rules(path: str) -> Iterator[Sample]:
    name = path.rpartition(".")[2]
    for n in (2, 3, 4, 5):
        yield of_scipy("integrate", lambda s, y, x: getattr(s, name)(y, x=x), (values(n), _places(n)), f"{n}, x",
                       condition=4)  # fmt: skip
    for axis, more in itertools.product((0, 1), ({}, {"initial": 0}) if "cumulative" in name else ({},)):
        keywords = {"axis": axis, **more}
        yield of_scipy("integrate", lambda s, y, dx, keywords=keywords: getattr(s, name)(y, dx=dx, **keywords),
                       (values(4, 3), np.array(0.3)), f"dx, {keywords}")  # fmt: skip
    yield of_scipy("integrate", lambda s, y, x: getattr(s, name)(y, x=x), (values(2, 4), _places(2, 4)),
                   "x of y's shape", condition=4)  # fmt: skip
    yield of_scipy("integrate", lambda s, y: getattr(s, name)(y, axis=0), (values(5, 0),), "empty")


@entry("scipy.integrate.romb")
def _romberg(name: str) -> Iterator[Sample]:
    for n, axis in itertools.product((2, 3, 5), (0, -1)):
        shape = (n, 2) if axis == 0 else (2, n)
        yield of_scipy("integrate", lambda s, y, dx, axis=axis: s.romb(y, dx, axis), (values(*shape), np.array(0.4)),
                       f"{shape}, {axis}", unreal=False)  # fmt: skip
