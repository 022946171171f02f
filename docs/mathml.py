"""A Sphinx extension: formulas as MathML, by docutils' own converter.

MathML is drawn by the browser itself, so that the pages need no script and no network. A formula that cannot
be converted is a warning, which names it. The font is shipped with the pages (static/site.css).
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

_NAMES = r"\\(sinh?|cosh?|tanh?|ln|log|exp|det)(?![a-zA-Z])"

SPELLINGS = {
    r"\\dots(?![a-z])": r"\\ldots",
    r"\\([dt]?frac)(\d)(\d)": r"\\\1{\2}{\3}",
    r"\\underbrace(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})_(\{[^{}]*\}|\w)": r"\\underset{\2}{\\underbrace\1}",
    r"\|(\w+)\|": r"\\left|\1\\right|",
    r"\\(big|Big|bigg|Bigg)(?![a-zA-Z])": r"\\\1l.\\\1r",
    r"\\(bar|d?dot|hat|tilde|vec)\s*(\w|\{[^{}]*\}|\\[a-zA-Z]+)(?=[_^])": r"{\\\1{\2}{}}",
    rf"(?<=[\w}}])\s*{_NAMES}": r"\\,\\\1",
    rf"{_NAMES}\s*(?=\w|\\(?!left|big|,))": r"\\\1\\, ",
}
"""What the converter has not, or sets otherwise than LaTeX: its pattern → how it is spelt there.

Large delimiters come in pairs; the index of a letter with an accent would stand below it; names of functions want a
space before and after.
"""


STRUT = '<mspace height="0.75em" depth="0.25em"/>'
"""As tall as a bracket: under a root of low letters, whose sign would hang below the line, as LaTeX's do not."""

ROOTS = {
    r"<msqrt>": rf"<msqrt>{STRUT}",
    r"<mroot>\s*(<(m[a-z]+)>[^<]*</\2>)": rf"<mroot><mrow>{STRUT}\1</mrow>",
}
"""What the converter makes of roots → the same with a strut."""


def converted(formula: str, as_block: bool, node: nodes.Node) -> str:
    """The MathML of a LaTeX formula; the formula itself, with a warning, where there is none."""
    for pattern, spelling in SPELLINGS.items():
        formula = re.sub(pattern, spelling, formula)
    try:
        drawn = tex2mathml(formula, as_block=as_block)
    except MathError as error:
        logger.warning("%s: %s", formula, error, location=node)
        return escape(formula)
    for pattern, spelling in ROOTS.items():
        drawn = re.sub(pattern, spelling, drawn)
    return drawn


def keep_together(app: Sphinx, document: nodes.document, page: str) -> None:
    """Let no line begin with the full stop, or its like, that follows a formula."""
    for formula in list(document.findall(nodes.math)):
        after = formula.next_node(descend=False, siblings=True)
        if isinstance(after, nodes.Text) and after.startswith(tuple(".,;:?!)")):
            line, at = formula.parent, formula.parent.index(formula)
            kept = nodes.inline("", "", formula, nodes.Text(after[0]), classes=["kept"])
            line[at : at + 2] = [kept, nodes.Text(after[1:])]


def visit_inline(translator: Any, node: nodes.math) -> None:
    """A formula within a line."""
    translator.body.append(converted(node.astext(), False, node))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own."""
    translator.body.append(f'<div class="math">{converted(node.astext(), True, node)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it the renderer of formulas that ``html_math_renderer = "mathml"`` names."""
    app.connect("doctree-resolved", keep_together)
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
