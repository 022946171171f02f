"""Convolutions, linear filters, and what they are made of."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from dualnumbers.table import TABLE

from .sample import Sample, entry, of_scipy, values

LENGTHS = [(5, 3), (4, 2), (3, 5), (2, 5), (4, 4), (1, 3), (3, 1), (1, 1)]
MODES = ("full", "same", "valid")


@entry("np.convolve", "np.correlate")
def _of_vectors(name: str) -> Iterator[Sample]:
    function = getattr(np, name.removeprefix("np."))
    for (m, n), mode in itertools.product(LENGTHS, MODES):
        yield Sample(
            lambda x, y, mode=mode: function(x, y, mode=mode), (values(m), values(n, seed=1)), f"{m}, {n}, {mode}"
        )
    if name == "np.convolve":
        yield Sample(lambda x: function(x, 2.0), (values(3),), "a number")
    yield Sample(lambda x: function(x, x), (values(4),), "twice the same")
    yield Sample(lambda x: function(np.arange(3.0), x), (values(4),), "a constant")


@entry("convolution")
def _windows(name: str) -> Iterator[Sample]:
    """Windows inside, across and beyond the full convolution."""
    for window in [(0, 7), (2, 3), (-2, 5), (5, 6), (9, 2), (-4, 2), (3, 0)]:
        for left, right in [(5, 3), (3, 5)]:
            yield Sample(lambda x, y, window=window: TABLE["convolution"](x, y, (window,), (0,), "numpy"),
                         (values(left), values(right, seed=1)), f"{left}, {right}, {window}")  # fmt: skip
    for engine, window in itertools.product(("direct", "fft", "oa"), [((0, 4), (0, 4)), ((-1, 3), (2, 2))]):
        yield Sample(lambda x, y, engine=engine, window=window: TABLE["convolution"](x, y, window, (0, 1), engine),
                     (values(3, 2), values(2, 3, seed=1)), f"{engine}, {window}", condition=8)  # fmt: skip


@entry("recursion")
def _recursion(name: str) -> Iterator[Sample]:
    for shape, order in [((5,), 3), ((2, 4), 2), ((3,), 1), ((2,), 4), ((2, 1, 3), 2), ((0,), 2)]:
        yield Sample(TABLE["recursion"], (values(*shape), _denominator(order)), f"{shape}, {order}", condition=4)


def _denominator(n: int) -> np.ndarray:
    return np.array([1.7, -0.6, 0.3, 0.1])[:n]


@entry("axis_map")
def _axis_map(name: str) -> Iterator[Sample]:
    for shape, axis in [((6,), 0), ((2, 5), -1), ((5, 2), 0), ((2, 5, 2), 1)]:
        yield Sample(lambda x, axis=axis: TABLE["axis_map"](x, "signal.detrend", axis, ()), (values(*shape),),
                     f"{shape}, {axis}", condition=8)  # fmt: skip


# ----------------------------------------------------------------------------------------------- scipy.signal

ND = [((3,), (2,)), ((2,), (4,)), ((3, 2), (2, 2)), ((1, 3), (2, 1)), ((2, 3, 2), (2, 1, 2)), ((), ())]


@entry("scipy.signal.convolve", "scipy.signal.correlate", "scipy.signal.fftconvolve", "scipy.signal.oaconvolve")
def _nd(name: str) -> Iterator[Sample]:
    function = name.rpartition(".")[2]
    methods = ["auto", "direct", "fft"] if function in ("convolve", "correlate") else [None]
    for (left, right), mode, method in itertools.product(ND, MODES, methods):
        if mode == "valid" and left == (1, 3):
            continue
        keywords = {"mode": mode} if method is None else {"mode": mode, "method": method}
        yield of_scipy("signal", lambda s, x, y, keywords=keywords: getattr(s, function)(x, y, **keywords),
                       (values(*left), values(*right, seed=1)), f"{left}, {right}, {keywords}",
                       condition=16)  # fmt: skip
    if methods == [None]:
        for left, right, axes in [((2, 4), (2, 3), 1), ((4, 2), (3, 1), 0), ((2, 4), (1, 2), [-1])]:
            yield of_scipy("signal", lambda s, x, y, axes=axes: getattr(s, function)(x, y, "same", axes=axes),
                           (values(*left), values(*right, seed=1)), f"{left}, {right}, axes={axes}",
                           condition=16)  # fmt: skip


@entry("scipy.signal.convolve2d", "scipy.signal.correlate2d")
def _two_axes(name: str) -> Iterator[Sample]:
    function = name.rpartition(".")[2]
    for mode, boundary, (left, right) in itertools.product(
        MODES, ("fill", "wrap", "symm"), [((4, 3), (2, 3)), ((3, 2), (2, 2)), ((2, 1), (1, 1))]
    ):
        yield of_scipy("signal", lambda s, x, y, mode=mode, boundary=boundary:
                       getattr(s, function)(x, y, mode, boundary), (values(*left), values(*right, seed=1)),
                       f"{left}, {right}, {mode}, {boundary}", condition=8)  # fmt: skip
    yield of_scipy("signal", lambda s, x, y: getattr(s, function)(x, y, "same", fillvalue=2.0),
                   (values(3, 3), values(2, 2, seed=1)), "fillvalue", condition=8)  # fmt: skip


@entry("scipy.signal.lfilter")
def _lfilter(name: str) -> Iterator[Sample]:
    for (m, n), (shape, axis) in itertools.product(
        [(1, 2), (3, 3), (2, 1), (4, 2), (1, 1)], [((5,), -1), ((2,), 0), ((4, 2), 0)]
    ):
        arrays = values(m), _denominator(n), values(*shape, seed=1)
        yield of_scipy("signal", lambda s, b, a, x, axis=axis: s.lfilter(b, a, x, axis), arrays,
                       f"{m}, {n}, {shape}, axis={axis}", condition=8)  # fmt: skip
        states = list(shape)
        states[axis] = max(m, n) - 1
        arrays = (*arrays, values(*states, seed=2))
        for part in (0, 1):
            yield of_scipy("signal", lambda s, b, a, x, zi, axis=axis, part=part:
                           s.lfilter(b, a, x, axis, zi=zi)[part], arrays,
                           f"{m}, {n}, {shape}, axis={axis}, zi, part {part}", condition=8)  # fmt: skip
    yield of_scipy("signal", lambda s, x: s.lfilter([0.5], [1.0, -0.3], x), (values(5),), "lists", condition=8)


@entry("scipy.signal.lfilter_zi")
def _lfilter_zi(name: str) -> Iterator[Sample]:
    for m, n in [(3, 3), (2, 3), (3, 2), (1, 2)]:
        yield of_scipy(
            "signal", lambda s, b, a: s.lfilter_zi(b, a), (values(m), _denominator(n)), f"{m}, {n}", condition=8
        )


def _sections() -> np.ndarray:
    return np.array([[0.3, 0.2, 0.1, 1.0, -0.4, 0.2], [0.7, -0.2, 0.5, 1.0, 0.3, -0.1]])


@entry("scipy.signal.sosfilt")
def _sosfilt(name: str) -> Iterator[Sample]:
    """SciPy wants the fourth column to be 1, so differences do not move it."""
    for shape, axis in [((5,), -1), ((4, 2), 0)]:
        yield of_scipy("signal", lambda s, x, axis=axis: s.sosfilt(_sections(), x, axis), (values(*shape),),
                       f"{shape}", condition=8)  # fmt: skip
    for part in (0, 1):
        yield of_scipy("signal", lambda s, x, zi, part=part: s.sosfilt(_sections(), x, zi=zi)[part],
                       (values(5), values(2, 2)), f"zi, part {part}", condition=8)  # fmt: skip
    yield of_scipy("signal", _by_poles, (values(5), np.array([0.3, -0.2])), "coefficients", condition=8)


def _by_poles(s: Any, x: Any, c: Any) -> Any:
    ones = np.ones(2) + 0.0 * c
    return s.sosfilt(np.stack([c, ones, c * c, ones, -c, 0.5 * c], 1), x)


@entry("scipy.signal.filtfilt")
def _filtfilt(name: str) -> Iterator[Sample]:
    for padtype in ("odd", "even", "constant", None):
        yield of_scipy("signal", lambda s, b, a, x, padtype=padtype: s.filtfilt(b, a, x, padtype=padtype),
                       (values(2), _denominator(2), values(8)), f"{padtype}", condition=64)  # fmt: skip
    yield of_scipy("signal", lambda s, x: s.filtfilt([0.5], [1.0, -0.3], x, axis=0, padlen=2), (values(4, 2),),
                   "axis 0", condition=64)  # fmt: skip


@entry("scipy.signal.savgol_filter")
def _savgol_filter(name: str) -> Iterator[Sample]:
    for mode, deriv in itertools.product(("interp", "mirror", "nearest", "wrap", "constant"), (0, 1)):
        yield of_scipy("signal", lambda s, x, mode=mode, deriv=deriv:
                       s.savgol_filter(x, 5, 2, deriv, mode=mode, axis=0), (values(7, 2),),
                       f"{mode}, {deriv}", condition=8, unreal=False)  # fmt: skip


@entry("scipy.signal.detrend")
def _detrend(name: str) -> Iterator[Sample]:
    for kind, bp in [("linear", 0), ("constant", 0), ("linear", [3])]:
        yield of_scipy("signal", lambda s, x, kind=kind, bp=bp: s.detrend(x, 0, kind, bp), (values(6, 2),),
                       f"{kind}, {bp}", condition=8)  # fmt: skip


@entry("scipy.signal.hilbert")
def _hilbert(name: str) -> Iterator[Sample]:
    for shape, N, axis in [((5,), None, -1), ((4,), None, 0), ((4, 2), 6, 0), ((2, 5), 3, -1)]:
        yield of_scipy("signal", lambda s, x, N=N, axis=axis: s.hilbert(x, N, axis), (values(*shape),),
                       f"{shape}, N={N}, axis={axis}", unreal=False)  # fmt: skip
