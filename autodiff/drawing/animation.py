"""A run that moves: the forward run of a tape and its reverse sweep as an interactive page and as a GIF."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from dualnumbers.messages.errors import user_line

from ..calls.given import no_function
from ..reverse import record
from ..tape.listing import value_text, variable_names
from ..tape.sweep import swept
from ..tape.variable import Variable
from ..tape.wengert import Tape
from .files import write
from .graph import MERGED, Picture, output_lines, picture, short_names, traced
from .layout import Layout, layout
from .steps import one
from .telling import Mode, Teller
from .text import clean, concise, width

FRAME_HEIGHT = 720
"""The height of a page in a notebook, in px."""


@dataclass(frozen=True)
class Animation:
    """A run, step by step: of ``modes`` the first is the reverse one; ``lines`` is what is told of each line."""

    title: str
    subtitle: str
    notes: tuple[str, ...]
    placed: Layout
    lines: list[dict[str, Any]]
    modes: list[Mode]
    tape: Tape
    output: int | None
    variables: list[str]
    expression: str | None = None
    """The text that was recorded, which a page can record anew."""

    def __repr__(self) -> str:
        return f"<{self.title}, step by step: {len(self.lines)} lines, {len(self.modes[0].steps)} steps>"

    @overload
    def to_html(self) -> str: ...

    @overload
    def to_html(self, path: str | Path) -> None: ...

    def to_html(self, path: str | Path | None = None) -> str | None:
        """Return an interactive page, complete in itself, as text; given a path, write it to that file instead.

        Raises ValueError where the file is called otherwise than an HTML page.
        """
        from .page import page

        if path is None:
            return page(self)
        _check_ending(path, ".html", ".htm")
        write(path, page(self))
        return None

    def to_gif(self, path: str | Path, seed: str | None = None, seconds: float = 1.2, dark: bool = False) -> None:
        """Write the reverse run as a GIF, or that with tangents from the input called ``seed``; a step for so long.

        Its first frame is the finished picture, which a page shows where nothing moves. ``dark`` is for dark pages.

        Raises ImportError without Pillow, which the extra ``plot`` has, ValueError where there is no such seed, no time
        for a step, another ending than ``.gif``, or the frames have too many pixels together.
        """
        from .frames import save

        _check_ending(path, ".gif")
        if not 0.0 < seconds < 600.0:
            raise ValueError(f"a step takes more than 0 and less than 600 seconds, not {seconds}")
        save(self, self._mode(seed), Path(path), seconds, dark)

    def _mode(self, seed: str | None) -> Mode:
        modes = {mode.seed: mode for mode in self.modes}
        if seed not in modes:
            raise ValueError(f"seed is one of the inputs {', '.join(filter(None, modes))}; got {seed!r}")
        return modes[seed]

    def _repr_html_(self) -> str:
        from .page import packed

        title, text = html.escape(clean(self.title)), html.escape(packed(self))
        return (
            f'<iframe title="{title}" sandbox="allow-scripts" width="100%" height="{FRAME_HEIGHT}" '
            f'style="border:0" srcdoc="{text}"></iframe>'
        )


def _check_ending(path: str | Path, *endings: str) -> None:
    if Path(path).suffix.lower() not in endings:
        raise ValueError(f"{Path(path).name}: this is saved as {' or '.join(endings)}")


def animate(of: Any, args: Sequence[Any] | None = None, *, out: Any = None, names: Sequence[str] | None = None,
            title: str | None = None) -> Animation:  # fmt: skip
    """Animate the forward run and the reverse sweep of ``f(*args)``, step by step: ``animate(f, [x, y])``.

    A notebook shows it. ``.to_html("page.html")`` writes an interactive page, in which the inputs may be moved if each
    line has a rule in it, ``.to_gif("run.gif")`` a picture that moves. ``of`` may be a tape or a Variable, too, without
    ``args``. ``out`` is the output, as a Variable or the number of its line; a tape from `autodiff.record` knows its
    own. ``names`` are those of the inputs, ``title`` is else the function's name. The adjoint of the output is 1, of an
    array 1 for each element, and so is the tangent of a seed. The page shows the user's line of code of each line, if
    ``of`` is a function, or `record` had ``sources=True``.

    Raises TypeError where ``of`` is neither, ValueError where a tape is empty or has several outputs and ``out`` does
    not say which, or names are not one for each input.

    >>> for step in animate(lambda x, y: x * y, [2.0, 3.0]).modes[0].steps:
    ...     print(*step.text, sep="; ")
    x = 2, an input
    y = 3, an input
    v2 = x * y = 6
    adjoint of v2 = 1, of all others 0: the reverse sweep begins
    adjoint of x += adjoint of v2 · ∂v2/∂x = 1 · 3 = 3; adjoint of y += adjoint of v2 · ∂v2/∂y = 1 · 2 = 2
    """
    if args is None and callable(of) and not isinstance(of, Variable):
        raise TypeError(f"animate takes a function with its arguments: animate(f, [x, y]){user_line()}")
    if args is not None:
        if not callable(of):
            raise no_function("animate(f, [x, y])", of)
        name = getattr(of, "__name__", "<lambda>")
        title = title or (None if name == "<lambda>" else name)
        of, _ = record(of, args, sources=True)
    tape, line, lines = traced(of, "animate")
    if not len(tape):
        raise ValueError("animate: the tape has no lines")
    output = _output(tape, line if out is None else out)
    found: list[Any] = [None] * len(tape)
    if output is not None:
        found, _ = swept(tape, {output: one(tape.values[output])}, keep=True)
    drawn = picture(tape, output, names, found, lines)
    teller = Teller(tape, output, drawn, variable_names(len(tape), short_names(tape, names)))
    modes = teller.modes()
    return Animation(title or drawn.title, _subtitle(teller), _notes(teller), _placed(drawn, modes), teller.lines(),
                     modes, tape, output, teller.variables)  # fmt: skip


def _output(tape: Tape, out: Any) -> int | None:
    """Return the line of the output; None where the result depends on no input."""
    lines = output_lines(tape, out)
    if len(lines) > 1:
        raise ValueError(f"animate: there are {len(lines)} outputs; say which by out=")
    return lines[0] if lines else None


def _placed(drawn: Picture, modes: Sequence[Mode]) -> Layout:
    """Return the places of a picture in which there is room for every text that its boxes will show."""
    texts = {node.line: [node.adjoint or ""] for node in drawn.nodes}
    for mode in modes:
        for step in mode.steps:
            for line, (_, text) in step.changes.items():
                texts[line].append(text)
    nodes = [
        node if node.adjoint is None else replace(node, adjoint=max(texts[node.line], key=_width))
        for node in drawn.nodes
    ]
    roomy = layout(replace(drawn, nodes=nodes, caption=()))
    boxes = [
        replace(box, node=node, rows=_final(box.rows, node.adjoint))
        for box, node in zip(roomy.boxes, drawn.nodes, strict=True)
    ]
    return replace(roomy, picture=replace(drawn, caption=()), boxes=boxes)


def _width(text: str) -> float:
    return width(text, 1.0)


def _final(rows: Sequence[tuple[str, str]], adjoint: str | None) -> tuple[tuple[str, str], ...]:
    return tuple((label, adjoint if label == "adjoint" and adjoint is not None else text) for label, text in rows)


def _subtitle(teller: Teller) -> str:
    tape, output = teller.tape, teller.output
    point = ", ".join(f"{teller.variables[line]} = {concise(tape.values[line])}" for line in teller.seeds)
    result = "" if output is None else f"{teller.variables[output]} = {value_text(tape, output, concise)}"
    return "; ".join(filter(None, [f"at {point}" if point else "", f"the result is {result}" if result else ""]))


def _notes(teller: Teller) -> tuple[str, ...]:
    notes = []
    if teller.output is None:
        notes.append("The result depends on no input, so every adjoint is 0.")
    drawn = [line for part in teller.parts for line in part.lines]
    hidden = sum(len(part.lines) for part in teller.parts if part.folded)
    if hidden:
        notes.append(f"Of the {len(drawn)} lines {hidden} are folded away; a fold runs in one step.")
    if any(edge.count > 1 for edge in teller.edges):
        notes.append(f"{MERGED}.")
    inputs = set(teller.tape.inputs).intersection(drawn)
    shown = len(teller.seeds) - len(teller.refused)
    if len(inputs) > shown:
        notes.append(f"Tangents are shown for {shown} of the {len(inputs)} inputs.")
    notes += [f"There are none from {teller.variables[seed]}: {reason}." for seed, reason in teller.refused.items()]
    return tuple(notes)
