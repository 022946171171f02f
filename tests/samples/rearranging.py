"""Functions that move, repeat or leave out elements."""

from collections.abc import Iterator
from inspect import Parameter, signature

import numpy as np

from dualnumbers.table import TABLE

from .axes import calls
from .sample import Sample, entry, values

LAST = (-1,) if signature(np.take_along_axis).parameters["axis"].default is Parameter.empty else ()
"""The axis, which has a default from NumPy 2.3 on."""

CALLS = {
    "roll": [((3,), (1,)), ((2, 3), (-2,)), ((2, 3), (1, 1)), ((2, 3), ((1, 2), (0, 1))), ((0,), (1,))],
    "tile": [((2,), (3,)), ((2,), ((2, 1),)), ((2, 3), (2,)), ((), ((2, 2),)), ((2, 1), ((1, 0),))],
    "repeat": [((3,), (2,)), ((2, 2), ([2, 0], 1)), ((2, 2), (2,)), ((2, 2), (np.array([1, 2]), 0)), ((), (3,))],
    "resize": [((3,), ((2, 2),)), ((2, 3), (4,)), ((0,), (2,)), ((2,), ((0,),))],
    "delete": [((4,), (1,)), ((4,), ([0, -1],)), ((2, 3), (slice(None, None, 2), 1)), ((2, 3), ([1],)),
               ((3,), (np.array([True, False, True]),)), ((3,), ([],))],
    "sliding_window_view": [((4,), (2,)), ((2, 3), ((2, 2),)), ((2, 4), (3, 1))],
    "take": [((3,), ([0, 0, -1],)), ((2, 3), (1, 1)), ((2, 3), ([[0, 5]],)), ((2, 3), (np.array([1, 1]), 0)),
             ((2, 3), ([], 1))],
    "take_along_axis": [((2, 3), (np.array([[0], [2]]), 1)), ((2, 3), (np.array([[0, 1, 1]]), 0)),
                        ((3,), (np.array([2, 2]), None)), ((2, 2), (np.array([[0, 0, 1]] * 2), *LAST))],
    "tril": [((3, 3), ()), ((2, 3), (1,)), ((2, 2, 2), (-1,)), ((2,), ())],
    "triu": [((3, 3), ()), ((2, 3), (1,)), ((2, 2, 2), (-1,))],
}  # fmt: skip


@entry(*CALLS)
def _calls(name: str) -> Iterator[Sample]:
    bare = name.removeprefix("np.")
    yield from calls(CALLS[name], getattr(np, bare, None) or getattr(np.lib.stride_tricks, bare))
    if bare in ("repeat", "take"):
        yield Sample(lambda x: getattr(x, bare)(1), (values(2, 3),), "method")
    if bare == "take":
        yield Sample(lambda x: np.take(x, [0, -1, 0], axis=0), (values(),), "of a number")
        for mode in ("wrap", "clip"):
            yield Sample(lambda x, mode=mode: np.take(x, [-4, 1, 7], mode=mode), (values(3),), mode)


@entry("insert")
def _insert(name: str) -> Iterator[Sample]:
    for shape, at, given, axis in [((3,), 1, (), None), ((3,), [0, 2], (2,), None), ((2, 3), 1, (2,), 1),
                                   ((2, 3), [0, 2], (3,), 0), ((2, 2), [1, 1], (2, 2), 1), ((3,), slice(0, 2), (), 0),
                                   ((2, 3), 5, (), None), ((3,), [1], (3,), None)]:  # fmt: skip
        yield Sample(lambda x, v, at=at, axis=axis: np.insert(x, at, v, axis), (values(*shape), values(*given, seed=1)),
                     f"{shape}, {at}, {given}, {axis}")  # fmt: skip
    yield Sample(lambda x: np.insert(x, 1, 9.0), (values(2),), "a constant")
    yield Sample(lambda x: np.insert(np.ones(2), 1, x), (values(2),), "into a constant", unreal=False)


@entry("np.trim_zeros")
def _trim_zeros(name: str) -> Iterator[Sample]:
    mask = np.array([False, True, False, True, False, False])
    for trim in ("fb", "f", "b"):
        call = lambda x, trim=trim: np.trim_zeros(np.where(mask, x, 0.0 * x), trim)
        yield Sample(call, (values(6),), trim)


@entry("compress", "extract")
def _masked(name: str) -> Iterator[Sample]:
    mask = np.array([True, False, True])
    if name == "extract":
        yield Sample(lambda x: np.extract(mask, x), (values(3),), "vector")
        yield Sample(lambda x: np.extract(x > 0, x), (values(2, 3),), "its own condition", unreal=False)
        return
    for shape, condition, axis in [
        ((3,), mask, 0),
        ((2, 3), mask[:2], 0),
        ((2, 3), [1, 0, 1], -1),
        ((2, 3), mask, None),
    ]:
        yield Sample(lambda x, c=condition, axis=axis: np.compress(c, x, axis), (values(*shape),), f"{shape}, {axis}")
    yield Sample(lambda x: x.compress(mask), (values(3),), "method")


@entry("gathered", "spread")
def _internal(name: str) -> Iterator[Sample]:
    sources = np.array([[1, 0, 3], [3, 3, 2]])
    if name == "gathered":
        yield Sample(lambda x: TABLE[name](x, sources), (values(4),), "with a zero")
    else:
        yield Sample(lambda x: TABLE[name](x, sources, (2, 2)), (values(2, 3),), "with a zero")
