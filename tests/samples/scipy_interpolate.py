"""Piecewise polynomials of ``scipy.interpolate``, and the tridiagonal systems behind them."""

import itertools
from collections.abc import Iterator

import numpy as np

from dualnumbers.rules.of_scipy.linalg.tridiagonal import tridiagonal

from .sample import Sample, entry, of_scipy, scipy_is, values

KNOTS = np.array([0.0, 0.7, 1.9, 2.5, 4.1])
PLACES = np.array([[0.3, 1.1, 2.2], [3.9, 4.3, -0.2]])


@entry("tridiagonal")
def _tridiagonal(name: str) -> Iterator[Sample]:
    for n, more in ((3, ()), (4, (2,)), (2, (1, 2)), (3, (0,))):
        bands = values(3, n) + np.array([[0.0], [4.0], [0.0]])
        yield Sample(tridiagonal, (bands, values(n, *more)), f"{n}, {more}", condition=4)


def _through(kind: str, x: np.ndarray, y: np.ndarray, text: str, **keywords: object) -> Sample:
    """Of x, y and where it is evaluated."""
    unreal = {"unreal": False, "condition": 256}
    return of_scipy(
        "interpolate", lambda s, x, y, q: getattr(s, kind)(x, y, **keywords)(q), (x, y, PLACES), text, **unreal
    )


@entry("scipy.interpolate.CubicSpline")
def _cubic(path: str) -> Iterator[Sample]:
    for n in (2, 3, 5):
        yield _through("CubicSpline", KNOTS[:n], values(n), f"{n}")
    for bc_type in ("natural", "clamped", ("natural", "not-a-knot")):
        yield _through("CubicSpline", KNOTS, values(5), f"{bc_type}", bc_type=bc_type)
    yield _through("CubicSpline", KNOTS, values(2, 5), "axis", axis=1)
    yield _through("CubicSpline", KNOTS, values(5, 0), "empty")
    for n in (3, 4, 5):
        call = lambda s, x, y, q: s.CubicSpline(x, np.concatenate([y, y[:1]]), bc_type="periodic")(q)
        yield of_scipy("interpolate", call, (KNOTS[:n], values(n - 1), PLACES[1] + 0.2), f"periodic, {n}", unreal=False,
                       condition=256)  # fmt: skip
    yield of_scipy("interpolate", lambda s, y, a, b: s.CubicSpline(KNOTS, y, bc_type=((1, a), (2, b)))(PLACES),
                   (values(5), np.array(0.4), np.array(-0.7)), "end derivatives",
                   unreal=False, condition=64)  # fmt: skip
    yield of_scipy("interpolate", lambda s, y: s.CubicSpline(KNOTS, y)(PLACES), (values(5),), "complex", condition=64)


@entry("scipy.interpolate.PchipInterpolator", "scipy.interpolate.Akima1DInterpolator")
def _local(path: str) -> Iterator[Sample]:
    kind = path.rpartition(".")[2]
    for n, more in ((2, {}), (3, {}), (5, {"method": "makima"} if kind[0] == "A" else {})):
        if n > 2 or kind[0] == "P" or scipy_is(1, 17):  # older ones get two points wrong
            yield _through(kind, KNOTS[:n], values(n), f"{n}", extrapolate=True, **more)
    yield _through(kind, KNOTS, values(2, 5), "axis", axis=-1, extrapolate=True)
    yield _through(kind, KNOTS, np.array([0.0, 1.0, 1.5, 3.0, 3.2]), "monotone", extrapolate=True)


@entry("scipy.interpolate.CubicHermiteSpline")
def _hermite(path: str) -> Iterator[Sample]:
    yield of_scipy("interpolate", lambda s, x, y, d, q: s.CubicHermiteSpline(x, y, d)(q),
                   (KNOTS[:3], values(3), values(3, seed=1), PLACES[0]), "", unreal=False, condition=8)  # fmt: skip


@entry("scipy.interpolate.PPoly")
def _polynomial(path: str) -> Iterator[Sample]:
    c, x = values(3, 2), KNOTS[:3]
    places, bounds = np.array([0.3, 1.1]), (np.array(1.2), np.array(0.1))
    calls = {
        "derivative": lambda s, c, x, q: s.PPoly(c, x).derivative()(q),
        "derivatives": lambda s, c, x, q: s.PPoly(c, x)(q, 2),
        "antiderivative": lambda s, c, x, q: s.PPoly(c, x).antiderivative(2)(q),
        "periodic": lambda s, c, x, q: s.PPoly(c, x, extrapolate="periodic")(3.0 * q),
    }
    for text, call in calls.items():
        yield of_scipy("interpolate", call, (c, x, places), text, unreal=False, condition=8)
    for extrapolate in (True, "periodic"):
        yield of_scipy("interpolate", lambda s, c, x, a, b, e=extrapolate: s.PPoly(c, x).integrate(a, b, e),
                       (c, x, *bounds), f"integral, {extrapolate}", unreal=False, condition=8)  # fmt: skip
    yield of_scipy(
        "interpolate", lambda s, c, q: s.PPoly(c, KNOTS[:3], axis=1)(q), (values(2, 3, 2), places), "axis", unreal=False
    )


@entry("scipy.interpolate.interp1d")
def _of_one_axis(path: str) -> Iterator[Sample]:
    order = np.array([3, 0, 4, 1, 2])
    keywords = {"bounds_error": False, "fill_value": (1.5, -0.5)}
    for kind, more in itertools.product(("linear", "cubic"), ({"fill_value": "extrapolate"}, keywords)):
        yield of_scipy("interpolate", lambda s, x, y, q, kind=kind, more=more: s.interp1d(x, y, kind, **more)(q),
                       (KNOTS[order], values(2, 5), PLACES), f"{kind}, {more}", unreal=False,
                       condition=256)  # fmt: skip
