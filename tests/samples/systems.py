"""Linear algebra."""

import itertools
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


@entry("det", "adjugate")
def _det(name: str) -> Iterator[Sample]:
    if name == "adjugate":
        yield from (Sample(TABLE[name], (matrices(*shape),), f"{shape}", condition=8) for shape in [(3, 3), (2, 1, 1)])
        yield from (Sample(TABLE[name], (np.array(matrix),), text, condition=512) for text, matrix in SINGULAR.items())
        return
    for shape in [(3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 2, 2), (0, 0)]:
        yield Sample(np.linalg.det, (matrices(*shape),), f"{shape}", condition=8)
    for text, matrix in SINGULAR.items():
        yield Sample(np.linalg.det, (np.array(matrix),), text, condition=64)
    stack = np.stack([matrices(2, 2), np.array(SINGULAR["2 by 2"])])
    yield Sample(np.linalg.det, (stack,), "one of two singular", condition=8)


@entry("logabsdet", "phase_of_det", "np.linalg.slogdet")
def _slogdet(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (1, 1), (2, 2, 2), (0, 2, 2), (0, 0)]:
        if name != "phase_of_det":
            yield Sample(lambda a: np.linalg.slogdet(a)[1], (matrices(*shape),), f"{shape}", condition=8)
        yield Sample(
            lambda a: np.linalg.slogdet(a + 0.5j * a * a).sign, (matrices(*shape),), f"sign, {shape}", condition=8
        )
    if name == "logabsdet":
        yield Sample(lambda a: np.prod(np.linalg.slogdet(-a)), (matrices(3, 3),), "a negative sign", condition=8,
                     unreal=False)  # fmt: skip


@entry("np.linalg.matrix_power")
def _matrix_power(name: str) -> Iterator[Sample]:
    for n in (0, 1, 2, 3, 4, 7, -1, -3):
        yield Sample(lambda a, n=n: np.linalg.matrix_power(a, n), (matrices(2, 2),), f"{n}", condition=64)
    yield Sample(lambda a: np.linalg.matrix_power(a, 5), (matrices(2, 2, 2),), "a stack", condition=64)


@entry("np.linalg.multi_dot")
def _multi_dot(name: str) -> Iterator[Sample]:
    for lengths in [(2, 3, 2), (2, 3, 1, 2), (3, 1, 2, 3, 2), (1, 4, 2, 3)]:
        chain = tuple(values(m, n, seed=k) for k, (m, n) in enumerate(itertools.pairwise(lengths)))
        yield Sample(lambda *xs: np.linalg.multi_dot(xs), chain, f"{lengths}", condition=8)
    yield Sample(lambda x, a, y: np.linalg.multi_dot([x, a, y]), (values(2), values(2, 3), values(3)), "vectors")
    yield Sample(lambda a: np.linalg.multi_dot([a, np.eye(2), a]), (values(2, 2),), "a constant")


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


@entry("matrix_rank")
def _matrix_rank(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (2, 2, 3)]:
        yield Sample(lambda a: np.linalg.matrix_rank(a) * np.sum(a), (values(*shape),), f"{shape}")
    yield Sample(lambda a: np.linalg.matrix_rank(a, tol=9.0) * a, (values(2, 2),), "a tolerance")
