"""Sums and products of the elements up to each one."""

import numpy as np

from ...foreign import as_like, is_foreign, new_like
from ...forms import dtype_of, shape
from ...table import composition, linear, smooth
from ...table.batching import by_axis
from ...table.kinds import Smooth
from ..axes import moveaxis
from ..complexes import conj
from ..indexing import getitem
from ..reductions import is_normal, sum
from ..shaping import array, astype, concatenate, expand_dims, reshape
from ..strong import strong
from .reductions_where import inexact


def _along(rank, axis, part):
    """Return the index that takes a part of one axis."""
    return (slice(None),) * (axis % rank) + (part,)


def _reversed(x, axis):
    return getitem(x, _along(len(shape(x)), axis, slice(None, None, -1)))


def _in_line(x, axis):
    """Return an array and the axis to go along: all elements in one where ``axis`` is None, as of a number."""
    if axis is None or not shape(x):
        return reshape(x, -1, "C"), 0
    return x, axis


def _in_a_row(x):
    """Return a foreign array that has no axes with one, as NumPy takes it."""
    return np.reshape(x, (1,)) if is_foreign(type(x)) and not x.ndim else x


def _sum_pull(g, x, axis, dtype):
    """Each element is in the sums from its own place on."""
    g, axis = (g, 0) if axis is None or not shape(x) else (g, axis)
    return reshape(_reversed(cumsum(_reversed(g, axis), axis, None), axis), shape(x), "C")


@linear(_sum_pull, of=np.cumsum, call=lambda a, axis=None, dtype=None: (a, axis, inexact(dtype, "cumsum")),
        batched=by_axis(0, flattens=True))  # fmt: skip
def cumsum(x, axis, dtype):
    return np.cumsum(_in_a_row(x), axis=axis, dtype=dtype)


def _recurrence(a, b, axis):
    """Return the y with yₖ = aₖ yₖ₋₁ + bₖ and y₀ = b₀, by steps twice as long each time (Hillis & Steele 1986)."""
    rank, n, step = len(shape(b)), shape(b)[axis], 1
    while step < n:
        head, early, late = (_along(rank, axis, part) for part in (slice(0, step), slice(0, n - step), slice(step, n)))
        factor = getitem(a, late)
        b = concatenate(getitem(b, head), getitem(b, late) + factor * getitem(b, early), axis)
        a = concatenate(getitem(a, head), factor * getitem(a, early), axis)
        step *= 2
    return b


def _before(z, axis):
    """Return the products of all elements before each one."""
    first, earlier = (getitem(z, _along(len(shape(z)), axis, part)) for part in (slice(0, 1), slice(0, -1)))
    return concatenate(new_like(z, shape(first), dtype_of(z)) + 1.0, earlier, axis)


PARTIALS = 1 << 16
"""Up to so many partials, a square of them for each line, are computed of elements with an infinite one or NaN: more
would take a thousand times what the recurrence does, and the memory of them."""


def _has_partials(x, along):
    """Return whether a plain array needs its partials: the recurrence would meet 0 · ∞ where nothing moves."""
    return type(x) is np.ndarray and x.size * x.shape[along] <= PARTIALS and not np.all(np.isfinite(x))


def _partials(x, along):
    """Return, of a plain array with the axis behind, ∂zₖ/∂xᵢ with i and k along the last axes: 0 for i above k."""
    line = np.moveaxis(x, along, -1)
    upper = np.tri(line.shape[-1], dtype=bool).T
    with np.errstate(all="ignore"):
        others = np.cumprod(np.where(np.eye(line.shape[-1], dtype=bool), 1.0, line[..., None, :]), axis=-1)
    return np.where(upper, others, 0.0).astype(x.dtype)


def _product_push(dx, z, x, axis, dtype):
    """żₖ = xₖ żₖ₋₁ + zₖ₋₁ ẋₖ: no division, so zeros do not matter."""
    (x, along), (dx, _) = _in_line(x, axis), _in_line(dx, axis)
    if _has_partials(x, along):
        moved = expand_dims(moveaxis(dx, along, -1), -1)
        return astype(moveaxis(sum(strong(_partials(x, along), moved), -2, False), -1, along), dtype_of(z))
    return astype(_recurrence(x, strong(_before(z, along), dx), along), dtype_of(z))


def _product_pull(g, z, x, axis, dtype):
    """x̄ₖ = zₖ₋₁ hₖ with hₖ = xₖ₊₁ hₖ₊₁ + z̄ₖ; of plain numbers Σ zᵢ z̄ᵢ / xₖ, i ≥ k, as in `product_pull`."""
    (line, along), (g, _), (z, _) = _in_line(x, axis), _in_line(g, axis), _in_line(z, axis)
    if type(x) is np.ndarray and is_normal(z):
        return reshape(_reversed(cumsum(_reversed(conj(z) * g, along), along, None), along) / conj(line), shape(x), "C")
    if _has_partials(line, along):
        given = expand_dims(moveaxis(g, along, -1), -2)
        found = sum(strong(conj(_partials(line, along)), given), -1, False)
        return reshape(moveaxis(found, -1, along), shape(x), "C")
    shifted = concatenate(
        *(getitem(line, _along(len(shape(line)), along, part)) for part in (slice(1, None), slice(0, 1))), along
    )
    sums = _reversed(_recurrence(_reversed(conj(shifted), along), _reversed(g, along), along), along)
    return reshape(strong(conj(_before(z, along)), sums), shape(x), "C")


@smooth(
    Smooth(_product_push, _product_pull),
    of=np.cumprod,
    call=lambda a, axis=None, dtype=None: (a, axis, inexact(dtype, "cumprod")),
    batched=by_axis(0, flattens=True),
)
def cumprod(x, axis, dtype):
    return np.cumprod(_in_a_row(x), axis=axis, dtype=dtype)


def _cumulative(numpy_function, row, identity):
    """np.cumulative_sum or np.cumulative_prod; ``include_initial`` begins with the value of nothing."""

    @composition(numpy_function)
    def cumulative(x, /, *, axis=None, dtype=None, include_initial=False):
        x = array(x)
        x = x if shape(x) else reshape(x, -1, "C")
        if axis is None and len(shape(x)) > 1:
            raise ValueError(f"{numpy_function.__name__} of an array of shape {shape(x)} needs axis=")
        axis = 0 if axis is None else axis
        z = row(x, axis, inexact(dtype, numpy_function.__name__))
        if not include_initial:
            return z
        lengths = list(shape(z))
        lengths[axis] = 1
        return concatenate(as_like(np.full(lengths, identity, dtype_of(z)), z), z, axis)

    return cumulative


cumulative_sum = _cumulative(np.cumulative_sum, cumsum, 0)
cumulative_prod = _cumulative(np.cumulative_prod, cumprod, 1)
