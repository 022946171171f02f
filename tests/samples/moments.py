"""Variance, standard deviation, average, covariance, correlation."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .reductions_where import MASK
from .sample import Sample, entry, values

MOMENTS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((3,), {}), ((2, 3), {}), ((2, 3), {"axis": 1, "ddof": 1}), ((2, 1, 3), {"axis": (0, -1), "keepdims": True}),
    ((3, 2), {"axis": 0, "correction": 0.5}), ((2, 3), {"axis": 1, "where": MASK}), ((0, 2), {"axis": 1}),
    ((2, 3), {"where": MASK[0], "keepdims": True, "ddof": 1})]  # fmt: skip


@entry("var", "std")
def _moments(name: str) -> Iterator[Sample]:
    function = getattr(np, name)
    for shape, keywords in MOMENTS:
        yield Sample(lambda x, keywords=keywords: function(x, **keywords), (values(*shape),), f"{shape}, {keywords}")
    yield Sample(lambda x: getattr(x, name)(1), (values(2, 3),), "method")
    yield Sample(lambda x: function(x, 0, np.float64), (values(2, 3),), "dtype", unreal=False)
    equal = np.full((2, 3), 0.1)
    yield Sample(lambda x: function(x, axis=1), (equal,), "equal data", smooth=False, unreal=False)
    if name == "var":
        yield Sample(lambda x, m: np.var(x, axis=1, mean=m, ddof=1) * np.var(x), (values(2, 3), values(2, 1)), "mean=")
        yield Sample(lambda x: np.var(x, mean=np.mean(x)) * np.var(x), (values(2, 3),), "its mean")


@entry("root_mean_square")
def _root_mean_square(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, m: np.std(x, axis=1, mean=m, where=MASK), (values(2, 3), values(2, 1)), "mean=")
    yield Sample(
        lambda x, m: np.std(x, mean=m, keepdims=True), (np.zeros(3), np.zeros(())), "zeros", smooth=False, unreal=False
    )


@entry("np.ptp")
def _ptp(name: str) -> Iterator[Sample]:
    for axis, keepdims in ((None, False), (1, False), ((0, -1), True)):
        yield Sample(lambda x, axis=axis, keepdims=keepdims: np.ptp(x, axis, keepdims=keepdims), (values(2, 3),),
                     f"axis={axis}, keepdims={keepdims}", unreal=False)  # fmt: skip


@entry("np.average")
def _average(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.average(x, (0, -1)), (values(2, 3),), "without weights")
    yield Sample(lambda x: np.multiply(*np.average(x, 1, returned=True)), (values(2, 3),), "returned")
    for w, axis, keepdims in [((2, 3), None, False), ((3,), 1, True), ((3, 2), (-1, 0), False), ((2, 3), 0, False)]:
        arrays = values(2, 3), 1.0 + values(*w, seed=1) ** 2
        yield Sample(lambda x, w, axis=axis, keepdims=keepdims: np.average(x, axis, w, keepdims=keepdims), arrays,
                     f"weights of {w}, axis={axis}", condition=4)  # fmt: skip
    yield Sample(lambda x, w: np.multiply(*np.average(x, 1, w, returned=True)), (values(2, 3), values(3) ** 2),
                 "weights returned", condition=4)  # fmt: skip
    yield Sample(lambda w: np.average(np.arange(3.0), weights=w), (1.0 + values(3) ** 2,), "of a constant", condition=4)


COUNTS = np.array([1, 2, 0, 3])


@entry("np.cov")
def _cov(name: str) -> Iterator[Sample]:
    for shape, keywords in [((4,), {}), ((2, 4), {}), ((4, 2), {"rowvar": False, "bias": True}), ((1, 3), {"ddof": 0}),
                            ((2, 4), {"fweights": COUNTS})]:  # fmt: skip
        yield Sample(
            lambda x, keywords=keywords: np.cov(x, **keywords), (values(*shape),), f"{shape}, {keywords}", exact=False
        )
    yield Sample(
        lambda x, y: np.cov(x, y, dtype=np.float64), (values(4), values(2, 4)), "two", unreal=False, exact=False
    )
    for ddof, counts in ((0, None), (1, None), (1, COUNTS)):
        yield Sample(lambda x, w, ddof=ddof, counts=counts: np.cov(x, ddof=ddof, fweights=counts, aweights=w),
                     (values(2, 4), 1.0 + values(4) ** 2), f"aweights, ddof={ddof}, {counts}", unreal=False,
                     condition=16, exact=False)  # fmt: skip


@entry("np.corrcoef")
def _corrcoef(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.corrcoef(x) * x[0, 0], (values(2, 4),), "rows", condition=16, exact=False)
    yield Sample(lambda x, y: np.corrcoef(x, y)[0, 1], (values(4), values(4, seed=1)), "two", condition=16, exact=False)
    yield Sample(lambda x: np.corrcoef(x, rowvar=False)[0, 1], (values(4, 2),), "columns", condition=16, exact=False)
    yield Sample(lambda x: np.corrcoef(x) * x[0], (values(4),), "one", condition=16, exact=False)
