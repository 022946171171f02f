"""Linear systems, inverses."""

from collections.abc import Iterator

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, entry, matrices, values


@entry("solve")
def _solve(name: str) -> Iterator[Sample]:
    for left, right in [((3, 3), (3,)), ((3, 3), (3, 2)), ((1, 1), (1,)), ((2, 3, 3), (3,)), ((2, 3, 3), (2, 3, 1)),
                        ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 2)), ((3, 3), (3, 0)),
                        ((0, 2, 2), (2, 1))]:  # fmt: skip
        yield Sample(np.linalg.solve, (matrices(*left), values(*right, seed=1)), f"{left}, {right}", condition=8)
    yield Sample(lambda a: np.linalg.solve(a, np.ones(3)), (matrices(3, 3),), "a constant right side", condition=8)
    yield Sample(lambda b: np.linalg.solve(matrices(3, 3), b), (values(3),), "a constant matrix", condition=8)
    yield Sample(lambda a: np.linalg.solve(a, a.T), (matrices(3, 3),), "one matrix twice", condition=8)


@entry("inv")
def _inv(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 2, 2), (0, 0)]:
        yield Sample(np.linalg.inv, (matrices(*shape),), f"{shape}", condition=8)


@entry("inverse_or_nan")
def _inverse_or_nan(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (2, 2, 2), (0, 0)]:
        yield Sample(TABLE[name], (matrices(*shape),), f"{shape}", condition=8)


@entry("inverse_of_upper")
def _inverse_of_upper(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (1, 1), (2, 2, 2), (0, 2, 2), (0, 0)]:
        yield Sample(lambda a: TABLE[name](np.triu(a)), (matrices(*shape),), f"{shape}", condition=8)


@entry("np.linalg.tensorinv")
def _tensorinv(name: str) -> Iterator[Sample]:
    yield Sample(lambda a: np.linalg.tensorinv(a, ind=1), (matrices(4, 4).reshape(4, 2, 2),), "ind=1", condition=8)
    yield Sample(np.linalg.tensorinv, (matrices(6, 6).reshape(2, 3, 3, 2),), "ind=2", condition=8)


@entry("np.linalg.tensorsolve")
def _tensorsolve(name: str) -> Iterator[Sample]:
    yield Sample(np.linalg.tensorsolve, (matrices(4, 4).reshape(4, 2, 2), values(4)), "a vector", condition=8)
    yield Sample(np.linalg.tensorsolve, (matrices(6, 6).reshape(2, 3, 3, 2), values(2, 3)), "a matrix", condition=8)
    yield Sample(lambda a, b: np.linalg.tensorsolve(a, b, axes=(0,)), (matrices(4, 4).reshape(4, 2, 2), values(2, 2)),
                 "axes", condition=8)  # fmt: skip
