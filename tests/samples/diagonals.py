"""Diagonals and their sums."""

from collections.abc import Iterator

import numpy as np

from .axes import calls
from .sample import Sample, entry, values

CALLS = {
    "diagonal": [((2, 3), ()), ((3, 3), (1,)), ((2, 3, 2), (-1, 0, 2)), ((2, 2), (5,))],
    "diag": [((3,), ()), ((2,), (-1,)), ((2, 3), (1,)), ((0,), ())],
    "diagflat": [((2,), ()), ((2, 1), (1,)), ((), ())],
    "trace": [((3, 3), ()), ((2, 3), (1,)), ((2, 3, 2), (0, 0, 2)), ((0, 2), ())],
}


@entry(*CALLS)
def _calls(name: str) -> Iterator[Sample]:
    bare = name.removeprefix("np.")
    yield from calls(CALLS[name], getattr(np, bare))
    if bare in ("diagonal", "trace"):
        yield Sample(lambda x: getattr(x, bare)(), (values(2, 3),), "method")
    if bare == "trace":
        yield Sample(lambda x: np.trace(x, dtype=complex), (values(2, 3),), "dtype")


@entry("np.linalg.diagonal", "np.linalg.trace")
def _of_matrices(name: str) -> Iterator[Sample]:
    function = getattr(np.linalg, name.removeprefix("np.linalg."))
    for shape in [(3, 3), (2, 3), (2, 3, 2), (1, 1), (0, 2, 2), (0, 2)]:
        yield Sample(function, (values(*shape),), f"{shape}")
        for offset in (-1, 1, 2) if shape[-1] == 3 else ():
            yield Sample(lambda x, offset=offset: function(x, offset=offset), (values(*shape),), f"{shape}, {offset}")
    if name == "np.linalg.trace":
        yield Sample(lambda x: np.linalg.trace(x, dtype=complex), (values(2, 2, 3),), "dtype")
