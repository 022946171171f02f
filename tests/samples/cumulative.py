"""Cumulative sums and products."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .sample import Sample, entry, values

LINES: list[tuple[tuple[int, ...], int | None]] = [
    ((), None), ((), 0), ((1,), None), ((4,), 0), ((2, 3), None), ((2, 3), 0), ((2, 1, 3), -1), ((0,), None),
    ((2, 0), 1)]  # fmt: skip


@entry("cumsum", "cumprod")
def _cumulated(name: str) -> Iterator[Sample]:
    function = getattr(np, name)
    for shape, axis in LINES:
        yield Sample(lambda x, axis=axis: function(x, axis), (values(*shape),), f"{shape}, axis={axis}")
    yield Sample(lambda x: getattr(x, name)(1, dtype=np.float64), (values(2, 3),), "method", unreal=False)
    if name == "cumprod":
        for zeros in ([0], [1, 3], [0, 1, 4]):
            x = values(5)
            x[zeros] = 0.0
            yield Sample(np.cumprod, (x,), f"zeros at {zeros}")


@entry("np.cumulative_sum", "np.cumulative_prod")
def _with_initial(name: str) -> Iterator[Sample]:
    function: Any = getattr(np, name.removeprefix("np."))
    for shape, axis in [((), None), ((3,), None), ((2, 3), 1), ((2, 0), -1)]:
        for initial in (False, True):
            yield Sample(lambda x, axis=axis, initial=initial: function(x, axis=axis, include_initial=initial),
                         (values(*shape),), f"{shape}, axis={axis}, include_initial={initial}")  # fmt: skip
