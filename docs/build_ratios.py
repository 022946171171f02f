"""Write static/ratios.svg and static/users.svg: tables of benchmarks/RESULTS.md, a bar for each other library."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

from autodiff.drawing.colours import COLOURS

ROOT = Path(__file__).parent.parent
RESULTS, STATIC = ROOT / "benchmarks" / "RESULTS.md", ROOT / "docs" / "static"


@dataclass(frozen=True)
class Chart:
    """A picture of a table: under which heading that is, whose bars are drawn, and from where to where.

    ``peers`` are columns, with their colours on a light and on a dark page; ``limit`` is that of code by hand: a mark,
    no bar. ``low`` and ``high`` are the ends of the axis, as powers of ten. The table has the factors of the others
    itself, or their times.
    """

    heading: str
    picture: Path
    ours: str
    peers: dict[str, tuple[str, str]]
    limit: str
    by_hand: str
    low: float
    high: float
    has_times: bool = False

    @property
    def title(self) -> str:
        """What the picture is of."""
        return f"Time of each library over the time of {self.ours}, by workload, on a logarithmic axis"

    def factors(self, row: dict[str, str]) -> dict[str, float]:
        """Return how many times as long as ours each other one takes that is known."""
        known = {name: row[name] for name in (*self.peers, self.limit) if row.get(name, "—") != "—"}
        if not self.has_times:
            return {name: float(text) for name, text in known.items()}
        return {name: float(f"{seconds(text) / seconds(row['ours']):.3g}") for name, text in known.items()}


COMPILED = Chart(
    "## Compiled programs beside other compilers",
    STATIC / "ratios.svg",
    "our jit",
    {
        "jax jit": ("#0b5cad", "#7ab8ff"),
        "jax scan": ("#6fa8dc", "#3b78b5"),
        "torch.compile": ("#c2410c", "#f79a63"),
        "casadi SX": ("#2e7d32", "#7bc67f"),
        "autograd": ("#9aa0a6", "#6b737b"),
    },
    "limit",
    "C or NumPy by hand",
    -1.6,
    5.1,
)

EAGER = Chart(
    "## Beside the other libraries",
    STATIC / "users.svg",
    "ours, eagerly",
    {
        "torch": ("#c2410c", "#f79a63"),
        "torch.func": ("#e8a17c", "#b56a42"),
        "autograd": ("#9aa0a6", "#6b737b"),
        "mygrad": ("#7b4fa3", "#b794d6"),
        "jax": ("#0b5cad", "#7ab8ff"),
        "num_dual": ("#2e7d32", "#7bc67f"),
        "micrograd": ("#b59a00", "#e3cd55"),
    },
    "by hand",
    "NumPy or Python by hand",
    -2.2,
    3.2,
    has_times=True,
)

LEFT, WIDTH, RIGHT, TOP, BAR, GAP, SIZE = 356, 440, 28, 46, 3, 7, 9.5
"""In px: where the axis begins, its length, what is right of and above it, a bar, what is between rows, letters."""

LETTERS = 68
"""How many letters of a name are shown: there is room for them left of the axis."""

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def seconds(text: str) -> float:
    """Return a time such as "3.02 µs (derivative)" in seconds."""
    number, unit = text.split()[:2]
    return float(number) * UNITS[unit]


def rows(chart: Chart) -> list[dict[str, str]]:
    """Return the rows of the tables, which have the same columns, by their names."""
    section = RESULTS.read_text(encoding="utf-8").partition(chart.heading)[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    heading, *cells = lines
    return [dict(zip(heading, row, strict=True)) for row in cells if row != heading and len(row) == len(heading)]


def place(chart: Chart, factor: float) -> float:
    """Return where a factor is on the axis."""
    low, high = chart.low, chart.high
    return LEFT + WIDTH * (min(max(math.log10(factor), low), high) - low) / (high - low)


def label(name: str) -> str:
    """Return a workload's name as far as there is room for it; the whole one is a title."""
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"


def bars(chart: Chart, row: dict[str, str], y: float) -> tuple[list[str], float]:
    """Return the parts of a row of the picture, from a height on, and the height of the next one."""
    known = chart.factors(row)
    shown = [name for name in chart.peers if name in known]
    height = BAR * max(len(shown), 3)
    said = ", ".join(f"{name} {known[name]:g} times" for name in known)
    parts = [
        f"<g><title>{escape(row['workload'])}: ours {escape(row['ours'])}; {said}</title>",
        f'<text x="{LEFT - 8}" y="{y + height / 2 + 3.2:g}" text-anchor="end">{escape(label(row["workload"]))}</text>',
    ]
    for k, name in enumerate(shown):
        start, end = sorted((place(chart, 1.0), place(chart, known[name])))
        parts.append(
            f'<rect class="p{list(chart.peers).index(name)}" x="{start:.1f}" y="{y + BAR * k:g}" '
            f'width="{max(end - start, 0.8):.1f}" height="{BAR}"/>'
        )
    if chart.limit in known:
        x = place(chart, known[chart.limit])
        parts.append(f'<path class="limit" d="M{x:.1f} {y - 1.5:g}V{y + height + 1.5:g}"/>')
    return [*parts, "</g>"], y + height + GAP


def style(chart: Chart) -> str:
    """Return the colours, on a light page and on a dark one."""

    def of(which: int) -> str:
        ink, grey, ground = (COLOURS[name][which] for name in ("ink", "line", "ground"))
        fills = "".join(f".p{k}{{fill:{colours[which]}}}" for k, colours in enumerate(chart.peers.values()))
        return (
            f".ground{{fill:{ground}}}text{{fill:{ink}}}.grid{{stroke:{grey};stroke-opacity:.45}}"
            f".one,.limit{{stroke:{ink}}}{fills}"
        )

    return f"{of(0)}.limit{{stroke-width:1.6}}@media (prefers-color-scheme: dark){{{of(1)}}}"


def svg(chart: Chart) -> str:
    """Return the picture, as the text of a file."""
    y, parts = float(TOP), list[str]()
    for row in rows(chart):
        more, y = bars(chart, row, y)
        parts += more
    width, height = LEFT + WIDTH + RIGHT, y + 18
    grid = []
    for power in range(math.ceil(chart.low), math.floor(chart.high) + 1):
        x = place(chart, 10.0**power)
        label = f"{10**power:,}×" if power >= 0 else f"1/{10**-power}×"
        grid.append(f'<path class="{"grid" if power else "one"}" d="M{x:.1f} {TOP - 6}V{y:g}"/>')
        grid += [f'<text x="{x:.1f}" y="{at:g}" text-anchor="middle">{label}</text>' for at in (TOP - 10, y + 11)]
    key, x = [], 8.0
    for k, name in enumerate(chart.peers):
        key.append(
            f'<rect class="p{k}" x="{x:g}" y="9" width="10" height="8"/><text x="{x + 14:g}" y="16">{name}</text>'
        )
        x += 30 + 5.6 * len(name)
    key.append(f'<path class="limit" d="M{x + 4:g} 7V19"/><text x="{x + 12:g}" y="16">{chart.by_hand}</text>')
    key.append(f'<text x="{width - RIGHT}" y="16" text-anchor="end">right of 1×: ours is faster</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{chart.title}" width="{width}" '
            f'height="{height:g}" viewBox="0 0 {width} {height:g}" font-family="DejaVu Sans, Verdana, sans-serif" '
            f'font-size="{SIZE}">',
            f"<title>{chart.title}</title>",
            f"<style>{style(chart)}</style>",
            '<rect class="ground" width="100%" height="100%"/>',
            *key,
            *grid,
            *parts,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    for chart in (COMPILED, EAGER):
        chart.picture.write_text(svg(chart), encoding="utf-8")
