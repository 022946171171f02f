"""A picture as a Mermaid flowchart, which many Markdown pages draw."""

from __future__ import annotations

from .colours import COLOURS
from .graph import FOLD, INPUT, Node, Picture
from .layout import small_texts
from .text import clean

SPECIAL = frozenset('"#&<>`*_~\\|{}[]()$%@;:!')
"""Characters that Mermaid or Markdown may read as more than themselves."""

STYLES = {
    **{
        kind: f"fill:{COLOURS[kind][0]},stroke:{COLOURS['line'][0]},color:{COLOURS['ink'][0]}"
        for kind in (INPUT, "output")
    },
    FOLD: "stroke-dasharray:5 4",
}


def mermaid(picture: Picture) -> str:
    """Write the picture as the text of a Mermaid file; nodes are called ``n`` and their key."""
    lines = ["flowchart TD", *(f'  n{node.key}["{_label(node)}"]{_class(node)}' for node in picture.nodes)]
    for edge in picture.edges:
        arrow = "---" if not picture.directed else "-->" if edge.active else "-.->"
        label = f'|"{_text(edge.label)}"|' if edge.label is not None else ""
        lines.append(f"  n{edge.start} {arrow}{label} n{edge.end}")
    lines += [f"  classDef {name} {style}" for name, style in STYLES.items()]
    return "\n".join([*lines, ""])


def _label(node: Node) -> str:
    texts = [node.text, *(f"{label} {text}".strip() for label, text in small_texts(node))]
    return "<br/>".join(map(_text, texts))


def _class(node: Node) -> str:
    name = "output" if node.is_output else node.kind
    return f":::{name}" if name in STYLES else ""


def _text(text: str) -> str:
    """Write a text with special characters as Mermaid's entities; also a sign in front, which would begin a list."""
    parts = [f"#{ord(c)};" if c in SPECIAL or (k == 0 and c in "+-=/") else c for k, c in enumerate(clean(text))]
    return "".join(parts) or "#32;"
