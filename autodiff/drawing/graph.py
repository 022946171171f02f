"""What is drawn of a tape, before it is known where or in which language: nodes, edges and their short texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dualnumbers.forms import is_unreal, shape

from ..objects.leaf import Constant
from ..objects.result import ByHand
from ..symbols.lines import rule
from ..tape.listing import MANY, distinct, expression_of, named_inputs, value_text, variable_names
from ..tape.sweep import swept
from ..tape.variable import Variable
from ..tape.wengert import Tape
from .files import write
from .repeats import Fold, folded
from .steps import one, partial
from .text import concise, cut

INPUT, OPERATION, CONSTANT, FOLD = "input", "operation", "constant", "fold"
"""The kinds of node; a fold stands for lines that are not drawn."""


MERGED = "n × on an edge: so many operands"


@dataclass(frozen=True)
class Node:
    """One line of a tape, or a fold of many; ``key`` is its own in the picture."""

    key: int
    line: int
    """The number of the line; of a fold the first that it hides."""
    kind: str
    name: str
    """The variable; of a fold what it hides."""
    text: str
    """What the box says first, such as ``v2 = x * y``."""
    value: str | None
    adjoint: str | None
    is_output: bool
    depth: int
    """How many steps from the inputs, along the longest way."""
    lines: Sequence[int] = ()
    """The lines of the tape that the box stands for."""


@dataclass(frozen=True)
class Edge:
    """``start`` is operand number ``place`` of ``end``; both are keys of nodes."""

    start: int
    end: int
    place: int
    partial: str | None
    """∂end/∂start, of elementwise functions and one operand."""
    active: bool
    """Whether a derivative passes."""
    count: int = 1
    """How many operands this edge stands for."""
    rule: str | None = None
    """The rule behind it in symbols, which a drawing shows to the pointer."""

    @property
    def label(self) -> str | None:
        """The text on the edge."""
        return self.partial if self.count == 1 else f"{self.count} ×"

    @property
    def said(self) -> str | None:
        """The rule and the number that it gives."""
        return self.rule if self.rule is None or self.partial is None else f"{self.rule} = {self.partial}"


@dataclass(frozen=True)
class Picture:
    """What is drawn; a notebook shows it. Nodes are in an order in which every edge points forward."""

    nodes: list[Node]
    edges: list[Edge]
    title: str
    caption: tuple[str, ...] = ()
    directed: bool = True
    """Whether edges have arrowheads."""

    def __repr__(self) -> str:
        return f"<{self.title}, drawn in {len(self.nodes)} box{'es' * (len(self.nodes) != 1)}>"

    def to_svg(self) -> str:
        """Return it as SVG, complete in itself; each group of a line has its number in ``data-line``."""
        from .svg import svg

        return svg(self)

    def to_dot(self) -> str:
        """Return it in the language of Graphviz."""
        from .dot import dot

        return dot(self)

    def to_mermaid(self) -> str:
        """Return it as a Mermaid flowchart."""
        from .mermaid import mermaid

        return mermaid(self)

    def save(self, path: str | Path) -> None:
        """Write a file ``.svg``, ``.dot`` or ``.mmd`` (Mermaid), in place of one that is there.

        Raises ValueError for another ending.
        """
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in WRITERS:
            raise ValueError(f"{path.name}: a drawing is saved as {', '.join(WRITERS)}")
        write(path, WRITERS[ending](self))

    _repr_svg_ = to_svg


WRITERS = {".svg": Picture.to_svg, ".dot": Picture.to_dot, ".mmd": Picture.to_mermaid}
"""The endings of files that hold a drawing → what writes them."""


def picture(
    tape: Tape,
    out: Any = None,
    names: Sequence[str] | None = None,
    adjoints: Sequence[Any] | None = None,
    lines: Iterable[int] | None = None,
    fold: bool | None = None,
    unread: bool = True,
) -> Picture:
    """Choose what is drawn of a tape: of more than some 60 lines repeated parts once, with how often they come.

    With ``fold`` a short tape's are too, such as four rounds of a loop; ``fold=False`` draws every line. With
    ``unread=False`` lines that no output reads are left out.

    ``out`` is the output or a tuple of outputs, as Variables or line numbers; a tape from `autodiff.record` knows its
    own. If it is one real number, each line shows its adjoint; else give ``adjoints``, one for each line, as
    ``tape.adjoints`` returns them. ``names`` are those of the inputs; a tape from
    `autodiff.record` knows the parameters of the function. ``lines``: only these are drawn.

    Raises ValueError where ``out`` is not of this tape, or adjoints or names are not one for each line or input.
    """
    outputs = output_lines(tape, out)
    if adjoints is None and len(outputs) == 1 and _is_real_number(tape.values[outputs[0]]):
        adjoints, _ = swept(tape, {outputs[0]: one(tape.values[outputs[0]])}, keep=True)
    if adjoints is not None and len(adjoints) != len(tape):
        raise ValueError(f"{len(adjoints)} adjoints for the {len(tape)} lines of the tape: give one for each line")
    variables = variable_names(len(tape), short_names(tape, names))
    chosen = sorted(set(range(len(tape)) if lines is None else lines))
    if chosen and not 0 <= chosen[0] <= chosen[-1] < len(tape):
        raise ValueError(f"lines are numbers of lines, 0 to {len(tape) - 1}; got {chosen[0]} to {chosen[-1]}")
    if not unread and outputs:
        read = set().union(*map(tape.ancestors, outputs))
        chosen = [line for line in chosen if line in read]
    items = folded(tape, chosen, fold)
    drawing = _Drawing(tape, variables, adjoints, set(outputs))
    for item in items:
        drawing.add(item)
    result = "the result" if len(outputs) != 1 else variables[outputs[0]]
    caption = []
    if adjoints is not None and drawing.nodes:
        caption.append(f"adjoint: the derivative of {result} by that line")
    if any(edge.partial is not None for edge in drawing.edges):
        caption.append("on an edge: the partial derivative of a line by what it reads")
    if any(edge.count > 1 for edge in drawing.edges):
        caption.append(MERGED)
    title = f"A tape of {len(chosen)} line{'s' * (len(chosen) != 1)}"
    return Picture(drawing.nodes, drawing.edges, title, tuple(caption))


def output_lines(tape: Tape, out: Any) -> list[int]:
    """Return the lines of the outputs, which may be given as Variables or as numbers of lines."""
    if out is None:
        return tape.outputs
    found = []
    for x in out if isinstance(out, (tuple, list)) else [out]:
        if isinstance(x, Variable):
            if x.tape is not tape:
                raise ValueError("out is a Variable of another tape than the one that is drawn")
            x = x.line
        if not isinstance(x, (int, np.integer)) or not 0 <= x < len(tape):
            raise ValueError(f"out is a Variable of the tape or the number of one of its {len(tape)} lines; got {x!r}")
        found.append(int(x))
    return found


def short_names(tape: Tape, names: Sequence[str] | None) -> dict[int, str]:
    """Return the names of input lines as they fit into a box."""
    return distinct(tape, {line: cut(name) for line, name in named_inputs(tape, names).items()})


def traced(of: Any, caller: str) -> tuple[Tape, Any, list[int] | None]:
    """Return the tape of what is to be drawn, a tape or a Variable; the output and the lines, None for all of them."""
    if isinstance(of, Tape):
        return of, None, None
    if not isinstance(of, Variable) or isinstance(of, Constant):
        raise TypeError(
            f"{caller} takes a Variable or a Tape, the first of the two that autodiff.record(f, args) "
            f"returns; a result of no_grad() is neither; got {of!r:.60}"
        )
    line = of.recorded() if isinstance(of, ByHand) else of  # a leaf has no tape
    return line.tape, line, line.tape.ancestors(line.line)


def _is_real_number(value: Any) -> bool:
    return not shape(value) and not is_unreal(value) and not isinstance(value, (bool, np.bool_))


def _merged(edges: Sequence[Edge]) -> list[Edge]:
    """Return one edge for all from one box."""
    groups: dict[tuple[int, bool], list[Edge]] = {}
    for edge in edges:
        groups.setdefault((edge.start, edge.active), []).append(edge)
    return [
        replace(first, partial=None, count=1 + len(more), rule=None) if more else first
        for first, *more in groups.values()
    ]


class _Drawing:
    """Nodes and edges, as they are found line by line."""

    def __init__(self, tape: Tape, variables: list[str], adjoints: Sequence[Any] | None, outputs: set[int]) -> None:
        self.tape, self.variables, self.adjoints, self.outputs = tape, variables, adjoints, outputs
        self.inputs = set(tape.inputs)
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.owner: dict[int, Node] = {}
        """The node that a line is drawn in."""

    def add(self, item: int | Fold) -> None:
        """Draw a line or a fold with the edges that lead to it."""
        if isinstance(item, Fold):
            node, edges = self._fold(item)
        else:
            node, edges = self._line(item), self._edges(item)
        depths = {e.start: self.owner[e.start].depth for e in edges}
        node = replace(node, depth=1 + max(depths.values(), default=-1))
        self.nodes.append(node)
        self.edges += edges
        self.owner.update(dict.fromkeys(item.lines if isinstance(item, Fold) else (item,), node))

    def _line(self, line: int) -> Node:
        row, variable = self.tape.rows[line], self.variables[line]
        kind = OPERATION if row is not None else INPUT if line in self.inputs else CONSTANT
        text = variable if kind == INPUT else cut(f"{variable} = {expression_of(self.tape, line, self.variables)}")
        adjoint = None
        if self.adjoints is not None and (row is None or not row.is_constant):
            adjoint = "0" if self.adjoints[line] is None else concise(self.adjoints[line])
        return Node(line, line, kind, variable, text, value_text(self.tape, line, concise), adjoint,
                    line in self.outputs, 0, (line,))  # fmt: skip

    def _edges(self, line: int) -> list[Edge]:
        row, found = self.tape.rows[line], []
        reads = self.tape.reads(line)
        for place, operand, active in reads:
            if operand in self.owner:
                assert row is not None
                active = active and not row.is_constant and row.passes(place)
                slope = partial(self.tape, line, place) if active else None
                label = None if slope is None else concise(slope)
                symbols = rule(self.tape, line, place, self.variables) if active and len(reads) <= MANY else None
                found.append(Edge(self.owner[operand].key, line, place, label, active, rule=symbols))
        return found if len(found) <= MANY else _merged(found)

    def _fold(self, fold: Fold) -> tuple[Node, list[Edge]]:
        first, last = fold.lines[0], fold.lines[-1]
        starts: dict[int, bool] = {}
        inside = set(fold.lines)
        for line in fold.lines:
            for _, operand, active in self.tape.reads(line):
                if operand not in inside and operand in self.owner:
                    start = self.owner[operand].key
                    starts[start] = starts.get(start, False) or active
        count, name = len(fold.lines), f"{self.variables[first]} to {self.variables[last]}"
        text = f"… {fold.times} × like this …" if fold.times else f"… {count} lines left out …"
        if 1 < fold.times < count:
            name += f", {count // fold.times} lines each"
        node = Node(first, first, FOLD, name, text, None, None, not self.outputs.isdisjoint(inside), 0, fold.lines)
        return node, [Edge(start, first, place, None, active) for place, (start, active) in enumerate(starts.items())]
