"""Filters of images for numbers: all are linear in the image, and in the weights where there are any."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from dualnumbers.foreign import as_like
from dualnumbers.forms import PYTHON, asked, dtype_of, shape
from dualnumbers.levels import read
from dualnumbers.messages.errors import user_line
from dualnumbers.rules.complexes import conj
from dualnumbers.rules.from_scipy import imported
from dualnumbers.rules.shaping import array, astype, reshape
from dualnumbers.rules.signals.convolution import axis_map, convolution, extended, flip
from dualnumbers.rules.where import nowhere, where

from ._counterpart import Array, counterpart, missing

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter", "gaussian_filter1d",
           "gaussian_gradient_magnitude", "gaussian_laplace", "laplace", "map_coordinates", "prewitt", "shift", "sobel",
           "uniform_filter", "uniform_filter1d"]  # fmt: skip
__getattr__ = missing(__name__)

_BOUNDARIES = {"grid-mirror": "reflect", "grid-constant": "constant", "grid-wrap": "wrap"}


def _no_output(output: Any) -> None:
    if output is not None:
        raise TypeError(f"a filter of numbers returns its result: leave output= away{user_line()}")


def _each(value: Any, count: int) -> list[Any]:
    """Return one value per axis."""
    values = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value] * count
    if len(values) != count:
        raise ValueError(f"there are {len(values)} values for {count} axes: {value}")
    return values


def _axes(x: Any, axes: Any) -> list[int]:
    rank = len(shape(x))
    return [axis % rank for axis in (range(rank) if axes is None else np.ravel(axes).tolist())]


def _filtered(name: str, x: Any, axis: int, mode: str, cval: Any, **keywords: Any) -> Any:
    """Apply a filter of SciPy along one axis, linear in ``x`` and affine in ``cval``."""
    x, path, keywords = array(x), f"ndimage.{name}", {**keywords, "mode": mode}
    z = axis_map(x, path, axis, tuple(keywords.items()))
    if (type(cval) in PYTHON and cval == 0) or mode not in ("constant", "grid-constant"):
        return z
    n = shape(x)[axis]
    part = imported(path)(np.zeros(n, dtype_of(x)), cval=1.0, **keywords)
    return z + cval * as_like(part.reshape((n,) + (1,) * (len(shape(x)) - 1 - axis % len(shape(x)))), z)


@counterpart("ndimage.gaussian_filter1d")
def gaussian_filter1d(input: Array, sigma: float, axis: int = -1, order: int = 0, output: Any = None,
                      mode: str = "reflect", cval: Any = 0.0, truncate: float = 4.0, *,
                      radius: int | None = None) -> Any:  # fmt: skip
    """As ``scipy.ndimage.gaussian_filter1d``; no derivative in ``sigma``."""
    _no_output(output)
    return _filtered("gaussian_filter1d", input, axis, mode, cval, sigma=_constant("sigma", sigma), order=order,
                     truncate=truncate, radius=radius)  # fmt: skip


def _constant(name: str, value: Any) -> Any:
    if read(value) is not value:
        raise TypeError(
            f"a Gaussian filter has no derivative in {name} here; give it as autodiff.value_of({name}){user_line()}"
        )
    return value


@counterpart("ndimage.gaussian_filter")
def gaussian_filter(input: Array, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
                    cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None,
                    axes: Any = None) -> Any:  # fmt: skip
    """As ``scipy.ndimage.gaussian_filter``: a Gaussian, or its derivative, along one axis after the other."""
    places = _axes(input, axes)
    each = (_each(value, len(places)) for value in (_constant("sigma", sigma), order, mode, radius))
    for axis, width, derivative, boundary, reach in zip(places, *each, strict=True):
        if width > 1e-15:
            input = gaussian_filter1d(input, width, axis, derivative, output, boundary, cval, truncate, radius=reach)
    return input


@counterpart("ndimage.uniform_filter1d")
def uniform_filter1d(
    input: Array, size: int, axis: int = -1, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: int = 0
) -> Any:
    """As ``scipy.ndimage.uniform_filter1d``: the mean of ``size`` neighbours."""
    _no_output(output)
    return _filtered("uniform_filter1d", input, axis, mode, cval, size=size, origin=origin)


@counterpart("ndimage.uniform_filter")
def uniform_filter(input: Array, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, *, axes: Any = None) -> Any:  # fmt: skip
    """As ``scipy.ndimage.uniform_filter``."""
    places = _axes(input, axes)
    each = (_each(value, len(places)) for value in (size, mode, origin))
    for axis, width, boundary, centre in zip(places, *each, strict=True):
        if width > 1:
            input = uniform_filter1d(input, width, axis, output, boundary, cval, centre)
    return input


# ------------------------------------------------------------------------------------------- by weights


def _correlated(x: Any, weights: Any, axes: list[int], mode: Any, cval: Any, origin: Any) -> Any:
    """Σ wⱼ xᵢ₊ⱼ₋ₛ with the centre s of the weights, along these axes; ``weights`` has one axis for each."""
    lengths = [1] * len(shape(x))
    for axis, n in zip(axes, shape(weights), strict=True):
        lengths[axis] = n
    for axis, boundary, moved in zip(axes, _each(mode, len(axes)), _each(origin, len(axes)), strict=True):
        size, first = lengths[axis], -(lengths[axis] // 2) - moved
        if not -(size // 2) <= moved <= (size - 1) // 2:
            raise ValueError(f"origin={moved} moves {size} weights past their centre")
        x = extended(x, axis, first, shape(x)[axis] + size - 1, _BOUNDARIES.get(boundary, boundary), cval)
    window = tuple((n - 1, m - n + 1) for m, n in zip(shape(x), lengths, strict=True))
    return convolution(x, flip(reshape(weights, tuple(lengths), "C")), window, tuple(range(len(lengths))), "direct")


def _turned(weights: Any, origin: Any) -> tuple[Any, list[int]]:
    """Return the weights and the origins with which a correlation is the convolution."""
    sizes = shape(weights)
    return flip(weights), [-o - (n % 2 == 0) for n, o in zip(sizes, _each(origin, len(sizes)), strict=True)]


def _ordered(x: Any, weights: Any, axes: Any) -> tuple[Any, Any, list[int]]:
    x, weights, places = array(x), array(weights), _axes(x, axes)
    if len(shape(weights)) != len(places):
        raise ValueError(f"the weights have one axis for each of the {len(places)} filtered; got {shape(weights)}")
    return x, weights, places


@counterpart("ndimage.correlate")
def correlate(input: Array, weights: Array, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
              origin: Any = 0, *, axes: Any = None) -> Any:  # fmt: skip
    """As ``scipy.ndimage.correlate``: linear in the image and in the weights, whose conjugates it takes."""
    _no_output(output)
    x, weights, places = _ordered(input, weights, axes)
    return _correlated(x, conj(weights), places, mode, cval, origin)


@counterpart("ndimage.convolve")
def convolve(input: Array, weights: Array, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
             origin: Any = 0, *, axes: Any = None) -> Any:  # fmt: skip
    """As ``scipy.ndimage.convolve``, linear in the image and in the weights."""
    _no_output(output)
    x, weights, places = _ordered(input, weights, axes)
    weights, origin = _turned(weights, origin)
    return _correlated(x, weights, places, mode, cval, origin)


@counterpart("ndimage.correlate1d")
def correlate1d(input: Array, weights: Array, axis: int = -1, output: Any = None, mode: str = "reflect",
                cval: Any = 0.0, origin: int = 0) -> Any:  # fmt: skip
    """As ``scipy.ndimage.correlate1d``."""
    return correlate(input, weights, output, mode, cval, origin, axes=axis)


@counterpart("ndimage.convolve1d")
def convolve1d(input: Array, weights: Array, axis: int = -1, output: Any = None, mode: str = "reflect", cval: Any = 0.0,
               origin: int = 0) -> Any:  # fmt: skip
    """As ``scipy.ndimage.convolve1d``."""
    return convolve(input, weights, output, mode, cval, origin, axes=axis)


def _weights(x: Any, weights: list[float]) -> Any:
    """Return weights in the precision of the image."""
    return np.array(weights, asked(np.result_type, x, np.float32))


def _edges(x: Any, smoothing: list[float], axis: int, mode: Any, cval: Any) -> Any:
    """Return a central difference along one axis, smoothed along the others."""
    modes, places = _each(mode, len(shape(x))), _axes(x, None)
    z = correlate1d(x, _weights(x, [-1.0, 0.0, 1.0]), axis, None, modes[axis], cval)
    for other in places:
        if other != places[axis]:
            z = correlate1d(z, _weights(z, smoothing), other, None, modes[other], cval)
    return z


@counterpart("ndimage.sobel")
def sobel(input: Array, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """As ``scipy.ndimage.sobel``."""
    _no_output(output)
    return _edges(array(input), [1.0, 2.0, 1.0], axis, mode, cval)


@counterpart("ndimage.prewitt")
def prewitt(input: Array, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """As ``scipy.ndimage.prewitt``."""
    _no_output(output)
    return _edges(array(input), [1.0, 1.0, 1.0], axis, mode, cval)


def _summed(x: Any, mode: Any, axes: Any, second: Callable[[Any, int, Any], Any]) -> Any:
    """Return the sum over the axes of a filter of one axis."""
    places = _axes(x, axes)
    return sum(second(x, axis, boundary) for axis, boundary in zip(places, _each(mode, len(places)), strict=True))


@counterpart("ndimage.laplace")
def laplace(input: Array, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
    """As ``scipy.ndimage.laplace``: the sum of the second differences."""
    _no_output(output)
    return _summed(array(input), mode, axes, lambda x, axis, boundary:
                   correlate1d(x, _weights(x, [1.0, -2.0, 1.0]), axis, None, boundary, cval))  # fmt: skip


def _gaussian_derivatives(x: Any, sigma: Any, order: int, mode: Any, cval: Any, axes: Any, keywords: Any) -> list[Any]:
    """Filter by a Gaussian's derivative along each axis; that axis's mode is used along all, as SciPy does."""
    places = _axes(x, axes)
    terms = []
    for axis, boundary in zip(places, _each(mode, len(places)), strict=True):
        orders = [order * (axis == other) for other in range(len(shape(x)))]
        terms.append(gaussian_filter(x, sigma, orders, None, boundary, cval, **keywords))
    return terms


@counterpart("ndimage.gaussian_laplace")
def gaussian_laplace(input: Array, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
                     axes: Any = None, **keywords: Any) -> Any:  # fmt: skip
    """As ``scipy.ndimage.gaussian_laplace``: the sum of the second derivatives of a Gaussian."""
    _no_output(output)
    places = _axes(input, axes)
    each = _each(sigma, len(places))
    # SciPy takes widths for all axes in the order of the axes
    widths = dict(zip(places if len(places) < len(shape(input)) else count(), each, strict=False))
    sigmas = [widths.get(axis, 0.0) for axis in range(len(shape(input)))]
    return sum(_gaussian_derivatives(input, sigmas, 2, mode, cval, axes, keywords))


@counterpart("ndimage.gaussian_gradient_magnitude")
def gaussian_gradient_magnitude(input: Array, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
                                axes: Any = None, **keywords: Any) -> Any:  # fmt: skip
    """As ``scipy.ndimage.gaussian_gradient_magnitude``: the length of the vector of a Gaussian's first derivatives."""
    _no_output(output)
    return np.linalg.norm(np.stack(list(_gaussian_derivatives(input, sigma, 1, mode, cval, axes, keywords))), axis=0)


# ------------------------------------------------------------------------------------------- between the pixels


@counterpart("ndimage.map_coordinates")
def map_coordinates(input: Array, coordinates: Array, output: Any = None, order: int = 3, mode: str = "constant",
                    cval: Any = 0.0, prefilter: bool = True) -> Any:  # fmt: skip
    """As ``scipy.ndimage.map_coordinates`` with ``order=1`` or 0, ``mode="constant"`` or ``"nearest"``.

    Differentiable in the image and in the coordinates; on a pixel the slope is that towards the next one. Raises
    TypeError for another order or mode, ValueError where the coordinates are of another number of axes.
    """
    _no_output(output)
    if order not in (0, 1) or mode not in ("constant", "nearest"):
        raise TypeError(
            f"map_coordinates and shift with order={order}, mode={mode!r} have no derivative here: there "
            f"are order=1 or 0, mode='constant' or 'nearest'{user_line()}"
        )
    x, places = array(input), array(coordinates)
    if shape(places)[0] != len(shape(x)):
        raise ValueError(f"the first axis of coordinates has a length of {len(shape(x))}; got shape {shape(places)}")
    outside: Any = False
    corners: list[tuple[tuple[Any, ...], Any]] = [((), 1.0)]
    for k, n in enumerate(shape(x)):
        c = places[k]
        if mode == "nearest":
            c = where(c < 0, 0.0, where(c > n - 1, n - 1.0, c))
        else:
            outside = outside | np.logical_not((c >= 0) & (c <= n - 1))  # NaN, too
        low = np.clip(np.floor(read(c) + (0.5 if order == 0 else 0.0)), 0, max(n - 1 - order, 0))
        low = np.nan_to_num(low).astype(int)
        part = c - low
        steps = [(0, 1.0)] if order == 0 or n == 1 else [(0, 1.0 - part), (1, part)]
        corners = [((*index, low + step), weight * share) for index, weight in corners for step, share in steps]
    z = sum(weight * x[index] for index, weight in corners)
    z = z if nowhere(outside) else where(outside, cval, z)
    kind = dtype_of(x)  # that of the result, too
    return astype(z, kind) if kind.kind in "fc" else z


@counterpart("ndimage.shift")
def shift(input: Array, shift: Array, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
          prefilter: bool = True) -> Any:  # fmt: skip
    """As ``scipy.ndimage.shift``; the orders and modes of `map_coordinates`. Differentiable in the shift, too."""
    sizes = shape(input)
    moved = shift if shape(shift) else shift * np.ones(len(sizes))
    grid = np.indices(sizes, float)
    return map_coordinates(input, grid - reshape(moved, (-1,) + (1,) * len(sizes), "C"), output, order, mode, cval)
