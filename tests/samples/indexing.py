"""Reading and writing elements, choosing between them, parts of complex numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, entry, values

INDICES = [
    ((4,), [0, -1, np.int64(2), slice(1, 3), slice(None, None, -1), slice(3, None, -2), None, ..., (..., 0),
            [0, 2, 2, 0], np.array([-1, 3, -1]), np.array([[0, 1], [1, 1]]), np.array([True, False, True, True]),
            np.zeros(4, bool), np.array([], int), [], slice(2, 2)]),
    ((2, 3, 2), [1, (0, 1), (1, 2, 0), (slice(None), 0), (..., 1), (0, ..., None), (None, slice(None), slice(0, 3, 2)),
                 ([0, 1, 1], [2, 2, 2]), (slice(None), [0, 0, 2]), ([1, 0], slice(1, None)), (0, slice(None), [1, 1]),
                 ([0, 1], slice(None), [1, 1]), (np.array([[0], [1]]), np.array([0, 2])),
                 (slice(None), np.array([True, False, True])), (np.array([True, False]), 1, [0, 1, 1]),
                 np.arange(12).reshape(2, 3, 2) % 3 == 0, (slice(None, None, -1), ..., slice(None, None, -1))]),
    ((2, 0), [0, (slice(None), slice(0, 0))]),
]  # fmt: skip


@entry("getitem")
def _getitem(name: str) -> Iterator[Sample]:
    for shape, indices in INDICES:
        for index in indices:
            yield Sample(lambda x, index=index: x[index], (values(*shape),), f"{shape}[{index}]")
    yield Sample(lambda x: np.stack([row.sum() * x[0, 0] for row in x]), (values(2, 3),), "rows in a loop")


@entry("np.expand_dims")
def _expand_dims(name: str) -> Iterator[Sample]:
    for shape, axis in [((3,), (0, -1)), ((), 0), ((2, 3), 1), ((2, 3), -2), ((2, 0), [1, 3])]:
        yield Sample(lambda x, axis=axis: np.expand_dims(x, axis), (values(*shape),), f"{shape}, {axis}")


@entry("setitem")
def _setitem(name: str) -> Iterator[Sample]:
    """By the row, and by an assignment to a copy."""
    for shape, indices in INDICES:
        for index in indices:
            part = np.empty(shape)[index].shape
            for given in dict.fromkeys([part, part[1:], (1,) * len(part)]):
                yield Sample(lambda x, v, index=index: TABLE["setitem"](x, v, index),
                             (values(*shape), values(*given, seed=1)), f"{shape}[{index}] = {given}")  # fmt: skip
            yield Sample(lambda x, index=index: _assigned(x, x[index] * x.sum(), index), (values(*shape),),
                         f"{shape}[{index}] = its own")  # fmt: skip
    yield Sample(lambda x: _assigned(x, 2.0, slice(0, 2)), (values(4),), "a constant")
    yield Sample(lambda x: _assigned(x, x[::-1], slice(None)), (values(4),), "its own reverse")
    yield Sample(_filled, (values(3),), "np.zeros(like=)")


def _assigned(x: Any, v: Any, index: Any) -> Any:
    z = x.copy()
    z[index] = v
    return z


def _filled(v: Any) -> Any:
    z = np.zeros(4, v.dtype, like=v)
    for k in range(3):
        z[k] = v[k] * v[0]
    return z


@entry("np.full_like")
def _full_like(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.full_like(x, 2.0) * x, (values(2, 3),), "a constant")
    yield Sample(lambda x: np.full_like(x, x[0, 0]), (values(2, 3),), "a number")
    yield Sample(lambda x: np.full_like(x, x[0], shape=(2, 3)), (values(2, 3),), "of another shape")
    yield Sample(lambda x: np.full_like(x, 2.7, dtype=int) * x, (values(3),), "of whole numbers")
    yield Sample(lambda x: np.full((2, 3), x[0], like=x) * np.full(3, 2.0, like=x), (values(3),), "full, like=")
    yield Sample(lambda x: np.array([[x[0], 1.0], [2, x[1]]], like=x) * x[:2], (values(3),), "array, like=")
    yield Sample(lambda x: np.asarray([1.0, 2.0], like=x) * np.asarray(x[:2], like=x), (values(3),), "asarray, like=")


@entry("scatter_all")
def _scatter_all(name: str) -> Iterator[Sample]:
    indices = (0, (slice(None), 1), ([1, 1], [0, 2]))
    parts = values(3), values(2), values(2, seed=1)
    yield Sample(lambda *xs: TABLE["scatter_all"](*xs, (2, 3), indices), parts, "a row, a column, elements")
    yield Sample(lambda part: TABLE["scatter_all"](part, part, (2, 3), (0, 0)), (values(3),), "one twice")


@entry("scatter")
def _scatter(name: str) -> Iterator[Sample]:
    for shape, indices in INDICES:
        for index in indices:
            part = np.empty(shape)[index].shape
            yield Sample(lambda v, shape=shape, index=index: TABLE["scatter"](v, shape, index), (values(*part),),
                         f"{shape}[{index}]")  # fmt: skip


@entry("np.where")
def _places(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: x[np.where(x > 0)] ** 2, (values(2, 3),), "places", unreal=False)
    yield Sample(lambda x: np.where(x > 0, x * x, 1.0), (values(3),), "choice", unreal=False)
    for indices in (np.diag_indices_from, np.tril_indices_from, np.triu_indices_from):
        yield Sample(lambda x, indices=indices: x[indices(x)] ** 2, (values(2, 2),), indices.__name__)


@entry("where")
def _where(name: str) -> Iterator[Sample]:
    mask = np.array([[True, False, True], [False, False, True]])
    for condition, left, right in [(mask, (2, 3), (2, 3)), (mask, (3,), (2, 1)), (mask, (), (2, 3)),
                                   (mask[0], (2, 1), ()), (True, (2,), (2,)), (False, (), ()),
                                   (mask[:, :1], (1, 3), (1,))]:  # fmt: skip
        arrays = values(*left), values(*right, seed=1)
        yield Sample(lambda x, y, condition=condition: np.where(condition, x, y), arrays,
                     f"{np.shape(condition)}, {left}, {right}")  # fmt: skip
    yield Sample(lambda x: np.where(x > 0, x * x, -x), (values(2, 3),), "its own condition", unreal=False)
    yield Sample(lambda x: np.where(mask, x, 1.0), (values(2, 3),), "a constant")


@entry("real", "imag", "conj")
def _complex_parts(name: str) -> Iterator[Sample]:
    for shape in ((), (3,), (2, 0)):
        if name == "conj":  # a real array is copied by np.conj, and is x.conj() itself
            yield Sample(lambda x: np.real(np.conj(x * np.exp(2j)) * 1j), (values(*shape),), f"np, {shape}")
        else:
            yield Sample(getattr(np, name), (values(*shape),), f"np, {shape}")
    if name != "conj":
        yield Sample(lambda x: getattr(x, name), (values(2, 3),), "method")
