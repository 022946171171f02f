"""Distances of ``scipy.spatial.distance``."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, entry, of_scipy, values

MODULE = "spatial.distance"
PLAIN = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "correlation", "cosine", "canberra", "braycurtis")


@entry(*(f"scipy.{MODULE}.{name}" for name in PLAIN))
def _of_vectors(path: str) -> Iterator[Sample]:
    name, vectors = path.rpartition(".")[2], (values(3), values(3, seed=1))
    yield of_scipy(MODULE, lambda s, u, v: getattr(s, name)(u, v), vectors, "", unreal=False, condition=4)
    yield of_scipy(MODULE, lambda s, u, v, w: getattr(s, name)(u, v, w), (*vectors, np.array([0.4, 1.2, 0.7])),
                   "weights", unreal=False, condition=4)  # fmt: skip


@entry(*(f"scipy.{MODULE}.{name}" for name in ("minkowski", "seuclidean", "mahalanobis", "jensenshannon")))
def _with_parameters(path: str) -> Iterator[Sample]:
    name = path.rpartition(".")[2]
    parameters = {"minkowski": np.array(2.5), "seuclidean": np.array([0.4, 1.2, 0.7]), "mahalanobis":
                  np.diag([1.0, 2.0, 3.0]) + 0.2, "jensenshannon": np.array(2.0)}  # fmt: skip
    vectors = values(3), values(3, seed=1)
    if name == "jensenshannon":
        vectors = np.abs(vectors[0]), np.abs(vectors[1])
    yield of_scipy(MODULE, lambda s, u, v, p: getattr(s, name)(u, v, p), (*vectors, parameters[name]), "all",
                   unreal=False, condition=4)  # fmt: skip


CALLS = {"euclidean": {}, "c": {}, "cheby": {}, "minkowski": {"p": 3.0}, "seuclidean": {}, "mahalanobis": {},
         "jensenshannon": {}, "cosine": {}}  # fmt: skip


@entry(f"scipy.{MODULE}.cdist", f"scipy.{MODULE}.pdist")
def _tables(path: str) -> Iterator[Sample]:
    name = path.rpartition(".")[2]
    for metric, keywords in CALLS.items():
        arrays = (values(3, 2), values(2, 2, seed=1)) if name == "cdist" else (values(4, 2),)
        arrays = tuple(np.abs(x) for x in arrays) if metric == "jensenshannon" else arrays
        yield of_scipy(MODULE, lambda s, *x, metric=metric, keywords=keywords: getattr(s, name)(*x, metric, **keywords),
                       arrays, metric, unreal=False, condition=32)  # fmt: skip


@entry(f"scipy.{MODULE}.squareform")
def _square(path: str) -> Iterator[Sample]:
    for n in (1, 3, 6):
        yield of_scipy(MODULE, lambda s, v: s.squareform(v), (values(n),), f"{n}")
    yield of_scipy(MODULE, lambda s, v: s.squareform(v, checks=False), (values(3, 3),), "matrix")
