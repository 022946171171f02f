"""Locally constant functions: each is multiplied by its argument, so that there is a derivative."""

import itertools
from collections.abc import Iterator

import numpy as np
import scipy.special

from dualnumbers.table import TABLE

from .sample import ENTRIES, Sample, apart, entry, values

STEP_OPERANDS = {1: ((2, 3),), 2: ((2, 1), (3,))}


@entry("floor", "ceil", "trunc", "rint", "sign", "signbit", "isfinite", "isinf", "isnan", "logical_not",
       "floor_divide", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and",
       "logical_or", "logical_xor", "isposinf", "isneginf")  # fmt: skip
def _steps(name: str) -> Iterator[Sample]:
    ufunc = getattr(np, name)
    arrays = tuple(apart(*shape) + 5.1 * k for k, shape in enumerate(STEP_OPERANDS[getattr(ufunc, "nin", 1)]))
    yield Sample(lambda *xs: ufunc(*xs) * xs[0], arrays, unreal=False)


@entry("gammasgn", "special_round")
def _steps_of_scipy(name: str) -> Iterator[Sample]:
    ufunc = scipy.special.gammasgn if name == "gammasgn" else scipy.special.round
    yield Sample(lambda x: ufunc(x) * x, (apart(2, 3),), unreal=False)


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


@entry("left_shift", "right_shift", "gcd", "lcm")
def _whole(name: str) -> Iterator[Sample]:
    combine = getattr(np, name)
    yield Sample(lambda x: combine(np.argsort(x), 2) * x, (apart(3),), unreal=False)
    yield Sample(lambda x: combine(2, np.argmax(x, axis=0)) * x, (apart(3),), unreal=False)


@entry("bitwise_count")
def _bits(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.bitwise_count(np.argsort(x)) * x, (apart(3),), unreal=False)


@entry("np.isreal", "np.iscomplex")
def _imaginary(name: str) -> Iterator[Sample]:
    function = np.isreal if name == "np.isreal" else np.iscomplex
    yield Sample(lambda x: function(x) + x, (values(2, 3),))
    yield Sample(lambda x: function(x * np.array([1.0, 1j])) + x, (values(2),), "complex", unreal=False)


@entry("exponent", "np.frexp")
def _frexp(name: str) -> Iterator[Sample]:
    yield Sample(
        lambda x: np.ldexp(*np.frexp(x)) * np.frexp(x)[0], (np.array([[0.3, -3.0], [0.7, 40.0]]),), unreal=False
    )
    yield Sample(lambda x: np.frexp(x)[0] * np.frexp(x)[1], (apart(4),), unreal=False)


@entry("np.modf", "np.divmod")
def _parts(name: str) -> Iterator[Sample]:
    x, y = np.array([[-1.63], [2.47]]), np.array([0.7, -0.45, 1.1])
    if name == "np.modf":
        yield Sample(lambda x: np.modf(x)[0] * np.modf(x)[1], (x,), unreal=False)
        return
    yield Sample(lambda x, y: np.divmod(x, y)[0] * np.divmod(x, y)[1], (x, y), unreal=False)
    yield Sample(lambda x: np.divmod(x, 0.4)[1] + np.divmod(3.0, x)[1], (x,), "a constant", unreal=False)
    yield Sample(lambda x: divmod(x, 0.4)[1] + divmod(3.0, x)[1], (x,), "operator", unreal=False)


@entry("round")
def _round(name: str) -> Iterator[Sample]:
    for round in (np.round, np.around):
        for decimals in (0, 1, -1):
            yield Sample(lambda x, decimals=decimals, round=round: round(4 * x, decimals) * x, (apart(2, 3),),
                         f"{round.__name__}, {decimals}", unreal=False)  # fmt: skip
    yield Sample(lambda x: x.round(1) * x, (apart(3),), "method", unreal=False)


@entry("any", "all", "argmax", "argmin", "nanargmax", "nanargmin", "count_nonzero")
def _summaries(name: str) -> Iterator[Sample]:
    function = getattr(np, name)
    for axis, keepdims in itertools.product((None, 0, -1), (False, True)):
        weigh = lambda x, axis=axis, keepdims=keepdims: function(x, axis=axis, keepdims=keepdims) * x
        yield Sample(weigh, (apart(2, 2),), f"axis={axis}, keepdims={keepdims}", unreal=False)
    if name in ("any", "all"):
        yield Sample(lambda x: function(x > 0, axis=0, where=x < 0.5) * x, (apart(2, 2),), "where", unreal=False)


@entry("argsort")
def _argsort(name: str) -> Iterator[Sample]:
    for axis in (-1, 0, None):
        order = lambda x, axis=axis: x.ravel()[np.argsort(x, axis=axis)]
        yield Sample(order, (apart(2, 3),), f"axis={axis}", unreal=False)
    yield Sample(lambda x: x[np.argsort(x, stable=True)], (apart(4),), "stable", unreal=False)


@entry("argpartition")
def _argpartition(name: str) -> Iterator[Sample]:
    for kth, axis in ((0, -1), ((0, 1), 0), (3, None)):
        order = lambda x, kth=kth, axis=axis: x.ravel()[np.argpartition(x, kth, axis)]
        yield Sample(order, (apart(2, 3),), f"{kth}, axis={axis}", unreal=False)


@entry("lexsort")
def _lexsort(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, y: x[np.lexsort((y, x))], (apart(3), apart(3)), "keys", unreal=False)
    yield Sample(lambda x: np.lexsort(x) * x[0], (apart(2, 3),), "rows", unreal=False)
