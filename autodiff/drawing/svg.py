"""A picture as SVG, complete in itself: no script, no font, no file besides; readable on a dark page too.

Each node is a group of class ``node`` and its kind (``input operation constant fold``, and ``output``) with
``data-key`` and ``data-line``; each edge one of class ``edge`` with ``data-from``, ``data-to`` (keys) and
``data-place``. What they show are texts of class ``text``, ``value``, ``adjoint`` and ``partial``.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr, unescape

from .colours import COLOURS
from .graph import Node, Picture
from .layout import HEADING, MARGIN, SMALL, SMALL_HEIGHT, Box, Layout, Route, layout
from .text import clean, width

FONT = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"


def svg(picture: Picture) -> str:
    """Write the picture as the text of an SVG file."""
    return drawn(layout(picture), 'style="max-width:100%;height:auto" ')


def drawn(placed: Layout, style: str = "") -> str:
    """Write a picture of which all places are known as the text of an SVG file; ``style`` is an attribute of all."""
    picture = placed.picture
    size = f"{placed.width:.0f}", f"{placed.height:.0f}"
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" class="autodiff-picture" role="img" '
        f'aria-label={_quoted(picture.title)} width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" {style}font-family="{FONT}" '
        f'font-size="{SMALL:g}">',
        f"<title>{_text(picture.title)}</title>",
        f"<desc>{_text(description(picture))}</desc>",
        f"<style>{style_sheet()}</style>",
        f'<rect class="ground" width="100%" height="100%" fill="{COLOURS["ground"][0]}"/>',
        '<g class="edges">',
        *(_edge(route, picture.directed) for route in placed.routes),
        "</g>",
        '<g class="nodes">',
        *map(_node, placed.boxes),
        "</g>",
        *_caption(placed),
        "</svg>\n",
    ]
    return "\n".join(parts)


def description(picture: Picture) -> str:
    """Say all that the picture says, in words."""
    return f"{picture.title}: {'; '.join(map(_said, picture.nodes))}." if picture.nodes else f"{picture.title}."


def _said(node: Node) -> str:
    rows = (("value", node.value), ("adjoint", node.adjoint))
    return ", ".join([node.text, *(f"{label} {text}" for label, text in rows if text is not None)])


def style_sheet() -> str:
    """Return the colours as a style sheet for drawings of this kind only, wherever it stands.

    A drawing in a page is as dark as the page says that it is, by ``color-scheme``, one in a file as the reader's
    system; where a browser knows no ``light-dark`` it is light.
    """
    rules = {
        ".ground": ("fill", "ground"), ".text": ("fill", "ink"), ".value": ("fill", "ink"),
        ".hidden-lines": ("fill", "ink"), ".label": ("fill", "grey"), ".caption": ("fill", "grey"),
        ".adjoint": ("fill", "adjoint"), ".partial": ("fill", "partial"), ".path": ("stroke", "line"),
        ".head": ("fill", "line"), ".box": ("fill", "box"), ".node .box": ("stroke", "line"),
        ".input .box": ("fill", "input"), ".output .box": ("fill", "output"),
    }  # fmt: skip

    return ":root.autodiff-picture{color-scheme:light dark}" + "".join(
        f".autodiff-picture {which}{{{what}:{COLOURS[colour][0]};{what}:light-dark({','.join(COLOURS[colour])})}}"
        for which, (what, colour) in rules.items()
    )


def _edge(route: Route, directed: bool) -> str:
    edge, (x, y) = route.edge, route.end
    dash = "" if edge.active else ' stroke-dasharray="3 3"'
    parts = [
        f'<g class="edge{"" if edge.active else " fixed"}" data-from="{edge.start}" data-to="{edge.end}" '
        f'data-place="{edge.place}">',
        f'<path class="path" d="{route.path}" fill="none" stroke="{COLOURS["line"][0]}"{dash}/>',
    ]
    if edge.said is not None:
        parts.insert(1, f"<title>{_text(edge.said)}</title>")
    if directed:
        parts.append(f'<path class="head" d="M{x:.1f} {y:.1f}l-3.5 -7h7z" fill="{COLOURS["line"][0]}"/>')
    if edge.label is not None:
        parts.append(_label(*route.label, edge.label))
    return "".join([*parts, "</g>"])


def _node(box: Box) -> str:
    node = box.node
    kinds = f"node {node.kind}{' output' if node.is_output else ''}"
    fill = COLOURS[box.colour][0]
    dash = ' stroke-dasharray="5 4"' if node.kind == "fold" else ""
    middle, y = box.base(0)
    parts = [
        f'<g class="{kinds}" data-key="{node.key}" data-line="{node.line}" data-name={_quoted(node.name)}>',
        f'<rect class="box" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="5" '
        f'fill="{fill}" stroke="{COLOURS["line"][0]}"{dash}/>',
        f'<text class="text" x="{middle:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{HEADING:g}" '
        f'fill="{COLOURS["ink"][0]}">{_text(node.text)}</text>',
    ]
    for k, (label, text) in enumerate(box.rows):
        _, down = box.base(k + 1)
        colour = COLOURS["adjoint" if label == "adjoint" else "ink"][0]
        named = f'<tspan class="label" fill="{COLOURS["grey"][0]}">{label} </tspan>' if label else ""
        parts.append(
            f'<text x="{middle:.1f}" y="{down:.1f}" text-anchor="middle" xml:space="preserve">{named}'
            f'<tspan class="{label or "hidden-lines"}" fill="{colour}">{_text(text)}</tspan></text>'
        )
    return "".join([*parts, "</g>"])


def _caption(placed: Layout) -> list[str]:
    lines = placed.picture.caption
    bottom = placed.height - MARGIN - SMALL_HEIGHT * (len(lines) - 1)
    return [
        f'<text class="caption" x="{MARGIN:g}" y="{bottom + k * SMALL_HEIGHT:.1f}" fill="{COLOURS["grey"][0]}">'
        f"{_text(text)}</text>"
        for k, text in enumerate(lines)
    ]


def _label(x: float, y: float, text: str) -> str:
    """Write a label on an edge, which does not show through."""
    wide = width(text, SMALL)
    return (
        f'<rect class="ground" x="{x - wide / 2:.1f}" y="{y - 10:.1f}" width="{wide:.1f}" height="13" '
        f'fill="{COLOURS["ground"][0]}"/><text class="partial" x="{x:.1f}" y="{y:.1f}" text-anchor="middle" '
        f'fill="{COLOURS["partial"][0]}">{_text(text)}</text>'
    )


def _text(text: str) -> str:
    return escape(clean(text))


def _quoted(text: str) -> str:
    return quoteattr(unescape(_text(text)))
