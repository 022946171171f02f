"""The interactive page of a run: one HTML file that fetches nothing; its policy forbids it to."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from string import Template
from typing import TYPE_CHECKING, Any

from .colours import MOVING
from .graph import Edge
from .javascript import defined, functions, has_letters, in_expressions, javascript, part
from .live import NotLiveError, data, program
from .svg import drawn, style_sheet
from .telling import BEFORE, Mode
from .text import clean

if TYPE_CHECKING:
    from .animation import Animation


STEPS = ("text.js", "layout.js", "graph.js", "player.js")
LIVE = ("elementary.js", "engine.js", "groups.js", "zeros.js", "quotient.js", "steps.js", "live.js", "inputs.js")
TYPED = ("parse.js", "trace.js", "folds.js", "typed.js", "presets.js")
"""The scripts of every page; of one that computes itself; of one with an expression to type."""


UNPACK = """const bytes = Uint8Array.from(atob(document.getElementById("packed").textContent), (c) => c.charCodeAt(0));
const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
new Response(plain).text().then((text) => { document.open(); document.write(text); document.close(); });"""
"""The script of a packed page, which puts the page in its own place."""


def packed(animation: Animation) -> str:
    """Write a page of a third of the size, which unpacks itself: a notebook keeps it in this form."""
    text = page(animation)
    policy = re.search("script-src '.*?'", text)
    assert policy is not None
    archive = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    return f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{_text(animation.title)}</title>
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; {policy[0]} '{_digest(UNPACK)}'">
<script type="text/plain" id="packed">{archive}</script><script>{UNPACK}</script></html>
"""


def page(animation: Animation) -> str:
    """Write the text of the page: one that computes itself, where every line has a rule in it."""
    run = _run(animation)
    script = _script(run)
    expression = part("expression.html") if run["expression"] is not None else ""
    is_live = run["program"] is not None or run["expression"] is not None
    notes = (*animation.notes, *([] if is_live else [f"The page stays at this point: {run['reason']}."]))
    return Template(part("explorer.html")).substitute(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src '{_digest(script)}'",
        title=_text(animation.title),
        subtitle=_text(animation.subtitle),
        style=_colours() + style_sheet() + "\n" + part("explorer.css"),
        controls=Template(part("controls.html")).substitute(expression=expression) if is_live else "",
        modes="".join(f"<option>{_text(mode.name)}</option>" for mode in animation.modes),
        graph=drawn(animation.placed),
        rows="\n".join(_row(line, animation) for line in animation.lines),
        notes="".join(f"<p>{_text(note)}</p>" for note in notes),
        run=_json(run),
        script=script,
    )


def _run(animation: Animation) -> dict[str, Any]:
    """Return what the scripts know of a run: told step by step, or to be computed at any point."""
    run: dict[str, Any] = {"before": BEFORE.text, "lines": animation.lines, "expression": animation.expression,
                           "program": None, "inputs": []}  # fmt: skip
    tape = animation.tape
    try:
        if animation.expression is None:
            run["program"] = program(tape, animation.output)
        run["inputs"] = [data(tape.values[line]) | {"name": animation.variables[line]} for line in tape.inputs]
    except NotLiveError as reason:
        return run | {"program": None, "modes": list(map(_mode, animation.modes)), "reason": str(reason)}
    picture = animation.placed.picture
    nodes = [{"key": node.key, "line": node.line, "kind": node.kind, "name": node.name, "text": node.text,
              "is_output": node.is_output, "lines": list(node.lines), "slope": node.adjoint is not None}
             for node in picture.nodes]  # fmt: skip
    edges = [{"start": edge.start, "end": edge.end, "place": edge.place, "active": edge.active, "count": edge.count,
              "rule": edge.rule if edge.partial is None else None, "symbol": _symbol(edge)}
             for edge in picture.edges]  # fmt: skip
    return run | {"picture": {"nodes": nodes, "edges": edges, "names": animation.variables, "title": picture.title}}


def _symbol(edge: Edge) -> str | None:
    """Return the partial behind an edge in symbols; None where it is a number."""
    text = (edge.rule or "").partition(" = ")[2]
    return text if edge.partial is not None and has_letters(text) else None


def _script(run: dict[str, Any]) -> str:
    names: tuple[str, ...] = STEPS
    rules = ""
    if run["expression"] is not None:
        names, rules = (*LIVE, *TYPED, *STEPS), javascript(in_expressions(), for_readers=True) + functions()
    elif run["program"] is not None:
        others = {"maps", "pairs", "groups"}
        used = {line["row"] for line in run["program"]["lines"] if line["row"] and not others & line.keys()}
        names, rules = (*LIVE, *STEPS), javascript(used)
    special = _bare("special.js") if set(re.findall(r"F\.(\w+)", rules)).intersection(defined("special.js")) else ""
    return '"use strict";\n' + "".join(map(_bare, names)) + special + rules + _bare("start.js")


def _digest(script: str) -> str:
    """Return what a policy calls a script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _bare(name: str) -> str:
    """Read a script without its comments and indentation, a fifth of it: pages are kept in notebooks."""
    text = re.sub(r"^ */\*.*?\*/\n|^ *//[^\n]*\n|^\n| // [^\n]*$", "", part(name), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^ +", "", text, flags=re.MULTILINE)


def _text(text: str) -> str:
    return html.escape(clean(text))


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
    variable = f'<th scope="row"><button type="button" aria-controls="details">{_text(line["variable"])}</button></th>'
    if line.get("folded"):
        return (
            f'<tr class="folded" data-line="{line["line"]}"><td class="line">…</td>{variable}'
            f'<td colspan="3">{_text(line["expression"])}</td></tr>'
        )
    adjoint = "0"
    for step in animation.modes[0].steps:
        adjoint = step.changes.get(line["line"], (adjoint,))[0]
    kind = " array" if line["value"].startswith("[") else ""
    return (
        f'<tr data-line="{line["line"]}"><td class="line">{line["line"]}</td>{variable}'
        f'<td>{_text(line["expression"])}</td><td class="value{kind}">{_text(line["value"])}</td>'
        f'<td class="slope{kind}">{_text(adjoint)}</td><td class="second{kind}"></td></tr>'
    )
