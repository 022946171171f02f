"""Polynomials and interpolation."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, apart, entry, matrices, values


@entry("np.polyval")
def _polyval(name: str) -> Iterator[Sample]:
    for n, shape in itertools.product((1, 3), ((), (4,), (2, 3), (0,))):
        yield Sample(np.polyval, (values(n), values(*shape, seed=1)), f"{n}, {shape}")
    yield Sample(lambda p: np.polyval(p, 2.0), (values(3),), "a constant point")
    yield Sample(lambda x: np.polyval([1.0, 2.0, 3.0], x), (values(3),), "constant coefficients")


@entry("np.polyadd", "np.polysub", "np.polymul")
def _two(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np."))
    for left, right in [((3,), (3,)), ((2,), (4,)), ((4,), (1,)), ((), (3,))]:
        yield Sample(function, (values(*left), values(*right, seed=1)), f"{left}, {right}")
    yield Sample(lambda x: function(np.stack([0.0 * x[0], *x]), [2.0, 1.0]), (values(2),), "leading zero")


@entry("np.polydiv")
def _polydiv(name: str) -> Iterator[Sample]:
    for (m, n), part in itertools.product([(5, 3), (4, 1), (2, 3), (3, 3)], (0, 1)):
        if (m, n, part) == (2, 3, 0):
            continue
        yield Sample(lambda u, v, part=part: np.polydiv(u, v)[part], (values(m), values(n, seed=1)),
                     f"{m}, {n}, part {part}", condition=1e4, unreal=n > 1)  # fmt: skip


@entry("np.polyder", "np.polyint")
def _calculus(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np."))
    for n, m in itertools.product((1, 4), (0, 1, 2)):
        yield Sample(lambda p, m=m: function(p, m), (values(n),), f"{n}, m={m}")
    if name == "np.polyint":
        yield Sample(lambda x: np.polyint(x[:3], 2, x[3:]), (values(5),), "constants")
        yield Sample(lambda x: np.polyint(x[:3], 2, x[3]), (values(4),), "one constant")


@entry("np.vander")
def _vander(name: str) -> Iterator[Sample]:
    for n, N, increasing in [(3, None, False), (3, 2, True), (2, 4, False), (0, 2, False), (2, 0, False), (2, 1, True)]:
        yield Sample(
            lambda x, N=N, increasing=increasing: np.vander(x, N, increasing), (values(n),), f"{n}, {N}, {increasing}"
        )


@entry("roots")
def _roots(name: str) -> Iterator[Sample]:
    for text, p in {"real": [1.0, -3.0, 0.5, 1.0], "complex": [2.0, 1.0, 3.0], "one": [2.0, -1.0],
                    "a root 0": [1.0, -2.0, 0.0]}.items():  # fmt: skip
        yield Sample(np.roots, (np.array(p),), text, condition=64, smooth=text != "a root 0")
    yield Sample(lambda p: np.roots(p)[:2], (np.array([0.0, 2.0, 1.0, 3.0]),), "leading 0", smooth=False, condition=64)


@entry("np.poly")
def _poly(name: str) -> Iterator[Sample]:
    for n in (1, 2, 4):
        yield Sample(np.poly, (values(n),), f"{n}")
    yield Sample(
        lambda x: np.poly(np.stack([x[0] + 1j * x[1], x[0] - 1j * x[1]])), (values(2),), "conjugate pair", unreal=False
    )


@entry("least_squares")
def _least_squares(name: str) -> Iterator[Sample]:
    for left, right in [((4, 2), (4,)), ((3, 3), (3, 2)), ((2, 4), (2,)), ((3, 1), (3, 1))]:
        yield Sample(lambda a, b: TABLE["least_squares"](a, b, None), (_full(*left), values(*right, seed=1)),
                     f"{left}, {right}", condition=64)  # fmt: skip


def _full(m: int, n: int) -> np.ndarray:
    return matrices(max(m, n), max(m, n))[:m, :n]


@entry("np.polyfit")
def _polyfit(name: str) -> Iterator[Sample]:
    for deg, shape in itertools.product((0, 1, 2), ((5,), (5, 2))):
        yield Sample(lambda x, y, deg=deg: np.polyfit(x, y, deg), (apart(5), values(*shape)), f"{deg}, {shape}",
                     condition=256, unreal=False)  # fmt: skip
        weights = 1.0 + values(5, seed=2) ** 2
        yield Sample(lambda x, y, w, deg=deg: np.polyfit(x, y, deg, w=w), (apart(5), values(*shape), weights),
                     f"{deg}, {shape}, w", condition=256, unreal=False)  # fmt: skip
    yield Sample(lambda y: np.polyfit(np.arange(4.0), y, 1), (values(4),), "constant points", condition=64)


# -------------------------------------------------------------------------------------------- interpolation

KNOTS = np.array([-1.1, -0.2, 0.7, 1.9])
INSIDE = {(): 0.3, (5,): [-0.9, -0.25, 0.1, 1.8, 0.6], (2, 2): [[0.0, 1.0], [-3.0, 4.0]]}


@entry("np.interp", "interp")
def _interp(name: str) -> Iterator[Sample]:
    for (shape, x), (text, keywords) in itertools.product(
        INSIDE.items(), {"": {}, "left, right": {"left": 2.0, "right": -1.0}, "period": {"period": 2.3}}.items()
    ):
        yield Sample(lambda x, xp, fp, keywords=keywords: np.interp(x, xp, fp, **keywords),
                     (np.array(x), KNOTS, values(4)), f"{shape} {text}", unreal=False, condition=8)  # fmt: skip
    yield Sample(lambda x: np.interp(x, KNOTS, np.arange(4.0), left=x[0], right=x[1]),
                 (np.array([-2.0, 3.0, 0.3]),), "left, right of numbers", unreal=False)  # fmt: skip
    yield Sample(lambda xp, fp: np.interp([0.0, 1.0], xp, fp), (KNOTS, values(4)), "constant points", unreal=False)
    yield Sample(lambda f: np.interp([0.0, 1.0], KNOTS, f), (values(4),), "constant knots")
    yield Sample(lambda x, xp, fp: np.interp(x, xp, fp), (values(3), values(1), values(1)), "one knot", unreal=False)
    yield Sample(_at_knots, (values(4),), "at the knots", unreal=False)


@entry("line_at")
def _line_at(name: str) -> Iterator[Sample]:
    x = np.array([-2.0, 0.3, 1.9, 3.0])
    yield Sample(lambda x: x * TABLE["line_at"](KNOTS, x), (x,), "inside and outside", unreal=False, smooth=False)


def _at_knots(f: Any) -> Any:
    return np.interp(KNOTS, KNOTS, f)
