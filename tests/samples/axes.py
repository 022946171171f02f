"""Exchange, add, remove, reverse axes; parts along them."""

import itertools
from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values


def calls(shapes_and_arguments, function) -> Iterator[Sample]:
    for shape, arguments in shapes_and_arguments:
        yield Sample(lambda x, arguments=arguments: function(x, *arguments), (values(*shape),), f"{shape}, {arguments}")


@entry("np.swapaxes", "np.moveaxis", "np.rollaxis")
def _orders(name: str) -> Iterator[Sample]:
    arguments = {
        "np.swapaxes": [((2, 3), (0, 1)), ((2, 1, 3), (-1, 0)), ((2, 0), (0, 0))],
        "np.moveaxis": [((2, 3), (0, 1)), ((2, 1, 3), ([0, -1], [1, 0])), ((2, 3, 0), (2, 0))],
        "np.rollaxis": [
            ((2, 3), (1,)),
            ((2, 1, 3), (0, 3)),
            ((2, 1, 3), (-1, 1)),
            ((2, 3), (0,)),
            ((2, 1, 3), (-1, -2)),
            ((2, 1, 3), (0, -3)),
        ],
    }[name]
    yield from calls(arguments, getattr(np, name[3:]))


@entry("np.squeeze", "np.atleast_1d", "np.atleast_2d", "np.atleast_3d")
def _ones(name: str) -> Iterator[Sample]:
    for shape in [(), (1,), (3,), (2, 3), (1, 2, 1), (0, 1)]:
        yield Sample(getattr(np, name[3:]), (values(*shape),), f"{shape}")
    if name == "np.squeeze":
        yield Sample(lambda x: x.squeeze((0, -1)), (values(1, 2, 1),), "method, axes")
        yield Sample(lambda x: np.squeeze(x, axis=2), (values(1, 2, 1),), "axis")
    else:
        several = lambda x, y: np.concatenate([z.ravel() for z in getattr(np, name[3:])(x, y, 1.0)])
        yield Sample(several, (values(), values(2)), "several")


@entry("broadcast_arrays", "np.broadcast_arrays")
def _broadcast_arrays(name: str) -> Iterator[Sample]:
    for shapes in [((3,), (2, 1)), ((), (2, 2)), ((1,), (0,))]:
        yield Sample(lambda *xs: np.multiply(*np.broadcast_arrays(*xs)), tuple(values(*s) for s in shapes), f"{shapes}")
    yield Sample(lambda x: np.broadcast_arrays(x, np.ones((2, 1)))[1] * x, (values(3),), "a constant")


def _written_through_a_grid(x):
    y = x * x
    np.meshgrid(y, y, sparse=True, copy=False)[0][0, 1] = x[2]
    np.meshgrid(y, y, sparse=True)[0][0, 0] = 1.0
    return y


@entry("np.meshgrid")
def _meshgrid(name: str) -> Iterator[Sample]:
    for sparse, indexing in itertools.product((False, True), ("xy", "ij")):
        grid = lambda x, y, how={"sparse": sparse, "indexing": indexing}: np.multiply(*np.meshgrid(x, y, **how))
        yield Sample(grid, (values(2), values(3)), f"sparse={sparse}, {indexing}")
    yield Sample(_written_through_a_grid, (values(3),), "copy=False")
    yield Sample(lambda x: np.meshgrid(x, np.ones(2), x[:1])[0], (values(3),), "three")
    yield Sample(lambda x: np.meshgrid(x)[0], (values(3),), "one")


@entry("np.flip", "np.fliplr", "np.flipud", "np.rot90")
def _directions(name: str) -> Iterator[Sample]:
    arguments = {
        "np.flip": [((3,), ()), ((2, 3), ()), ((2, 3), (1,)), ((2, 1, 3), ((0, -1),)), ((0,), ()), ((), ())],
        "np.fliplr": [((2, 3), ()), ((2, 0), ())],
        "np.flipud": [((2, 3), ()), ((3,), ())],
        "np.rot90": [((2, 3), (k,)) for k in range(-1, 4)] + [((2, 1, 3), (1, (2, 0)))],
    }[name]
    yield from calls(arguments, getattr(np, name[3:]))


@entry("np.array_split", "np.split", "np.hsplit", "np.vsplit", "np.dsplit", "np.unstack")
def _parts(name: str) -> Iterator[Sample]:
    arguments = {
        "np.array_split": [((5,), (3,)), ((2, 5), (2, -1)), ((5,), ([1, 4],)), ((2,), (3,))],
        "np.split": [((4,), (2,)), ((2, 4), (2, 1)), ((5,), ([2, 7],))],
        "np.hsplit": [((4,), (2,)), ((2, 4), ([1],))],
        "np.vsplit": [((4, 2), (2,))],
        "np.dsplit": [((1, 2, 4), ([1, 3],))],
        "np.unstack": [((3, 2), ()), ((2,), ())],
    }[name]
    function = getattr(np, name[3:])
    weighed = lambda x, *given: np.concatenate([(k + 1.0) * np.ravel(z) for k, z in enumerate(function(x, *given))])
    yield from calls(arguments, weighed)
    if name == "np.unstack":
        yield Sample(lambda x: np.multiply(*np.unstack(x, axis=-1)), (values(3, 2),), "axis")
