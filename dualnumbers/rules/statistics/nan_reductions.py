"""Reductions that leave NaN out: it has no derivative, and an axis of nothing but NaN has derivative NaN."""

import numpy as np

from ...foreign import by_default, is_foreign
from ...forms import dtype_of
from ...table import composition, smooth
from ...table.batching import by_axis
from ...table.kinds import Smooth
from ..reductions import along, extremum, kept, signature, sum
from ..shaping import astype
from ..strong import strong
from ..where import nowhere
from .cumulative import cumprod, cumsum
from .moments import deviation_pull, deviation_push, moment_row, share_of_each, variance_pull, variance_push
from .reductions_where import (
    chosen,
    count_chosen,
    extremum_entry,
    extremum_row,
    inexact,
    mask,
    prod_where,
    sum_where,
)


def _filled(a, value):
    """``a`` with a number in place of NaN."""
    return chosen(a, ~np.isnan(a), value)


@composition(np.nansum)
def nansum(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    """The sum of the elements that are not NaN."""
    return sum_where(_filled(a, 0.0), axis, dtype, keepdims=keepdims, initial=initial, where=where)


@composition(np.nanprod)
def nanprod(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    """The product of the elements that are not NaN."""
    return prod_where(_filled(a, 1.0), axis, dtype, keepdims=keepdims, initial=initial, where=where)


@composition(np.nancumsum)
def nancumsum(a, axis=None, dtype=None):
    """The sums up to each element, NaN left out."""
    return cumsum(_filled(a, 0.0), axis, inexact(dtype, "nancumsum"))


@composition(np.nancumprod)
def nancumprod(a, axis=None, dtype=None):
    """The products up to each element, NaN left out."""
    return cumprod(_filled(a, 1.0), axis, inexact(dtype, "nancumprod"))


# --------------------------------------------------------------------------------------------------- moments


def _numbers(x, where):
    """Return where a chosen element is not NaN."""
    return ~np.isnan(x) & where


def _parts(x, axis, where):
    """Return the equal parts of the elements that are not NaN; where there is none, NaN for all that are chosen."""
    numbers = _numbers(x, where)
    share = share_of_each(x, axis, True, numbers)
    lost = np.isnan(share)
    return chosen(share, numbers if nowhere(lost) else numbers | (lost & where))


def _mean_push(dx, z, x, axis, dtype, keepdims, where):
    return astype(sum(strong(_parts(x, axis, where), dx), axis, keepdims), dtype_of(z))


def _mean_pull(g, z, x, axis, dtype, keepdims, where):
    return strong(_parts(x, axis, where), kept(g, x, axis))


@smooth(
    Smooth(_mean_push, _mean_pull),
    of=np.nanmean,
    call=lambda a, axis=None, dtype=None, *, keepdims=False, where=True: (
        a,
        axis,
        inexact(dtype, "nanmean"),
        keepdims,
        mask(where),
    ),
    selects=True,
    batched=by_axis(0),
)
def nanmean(x, axis, dtype, keepdims, where):
    if is_foreign(type(x)) and where is not True:  # neither Dask's nor CuPy's choose
        where = _numbers(x, where)
        return sum(chosen(x, where), axis, keepdims) / count_chosen(x, axis, keepdims, where)
    return np.nanmean(x, axis=axis, **by_default(type(x), dtype=dtype, keepdims=keepdims, where=where))


def _without_nan(derivative):
    """Return a push-forward or pull-back of the elements that are not NaN."""
    return lambda v, z, x, axis, dtype, ddof, keepdims, where: derivative(
        v, z, x, axis, dtype, ddof, keepdims, _numbers(x, where)
    )


nanvar = moment_row(np.nanvar, _without_nan(variance_push), _without_nan(variance_pull))
nanstd = moment_row(np.nanstd, _without_nan(deviation_push), _without_nan(deviation_pull))


# --------------------------------------------------------------------------------------------------- extrema

nanmax = smooth(extremum, of=np.nanmax, call=signature, selects=True, batched=by_axis(0))(along(np.nanmax))
nanmin = smooth(extremum, of=np.nanmin, call=signature, selects=True, batched=by_axis(0))(along(np.nanmin))
extremum_entry(nanmax, extremum_row(np.nanmax, "nanmax_where"), np.nanmax)
extremum_entry(nanmin, extremum_row(np.nanmin, "nanmin_where"), np.nanmin)
