"""A tape unfolded into the expression tree of an output, in which a line stands as often as it is read.

That is the form in which symbolic differentiation writes a derivative: the tree of a recorded derivative shows how it
swells, while the tape grows by a constant factor only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tape.listing import INFIX, PREFIX, variable_names
from ..tape.program import line_of
from ..tape.wengert import Tape
from .graph import CONSTANT, INPUT, OPERATION, Edge, Node, Picture, output_lines, short_names
from .text import concise

LARGEST, UNCOUNTED = 1000, 10**18
"""Nodes of a tree up to which it is drawn, and up to which an error says how many there are."""


def tree_size(tape: Tape, out: Any = None) -> int:
    """Count the nodes of the expression tree of an output, without unfolding it."""
    return _size(tape, _one(tape, out))


def _size(tape: Tape, line: int, most: int | None = None) -> int:
    """Count the nodes of the tree of a line; where there are more than ``most``, return any larger number."""
    sizes: list[int] = []
    for k in range(line + 1):
        size = 1 + sum(1 if line_of(operand) is None else sizes[operand] for operand in _operands(tape, k))
        sizes.append(size if most is None else min(size, most + 1))
    return sizes[line]


def expression_tree(tape: Tape, out: Any = None, names: Sequence[str] | None = None) -> Picture:
    """Draw an output's expression tree, its root on top; ``out`` and ``names`` as in `autodiff.drawing.picture`.

    Raises TypeError for what is no tape, ValueError where there is not one output, or the tree has more than
    ``LARGEST`` nodes.

    >>> from autodiff import record
    >>> tape, out = record(lambda x: (x * x) * (x * x), [3.0])
    >>> [node.text for node in expression_tree(tape).nodes]
    ['*', '*', 'x', 'x', '*', 'x', 'x']
    """
    if not isinstance(tape, Tape):
        raise TypeError(f"expression_tree takes a Tape, the first of the two that record returns; got {tape!r:.60}")
    size = _size(tape, _one(tape, out), UNCOUNTED)
    if size > LARGEST:
        many = size if size <= UNCOUNTED else f"more than {UNCOUNTED:.0e}"
        raise ValueError(f"the expression tree has {many} nodes; at most {LARGEST} are drawn. A tape draws at any size")
    variables = variable_names(len(tape), short_names(tape, names))
    nodes: list[Node] = []
    edges: list[Edge] = []
    waiting: list[tuple[int, int | None, int, int]] = [(_one(tape, out), None, 0, 0)]
    while waiting:
        operand, parent, place, depth = waiting.pop()
        key = len(nodes)
        if parent is not None:
            edges.append(Edge(parent, key, place, None, True))
        nodes.append(_node(tape, operand, variables, key, depth))
        operands = list(enumerate(_operands(tape, operand)))
        waiting += [(child, key, k, depth + 1) for k, child in reversed(operands)]
    return Picture(nodes, edges, f"An expression tree of {size} node{'s' * (size > 1)}", directed=False)


def _one(tape: Tape, out: Any) -> int:
    lines = output_lines(tape, out)
    if len(lines) != 1:
        raise ValueError(f"an expression tree is of one output, and there are {len(lines)}: give out=")
    return lines[0]


def _operands(tape: Tape, operand: int) -> list[int]:
    """Return the operands of a line, each line by its number; a constant has none."""
    if operand < 0:
        return []
    return [k if (line := line_of(k)) is None else line for k in tape.operands(operand)]


def _node(tape: Tape, operand: int, variables: list[str], key: int, depth: int) -> Node:
    row = tape.rows[operand] if operand >= 0 else None
    if operand < 0:
        text, kind = concise(tape.value(operand)), CONSTANT
    elif row is None:
        text, kind = variables[operand], INPUT if operand in tape.inputs else CONSTANT
    else:
        text, kind = INFIX.get(row.name) or PREFIX.get(row.name) or row.shown, OPERATION
    return Node(key, operand, kind, text, text, None, None, depth == 0, depth)
