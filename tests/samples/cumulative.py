"""Cumulative sums and products."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values


@entry("cumsum", "cumprod", "np.cumsum", "np.cumprod", "np.cumulative_sum", "np.cumulative_prod")
def _cumulative(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np."))
    standard = "cumulative" in name
    for shape, axis in [((5,), None), ((2, 3), 0), ((3, 2), -1), ((0,), 0), ((2, 0), 1)]:
        yield Sample(lambda x, axis=axis: function(x, axis=axis), (values(*shape),), f"{shape}, {axis}", condition=4.0)
    zeros = np.array([[1.5, 0.0, 2.0, 0.0], [0.0, -1.0, 2.0, 3.0]])
    yield Sample(lambda x: function(x, axis=1), (zeros,), "zeros")
    if standard:
        for shape, axis in [((3,), None), ((2, 3), 1)]:
            call = lambda x, axis=axis: function(x, axis=axis, include_initial=True)
            yield Sample(call, (values(*shape),), f"{shape}, {axis}, initial", condition=4.0)
    else:
        yield Sample(function, (values(2, 3),), "flat", condition=4.0)
        yield Sample(lambda x: function(x, dtype=complex), (values(3),), "dtype", condition=4.0)
