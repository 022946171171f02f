"""Sums, means, products, extrema along axes."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import dualnumbers.dmath as dmath

from .sample import Sample, apart, entry, values

AXES = {(): [None, ()], (3,): [None, 0, -1, (0,)], (0,): [None, 0], (2, 3): [None, 0, 1, -2, (0, 1), (-1,)],
        (2, 1, 3): [1, (0, 2), (-1, 0)], (2, 0): [0, 1]}  # fmt: skip


def _reductions(function: Any, make: Any, empty: bool, unreal: bool) -> Iterator[Sample]:
    for (shape, axes), keepdims in itertools.product(AXES.items(), (False, True)):
        for axis in axes:
            if empty or np.empty(shape).size:
                yield Sample(lambda x, axis=axis, keepdims=keepdims: function(x, axis=axis, keepdims=keepdims),
                             (make(*shape),), f"{shape}, axis={axis}, keepdims={keepdims}", unreal=unreal)  # fmt: skip


@entry("sum")
def _sum(name: str) -> Iterator[Sample]:
    yield from _reductions(np.sum, values, empty=True, unreal=True)
    yield Sample(lambda x: x.sum(0), (values(2, 3),), "method")


@entry("fsum")
def _fsum(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: dmath.fsum([x[0], 2.0, x[1] * x[0]]), (values(2),), "numbers", unreal=False)


@entry("mean")
def _mean(name: str) -> Iterator[Sample]:
    yield from _reductions(np.mean, values, empty=False, unreal=True)
    yield Sample(lambda x: x.mean(), (values(2, 3),), "method")


@entry("prod")
def _prod(name: str) -> Iterator[Sample]:
    yield from _reductions(np.prod, values, empty=True, unreal=True)
    for zeros in ([0], [1, 3], [0, 2, 4]):
        x = values(5)
        x[zeros] = 0.0
        yield Sample(np.prod, (x,), f"{len(zeros)} zeros")
    x = values(2, 3)
    x[:, 1] = x[0, 0] = 0.0
    yield Sample(lambda x: np.prod(x, axis=1), (x,), "zeros in rows")


@entry("max", "min")
def _extrema(name: str) -> Iterator[Sample]:
    function = getattr(np, name)
    yield from _reductions(function, apart, empty=False, unreal=False)
    for axis in (None, 0, 1, (0, 1)):
        x = np.array([[1.0, 2.0, 2.0], [1.0, 1.0, 2.0]])
        reduce = lambda x, axis=axis: function(x, axis=axis)
        yield Sample(reduce, (x,), f"ties, axis={axis}", smooth=False, unreal=False)
