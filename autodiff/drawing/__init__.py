"""Drawings of tapes: as SVG, in the languages of Graphviz and Mermaid, and moving, as a page and as a GIF."""

from __future__ import annotations

from typing import Any

from ..by_hand import ByHand
from ..leaf import Constant
from ..tape import Tape
from ..variable import Variable
from .animation import Animation, animate
from .graph import WRITERS, Edge, Node, Picture, ancestors, picture
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
    "tree_size",
]


def draw_graph(of: Any) -> Picture:
    """A drawing of how a Variable was computed, or of a tape; a notebook shows it, ``.save("graph.svg")`` keeps it.

    Every line shows its value, each edge the partial derivative, and if the result is one real number, every line its
    adjoint. Raises TypeError for anything else than a Variable or a `Tape`.

    >>> from autodiff import Variable
    >>> x, y = Variable(2.0, name="x"), Variable(3.0, name="y")
    >>> [node.text for node in draw_graph(x * y + x).nodes]
    ['x', 'y', 'v2 = x * y', 'v3 = v2 + x']
    """
    if isinstance(of, Tape):
        return picture(of)
    if not isinstance(of, Variable) or isinstance(of, Constant):
        raise TypeError(f"draw_graph takes a Variable or a Tape, as autodiff.record(f, args) returns; got {of!r:.60}")
    line = of.recorded() if isinstance(of, ByHand) else of  # a leaf has no tape
    return picture(line.tape, line, lines=ancestors(line.tape, line.line))
