"""Write static/ratios.svg: the table of compiled programs in benchmarks/RESULTS.md, a bar for each other library."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from autodiff.drawing.colours import COLOURS

ROOT = Path(__file__).parent.parent
RESULTS, PICTURE = ROOT / "benchmarks" / "RESULTS.md", ROOT / "docs" / "static" / "ratios.svg"
HEADING = "## Compiled programs beside other compilers"

PEERS = {
    "jax jit": ("#0b5cad", "#7ab8ff"),
    "jax scan": ("#6fa8dc", "#3b78b5"),
    "torch.compile": ("#c2410c", "#f79a63"),
    "casadi SX": ("#2e7d32", "#7bc67f"),
    "autograd": ("#9aa0a6", "#6b737b"),
}
"""Whose bars are drawn → their colours on a light and on a dark page."""

LIMIT = "limit"
"""The column of C, or NumPy, by hand: a mark, no bar."""

LEFT, WIDTH, RIGHT, TOP, BAR, GAP, SIZE = 356, 440, 28, 46, 3, 7, 9.5
"""In px: where the axis begins, its length, what is right of and above it, a bar, what is between rows, letters."""

LETTERS = 68
"""How many letters of a name are shown: there is room for them left of the axis."""

LOW, HIGH = -1.6, 5.1
"""The ends of the axis, as powers of ten."""


def rows() -> list[dict[str, str]]:
    """Return the rows of the tables, which have the same columns, by their names."""
    section = RESULTS.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    heading, *cells = lines
    return [dict(zip(heading, row, strict=True)) for row in cells if row != heading and len(row) == len(heading)]


def place(factor: float) -> float:
    """Return where a factor is on the axis."""
    return LEFT + WIDTH * (min(max(math.log10(factor), LOW), HIGH) - LOW) / (HIGH - LOW)


def label(name: str) -> str:
    """Return a workload's name as far as there is room for it; the whole one is a title."""
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"


def bars(row: dict[str, str], y: float) -> tuple[list[str], float]:
    """Return the parts of a row of the picture, from a height on, and the height of the next one."""
    known = {name: float(row[name]) for name in (*PEERS, LIMIT) if row.get(name, "—") != "—"}
    shown = [name for name in PEERS if name in known]
    height = BAR * max(len(shown), 3)
    said = ", ".join(f"{name} {known[name]:g} times" for name in known)
    parts = [
        f"<g><title>{escape(row['workload'])}: ours {escape(row['ours'])}; {said}</title>",
        f'<text x="{LEFT - 8}" y="{y + height / 2 + 3.2:g}" text-anchor="end">{escape(label(row["workload"]))}</text>',
    ]
    for k, name in enumerate(shown):
        start, end = sorted((place(1.0), place(known[name])))
        parts.append(
            f'<rect class="p{list(PEERS).index(name)}" x="{start:.1f}" y="{y + BAR * k:g}" '
            f'width="{max(end - start, 0.8):.1f}" height="{BAR}"/>'
        )
    if LIMIT in known:
        x = place(known[LIMIT])
        parts.append(f'<path class="limit" d="M{x:.1f} {y - 1.5:g}V{y + height + 1.5:g}"/>')
    return [*parts, "</g>"], y + height + GAP


def style() -> str:
    """Return the colours, on a light page and on a dark one."""

    def of(which: int) -> str:
        ink, grey, ground = (COLOURS[name][which] for name in ("ink", "line", "ground"))
        fills = "".join(f".p{k}{{fill:{colours[which]}}}" for k, colours in enumerate(PEERS.values()))
        return (
            f".ground{{fill:{ground}}}text{{fill:{ink}}}.grid{{stroke:{grey};stroke-opacity:.45}}"
            f".one,.limit{{stroke:{ink}}}{fills}"
        )

    return f"{of(0)}.limit{{stroke-width:1.6}}@media (prefers-color-scheme: dark){{{of(1)}}}"


def svg() -> str:
    """Return the picture, as the text of a file."""
    y, parts = float(TOP), list[str]()
    for row in rows():
        more, y = bars(row, y)
        parts += more
    width, height = LEFT + WIDTH + RIGHT, y + 18
    grid = []
    for power in range(math.ceil(LOW), math.floor(HIGH) + 1):
        x = place(10.0**power)
        label = f"{10**power:,}×" if power >= 0 else f"1/{10**-power}×"
        grid.append(f'<path class="{"grid" if power else "one"}" d="M{x:.1f} {TOP - 6}V{y:g}"/>')
        grid += [f'<text x="{x:.1f}" y="{at:g}" text-anchor="middle">{label}</text>' for at in (TOP - 10, y + 11)]
    key, x = [], 8.0
    for k, name in enumerate(PEERS):
        key.append(
            f'<rect class="p{k}" x="{x:g}" y="9" width="10" height="8"/><text x="{x + 14:g}" y="16">{name}</text>'
        )
        x += 30 + 5.6 * len(name)
    key.append(f'<path class="limit" d="M{x + 4:g} 7V19"/><text x="{x + 12:g}" y="16">C or NumPy by hand</text>')
    key.append(f'<text x="{width - RIGHT}" y="16" text-anchor="end">right of 1×: ours is faster</text>')
    title = "Time of each library over the time of our jit, by workload, on a logarithmic axis"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" width="{width}" '
            f'height="{height:g}" viewBox="0 0 {width} {height:g}" font-family="DejaVu Sans, Verdana, sans-serif" '
            f'font-size="{SIZE}">',
            f"<title>{title}</title>",
            f"<style>{style()}</style>",
            '<rect class="ground" width="100%" height="100%"/>',
            *key,
            *grid,
            *parts,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
