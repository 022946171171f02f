"""Joining arrays."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values


@entry("np.vstack", "np.hstack", "np.dstack", "np.column_stack", "np.row_stack")
def _stacks(name: str) -> Iterator[Sample]:
    function = np.vstack if name == "np.row_stack" else getattr(np, name[3:])
    for shapes in [((3,), (3,)), ((2, 3), (2, 3)), ((1,), (1,)), ((), ()), ((2, 0), (2, 0))]:
        arrays = tuple(values(*shape, seed=k) for k, shape in enumerate(shapes))
        yield Sample(lambda *xs: function(xs), arrays, f"{shapes}")
    yield Sample(lambda x: function([x, x[::-1], np.ones(2)]), (values(2),), "twice, a constant")
    yield Sample(lambda x: function([[x[0], x[1]], x]), (values(2),), "a list of numbers")


@entry("np.append")
def _append(name: str) -> Iterator[Sample]:
    for shapes, axis in [(((3,), (2, 1)), None), (((2, 3), (1, 3)), 0), (((2, 1), (2, 2)), -1), (((), ()), None)]:
        arrays = tuple(values(*shape, seed=k) for k, shape in enumerate(shapes))
        yield Sample(lambda x, y, axis=axis: np.append(x, y, axis), arrays, f"{shapes}, {axis}")
    yield Sample(lambda x: np.append(x, [1.0, 2.0]), (values(2),), "a list")
    yield Sample(lambda x: np.append(np.ones(2), x), (values(2),), "to a constant")


@entry("np.block")
def _block(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, y: np.block([[x, y], [y, x]]), (values(2, 2), values(2, 2, seed=1)), "matrices")
    yield Sample(lambda x, y: np.block([x, y, 2.0]), (values(2), values()), "vectors")
    yield Sample(lambda x, y: np.block([[x, y[:, None]], [1.0, 2.0, x[0, 0]]]), (values(2, 2), values(2)), "mixed")
    yield Sample(lambda x: np.block([[[x], [x]]]), (values(2, 1),), "three axes")
    yield Sample(lambda x: np.block(x), (values(2, 1),), "no list")
