"""Locally constant functions: each is multiplied by its argument, so that there is a derivative."""

import itertools
from collections.abc import Iterator

import numpy as np

from dualnumbers.elementary import TABLE

from .sample import ENTRIES, Sample, apart, entry, values

STEP_OPERANDS = {1: ((2, 3),), 2: ((2, 1), (3,))}


@entry("floor", "ceil", "trunc", "rint", "sign", "signbit", "isfinite", "isinf", "isnan", "logical_not",
       "floor_divide", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and",
       "logical_or", "logical_xor")  # fmt: skip
def _steps(name: str) -> Iterator[Sample]:
    ufunc = getattr(np, name)
    arrays = tuple(apart(*shape) + 5.1 * k for k, shape in enumerate(STEP_OPERANDS[ufunc.nin]))
    yield Sample(lambda *xs: ufunc(*xs) * xs[0], arrays, unreal=False)


ENTRIES["ulp"] = lambda name: _steps("spacing")


@entry("share")
def _shares(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, y: TABLE[name](x, y) * x, (apart(2, 1), apart(3) + 0.05), unreal=False)


@entry("bitwise_and", "bitwise_or", "bitwise_xor")
def _masks(name: str) -> Iterator[Sample]:
    combine = getattr(np, name)
    yield Sample(lambda x: combine(x > 0, x < 1) * x, (values(2, 3),), unreal=False)


@entry("invert")
def _invert(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: ~(x > 0) * x, (values(2, 3),), unreal=False)


@entry("any", "all", "argmax", "argmin", "count_nonzero")
def _summaries(name: str) -> Iterator[Sample]:
    function = getattr(np, name)
    for axis, keepdims in itertools.product((None, 0, -1), (False, True)):
        weigh = lambda x, axis=axis, keepdims=keepdims: function(x, axis=axis, keepdims=keepdims) * x
        yield Sample(weigh, (apart(2, 2),), f"axis={axis}, keepdims={keepdims}", unreal=False)


@entry("argsort")
def _argsort(name: str) -> Iterator[Sample]:
    for axis in (-1, 0, None):
        order = lambda x, axis=axis: x.ravel()[np.argsort(x, axis=axis)]
        yield Sample(order, (apart(2, 3),), f"axis={axis}", unreal=False)
