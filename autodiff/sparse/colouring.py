"""Colouring: which columns, or rows, of a sparse matrix are found together, by one tangent or one adjoint.

Columns that share no row are *structurally orthogonal*: their sum, one product of the matrix with a vector, has each of
their elements at a place of its own (Curtis, Powell & Reid 1974). A colour is a set of such columns. In a symmetric
matrix an element may be read off in one of two places, which takes fewer colours: a *star colouring*, in which every
path of four vertices has three colours or more (Coleman & Moré 1984).

>>> import numpy as np
>>> from scipy.sparse import csr_array
>>> tridiagonal = csr_array(np.tri(5, k=1) - np.tri(5, k=-2))
>>> columns(tridiagonal).tolist()
[0, 1, 2, 0, 1]
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

CROWDED = 4
"""A vertex of a graph with more neighbours than so many times the mean, and `FEW`, gets a colour of its own."""

FEW = 16


def columns(pattern: Any, thorough: bool = True) -> Any:
    """Return a colour for each column of a pattern, integers of shape ``(n,)``: no two of one colour share a row.

    Greedy, in the order of the columns and in that of falling numbers of elements; the better of the two. Where there
    are more colours than one row has elements, it is coloured once more, if ``thorough``: one colour after the other in
    an order drawn at random, which takes as many colours or fewer (Culberson, *Iterated greedy graph coloring*, 1992);
    4 and not 5 of a ring of 8.
    """
    by_column, least = pattern.tocsc(), np.max(np.diff(pattern.tocsr().indptr), initial=0)
    rows = _lists(by_column.indices, by_column.indptr)
    colours = _greedy(rows, range(len(rows)), pattern.shape[0])
    if np.max(colours, initial=-1) + 1 > least:
        largest_first = np.argsort(-np.diff(by_column.indptr), kind="stable").tolist()
        other = _greedy(rows, largest_first, pattern.shape[0])
        colours = min(colours, other, key=np.max)
    count = np.max(colours, initial=-1) + 1
    if count <= least or not thorough:
        return colours
    drawn = np.random.default_rng(0).permutation(count)
    return _greedy(rows, np.argsort(drawn[colours], kind="stable").tolist(), pattern.shape[0])


def _lists(indices: Any, starts: Any) -> list[list[int]]:
    """Return the parts of an array between starts, as lists."""
    whole = indices.tolist()
    return [whole[start:stop] for start, stop in pairwise(starts.tolist())]


def _greedy(rows: list[list[int]], order: Iterable[int], height: int) -> Any:
    """Colour columns, given by their rows, in an order; each row has the colours in it as the bits of an integer."""
    in_row, colours = [0] * height, np.zeros(len(rows), np.intp)
    for column in order:
        used = 0
        for row in rows[column]:
            used |= in_row[row]
        free = ~used & (used + 1)
        for row in rows[column]:
            in_row[row] |= free
        colours[column] = free.bit_length() - 1
    return colours


def star(pattern: Any) -> Any:
    """Return a star colouring of the graph of a symmetric pattern, an integer for each of its columns.

    Columns crowded with elements get a colour each first, and leave the graph: an arrowhead has 2 colours. The others
    are coloured greedily, in their order and in that of falling numbers of neighbours, by algorithm 4.1 of Gebremedhin,
    Tarafdar, Manne & Pothen (*New acyclic and star coloring algorithms with application to computing Hessians*, SIAM J.
    Sci. Comput. 29, 2007), or as `columns` are where that takes fewer.
    """
    from scipy.sparse import csr_array, eye_array

    edges, n = pattern.tocoo(), pattern.shape[0]
    degrees = np.bincount(edges.row, minlength=n)
    crowded: Any = degrees > max(FEW, CROWDED * edges.nnz / max(n, 1))
    inside = (edges.row != edges.col) & ~crowded[edges.row] & ~crowded[edges.col]
    graph = csr_array((inside[inside], (edges.row[inside], edges.col[inside])), shape=pattern.shape)
    whole = graph + eye_array(n, dtype=bool)
    neighbours, left = _lists(graph.indices, graph.indptr), np.flatnonzero(~crowded)
    orders = left, left[np.argsort(-np.diff(graph.indptr)[left], kind="stable")]
    found = [np.array(_Stars(neighbours).coloured(order.tolist()), np.intp) for order in orders]
    colours = min(*found, columns(whole), key=lambda colours: np.max(colours, initial=-1))
    colours[crowded] = np.max(colours, initial=-1) + 1 + np.arange(np.count_nonzero(crowded))
    return colours


class _Stars:
    """The stars of a graph that is being coloured: the sets of edges that two colours have in common."""

    def __init__(self, neighbours: list[list[int]]) -> None:
        self.neighbours, self.count = neighbours, len(neighbours)
        self.colours = [-1] * self.count
        self.star_of: dict[int, int] = {}
        """Edge → the number of its star."""
        self.hubs: list[int] = []
        """The vertex that all edges of a star share; −1 of a star of one edge."""

    def _edge(self, v: int, w: int) -> int:
        return v * self.count + w if v < w else w * self.count + v

    def coloured(self, order: list[int]) -> list[int]:
        """Colour the vertices in an order; −1 stays of others."""
        for v in order:
            self._colour(v)
        return self.colours

    def _colour(self, v: int) -> None:
        colours, neighbours, forbidden = self.colours, self.neighbours, 0
        first: dict[int, int] = {}
        treated: set[int] = set()
        for w in neighbours[v]:
            of_w = colours[w]
            if of_w < 0:
                continue
            forbidden |= 1 << of_w
            if of_w in first:  # v has two neighbours of one colour: it will be the hub of their star
                for x in {first[of_w], w} - treated:
                    treated.add(x)
                    for y in neighbours[x]:
                        if colours[y] >= 0:
                            forbidden |= 1 << colours[y]
            else:
                first[of_w] = w
                for x in neighbours[w]:
                    if colours[x] >= 0 and x != v and self.hubs[self.star_of[self._edge(w, x)]] == x:
                        forbidden |= 1 << colours[x]
        colours[v] = (~forbidden & (forbidden + 1)).bit_length() - 1
        self._join_stars(v, first)

    def _join_stars(self, v: int, first: dict[int, int]) -> None:
        """Put each edge from a vertex that was coloured now into a star."""
        colours, neighbours = self.colours, self.neighbours
        for w in neighbours[v]:
            if colours[w] < 0:
                continue
            x = next((x for x in neighbours[w] if x != v and colours[x] == colours[v]), None)
            other = first[colours[w]]
            if x is not None:
                star, hub = self.star_of[self._edge(w, x)], w
            elif other != w:
                star, hub = self.star_of[self._edge(v, other)], v
            else:
                star, hub = len(self.hubs), -1
                self.hubs.append(hub)
            self.hubs[star] = hub
            self.star_of[self._edge(v, w)] = star


def direct(pattern: Any, colours: Any) -> Any:
    """Return for each element of a CSR pattern whether its column is the only one of its colour in its row."""
    count = int(np.max(colours, initial=-1)) + 1
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    _, groups, sizes = np.unique(rows * count + colours[pattern.indices], return_inverse=True, return_counts=True)
    return sizes[groups] == 1
