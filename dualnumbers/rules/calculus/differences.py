"""Differences of neighbours along an axis, and what is built of them."""

from contextlib import suppress

import numpy as np

from ...foreign import along, new_like
from ...forms import dtype_of, shape
from ...levels import is_lazy, is_number, read
from ...messages.errors import user_line
from ...table import composition, linear, smooth
from ...table.batching import by_axis
from ..axes import rank
from ..indexing import getitem, scatter_all
from ..shaping import array, arrays, astype, broadcast_to, concatenate, lying_as, ravel, reshape


def _differences_back(g, x, n, axis):
    """(−1)ⁿ times the differences of the adjoint, with n zeros before and after it."""
    beyond = new_like(g, tuple(n if i == axis else k for i, k in enumerate(shape(g))), dtype_of(g))
    back = _differences(concatenate(beyond, g, beyond, axis), n, axis)
    return -back if n % 2 else back


@linear(_differences_back, shown="diff", batched=by_axis(1))
def _differences(x, n, axis):
    """As its views would make it, each would get an array of adjoints of its own."""
    return np.diff(x, n, axis)


@composition(np.diff)
def diff(a, n=1, axis=-1, prepend=np._NoValue, append=np._NoValue):
    """The ``n``-th difference of neighbours, after more elements are put before and after."""
    if n < 0:
        raise ValueError(f"diff: the order must be non-negative, not {n}")
    if not rank(a):
        raise ValueError("diff: an array of no axes has no neighbours")
    if n == 0:
        return a
    axis = np.lib.array_utils.normalize_axis_index(axis, rank(a))
    one = tuple(1 if i == axis else k for i, k in enumerate(shape(a)))
    ends = [x if x is np._NoValue or rank(x) else broadcast_to(x, one) for x in arrays((prepend, append))]
    parts = [x for x in (ends[0], a, ends[1]) if x is not np._NoValue]
    a = concatenate(*parts, axis) if len(parts) > 1 else a
    return _differences(a, min(n, shape(a)[axis]), axis)


@composition(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of all neighbours, with more elements put after and before."""
    ary = array(ary)
    parts = [ravel(x) for x in arrays((to_begin, diff(ravel(ary)), to_end)) if x is not None]
    parts = [astype(x, dtype_of(ary)) for x in parts]
    return concatenate(*parts, 0) if len(parts) > 1 else parts[0]


@smooth(
    lambda dp, z, p, period, discont, axis: dp,
    lambda dt, z, p, period, discont, axis: np.rint((read(z) - read(p)) / read(period)) * dt,
    of=np.unwrap,
    call=lambda p, discont=None, axis=-1, *, period=2 * np.pi: (p, period, read(discont), axis),
    needs=None,
)
def unwrap(p, period, discont, axis):
    """The number of periods that are added is locally constant."""
    if is_lazy(type(p)):
        kind = np.result_type(p, getattr(period, "dtype", type(period)))
        return along(np.unwrap, p, axis, kind, discont=discont, period=period)
    return np.unwrap(p, discont, axis, period=period)


# ---------------------------------------------------------------------------------------------- np.gradient


def _weights(steps, edge_order, rank):
    """Return what slopes along the first axis are made of: [(weight, the places of slopes, those of elements)].

    ``steps`` is the distance of neighbours or, in a vector, that of each two. The sum of weight times elements is the
    slopes. Source: B. Fornberg, *Generation of finite difference formulas on arbitrarily spaced grids*, 1988.
    """
    inner, first, last = slice(1, -1), slice(0, 1), slice(-1, None)
    before, after, second, last_but_one = slice(0, -2), slice(2, None), slice(1, 2), slice(-2, -1)
    if shape(steps):
        steps = reshape(steps, (-1,) + (1,) * (rank - 1), "C")
        left, right = getitem(steps, slice(0, -1)), getitem(steps, slice(1, None))
        p, q = getitem(steps, first), getitem(steps, last)
    else:
        left = right = p = q = steps
    found = [(-right / (left * (left + right)), inner, before), (left / (right * (left + right)), inner, after)]
    if shape(steps):
        found.append(((right - left) / (left * right), inner, inner))
    if edge_order == 1:
        return [*found, (-1.0 / p, first, first), (1.0 / p, first, second),
                (-1.0 / q, last, last_but_one), (1.0 / q, last, last)]  # fmt: skip
    r, s = (getitem(steps, second), getitem(steps, last_but_one)) if shape(steps) else (p, q)
    third, last_but_two = slice(2, 3), slice(-3, -2)
    return [*found, (-(2.0 * p + r) / (p * (p + r)), first, first), ((p + r) / (p * r), first, second),
            (-p / (r * (p + r)), first, third), (q / (s * (s + q)), last, last_but_two),
            (-(q + s) / (s * q), last, last_but_one), ((2.0 * q + s) / (q * (s + q)), last, last)]  # fmt: skip


def _weighed(x, steps, axis, edge_order, back=False):
    """Return the slopes of ``x`` along an axis; or with ``back`` the adjoint of elements, given that of slopes."""
    lead, weights = (slice(None),) * axis, _weights(steps, edge_order, rank(x) - axis)
    given, found = (1, 2) if back else (2, 1)
    parts = [each[0] * getitem(x, (*lead, each[given])) for each in weights]
    return scatter_all(*parts, shape(x), tuple((*lead, each[found]) for each in weights))


def _gradient_back(g, f, spacing, axis, edge_order):
    """The transposed weights."""
    steps = np.diff(np.asarray(spacing, float)) if np.ndim(spacing) else spacing
    if np.ndim(steps) and np.all(steps == steps[0]):
        steps = steps[0]
    return _weighed(g, steps, axis, edge_order, back=True)


@linear(_gradient_back, name="gradient", batched=by_axis(1))
def _gradient(f, spacing, axis, edge_order):
    """Along one axis; the spacing is a number, or the plain coordinates."""
    if not is_lazy(type(f)):
        return np.gradient(f, spacing, axis=axis, edge_order=edge_order)
    with suppress(Exception):  # of Dask, whose own wants few axes in small chunks, and no coordinates
        return np.gradient(f, spacing, axis=axis, edge_order=edge_order)
    return along(_slopes, f, axis, np.result_type(f, np.float32), spacing=spacing, edge_order=edge_order)


def _slopes(f, spacing, axis, edge_order):
    return np.gradient(f, spacing, axis=axis, edge_order=edge_order)


@composition(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    """The derivative along the axes by second-order differences; the spacings may be numbers or coordinates."""
    f = array(f)
    axes = range(rank(f)) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, rank(f))
    spacings = arrays(varargs) * len(axes) if len(varargs) == 1 else arrays(varargs) or [1.0] * len(axes)
    if len(spacings) != len(axes):
        raise TypeError(f"np.gradient takes one spacing, or one for each axis; there are {len(spacings)} for "
                        f"{len(axes)} axes{user_line()}")  # fmt: skip
    found = []
    for i, spacing in zip(axes, spacings, strict=True):
        if not is_number(type(spacing)):
            slopes = _gradient(f, spacing, i, edge_order)
        elif not rank(spacing):
            slopes = _gradient(f, 1.0, i, edge_order) / spacing
        else:
            np.gradient(new_like(f, shape(f), float), read(spacing), axis=i, edge_order=edge_order)  # for its errors
            slopes = lying_as(_weighed(f, _differences(spacing, 1, 0), i, edge_order), f)
        found.append(astype(slopes, dtype_of(f)) if dtype_of(f).kind in "fc" else slopes)
    return found[0] if len(found) == 1 else tuple(found)
