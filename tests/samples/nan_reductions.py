"""Reductions that leave NaN out."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .reductions_where import MASK
from .sample import Sample, apart, entry, values

NAN = np.array([[0.0, np.nan, 0.0, 0.0], [np.nan, 0.0, 0.0, np.nan]])
"""Added to an array: some elements become NaN, in the type of the array."""
CHOICES: list[dict[str, Any]] = [{}, {"axis": 1}, {"axis": (0, -1), "keepdims": True}, {"axis": -2}]
CHOSEN = np.c_[MASK, [True, True]]


def _samples(name: str, make: Any, choices: list[dict[str, Any]], **more: Any) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np.").removesuffix("_where"))
    for keywords in choices:
        yield Sample(lambda x, keywords=keywords: function(x + NAN.astype(x.dtype), **keywords), (make(2, 4),),
                     str(keywords), **more)  # fmt: skip
    if {} in choices:
        yield Sample(lambda x: function(x, axis=0), (make(2, 3),), "without NaN", **more)
        yield Sample(function, (make(1),), "one", **more)


@entry("np.nansum", "np.nanprod")
def _sums(name: str) -> Iterator[Sample]:
    yield from _samples(name, values, [*CHOICES, {"where": CHOSEN, "initial": 2.0}])
    yield Sample(lambda x: getattr(np, name.removeprefix("np."))(x), (values(0),), "empty")


@entry("nanmean")
def _mean(name: str) -> Iterator[Sample]:
    yield from _samples(name, values, [*CHOICES, {"where": CHOSEN, "axis": 1}])


@entry("nanvar", "nanstd")
def _moments(name: str) -> Iterator[Sample]:
    choices = [{}, *CHOICES[1:3], {"ddof": 1}, {"axis": 1, "correction": 1, "where": CHOSEN}]
    yield from _samples(name, values, choices)


@entry("np.nancumsum", "np.nancumprod")
def _cumulated(name: str) -> Iterator[Sample]:
    yield from _samples(name, values, [{}, {"axis": 1}, {"axis": -2}])


@entry("nanmax", "nanmin")
def _extrema(name: str) -> Iterator[Sample]:
    yield from _samples(name, apart, [*CHOICES[:3], {"axis": 0}], unreal=False)


@entry("nanmax_where", "nanmin_where")
def _extrema_chosen(name: str) -> Iterator[Sample]:
    bound = -9.0 if name == "nanmax_where" else 9.0
    yield from _samples(name, apart, [{"initial": 0.02}, {"axis": 1, "initial": bound, "where": CHOSEN}], unreal=False)
