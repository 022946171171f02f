"""A picture in the language of Graphviz: ``dot -Tsvg graph.dot`` draws it."""

from __future__ import annotations

from .colours import COLOURS
from .graph import FOLD, INPUT, Node, Picture
from .layout import small_texts
from .text import clean

FILLS = {INPUT: COLOURS["input"][0], FOLD: COLOURS["ground"][0]}


def dot(picture: Picture) -> str:
    """Write the picture as the text of a DOT file; nodes are called ``n`` and their key."""
    lines = [
        "digraph tape {",
        f"  graph [label={_quoted(chr(10).join(picture.caption))} labeljust=l fontname=monospace fontsize=10]",
        "  node [shape=box fontname=monospace fontsize=11 style=filled fillcolor=white]",
        f"  edge [fontname=monospace fontsize=10{'' if picture.directed else ' dir=none'}]",
        *(f"  n{node.key} [{_attributes(node)}]" for node in picture.nodes),
    ]
    for edge in picture.edges:
        attributes = [f"label={_quoted(edge.label)}"] if edge.label is not None else []
        attributes += [] if edge.active else ["style=dashed"]
        shown = f" [{' '.join(attributes)}]" if attributes else ""
        lines.append(f"  n{edge.start} -> n{edge.end}{shown}")
    return "\n".join([*lines, "}\n"])


def _attributes(node: Node) -> str:
    """Return what a node shows: its texts one below the other; an output has a double border."""
    texts = [node.text, *(f"{label} {text}".strip() for label, text in small_texts(node))]
    attributes = [f"label={_quoted(chr(10).join(texts))}"]
    if node.kind in FILLS:
        attributes.append(f'fillcolor="{FILLS[node.kind]}"')
    if node.kind == FOLD:
        attributes.append('style="filled,dashed"')
    return " ".join([*attributes, *(["peripheries=2"] if node.is_output else [])])


def _quoted(text: str) -> str:
    """Return a string of DOT: a backslash begins an escape in a label, and one with an n a new line."""
    escaped = (clean(line).replace("\\", r"\\").replace('"', r"\"") for line in text.split("\n"))
    return '"' + r"\n".join(escaped) + '"'
