"""Reductions with their keywords: of the elements chosen by ``where``, from ``initial`` on, in a ``dtype``.

Read when a reduction is called with one of these (`reductions`).
"""

import numpy as np

from ...foreign import as_array, by_default, copy_of, is_foreign, largest
from ...forms import dtype_of, shape
from ...levels import read
from ...messages.errors import user_line
from ...table import entry_of, linear, smooth
from ...table.batching import by_axis
from ...table.kinds import Linear, Smooth
from ..comparisons import equal
from ..complexes import conj
from ..reductions import (
    axes_of,
    equal_part,
    extremal,
    kept,
    max,
    mean,
    min,
    prod,
    product_of_others,
    product_push,
    real_type,
    spread,
    sum,
)
from ..shaping import astype, reshape
from ..strong import strong
from ..where import where as select


def mask(where):
    """Return what ``where`` names: True for all, or an array of its own."""
    return True if where is True else copy_of(as_array(read(where), bool))


def inexact(dtype, name):
    """Return a dtype that a derivative fits in."""
    if dtype is None or np.dtype(dtype).kind in "fc":
        return dtype
    raise TypeError(f"{name} with dtype={np.dtype(dtype)} would lose the derivative: leave dtype= away, or apply it to "
                    f"autodiff.value_of(x) if the derivative is not wanted{user_line()}")  # fmt: skip


def chosen(x, where, other=0.0):
    """x, with ``other`` in place of the elements that were not chosen."""
    return x if where is True else select(where, x, other)


def count_chosen(x, axis, keepdims, where):
    """Return how many elements were chosen for each result: a number, or an array."""
    if where is True:
        return int(np.prod([shape(x)[i] for i in axes_of(len(shape(x)), axis)]))
    return np.sum(np.broadcast_to(where, shape(x)), axis=axis, keepdims=keepdims)


# --------------------------------------------------------------------------------------------------- sum, mean


@linear(
    lambda g, x, initial, axis, dtype, keepdims, where: chosen(spread(g, x, axis), where),
    lambda g, x, initial, axis, dtype, keepdims, where: g,
    name="sum_where",
)
def _sum(x, initial, axis, dtype, keepdims, where):
    if is_foreign(type(x)):
        return initial + np.sum(chosen(x, where), axis=axis, **by_default(type(x), dtype=dtype, keepdims=keepdims))
    return np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


def sum_where(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    """np.sum; ``initial`` may carry a derivative."""
    if dtype is None and initial is None and where is True:
        return sum(a, axis, keepdims)
    return _sum(a, 0 if initial is None else initial, axis, inexact(dtype, "sum"), keepdims, mask(where))


def _mean_pull(g, x, axis, dtype, keepdims, where):
    return chosen(spread(g / count_chosen(x, axis, keepdims, where), x, axis), where)


@linear(_mean_pull, name="mean_where", batched=by_axis(0))
def _mean(x, axis, dtype, keepdims, where):
    if is_foreign(type(x)):
        return _sum(x, 0, axis, dtype, keepdims, where) / count_chosen(x, axis, keepdims, where)
    return np.mean(x, axis=axis, dtype=dtype, keepdims=keepdims, where=where)


def mean_where(a, axis=None, dtype=None, *, keepdims=False, where=True):
    """np.mean."""
    if dtype is None and where is True:
        return mean(a, axis, keepdims)
    return _mean(a, axis, inexact(dtype, "mean"), keepdims, mask(where))


# --------------------------------------------------------------------------------------------------- product


def _product_push(dx, z, x, initial, axis, dtype, keepdims, where):
    tangent = initial * product_push(chosen(dx, where), z, chosen(x, where, 1.0), axis, keepdims)
    return astype(tangent, dtype_of(z))


def _product_pull(g, z, x, initial, axis, dtype, keepdims, where):
    others = product_of_others(chosen(x, where, 1.0), axis)
    return chosen(strong(conj(others), kept(g * conj(initial), x, axis)), where)


def _product_of_initial(g, x, initial, axis, dtype, keepdims, where):
    return g * conj(prod(chosen(x, where, 1.0), axis, keepdims))


@smooth(Smooth(_product_push, _product_pull), Linear(_product_of_initial), name="prod_where")
def _prod(x, initial, axis, dtype, keepdims, where):
    if is_foreign(type(x)):
        given = chosen(x, where, 1.0)
        return initial * np.prod(given, axis=axis, **by_default(type(x), dtype=dtype, keepdims=keepdims))
    return np.prod(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


def prod_where(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    """np.prod; ``initial`` may carry a derivative."""
    if dtype is None and initial is None and where is True:
        return prod(a, axis, keepdims)
    return _prod(a, 1 if initial is None else initial, axis, inexact(dtype, "prod"), keepdims, mask(where))


# --------------------------------------------------------------------------------------------------- extrema


def _extremum_push(dx, z, x, initial, axis, keepdims, where):
    """Ties share equally, the initial value among them."""
    ones = chosen(extremal(z, x, axis), where)
    parts = ones * equal_part(ones, axis, equal(initial, kept(z, x, axis)))
    return sum(chosen(strong(parts, dx), where), axis, keepdims)


def _initial_push(di, z, x, initial, axis, keepdims, where):
    top = kept(z, x, axis)
    one = astype(equal(initial, top), real_type(z))
    share = equal_part(one, (), sum(chosen(extremal(z, x, axis), where), axis, True))
    return strong(reshape(one * share, shape(z), "C"), di)


def extremum_row(numpy_function, name):
    """Make the row of an extremum of the chosen elements and an initial value."""
    sign = 1 if numpy_function in (np.max, np.nanmax) else -1

    def extremum(x, initial, axis, keepdims, where):
        if is_foreign(type(x)):
            if numpy_function in (np.nanmax, np.nanmin):
                x = select(np.isnan(x), initial, x)
            return sign * largest(sign * chosen(x, where, initial), sign * initial, axis, keepdims)
        return numpy_function(x, axis=axis, keepdims=keepdims, initial=initial, where=where)

    return smooth(_extremum_push, _initial_push, name=name, selects=True)(extremum)


_max, _min = extremum_row(np.max, "max_where"), extremum_row(np.min, "min_where")


def extremum_entry(row, general, *numpy_functions):
    """Make what a call of np.max, np.min and their kin becomes; ``initial`` may carry a derivative."""
    name = row.row.name

    @entry_of(row, *numpy_functions)
    def extremum(a, axis=None, *, keepdims=False, initial=None, where=True):
        if initial is None and where is True:
            return row(a, axis, keepdims)
        if initial is None:
            raise ValueError(f"{name} with where= needs initial=, its value where nothing is chosen{user_line()}")
        return general(a, initial, axis, keepdims, mask(where))

    return extremum


max_where, min_where = extremum_entry(max, _max), extremum_entry(min, _min)
