"""Counts of values in bins. They are linear in the weights and locally constant in the values; edges may move."""

import numpy as np

from ...foreign import as_array, as_like
from ...levels import is_lazy, read
from ...table import composition, linear
from ..arrays.searching import searchsorted
from ..calculus.differences import diff
from ..indexing import fixed, getitem
from ..reductions import sum
from ..shaping import ravel
from ..where import where
from .histograms_of_points import histogram_bin_edges, plain_edges


@linear(lambda g, weights, at, length: getitem(g, at), name="bincount")
def _binned(weights, at, length):
    if is_lazy(type(weights)):
        at = as_like(at, weights).rechunk(weights.chunks)
    return np.bincount(at, weights, length)


@composition(np.bincount)
def bincount(x, weights=None, minlength=0):
    """The sum of the weights of every whole number from 0 on."""
    x = fixed(x)
    return np.bincount(x, minlength=minlength) if weights is None else _binned(weights, as_array(x), minlength)


def _counted_adjoint(g, weights, values, bins, range):
    edges = plain_edges(values, bins, range)
    inside = (values >= edges[0]) & (values <= edges[-1])
    return where(inside, getitem(g, np.clip(searchsorted(edges, values, "right") - 1, 0, len(edges) - 2)), 0.0)


@linear(_counted_adjoint, name="histogram")
def _counted(weights, values, bins, range):
    return np.histogram(values, bins, range, weights=weights)[0]


@composition(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """The sum of the weights in every bin, and the edges; edges at the smallest and largest value move with them."""
    values = np.ravel(read(a))
    counts, edges = np.histogram(values, fixed(bins), range)
    if weights is not None:
        counts = _counted(ravel(weights), values, fixed(bins), range)
    edges = histogram_bin_edges(a, bins, range)
    return (counts / diff(edges) / sum(counts, None, False), edges) if density else (counts, edges)
