"""Evenly spaced numbers between two ends, linear and logarithmic; functions applied along axes; copies."""

import math

import numpy as np

from ..elementary import BY_NUMPY, composition, linear, smooth
from ..levels import plain
from .axes import moveaxis, rank
from .indexing import getitem
from .powers import power
from .reductions import sum
from .shaping import arrays, broadcast_to, cast, expand_dims, reshape, shape, stack


def _weights(num, endpoint, axis, rank):
    """How far every place is from the first end, 0, to the second, 1; along ``axis`` of a result of ``rank`` axes."""
    weights = np.linspace(0.0, 1.0, num, endpoint)
    return np.moveaxis(weights.reshape((num,) + (1,) * (rank - 1)), 0, axis)


def _layers(x, z, axis):
    """A value for every pair of ends, with an axis for the numbers ``z`` between them."""
    axis %= rank(z)
    return expand_dims(broadcast_to(x, shape(z)[:axis] + shape(z)[axis + 1 :]), axis)


def _end_adjoint(second):
    def adjoint(g, start, stop, num, endpoint, axis):
        weights = _weights(num, endpoint, axis, rank(g))
        return sum(g * (weights if second else 1.0 - weights), axis, False)

    return adjoint


_linspace = linear(None, None, _end_adjoint(False), _end_adjoint(True), name="linspace", statics=3,
                   evaluate=lambda start, stop, num, endpoint, axis:
                   np.linspace(start, stop, num, endpoint, axis=axis))  # fmt: skip
_geomspace = smooth(
    None, None,
    lambda dx, z, x, y, num, endpoint, axis:
    z * (1.0 - _weights(num, endpoint, axis, rank(z))) * _layers(dx / x, z, axis),
    lambda dy, z, x, y, num, endpoint, axis: z * _weights(num, endpoint, axis, rank(z)) * _layers(dy / y, z, axis),
    name="geomspace", statics=3,
    evaluate=lambda start, stop, num, endpoint, axis: np.geomspace(start, stop, num, endpoint, axis=axis),
)  # fmt: skip
"""zᵢ = x^(1−wᵢ) y^wᵢ."""


@composition(np.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, *, axis=0):
    """Evenly spaced numbers from ``start`` to ``stop``; with ``retstep`` also their distance."""
    z = _linspace(start, stop, num, endpoint, axis)
    z = BY_NUMPY[np.floor](z) if dtype is not None and np.issubdtype(dtype, np.integer) else z
    z = cast(z, dtype, "unsafe")
    parts = num - 1 if endpoint else num
    return (z, (stop - start) / parts if parts > 0 else np.nan) if retstep else z


@composition(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, axis=0):
    """The powers of ``base``, a number or an array beside the two ends, with evenly spaced exponents."""
    if shape(base):
        start = broadcast_to(start, np.broadcast_shapes(*map(shape, (start, stop, base))))
    exponents = _linspace(start, stop, num, endpoint, axis)
    z = power(_layers(base, exponents, axis) if shape(base) else base, exponents)
    return cast(z, dtype, "unsafe")


@composition(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, *, axis=0):
    """Numbers from ``start`` to ``stop``, each the same multiple of the one before."""
    z = _geomspace(start, stop, num, endpoint, axis)
    return cast(z, dtype, "unsafe")


# ---------------------------------------------------------------------------------------------- along axes


@composition(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of vectors, applied to every vector along an axis; its results lie along that axis."""
    vectors = moveaxis(arr, axis, -1)
    outer = shape(vectors)[:-1]
    if not math.prod(outer):
        raise ValueError("apply_along_axis: no vector to apply the function to")
    results = [func1d(getitem(vectors, place), *args, **kwargs) for place in np.ndindex(outer)]
    joined = stack(*arrays(results), 0)
    inner = shape(joined)[1:]
    axis = np.lib.array_utils.normalize_axis_index(axis, rank(arr))
    places = tuple(range(len(outer), len(outer) + len(inner)))
    return moveaxis(reshape(joined, outer + inner, "C"), places, tuple(range(axis, axis + len(inner))))


@composition(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    """A reduction applied along one axis after the other, which stay with length 1."""
    for axis in np.atleast_1d(axes):
        axis = np.lib.array_utils.normalize_axis_index(int(axis), rank(a))
        reduced = func(a, axis)
        a = reduced if rank(reduced) == rank(a) else expand_dims(reduced, axis)
        if rank(reduced) not in (rank(a), rank(a) - 1):
            raise ValueError("apply_over_axes: the function must take away one axis or none")
    return a


# ---------------------------------------------------------------------------------------------- copies


@composition(np.copy)
def copy(a, order="K", subok=False):
    """Another array of the same numbers, which does not change with this one."""
    return +a


@composition(np.astype)
def of_type(x, dtype, /, *, copy=True, device=None):
    """The numbers in another floating-point or complex type."""
    return x if not copy and plain(x).dtype == dtype else cast(x, dtype, "unsafe")
