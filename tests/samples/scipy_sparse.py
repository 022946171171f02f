"""Sparse linear systems."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse

from autodiff.scipy.sparse.linalg import spsolve

from .sample import Sample, entry, values

ROW, COLUMN = np.array([0, 1, 2, 0, 2, 2]), np.array([0, 1, 2, 2, 1, 2])
DATA = np.array([3.0, 4.0, 5.0, -1.0, 0.5, 1.0])


@entry("spsolve", "scipy.sparse.linalg.spsolve")
def _spsolve(name: str) -> Iterator[Sample]:
    for shape in [(3,), (3, 2)]:
        yield Sample(lambda d, b: spsolve((d, (ROW, COLUMN)), b), (DATA, values(*shape)), f"{shape}", condition=8)
    matrix = scipy.sparse.csc_array((DATA, (ROW, COLUMN)))
    yield Sample(lambda b: spsolve(matrix, b) * b, (values(3),), "a constant matrix", condition=8, exact=False)
