"""Sorting, quantiles, distinct values."""

from collections.abc import Iterator

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, apart, entry, values

TIED = np.array([[2.0, 1.0, 2.0], [0.5, 0.5, 0.5]])


@entry("sort", "np.sort", "np.partition")
def _sort(name: str) -> Iterator[Sample]:
    if name == "np.partition":
        yield Sample(lambda x: np.partition(x, 1)[..., 1], (apart(2, 3),), "the second", unreal=False)
        yield Sample(
            lambda x: np.sum(np.partition(x, 1, axis=0)[:2] ** 2, 0), (apart(3, 2),), "axis", unreal=False, exact=False
        )
        return
    for shape, axis in [((4,), -1), ((2, 3), 0), ((2, 3), -1), ((2, 3), None), ((0,), -1), ((2, 1), 1)]:
        yield Sample(lambda x, axis=axis: np.sort(x, axis), (apart(*shape),), f"{shape}, {axis}", unreal=False)
    yield Sample(np.sort, (TIED,), "ties", smooth=False, unreal=False)


@entry("np.sort_complex")
def _sort_complex(name: str) -> Iterator[Sample]:
    yield Sample(np.sort_complex, (apart(2, 3),), "real")
    yield Sample(lambda x: np.sort_complex(x * (1.0 + 2.0j)), (apart(4),), "complex")


@entry("np.unique_values", "np.unique_counts", "np.unique_inverse", "np.unique_all")
def _distinct(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np."))
    values_of = (lambda x: function(x)) if name == "np.unique_values" else lambda x: function(x).values
    yield Sample(lambda x: values_of(np.concatenate([x, x])), (apart(2, 3),), "twice", unreal=False)


@entry("tied_mean")
def _tied_mean(name: str) -> Iterator[Sample]:
    for ordered in (np.sort(TIED, -1), np.arange(6.0).reshape(2, 3)):
        yield Sample(lambda d, s=ordered: TABLE["tied_mean"](d, s), (values(2, 3),), f"{ordered[0]}")


@entry("ranks")
def _ranks(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: x * TABLE["ranks"](x), (apart(2, 3),), "of rows", unreal=False)


@entry("np.unique")
def _unique(name: str) -> Iterator[Sample]:
    yield Sample(np.unique, (apart(2, 3),), "vector", unreal=False)
    yield Sample(lambda x: np.unique(x, axis=1), (apart(2, 3),), "axis", unreal=False)
    yield Sample(lambda x: np.unique(x, return_inverse=True)[0][::-1], (apart(4),), "inverse", unreal=False)


QUANTILES = [((5,), None, False), ((2, 4), 0, True), ((2, 3), -1, False), ((2, 3, 2), (0, 2), False),
             ((2, 2), None, True)]  # fmt: skip
"""Shape, axis, keepdims."""
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
           "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint",
           "nearest"]  # fmt: skip


@entry(
    "quantile",
    "median",
    "np.quantile",
    "np.percentile",
    "np.median",
    "np.nanquantile",
    "np.nanpercentile",
    "np.nanmedian",
)
def _quantiles(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np."))
    median, percent = "median" in name, 100.0 if "percent" in name else 1.0
    for shape, axis, keepdims in QUANTILES:
        for q in (None,) if median else (0.3, np.array([0.0, 0.62, 1.0])):
            given = () if q is None else (q * percent,)
            call = lambda x, given=given, axis=axis, keep=keepdims: function(x, *given, axis=axis, keepdims=keep)
            yield Sample(call, (apart(*shape),), f"{shape}, {axis}, {keepdims}, {q}", unreal=False)
    if not median and "nan" not in name:
        for method in METHODS:
            call = lambda x, method=method: function(x, 0.37 * percent, method=method)
            yield Sample(call, (apart(6),), method, unreal=False)
        fractions = np.array([0.81, 0.3]) * percent
        for method in (*METHODS[3:9], "lower") if name.startswith("np.") else ():
            call = lambda x, q, method=method: function(x, q, method=method)
            yield Sample(call, (apart(6), fractions), f"{method}, fractions", unreal=False, exact=False, condition=8)
    if "nan" in name:
        gaps = np.array([[1.0, np.nan, 1.0], [1.0, 1.0, 1.0]])
        given = () if median else (0.4 * percent,)
        yield Sample(lambda x: function(np.where(np.isnan(gaps), np.nan, x), *given, axis=1), (apart(2, 3),), "gaps",
                     unreal=False)  # fmt: skip
    given = () if median else (0.5 * percent,)
    yield Sample(lambda x: function(x, *given, axis=1), (TIED,), "ties", unreal=False, smooth=False)


@entry("quantile_parts")
def _quantile_parts(name: str) -> Iterator[Sample]:
    parts = TABLE["quantile_parts"]
    yield Sample(lambda x: x * parts(x, "quantile", 0.3, "linear"), (apart(2, 5),), "between two", unreal=False)
    yield Sample(lambda x: x * parts(x, "median", 0.5, "linear"), (apart(5),), "the one in the middle", unreal=False)
