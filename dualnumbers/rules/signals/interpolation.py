"""Interpolation between points by straight lines.

At a knot the slope is that of the interval which begins there; at the last knot, of the interval which ends there.
"""

import math

import numpy as np

from ...foreign import as_like, elements_of, is_foreign
from ...forms import asked, dtype_of, shape, type_of
from ...levels import has_nan, known
from ...table import composition, locally_constant_of_arrays, smooth
from ...table.kinds import Linear, Smooth
from ..arrays.computed_places import elements, given_back, taken
from ..arrays.searching import argsort, searchsorted
from ..comparisons import equal, isnan
from ..complexes import conj
from ..indexing import getitem
from ..shaping import array, astype, concatenate
from ..where import nowhere, where


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


@locally_constant_of_arrays(2, core="(i),()->()")
def line_at(xp, x):
    """Number the line that the value at each x lies on: −1 before the first point, n − 1 behind the last of n."""
    n = len(xp)
    return np.where(x > xp[-1], n - 1, np.minimum(np.searchsorted(xp, x, "right") - 1, n - 2))[()]


def _ends(line, xp):
    """Return the numbers of the points that each line joins, twice that of the outer point where there is no line."""
    return np.maximum(line, 0), np.minimum(line + 1, shape(xp)[0] - 1)


def _per_length(rise, xp, low, high):
    """Return something divided by the lengths of lines; 0 where there is no line."""
    outside, length = equal(low, high), taken(xp, high) - taken(xp, low)
    return rise / length if nowhere(outside) else where(outside, 0.0, rise / where(outside, 1.0, length))


def _slope(x, xp, fp, line):
    """Return the slopes of lines: the partials by x."""
    low, high = _ends(line, xp)
    slope = _per_length(taken(fp, high) - taken(fp, low), xp, low, high)
    missing = isnan(known(x))
    return slope if nowhere(missing) else where(missing, math.nan, slope)


def _spread(g, z, x, xp, fp, line):
    """Return the adjoint of the values between which z lies: each gets the part of g that it has in z."""
    low, high = _ends(line, xp)
    part = _per_length(x - taken(xp, low), xp, low, high)
    return given_back((1.0 - part) * g, low, shape(xp)) + given_back(part * g, high, shape(xp))


def _joint_pull(g, z, x, xp, fp, line):
    """x̄ = s̄ z̄ with the slope s, x̄p = −Fᵀ(x̄) and f̄p = Fᵀ(z̄), where z = F(fp)."""
    by_x = conj(_slope(x, xp, fp, line)) * g
    return by_x, -_spread(by_x, z, x, xp, fp, line), _spread(g, z, x, xp, fp, line), None


@smooth(
    Smooth(lambda dx, z, x, xp, fp, line: _slope(x, xp, fp, line) * dx,
           lambda g, z, x, xp, fp, line: conj(_slope(x, xp, fp, line)) * g),
    Smooth(lambda dxp, z, x, xp, fp, line: -_slope(x, xp, fp, line) * _interp(x, xp, dxp, line)),
    Linear(lambda g, x, xp, fp, line: _spread(g, None, x, xp, fp, line)),
    None,
    joint=_joint_pull,
)  # fmt: skip
def _interp(x, xp, fp, line):
    """NumPy's function would search for the lines again, which takes longer than all the rest."""
    low, high = _ends(line, xp)
    with np.errstate(all="ignore"):  # as NumPy's
        below = elements_of(fp, low)
        slope = (elements_of(fp, high) - below) / (elements_of(xp, high) - elements_of(xp, low) + (low == high))
        base = np.where(x == xp[-1], -1, low)  # there the value is the last one to the last bit
        z = slope * (x - elements_of(xp, base)) + elements_of(fp, base)
    return np.interp(x, xp, fp) if has_nan(z) else z


@composition(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    """The value at x of the straight lines between the points (xp, fp); fp, or left and right, beyond them."""
    x, xp, fp = map(_double, (x, xp, fp))
    like = next((v for v in (x, xp, fp) if is_foreign(type_of(v))), x)
    x, xp, fp = (as_like(v, like) for v in (x, xp, fp))
    if len(shape(xp)) != 1 or shape(xp) != shape(fp) or not shape(xp)[0]:
        raise ValueError(f"interp: xp and fp are vectors of one length; got shapes {shape(xp)} and {shape(fp)}")
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, abs(period))
        left = right = None
    z = _interp(x, xp, fp, line_at(known(xp), known(x)))
    z = z if left is None else where(x < xp[0], left, z)
    return z if right is None else where(x > xp[-1], right, z)
