"""Distances between vectors for numbers. Every metric is a function of the last axis; the tables broadcast it.

Between equal vectors a norm has the derivative 0; at a tie of the largest differences they share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import asked, dtype_of, shape, type_of
from dualnumbers.levels import holds_somewhere, is_lazy, is_number, read
from dualnumbers.messages.errors import user_line
from dualnumbers.numbers.arguments import joined
from dualnumbers.rules.linalg.products import matmul
from dualnumbers.rules.reductions import max as largest
from dualnumbers.rules.reductions import sum as total
from dualnumbers.rules.shaping import array, broadcast_to, concatenate, expand_dims, matrix_transpose, stack
from dualnumbers.rules.where import nowhere, where

from .._counterpart import counterpart, double, missing

__all__ = ["braycurtis", "canberra", "cdist", "chebyshev", "cityblock", "correlation", "cosine", "euclidean",
           "jensenshannon", "mahalanobis", "minkowski", "pdist", "seuclidean", "sqeuclidean", "squareform"]  # fmt: skip
__getattr__ = missing(__name__)

# ---------------------------------------------------------------------------------------------- metrics


def _sum(x: Any, w: Any = None) -> Any:
    """Sum along the last axis, weighed."""
    return total(x if w is None else w * x, -1, False)


def _root(s: Any, p: Any = 2.0) -> Any:
    """Return the p-th root of a sum; between equal vectors it is 0, and so is the derivative of a norm."""
    equal = s == 0.0
    safe = s if nowhere(equal) else where(equal, 1.0, s)
    z = np.sqrt(safe) if not is_number(type(p)) and p == 2 else safe ** (1.0 / p)
    return z if nowhere(equal) else where(equal, 0.0, z)


def _squares(u: Any, v: Any, w: Any) -> Any:
    d = u - v
    return _sum(d * d, w)


def _largest(u: Any, v: Any, w: Any) -> Any:
    d = np.abs(u - v)
    return largest(d if w is None else d * (w > 0), -1, False)


def _minkowski(u: Any, v: Any, w: Any, p: Any = 2.0) -> Any:
    if holds_somewhere(p <= 0):
        raise ValueError(f"minkowski: p={read(p)} is not positive")
    if not is_lazy(type_of(p)) and p == np.inf:
        return _largest(u, v, w)
    if not is_number(type(p)) and p in (1, 2):
        return _sum(np.abs(u - v), w) if p == 1 else _root(_squares(u, v, w))
    return _root(_sum(np.abs(u - v) ** p, w), p)


def _cosine(u: Any, v: Any, w: Any) -> Any:
    return 1.0 - _sum(u * v, w) / np.sqrt(_sum(u * u, w) * _sum(v * v, w))


def _correlation(u: Any, v: Any, w: Any) -> Any:
    w = np.ones(shape(u)[-1], asked(np.result_type, u, np.float32)) if w is None else w
    w = w / _sum(w)
    return _cosine(u - expand_dims(_sum(u, w), -1), v - expand_dims(_sum(v, w), -1), w)


def _canberra(u: Any, v: Any, w: Any) -> Any:
    size = np.abs(u) + np.abs(v)
    return _sum(np.abs(u - v) / where(size == 0.0, 1.0, size), w)


def _scaled(u: Any, v: Any, w: Any, V: Any) -> Any:
    d = u - v
    return _root(_sum(d * d / V))


def _mahalanobis(u: Any, v: Any, w: Any, VI: Any) -> Any:
    d = u - v
    return _root(_sum(d * matmul(expand_dims(d, -2), VI)[..., 0, :]))


def _relative_entropy(p: Any, q: Any) -> Any:
    none = p == 0.0
    return where(none, 0.0, p * np.log(where(none, 1.0, p) / where(none, 1.0, q)))


def _jensenshannon(p: Any, q: Any, w: Any, base: Any = None) -> Any:
    p, q = (x / expand_dims(_sum(x), -1) for x in (p, q))
    middle = (p + q) / 2.0
    divergence = (_sum(_relative_entropy(p, middle)) + _sum(_relative_entropy(q, middle))) / 2.0
    return _root(divergence if base is None else divergence / np.log(base))


METRICS: dict[str, Callable[..., Any]] = {
    "euclidean": lambda u, v, w: _root(_squares(u, v, w)),
    "sqeuclidean": _squares,
    "cityblock": lambda u, v, w: _sum(np.abs(u - v), w),
    "chebyshev": _largest,
    "minkowski": _minkowski,
    "cosine": _cosine,
    "correlation": _correlation,
    "canberra": _canberra,
    "braycurtis": lambda u, v, w: _sum(np.abs(u - v), w) / _sum(np.abs(u + v), w),
    "seuclidean": _scaled,
    "mahalanobis": _mahalanobis,
    "jensenshannon": _jensenshannon,
}
"""A function of two vectors, weights or None, and the parameters of the metric, by SciPy's name."""

ALIASES = {"e": "euclidean", "eu": "euclidean", "euclid": "euclidean", "sqe": "sqeuclidean", "sqeuclid": "sqeuclidean",
           "c": "cityblock", "cb": "cityblock", "cblock": "cityblock", "ch": "chebyshev", "cheb": "chebyshev",
           "cheby": "chebyshev", "chebychev": "chebyshev", "m": "minkowski", "mi": "minkowski", "pnorm": "minkowski",
           "cos": "cosine", "co": "correlation", "s": "seuclidean", "se": "seuclidean", "mah": "mahalanobis",
           "mahal": "mahalanobis", "js": "jensenshannon"}  # fmt: skip


IN_DOUBLE = {"braycurtis", "canberra", "euclidean", "seuclidean"}
"""The metrics that SciPy computes in double precision; the others keep that of their vectors."""


def _of_vectors(name: str, u: Any, v: Any) -> tuple[Any, Any]:
    u, v = (double(x) if name in IN_DOUBLE else joined(array(x)) for x in (u, v))
    if len(shape(u)) != 1 or shape(u) != shape(v):
        raise ValueError(f"a distance is between vectors of one length; got shapes {shape(u)} and {shape(v)}")
    return u, v


def _weighed(name: str) -> Callable[..., Any]:
    def distance(u: Any, v: Any, w: Any = None) -> Any:
        return METRICS[name](*_of_vectors(name, u, v), None if w is None else double(w))

    distance.__name__ = distance.__qualname__ = name
    distance.__doc__ = f"As ``scipy.spatial.distance.{name}``, of two vectors."
    return counterpart(f"spatial.distance.{name}")(distance)


euclidean, sqeuclidean, cityblock, chebyshev = map(_weighed, ("euclidean", "sqeuclidean", "cityblock", "chebyshev"))
correlation, cosine, canberra, braycurtis = map(_weighed, ("correlation", "cosine", "canberra", "braycurtis"))


@counterpart("spatial.distance.minkowski")
def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """As ``scipy.spatial.distance.minkowski``: the p-norm of the difference, also differentiable in ``p``."""
    return _minkowski(*_of_vectors("minkowski", u, v), w if w is None else array(w), p)


@counterpart("spatial.distance.seuclidean")
def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """As ``scipy.spatial.distance.seuclidean``: each square divided by its variance ``V``."""
    return _scaled(*_of_vectors("seuclidean", u, v), None, double(V))


@counterpart("spatial.distance.mahalanobis")
def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """As ``scipy.spatial.distance.mahalanobis``: by the inverse of a covariance matrix."""
    return _mahalanobis(*_of_vectors("mahalanobis", u, v), None, array(VI))


@counterpart("spatial.distance.jensenshannon")
def jensenshannon(p: Any, q: Any, base: Any = None, *, axis: int = 0, keepdims: bool = False) -> Any:
    """As ``scipy.spatial.distance.jensenshannon``: between two vectors of weights, which are normalised."""
    p, q = array(p), array(q)
    rank = max(len(shape(p)), len(shape(q)))
    p, q = (np.moveaxis(x, axis, -1) if len(shape(x)) > 1 else x for x in (p, q))
    z = _jensenshannon(p, q, None, base)
    return expand_dims(z, axis % rank) if keepdims else z


# ---------------------------------------------------------------------------------------------- tables of them


def _metric(metric: Any, keywords: dict[str, Any], points: Callable[[], Any]) -> Callable[..., Any]:
    """Return the metric as a function of two arrays of vectors; what SciPy takes from the ``points`` is found there."""
    if callable(metric):
        return lambda u, v: _pair_by_pair(lambda x, y: metric(x, y, **keywords), u, v)
    name = ALIASES.get(metric.lower(), metric.lower()) if isinstance(metric, str) else metric
    if name not in METRICS:
        raise TypeError(f"metric={metric!r} has no derivative here; there are {', '.join(METRICS)}{user_line()}")
    keywords = {key: double(value) for key, value in keywords.items() if value is not None}
    weights = keywords.pop("w", None)
    if name == "seuclidean" and "V" not in keywords:
        keywords["V"] = _covariance_terms(points())[1]
    if name == "mahalanobis" and "VI" not in keywords:
        centred, _ = _covariance_terms(points())
        keywords["VI"] = np.linalg.inv(matmul(matrix_transpose(centred), centred) / (shape(centred)[0] - 1.0))
    return lambda u, v: METRICS[name](u, v, weights, **keywords)


def _covariance_terms(x: Any) -> tuple[Any, Any]:
    """Return the points less their mean, and the variances."""
    n = shape(x)[0]
    centred = x - total(x, 0, True) / n
    return centred, total(centred * centred, 0, False) / (n - 1.0)


def _pair_by_pair(metric: Callable[..., Any], u: Any, v: Any) -> Any:
    lengths = np.broadcast_shapes(shape(u), shape(v))[:-1]
    u, v = (broadcast_to(x, (*lengths, shape(x)[-1])) for x in (u, v))
    values = [metric(u[index], v[index]) for index in np.ndindex(lengths)]
    return np.reshape(stack(*values, 0), lengths) if values else np.zeros(lengths)


def _points(*arrays: Any) -> list[Any]:
    found = [double(x) for x in arrays]
    if any(len(shape(x)) != 2 for x in found) or len({shape(x)[1] for x in found}) != 1:
        raise ValueError(f"the points are the rows of matrices of one width; got shapes {[shape(x) for x in found]}")
    return found


def _no_output(out: Any) -> None:
    if out is not None:
        raise TypeError(f"distances of numbers are returned: leave out= away{user_line()}")


@counterpart("spatial.distance.cdist")
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    """As ``scipy.spatial.distance.cdist``: between each row of one matrix and each of the other."""
    _no_output(out)
    a, b = _points(XA, XB)
    distance = _metric(metric, kwargs, lambda: concatenate(a, b, 0))
    return distance(expand_dims(a, 1), expand_dims(b, 0))


@counterpart("spatial.distance.pdist")
def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    """As ``scipy.spatial.distance.pdist``: between each two rows of a matrix, in the order of `squareform`."""
    _no_output(out)
    (x,) = _points(X)
    i, j = np.triu_indices(shape(x)[0], 1)
    return _metric(metric, kwargs, lambda: x)(x[i], x[j])


@counterpart("spatial.distance.squareform")
def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    """As ``scipy.spatial.distance.squareform``: from each two rows a symmetric matrix, or back.

    Raises ValueError for another shape, and for a matrix that is not symmetric with zeros on its diagonal.
    """
    x = X if hasattr(X, "shape") else double(X)
    if (
        len(shape(x)) not in (1, 2)
        or (force == "tomatrix" and len(shape(x)) != 1)
        or (force == "tovector" and len(shape(x)) != 2)
    ):
        raise ValueError(f"squareform with force={force!r} takes no array of shape {shape(x)}")
    if len(shape(x)) == 2:
        if shape(x)[0] != shape(x)[1]:
            raise ValueError(f"squareform takes a square matrix; got shape {shape(x)}")
        if checks and (not np.allclose(read(x), read(x).T) or np.any(np.diag(read(x)))):
            raise ValueError("squareform takes a symmetric matrix of distances with zeros on its diagonal")
        return x[np.triu_indices(shape(x)[0], 1)]
    n = int(np.ceil(np.sqrt(2 * shape(x)[0]))) if shape(x)[0] else 1
    if n * (n - 1) // 2 != shape(x)[0]:
        raise ValueError(f"squareform: {shape(x)[0]} distances are not those between each two of some points")
    places = np.zeros((n, n), int)
    upper = np.triu_indices(n, 1)
    places[upper] = np.arange(shape(x)[0])
    return x[places + places.T] * as_like(1 - np.eye(n, dtype=dtype_of(x)), x) if n > 1 else np.zeros((1, 1))
