"""Drawings of tapes: as SVG, in the languages of Graphviz and Mermaid, and moving, as a page and as a GIF."""

from __future__ import annotations

from typing import Any

from .animation import Animation, animate
from .graph import WRITERS, Edge, Node, Picture, picture, traced
from .plots import plot_difference_error, plot_surface_path
from .tree import expression_tree, tree_size

__all__ = [
    "WRITERS",
    "Animation",
    "Edge",
    "Node",
    "Picture",
    "animate",
    "draw_graph",
    "expression_tree",
    "picture",
    "plot_difference_error",
    "plot_surface_path",
    "tree_size",
]


def draw_graph(of: Any, fold: bool | None = None, unread: bool = True) -> Picture:
    """Draw how a Variable was computed, or a tape; a notebook shows it, ``.save("graph.svg")`` keeps it.

    Every line shows its value, each edge the partial derivative, and if the result is one real number, every line its
    adjoint. Of more than some 60 lines repeated parts are drawn once, with how often they come; with ``fold`` so are
    those of a short tape, such as the rounds of a loop, and with ``fold=False`` none. With ``unread=False`` lines that
    no output reads are left out. Raises TypeError for anything else than a Variable or a `Tape`.

    >>> from autodiff import Variable
    >>> x, y = Variable(2.0, name="x"), Variable(3.0, name="y")
    >>> [node.text for node in draw_graph(x * y + x).nodes]
    ['x', 'y', 'v2 = x * y', 'v3 = v2 + x']
    """
    tape, out, lines = traced(of, "draw_graph")
    return picture(tape, out, lines=lines, fold=fold, unread=unread)
