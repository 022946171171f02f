"""Searching, counting, the order of a sort: each is multiplied by its argument, so that there is a derivative."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, apart, entry


@entry("any", "all", "argmax", "argmin", "nanargmax", "nanargmin", "count_nonzero")
def _summaries(name: str) -> Iterator[Sample]:
    function = getattr(np, name)
    for axis, keepdims in itertools.product((None, 0, -1), (False, True)):
        weigh = lambda x, axis=axis, keepdims=keepdims: function(x, axis=axis, keepdims=keepdims) * x
        yield Sample(weigh, (apart(2, 2),), f"axis={axis}, keepdims={keepdims}", unreal=False)
    if name in ("any", "all"):
        yield Sample(lambda x: function(x > 0, axis=0, where=x < 0.5) * x, (apart(2, 2),), "where", unreal=False)


@entry("argsort")
def _argsort(name: str) -> Iterator[Sample]:
    for axis in (-1, 0, None):
        order = lambda x, axis=axis: x.ravel()[np.argsort(x, axis=axis)]
        yield Sample(order, (apart(2, 3),), f"axis={axis}", unreal=False)
    yield Sample(lambda x: x[np.argsort(x, stable=True)], (apart(4),), "stable", unreal=False)


@entry("argpartition")
def _argpartition(name: str) -> Iterator[Sample]:
    for kth, axis in ((0, -1), ((0, 1), 0), (3, None)):
        order = lambda x, kth=kth, axis=axis: x.ravel()[np.argpartition(x, kth, axis)]
        yield Sample(order, (apart(2, 3),), f"{kth}, axis={axis}", unreal=False)


@entry("lexsort")
def _lexsort(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, y: x[np.lexsort((y, x))], (apart(3), apart(3)), "keys", unreal=False)
    yield Sample(lambda x: np.lexsort(x) * x[0], (apart(2, 3),), "rows", unreal=False)


@entry("digitize", "isin")
def _among(name: str) -> Iterator[Sample]:
    function, known = getattr(np, name), np.array([-0.5, 0.25, 1.5])
    yield Sample(lambda x: function(x, known) * x, (apart(2, 3),), "a constant", unreal=False)
    yield Sample(
        lambda x, y: np.multiply(function(x, np.sort(y)), x), (apart(4), apart(3) + 0.05), "two operands", unreal=False
    )
    option = {"digitize": "right", "isin": "invert"}[name]
    yield Sample(lambda x: function(x, known, **{option: True}) * x, (apart(3),), option, unreal=False)
