"""The pseudoinverse and least squares."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, matrices, values

SHAPES = [(3, 3), (3, 2), (2, 3), (4, 2), (1, 3), (3, 1), (2, 2, 3), (0, 2, 3), (2, 0)]


@entry("pinv")
def _pinv(name: str) -> Iterator[Sample]:
    for shape in SHAPES:
        yield Sample(np.linalg.pinv, (values(*shape),), f"{shape}", condition=256)
    yield Sample(lambda a, b: np.linalg.pinv(np.outer(a, b)), (values(3), values(2)), "rank 1", condition=64)


@entry("np.linalg.pinv")
def _keywords_of_pinv(name: str) -> Iterator[Sample]:
    for keywords in ({"rcond": 1e-9}, {"rtol": 1e-9}, {"rtol": None}, {"hermitian": True}):
        yield Sample(
            lambda a, keywords=keywords: np.linalg.pinv(a, **keywords), (matrices(3, 3),), f"{keywords}", condition=64
        )


@entry("lstsq", "np.linalg.lstsq")
def _lstsq(name: str) -> Iterator[Sample]:
    right = {(4, 2): [(4,), (4, 2), (4, 1)], (2, 3): [(2,), (2, 2)], (3, 3): [(3,)], (3, 1): [(3, 0)]}
    for left, shapes in right.items():
        for shape in shapes if name == "lstsq" else shapes[:1]:
            arrays = (values(*left), values(*shape, seed=1))
            yield Sample(lambda a, b: np.linalg.lstsq(a, b)[0], arrays, f"solution, {left}, {shape}", condition=256)
    for shape in [(4,), (4, 2)]:
        arrays = (values(4, 2), values(*shape, seed=1))
        yield Sample(lambda a, b: np.linalg.lstsq(a, b, rcond=1e-9)[1], arrays, f"residuals, {shape}", condition=64)
    if name == "np.linalg.lstsq":
        yield Sample(lambda a: np.linalg.lstsq(a, np.ones(4))[3], (values(4, 2),), "singular values", exact=False)
        yield Sample(lambda b: np.linalg.lstsq(np.ones((3, 2)), b)[0], (values(3),), "a constant matrix of rank 1")
