"""Histograms of several axes, and bin edges. Sums in bins are linear in the weights, locally constant in the points.

Edges that NumPy places evenly between the least and the greatest value move with these two.
"""

import numpy as np

from ...foreign import copy_of
from ...forms import dtype_of, shape
from ...levels import is_lazy, is_number, read
from ...table import composition, linear
from ...table.dispatch import refuse
from ..indexing import getitem
from ..reductions import max, min, sum
from ..shaping import array, astype, concatenate, expand_dims, reshape
from .reductions_where import chosen


def _evenly(low, high, like):
    """Evenly placed edges as np.linspace has them, as many as ``like``."""
    count = len(like) - 1
    edges = np.arange(count, dtype=like.dtype) * ((high - low) / count) + low
    return concatenate(edges, reshape(high, (1,), "C"), 0)


def _is_count(bins):
    return not is_number(type(bins)) and not isinstance(bins, (list, tuple)) and np.ndim(bins) == 0


def _edges(values, bins, ends, found):
    """Bin edges, of which NumPy's are ``found``, with the derivative of what they were made from."""
    if not _is_count(bins):
        bins = array(bins)
        return bins if is_number(type(bins)) else found
    if ends is None and not read(values).size:
        return found
    low, high = (min(values, None, False), max(values, None, False)) if ends is None else ends
    if not is_number(type(low)) and not is_number(type(high)):
        return found
    widened = 0.5 if low == high else 0.0
    return _evenly(low - widened, high + widened, found)


def _plain_ends(ends):
    return None if ends is None else tuple(map(read, ends))


def plain_edges(values, bins, range, weights=None):
    """Return the edges that NumPy finds; of lazy values they are not asked for where they do not depend on them."""
    if is_lazy(type(values)) and (range is not None or np.ndim(bins)):
        values, weights = np.zeros(1), None
    why = "the least and the greatest of its values; give range="
    refuse(is_lazy, "np.histogram_bin_edges", why, [values, bins, weights])
    return np.histogram_bin_edges(values, bins, range, weights)


@composition(np.histogram_bin_edges)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins; how many there are is locally constant."""
    a = array(a)
    found = plain_edges(read(a), read(array(bins)), _plain_ends(range), read(weights))
    return _edges(a, bins, range, found)


def _pull(g, weights, columns, edges):
    """Each point's weight is in one sum, or in none."""
    places, inside = [], True
    for v, e in zip(columns, edges, strict=True):
        places.append(np.clip(np.searchsorted(e, v, "right") - 1, 0, len(e) - 2))
        inside = inside & (v >= e[0]) & (v <= e[-1])
    return chosen(getitem(g, tuple(places)), inside)


@linear(_pull, name="histogramdd")
def _binned(weights, columns, edges):
    return np.histogramdd(columns, edges, weights=weights)[0]


@composition(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """The sums of the weights in every cell, and the edges along each axis."""
    columns = _columns(sample)
    count = len(columns)
    each = [bins] * count if _is_count(bins) else list(bins)
    ends = [None] * count if range is None else list(range)
    points = tuple(copy_of(read(v)) for v in columns)
    cells, found = np.histogramdd(points, [read(array(b)) for b in each], [_plain_ends(e) for e in ends])
    edges = tuple(map(_edges, columns, each, ends, found))
    if weights is not None:
        cells = _binned(weights, points, found)
    return (_density(cells, edges) if density else cells), edges


def _columns(sample):
    """Return the points' coordinates, axis by axis, of one dtype."""
    if not isinstance(sample, (list, tuple)):
        axes = np.arange(shape(sample)[1]).tolist() if len(shape(sample)) == 2 else []
        return [getitem(sample, (slice(None), k)) for k in axes] or [sample]
    columns = [array(v) for v in sample]
    together = np.result_type(*map(read, columns))
    return [v if dtype_of(v) == together else astype(v, together) for v in columns]


def _density(cells, edges):
    """Divided by the sizes of the cells and by the sum."""
    total = sum(cells, None, False)
    for k, e in enumerate(edges):
        widths = getitem(e, slice(1, None)) - getitem(e, slice(None, -1))
        rest = len(edges) - 1 - k
        cells = cells / (expand_dims(widths, tuple(np.arange(1, 1 + rest).tolist())) if rest else widths)
    return cells / total


@composition(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """The sums of the weights in every cell, and the edges along x and y."""
    if not _is_count(bins) and len(bins) != 2:
        bins = [bins, bins]
    cells, (x_edges, y_edges) = histogramdd([x, y], bins, range, density, weights)
    return cells, x_edges, y_edges
