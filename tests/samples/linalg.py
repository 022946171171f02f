"""Linear algebra."""

from collections.abc import Iterator

import numpy as np

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


SINGULAR = {
    "rank 2 of 3": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0, 7.0, 9.0]],
    "rank 1 of 3": [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [-1.0, -2.0, -3.0]],
    "rank 0 of 3": [[0.0] * 3] * 3,
    "a zero row": [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [3.0, 1.0, 1.0]],
    "1 by 1": [[0.0]],
    "2 by 2": [[1.0, 2.0], [2.0, 4.0]],
    "almost singular": [[1.0, 2.0], [2.0, 4.0 + 1e-13]],
    "rank 3 of 4": [[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.0, 3.0, 1.0, 1.0], [2.0, 0.0, 1.0, 5.0]],
}


@entry("det")
def _det(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 2, 2), (0, 0)]:
        yield Sample(np.linalg.det, (matrices(*shape),), f"{shape}", condition=8)
    for text, matrix in SINGULAR.items():
        yield Sample(np.linalg.det, (np.array(matrix),), text, condition=64)
    stack = np.stack([matrices(2, 2), np.array(SINGULAR["2 by 2"])])
    yield Sample(np.linalg.det, (stack,), "one of two singular", condition=8)
