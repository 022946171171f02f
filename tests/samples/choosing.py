"""Functions that choose between arrays."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, values

MASK = np.array([[True, False, True], [False, False, True]])


@entry("np.choose")
def _choose(name: str) -> Iterator[Sample]:
    for places, shapes in [([0, 1, 0], ((3,), (3,))), ([[1], [0]], ((3,), ())), ([2, 0], ((2,), (1,), (2, 2)))]:
        arrays = tuple(values(*shape, seed=k) for k, shape in enumerate(shapes))
        yield Sample(lambda *xs, at=places: np.choose(at, xs), arrays, f"{places}, {shapes}")
    for mode in ("wrap", "clip"):
        yield Sample(lambda x, mode=mode: np.choose([-1, 3], [x, x * x, 1.0], mode=mode), (values(2),), mode)


@entry("np.select")
def _select(name: str) -> Iterator[Sample]:
    yield Sample(lambda x, y: np.select([MASK, MASK[0]], [x, y * y], 2.0), (values(2, 3), values(3)), "broadcast")
    yield Sample(
        lambda x, y: np.select([MASK], [x + 0.0 * np.sum(y)], y), (values(3), values(2, 1)), "a default that moves"
    )
    yield Sample(lambda x: np.select([x > 0, x > -0.5], [x * x, -x]), (values(2, 3),), "its own", unreal=False)


@entry("np.piecewise")
def _piecewise(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: np.piecewise(x, [MASK, ~MASK], [lambda t: t * t, 3.0]), (values(2, 3),), "two")
    yield Sample(lambda x: np.piecewise(x, [x > 0], [np.square, np.exp]), (values(4),), "else", unreal=False)
    yield Sample(lambda x: np.piecewise(x, x > 0, [lambda t, a: t**a, lambda t, a: a], 3.0), (values(4),),
                 "an argument", unreal=False)  # fmt: skip
    rows = [np.array([True, False])]
    yield Sample(lambda x: np.piecewise(x, rows, [np.sin, lambda t: t * t]), (values(2, 3),), "rows")
    yield Sample(lambda x: np.piecewise(x, [True], [lambda t: t * t]), (values(),), "a number")
