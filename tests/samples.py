"""Sample calls of every row that is not elementwise: Cartesian products of shapes and keywords, as a user writes them.

A row without an entry here fails its test. An entry is a function of a row's name that yields samples.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import dualnumbers.dmath as dmath
from dualnumbers.elementary import TABLE


@dataclass(frozen=True)
class Sample:
    """A function of arrays that calls a row, and the arrays.

    ``smooth``: differences tell its derivative there (not at a tie). ``unreal``: it takes complex arrays too.
    ``condition``: by how much it magnifies rounding. ``exact``: its value is NumPy's to the last bit.
    """

    f: Callable[..., Any]
    arrays: tuple[np.ndarray, ...]
    text: str = ""
    smooth: bool = True
    unreal: bool = True
    condition: float = 1.0
    exact: bool = True


ENTRIES: dict[str, Callable[[str], Iterator[Sample]]] = {}


def entry(*names: str) -> Callable[[Any], Any]:
    """Decorator: a generator of the samples of these rows."""

    def register(generator: Callable[[str], Iterator[Sample]]) -> Any:
        ENTRIES.update(dict.fromkeys(names, generator))
        return generator

    return register


def samples(name: str) -> list[Sample]:
    """The samples of a row."""
    return list(ENTRIES[name](name)) if name in ENTRIES else []


def values(*shape: int, seed: int = 0) -> np.ndarray:
    """An array of numbers of both signs, always the same ones."""
    return np.asarray(np.random.default_rng([seed, *shape]).normal(size=shape))


def apart(*shape: int) -> np.ndarray:
    """An array of numbers that differ from one another by far more than the step of a difference."""
    size = int(np.prod(shape))
    return np.random.default_rng(size).permutation(size).reshape(shape) * 0.37 - 1.03


def matrices(*shape: int, seed: int = 0) -> np.ndarray:
    """Well-conditioned matrices."""
    return values(*shape, seed=seed) + 3.0 * np.eye(shape[-1])


# --------------------------------------------------------------------------------------------- reductions

AXES = {(): [None, ()], (3,): [None, 0, -1, (0,)], (0,): [None, 0], (2, 3): [None, 0, 1, -2, (0, 1), (-1,)],
        (2, 1, 3): [1, (0, 2), (-1, 0)], (2, 0): [0, 1]}  # fmt: skip


def _reductions(function: Any, make: Any, empty: bool, unreal: bool) -> Iterator[Sample]:
    for (shape, axes), keepdims in itertools.product(AXES.items(), (False, True)):
        for axis in axes:
            if empty or np.empty(shape).size:
                yield Sample(lambda x, axis=axis, keepdims=keepdims: function(x, axis=axis, keepdims=keepdims),
                             (make(*shape),), f"{shape}, axis={axis}, keepdims={keepdims}", unreal=unreal)  # fmt: skip


@entry("sum")
def _sum(name: str) -> Iterator[Sample]:
    yield from _reductions(np.sum, values, empty=True, unreal=True)
    yield Sample(lambda x: x.sum(0), (values(2, 3),), "method")


@entry("fsum")
def _fsum(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: dmath.fsum([x[0], 2.0, x[1] * x[0]]), (values(2),), "numbers", unreal=False)


@entry("mean")
def _mean(name: str) -> Iterator[Sample]:
    yield from _reductions(np.mean, values, empty=False, unreal=True)
    yield Sample(lambda x: x.mean(), (values(2, 3),), "method")


@entry("prod")
def _prod(name: str) -> Iterator[Sample]:
    yield from _reductions(np.prod, values, empty=True, unreal=True)
    for zeros in ([0], [1, 3], [0, 2, 4]):
        x = values(5)
        x[zeros] = 0.0
        yield Sample(np.prod, (x,), f"{len(zeros)} zeros")
    x = values(2, 3)
    x[:, 1] = x[0, 0] = 0.0
    yield Sample(lambda x: np.prod(x, axis=1), (x,), "zeros in rows")


@entry("max", "min")
def _extrema(name: str) -> Iterator[Sample]:
    function = getattr(np, name)
    yield from _reductions(function, apart, empty=False, unreal=False)
    for axis in (None, 0, 1, (0, 1)):
        x = np.array([[1.0, 2.0, 2.0], [1.0, 1.0, 2.0]])
        reduce = lambda x, axis=axis: function(x, axis=axis)
        yield Sample(reduce, (x,), f"ties, axis={axis}", smooth=False, unreal=False)


# --------------------------------------------------------------------------------------------- shapes


@entry("reshape")
def _reshape(name: str) -> Iterator[Sample]:
    pairs = [
        ((2, 3), (3, 2)),
        ((2, 3), -1),
        ((2, 3), (3, -1)),
        ((), (1, 1)),
        ((1,), ()),
        ((0, 3), (3, 0)),
        ((2, 1, 3), (6,)),
    ]
    for (shape, to), order in itertools.product(pairs, "CF"):
        yield Sample(lambda x, to=to, order=order: np.reshape(x, to, order=order), (values(*shape),),
                     f"{shape}, {to}, {order}")  # fmt: skip
    yield Sample(lambda x: x.reshape(3, 2), (values(2, 3),), "method, lengths")
    yield Sample(lambda x: x.reshape((3, 2), order="F"), (values(2, 3),), "method, shape")
    yield Sample(lambda x: x.ravel() * x.flatten(), (values(2, 3),), "ravel, flatten")
    yield Sample(lambda x: np.ravel(x, order="F"), (values(2, 3),), "np.ravel")


@entry("transpose")
def _transpose(name: str) -> Iterator[Sample]:
    for shape, axes in [((2, 3), None), ((2, 3), (1, 0)), ((2, 1, 3), (2, 0, 1)), ((2, 1, 3), (-1, 0, -2)),
                        ((3,), None), ((), None), ((2, 0), None)]:  # fmt: skip
        yield Sample(lambda x, axes=axes: np.transpose(x, axes), (values(*shape),), f"{shape}, {axes}")
    yield Sample(lambda x: x.T, (values(2, 3),), "T")
    yield Sample(lambda x: x.mT, (values(2, 2, 3),), "mT")
    yield Sample(lambda x: x.transpose(1, 2, 0), (values(2, 2, 3),), "method")
    yield Sample(np.matrix_transpose, (values(2, 2, 3),), "np.matrix_transpose")


@entry("broadcast_to")
def _broadcast_to(name: str) -> Iterator[Sample]:
    for shape, to in [((), (2, 3)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 3), (2, 2, 3)), ((1,), (0,)), ((2,), (2,)),
                      ((1, 1), (1, 1)), ((0,), (2, 0))]:  # fmt: skip
        yield Sample(lambda x, to=to: np.broadcast_to(x, to), (values(*shape),), f"{shape} to {to}")


@entry("concatenate")
def _concatenate(name: str) -> Iterator[Sample]:
    for shapes, axis in [([(2, 3), (1, 3)], 0), ([(2, 3), (2, 1), (2, 2)], 1), ([(2, 3), (2, 1)], -1),
                         ([(2, 3), (4,)], None), ([(3,), (0,), (2,)], 0), ([(2,)], 0),
                         ([(), (2, 2)], None)]:  # fmt: skip
        arrays = tuple(values(*shape, seed=k) for k, shape in enumerate(shapes))
        yield Sample(lambda *xs, axis=axis: np.concatenate(xs, axis=axis), arrays, f"{shapes}, axis={axis}")
    yield Sample(lambda x: np.concatenate([x, x[::-1], np.ones(2)]), (values(3),), "one array twice, a constant")


@entry("stack")
def _stack(name: str) -> Iterator[Sample]:
    for shape, count, axis in [((), 3, 0), ((2,), 2, 0), ((2,), 2, 1), ((2, 3), 2, -1), ((2, 3), 2, -2), ((0,), 2, 1)]:
        arrays = tuple(values(*shape, seed=k) for k in range(count))
        yield Sample(lambda *xs, axis=axis: np.stack(xs, axis=axis), arrays, f"{count} of {shape}, axis={axis}")
    yield Sample(lambda x: np.stack([x[1], 2.0, x[0]]), (values(2),), "numbers")


@entry("astype")
def _astype(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: x.astype(complex), (values(2, 3),), "complex")
    yield Sample(lambda x: x.astype(x.dtype), (values(3),), "its own")


# --------------------------------------------------------------------------------------------- elements

INDICES = [
    ((4,), [0, -1, np.int64(2), slice(1, 3), slice(None, None, -1), slice(3, None, -2), None, ..., (..., 0),
            [0, 2, 2, 0], np.array([-1, 3, -1]), np.array([[0, 1], [1, 1]]), np.array([True, False, True, True]),
            np.zeros(4, bool), np.array([], int), slice(2, 2)]),
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
    yield Sample(lambda x: np.expand_dims(x, (0, -1)), (values(3),), "np.expand_dims")


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


@entry("scatter")
def _scatter(name: str) -> Iterator[Sample]:
    for shape, indices in INDICES:
        for index in indices:
            part = np.empty(shape)[index].shape
            yield Sample(lambda v, shape=shape, index=index: TABLE["scatter"](v, shape, index), (values(*part),),
                         f"{shape}[{index}]")  # fmt: skip


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
        yield Sample(getattr(np, name), (values(*shape),), f"np, {shape}")
    method = {"real": lambda x: x.real, "imag": lambda x: x.imag, "conj": lambda x: x.conj()}[name]
    yield Sample(method, (values(2, 3),), "method")


# --------------------------------------------------------------------------------------------- products


@entry("matmul")
def _matmul(name: str) -> Iterator[Sample]:
    pairs = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 2, 3), (3, 4)), ((2, 3), (4, 3, 2)),
             ((2, 2, 3), (2, 3, 1)), ((2, 1, 2, 3), (4, 3, 2)), ((1, 2, 3), (4, 3, 2)), ((2, 2, 3), (3,)),
             ((3,), (2, 3, 4)), ((0, 3), (3, 2)), ((2, 0), (0, 2)), ((1, 1), (1, 1))]  # fmt: skip
    for left, right in pairs:
        yield Sample(lambda x, y: x @ y, (values(*left), values(*right, seed=1)), f"{left} @ {right}")
    yield Sample(lambda x: x @ x, (values(2, 2),), "a square")
    yield Sample(lambda x: np.matmul(x, np.eye(3)[:2].T), (values(2, 3),), "a constant")
    for left, right in [((3,), (3,)), ((2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2)), ((2, 3), (3,))]:
        yield Sample(np.dot, (values(*left), values(*right, seed=1)), f"np.dot {left}, {right}", exact=len(left) < 3)
    for left, right, axes in [((2, 3), (3, 2), 1), ((2, 3), (2, 3), 2), ((2, 3, 4), (4, 2), ([0, 2], [1, 0])),
                              ((2, 3), (4, 3), (1, -1)), ((2,), (3,), 0)]:  # fmt: skip
        yield Sample(lambda x, y, axes=axes: np.tensordot(x, y, axes), (values(*left), values(*right, seed=1)),
                     f"np.tensordot {left}, {right}, {axes}")  # fmt: skip


@entry("einsum")
def _einsum(name: str) -> Iterator[Sample]:
    calls = [("ij,jk->ik", (2, 3), (3, 2)), ("ij,jk", (2, 3), (3, 2)), ("ij->ji", (2, 3)),
             ("ij->", (2, 3)), ("ij->j", (2, 3)), ("ji", (2, 3)), ("ii", (3, 3)), ("ii->", (3, 3)),
             ("ii->i", (3, 3)), ("iij->j", (2, 2, 3)), ("iii->i", (2, 2, 2)), ("ijij->j", (2, 3, 2, 3)),
             ("ii,i->i", (2, 2), (2,)), ("ii,jj", (2, 2), (3, 3)), ("i,i", (3,), (3,)),
             ("i,j->ij", (2,), (3,)), ("i,i->i", (3,), (3,)), ("i,j->", (2,), (3,)), (",i->i", (), (3,)),
             ("...ij,...jk->...ik", (2, 2, 3), (2, 3, 2)), ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
             ("...i->...", (2, 3)), ("...,...", (2, 3), (3,)), ("i...,i->...", (2, 3), (2,)),
             ("...ii->...i", (3, 2, 2)), ("b...i,b...i->b...", (2, 1, 3), (2, 2, 3)),
             ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)), ("i,i,i->i", (3,), (3,), (3,)),
             ("ij,ij->ij", (1, 3), (2, 3)), ("ij,ij->j", (2, 1), (2, 3)), ("ij,jk->ik", (2, 3), (1, 2)),
             ("ij,jk->ik", (2, 1), (3, 2)), ("ij,jk->ik", (0, 3), (3, 2)), ("ij,jk->ik", (2, 0), (0, 2)),
             (" i j , j -> i ", (2, 3), (3,)), ("bij,bj->", (2, 2, 3), (2, 3))]  # fmt: skip
    for subscripts, *shapes in calls:
        arrays = tuple(values(*shape, seed=k) for k, shape in enumerate(shapes))
        yield Sample(lambda *xs, subscripts=subscripts: np.einsum(subscripts, *xs), arrays, f"{subscripts} {shapes}")
    yield Sample(lambda x, y, z: np.einsum("ij,jk,kl->il", x, y, z, optimize=True),
                 (values(2, 3), values(3, 2, seed=1), values(2, 2, seed=2)), "optimize")  # fmt: skip
    yield Sample(lambda x: np.einsum("ij,ik->jk", x, x), (values(2, 3),), "one array twice")
    yield Sample(lambda x: np.einsum("ij,j->i", x, np.arange(3.0)), (values(2, 3),), "a constant")


@entry("strong")
def _strong(name: str) -> Iterator[Sample]:
    for left, right in [((), ()), ((3,), (3,)), ((2, 1), (1, 3)), ((2, 3), ())]:
        yield Sample(TABLE["strong"], (values(*left), values(*right, seed=1)), f"{left}, {right}")


# --------------------------------------------------------------------------------------------- linear algebra


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


@entry("det")
def _det(name: str) -> Iterator[Sample]:
    for shape in [(3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 2, 2), (0, 0)]:
        yield Sample(np.linalg.det, (matrices(*shape),), f"{shape}", condition=8)
    for text, matrix in SINGULAR.items():
        yield Sample(np.linalg.det, (np.array(matrix),), text, condition=64)
    stack = np.stack([matrices(2, 2), np.array(SINGULAR["2 by 2"])])
    yield Sample(np.linalg.det, (stack,), "one of two singular", condition=8)


# --------------------------------------------------------------------------------------------- locally constant

STEP_OPERANDS = {1: ((2, 3),), 2: ((2, 1), (3,))}


@entry("floor", "ceil", "trunc", "rint", "sign", "signbit", "spacing", "isfinite", "isinf", "isnan", "logical_not",
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
