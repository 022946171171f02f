"""Determinants."""

import operator
from collections.abc import Iterator

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, entry, matrices

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
        yield Sample(np.linalg.det, (np.array(matrix),), text, condition=64, step=1e-2)  # it is linear
    stack = np.stack([matrices(2, 2), np.array(SINGULAR["2 by 2"])])
    yield Sample(np.linalg.det, (stack,), "one of two singular", condition=8)


@entry("adjugate_rate")
def _rate(name: str) -> Iterator[Sample]:
    matrices_of = {f"{shape}": matrices(*shape) for shape in [(3, 3), (2, 1, 1), (0, 2, 2)]}
    for text, a in (matrices_of | {text: np.array(a) for text, a in SINGULAR.items()}).items():
        yield Sample(TABLE[name], (a, np.cos(np.arange(1.0, a.size + 1.0)).reshape(a.shape)), text, condition=512)


@entry("slogdet", "np.linalg.slogdet")
def _slogdet(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (1, 1), (2, 2, 2), (0, 2, 2), (0, 0)]:
        yield Sample(lambda a: np.linalg.slogdet(a)[1], (matrices(*shape),), f"{shape}", condition=8)
        yield Sample(
            lambda a: np.linalg.slogdet(a + 0.5j * a * a).sign, (matrices(*shape),), f"sign, {shape}", condition=8
        )
    yield Sample(
        lambda a: operator.mul(*np.linalg.slogdet(-a)), (matrices(3, 3),), "a negative sign", condition=8, unreal=False
    )
    yield Sample(
        lambda a: np.real(np.stack(np.linalg.slogdet(a + 0.5j * a * a))), (matrices(3, 3),), "both results", condition=8
    )
