"""Evenly spaced numbers, functions applied along axes, copies."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values


@entry("linspace", "geomspace", "np.linspace", "np.logspace", "np.geomspace")
def _spaced(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np."))
    for shapes, num, endpoint, axis in [(((), ()), 4, True, 0), (((2,), ()), 3, False, 0), (((2,), (2,)), 3, True, -1),
                                        (((2, 1), (3,)), 2, False, 1), (((), ()), 1, True, 0),
                                        (((), ()), 0, True, 0)]:  # fmt: skip
        ends = tuple(np.abs(values(*shape, seed=k)) + 0.3 for k, shape in enumerate(shapes))
        call = lambda x, y, num=num, endpoint=endpoint, axis=axis: function(x, y, num, endpoint, axis=axis)
        yield Sample(call, ends, f"{shapes}, {num}, {endpoint}, {axis}", unreal="geom" not in name,
                     exact="log" not in name, condition=4.0)  # fmt: skip
    yield Sample(lambda x: function(0.5, x, 3), (values() ** 2 + 0.1,), "a constant", exact="log" not in name)
    if name == "np.linspace":
        yield Sample(
            lambda x: np.linspace(x[0] - 4.0, 2.3, 5, dtype=int) * x, (values(5),), "whole numbers", unreal=False
        )
        yield Sample(lambda x: np.multiply(*np.linspace(x, 2.0, 3, retstep=True)), (values(),), "retstep")
    if name == "np.logspace":
        for shape, axis in (((), 0), ((2,), 0), ((2, 1), -1)):
            base = lambda x, axis=axis: np.logspace(0.5, [1.0, 2.0], 3, base=x, axis=axis)
            yield Sample(base, (values(*shape) ** 2 + 0.3,), f"base {shape}, {axis}", exact=False, condition=8)
        yield Sample(lambda x: np.logspace(0.5, 1.0, 3, base=x), (values(2) ** 2 + 0.3,), "base alone", exact=False)


@entry("np.apply_along_axis")
def _along(name: str) -> Iterator[Sample]:
    functions = {
        "vector": lambda r: np.sum(r) * r,
        "number": lambda r: r[0] * r[-1],
        "matrix": lambda r: r[:, None] * r,
    }
    for (text, function), axis in itertools.product(functions.items(), (0, -1)):
        call = lambda x, f=function, axis=axis: np.apply_along_axis(f, axis, x)
        yield Sample(call, (values(2, 3),), f"{text}, {axis}")
    yield Sample(lambda x: np.apply_along_axis(lambda r, a: a * r, 1, x, 2.0), (values(2, 2, 2),), "an argument")


@entry("np.apply_over_axes")
def _over(name: str) -> Iterator[Sample]:
    for axes in (0, [0, -1], (1,)):
        yield Sample(lambda x, axes=axes: np.apply_over_axes(np.sum, x, axes), (values(2, 3, 2),), f"{axes}")


@entry("copy")
def _copies(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.copy(x) * x, (values(2, 3),))
    yield Sample(lambda x: np.copy(x, order="F"), (values(2, 3),), "keyword")
    yield Sample(lambda x: x.copy(), (values(2, 0),), "method")
    yield Sample(np.copy, (values(),), "of no axes")


@entry("np.astype")
def _of_type(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.astype(x, x.dtype), (values(2, 3),))
    yield Sample(lambda x: np.astype(x, complex), (values(2),), "keyword")
