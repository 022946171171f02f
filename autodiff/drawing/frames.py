"""A run as a GIF: a frame for each step, drawn by Pillow in the places of the layout."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .colours import COLOURS, MOVING
from .files import write
from .layout import HEADING, SMALL, Box, Route
from .steps import RUN, SEED, SWEEP
from .telling import BEFORE, Mode, Told
from .text import ADVANCE, width

if TYPE_CHECKING:
    from .animation import Animation

NARROWEST, LARGEST_SCALE, FINE = 800, 1.6, 2
"""The least width of a frame in px; how much larger than its layout a small graph is drawn; pixels drawn for each."""

TITLE, TEXT, MARGIN = 18, 15, 20
"""Font sizes in px, the space around all."""

MOST_PIXELS = 400_000_000
"""The most pixels of all frames together: so many take half a minute and a gigabyte."""

PAUSE = 4.0
"""Seconds for which the first frame stays, beyond those of a step."""

WHOLE = Told("", -1, ["The whole run, and now step by step."], {}, [])
"""What the first frame tells: it is the finished picture, which stands still where nothing moves."""


def save(animation: Animation, mode: Mode, path: Path, seconds: float, dark: bool) -> None:
    """Write the GIF; see `Animation.to_gif`."""
    painter = _Painter(animation, mode, _Tones(dark))
    frames = len(mode.steps) + 2
    if frames * painter.width * painter.height > MOST_PIXELS:
        raise ValueError(
            f"a GIF of {frames} frames of {painter.width} by {painter.height} pixels is too large: "
            f"{MOST_PIXELS:,} in all is the most; to_html() shows a run of any size"
        )
    palette = painter.image_class.new("P", (1, 1))
    palette.putpalette(painter.tones.palette())
    images = []
    values: set[int] = set()
    slopes: dict[int, str] = {}
    for step in (BEFORE, *mode.steps, WHOLE):
        values |= {step.line} if step.phase == RUN else set()
        slopes |= {line: text for line, (_, text) in step.changes.items()}
        images.append(painter.frame(step, values, slopes).quantize(palette=palette, dither=0))
    durations = [round(1000 * (seconds + PAUSE))] + [round(1000 * seconds)] * (len(images) - 1)
    write(path, lambda beside: images[-1].save(beside, format="GIF", save_all=True, append_images=images[:-1],
                                               duration=durations, loop=0, optimize=True))  # fmt: skip


class _Tones:
    """The colours of a film on a light or on a dark ground."""

    def __init__(self, dark: bool) -> None:
        self.colours = {name: pair[dark] for name, pair in {**COLOURS, **MOVING}.items()}
        self.paper, self.ink, self.soft, self.rule = map(self.colours.__getitem__, ("paper", "ink", "soft", "rule"))
        self.running, self.sweeping = ((self.colours[name], self.colours[f"{name}-wash"]) for name in ("run", "sweep"))
        """Of what is at work, line and ground, in the forward run and in the reverse sweep."""

    def palette(self) -> list[int]:
        """Return the colours of every frame: of texts, lines, grounds, and two mixtures of each pair."""
        fronts = [self.ink, self.soft, self.rule, *map(self.colours.__getitem__, ("partial", "adjoint", "line"))]
        grounds = [self.paper, self.running[1], self.sweeping[1]]
        grounds += map(self.colours.__getitem__, ("box", "input", "output"))
        return _mixtures([*fronts, self.running[0]], grounds)


def _mixtures(fronts: list[str], grounds: list[str]) -> list[int]:
    """Return colours for smooth edges beside the given ones, red, green, blue, one after the other."""
    strong, pale = ([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in colours] for colours in (fronts, grounds))
    mixed = [[round((m * f + (3 - m) * g) / 3) for f, g in zip(front, ground, strict=True)]
             for front in strong for ground in pale for m in (1, 2)]  # fmt: skip
    return [part for colour in [*pale, *strong, *mixed] for part in colour]


class _Painter:
    """Draws frames, `FINE` times as large as they will be."""

    def __init__(self, animation: Animation, mode: Mode, tones: _Tones) -> None:
        self.tones, self.colours = tones, tones.colours
        self.image_class, self.draw_class, self.font_class, self.font_file = _pillow()
        self.title, self.mode, self.placed = animation.title, mode, animation.placed
        self.scale = max(1.0, min(LARGEST_SCALE, (NARROWEST - 2 * MARGIN) / self.placed.width))
        self.width = max(NARROWEST, round(self.placed.width * self.scale) + 2 * MARGIN)
        self.columns = int((self.width - 2 * MARGIN) / (ADVANCE * TEXT))
        lines = max(len(self._lines(step)) for step in (BEFORE, *mode.steps))
        self.top = MARGIN + 1.6 * TITLE + 1.4 * TEXT * lines
        self.height = round(self.top + self.placed.height * self.scale)
        self.left = (self.width - self.placed.width * self.scale) / 2

    def frame(self, step: Told, values: set[int], slopes: dict[int, str]) -> Any:
        """Draw the graph after a step: the lines that have values, and the tangents or adjoints."""
        image = self.image_class.new("RGB", (FINE * self.width, FINE * self.height), self.tones.paper)
        self.draw, self.at_work = (
            self.draw_class.Draw(image),
            self.tones.sweeping if step.phase in (SEED, SWEEP) else self.tones.running,
        )
        self._heading(step)
        flows = set(step.edges)
        for route in sorted(self.placed.routes, key=lambda route: (route.edge.start, route.edge.end) in flows):
            self._route(route, (route.edge.start, route.edge.end) in flows, step.phase == SWEEP)
        for route in self.placed.routes:
            if route.edge.label is not None and route.edge.end in values:
                self._label(route, (route.edge.start, route.edge.end) in flows)
        for box in self.placed.boxes:
            self._box(box, step, values, slopes)
        return image.resize((self.width, self.height), self.image_class.Resampling.LANCZOS)

    # ---------------------------------------------------------------------------------------- the text

    def _lines(self, step: Told) -> list[str]:
        return [line for text in step.text for line in _wrapped(text, self.columns)]

    def _heading(self, step: Told) -> None:
        name = self.mode.name
        room = int((self.width - 2 * MARGIN - ADVANCE * TEXT * (len(name) + 2)) / (ADVANCE * TITLE))
        title = self.title if len(self.title) <= room else f"{self.title[: room - 1]}…"
        self._text(MARGIN, MARGIN, title, TITLE, self.tones.ink, "la")
        self._text(self.width - MARGIN, MARGIN + 3, name, TEXT, self.tones.soft, "ra")
        for k, line in enumerate(self._lines(step)):
            self._text(MARGIN, MARGIN + 1.6 * TITLE + k * 1.4 * TEXT, line, TEXT, self.at_work[0], "la")

    def _text(self, x: float, y: float, text: str, size: float, colour: str, anchor: str) -> None:
        self.draw.text((FINE * x, FINE * y), text, font=self._font(size), fill=colour, anchor=anchor)

    def _font(self, size: float) -> Any:
        return self.font_class.truetype(self.font_file, round(FINE * size))

    # ---------------------------------------------------------------------------------------- the graph

    def _at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a place of the layout is in the frame."""
        return FINE * (self.left + x * self.scale), FINE * (self.top + y * self.scale)

    def _route(self, route: Route, flows: bool, upward: bool) -> None:
        """Draw an edge; its head is where what flows arrives."""
        colour = self.at_work[0] if flows else self.colours["line"]
        points = _points(route.path)
        self.draw.line([self._at(*point) for point in points], colour, round(FINE * (2.5 if flows else 1.2)), "curve")
        (x, y), back = (points[0], 8.0) if flows and upward else (points[-1], -8.0)
        self.draw.polygon([self._at(x, y), self._at(x - 4.0, y + back), self._at(x + 4.0, y + back)], colour)

    def _label(self, route: Route, flows: bool) -> None:
        (x, y), text = route.label, route.edge.label
        wide = width(text or "", SMALL) / 2
        self.draw.rectangle([self._at(x - wide, y - 10), self._at(x + wide, y + 3)], self.tones.paper)
        colour = self.at_work[0] if flows else self.colours["partial"]
        self.draw.text(self._at(x, y), text, font=self._font(SMALL * self.scale), fill=colour, anchor="ms")

    def _box(self, box: Box, step: Told, values: set[int], slopes: dict[int, str]) -> None:
        node = box.node
        computed, now = node.line in values, node.line == step.line
        fill = self.at_work[1] if now else self.colours[box.colour] if computed else self.tones.paper
        marked = now or (node.line in step.changes and step.phase != SEED)
        outline = self.at_work[0] if marked else self.colours["line"] if computed else self.tones.rule
        corners = [self._at(box.x, box.y), self._at(box.x + box.width, box.y + box.height)]
        self.draw.rounded_rectangle(corners, 5 * FINE * self.scale, fill, outline, round(FINE * (2.5 if marked else 1)))
        self._in_box(*box.base(0), [(node.text, self.tones.ink if computed else self.tones.soft)], HEADING)
        shown = {"": node.name, "value": node.value if computed else None, "adjoint": slopes.get(node.line)}
        for k, (label, _) in enumerate(box.rows):
            text, name = shown[label], self.mode.column if label == "adjoint" else label
            if text is not None:
                parts = [
                    (f"{name} ".lstrip(), self.tones.soft),
                    (text, self.colours["adjoint"] if label == "adjoint" else self.tones.ink),
                ]
                self._in_box(*box.base(k + 1), parts, SMALL)

    def _in_box(self, x: float, y: float, parts: list[tuple[str, str]], size: float) -> None:
        """Draw texts of several colours side by side, the middle of their base line at a place of the layout."""
        font = self._font(size * self.scale)
        widths = [font.getlength(text) for text, _ in parts]
        left, base = self._at(x, y)
        left -= sum(widths) / 2
        for (text, colour), wide in zip(parts, widths, strict=True):
            self.draw.text((left, base), text, font=font, fill=colour, anchor="ls")
            left += wide


def _pillow() -> tuple[Any, Any, Any, str]:
    """Import Pillow's modules, and a font that has the signs of mathematics, which matplotlib brings."""
    try:
        import matplotlib
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError("a GIF needs Pillow and matplotlib's font: pip install 'dualautodiff[plot]'") from None
    return Image, ImageDraw, ImageFont, str(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf"))


def _wrapped(text: str, wide: int) -> list[str]:
    """Break a text into lines of so many characters, at spaces."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > wide:
            lines.append(f"  {word}")
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def _points(path: str) -> list[tuple[float, float]]:
    """Return the points of a path of a layout: ``M`` begins, ``V`` goes down, ``C`` is a cubic curve, in 16 pieces."""
    points: list[tuple[float, float]] = []
    for letter, text in re.findall("([MVC])([^MVC]*)", path):
        numbers = [float(number) for number in text.split()]
        if letter == "C":
            ends = list(zip([points[-1][0], *numbers[::2]], [points[-1][1], *numbers[1::2]], strict=True))
            points += [_on_curve(ends, k / 16) for k in range(1, 17)]
        else:
            points.append((numbers[0], numbers[1]) if letter == "M" else (points[-1][0], numbers[0]))
    return points


def _on_curve(ends: list[tuple[float, float]], t: float) -> tuple[float, float]:
    """Find the point of a Bézier curve, by de Casteljau's algorithm."""
    while len(ends) > 1:
        ends = [(a + (c - a) * t, b + (d - b) * t) for (a, b), (c, d) in pairwise(ends)]
    return ends[0]
