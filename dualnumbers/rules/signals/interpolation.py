"""Interpolation between points by straight lines.

At a knot the slope is that of the interval which begins there; at the last knot, of the interval which ends there.
"""

import numpy as np

from ...forms import asked, dtype_of, shape
from ...levels import known
from ...table import composition
from ..arrays.computed_places import elements
from ..arrays.searching import argsort, searchsorted
from ..indexing import getitem
from ..shaping import array, astype, concatenate
from ..where import where


def interval(knots, x):
    """Number the interval of increasing plain knots in which each x lies, the outer ones for an x outside."""
    return np.clip(searchsorted(known(knots), known(x), "right") - 1, 0, shape(knots)[0] - 2)


def _double(x):
    """Return an argument as NumPy's interp has it."""
    x = array(x)
    wanted = asked(np.result_type, x, np.float64)
    return astype(x, wanted) if dtype_of(x) != wanted else x


def _periodic(x, xp, fp, period):
    """Points of one period in order, with a neighbour from the periods beside it on either side."""
    if period == 0:
        raise ValueError("interp: the period is 0")
    x, xp = x % period, xp % period
    order = argsort(known(xp), -1, None)
    xp, fp = elements(xp, order), elements(fp, order)
    first, last = slice(0, 1), slice(-1, None)
    return (x, concatenate(getitem(xp, last) - period, xp, getitem(xp, first) + period, 0),
            concatenate(getitem(fp, last), fp, getitem(fp, first), 0))  # fmt: skip


@composition(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    """The value at x of the straight lines between the points (xp, fp); fp, or left and right, beyond them."""
    x, xp, fp = _double(x), _double(xp), _double(fp)
    if len(shape(xp)) != 1 or shape(xp) != shape(fp) or not shape(xp)[0]:
        raise ValueError(f"interp: xp and fp are vectors of one length; got shapes {shape(xp)} and {shape(fp)}")
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, abs(period))
        left = right = None
    n = shape(xp)[0]
    first, last = getitem(fp, 0), getitem(fp, n - 1)
    if n == 1:
        z = first + 0.0 * x
    else:
        j = interval(xp, x)
        slope = (elements(fp, j + 1) - elements(fp, j)) / (elements(xp, j + 1) - elements(xp, j))
        if np.any(np.isnan(x)):
            slope = slope * np.where(np.isnan(x), np.nan, 1.0)
        base = where(x == xp[-1], n - 1, j)  # there the value is the last one to the last bit
        z = slope * (x - elements(xp, base)) + elements(fp, base)
    z = where(x < xp[0], first if left is None else left, z)
    return where(x > xp[-1], last if right is None else right, z)
