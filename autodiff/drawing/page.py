"""The interactive page of a run: one HTML file that fetches nothing; its policy forbids it to."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from .colours import MOVING
from .svg import drawn
from .telling import BEFORE, Mode
from .text import clean

if TYPE_CHECKING:
    from .animation import Animation


def page(animation: Animation) -> str:
    """Write the text of the page."""
    script = _part("explorer.js")
    run = {"before": BEFORE.text, "lines": animation.lines, "modes": [_mode(mode) for mode in animation.modes]}
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Template(_part("explorer.html")).substitute(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        title=_text(animation.title),
        subtitle=_text(animation.subtitle),
        style=_colours() + _part("explorer.css"),
        modes="".join(f"<option>{_text(mode.name)}</option>" for mode in animation.modes),
        natural=round(animation.placed.width),
        graph=drawn(animation.placed),
        rows="\n".join(_row(line, animation) for line in animation.lines),
        notes="".join(f"<p>{_text(note)}</p>" for note in animation.notes),
        run=_json(run),
        script=script,
    )


def _text(text: str) -> str:
    return html.escape(clean(text))


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _colours() -> str:
    """Write the colours as variables of the style sheet."""
    light, dark = (";".join(f"--{name}:{pair[page]}" for name, pair in MOVING.items()) for page in (0, 1))
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def _mode(mode: Mode) -> dict[str, Any]:
    return mode._asdict() | {"steps": [step._asdict() for step in mode.steps]}


def _json(data: Any) -> str:
    """Write JSON that may stand in HTML."""
    text = clean(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _row(line: dict[str, Any], animation: Animation) -> str:
    """Write a row of the table, with the adjoint that the reverse run ends with."""
    variable = (f'<th scope="row"><button type="button" aria-controls="details">{_text(line["variable"])}'
                "</button></th>")  # fmt: skip
    if line.get("folded"):
        return (f'<tr class="folded" data-line="{line["line"]}"><td class="line">…</td>{variable}'
                f'<td colspan="3">{_text(line["expression"])}</td></tr>')  # fmt: skip
    adjoint = "0"
    for step in animation.modes[0].steps:
        adjoint = step.changes.get(line["line"], (adjoint,))[0]
    kind = " array" if line["value"].startswith("[") else ""
    return (f'<tr data-line="{line["line"]}"><td class="line">{line["line"]}</td>{variable}'
            f'<td>{_text(line["expression"])}</td><td class="value{kind}">{_text(line["value"])}</td>'
            f'<td class="slope{kind}">{_text(adjoint)}</td></tr>')  # fmt: skip
