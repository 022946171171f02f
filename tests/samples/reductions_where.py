"""Reductions with where=, initial=, dtype=."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .sample import Sample, apart, entry, values

MASK = np.array([[True, False, True], [False, True, True]])
CHOSEN: list[dict[str, Any]] = [{"where": MASK}, {"where": MASK, "axis": 1}, {"where": MASK[0], "axis": (0, -1)},
                                {"where": MASK[:, :1], "axis": -2, "keepdims": True}]  # fmt: skip


def _calls(name: str, choices: list[dict[str, Any]], make: Any, **more: Any) -> Iterator[Sample]:
    function = getattr(np, name.removesuffix("_where"))
    for keywords in choices:
        yield Sample(lambda x, keywords=keywords: function(x, **keywords), (make(2, 3),), str(keywords), **more)


@entry("sum_where", "prod_where")
def _from_initial(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removesuffix("_where"))
    yield from _calls(name, [*CHOSEN, {"initial": 2.5}], values)
    yield Sample(
        lambda x, i: function(x * i[0], axis=1, initial=i[0], where=MASK), (values(2, 3), values(1)), "both traced"
    )
    yield Sample(lambda x, i: function(x * i, initial=i, keepdims=True), (values(2, 3), values()), "keepdims")
    yield Sample(lambda x: function(x, initial=2.0), (values(0),), "empty")
    yield Sample(lambda x: function(x, 0, x.dtype), (values(2, 3),), "dtype")
    yield Sample(lambda x: x.sum(0, where=x > 0) if name == "sum_where" else x.prod(0, where=x > 0), (values(2, 3),),
                 "method", unreal=False)  # fmt: skip


@entry("mean_where")
def _mean(name: str) -> Iterator[Sample]:
    yield from _calls(name, CHOSEN, values)
    yield Sample(lambda x: np.mean(x, 0, dtype=np.complex128), (values(2, 3),), "dtype")


@entry("max_where", "min_where")
def _extrema(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removesuffix("_where"))
    bound = -9.0 if name == "max_where" else 9.0
    yield from _calls(
        name, [choice | {"initial": bound} for choice in CHOSEN] + [{"initial": 0.02}], apart, unreal=False
    )
    yield Sample(lambda x, i: function(x + i, axis=1, initial=i, where=MASK), (apart(2, 3), np.array(0.02)),
                 "both traced", unreal=False)  # fmt: skip
    yield Sample(lambda x: function(x, initial=2.0) * x.sum(), (values(0),), "empty", unreal=False)
    tied = np.array([1.0, 2.0, 2.0, 1.0]), np.array(2.0 if name == "max_where" else 1.0)
    yield Sample(lambda x, i: function(x + 0.0 * i, initial=i), tied, "ties", smooth=False, unreal=False)
