"""Norms and condition numbers."""

import itertools
from collections.abc import Iterator

import numpy as np

from dualnumbers.rules.linalg import norms

from .sample import Sample, entry, matrices, values

INF = np.inf


def _of(function, x, text, **keywords):
    more = {name: keywords.pop(name) for name in ("condition", "unreal", "exact") if name in keywords}
    call = lambda x: function(x, **keywords)
    return Sample(call, (x,), f"{text} {x.shape}, {keywords}", **more)


@entry("length")
def _length(name: str) -> Iterator[Sample]:
    for shape in [(3,), (1,), (2, 3), (2, 1, 2)]:
        yield _of(np.linalg.norm, values(*shape), "all", condition=4)
    for axis, keepdims in itertools.product([0, -1, (0, 1), (1, 0)], [False, True]):
        yield _of(np.linalg.norm, values(2, 3), "some", axis=axis, keepdims=keepdims, condition=4)
    for keywords in ({"ord": 2}, {"ord": "fro", "axis": (0, 1)}, {"keepdims": True}):
        x = values(3) if keywords.get("ord") == 2 else values(2, 3)
        yield _of(np.linalg.norm, x, "keywords", condition=4, **keywords)
    yield _of(np.linalg.norm, values(2, 3).T, "a transposed array", condition=4)
    yield _of(np.linalg.norm, values(0, 3), "empty", axis=1)


@entry("p_norm")
def _p_norm(name: str) -> Iterator[Sample]:
    for p in (3, 1.5, 2.5, -1, 0.5, -2):
        yield _of(np.linalg.norm, values(3), "vector", ord=p, condition=16)
    yield _of(np.linalg.norm, values(2, 3), "rows", ord=3, axis=1, keepdims=True, condition=16)
    yield Sample(lambda x: np.linalg.norm(np.array([0.0, 1.0]) * x, 4), (values(2),), "a zero beside", condition=16)


@entry("unit", "extent")
def _of_scaled(name: str) -> Iterator[Sample]:
    f = getattr(norms, name)
    for p, axis, shape in itertools.product((None, 3, 0.5), (0, -1), [(3,), (2, 3)]):
        yield Sample(lambda x, p=p, axis=axis: f(x, p, axis), (values(*shape),), f"{shape}, {p}, {axis}", condition=16)
    yield Sample(lambda x: f(x, None, None), (values(2, 3),), "of all elements", condition=4)


@entry("np.linalg.norm")
def _norm(name: str) -> Iterator[Sample]:
    for p in (1, INF, -INF):
        yield _of(np.linalg.norm, values(4), "vector", ord=p)
        yield _of(np.linalg.norm, values(2, 3), "columns", ord=p, axis=0, keepdims=True)
    yield Sample(lambda x: x * np.linalg.norm(x, 0), (values(3),), "the number of elements")
    for p, keepdims in itertools.product(("nuc", 2, -2, 1, -1, INF, -INF), (False, True)):
        condition = 16 if p in ("nuc", 2, -2) else 4
        yield _of(np.linalg.norm, values(2, 3), "matrix", ord=p, keepdims=keepdims, condition=condition)
        yield _of(np.linalg.norm, values(2, 2, 3), "stack", ord=p, axis=(2, 0), keepdims=keepdims, condition=condition)


@entry("np.linalg.matrix_norm")
def _matrix_norm(name: str) -> Iterator[Sample]:
    for p in ("fro", "nuc", 2, 1, -INF):
        yield _of(np.linalg.matrix_norm, values(2, 2, 3), "stack", ord=p, keepdims=p == 2, condition=16)


@entry("np.linalg.vector_norm")
def _vector_norm(name: str) -> Iterator[Sample]:
    for p, axis in itertools.product((2, 1, INF, 3), (None, 1, (0, 2))):
        yield _of(np.linalg.vector_norm, values(2, 2, 3), "stack", ord=p, axis=axis, condition=16)
        yield _of(np.linalg.vector_norm, values(2, 2, 3), "stack", ord=p, axis=axis, keepdims=True, condition=16)
    yield _of(np.linalg.vector_norm, np.array(-1.5), "a number")


@entry("np.linalg.cond")
def _cond(name: str) -> Iterator[Sample]:
    for p in (None, 2, -2, "fro", "nuc", 1, -1, INF, -INF):
        yield _of(np.linalg.cond, matrices(3, 3), "matrix", p=p, condition=64)
    yield _of(np.linalg.cond, values(2, 3), "oblong", condition=64)
    yield _of(np.linalg.cond, matrices(2, 2, 2), "stack", p=1, condition=64)
