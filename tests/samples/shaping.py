"""Shapes: reshape, transpose, broadcast, join."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values


def _written_flat(x):
    y = x * x
    y.T.flat[1] = x[0, 0]
    y.flat[3:] *= x[1, 2]
    return np.stack([v * y.flat[0] for v in y.flat])


ORDERED = {"reshape": lambda x, order: x.reshape(-1, order=order), "ravel": np.ravel,
           "flatten": lambda x, order: x.flatten(order)}  # fmt: skip


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
        yield Sample(
            lambda x, to=to, order=order: np.reshape(x, to, order=order), (values(*shape),), f"{shape}, {to}, {order}"
        )
    yield Sample(lambda x: x.reshape(3, 2), (values(2, 3),), "method, lengths")
    yield Sample(lambda x: x.reshape((3, 2), order="F"), (values(2, 3),), "method, shape")
    yield Sample(lambda x: x.ravel() * x.flatten(), (values(2, 3),), "ravel, flatten")
    yield Sample(_written_flat, (values(2, 3),), "flat")
    for copy in (None, True, False):
        yield Sample(lambda x, copy=copy: np.reshape(x, (3, 2), copy=copy), (values(2, 3),), f"copy={copy}")
    for order, call in itertools.product("AK", ORDERED):
        if call != "reshape" or order == "A":
            yield Sample(lambda x, f=ORDERED[call], order=order: f((x * x).T, order) * f(x.T, order), (values(2, 3),),
                         f"{order}, {call}")  # fmt: skip
            yield Sample(lambda x, f=ORDERED[call], order=order: f(x.transpose(1, 0, 2), order), (values(2, 3, 2),),
                         f"{order}, {call}, neither")  # fmt: skip


@entry("np.ravel")
def _ravel(name: str) -> Iterator[Sample]:
    for shape, order in itertools.product([(), (3,), (2, 3), (2, 0)], "CF"):
        yield Sample(lambda x, order=order: np.ravel(x, order=order), (values(*shape),), f"{shape}, {order}")


@entry("transpose")
def _transpose(name: str) -> Iterator[Sample]:
    for shape, axes in [((2, 3), None), ((2, 3), (1, 0)), ((2, 1, 3), (2, 0, 1)), ((2, 1, 3), (-1, 0, -2)),
                        ((3,), None), ((), None), ((2, 0), None)]:  # fmt: skip
        yield Sample(lambda x, axes=axes: np.transpose(x, axes), (values(*shape),), f"{shape}, {axes}")
    yield Sample(lambda x: x.T, (values(2, 3),), "T")
    yield Sample(lambda x: x.mT, (values(2, 2, 3),), "mT")
    yield Sample(lambda x: x.transpose(1, 2, 0), (values(2, 2, 3),), "method")


@entry("np.matrix_transpose")
def _matrix_transpose(name: str) -> Iterator[Sample]:
    for shape in [(2, 3), (2, 2, 3), (0, 2)]:
        yield Sample(np.matrix_transpose, (values(*shape),), f"{shape}")


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
    yield Sample(lambda x: np.concatenate([x, np.ones(2)], dtype=complex) * x[0], (values(3),), "of another type")
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
    yield Sample(lambda x: x.astype(x.dtype, casting="no"), (values(3),), "its own")
