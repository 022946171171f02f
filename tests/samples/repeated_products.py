"""Powers of matrices and chains of products."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, matrices, values


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
