"""Elements at places that are computed."""

from collections.abc import Iterator

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, apart, entry, values

PLACES = (np.array([3, 0, 3]), np.array([[5, 1]]), np.array(2), np.zeros(0, int))


@entry("taken", "given_back")
def _taken(name: str) -> Iterator[Sample]:
    for places in PLACES:
        if name == "taken":
            yield Sample(lambda x, p=places: TABLE["taken"](x, p), (values(2, 3),), f"{places.tolist()}")
        else:
            yield Sample(
                lambda v, p=places: TABLE["given_back"](v, p, (2, 3)), (values(*places.shape),), f"{places.tolist()}"
            )


@entry("places")
def _places(name: str) -> Iterator[Sample]:
    yield Sample(lambda x: x[np.argsort(x)] * np.arange(4), (apart(4),), "an order", unreal=False)
    yield Sample(lambda x: x[:, np.argmin(x[0])], (apart(2, 3),), "a column", unreal=False)
    yield Sample(lambda x: x[x > 0] * 2, (apart(2, 3),), "a mask", unreal=False)
    yield Sample(lambda x: x[..., None, np.argsort(x[0])], (apart(2, 3),), "beside a new axis", unreal=False)


@entry("places_along")
def _places_along(name: str) -> Iterator[Sample]:
    for axis in (0, 1):
        yield Sample(lambda x, axis=axis: np.take_along_axis(x, np.argsort(x, axis), axis), (apart(2, 3),), f"{axis}",
                     unreal=False)  # fmt: skip


@entry("searchsorted")
def _searchsorted(name: str) -> Iterator[Sample]:
    knots = np.array([-1.1, -0.2, 0.7, 1.9])
    yield Sample(lambda x: np.searchsorted(knots, x) * x, (apart(2, 3),), "constant knots", unreal=False)
    yield Sample(lambda x: np.searchsorted(x, [0.0, 1.0], "right") * x[:2], (knots,), "constant values", unreal=False)
    yield Sample(lambda x, k: x[np.searchsorted(k, x)], (np.array([0.1, -0.5, -2.0]), knots), "places", unreal=False)
