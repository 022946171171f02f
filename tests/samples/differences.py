"""Differences of neighbours."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from .sample import Sample, entry, values


@entry("np.diff")
def _diff(name: str) -> Iterator[Sample]:
    for shape, n, axis in [((4,), 1, -1), ((2, 4), 2, 1), ((3, 2), 1, 0), ((1,), 1, 0), ((3,), 0, -1), ((2, 0), 1, 0)]:
        yield Sample(lambda x, n=n, axis=axis: np.diff(x, n, axis), (values(*shape),), f"{shape}, {n}, {axis}")
    yield Sample(lambda x, y: np.diff(x, prepend=0.0, append=y), (values(2, 3), values(2, 2)), "more")
    yield Sample(lambda x: np.diff(x > 0) * x[1:], (values(4),), "bool", unreal=False)


@entry("differences")
def _differences(name: str) -> Iterator[Sample]:
    for shape, n, axis in [((4,), 1, 0), ((2, 4), 2, 1), ((3, 2), 2, 0), ((2,), 3, 0), ((2, 0), 1, 0)]:
        yield Sample(lambda x, n=n, axis=axis: np.diff(x, n, axis), (values(*shape),), f"{shape}, {n}, {axis}")


@entry("np.ediff1d")
def _ediff1d(name: str) -> Iterator[Sample]:
    yield Sample(np.ediff1d, (values(2, 3),), "flat")
    yield Sample(lambda x, y: np.ediff1d(x, to_end=y, to_begin=[1.0, 2.0]), (values(3), values(2)), "more")


@entry("unwrap")
def _unwrap(name: str) -> Iterator[Sample]:
    jumps = np.array([0.1, 3.0, 6.0, 0.5, 8.0])
    yield Sample(np.unwrap, (jumps,), "vector", unreal=False)
    yield Sample(lambda x: np.unwrap(x, axis=0, period=1.0), (np.outer(jumps, [0.3, 0.71]),), "axis", unreal=False)
    period = jumps + np.array([0.0, 0.0, 0.2, -0.1, 0.0]), np.array(1.7)
    yield Sample(lambda x, t: np.unwrap(x * t, period=t), period, "period", unreal=False)


@entry("np.gradient")
def _gradient(name: str) -> Iterator[Sample]:
    for edge_order in (1, 2):
        for axis in (None, 0, -1, (1, 0)):
            call = lambda f, axis=axis, order=edge_order: np.multiply(
                1.0, np.gradient(f, 0.5, axis=axis, edge_order=order)
            )
            if axis in (0, -1):
                yield Sample(call, (values(3, 4),), f"{axis}, {edge_order}", condition=4.0)
            else:
                both = lambda f, call=call, axis=axis, order=edge_order: np.multiply(
                    *np.gradient(f, 0.5, axis=axis, edge_order=order)
                )
                yield Sample(both, (values(3, 4),), f"{axis}, {edge_order}", condition=16.0, exact=False)
        along = lambda f, x, order=edge_order: np.gradient(f, x, axis=0, edge_order=order)
        yield Sample(along, (values(4, 2), np.array([0.0, 0.5, 0.8, 2.0])), f"coordinates, {edge_order}",
                     condition=64.0, exact=False, unreal=False)  # fmt: skip
        spaced = lambda f, h, order=edge_order: np.gradient(f, h, edge_order=order)
        yield Sample(spaced, (values(5), values() ** 2 + 1.0), f"a spacing, {edge_order}", condition=16.0, exact=False,
                     unreal=False)  # fmt: skip
    yield Sample(lambda f: np.gradient(f, [0.0, 1.0, 2.0]), (values(3),), "even coordinates", condition=4.0)


@entry("gradient")
def _along_an_axis(name: str) -> Iterator[Sample]:
    uneven = np.array([0.0, 0.5, 0.8, 2.0])
    for order, (text, spacing) in product((1, 2), {"a number": 0.5, "coordinates": uneven}.items()):
        yield Sample(lambda f, h=spacing, order=order: np.gradient(f, h, axis=-2, edge_order=order),
                     (values(4, 2),), f"{text}, {order}", condition=16.0, exact=False)  # fmt: skip
    yield Sample(lambda f: np.gradient(f, 2, 0.5, axis=(1, 0))[0], (values(2, 3),), "of two axes", condition=4.0)
